"""Vazquez, Fernandez and Garzon 2011: the model that chooses T and the block size of ELLR-T."""
from . import markdown
from .claim import Claim, NOT_MEASURED, claims_table
from .records import PRECISIONS, geometric_mean, having, mean, ms, rank_correlation

TITLE = "ELLR-T: Vazquez, Fernandez and Garzon 2011"
PEERS = ("csr_scalar", "csr_vector", "ell", "hyb")  # the paper's CRS, CRS(vector), ELLPACK and HYB
MANY = 1_000_000  # entries
# Of Tables 1 and 3: (block, T) of the best and of the model, GB/s.
PAPERS_MATRICES = {"qh1484": ((64, 8), (128, 4), 6.5), "rbs480a": ((64, 16), (128, 8), 14.0),
                   "gemat12": ((256, 4), (128, 2), 19.9), "bcsstk24": ((128, 8), (128, 4), 69.9)}


def lines(runs, precision, format_name):
    """matrix -> its record; `ellr_t` is our kernel, `ellr_t_paper` the paper's plain one."""
    found = runs.operators("ellr_t", precision)
    return {m: o[format_name] for m, o in found.items() if format_name in o}


def headline(runs, precision):
    """The plain kernel with what the paper's model chooses, beside the paper's peers."""
    found = having(runs.operators("ellr_t", precision), "ellr_t_paper", *PEERS)
    if not found:
        return None
    wins = [m for m, o in found.items() if o["ellr_t_paper"]["model"]["ms"] < min(ms(o[p]) for p in PEERS)]
    return {"n": len(found), "wins": len(wins)}


def ours_in_the_set(runs, precision):
    found = having(runs.operators("matrices", precision), "ellr_t", "ell", "hyb", "cusparse_csr", "csr")
    peers = [min(ms(o[p]) for p in ("ell", "hyb", "cusparse_csr")) for o in found.values()]
    own = [ms(o["ellr_t"]) for o in found.values()]
    return {"n": len(found), "wins": sum(a < b for a, b in zip(own, peers)),
            "with_csr": sum(a < min(b, ms(o["csr"])) for a, b, o in zip(own, peers, found.values())),
            "speed": geometric_mean([b / a for a, b in zip(own, peers)])}


def matching(format_name, field):
    def measure(runs, precision):
        found = {m: r[field] for m, r in lines(runs, precision, format_name).items()}
        if not found:
            return None
        worst = min(found, key=found.get)
        return {"n": len(found), "mean": 100 * mean(found.values()), "worst": 100 * found[worst], "operator": worst,
                "classes": classes_text(found.values())}

    return measure


def classes_text(values):
    """Table 2: how many reach 95 %, 85 %, 75 %, 65 % or less of the best."""
    classes = [0] * 5
    for value in values:
        classes[min(4, max(0, round(10 * (1 - value))))] += 1
    return ", ".join(f"{100 - 10 * i} % {c}" for i, c in enumerate(classes))


def spread(format_name, least, most=float("inf")):
    """The slowest variant's time over the fastest's."""
    def measure(runs, precision):
        every = lines(runs, precision, format_name).values()
        found = [r["worst"]["ms"] / r["best"]["ms"] for r in every if least <= r["nnz"] < most]
        return {"n": len(found), "least": min(found), "most": max(found), "mean": geometric_mean(found)} if found else None

    return measure


def texture(runs, precision):
    every = [r["x_cache"] or {} for r in lines(runs, precision, "ellr_t_paper").values()]
    found = [x for x in every if all(x.get(path) for path in ("read_only", "l1", "l2"))]
    if not found:
        return None
    return {"n": len(found), **{p: geometric_mean([x[p] / x["read_only"] for x in found]) for p in ("l1", "l2")}}


def bandwidth(runs, precision):
    found = {m: r for m, r in lines(runs, precision, "ellr_t").items() if not r["in_cache"] and r["nnz"] >= MANY}
    every = lines(runs, precision, "ellr_t")
    if not found:
        return None
    best, least = (chosen(every, key=lambda m: every[m]["gbps"]) for chosen in (max, min))
    return {"n": len(found), "low": min(r["fraction_of_floor"] for r in found.values()), "least": every[least]["gbps"],
            "high": max(r["fraction_of_floor"] for r in found.values()), "gbps": every[best]["gbps"], "operator": best,
            "smallest": least}


def with_size(runs, precision):
    found = [r for r in lines(runs, precision, "ellr_t").values()]
    return {"n": len(found), "correlation": rank_correlation([r["nnz"] for r in found], [r["gflops"] for r in found])}


def poorest(runs, precision):
    found = having(runs.operators("ellr_t", precision), "ellr_t_paper", *PEERS)
    if not found:
        return None
    others = [max([o["ellr_t_paper"]["model"]["ms"]] + [ms(o[p]) for p in PEERS[1:]]) for o in found.values()]
    return {"n": len(found), "slowest": sum(ms(o["csr_scalar"]) > other for o, other in zip(found.values(), others))}


def ell_over_csr(runs, precision):
    found = having(runs.operators("ellr_t", precision), *PEERS)
    if not found:
        return None
    return {"n": len(found), "wins": sum(ms(o["ell"]) < min(ms(o["csr_scalar"]), ms(o["csr_vector"])) for o in found.values())}


def over_cpu(runs, precision):
    """PETSc's AIJ on one thread of the CPU, in the same run."""
    found = having(runs.operators("matrices", precision), "ellr_t", "petsc_aij")
    speed = {m: ms(o["petsc_aij"]) / ms(o["ellr_t"]) for m, o in found.items() if o["petsc_aij"]["space"] == "cpu"}
    large = [s for m, s in speed.items() if found[m]["ellr_t"]["nnz"] >= MANY]
    if not large:
        return None
    return {"n": len(speed), "large": len(large), "low": min(large), "high": max(large), "all": geometric_mean(speed.values())}


MATCHING = "{mean:.1f} % on average, worst {worst:.1f} % ({operator}); {classes}"
SPREAD = "{least:.1f} to {most:.1f} times, {mean:.1f} on average"
ON_OURS = "our kernel, which has loads ahead"
PLAIN = "the paper's plain kernel"
CLAIMS = [
    Claim(
        paper="with its model, the best on all but four of 21 matrices (4, Figure 5)",
        metric=f"{PLAIN} with what the paper's model chooses, beside CRS " "by a thread and by a warp a row, ELLPACK and HYB",
        source="ellr_t", selection="all it can hold", measure=headline,
        show="on {wins} of {n}",
        holds=lambda f: f["wins"] / f["n"] >= 17 / 21),
    Claim(
        paper="the same, by our kernel and our model",
        metric="beside ELLPACK, HYB and cuSPARSE's CSR",
        source="matrices", selection="all it can hold", measure=ours_in_the_set,
        show="on {wins} of {n}, {speed:.2f} times the best of them (geometric mean); beside our CSR too, on "
             "{with_csr}",
        holds=lambda f: f["wins"] / f["n"] >= 17 / 21,
        why_not="our CSR shares rows out by entries, which the paper's peers did not"),
    Claim(
        paper="its model's choice reaches 91.6 % of the best on average (4, Table 2: 100 % 12, 90 % 2, 80 % 3, 70 "
              "% 2, 60 % 2)",
        metric=f"the fastest variant's time over that of the model's choice, mean; {PLAIN}",
        source="ellr_t", selection="all it can hold", measure=matching("ellr_t_paper", "matching"),
        show=MATCHING,
        holds=lambda f: f["mean"] >= 91.6),
    Claim(
        paper="the same",
        metric=f"the same; {ON_OURS}",
        source="ellr_t", selection="all it can hold", measure=matching("ellr_t", "paper_matching"),
        show=MATCHING,
        holds=lambda f: f["mean"] >= 91.6,
        why="it counts accesses, whatever the kernel does with them; it takes few threads for long rows"),
    Claim(
        paper="(our model)",
        metric=f"the same; {ON_OURS}; asked are 97 % on average and 85 % at worst",
        source="ellr_t", selection="all it can hold", measure=matching("ellr_t", "matching"),
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
        source="ellr_t", selection="all it can hold", measure=texture,
        show="{l1:.3f}, past L1 {l2:.3f}",
        holds=lambda f: f["l1"] > 1 and f["l2"] > 1),
    Claim(
        paper="T and blocks matter: best and worst far apart (4, Figure 4)",
        metric=f"time of the slowest variant over the fastest's; {PLAIN}; the claim: " "twice somewhere",
        source="ellr_t", selection="all it can hold", measure=spread("ellr_t_paper", 0),
        show=SPREAD,
        holds=lambda f: f["most"] >= 2),
    Claim(
        paper="the same",
        metric=f"the same; {ON_OURS}",
        source="ellr_t", selection="below 1e5 entries", measure=spread("ellr_t", 0, 100_000),
        show=SPREAD,
        holds=lambda f: f["most"] >= 2),
    Claim(
        paper="the same",
        metric=f"the same; {ON_OURS}",
        source="ellr_t", selection="1e6 entries or more", measure=spread("ellr_t", MANY),
        show=SPREAD,
        holds=lambda f: f["most"] >= 2),
    Claim(
        paper="effective bandwidth of 6.5 to 128 GB/s, for large matrices 57 to 80 % of the peak (4, Table 3)",
        metric="bytes that must be moved over the time, and that over the stream of the same size; the claim: 0.57 "
               "or more for the large ones",
        source="ellr_t", selection="1e6 entries or more that do not fit the cache", measure=bandwidth,
        show="{low:.2f} to {high:.2f} of the stream; of all operators {least:.1f} ({smallest}) to {gbps:.0f} GB/s "
             "({operator})",
        holds=lambda f: f["low"] >= 0.57),
    Claim(
        paper="GFLOP/s grow with the number of entries (4)",
        metric="rank correlation (Spearman); the claim: above 0.5",
        source="ellr_t", selection="all it can hold", measure=with_size,
        show="{correlation:.2f}",
        holds=lambda f: f["correlation"] > 0.5,
        why="most of the matrices take the time of a launch, whatever they hold"),
    Claim(
        paper="CRS by a thread a row is the poorest in general (4, Figure 5)",
        metric="the slowest of ELLR-T and the peers; the claim: on more than half",
        source="ellr_t", selection="all", measure=poorest,
        show="on {slowest} of {n}",
        holds=lambda f: 2 * f["slowest"] > f["n"]),
    Claim(
        paper="ELLPACK outperforms the CRS kernels in general (4, Figure 5)",
        metric="faster than both; the claim: on more than half",
        source="ellr_t", selection="all", measure=ell_over_csr,
        show="on {wins} of {n}",
        holds=lambda f: 2 * f["wins"] > f["n"]),
    Claim(
        paper="up to 30 times one core of a CPU with MKL, more for large matrices (4, Figure 6)",
        metric="time of PETSc's AIJ on one thread over that of our kernel; the claim: above 30 somewhere with 1e6 "
               "entries",
        source="matrices", selection="all it can hold", measure=over_cpu,
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
