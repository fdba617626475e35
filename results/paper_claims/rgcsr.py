"""Oberhuber, Suzuki and Vacata 2010: "New Row-grouped CSR format". The figures; rgcsr_claims.py has the claims."""
from .own_matrices import OBERHUBER
from .records import RecordError, geometric_mean, having, mean, median, ms, percent

GROUPS = (32, 64, 128, 256)
PAPERS = 128  # the group that Table 5 fixes
BIG = 10_000  # rows, from which a matrix is "large" (4.1)
OURS, PAPER = "ours", "paper"  # kernels with one thread a row: ours with eight loads in flight, and the paper's
PEERS = ("csr", "hyb", "cusparse_csr")
BEYOND = "mesh:400000:21"  # made not to fit the cache


def operators(runs, precision):
    """All that were tried. What the default group would pad too much is refused, but its search is there."""
    found = runs.operators("rgcsr", precision, refused=lambda r: r["format"] == "rg_csr" and r.get("search"))
    return having(found, "rg_csr", *PEERS)


def is_large(operator):
    return operator["rg_csr"]["rows"] >= BIG


def kernel_of(variant):
    return variant.get("kernel", OURS) if variant.get("kernel") == PAPER else OURS


def variant(operator, group, kernel=OURS, ordering="none", threads=1):
    """The fastest with these; None where the group was refused or the kernel not tried."""
    if "variants" not in operator:  # remembered, for it is asked for again and again
        found = operator["variants"] = {}
        for v in operator["rg_csr"]["search"]:
            key = (v["group"], kernel_of(v), v["ordering"], v["threads"])
            if key not in found or v["ms"] < found[key]["ms"]:
                found[key] = v
    return operator["variants"].get((group, kernel, ordering, threads))


def having_variant(found, *arguments, **keywords):
    """[(operator, variant)] of those that have it."""
    pairs = [(o, variant(o, *arguments, **keywords)) for o in found.values()]
    return [(o, v) for o, v in pairs if v]


def measured(runs, precision, kernel):
    """Whether the kernel was timed."""
    return any(having_variant(operators(runs, precision), PAPERS, kernel))


def zeros(runs, precision):
    """Of all operators, those too that a group would pad too much to be stored: the tables in the JSON have them."""
    means = [table_mean(runs, precision, "Table 4", f"{g}, T 1", "zeros mean %") for g in GROUPS]
    most = [table_end(runs, precision, "Table 4", f"{g}, T 1", "zeros max %", max) for g in GROUPS]
    counts = [len(having_variant(operators(runs, precision), g)) for g in GROUPS]
    return {"n": len(operators(runs, precision)), "least": means[0], "most": means[-1], "worst": max(most),
            "counts": ", ".join(map(str, counts))}


def best_group(kernel):
    """Arithmetic mean and maximum of GFLOP/s by group, on what all groups can hold."""
    def measure(runs, precision):
        if not measured(runs, precision, kernel):
            return None
        found = {m: o for m, o in operators(runs, precision).items() if all(variant(o, g, kernel) for g in GROUPS)}
        speeds = {g: [v["gflops"] for _, v in having_variant(found, g, kernel)] for g in GROUPS}
        means, peaks = ({g: f(v) for g, v in speeds.items()} for f in (mean, max))
        every = {g: max(v["gflops"] for _, v in having_variant(operators(runs, precision), g, kernel)) for g in GROUPS}
        return {"n": len(found), "mean_group": max(means, key=means.get), "peak_group": max(every, key=every.get),
                "peak": max(every.values()), "means": ", ".join(f"{g}: {v:.1f}" for g, v in means.items()),
                "peaks": ", ".join(f"{g}: {v:.0f}" for g, v in peaks.items())}

    return measure


def of_the_peak(runs, precision):
    """Table 1: 2 operations for a value and an index, at the speed of the stream of the same run."""
    name = f"h200_formats:dof1_{precision}"
    record = next((r for r in runs.lines(name) if r["format"] == "rg_csr"), None)
    if record is None:
        raise RecordError(f"{name} has no line of rg_csr")
    word = 8 if precision == "fp64" else 4
    peaks = [2 * record["ceiling_gbps"] / b for b in (word + 4, 2 * word + 4)]
    return {
        "n": 1, "with_cache": peaks[0], "without": peaks[1], "share": 100 * record["gflops"] / peaks[0],
        "gflops": record["gflops"], "floor": record["fraction_of_floor"], "claimed": {"fp32": 93, "fp64": 80}[precision]
    }


def table_1(runs, precision, cache):
    """The program's line, of the file with what does not fit the cache."""
    for line, matrices in table_lines(runs, precision, "Table 1", cache):
        if BEYOND in matrices:
            return line
    raise RecordError(f"the records of rgcsr have no Table 1 with {BEYOND}")


def beyond_the_cache(runs, precision):
    shares = [table_1(runs, precision, cache)[f"{precision} of the estimate %"] for cache in ("with", "without")]
    return {"n": 1, "share": shares[0], "past": shares[1], "claimed": {"fp32": 93, "fp64": 80}[precision]}


def faster_than(peer, kernel, chosen=lambda o: True, claimed=None):
    def measure(runs, precision):
        if not measured(runs, precision, kernel):
            return None
        found = having_variant({m: o for m, o in operators(runs, precision).items() if chosen(o)}, PAPERS, kernel)
        ratios = [ms(o[peer]) / v["ms"] for o, v in found]
        return {"n": len(found), "share": percent(sum(r > 1 for r in ratios), len(found)), "mean": mean(ratios),
                "geometric": geometric_mean(ratios), "claimed": claimed[precision] if claimed else 0}

    return measure


def best_faster_than(peer, chosen=lambda o: True, claimed=None):
    def measure(runs, precision):
        found = [o for o in operators(runs, precision).values() if chosen(o)]
        ratios = [ms(o[peer]) / o["rg_csr"]["best"]["ms"] for o in found]
        return {"n": len(found), "share": percent(sum(r > 1 for r in ratios), len(found)), "mean": mean(ratios),
                "geometric": geometric_mean(ratios), "claimed": claimed[precision] if claimed else 0}

    return measure


def over_cpu(format_name, claimed):
    """Beside PETSc's AIJ on one thread of the CPU, in the run of all formats."""
    def measure(runs, precision):
        found = [o for o in having(runs.operators("matrices", precision), format_name, "petsc_aij").values()
                 if o["petsc_aij"]["space"] == "cpu"]
        if not found:
            return None
        ratios = [ms(o["petsc_aij"]) / ms(o[format_name]) for o in found]
        large = [r for o, r in zip(found, ratios) if o[format_name]["rows"] >= BIG]
        return {"n": len(found), "share": percent(sum(r > 1 for r in ratios), len(ratios)), "mean": mean(ratios),
                "large_n": len(large), "large": percent(sum(r > 1 for r in large), len(large)), "claimed": claimed[precision]}

    return measure


def widest(operator, kernel, order="none"):
    """(group, its variant) for the paper's group, or the widest below that can be held."""
    held = ((g, variant(operator, g, kernel, order)) for g in (PAPERS, 64, 32))
    return next((g, v) for g, v in held if v)


def stand_ins(runs, precision, names):
    """The paper's own by their stand-ins: [(name, operator, the paper's kernel)]."""
    found = operators(runs, precision)
    own = [(name, found[OBERHUBER.stand_ins[name]]) for name in names]
    return [(name, operator, widest(operator, PAPER)[1]) for name, operator in own]


def beside_hyb(*names):
    def measure(runs, precision):
        return {"n": len(names), **{name: ms(o["hyb"]) / v["ms"] for name, o, v in stand_ins(runs, precision, names)}}

    return measure


def long_rows(*names):
    def measure(runs, precision):
        figures = {"n": len(names)}
        for name, operator, v in stand_ins(runs, precision, names):
            figures[name], figures[name + "_gflops"] = v["ms"] / ms(operator["hyb"]), v["gflops"]
            figures[name + "_best"] = operator["rg_csr"]["best"]["ms"] / ms(operator["hyb"])
        return figures

    return measure


def on_lp1(runs, precision):
    """The fastest of one thread a row, and of the search, on the matrix with one row of 249 643 entries."""
    operator = operators(runs, precision).get("lp1")
    if operator is None:
        return None
    one = min(v["ms"] for v in operator["rg_csr"]["search"] if v["threads"] == 1 and v["ordering"] == "none")
    best = operator["rg_csr"]["best"]["ms"]
    nnz = operator["rg_csr"]["nnz"]
    return {"n": 1, "one": one / ms(operator["hyb"]), "best": best / ms(operator["hyb"]), "csr": best / ms(operator["csr"]),
            "gflops": 2 * nnz / one / 1e6, "rule": 1000 * ms(operator["rg_csr"])}


def ordering(name):
    """Zeros of all operators (from the tables in the JSON), and the speed beside that without an ordering, groups of 128,
    where both can be held; by the paper's kernel where it was tried, else by ours with T = 1."""
    def measure(runs, precision):
        kernel = PAPER if measured(runs, precision, PAPER) else OURS
        pairs = []
        for operator in operators(runs, precision).values():
            plain, ordered = (variant(operator, PAPERS, kernel, order) for order in ("none", name))
            if plain and ordered:
                pairs.append((plain["ms"], ordered["ms"], operator["rg_csr"]["order_ms"][name]))
        if not pairs:
            return None
        before, after = (table_mean(runs, precision, "Table 7", order, "zeros mean %") for order in ("none", name))
        return {"n": len(pairs), "before": before, "after": after, "removed": percent(before - after, before),
                "faster": percent(sum(b < a for a, b, _ in pairs), len(pairs)),
                "speed": geometric_mean([a / b for a, b, _ in pairs]),
                "products": median([order_ms / b for _, b, order_ms in pairs]),
                "kernel": "the paper's kernel" if kernel == PAPER else "T = 1"}

    return measure


def amd(runs, precision):
    """Zeros with AMD beside those with the descending order."""
    figures, other = (ordering(name)(runs, precision) for name in ("amd", "descending"))
    return figures and {**figures, "descending": other["after"]}


def x_cache(runs, precision):
    """The paper's kernel, groups of 128: highest and mean GFLOP/s with x by the read-only path over those past L1."""
    speeds = []
    for operator in operators(runs, precision).values():
        times = operator["rg_csr"].get("x_cache") or {}
        if times.get("read_only") and times.get("l2"):
            speeds.append([2 * operator["rg_csr"]["nnz"] / times[path] / 1e6 for path in ("read_only", "l2")])
    if not speeds:
        return None
    through, past = zip(*speeds)
    return {"n": len(speeds), "peak": max(through) / max(past), "mean": percent(mean(through) - mean(past), mean(past)),
            "claimed": {"fp32": 1.81, "fp64": 1.3}[precision]}


def over_cpu_in_turn(runs, precision):
    """Table 5 by the paper's kernel beside PETSc's AIJ on one thread, where the run has both."""
    found = {m: o for m, o in operators(runs, precision).items() if "petsc_aij" in o}
    ratios = [ms(o["petsc_aij"]) / v["ms"] for o, v in having_variant(found, PAPERS, PAPER)]
    if not ratios:
        return None
    return {"n": len(ratios), "share": percent(sum(r > 1 for r in ratios), len(ratios)), "mean": mean(ratios),
            "geometric": geometric_mean(ratios), "claimed": {"fp32": 56.68, "fp64": 55.79}[precision]}


def table_lines(runs, precision, start, row):
    """[(line, matrices of its file)] of the tables that the program printed, which know the T of its rule."""
    found = []
    for report in runs.reports("rgcsr", precision):
        lines = [line for table in report["tables"] if table["title"].startswith(start) for line in table["lines"]
                 if row in line.values()]
        if not lines:
            raise RecordError(f"the records of rgcsr have no table '{start}' with a line '{row}'")
        found.append((lines[0], {r["matrix"] for r in report["records"]}))
    return found


def table_mean(runs, precision, start, row, column, group=None):
    """Over the operators of all files; where the table has only those that can hold a group, over these."""
    every = operators(runs, precision)
    total = count = 0
    for line, matrices in table_lines(runs, precision, start, row):
        own = {m: o for m, o in every.items() if m in matrices}
        number = len(own) if group is None else len(having_variant(own, group))
        total, count = total + line[column] * number, count + number
    return total / count


def table_end(runs, precision, start, row, column, end):
    """The least or the most (`end`) of all files."""
    return end(line[column] for line, _ in table_lines(runs, precision, start, row))


def rule(runs, precision):
    choices = {"ruled": "32, none, T by rule", "one": "32, none, T 1"}
    means = {name: table_mean(runs, precision, "Each choice", row, "of the best, mean %") for name, row in choices.items()}
    worst = {name + "_worst": table_end(runs, precision, "Each choice", row, "worst %", min) for name, row in choices.items()}
    return {"n": len(operators(runs, precision)), **means, **worst}


def by_rule(runs, precision):
    """Table 5 with several threads a row."""
    return {"n": len(having_variant(operators(runs, precision), PAPERS)), **{
        name: table_mean(runs, precision, "Table 5", f"group 128, T by rule{rest}", "all", PAPERS)
        for name, rest in (("csr", " faster than csr"), ("hyb", " faster than hyb"), ("cusparse", " faster than cusparse_csr"),
                           ("mean", ": mean of hyb's ms over its own"))}}


L1, L2, TIME = "l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct", "gpu__time_duration.sum"


def cache_hits(runs, precision):
    """Of the profiler's second launch of each matrix and ordering; in double precision only."""
    if precision != "fp64":
        return {}
    values = {(line["matrix"], line["ordering"], line["metric"]): float(line["value"])
              for line in runs.csv("h200_rgcsr_profiler.csv") if line["launch"] == "1"}
    matrices = {matrix for matrix, _, _ in values}

    def average(ordering, metric):
        return mean(values[m, ordering, metric] for m in matrices)

    return {"n": len(matrices), "more": sum(values[m, "amd", L1] > values[m, "none", L1] for m in matrices),
            **{ordering: average(ordering, L1) for ordering in ("none", "descending", "rcm", "amd")},
            "none_l2": average("none", L2), "amd_l2": average("amd", L2),
            "time": geometric_mean([values[m, "amd", TIME] / values[m, "none", TIME] for m in matrices])}
