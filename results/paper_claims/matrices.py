"""The set of matrices: where each is from, and which of the papers' own are in it."""
import csv
import os
from collections import Counter

from . import markdown
from .records import FAMILIES, PRECISIONS, RecordError, is_generated

TITLE = "The set of matrices"
FILE = "matrices.csv"
# Names as in the collection; (*) of Koza's list, the same with explicit zeros, are left out.
KOZA = """
ecology1 ecology2 torso3 cant consph cop20k_A mc2depi BenElechi1 darcy003 Dubcova3 e40r0100 helm2d03 nd3k nd6k torso1
atmosmodd atmosmodl cfd2 laminar_duct3D parabolic_fem poisson3Db PR02R RM07R StocF-1465 raefsky3 rma10 ASIC_680k
circuit5M circuit5M_dc Freescale1 G3_circuit Hamrle3 memchip rajat31 FullChip pre2 scircuit soc-LiveJournal1 wb-edu
cage13 cage14 cage15 webbase-1M mac_econ_fwd500 gsm_106857 tmt_sym tmt_unsym dielFilterV2real dielFilterV3real offshore
ESOC spal_004 rail4284 xenon2 bone010 boneS01 boneS10 filter3D largebasis kkt_power lp1 nlpkkt80 nlpkkt120
TSOPF_FS_b300_c1 TSOPF_FS_b300_c2 TSOPF_FS_b300_c3 TSOPF_RS_b2383 TSOPF_RS_b2383_c1 qcd5_4 Ga19As19H42 CO Ga10As10H30
Ga3As3H12 Ga41As41H72 Ge87H76 Ge99H100 Si34H36 Si41Ge41H72 Si87H76 SiO2 ohne2 para-4 barrier2-11 Fault_639 apache2
Emilia_923 m_t1 thread x104 pwtk af_0_k101 af_shell10 audikw_1 bmw3_2 bmw7st_1 bmwcra_1 Chebyshev4 crankseg_1 crankseg_2
F1 F2 Geo_1438 hood Hook_1498 inline_1 ldoor msdoor Serena ship_001 shipsec1 shipsec5 shipsec8 smc3Dc FEM_3D_thermal2
thermal2 thermomech_dK asia_osm human_gene1 human_gene2 mouse_gene pdb1HYS p7 dense10000 aorta
""".split()
PAPERS = {
    "Godwin et al. 2012 (CDS)": ("256x256 512x512 32x32x32 64x64x64".split(), "grids (`h200_dof_scaling.json`)"),
    "Vazquez et al. 2011 (ELLR-T)": ("""
qh1484 dw2048 rbs480a gemat12 dw8192 mhd3200a e20r4000 bcsstk24 mac_econ_fwd500 qcd5_4 mc2depi rma10 cop20k_A wbp128
dense2 cant pdb1HYS consph shipsec1 pwtk wbp256
""".split(), ""),
    "Koza et al. 2012 (CMRS)": (KOZA, ""),
    "Oberhuber et al. 2010 (RgCSR)": ("fd18 G2_circuit trans4 Raj1".split(), "the four that it names, of 1 596"),
    "Steinberger et al. 2016 (transposes)": ("""
poisson3Da ASIC_320k webbase-1M sme3Dc para-4 cont11_l Rucci1 kkt_power rajat31 bone010 asia_osm ldoor europe_osm
Flan_1565
""".split(), ""),
}
GENERATED = {"p7": "permutation:10000000", "dense10000": "dense:10000",
             "dense2": "dense:2000"}  # whose structure the name tells


def sources(folder):
    """name -> a line of matrices.csv."""
    try:
        with open(os.path.join(folder, FILE), newline="") as file:
            return {line["name"]: line for line in csv.DictReader(file)}
    except OSError as error:
        raise RecordError(f"{FILE}: {error.strerror}") from None


def names_in(runs, family):
    return dict.fromkeys(r["matrix"] for p in PRECISIONS for report in runs.reports(family, p) for r in report["records"])


def counts(runs, names):
    """(of the collection, of other projects, generated)."""
    known = sources(runs.folder)
    missing = [n for n in names if not is_generated(n) and n not in known]
    if missing:
        raise RecordError(f"{FILE} has no line for {', '.join(missing)}")
    own = Counter("generated" if is_generated(n) else "collection" if known[n]["suitesparse"] else "projects" for n in names)
    return own["collection"], own["projects"], own["generated"]


def outcome(runs, family):
    """(operators on which the fastest takes less than 10 us, the worst error over its bound)."""
    reports = [runs.reports(family, p) for p in PRECISIONS]
    brief = [str(sum(summary["brief"] for r in found for summary in r["summary"][:1])) for found in reports]
    worst = max(r["error_over_bound"] for found in reports for report in found for r in report["records"]
                if not r["skipped"] and r["checked"])
    return markdown.per_precision(brief), f"{worst:.3f}"


def papers_table(names):
    rows = []
    for paper, (own, note) in PAPERS.items():
        there = [n for n in own if n in names] + [f"{n} (`{GENERATED[n]}`)" for n in own if GENERATED.get(n) in names]
        rows.append((paper, len(own), len(there), ", ".join(there) or "none", note))
    return markdown.table(("paper", "its matrices", "in the runs", "which", ""), rows)


HEADER = ("records", "operators", "of the collection", "of other projects", "generated, grids", "below 10 us, fp32 / fp64",
          "worst error / bound")


def where_from(runs, every):
    """Counts, the other projects, and the largest."""
    known = sources(runs.folder)
    real = [n for n in every if not is_generated(n)]
    collection, projects, _ = counts(runs, every)
    others = Counter(known[n]["project"] for n in real if not known[n]["suitesparse"])
    names = ", ".join(f"{project} ({number})" for project, number in sorted(others.items()))
    largest = max(real, key=lambda n: int(known[n]["entries"]))
    return (f"The runs have {len(real)} matrices of files, {collection} of the SuiteSparse collection and {projects} of other "
            f"projects: {names}. `{FILE}` lists them with where each is from (not the matrices). The largest is {largest} with "
            f"{int(known[largest]['entries']) / 1e6:.1f}e6 entries.")


def text(runs):
    every = {}
    rows = []
    for family in FAMILIES:
        names = names_in(runs, family)
        every.update(names)
        rows.append((f"`{FAMILIES[family][0].format('*')}`", len(names), *counts(runs, names), *outcome(runs, family)))
    grids = [r["grid"] for r in runs.lines("h200_dof_scaling.json")]
    return markdown.section(2, TITLE, where_from(runs, every), markdown.table(HEADER, rows),
                            "The papers' own matrices among them:", papers_table(dict.fromkeys([*every, *grids])))
