"""The figures of Steinberger, Derler, Zayer and Seidel 2016, "How naive is naive SpMV on the GPU?";
transposes_claims.py has the claims."""
from collections import Counter

from .own_matrices import STEINBERGER, every, label
from .records import PRECISIONS, geometric_mean, having, mean, median, ms

LONG_ROWS = ("lp1", "power_law:1000000")
LONG_ROWED = ("lp1", "long_row", "power_law")  # and generated ones of these kinds
COLLIDING = ("ASIC_320k", "webbase-1M")  # for which the paper's emulated additions were the slowest
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


# Of the measures `of` takes what is meant of all operators: every() or the paper's own.


def naive_whole(of=every):
    def measure(runs, precision):
        found = of(tasks(runs, precision))
        return {"n": len(found), "wins": wins(found, "csr", "A x", whole_ms, NO_LANES)["csr_naive"],
                "with_lanes": wins(found, "csr", "A x", whole_ms)["csr_naive"],
                "speed": geometric_mean(ratios(found, A_CUSPARSE, A_NAIVE, whole_ms))}

    return measure


def mean_times(found, upper, lower, time):
    """Mean of the one's milliseconds over the mean of the other's."""
    return mean([time(o, upper) for o in found.values()]) / mean([time(o, lower) for o in found.values()])


def without_long_rows(found):
    return {m: o for m, o in found.items() if m.split(":")[0] not in LONG_ROWED}


def naive_average(of=every):
    def measure(runs, precision):
        found = of(tasks(runs, precision))
        return {"n": len(found), "ratio": mean_times(found, A_NAIVE, A_CUSPARSE, only_ms),
                "without": mean_times(without_long_rows(found), A_NAIVE, A_CUSPARSE, only_ms)}

    return measure


def rows_alike(runs, precision):
    """Whether the deviation of an operator's row lengths is below half their mean: by the records of CMRS's
    experiment, which has both, or because it was generated so."""
    measured = {m: o["cmrs"] for m, o in having(runs.operators("cmrs", precision), "cmrs").items()}

    def alike(matrix):
        if matrix in measured:
            return 2 * measured[matrix]["row_deviation"] < measured[matrix]["row_mean"]
        return matrix.split(":")[0] in ("mesh", "permutation")

    return alike


def naive_on_regular(of=every):
    def measure(runs, precision):
        alike = rows_alike(runs, precision)
        found = {m: o for m, o in of(tasks(runs, precision)).items() if o[A_NAIVE]["nnz"] >= LARGE and alike(m)}
        fastest = [m for m, o in found.items() if wins({m: o}, "csr", "A x", only_ms, NO_LANES)["csr_naive"]]
        return {"n": len(found), "whole": wins(found, "csr", "A x", whole_ms, NO_LANES)["csr_naive"], "only": len(fastest),
                "which": ", ".join(label(STEINBERGER, m) for m in fastest) or "none"}

    return measure


def over_fastest(operator, product, of_methods=None):
    """The naive kernel's time over that of the fastest, or of one method; multiplication only."""
    times = {k[2]: only_ms(operator, k) for k in methods(operator, "csr", product)}
    return times["csr_naive"] / (times[of_methods] if of_methods else min(times.values()))


def naive_on_long_rows(product):
    def measure(runs, precision):
        found = tasks(runs, precision)
        own = {matrix.split(":")[0]: over_fastest(found[matrix], product) for matrix in LONG_ROWS}
        stand_ins = {name: over_fastest(found[STEINBERGER.stand_ins[name]], product) for name in COLLIDING}
        return {"n": len(own) + len(stand_ins), **own, **{name.split("-")[0]: ratio for name, ratio in stand_ins.items()}}

    return measure


def beside_cusparse(name):
    """One of the paper's own: naive `A x` over cuSPARSE's, multiplication only; GFLOP/s of it and of the fastest."""
    def measure(runs, precision):
        operator = tasks(runs, precision)[STEINBERGER.stand_ins[name]]
        fastest = min(methods(operator, "csr", "A x"), key=lambda k: only_ms(operator, k))
        return {"n": 1, "ratio": over_fastest(operator, "A x", "cusparse_csr"), "naive": operator[A_NAIVE]["gflops"],
                "best": operator[fastest]["gflops"], "method": fastest[2]}

    return measure


def scatter_beside_gather(of=every):
    def measure(runs, precision):
        found = ratios(of(tasks(runs, precision)), T_NAIVE, A_NAIVE, only_ms)
        return {"n": len(found), "ratio": geometric_mean(found), "worst": max(found)}

    return measure


def transposed_whole(of=every):
    def measure(runs, precision):
        found = of(tasks(runs, precision))
        fastest = wins(found, "csr", "A^T x", whole_ms)
        others = wins(found, "csr", "A^T x", whole_ms, ("csr", "csr_once"))
        return {"n": len(found), "naive": fastest["csr_naive"], "cusparse": fastest["cusparse_csr"], "ours": fastest["csr"],
                "converted": fastest["csr_converted"], "once": fastest["csr_once"], "without_ours": others["csr_naive"]}

    return measure


def naive_over_cusparse(of=every):
    def measure(runs, precision):
        found = of(tasks(runs, precision))
        return {"n": len(found), "ratio": mean_times(found, T_CUSPARSE, T_NAIVE, whole_ms),
                "without": mean_times(without_long_rows(found), T_CUSPARSE, T_NAIVE, whole_ms),
                "geometric": geometric_mean(ratios(found, T_CUSPARSE, T_NAIVE, whole_ms))}

    return measure


def ours_over_cusparse(of=every):
    def measure(runs, precision):
        found = of(tasks(runs, precision))
        return {"n": len(found), "whole": geometric_mean(ratios(found, T_CUSPARSE, T_OURS, whole_ms)),
                "only": geometric_mean(ratios(found, T_CUSPARSE, T_OURS, only_ms)),
                "once": geometric_mean(ratios(found, T_CUSPARSE, T_ONCE, whole_ms))}

    return measure


def converted(of=every):
    def measure(runs, precision):
        found = of(tasks(runs, precision))
        others = [min(only_ms(o, k) for k in methods(o, "csr", "A^T x") if k != T_CONVERTED) for o in found.values()]
        own = [only_ms(o, T_CONVERTED) for o in found.values()]
        pays = [o[T_CONVERTED]["before_ms"] / gain if gain > 0 else float("inf")
                for o in found.values() for gain in [only_ms(o, T_NAIVE) - only_ms(o, T_CONVERTED)]]
        return {"n": len(found), "wins": sum(a < b for a, b in zip(own, others)), "pays": median(pays),
                "ratio": geometric_mean(ratios(found, T_CONVERTED, T_NAIVE, only_ms))}

    return measure


def double_atomics(runs, precision):
    if precision == "fp32":
        return {}
    single, double = (tasks(runs, p) for p in PRECISIONS)
    times = [only_ms(double[m], T_NAIVE) / only_ms(single[m], T_NAIVE) for m in double if m in single]
    reduced = [only_ms(o, T_NAIVE) / only_ms(o, A_NAIVE) for o in double.values()]
    return {"n": len(times), "ratio": geometric_mean(times), "worst": max(times), "reduced": max(reduced)}


def colliding(runs, precision):
    """The two that the paper names for it, by their stand-ins."""
    if precision == "fp32":
        return {}
    found = [tasks(runs, precision)[STEINBERGER.stand_ins[name]] for name in COLLIDING]
    asic, webbase = (only_ms(o, T_NAIVE) / only_ms(o, A_NAIVE) for o in found)
    return {"n": 2, "asic": asic, "webbase": webbase}
