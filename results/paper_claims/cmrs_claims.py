"""The claims of Koza, Matyka, Szkoda and Miroslaw 2012 (cmrs.py has the figures)."""
from . import cmrs, markdown
from .claim import Claim, claims_table
from .records import PRECISIONS, geometric_mean, ms

TITLE = "CMRS: Koza, Matyka, Szkoda and Miroslaw 2012"
ALL, LARGE, PAPERS = "all", "1e5 entries or more", "1e6 entries or more, the paper's sizes"
BY_A_TENTH = "on {wins} of {n}; at most {most:.2f} times the others' speed ({operator}), {average:.2f} times on average"
PART = "paper's kernel {paper:.2f}, either kernel {strips:.2f}"
OTHERS = "over the best of the others"


def tenth(paper, kernel, time, least, selection, why_not=""):
    return Claim(paper,
                 f"{kernel}, {OTHERS}; averages are geometric means",
                 "cmrs",
                 selection,
                 cmrs.fastest_by_a_tenth(time, least),
                 BY_A_TENTH,
                 lambda f: f["wins"] / f["n"] >= 41 / 138,
                 why_not=why_not)


def by_sum(paper, peer, factor, why="", why_not=""):
    return Claim(paper, f"sum of the times of `{peer}` over that of CMRS", "cmrs",
                 "all but lp1-like", cmrs.sum_over(peer), PART,
                 lambda f: f["paper"] >= factor, why, why_not)


def between(low, high):
    return lambda rows: low < rows["row_deviation"] < min(high, rows["row_mean"])


FORTY_ONE = "the fastest of all by at least 10 % on 41 of 138, by up to 43 % (5.4, Figure 2)"
CLAIMS = [
    tenth(
        FORTY_ONE, "the paper's kernel", cmrs.papers_ms, 0, ALL,
        why_not="a warp has one load in flight and all its lanes for one strip; today's GPU wants far more of both"),
    tenth("the same", "the paper's kernel", cmrs.papers_ms, cmrs.LARGE, LARGE),
    tenth("the same", "the paper's kernel", cmrs.papers_ms, cmrs.PAPERS_ENTRIES, PAPERS),
    tenth("the same", "either kernel", cmrs.strips_ms, 0, ALL),
    tenth("the same", "either kernel", cmrs.strips_ms, cmrs.LARGE, LARGE),
    Claim(
        paper="single precision: by at least 10 % on 58 cases, by up to 63 % (5.7)",
        metric=f"the paper's kernel, {OTHERS}",
        source="cmrs", selection=ALL, measure=cmrs.single_only(cmrs.fastest_by_a_tenth(cmrs.papers_ms, 0)),
        show=BY_A_TENTH,
        holds=lambda f: f["wins"] / f["n"] >= 58 / 138),
    Claim(
        paper="the largest speed-up is found for mu > 20 and mu > sigma > 1.5 (abstract)",
        metric="mean and deviation of the row lengths where the speed-up over the best of the others is the largest",
        source="cmrs", selection=ALL, measure=cmrs.fastest_by_a_tenth(cmrs.papers_ms, 0),
        show="{operator}: mu {mean:.1f}, sigma {deviation:.1f}",
        holds=lambda f: f["mean"] > 20 and 1.5 < f["deviation"] < f["mean"]),
    by_sum(
        "2.2 times as fast as the vector kernel (5.4)", "csr_vector", 2.2,
        why_not="the vector kernel is ours, which keeps four entries a lane in flight; most of the matrices fit "
                "one wave of blocks"),
    Claim(
        paper="the same, \"the vector kernel with height fixed at 1\" (5.4)",
        metric="sum of the times of the paper's kernel at height 1 over that of CMRS",
        source="cmrs", selection="all but lp1-like", measure=cmrs.sum_over_single_rows,
        show=PART,
        holds=lambda f: f["paper"] >= 2.2),
    by_sum("as fast as HYB (1.0; 5.4)", "hyb", 1.0, "HYB is two launches"),
    by_sum("3.7 times as fast as the scalar kernel (5.4)", "csr_scalar", 3.7),
    by_sum("1.3 times as fast as cuSPARSE's CSR (5.4)", "cusparse_csr", 1.3),
    Claim(
        paper="up to 4.3 times the vector kernel (mc2depi), 4.7 on p7 (5.4)",
        metric="time of the vector kernel over the paper's, the largest",
        source="cmrs", selection="all but lp1-like", measure=cmrs.over_vector_at_most,
        show="{most:.2f} ({operator}); either kernel {strips:.2f} ({other})",
        holds=lambda f: f["most"] >= 4.3),
    Claim(
        paper="over the vector kernel about 6 mu^-0.35 for mu < 120 (5.4)",
        metric="least squares of the logarithms, without lp1-like; the claim: the exponent within 0.1",
        source="cmrs", selection="mu < 120", measure=cmrs.power_law,
        show="{factor:.1f} mu^{exponent:.2f}",
        holds=lambda f: abs(f["exponent"] + 0.35) <= 0.1),
    Claim(
        paper="over the scalar kernel more, the longer the rows (5.4, Figure 1)",
        metric="rank correlation (Spearman) of mu and the speed-up, without lp1-like; the claim: above 0.5",
        source="cmrs", selection=ALL, measure=cmrs.with_row_length("csr_scalar"),
        show="{correlation:.2f}",
        holds=lambda f: f["correlation"] > 0.5),
    Claim(
        paper="cuSPARSE's CSR is never the fastest (5.4)",
        metric="beside the paper's kernel, vector, scalar and HYB",
        source="cmrs", selection=ALL, measure=cmrs.fastest_peer("cusparse_csr"),
        show="on {wins} of {n}",
        holds=lambda f: f["wins"] == 0),
    Claim(
        paper="the scalar kernel is the fastest on 1 of 138 (5.4)",
        metric="the same",
        source="cmrs", selection=ALL, measure=cmrs.fastest_peer("csr_scalar"),
        show="on {wins} of {n}",
        holds=lambda f: f["wins"] / f["n"] <= 1 / 138,
        why_not="rows are short here, and few of them"),
    Claim(
        paper="by 10 % faster than HYB on 55 of 138, HYB than CMRS on 48 (5.4)",
        metric="the paper's kernel, time at least 10 % shorter",
        source="cmrs", selection=ALL, measure=cmrs.beside_hyb(0),
        show="CMRS on {shorter}, HYB on {hyb_shorter} of {n}",
        holds=lambda f: f["shorter"] / f["n"] >= 55 / 138,
        why="HYB's two launches count on small matrices"),
    Claim(
        paper="the same",
        metric="the same",
        source="cmrs", selection=LARGE, measure=cmrs.beside_hyb(cmrs.LARGE),
        show="CMRS on {shorter}, HYB on {hyb_shorter} of {n}",
        holds=lambda f: f["shorter"] / f["n"] >= 55 / 138),
    Claim(
        paper="sigma < mu: HYB should be used for sigma < 1.5 (5.4, Figure 3)",
        metric="the claim: HYB is the faster one on more than half",
        source="cmrs", selection="sigma < 1.5, sigma < mu",
        measure=cmrs.beside_hyb(0, lambda r: r["row_deviation"] < min(1.5, r["row_mean"])),
        show="the paper's kernel is faster on {faster} of {n} (with height 1 on {any_height})",
        holds=lambda f: 2 * f["faster"] < f["n"],
        why_not="without a rest HYB is ELL; its launches count on small matrices"),
    Claim(
        paper="sigma < mu: CMRS is faster than HYB for sigma > 3 (5.4, Figure 3)",
        metric="the claim: CMRS is the faster one on more than half",
        source="cmrs", selection="3 < sigma < mu", measure=cmrs.beside_hyb(0, between(3, float("inf"))),
        show="on {faster} of {n} (with height 1 on {any_height})",
        holds=lambda f: 2 * f["faster"] > f["n"]),
    Claim(
        paper="sigma > mu: HYB is preferable (5.4)",
        metric="the claim: HYB is the faster one on more than half",
        source="cmrs", selection="sigma > mu",
        measure=cmrs.beside_hyb(0, lambda r: r["row_deviation"] > r["row_mean"]),
        show="the paper's kernel is faster on {faster} of {n} (with height 1 on {any_height})",
        holds=lambda f: 2 * f["faster"] < f["n"]),
    Claim(
        paper="slower than HYB for mu < 20 (5.4, Figure 1)",
        metric="the claim: HYB is the faster one on more than half",
        source="cmrs", selection="mu < 20", measure=cmrs.beside_hyb(0, lambda r: r["row_mean"] < 20),
        show="the paper's kernel is faster on {faster} of {n}",
        holds=lambda f: 2 * f["faster"] < f["n"],
        why_not="HYB's launches count on small matrices"),
    Claim(
        paper="the same",
        metric="the same",
        source="cmrs", selection="mu < 20, " + LARGE,
        measure=cmrs.beside_hyb(cmrs.LARGE, lambda r: r["row_mean"] < 20),
        show="the paper's kernel is faster on {faster} of {n}",
        holds=lambda f: 2 * f["faster"] < f["n"]),
    Claim(
        paper="the most efficient for mu > 70 (5.4, 6)",
        metric="the paper's kernel beside all others; the claim: on more than half",
        source="cmrs", selection="mu > 70", measure=cmrs.beside_all(lambda r: r["row_mean"] > 70),
        show="the fastest on {fastest} of {n}; either kernel, beside our CSR too, on {strips}",
        holds=lambda f: 2 * f["fastest"] > f["n"]),
    Claim(
        paper="the most efficient for sigma > 3 (6)",
        metric="the same",
        source="cmrs", selection="3 < sigma < mu", measure=cmrs.beside_all(between(3, float("inf"))),
        show="the fastest on {fastest} of {n}; either kernel, beside our CSR too, on {strips}",
        holds=lambda f: 2 * f["fastest"] > f["n"]),
    Claim(
        paper="x belongs in the texture cache, on all matrices (5.5)",
        metric="the fastest variant of the paper's kernel by three paths: read-only, plain loads, past L1",
        source="cmrs", selection=ALL, measure=cmrs.cache_paths,
        show="read-only the fastest on {best} of {n}; plain loads take {l1:.2f}, past L1 {l2:.2f} times as long "
             "(geometric mean)",
        holds=lambda f: f["best"] == f["n"],
        why_not="one memory since Volta, so that what is left is noise; only passing it by costs"),
    Claim(
        paper="(the split of shared memory and L1; 4)",
        metric="the fastest variant of the paper's kernel: more L1 and more shared memory over what the driver "
               "chooses",
        source="cmrs", selection=ALL, measure=cmrs.memory_splits,
        show="more L1 {l1:.3f}, more shared memory {shared:.3f} times the time (geometric mean)",
        holds=None),
    Claim(
        paper="sorting a strip by column never costs (5.5)",
        metric="the best with it over the best without; the claim: nowhere more than 5 % slower",
        source="cmrs", selection=ALL, measure=cmrs.choice(1, 0, 1),
        show="{average:+.1f} % on average; more than 5 % slower on {slower}, faster on {faster} of {n}",
        holds=lambda f: f["slower"] == 0,
        why_not="L2 holds x; the noise of a few microseconds is in it"),
    Claim(
        paper="aligned first reads pay for large mu (4)",
        metric="the best with them over the best without; the claim: faster on average",
        source="cmrs", selection="mu >= 32", measure=cmrs.choice(4, 0, 1, 32),
        show="{average:+.1f} % on average",
        holds=lambda f: f["average"] < 0,
        why_not="sectors of 32 bytes and L1 serve unaligned reads"),
    Claim(
        paper="heights 2 to 16; for some matrices 1, which is the vector kernel (5.2, 5.4)",
        metric="how often each is the best; the claim: 1 on some but not most",
        source="cmrs", selection=ALL, measure=cmrs.heights,
        show="paper's kernel: {paper}; of 2 and more: {strips}; of both kernels: {best}; our rule takes {rule}",
        holds=lambda f: 0 < 2 * f["ones"] < f["n"],
        why="our own kernel shares rows out by entries, so that a strip gains nothing"),
    Claim(
        paper="the size of the blocks matters (5.2, brute force)",
        metric="the paper's kernel with one size only over the best of all, geometric mean; the claim: more than 2 "
               "% for some",
        source="cmrs", selection=ALL, measure=cmrs.blocks,
        show="{text} ({sizes} sizes; the paper's eight are 64 to 512 in steps of 64)",
        holds=lambda f: f["worst"] > 1.02),
    Claim(
        paper="lp1: HYB 9 times faster, the scalar kernel 12.5 times slower than CMRS (5.3.2)",
        metric="the paper's kernel",
        source="cmrs", selection="lp1", measure=cmrs.long_row,
        show="HYB {hyb:.1f} times faster, scalar {scalar:.2f} times its time; our CSR {csr:.0f}, our rule "
             "{rule:.0f} times as fast",
        holds=lambda f: f["hyb"] >= 9 and f["scalar"] >= 12.5),
    Claim(
        paper="at best 24.5 GFLOP/s and 0.83 of the bandwidth with x read once (Table 2, TSOPF_RS_b2383)",
        metric="(2 nnz - rows) / time, and bytes with x read once over the stream of the same size in the same "
               "run; the claim: 0.83",
        source="cmrs", selection="all, the one with the most GFLOP/s", measure=cmrs.peak,
        show="{gflops:.0f} GFLOP/s ({operator}), {gbps:.0f} GB/s counting every x; {uncached:.2f} and {cached:.2f} "
             "of the stream",
        holds=lambda f: f["cached"] >= 0.83),
    Claim(
        paper="dense10000: 25.8 GFLOP/s, 1.46 of the bandwidth counting every x, 0.87 counting x once (Table 2)",
        metric="the same; the claim: 0.87",
        source="cmrs", selection="dense:10000", measure=cmrs.dense,
        show="{gflops:.0f} GFLOP/s, {uncached:.2f} and {cached:.2f} of the stream",
        holds=lambda f: f["cached"] >= 0.87),
    Claim(
        paper="(strips beside single rows)",
        metric="our kernel at its best with 2 rows and more over its best with one",
        source="cmrs", selection=PAPERS, measure=cmrs.strips_over_rows,
        show="{average:.2f} times the time (geometric mean); less on {wins} of {n}: {text}",
        holds=None),
    Claim(
        paper="(where our rule takes strips)",
        metric="its time over that of our kernel at its best with one row; asked is less than 1 on all",
        source="cmrs", selection="height above 1 by the rule", measure=cmrs.ruled_strips,
        show="{text}",
        holds=lambda f: f["most"] < 1),
    Claim(
        paper="(our rule)",
        metric="the best of the search over the rule's choice; asked are 97 % on average and 85 % at worst",
        source="cmrs", selection=ALL, measure=cmrs.rule,
        show="{matching:.1f} %, worst {worst:.1f} % ({operator})",
        holds=lambda f: f["matching"] >= 97 and f["worst"] >= 85),
]
BINS = ((0, 3), (3, 5), (5, 10), (10, 20), (20, 70), (70, 150), (150, float("inf")))


def figure_rows(runs):
    """Figures 1 and 2 as data: the paper's kernel over each other one, by mu."""
    for low, high in BINS:
        if not any(low <= cmrs.rows_of(o)["row_mean"] < high for p in PRECISIONS for o in cmrs.operators(runs, p).values()):
            continue
        cells = []
        for precision in PRECISIONS:
            found = [o for o in cmrs.operators(runs, precision).values()
                     if low <= cmrs.rows_of(o)["row_mean"] < high and not cmrs.lp1_like(o)]
            cells.append([len(found)] + (
                [f"{geometric_mean([ms(o[p]) / cmrs.papers_ms(o) for o in found]):.2f}" for p in cmrs.PEERS] +
                [f"{geometric_mean([cmrs.others_ms(o) / t(o) for o in found]):.2f}"
                 for t in (cmrs.papers_ms, cmrs.strips_ms)] if found else [""] * 6))
        numbers = [" / ".join(map(str, dict.fromkeys(pair))) for pair in zip(*cells)][:1]
        yield (f"{low} to {high}".replace("to inf", "and more"), *numbers, *(" / ".join(p) for p in list(zip(*cells))[1:]))


def long_rows_table(runs):
    """The lp1-like ones, in microseconds."""
    rows = []
    for precision in PRECISIONS:
        for matrix, o in cmrs.operators(runs, precision).items():
            if cmrs.lp1_like(o):
                times = (cmrs.papers_ms(o), cmrs.strips_ms(o), *(ms(o[p]) for p in (*cmrs.PEERS, "csr", "cmrs")))
                rows.append((matrix, precision, cmrs.rows_of(o)["row_longest"], *(f"{1000 * t:.1f}" for t in times)))
    return markdown.table(("matrix", "precision", "longest row", "paper's kernel", "either kernel", "cuSPARSE's CSR", "HYB",
                           "vector", "scalar", "our CSR", "our rule"), rows)


def table_2(runs):
    rows = []
    for matrix, o in sorted(cmrs.operators(runs, "fp64").items(), key=lambda item: cmrs.rows_of(item[1])["row_mean"]):
        r, c = cmrs.rows_of(o), cmrs.columns(o, "fp64")
        if r["nnz"] >= cmrs.PAPERS_ENTRIES:
            rows.append(
                (matrix, f"{r['row_mean']:.1f}", f"{r['row_deviation']:.1f}", f"{r['nnz'] / 1e6:.1f}", f"{r['rows'] / 1e3:.0f}",
                 f"{cmrs.papers_ms(o):.4f}", *(f"{ms(o[p]) / cmrs.papers_ms(o):.2f}" for p in (*cmrs.PEERS, "csr")),
                 f"{c['gflops']:.0f}", f"{c['gbps']:.0f}", f"{c['uncached']:.2f}", f"{c['cached']:.2f}"))
    return markdown.table(("matrix", "mu", "sigma", "nnz, 1e6", "rows, 1e3", "ms", "over cuSPARSE", "HYB", "vector", "scalar",
                           "our CSR", "GFLOP/s", "GB/s", "eta-", "eta+"), rows)


def text(runs):
    return markdown.section(
        2, TITLE,
        "The paper: GTX 480, 138 matrices of 1e6 to 1e8 entries, double precision unless said. Height 1 is CRS by the paper's own "
        "words (5.4: \"the vector kernel could be easily included as a special case, with height = 1\"): what follows is heights of 2 and "
        "more unless said. \"Paper's kernel\" is its algorithm 1 at the best of its parameters, \"either kernel\" that or our own; \"the "
        "others\" are the vector and the scalar kernel, HYB and cuSPARSE's CSR. \"By 10 %\" is a time that is 10 % shorter. mu and sigma "
        "are mean and deviation of the row lengths; lp1-like is a matrix with a row of 1e4 entries and 1000 times the mean. " +
        "The scalar kernel is the plain one, a thread a row; the vector kernel is ours with a warp a row.", claims_table(CLAIMS, runs),
        "Figures 1 and 2 as data, fp32 / fp64: the others' time over that of the paper's kernel, geometric means of the operators by mu, "
        "without lp1-like ones; at last the best of the others over the paper's kernel, and over either kernel:",
        markdown.table(
            ("mu", "operators", "cuSPARSE's CSR", "HYB", "vector", "scalar", "best, paper's kernel", "best, either kernel"),
            figure_rows(runs)), "The lp1-like ones, in microseconds:", long_rows_table(runs),
        "![Figures 1 to 3 of the CMRS paper, fp64](claims_cmrs.png)",
        "Table 2 for what has 1e6 entries or more, fp64: the paper's kernel; \"over\" is the other's time over its own, eta- and eta+ are "
        "fractions of the stream of the same size counting every x, and x once.", table_2(runs))
