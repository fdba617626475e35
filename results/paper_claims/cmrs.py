"""The figures of Koza, Matyka, Szkoda and Miroslaw 2012, "Compressed Multiple-Row Storage Format"; cmrs_claims.py has the
claims."""
import math
from collections import Counter

from .records import geometric_mean, having, mean, ms, rank_correlation

PEERS = ("cusparse_csr", "hyb", "csr_vector", "csr_scalar")  # as the paper's: CRS, HYB, vector, scalar
SHORTER = 0.9  # "significantly faster": at least 10 % less time (5.4)
PAPERS_ENTRIES, LARGE = 1_000_000, 100_000


def operators(runs, precision):
    return having(runs.operators("cmrs", precision), "cmrs", "cmrs_paper", *PEERS)


def rows_of(operator):
    return operator["cmrs"]


def lp1_like(operator):
    """One or a few rows with very many entries (5.4): the longest row has 1e4 entries and 1000 times the mean."""
    rows = rows_of(operator)
    return rows["row_longest"] >= max(10_000, 1000 * rows["row_mean"])


def trials(operator, kernel=None, least_height=2):
    """Of the search: [height, reordered, kernel, block, aligned, cache path, ..., ms], "ours" is our kernel."""
    return [t for t in operator["cmrs"]["search"] if t[0] >= least_height and kernel in (None, t[2])]


def fastest(operator, kernel=None, least_height=2):
    """Remembered in the operator, for it is asked for again and again."""
    key = ("fastest", kernel, least_height)
    if key not in operator:
        operator[key] = min(trials(operator, kernel, least_height), key=lambda t: t[-1])
    return operator[key]


def papers_ms(operator):
    """The paper's kernel at the best of heights 2 and more, blocks, orders and cache paths."""
    return fastest(operator, "paper")[-1]


def strips_ms(operator):
    """Heights of 2 and more by either kernel."""
    return fastest(operator)[-1]


def single_rows_ms(operator):
    """The paper's kernel at height 1, which is its vector kernel."""
    return min(t[-1] for t in trials(operator, "paper", 1) if t[0] == 1)


def others_ms(operator):
    return min(ms(operator[peer]) for peer in PEERS)


def with_entries(found, least):
    return {m: o for m, o in found.items() if rows_of(o)["nnz"] >= least}


def fastest_by_a_tenth(time, least):
    def measure(runs, precision):
        found = with_entries(operators(runs, precision), least)
        speedups = {m: others_ms(o) / time(o) for m, o in found.items()}
        best = max(speedups, key=speedups.get)
        return {"n": len(found), "wins": sum(SHORTER * others_ms(o) >= time(o) for o in found.values()),
                "most": speedups[best], "operator": best, "average": geometric_mean(speedups.values()),
                "mean": rows_of(found[best])["row_mean"], "deviation": rows_of(found[best])["row_deviation"]}

    return measure


def single_only(measure):
    return lambda runs, precision: measure(runs, precision) if precision == "fp32" else {}


def sum_over(peer, least=0):
    def measure(runs, precision):
        found = [o for o in with_entries(operators(runs, precision), least).values() if not lp1_like(o)]
        peers = sum(ms(o[peer]) for o in found)
        return {"n": len(found), "paper": peers / sum(map(papers_ms, found)), "strips": peers / sum(map(strips_ms, found))}

    return measure


def sum_over_single_rows(runs, precision):
    found = [o for o in operators(runs, precision).values() if not lp1_like(o)]
    rows = sum(map(single_rows_ms, found))
    return {"n": len(found), "paper": rows / sum(map(papers_ms, found)), "strips": rows / sum(map(strips_ms, found))}


def over_vector_at_most(runs, precision):
    found = {m: o for m, o in operators(runs, precision).items() if not lp1_like(o)}
    paper, strips = ({m: ms(o["csr_vector"]) / time(o) for m, o in found.items()} for time in (papers_ms, strips_ms))
    best, strips_best = max(paper, key=paper.get), max(strips, key=strips.get)
    return {"n": len(found), "most": paper[best], "operator": best, "strips": strips[strips_best], "other": strips_best}


def speedups(runs, precision, peer, most_mean=math.inf):
    """(mean of the row lengths, the paper's kernel over the peer), without lp1-like ones: Figure 1."""
    found = [o for o in operators(runs, precision).values() if not lp1_like(o) and rows_of(o)["row_mean"] < most_mean]
    return [(rows_of(o)["row_mean"], ms(o[peer]) / papers_ms(o)) for o in found]


def with_row_length(peer):
    def measure(runs, precision):
        found = speedups(runs, precision, peer)
        return {"n": len(found), "correlation": rank_correlation(*zip(*found))}

    return measure


def power_law(runs, precision):
    """The paper's kernel over the vector kernel as a mu^b, by least squares of the logarithms."""
    found = [(math.log(mu), math.log(s)) for mu, s in speedups(runs, precision, "csr_vector", 120) if mu > 0]
    mx, my = (mean(axis) for axis in zip(*found))
    slope = sum((x - mx) * (y - my) for x, y in found) / sum((x - mx) ** 2 for x, _ in found)
    return {"n": len(found), "factor": math.exp(my - slope * mx), "exponent": slope}


def fastest_peer(peer):
    def measure(runs, precision):
        found = operators(runs, precision).values()
        wins = [o for o in found if ms(o[peer]) < min([papers_ms(o)] + [ms(o[p]) for p in PEERS if p != peer])]
        return {"n": len(found), "wins": len(wins)}

    return measure


def beside_hyb(least, chosen=lambda rows: True):
    def measure(runs, precision):
        found = [o for o in with_entries(operators(runs, precision), least).values() if chosen(rows_of(o))]
        if not found:
            return None
        return {"n": len(found), "faster": sum(papers_ms(o) < ms(o["hyb"]) for o in found),
                "shorter": sum(papers_ms(o) <= SHORTER * ms(o["hyb"]) for o in found),
                "hyb_shorter": sum(ms(o["hyb"]) <= SHORTER * papers_ms(o) for o in found),
                "any_height": sum(fastest(o, "paper", 1)[-1] < ms(o["hyb"]) for o in found)}

    return measure


def beside_all(chosen):
    def measure(runs, precision):
        found = [o for o in operators(runs, precision).values() if chosen(rows_of(o))]
        if not found:
            return None
        return {"n": len(found), "fastest": sum(papers_ms(o) < others_ms(o) for o in found),
                "strips": sum(strips_ms(o) < min(others_ms(o), ms(o["csr"])) for o in found)}

    return measure


def cache_paths(runs, precision):
    """The same variant by the three paths; they are tried of the paper's fastest."""
    ratios = {"l1": [], "l2": []}
    read_only = 0
    for operator in operators(runs, precision).values():
        by_path = {}
        for trial in trials(operator, "paper", 1):
            by_path.setdefault(tuple(trial[:5] + trial[6:-1]), {})[trial[5]] = trial[-1]
        complete = [paths for paths in by_path.values() if len(paths) == 3]
        for paths in complete[:1]:
            read_only += paths["read-only"] <= min(paths.values())
            for path, found in ratios.items():
                found.append(paths[path] / paths["read-only"])
    return {"n": len(ratios["l1"]), "best": read_only, **{path: geometric_mean(found) for path, found in ratios.items()}}


def memory_splits(runs, precision):
    """More L1, and more shared memory, over what the driver chooses; they are tried of the paper's fastest."""
    ratios = {"l1": [], "shared": []}
    for operator in operators(runs, precision).values():
        by_rest = {}
        for trial in trials(operator, "paper"):
            if len(trial) > 7:  # with the split
                by_rest.setdefault(tuple(trial[:6]), {})[trial[6]] = trial[-1]
        for times in [t for t in by_rest.values() if len(t) == 3][:1]:
            for split, found in ratios.items():
                found.append(times[split] / times["driver"])
    if not ratios["l1"]:
        return None
    return {"n": len(ratios["l1"]), **{split: geometric_mean(found) for split, found in ratios.items()}}


def without(trial, place):
    return tuple(trial[:place] + trial[place + 1:-1])


def pairs(found, place, first, second):
    """Times of the paper's kernel that differ in one choice only: (first, second)."""
    by_rest = {}
    for trial in found:
        by_rest.setdefault(without(trial, place), {})[trial[place]] = trial[-1]
    return [(p[first], p[second]) for p in by_rest.values() if first in p and second in p]


def choice(place, first, second, least_mean=0):
    """The best with the choice over the best without it."""
    def measure(runs, precision):
        ratios = []
        for operator in operators(runs, precision).values():
            found = pairs(trials(operator, "paper"), place, first, second)
            if found and rows_of(operator)["row_mean"] >= least_mean:
                ratios.append(min(s for _, s in found) / min(f for f, _ in found))
        return {"n": len(ratios), "average": 100 * (geometric_mean(ratios) - 1), "slower": sum(r > 1.05 for r in ratios),
                "faster": sum(r < 0.95 for r in ratios), "worst": 100 * (max(ratios) - 1)}

    return measure


def heights(runs, precision):
    found = operators(runs, precision).values()
    paper = Counter(fastest(o, "paper", 1)[0] for o in found)
    strips = Counter(fastest(o, "paper", 2)[0] for o in found)
    rule = Counter(o["cmrs"]["model"]["height"] for o in found)
    best = Counter(o["cmrs"]["best"]["height"] for o in found)

    def listed(counts):
        return ", ".join(f"{h} on {counts[h]}" for h in sorted(counts))

    return {"n": len(found), "ones": paper[1], "paper": listed(paper), "strips": listed(strips), "rule": listed(rule),
            "best": listed(best)}


def strips_over_rows(runs, precision):
    """Our kernel at its best with 2 rows and more over its best with one: where that is less by 1 % and more."""
    if precision == "fp32":
        return {}
    found = with_entries(operators(runs, precision), PAPERS_ENTRIES)
    ratios = {m: fastest(o, "ours")[-1] / min(t[-1] for t in trials(o, "ours", 1) if t[0] == 1) for m, o in found.items()}
    gains = {m: r for m, r in sorted(ratios.items(), key=lambda item: item[1]) if r <= 0.99}
    return {"n": len(found), "average": geometric_mean(ratios.values()), "wins": len(gains),
            "text": ", ".join(f"{r:.3f} on {m}" for m, r in gains.items())}


def ruled_strips(runs, precision):
    """The rule's time over that of single rows at their best, where it takes strips of 2 rows and more."""
    found = {m: o for m, o in operators(runs, precision).items() if o["cmrs"]["model"]["height"] > 1}
    if not found:
        return None
    ratios = {m: o["cmrs"]["model"]["ms"] / min(t[-1] for t in trials(o, "ours", 1) if t[0] == 1) for m, o in found.items()}
    return {"n": len(found), "most": max(ratios.values()), "text": ", ".join(f"{r:.3f} on {m}" for m, r in ratios.items())}


def rule(runs, precision):
    found = {m: o["cmrs"]["matching"] for m, o in operators(runs, precision).items()}
    worst = min(found, key=found.get)
    return {"n": len(found), "matching": 100 * mean(found.values()), "worst": 100 * found[worst], "operator": worst}


def blocks(runs, precision):
    """How much slower the paper's kernel is with one size of blocks only, geometric mean over the operators."""
    found = operators(runs, precision).values()
    sizes = sorted({t[3] for o in found for t in trials(o, "paper")})
    loss = {size: geometric_mean([min(t[-1] for t in trials(o, "paper") if t[3] == size) / papers_ms(o) for o in found])
            for size in sizes}
    return {"n": len(found), "sizes": len(sizes), "text": ", ".join(f"{s}: {100 * (v - 1):.1f} %" for s, v in loss.items()),
            "worst": max(loss.values())}


def long_row(runs, precision):
    operator = operators(runs, precision).get("lp1")
    if operator is None:
        return None
    return {
        "n": 1, "hyb": papers_ms(operator) / ms(operator["hyb"]), "scalar": ms(operator["csr_scalar"]) / papers_ms(operator),
        "us": 1000 * papers_ms(operator), "csr": papers_ms(operator) / ms(operator["csr"]),
        "rule": papers_ms(operator) / ms(operator["cmrs"])
    }


def columns(operator, precision, time=papers_ms):
    """Table 2's: GFLOP/s of (2 nnz - rows), bytes with each x read and with x read once, over the stream of the same size."""
    rows, word = rows_of(operator), 8 if precision == "fp64" else 4
    strips = math.ceil(rows["rows"] / fastest(operator, "paper")[0])
    uncached = (2 * word + 4) * rows["nnz"] + 4 * strips + word * rows["rows"]
    cached = (word + 4) * rows["nnz"] + 4 * strips + 2 * word * rows["rows"]
    gbps = [b / time(operator) / 1e6 for b in (uncached, cached)]
    ceiling = operator["cmrs_paper"]["ceiling_gbps"]
    return {"gflops": (2 * rows["nnz"] - rows["rows"]) / time(operator) / 1e6, "gbps": gbps[0], "uncached": gbps[0] / ceiling,
            "cached": gbps[1] / ceiling}


def peak(runs, precision):
    found = operators(runs, precision)
    every = {m: columns(o, precision) for m, o in found.items()}
    best = max(every, key=lambda m: every[m]["gflops"])
    return {"n": len(found), "operator": best, **every[best]}


def dense(runs, precision):
    found = operators(runs, precision).get("dense:10000")
    return None if found is None else {"n": 1, **columns(found, precision)}
