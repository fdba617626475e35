"""The matrices that the papers name: themselves in the runs, stood in for by generated ones, or not there.

A stand-in has the rows of the original and its mean of entries a row, rounded to a whole number: `mesh:ROWS:MEAN`
has rows of MEAN / 2, rounded down, to so many and MEAN more entries, within a band, so that an odd MEAN gives half
an entry less; `banded` has all rows alike; `long_row:ROWS:LONGEST` 4 entries a row and one long row; `power_law`
lengths of that law. Their columns are not the originals'."""
from collections import Counter
from dataclasses import dataclass

from .records import RecordError

# Names as in the collection; (*) of Koza's list, the same with explicit zeros, are left out.
KOZA_MISSING = """
ecology1 ecology2 torso3 cant BenElechi1 darcy003 Dubcova3 e40r0100 helm2d03 nd3k nd6k torso1
atmosmodd atmosmodl cfd2 laminar_duct3D parabolic_fem poisson3Db PR02R RM07R StocF-1465 raefsky3 rma10 ASIC_680k
circuit5M circuit5M_dc Freescale1 G3_circuit Hamrle3 memchip rajat31 FullChip pre2 soc-LiveJournal1 wb-edu
cage13 cage14 mac_econ_fwd500 gsm_106857 tmt_sym tmt_unsym dielFilterV2real dielFilterV3real offshore
ESOC spal_004 rail4284 xenon2 bone010 boneS01 boneS10 filter3D largebasis kkt_power nlpkkt80 nlpkkt120
TSOPF_FS_b300_c1 TSOPF_FS_b300_c2 TSOPF_FS_b300_c3 TSOPF_RS_b2383_c1 qcd5_4 Ga19As19H42 CO Ga10As10H30
Ga3As3H12 Ga41As41H72 Ge87H76 Ge99H100 Si34H36 Si41Ge41H72 Si87H76 SiO2 ohne2 para-4 barrier2-11 Fault_639 apache2
Emilia_923 m_t1 thread x104 af_0_k101 af_shell10 audikw_1 bmw3_2 bmw7st_1 bmwcra_1 Chebyshev4 crankseg_1 crankseg_2
F1 F2 Geo_1438 hood Hook_1498 inline_1 ldoor msdoor Serena ship_001 shipsec5 shipsec8 smc3Dc FEM_3D_thermal2
thermal2 thermomech_dK asia_osm human_gene1 human_gene2 mouse_gene aorta
"""


def same(names):
    """Of matrices whose files are there."""
    return {name: name for name in names.split()}


@dataclass(frozen=True)
class Paper:
    title: str
    family: str  # of records.py; "" is h200_dof_scaling:all, whose grids are the paper's
    number: int  # of matrices that it names
    itself: dict  # name -> what it is called in the runs; generated where the name tells the structure
    stand_ins: dict  # name -> the generated matrix in its place
    missing: tuple
    note: str = ""

    def operators(self):
        """What it is called in the runs -> the paper's name."""
        return {operator: name for name, operator in {**self.itself, **self.stand_ins}.items()}


GODWIN = Paper("Godwin et al. 2012 (CDS)", "", 4, same("256x256 512x512 32x32x32 64x64x64"), {}, (),
               "grids (`h200_dof_scaling.json.gz`)")
VAZQUEZ = Paper(
    "Vazquez et al. 2011 (ELLR-T)", "ellr_t", 21, {**same("qh1484 rbs480a gemat12 bcsstk24"), "dense2": "dense:2000"},
    {"dw2048": "mesh:2048:5", "dw8192": "mesh:8192:5", "mhd3200a": "mesh:3200:21", "e20r4000": "mesh:4241:31",
     "mac_econ_fwd500": "mesh:206500:6", "qcd5_4": "banded:49152:19", "mc2depi": "mesh:525825:4", "rma10": "mesh:46835:51",
     "cop20k_A": "mesh:121192:22", "wbp128": "mesh:16384:240", "cant": "mesh:62451:64", "pdb1HYS": "mesh:36417:119",
     "consph": "mesh:83334:72", "shipsec1": "mesh:140874:55", "pwtk": "mesh:217918:53", "wbp256": "mesh:65536:479"}, ())
KOZA = Paper(
    "Koza et al. 2012 (CMRS)", "cmrs", 124, {**same("lp1"), "p7": "permutation:10000000", "dense10000": "dense:10000"},
    {"webbase-1M": "mesh:1000000:3", "mc2depi": "mesh:526000:4", "scircuit": "mesh:171000:6", "cop20k_A": "mesh:121000:21",
     "shipsec1": "mesh:141000:25", "pwtk": "mesh:218000:52", "consph": "mesh:83000:72", "pdb1HYS": "mesh:36000:119",
     "TSOPF_RS_b2383": "mesh:38000:424", "cage15": "mesh:5155000:19"}, tuple(KOZA_MISSING.split()),
    "stand-ins with rows rounded to thousands as in its Table 2, in fp64 only")
OBERHUBER = Paper(
    "Oberhuber et al. 2010 (RgCSR)", "rgcsr", 4, {},
    {"fd18": "mesh:16248:4", "G2_circuit": "mesh:150102:5", "trans4": "long_row:116835:114190",
     "Raj1": "long_row:263743:40468"}, (),
    "the four that it names, of 1 596; the stand-ins of the last two have 4 entries a row beside the long one, the originals 6.6 and "
    "4.9 on average")
STEINBERGER = Paper(
    "Steinberger et al. 2016 (transposes)", "transpose", 14, {},
    {"poisson3Da": "mesh:13514:26", "ASIC_320k": "long_row:321821:203800", "webbase-1M": "power_law:1000005",
     "sme3Dc": "mesh:42930:73", "parabolic_fem": "mesh:525825:7", "kkt_power": "mesh:2063494:6", "rajat31": "mesh:4690002:4", "asia_osm": "mesh:11950757:2",
     "ldoor": "mesh:952203:45", "Flan_1565": "mesh:1564794:73"},
    tuple("cont11_l Rucci1 bone010 europe_osm".split()),
    "sizes by the collection; its figures shorten the names, and \"para\" is taken as parabolic_fem, one of the CSB paper's, which it "
    "says it uses; cont11_l and Rucci1 are rectangular and europe_osm takes too long: not stood in for")
PAPERS = (GODWIN, VAZQUEZ, KOZA, OBERHUBER, STEINBERGER)


def every(found):
    return found


def only(paper):
    """Of {operator -> anything} the paper's own matrices and their stand-ins."""
    names = paper.operators()
    return lambda found: {m: o for m, o in found.items() if m in names}


def label(paper, operator):
    """As in the runs, and the paper's name where that is another."""
    name = paper.operators().get(operator, operator)
    return operator if name == operator else f"{operator} for {name}"


def check(paper, names):
    """That each of its matrices is one of the three kinds, and so in `names`, those of the runs, or not."""
    kinds = [*paper.itself, *paper.stand_ins, *paper.missing]
    twice = [name for name, times in Counter(kinds).items() if times > 1]
    absent = [f"{name} ({operator})" for operator, name in paper.operators().items() if operator not in names]
    found = [name for name in [*paper.stand_ins, *paper.missing] if name in names]
    for reason, wrong in (("listed twice", twice), ("not in the runs", absent), ("in the runs, but not listed as that", found)):
        if wrong:
            raise RecordError(f"own_matrices.py: of {paper.title} {reason}: {', '.join(wrong)}")
    if len(kinds) != paper.number:
        raise RecordError(f"own_matrices.py: of {paper.title} {len(kinds)} of {paper.number} matrices are listed")
