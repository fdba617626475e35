"""The claims of Steinberger, Derler, Zayer and Seidel 2016 (transposes.py has the figures)."""
from . import markdown, transposes
from .claim import Claim, claims_table
from .own_matrices import STEINBERGER, only
from .records import PRECISIONS, geometric_mean, median
from .transposes import (A_CUSPARSE, A_NAIVE, LARGE, T_CUSPARSE, T_NAIVE, T_ONCE, T_OURS, TASKS, methods, only_ms, ratios, tasks,
                         whole_ms, wins)

TITLE = "Transposed products: Steinberger, Derler, Zayer and Seidel 2016"
# Figure 3, single precision, ms of one product with all before it: naive and cuSPARSE's `A x`, both of `A^T
# x`.
FIGURE_3 = {
    "poisson3Da": (0.1, 0.0, 0.1, 2.2), "ASIC_320k": (25.1, 28.5, 14.5, 16.6), "webbase-1M": (0.8, 0.8, 0.8, 5.9),
    "sme3Dc": (0.8, 0.2, 0.7, 10.2), "parabolic_fem": (0.3, 0.2, 0.3, 4.3), "kkt_power": (1.1, 1.1, 1.5, 57.9),
    "rajat31": (0.9, 1.4, 1.2, 24.2),
    "asia_osm": (1.6, 2.9, 2.7, 39.0), "ldoor": (8.8, 2.0, 8.6, 10.4), "Flan_1565": (25.4, 4.3, 22.8, 18.7)}
OWN, OF_OWN = only(STEINBERGER), f"{len(STEINBERGER.stand_ins)} of the paper's 14, by stand-ins"
NO_CONVERSION = "cuSPARSE no longer converts, it scatters as well"
NAIVE_WHOLE = ("on {wins} of {n}; beside our kernel with several threads a row, which needs no plan, on {with_lanes}; {speed:.2f} "
               "times cuSPARSE's speed (geometric mean)")
REGULAR = "the fastest on {whole} of {n} by the whole operation, on {only} by the multiplication only ({which})"
LONG = ("lp1 {lp1:.0f}, power-law {power_law:.0f} times; the stand-ins of ASIC_320k {ASIC_320k:.0f}, of webbase-1M {webbase:.0f} "
        "times")
FASTEST = ("naive on {naive}, cuSPARSE on {cusparse}, ours with its plan on {ours}, conversion on {converted} of {n}; ours without "
           "a plan: {once}; beside cuSPARSE and conversion alone naive on {without_ours}")
OVER_CUSPARSE = "{ratio:.2f}; {without:.2f} without those with long rows; geometric mean of the ratios {geometric:.2f}"
OURS = "{whole:.2f} with the plan, {only:.2f} multiplication only; without a plan: {once:.2f}"
CONVERTED = ("converted on {wins} of {n}, {ratio:.2f} of naive's time (geometric mean); the conversion pays after {pays:.0f} "
             "products (median)")
BESIDE = "{ratio:.1f} times cuSPARSE's time; {naive:.2f} GFLOP/s, at best {best:.0f} (`{method}`)"


def both(measure, paper, metric, on_own="the same", **fields):
    """A claim over the set and over the paper's own matrices alone."""
    return [Claim(paper=paper, metric=metric, source="transpose", selection="all", measure=measure(), **fields),
            Claim(paper=on_own, metric="the same", source="transpose", selection=OF_OWN, measure=measure(OWN), **fields)]


def in_figure_3(upper, lower):
    """The mean of one column over the mean of another."""
    return sum(line[upper] for line in FIGURE_3.values()) / sum(line[lower] for line in FIGURE_3.values())


CLAIMS = [
    *both(
        transposes.naive_whole,
        paper="naive `A x` is the fastest on 5 of 14, beside cuSPARSE, CUSP and bhSparse (VI, Figure 3)",
        metric="one product and all that comes before it: our plan, cuSPARSE's analysis; beside ours and cuSPARSE's",
        on_own="the same; on 2 of these",
        show=NAIVE_WHOLE,
        holds=lambda f: f["wins"] / f["n"] >= 5 / 14,
        why="nothing comes before it, and a plan costs more than a product"),
    *both(
        transposes.naive_average,
        paper="on average, less regular matrices put it behind cuSPARSE (VI; in Figure 3 its multiplication takes 1.4 times as long)",
        metric="multiplication only: mean of the milliseconds of naive `A x` over that of cuSPARSE",
        on_own=f"the same; {in_figure_3(0, 1):.1f} times on these",
        show="{ratio:.1f} times; {without:.2f} without those with long rows",
        holds=lambda f: f["ratio"] > 1,
        why="one thread has a long row to itself"),
    Claim(
        paper="it outperforms others on large matrices with rows alike, even without what comes before (VI)",
        metric="beside ours and cuSPARSE's; the claim: on at least one by the multiplication only",
        source="transpose", selection="1e5 entries or more, deviation of the row lengths below half their mean",
        measure=transposes.naive_on_regular(),
        show=REGULAR,
        holds=lambda f: f["only"] > 0,
        why="with one to three entries a row those of neighbouring threads are side by side as well",
        why_not="the other kernels read a warp's entries side by side"),
    Claim(
        paper="threads of a warp that wait for each other cost up to 32 times, long rows more (IV-C)",
        metric="multiplication only, `A x`: time over the fastest method's",
        source="transpose", selection=", ".join(transposes.LONG_ROWS) + " and two stand-ins",
        measure=transposes.naive_on_long_rows("A x"),
        show=LONG,
        holds=lambda f: f["lp1"] > 32,
        why="one thread has the long row"),
    Claim(
        paper="the same for `A^T x` (V)",
        metric="multiplication only, `A^T x`: time over the fastest method's",
        source="transpose", selection=", ".join(transposes.LONG_ROWS) + " and two stand-ins",
        measure=transposes.naive_on_long_rows("A^T x"),
        show=LONG,
        holds=lambda f: f["lp1"] > 32,
        why="the same"),
    Claim(
        paper="ASIC_320k: as fast as cuSPARSE or slightly faster, and all are slow (VI; 25.1 and 28.5 ms in Figure 3)",
        metric="multiplication only, naive `A x` over cuSPARSE's; the claim: at most 1.1",
        source="transpose", selection="its stand-in", measure=transposes.beside_cusparse("ASIC_320k"),
        show=BESIDE,
        holds=lambda f: f["ratio"] <= 1.1,
        why_not="today's cuSPARSE shares a long row out, as our tiles do"),
    Claim(
        paper="webbase: as fast as cuSPARSE or slightly faster (VI; 0.8 and 0.8 ms in Figure 3)",
        metric="the same",
        source="transpose", selection="its stand-in, whose rows are longer", measure=transposes.beside_cusparse("webbase-1M"),
        show=BESIDE,
        holds=lambda f: f["ratio"] <= 1.1,
        why_not="the same"),
    *both(
        transposes.scatter_beside_gather,
        paper="`A^T x` with atomics is most often as fast as `A x` (VI)",
        metric="multiplication only, naive `A^T x` over naive `A x`, geometric mean; the claim: at most 1.5",
        show="{ratio:.2f}, at most {worst:.1f}",
        holds=lambda f: f["ratio"] <= 1.5,
        why="an addition in memory (RED) needs no answer",
        why_not="on large matrices the additions take the time: one costs about two reads"),
    *both(
        transposes.transposed_whole,
        paper="`A^T x`: naive is the fastest on 13 of 14 (VI, Figure 3)",
        metric="one product and all that comes before it, our plan included",
        on_own="the same; on 9 of these",
        show=FASTEST,
        holds=lambda f: f["naive"] / f["n"] >= 13 / 14,
        why_not=NO_CONVERSION),
    *both(
        transposes.naive_over_cusparse,
        paper="about 6 times faster than cuSPARSE there (VI)",
        metric="mean of the whole milliseconds of cuSPARSE over naive's",
        on_own=f"the same; {in_figure_3(3, 2):.1f} times on these",
        show=OVER_CUSPARSE,
        holds=lambda f: f["ratio"] >= 6,
        why_not="cuSPARSE's transposed product needs only an analysis today"),
    *both(
        transposes.ours_over_cusparse,
        paper="(our own kernel beside it)",
        metric="cuSPARSE's time of `A^T x` over ours, geometric mean",
        show=OURS,
        holds=None,
        why="the plan is made on the host, from the row pointers copied there; it pays in products that are repeated"),
    *both(
        transposes.converted,
        paper="given the transposed matrix, the others are faster but on 3 of 14 (VI: cont11_l, Rucci1, rajat31)",
        metric="multiplication only: conversion against the fastest of the others",
        show=CONVERTED,
        holds=lambda f: f["wins"] / f["n"] >= 11 / 14,
        why="an addition in memory costs about two reads"),
    Claim(
        paper="double precision without atomics in hardware: more than 10 times slower than `A x`; later GPUs will have them (VI)",
        metric="naive `A^T x` in fp64 over fp32, geometric mean; and over `A x` in fp64; the claim: nowhere 10 times `A x` any more",
        source="transpose", selection="all", measure=transposes.double_atomics,
        show="{ratio:.2f} times the time of fp32, at most {worst:.2f}; at most {reduced:.2f} times `A x`",
        holds=lambda f: f["reduced"] < 10,
        why="native additions since Pascal, as the paper expected"),
    Claim(
        paper="the same, on ASIC_320k and webbase-1M (VI)",
        metric="naive `A^T x` over naive `A x`, multiplication only; the claim: not 10 times any more",
        source="transpose", selection="their stand-ins", measure=transposes.colliding,
        show="ASIC_320k {asic:.2f}, webbase-1M {webbase:.2f}",
        holds=lambda f: max(f["asic"], f["webbase"]) < 10,
        why="the same; `A x` is as slow"),
]

def figure_3(runs):
    rows = []
    for name, paper in FIGURE_3.items():
        operator = tasks(runs, "fp32")[STEINBERGER.stand_ins[name]]
        own = [f"{whole_ms(operator, key):.3f}" for key in (A_NAIVE, A_CUSPARSE, T_NAIVE, T_CUSPARSE)]
        rows.append((name, f"`{STEINBERGER.stand_ins[name]}`", f"{operator[A_NAIVE]['nnz'] / 1e6:.1f}",
                     *(cell for pair in zip(paper, own) for cell in pair)))
    return markdown.table(("matrix", "stand-in", "its entries, 1e6", *(f"{w}{m} `{p}`" if w else "here" for p in ("A x", "A^T x")
                                                                       for m in ("naive", "cuSPARSE") for w in ("paper: ", ""))),
                          rows)


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
        cost, large_cost = ([o[T_OURS]["before_ms"] / only_ms(o, T_OURS) for o in some.values()] for some in (found, large))
        parts.append(
            f"in {precision} the plan takes the time of {median(cost):.0f} products (median; {min(cost):.0f} to {max(cost):.0f}; "
            f"{median(large_cost):.0f} on those with 1e5 entries or more), and a product without it "
            f"{geometric_mean(ratios(found, T_ONCE, T_OURS, only_ms)):.2f} times the time of one with it, "
            f"{geometric_mean(gain.values()):.2f} times on the {len(gain)} operators with 1e5 entries or more, at most "
            f"{gain[most]:.2f} times ({most})")
    return "`A^T x` from CSR by our kernels: " + "; ".join(parts) + "."


def text(runs):
    return markdown.section(
        2, TITLE, "The paper: GTX 980 Ti, 14 matrices. Both storages, both products. \"Whole\" begins with what is stored and ends with "
        "one product, for ours as for the others. `csr` and `csc` are ours, with a plan; `*_once` are ours without one; `*_naive` has a "
        "thread a row, and where it scatters an atomic addition an entry; `csr_lanes` several threads a row and no plan; "
        "`*_converted` transposes first.",
        claims_table(CLAIMS, runs),
        "Figure 3 over the set, fp32 / fp64; \"fastest\" counts operators, \"time\" is a geometric mean:", methods_table(runs),
        "Figure 3, fp32, ms of one product with all that comes before it, on the paper's own matrices by their stand-ins:",
        figure_3(runs),
        large_text(runs), plan_text(runs))
