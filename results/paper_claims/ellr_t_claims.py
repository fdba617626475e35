"""The claims of Vazquez, Fernandez and Garzon 2011 (ellr_t.py has the figures)."""
from . import ellr_t, markdown
from .claim import Claim, NOT_MEASURED, claims_table
from .records import PRECISIONS

TITLE = "ELLR-T: Vazquez, Fernandez and Garzon 2011"
# Of Tables 1 and 3: (block, T) of the best and of the model, GB/s.
PAPERS_MATRICES = {"qh1484": ((64, 8), (128, 4), 6.5), "rbs480a": ((64, 16), (128, 8), 14.0),
                   "gemat12": ((256, 4), (128, 2), 19.9), "bcsstk24": ((128, 8), (128, 4), 69.9)}
MATCHING = "{mean:.1f} % on average, worst {worst:.1f} % ({operator}); {classes}"
SPREAD = "{least:.1f} to {most:.1f} times, {mean:.1f} on average"
ON_OURS = "our kernel, which has loads ahead"
PLAIN = "the paper's plain kernel"
CLAIMS = [
    Claim(
        paper="with its model, the best on all but four of 21 matrices (4, Figure 5)",
        metric=f"{PLAIN} with what the paper's model chooses, beside CRS " "by a thread and by a warp a row, ELLPACK and HYB",
        source="ellr_t", selection="all it can hold", measure=ellr_t.headline,
        show="on {wins} of {n}",
        holds=lambda f: f["wins"] / f["n"] >= 17 / 21),
    Claim(
        paper="the same, by our kernel and our model",
        metric="beside ELLPACK, HYB and cuSPARSE's CSR",
        source="matrices", selection="all it can hold", measure=ellr_t.ours_in_the_set,
        show="on {wins} of {n}, {speed:.2f} times the best of them (geometric mean); beside our CSR too, on "
             "{with_csr}",
        holds=lambda f: f["wins"] / f["n"] >= 17 / 21,
        why_not="our CSR shares rows out by entries, which the paper's peers did not"),
    Claim(
        paper="its model's choice reaches 91.6 % of the best on average (4, Table 2: 100 % 12, 90 % 2, 80 % 3, 70 "
              "% 2, 60 % 2)",
        metric=f"the fastest variant's time over that of the model's choice, mean; {PLAIN}",
        source="ellr_t", selection="all it can hold", measure=ellr_t.matching("ellr_t_paper", "matching"),
        show=MATCHING,
        holds=lambda f: f["mean"] >= 91.6),
    Claim(
        paper="the same",
        metric=f"the same; {ON_OURS}",
        source="ellr_t", selection="all it can hold", measure=ellr_t.matching("ellr_t", "paper_matching"),
        show=MATCHING,
        holds=lambda f: f["mean"] >= 91.6,
        why="it counts accesses, whatever the kernel does with them; it takes few threads for long rows"),
    Claim(
        paper="(our model)",
        metric=f"the same; {ON_OURS}; asked are 97 % on average and 85 % at worst",
        source="ellr_t", selection="all it can hold", measure=ellr_t.matching("ellr_t", "matching"),
        show=MATCHING,
        holds=lambda f: f["mean"] >= 97 and f["worst"] >= 85),
    Claim(
        paper="without the texture cache the model reaches nearly 99 % (4)",
        metric="the search past the cache (it is not repeated for each path of x)",
        source="ellr_t", selection="all", measure=lambda runs, precision: None,
        show="",
        holds=lambda f: False),
    Claim(
        paper="x in the texture cache is faster (2, 4)",
        metric=f"{PLAIN} at its best: plain loads and loads past L1 over the read-only path, geometric mean; the claim: "
               "both take longer",
        source="ellr_t", selection="all it can hold", measure=ellr_t.texture,
        show="{l1:.3f}, past L1 {l2:.3f}",
        holds=lambda f: f["l1"] > 1 and f["l2"] > 1),
    Claim(
        paper="T and blocks matter: best and worst far apart (4, Figure 4)",
        metric=f"time of the slowest variant over the fastest's; {PLAIN}; the claim: " "twice somewhere",
        source="ellr_t", selection="all it can hold", measure=ellr_t.spread("ellr_t_paper", 0),
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
        metric="bytes that must be moved over the time, and that over the stream of the same size; the claim: 0.57 "
               "or more for the large ones",
        source="ellr_t", selection="1e6 entries or more that do not fit the cache", measure=ellr_t.bandwidth,
        show="{low:.2f} to {high:.2f} of the stream; of all operators {least:.1f} ({smallest}) to {gbps:.0f} GB/s "
             "({operator})",
        holds=lambda f: f["low"] >= 0.57),
    Claim(
        paper="GFLOP/s grow with the number of entries (4)",
        metric="rank correlation (Spearman); the claim: above 0.5",
        source="ellr_t", selection="all it can hold", measure=ellr_t.with_size,
        show="{correlation:.2f}",
        holds=lambda f: f["correlation"] > 0.5,
        why="most of the matrices take the time of a launch, whatever they hold"),
    Claim(
        paper="CRS by a thread a row is the poorest in general (4, Figure 5)",
        metric="the slowest of ELLR-T and the peers; the claim: on more than half",
        source="ellr_t", selection="all", measure=ellr_t.poorest,
        show="on {slowest} of {n}",
        holds=lambda f: 2 * f["slowest"] > f["n"]),
    Claim(
        paper="ELLPACK outperforms the CRS kernels in general (4, Figure 5)",
        metric="faster than both; the claim: on more than half",
        source="ellr_t", selection="all", measure=ellr_t.ell_over_csr,
        show="on {wins} of {n}",
        holds=lambda f: 2 * f["wins"] > f["n"]),
    Claim(
        paper="up to 30 times one core of a CPU with MKL, more for large matrices (4, Figure 6)",
        metric="time of PETSc's AIJ on one thread over that of our kernel; the claim: above 30 somewhere with 1e6 "
               "entries",
        source="matrices", selection="all it can hold", measure=ellr_t.over_cpu,
        show="{low:.0f} to {high:.0f} on the {large} with 1e6 entries or more; {all:.1f} on all (geometric mean)",
        holds=lambda f: f["high"] > 30,
        why="the peer is PETSc, not MKL"),
]


def choice(variant):
    return f"{variant['block']}, {variant['t']}"


def papers_matrices(runs):
    """Its own matrices that are in the set, fp32 as in the paper."""
    rows = []
    for matrix, (best, model, gbps) in PAPERS_MATRICES.items():
        found = runs.operators("ellr_t", "fp32").get(matrix, {})
        if "ellr_t" in found:
            r = found["ellr_t"]
            plain = found.get("ellr_t_paper")
            rows.append((matrix, f"{best[0]}, {best[1]}", f"{model[0]}, {model[1]}",
                         choice(plain["best"]) if plain else NOT_MEASURED, choice(r["best"]), choice(r["paper_model"]),
                         f"{100 * r['paper_matching']:.1f} %", gbps, f"{r['gbps']:.1f}"))
    return markdown.table(("matrix", "paper: best", "model", "here: best, plain kernel", "best, our kernel",
                           "the paper's model", "of the best", "paper: GB/s", "here"), rows)


def text(runs):
    every = [[r for report in runs.reports("ellr_t", p) for r in report["records"]] for p in PRECISIONS]
    refused = [len({r["matrix"] for r in records if r["format"] == "ellr_t" and r["skipped"]}) for records in every]
    return markdown.section(
        2, TITLE, "The paper: GTX 285, single precision, 21 matrices. Every T (1 to 32) and block size (64 to 1024) of each "
        "operator; the best, the choices and the slowest were timed once more after the search. Operators that would be padded "
        "too much are refused: "
        + markdown.per_precision(map(str, dict.fromkeys(refused))) + ".",
        claims_table(CLAIMS, runs), "The paper's own matrices that are in the set, blocks and T, fp32:", papers_matrices(runs),
        "![Performance profiles of ELLR-T's choices, fp64](h200_ellr_t.png)")
