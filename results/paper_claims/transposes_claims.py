"""The claims of Steinberger, Derler, Zayer and Seidel 2016 (transposes.py has the figures)."""
from . import markdown, transposes
from .claim import Claim, claims_table
from .records import PRECISIONS, geometric_mean, median
from .transposes import LARGE, T_CUSPARSE, T_ONCE, T_OURS, TASKS, methods, only_ms, ratios, tasks, whole_ms, wins

TITLE = "Transposed products: Steinberger, Derler, Zayer and Seidel 2016"
SETTING = "GTX 980 Ti, 14 matrices"
CLAIMS = [
    Claim(
        paper="naive `A x` is the fastest on 5 of 14, beside cuSPARSE, CUSP and bhSparse (VI, Figure 3)",
        metric="one product and all that comes before it: our plan, cuSPARSE's analysis; beside ours and cuSPARSE's",
        source="transpose", selection="all", measure=transposes.naive_whole,
        show="on {wins} of {n}; beside our kernel with several threads a row, which needs no plan, on "
             "{with_lanes}; {speed:.2f} times cuSPARSE's speed (geometric mean)",
        holds=lambda f: f["wins"] / f["n"] >= 5 / 14,
        why="nothing comes before it; most of the matrices are small enough that a plan costs more than the product"),
    Claim(
        paper="on average, less regular matrices put it behind cuSPARSE (VI; in Figure 3 its multiplication takes "
              "1.4 times as long)",
        metric="multiplication only: mean of the milliseconds of naive `A x` over that of cuSPARSE",
        source="transpose", selection="all", measure=transposes.naive_average,
        show="{ratio:.1f} times; {without:.2f} without lp1 and the power-law matrix",
        holds=lambda f: f["ratio"] > 1,
        why="one thread has a long row to itself"),
    Claim(
        paper="it outperforms others on large matrices with rows alike, even without what comes before (VI)",
        metric="beside ours and cuSPARSE's; the claim: on at least one by the multiplication only",
        source="transpose", selection="1e5 entries or more, deviation of the row lengths below half their mean",
        measure=transposes.naive_on_regular,
        show="the fastest on {whole} of {n} by the whole operation, on {only} by the multiplication only",
        holds=lambda f: f["only"] > 0,
        why_not="the other kernels read a warp's entries side by side"),
    Claim(
        paper="threads of a warp that wait for each other cost up to 32 times, long rows more (IV-C)",
        metric="multiplication only, `A x`: time over the fastest method's",
        source="transpose", selection=", ".join(transposes.LONG_ROWS), measure=transposes.naive_on_long_rows("A x"),
        show="lp1 {lp1:.0f}, power-law {power_law:.0f} times",
        holds=lambda f: f["lp1"] > 32,
        why="one thread has the long row"),
    Claim(
        paper="the same for `A^T x` (V)",
        metric="multiplication only, `A^T x`: time over the fastest method's",
        source="transpose", selection=", ".join(transposes.LONG_ROWS), measure=transposes.naive_on_long_rows("A^T x"),
        show="lp1 {lp1:.0f}, power-law {power_law:.0f} times",
        holds=lambda f: f["lp1"] > 32,
        why="the same"),
    Claim(
        paper="`A^T x` with atomics is most often as fast as `A x` (VI)",
        metric="multiplication only, naive `A^T x` over naive `A x`, geometric mean; the claim: at most 1.5",
        source="transpose", selection="all", measure=transposes.scatter_beside_gather,
        show="{ratio:.2f}, at most {worst:.1f}",
        holds=lambda f: f["ratio"] <= 1.5,
        why="an addition in memory (RED) needs no answer"),
    Claim(
        paper="`A^T x`: naive is the fastest on 13 of 14 (VI, Figure 3)",
        metric="one product and all that comes before it, our plan included",
        source="transpose", selection="all", measure=transposes.transposed_whole,
        show="naive on {naive}, cuSPARSE on {cusparse}, ours with its plan on {ours}, conversion on {converted} of "
             "{n}; ours without a plan: {once}",
        holds=lambda f: f["naive"] / f["n"] >= 13 / 14,
        why_not="cuSPARSE no longer converts, it scatters as well"),
    Claim(
        paper="about 6 times faster than cuSPARSE there (VI)",
        metric="mean of the whole milliseconds of cuSPARSE over naive's",
        source="transpose", selection="all", measure=transposes.naive_over_cusparse,
        show="{ratio:.2f}; {without:.2f} without lp1 and the power-law matrix; geometric mean of the ratios "
             "{geometric:.2f}",
        holds=lambda f: f["ratio"] >= 6,
        why_not="cuSPARSE's transposed product needs only an analysis today"),
    Claim(
        paper="(our own kernel beside it)",
        metric="cuSPARSE's time of `A^T x` over ours, geometric mean",
        source="transpose", selection="all", measure=transposes.ours_over_cusparse,
        show="{whole:.2f} with the plan, {only:.2f} multiplication only; without a plan: {once:.2f}",
        holds=None,
        why="the plan is made on the host, from the row pointers copied there; it pays in products that are "
            "repeated"),
    Claim(
        paper="given the transposed matrix, the others are faster but on 3 of 14 (VI)",
        metric="multiplication only: conversion against the fastest of the others",
        source="transpose", selection="all", measure=transposes.converted,
        show="converted on {wins} of {n}, {ratio:.2f} of naive's time (geometric mean); the conversion pays after "
             "{pays:.0f} products (median)",
        holds=lambda f: f["wins"] / f["n"] >= 11 / 14,
        why="an addition in memory costs about two reads"),
    Claim(
        paper="double precision without atomics in hardware: more than 10 times slower than `A x`; later GPUs will "
              "have them (VI)",
        metric="naive `A^T x` in fp64 over fp32, geometric mean; and over `A x` in fp64; the claim: nowhere 10 "
               "times `A x` any more",
        source="transpose", selection="all", measure=transposes.double_atomics,
        show="{ratio:.2f} times the time of fp32, at most {worst:.2f}; at most {reduced:.2f} times `A x`",
        holds=lambda f: f["reduced"] < 10,
        why="native additions since Pascal, as the paper expected"),
]


def method_row(runs, storage, product, method):
    cells = {"whole": [], "only": [], "time": [], "time_only": []}
    key, base = (storage, product, method), (storage, product, "cusparse_" + storage)
    for precision in PRECISIONS:
        found = tasks(runs, precision)
        if not any(key in o for o in found.values()):
            return None
        cells["whole"].append(str(wins(found, storage, product, whole_ms)[method]))
        cells["only"].append(str(wins(found, storage, product, only_ms)[method]))
        cells["time"].append(f"{geometric_mean(ratios(found, key, base, whole_ms)):.2f}")
        cells["time_only"].append(f"{geometric_mean(ratios(found, key, base, only_ms)):.2f}")
    return (f"`{product}` from {storage.upper()}", f"`{method}`", *map(markdown.per_precision, cells.values()))


def methods_table(runs):
    """Figure 3 over the set."""
    rows = []
    for storage, product in TASKS:
        names = dict.fromkeys(k[2] for p in PRECISIONS for o in tasks(runs, p).values() for k in methods(o, storage, product))
        rows += [row for row in (method_row(runs, storage, product, name) for name in names) if row]
    return markdown.table(("product", "method", "fastest, whole", "fastest, only", "time over cuSPARSE's, whole", "only"), rows)


def large_text(runs):
    parts = []
    for precision in PRECISIONS:
        found = {m: o for m, o in tasks(runs, precision).items() if o[T_OURS]["nnz"] >= LARGE}
        value = geometric_mean(ratios(found, T_CUSPARSE, T_OURS, only_ms))
        parts.append(f"{value:.2f} ({precision}, {len(found)} operators)")
    return ("On operators with 1e5 entries or more, cuSPARSE's transposed product takes " + " and ".join(parts)
            + " of our time, multiplication only.")


def plan_text(runs):
    """What our plan costs and what it gains in `A^T x` from CSR."""
    parts = []
    for precision in PRECISIONS:
        found = tasks(runs, precision)
        large = {m: o for m, o in found.items() if o[T_OURS]["nnz"] >= LARGE}
        gain = {m: only_ms(o, T_ONCE) / only_ms(o, T_OURS) for m, o in large.items()}
        most = max(gain, key=gain.get)
        cost = [o[T_OURS]["before_ms"] / only_ms(o, T_OURS) for o in found.values()]
        parts.append(
            f"in {precision} the plan takes the time of {median(cost):.0f} products (median; {min(cost):.0f} to {max(cost):.0f}), and "
            f"a product without it {geometric_mean(ratios(found, T_ONCE, T_OURS, only_ms)):.2f} times the time of one with it, "
            f"{geometric_mean(gain.values()):.2f} times on the {len(gain)} operators with 1e5 entries or more, at most "
            f"{gain[most]:.2f} times ({most})")
    return "`A^T x` from CSR by our kernels: " + "; ".join(parts) + "."


def text(runs):
    return markdown.section(
        2, TITLE, f"The paper: {SETTING}. Both storages, both products. \"Whole\" begins with what is stored and ends with one "
        "product, for ours as for the others. `csr` and `csc` are ours, with a plan; `*_once` are ours without one; `*_naive` has a "
        "thread a row, and where it scatters an atomic addition an entry; `csr_lanes` several threads a row and no plan; "
        "`*_converted` transposes first.",
        claims_table(CLAIMS, runs),
        "Figure 3 over the set, fp32 / fp64; \"fastest\" counts operators, \"time\" is a geometric mean:", methods_table(runs),
        large_text(runs), plan_text(runs))
