"""The figures of Steinberger, Derler, Zayer and Seidel 2016, "How naive is naive SpMV on the GPU?"; transposes_claims.py has the
claims."""
from collections import Counter

from .records import PRECISIONS, geometric_mean, having, mean, median, ms

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
