"""The claims of Vazquez, Fernandez and Garzon 2011 (ellr_t.py has the figures)."""
from . import ellr_t, markdown
from .claim import Claim, claims_table
from .own_matrices import VAZQUEZ, only
from .records import PRECISIONS

TITLE = "ELLR-T: Vazquez, Fernandez and Garzon 2011"
# Tables 1 and 3: entries a row, their deviation in per cent of it, (block, T) of the best and the model,
# GB/s.
TABLES = {
    "qh1484": (4.1, 38.9, (64, 8), (128, 4), 6.5), "dw2048": (4.9, 10.2, (64, 4), (128, 2), 10.8),
    "rbs480a": (35.6, 1.4, (64, 16), (128, 8), 14.0), "gemat12": (6.7, 44.8, (256, 4), (128, 2), 19.9),
    "dw8192": (5.1, 12.0, (64, 1), (128, 1), 34.6), "mhd3200a": (21.3, 27.4, (128, 8), (128, 8), 41.2),
    "e20r4000": (31.0, 49.6, (256, 4), (128, 8), 53.5), "bcsstk24": (45.0, 25.6, (128, 8), (128, 4), 69.9),
    "mac_econ_fwd500": (6.2, 71.9, (512, 4), (512, 2), 38.1), "qcd5_4": (39.0, 0.0, (128, 4), (128, 1), 120.2),
    "mc2depi": (4.0, 1.9, (128, 1), (128, 1), 118.0), "rma10": (50.7, 56.1, (128, 8), (128, 8), 99.5),
    "cop20k_A": (21.6, 63.7, (128, 4), (128, 1), 70.1), "wbp128": (240.1, 14.5, (128, 1), (128, 8), 110.5),
    "dense2": (2000.0, 0.0, (256, 8), (128, 32), 121.1), "cant": (64.2, 21.9, (512, 4), (128, 4), 121.4),
    "pdb1HYS": (119.3, 26.7, (128, 8), (256, 8), 119.5), "consph": (72.1, 26.4, (512, 2), (128, 1), 120.0),
    "shipsec1": (55.5, 20.0, (128, 4), (128, 2), 121.8), "pwtk": (53.4, 8.9, (512, 2), (128, 1), 128.3),
    "wbp256": (479.3, 14.7, (128, 2), (128, 8), 94.8)}

OWN, OF_OWN = only(VAZQUEZ), f"the paper's 21, {len(VAZQUEZ.stand_ins)} of them by stand-ins"
ALL = "all it can hold"
MATCHING = "{mean:.1f} % on average, worst {worst:.1f} % ({operator}); {classes}"
SPREAD = "{least:.1f} to {most:.1f} times, {mean:.1f} on average"
BANDWIDTH = ("{low:.2f} ({lowest}) to {high:.2f} of the stream; of all operators {least:.1f} ({smallest}) to {gbps:.0f} GB/s "
             "({operator})")
OVER_CPU = "{low:.0f} to {high:.0f} on the {large} with 1e6 entries or more; {all:.1f} on all (geometric mean)"
OURS = ("on {wins} of {n}, {speed:.2f} times the best of them (geometric mean); beside our CSR too, on {with_csr}")
ON_OURS = "our kernel, which has loads ahead"
PLAIN = "the paper's plain kernel"
LOADS_AHEAD = "of the peers' kernels all but CRS by a thread a row are ours, with several loads in flight; the plain one has one"
SAME_CACHE = "plain loads go through the same cache today; only passing it by costs"
FEW_THREADS = "it takes too few threads a row, most of all where rows are long or few"


def most_of_21(figures):
    return figures["wins"] / figures["n"] >= 17 / 21


def on_more_than_half(name):
    return lambda figures: 2 * figures[name] > figures["n"]


def model_claim(paper, metric, format_name, field, least, **reasons):
    """On all and on the paper's own."""
    return [Claim(paper=paper, metric=metric, source="ellr_t", selection=ALL,
                  measure=ellr_t.matching(format_name, field), show=MATCHING, holds=least, **reasons),
            Claim(paper="the same", metric="the same", source="ellr_t", selection=OF_OWN,
                  measure=ellr_t.matching(format_name, field, OWN), show=MATCHING, holds=least, **reasons)]


CLAIMS = [
    Claim(
        paper="with its model, the best on all but four of 21 matrices (4, Figure 5: cop20k_A, wbp128, pwtk, wbp256)",
        metric=f"{PLAIN} with what the paper's model chooses, beside CRS by a thread and by a warp a row, ELLPACK and HYB",
        source="ellr_t", selection=ALL, measure=ellr_t.headline(),
        show="on {wins} of {n}, {speed:.2f} times the best of them (geometric mean)",
        holds=most_of_21,
        why_not=LOADS_AHEAD),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.headline(OWN),
        show="on {wins} of {n} ({which}), {speed:.2f} times the best of them (geometric mean)",
        holds=most_of_21,
        why_not=LOADS_AHEAD),
    Claim(
        paper="the same, by our kernel and our model",
        metric="beside ELLPACK, HYB and cuSPARSE's CSR",
        source="matrices", selection=ALL, measure=ellr_t.ours_beside("matrices"),
        show=OURS,
        holds=most_of_21,
        why_not="our CSR shares rows out by entries, which the paper's peers did not"),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.ours_beside("ellr_t", OWN),
        show=OURS,
        holds=most_of_21),
    *model_claim(
        "its model's choice reaches 91.6 % of the best on average (4, Table 2: 100 % 12, 90 % 2, 80 % 3, 70 % 2, 60 % 2)",
        f"the fastest variant's time over that of the model's choice, mean; {PLAIN}", "ellr_t_paper", "matching",
        lambda f: f["mean"] >= 91.6,
        why_not=FEW_THREADS),
    *model_claim(
        "the same", f"the fastest variant's time over that of the model's choice, mean; {ON_OURS}", "ellr_t", "paper_matching",
        lambda f: f["mean"] >= 91.6,
        why="it counts accesses, whatever the kernel does with them; it takes few threads for long rows",
        why_not=FEW_THREADS),
    *model_claim(
        "(our model)", f"the same; {ON_OURS}; asked are 97 % on average and 85 % at worst", "ellr_t", "matching",
        lambda f: f["mean"] >= 97 and f["worst"] >= 85),
    Claim(
        paper="without the texture cache the model reaches nearly 99 % (4)",
        metric="the search past the cache (it is not repeated for each path of x)",
        source="ellr_t", selection="all", measure=lambda runs, precision: None,
        show="",
        holds=lambda f: False),
    Claim(
        paper="x in the texture cache is faster (2, 4)",
        metric=f"{PLAIN} at its best: plain loads and loads past L1 over the read-only path, geometric mean; the claim: "
               "both take 1 % longer",
        source="ellr_t", selection=ALL, measure=ellr_t.texture(),
        show="{l1:.3f}, past L1 {l2:.3f}",
        holds=lambda f: min(f["l1"], f["l2"]) >= 1.01,
        why_not=SAME_CACHE),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.texture(OWN),
        show="{l1:.3f}, past L1 {l2:.3f}",
        holds=lambda f: min(f["l1"], f["l2"]) >= 1.01,
        why_not=SAME_CACHE),
    Claim(
        paper="T and blocks matter: best and worst far apart (4, Figure 4)",
        metric=f"time of the slowest variant over the fastest's; {PLAIN}; the claim: twice somewhere",
        source="ellr_t", selection=ALL, measure=ellr_t.spread("ellr_t_paper", 0),
        show=SPREAD,
        holds=lambda f: f["most"] >= 2),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.spread("ellr_t_paper", 0, of=OWN),
        show=SPREAD,
        holds=lambda f: f["most"] >= 2),
    Claim(
        paper="the same",
        metric=f"the same; {ON_OURS}",
        source="ellr_t", selection="below 1e5 entries", measure=ellr_t.spread("ellr_t", 0, 100_000),
        show=SPREAD,
        holds=lambda f: f["most"] >= 2),
    Claim(
        paper="the same",
        metric=f"the same; {ON_OURS}",
        source="ellr_t", selection="1e6 entries or more", measure=ellr_t.spread("ellr_t", ellr_t.MANY),
        show=SPREAD,
        holds=lambda f: f["most"] >= 2),
    Claim(
        paper="effective bandwidth of 6.5 to 128 GB/s, for large matrices 57 to 80 % of the peak (4, Table 3)",
        metric="bytes that must be moved over the time, and that over the stream of the same size; our kernel and model; the "
               "claim: 0.57 or more for the large ones",
        source="ellr_t", selection="1e6 entries or more that do not fit the cache", measure=ellr_t.bandwidth(),
        show=BANDWIDTH,
        holds=lambda f: f["low"] >= 0.57),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=f"{OF_OWN}: 1e6 entries or more that do not fit the cache", measure=ellr_t.bandwidth(OWN),
        show=BANDWIDTH,
        holds=lambda f: f["low"] >= 0.57),
    Claim(
        paper="GFLOP/s grow with the number of entries (4)",
        metric="rank correlation (Spearman); the claim: above 0.5",
        source="ellr_t", selection=ALL, measure=ellr_t.with_size(),
        show="{correlation:.2f}",
        holds=lambda f: f["correlation"] > 0.5,
        why="most of the matrices take the time of a launch, whatever they hold"),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.with_size(OWN),
        show="{correlation:.2f}",
        holds=lambda f: f["correlation"] > 0.5),
    Claim(
        paper="CRS by a thread a row is the poorest in general (4, Figure 5)",
        metric="the slowest of ELLR-T and the peers; the claim: on more than half",
        source="ellr_t", selection=ALL, measure=ellr_t.poorest(),
        show="on {slowest} of {n}",
        holds=on_more_than_half("slowest")),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.poorest(OWN),
        show="on {slowest} of {n}",
        holds=on_more_than_half("slowest")),
    Claim(
        paper="ELLPACK outperforms the CRS kernels in general (4, Figure 5)",
        metric="faster than both; the claim: on more than half",
        source="ellr_t", selection=ALL, measure=ellr_t.ell_over_csr(),
        show="on {wins} of {n}",
        holds=on_more_than_half("wins")),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.ell_over_csr(OWN),
        show="on {wins} of {n}",
        holds=on_more_than_half("wins")),
    Claim(
        paper="up to 30 times one core of a CPU with MKL, more for large matrices (4, Figure 6)",
        metric="time of PETSc's AIJ on one thread over that of our kernel; the claim: above 30 somewhere with 1e6 entries",
        source="matrices", selection=ALL, measure=ellr_t.over_cpu("matrices"),
        show=OVER_CPU,
        holds=lambda f: f["high"] > 30,
        why="the peer is PETSc, not MKL"),
    Claim(
        paper="the same",
        metric="the same",
        source="ellr_t", selection=OF_OWN, measure=ellr_t.over_cpu("ellr_t", OWN),
        show=OVER_CPU,
        holds=lambda f: f["high"] > 30,
        why="the peer is PETSc, not MKL"),
]


def choice(variant):
    return f"{variant['block']}, {variant['t']}"


def tables_row(name, operator, found):
    mean, deviation, best, model, gbps = TABLES[name]
    record, plain = found["ellr_t"], found["ellr_t_paper"]
    return (name, "itself" if operator == name else f"`{operator}`", f"{mean}, {deviation}",
            f"{record['row_mean']:.1f}, {100 * record['row_deviation']:.1f}", f"{best[0]}, {best[1]}", f"{model[0]}, {model[1]}",
            choice(plain["best"]), choice(record["best"]), choice(record["paper_model"]), f"{100 * plain['matching']:.1f} %",
            f"{100 * record['paper_matching']:.1f} %", gbps, f"{record['gbps']:.1f}")


def papers_matrices(runs):
    """Tables 1 and 3 over the paper's own matrices and their stand-ins, fp32 as in the paper."""
    found = runs.operators("ellr_t", "fp32")
    names = {**VAZQUEZ.itself, **VAZQUEZ.stand_ins}
    rows = [tables_row(name, names[name], found[names[name]]) for name in TABLES]
    return markdown.table(
        ("matrix", "here", "paper: entries a row, deviation %", "here", "paper: best", "its model", "here: best, plain kernel",
         "best, our kernel", "the paper's model", "of the best, plain", "of the best, ours", "paper: GB/s", "here"), rows)


def text(runs):
    every = [[r for report in runs.reports("ellr_t", p) for r in report["records"]] for p in PRECISIONS]
    refused = [len({r["matrix"] for r in records if r["format"] == "ellr_t" and r["skipped"]}) for records in every]
    return markdown.section(
        2, TITLE, "The paper: GTX 285, single precision, 21 matrices. Every T (1 to 32) and block size (64 to 1024) of each "
        "operator; the best, the choices and the slowest were timed once more after the search. Operators that would be padded "
        "too much are refused: "
        + markdown.per_precision(map(str, dict.fromkeys(refused))) + ".",
        claims_table(CLAIMS, runs),
        "The paper's own matrices, by its Tables 1 and 3: blocks and T, fp32. The stand-ins have the published rows and, but for "
        "rounding, entries a row; their deviation is that of the kind, which is far larger than the original's for mc2depi, dw2048, "
        "dw8192, wbp128, wbp256 and pwtk, and smaller for mac_econ_fwd500, rma10, cop20k_A and e20r4000. GB/s by our kernel and model.",
        papers_matrices(runs),
        "![Performance profiles of ELLR-T's choices, fp64](h200_ellr_t.png)")
