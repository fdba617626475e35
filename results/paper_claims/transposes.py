"""Steinberger, Derler, Zayer and Seidel 2016: "How naive is naive SpMV on the GPU?"."""
from collections import Counter

from . import markdown
from .claim import Claim, claims_table
from .records import PRECISIONS, geometric_mean, having, mean, median, ms

TITLE = "Transposed products: Steinberger, Derler, Zayer and Seidel 2016"
LONG_ROWS = ("lp1", "power_law:1000000")
LARGE = 100_000  # entries
TASKS = (("csr", "A x"), ("csr", "A^T x"), ("csc", "A x"), ("csc", "A^T x"))


def tasks(runs, precision):
    """matrix -> {(storage, product, method): record}, of what the naive kernels, ours and cuSPARSE could multiply."""
    found = runs.operators("transpose", precision, lambda r: (r["storage"], r["product"], r["format"]))
    return having(found, *((s, p, m) for s, p in TASKS for m in (s, s + "_naive", "cusparse_" + s)))


def whole_ms(operator, key):
    """One product with all that comes before it."""
    return operator[key]["whole_ms"]


def only_ms(operator, key):
    return ms(operator[key])


def methods(operator, storage, product, leave_out=()):
    return [k for k in operator if k[:2] == (storage, product) and k[2] not in leave_out]


def wins(operators, storage, product, time, leave_out=()):
    """method -> on how many operators it is the fastest."""
    fastest = Counter()
    for operator in operators.values():
        fastest[min(methods(operator, storage, product, leave_out), key=lambda k: time(operator, k))[2]] += 1
    return fastest


def ratios(operators, upper, lower, time, lower_time=None):
    return [time(o, upper) / (lower_time or time)(o, lower) for o in operators.values() if upper in o and lower in o]


A_NAIVE, A_CUSPARSE = ("csr", "A x", "csr_naive"), ("csr", "A x", "cusparse_csr")
T_NAIVE, T_OURS, T_CUSPARSE, T_CONVERTED, T_ONCE = (
    ("csr", "A^T x", method) for method in ("csr_naive", "csr", "cusparse_csr", "csr_converted", "csr_once"))
NO_LANES = ("csr_lanes",)


def naive_whole(runs, precision):
    found = tasks(runs, precision)
    return {"n": len(found), "wins": wins(found, "csr", "A x", whole_ms, NO_LANES)["csr_naive"],
            "with_lanes": wins(found, "csr", "A x", whole_ms)["csr_naive"],
            "speed": geometric_mean(ratios(found, A_CUSPARSE, A_NAIVE, whole_ms))}


def naive_average(runs, precision):
    found = tasks(runs, precision)
    averages = [mean([only_ms(o, k) for o in found.values()]) for k in (A_NAIVE, A_CUSPARSE)]
    without = [mean([only_ms(o, k) for m, o in found.items() if m not in LONG_ROWS]) for k in (A_NAIVE, A_CUSPARSE)]
    return {"n": len(found), "ratio": averages[0] / averages[1], "without": without[0] / without[1]}


def statistics_of_rows(runs, precision):
    """matrix -> a record of CMRS's experiment, which has mean, deviation and longest row."""
    found = runs.operators("cmrs", precision)
    return {matrix: operator["cmrs"] for matrix, operator in having(found, "cmrs").items()}


def naive_on_regular(runs, precision):
    rows = statistics_of_rows(runs, precision)
    found = {m: o for m, o in tasks(runs, precision).items()
             if m in rows and rows[m]["nnz"] >= LARGE and 2 * rows[m]["row_deviation"] < rows[m]["row_mean"]}
    return {"n": len(found), "whole": wins(found, "csr", "A x", whole_ms, NO_LANES)["csr_naive"],
            "only": wins(found, "csr", "A x", only_ms, NO_LANES)["csr_naive"]}


def naive_on_long_rows(product):
    def measure(runs, precision):
        found = tasks(runs, precision)
        slower = {}
        for matrix in LONG_ROWS:
            times = {k[2]: only_ms(found[matrix], k) for k in methods(found[matrix], "csr", product)}
            slower[matrix.split(":")[0]] = times["csr_naive"] / min(times.values())
        return {"n": len(slower), **slower}

    return measure


def scatter_beside_gather(runs, precision):
    found = ratios(tasks(runs, precision), T_NAIVE, A_NAIVE, only_ms)
    return {"n": len(found), "ratio": geometric_mean(found), "worst": max(found)}


def transposed_whole(runs, precision):
    found = tasks(runs, precision)
    fastest = wins(found, "csr", "A^T x", whole_ms)
    return {"n": len(found), "naive": fastest["csr_naive"], "cusparse": fastest["cusparse_csr"], "ours": fastest["csr"],
            "converted": fastest["csr_converted"], "once": fastest["csr_once"]}


def naive_over_cusparse(runs, precision):
    found = tasks(runs, precision)
    averages = [mean([whole_ms(o, k) for o in found.values()]) for k in (T_CUSPARSE, T_NAIVE)]
    without = [mean([whole_ms(o, k) for m, o in found.items() if m not in LONG_ROWS]) for k in (T_CUSPARSE, T_NAIVE)]
    return {"n": len(found), "ratio": averages[0] / averages[1], "without": without[0] / without[1],
            "geometric": geometric_mean(ratios(found, T_CUSPARSE, T_NAIVE, whole_ms))}


def ours_over_cusparse(runs, precision):
    found = tasks(runs, precision)
    return {"n": len(found), "whole": geometric_mean(ratios(found, T_CUSPARSE, T_OURS, whole_ms)),
            "only": geometric_mean(ratios(found, T_CUSPARSE, T_OURS, only_ms)),
            "once": geometric_mean(ratios(found, T_CUSPARSE, T_ONCE, whole_ms))}


def converted(runs, precision):
    found = tasks(runs, precision)
    others = [min(only_ms(o, k) for k in methods(o, "csr", "A^T x") if k != T_CONVERTED) for o in found.values()]
    own = [only_ms(o, T_CONVERTED) for o in found.values()]
    pays = [o[T_CONVERTED]["before_ms"] / gain if gain > 0 else float("inf")
            for o in found.values() for gain in [only_ms(o, T_NAIVE) - only_ms(o, T_CONVERTED)]]
    return {"n": len(found), "wins": sum(a < b for a, b in zip(own, others)), "pays": median(pays),
            "ratio": geometric_mean(ratios(found, T_CONVERTED, T_NAIVE, only_ms))}


def double_atomics(runs, precision):
    if precision == "fp32":
        return {}
    single, double = (tasks(runs, p) for p in PRECISIONS)
    times = [only_ms(double[m], T_NAIVE) / only_ms(single[m], T_NAIVE) for m in double if m in single]
    reduced = [only_ms(o, T_NAIVE) / only_ms(o, A_NAIVE) for o in double.values()]
    return {"n": len(times), "ratio": geometric_mean(times), "worst": max(times), "reduced": max(reduced)}


SETTING = "GTX 980 Ti, 14 matrices"
CLAIMS = [
    Claim(
        paper="naive `A x` is the fastest on 5 of 14, beside cuSPARSE, CUSP and bhSparse (VI, Figure 3)",
        metric="one product and all that comes before it: our plan, cuSPARSE's analysis; beside ours and cuSPARSE's",
        source="transpose", selection="all", measure=naive_whole,
        show="on {wins} of {n}; beside our kernel with several threads a row, which needs no plan, on "
             "{with_lanes}; {speed:.2f} times cuSPARSE's speed (geometric mean)",
        holds=lambda f: f["wins"] / f["n"] >= 5 / 14,
        why="nothing comes before it; most of the matrices are small enough that a plan costs more than the product"),
    Claim(
        paper="on average, less regular matrices put it behind cuSPARSE (VI; in Figure 3 its multiplication takes "
              "1.4 times as long)",
        metric="multiplication only: mean of the milliseconds of naive `A x` over that of cuSPARSE",
        source="transpose", selection="all", measure=naive_average,
        show="{ratio:.1f} times; {without:.2f} without lp1 and the power-law matrix",
        holds=lambda f: f["ratio"] > 1,
        why="one thread has a long row to itself"),
    Claim(
        paper="it outperforms others on large matrices with rows alike, even without what comes before (VI)",
        metric="beside ours and cuSPARSE's; the claim: on at least one by the multiplication only",
        source="transpose", selection="1e5 entries or more, deviation of the row lengths below half their mean",
        measure=naive_on_regular,
        show="the fastest on {whole} of {n} by the whole operation, on {only} by the multiplication only",
        holds=lambda f: f["only"] > 0,
        why_not="the other kernels read a warp's entries side by side"),
    Claim(
        paper="threads of a warp that wait for each other cost up to 32 times, long rows more (IV-C)",
        metric="multiplication only, `A x`: time over the fastest method's",
        source="transpose", selection=", ".join(LONG_ROWS), measure=naive_on_long_rows("A x"),
        show="lp1 {lp1:.0f}, power-law {power_law:.0f} times",
        holds=lambda f: f["lp1"] > 32,
        why="one thread has the long row"),
    Claim(
        paper="the same for `A^T x` (V)",
        metric="multiplication only, `A^T x`: time over the fastest method's",
        source="transpose", selection=", ".join(LONG_ROWS), measure=naive_on_long_rows("A^T x"),
        show="lp1 {lp1:.0f}, power-law {power_law:.0f} times",
        holds=lambda f: f["lp1"] > 32,
        why="the same"),
    Claim(
        paper="`A^T x` with atomics is most often as fast as `A x` (VI)",
        metric="multiplication only, naive `A^T x` over naive `A x`, geometric mean; the claim: at most 1.5",
        source="transpose", selection="all", measure=scatter_beside_gather,
        show="{ratio:.2f}, at most {worst:.1f}",
        holds=lambda f: f["ratio"] <= 1.5,
        why="an addition in memory (RED) needs no answer"),
    Claim(
        paper="`A^T x`: naive is the fastest on 13 of 14 (VI, Figure 3)",
        metric="one product and all that comes before it, our plan included",
        source="transpose", selection="all", measure=transposed_whole,
        show="naive on {naive}, cuSPARSE on {cusparse}, ours with its plan on {ours}, conversion on {converted} of "
             "{n}; ours without a plan: {once}",
        holds=lambda f: f["naive"] / f["n"] >= 13 / 14,
        why_not="cuSPARSE no longer converts, it scatters as well"),
    Claim(
        paper="about 6 times faster than cuSPARSE there (VI)",
        metric="mean of the whole milliseconds of cuSPARSE over naive's",
        source="transpose", selection="all", measure=naive_over_cusparse,
        show="{ratio:.2f}; {without:.2f} without lp1 and the power-law matrix; geometric mean of the ratios "
             "{geometric:.2f}",
        holds=lambda f: f["ratio"] >= 6,
        why_not="cuSPARSE's transposed product needs only an analysis today"),
    Claim(
        paper="(our own kernel beside it)",
        metric="cuSPARSE's time of `A^T x` over ours, geometric mean",
        source="transpose", selection="all", measure=ours_over_cusparse,
        show="{whole:.2f} with the plan, {only:.2f} multiplication only; without a plan: {once:.2f}",
        holds=None,
        why="the plan is made on the host, from the row pointers copied there; it pays in products that are "
            "repeated"),
    Claim(
        paper="given the transposed matrix, the others are faster but on 3 of 14 (VI)",
        metric="multiplication only: conversion against the fastest of the others",
        source="transpose", selection="all", measure=converted,
        show="converted on {wins} of {n}, {ratio:.2f} of naive's time (geometric mean); the conversion pays after "
             "{pays:.0f} products (median)",
        holds=lambda f: f["wins"] / f["n"] >= 11 / 14,
        why="an addition in memory costs about two reads"),
    Claim(
        paper="double precision without atomics in hardware: more than 10 times slower than `A x`; later GPUs will "
              "have them (VI)",
        metric="naive `A^T x` in fp64 over fp32, geometric mean; and over `A x` in fp64; the claim: nowhere 10 "
               "times `A x` any more",
        source="transpose", selection="all", measure=double_atomics,
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
