"""The claims of Oberhuber, Suzuki and Vacata 2010 (rgcsr.py has the figures)."""
from . import markdown, rgcsr, rgcsr_tables
from .claim import Claim, claims_table
from .rgcsr import OURS, PAPER

TITLE = "RgCSR: Oberhuber, Suzuki and Vacata 2010"
KERNELS = {OURS: "our kernel with T = 1, which has eight loads in flight", PAPER: "the paper's kernel"}
SHARES = "{share:.0f} %, {mean:.2f} times on average (geometric mean {geometric:.2f})"
HOLD = "groups of 128 where they can be held"


def claimed_share(figures):
    return figures["share"] >= figures["claimed"]


def group_claim(kernel):
    return Claim("groups of 128 are the best, up to 32.8 / 18.8 GFLOP/s (4.3, Table 4)",
                 f"GFLOP/s by group, arithmetic mean; {KERNELS[kernel]}; "
                 "the claim: 128 has the best mean",
                 "rgcsr",
                 "what all four groups can hold",
                 rgcsr.best_group(kernel),
                 "mean {means}; highest {peaks}; of all operators up to {peak:.0f} with {peak_group}",
                 lambda f: f["mean_group"] == 128,
                 why_not="a block of 128 threads had to hide latency there")


def peer_claim(paper, peer, kernel, claimed, chosen=lambda o: True, selection=HOLD, why_not=""):
    return Claim(paper,
                 f"time of `{peer}` over that of groups of 128, mean of the ratios; {KERNELS[kernel]}",
                 "rgcsr",
                 selection,
                 rgcsr.faster_than(peer, kernel, chosen, claimed),
                 SHARES,
                 claimed_share,
                 why_not=why_not)


HYB, HYB_LARGE = {"fp32": 77.14, "fp64": 80.67}, {"fp32": 62.57, "fp64": 71.40}
FASTER_HYB = "faster than HYB on 77 / 81 %, 2.55 / 3.21 times on average (Table 5)"
FASTER_HYB_LARGE = "of large matrices on 63 / 71 %, 1.24 / 2.18 times (Table 5)"
ROWS = "10 000 rows or more"
CLAIMS = [
    Claim(
        paper="artificial zeros of 105 % on average with groups of 32, 304 % with 256, at most 8 494 % (Table 4)",
        metric="artificial zeros in per cent of the non-zeros, mean; the claim: within half and twice of both",
        source="rgcsr", selection="all, from the tables in the JSON", measure=rgcsr.zeros,
        show="{least:.0f} and {most:.0f} %, at most {worst:.0f} %; with 32, 64, 128 and 256 rows {counts} "
             "operators can be held",
        holds=lambda f: 0.5 < f["least"] / 105 < 2 and 0.5 < f["most"] / 304 < 2,
        why="other matrices, the same kind of rows"),
    group_claim(PAPER),
    group_claim(OURS),
    Claim(
        paper="93 / 80 % of the estimated peak at best (4.3, Table 1: 35.25 / 23.5 GFLOP/s with x in the cache, "
              "23.5 / 14.1 without)",
        metric="GFLOP/s over 2 operations for the bytes of a value and an index, at the stream's speed",
        source="h200_formats:dof1_*", selection="256^3 DoF 1, several threads a row by rule",
        measure=rgcsr.of_the_peak,
        show="{share:.0f} % of {with_cache:.0f} GFLOP/s ({without:.0f} without the cache); {floor:.2f} of the "
             "stream with the bytes of x and y",
        holds=lambda f: f["share"] >= f["claimed"],
        why_not="the estimate leaves out x, y and the lengths, which at seven entries a row are a good part"),
    Claim(
        paper="the same",
        metric="the paper's kernel beside Table 1's estimate from the card's bandwidth, as the program prints it; x by the read-only "
               "path",
        source="rgcsr", selection=f"{rgcsr.BEYOND}, which does not fit the cache", measure=rgcsr.beyond_the_cache,
        show="{share:.0f} %; past L1 {past:.0f} % of the estimate without the cache",
        holds=lambda f: f["share"] >= f["claimed"],
        why_not="rows of a group differ in length, and a thread has one load in flight"),
    Claim(
        paper="faster than CSR, on one core of a CPU, on 57 / 56 % (Table 5)",
        metric="time of PETSc's AIJ on one thread over that of groups of 128, mean of the ratios; the paper's "
               "kernel",
        source="rgcsr", selection=HOLD, measure=rgcsr.over_cpu_in_turn,
        show=SHARES,
        holds=claimed_share),
    Claim(
        paper="the same",
        metric="time of PETSc's AIJ on one thread over ours with the default group and several threads a row, mean "
               "of the ratios",
        source="matrices", selection="all", measure=rgcsr.over_cpu("rg_csr", {"fp32": 56.68, "fp64": 55.79}),
        show="{share:.0f} %, {mean:.1f} times on average; of the {large_n} with 10 000 rows {large:.0f} %",
        holds=claimed_share,
        why_not="the peer is PETSc; small matrices stay in its cache, and a launch takes longer"),
    Claim(
        paper="HYB is faster than CSR, on one core of a CPU, on 48 / 43 % (Table 5)",
        metric="the same",
        source="matrices", selection="all", measure=rgcsr.over_cpu("hyb", {"fp32": 48.17, "fp64": 42.63}),
        show="{share:.0f} %, {mean:.1f} times on average; of the {large_n} with 10 000 rows {large:.0f} %",
        holds=claimed_share),
    peer_claim(
        "(beside CSR on the GPU: ours)", "csr", OURS, {"fp32": 56.68, "fp64": 55.79},
        why_not="CSR by tiles pads nothing"),
    peer_claim("(beside CSR on the GPU: cuSPARSE's)", "cusparse_csr", OURS, {"fp32": 56.68, "fp64": 55.79}),
    peer_claim(FASTER_HYB, "hyb", PAPER, HYB),
    peer_claim("the same", "hyb", OURS, HYB, why_not="a thread a row does not fill today's GPU"),
    Claim(
        paper="the same",
        metric="the best of the search, T and orderings included",
        source="rgcsr", selection="all", measure=rgcsr.best_faster_than("hyb", claimed=HYB),
        show=SHARES,
        holds=claimed_share,
        why="HYB's two launches count on small matrices"),
    peer_claim(FASTER_HYB_LARGE, "hyb", PAPER, HYB_LARGE, rgcsr.is_large, f"{ROWS}, {HOLD}"),
    peer_claim(
        "the same", "hyb", OURS, HYB_LARGE, rgcsr.is_large, f"{ROWS}, {HOLD}",
        "few, and many of them with long rows"),
    Claim(
        paper="the same",
        metric="the best of the search, T and orderings included",
        source="rgcsr", selection=ROWS, measure=rgcsr.best_faster_than("hyb", rgcsr.is_large, HYB_LARGE),
        show=SHARES,
        holds=claimed_share,
        why_not="few, and many of them with long rows"),
    Claim(
        paper="(several threads a row, by our rule)",
        metric="groups of 128: share of the operators on which it is faster, from the tables in the JSON",
        source="rgcsr", selection=HOLD, measure=rgcsr.by_rule,
        show="than our CSR on {csr:.0f} %, cuSPARSE's on {cusparse:.0f} %, HYB on {hyb:.0f} %, {mean:.2f} times "
             "HYB on average",
        holds=None),
    Claim(
        paper="on fd18 and G2_circuit 4.93 and 3.74 times as fast as HYB (Table 6, double precision)",
        metric="HYB's time over that of the paper's kernel, groups of 128; the claim: faster on both",
        source="rgcsr", selection="their stand-ins", measure=rgcsr.beside_hyb("fd18", "G2_circuit"),
        show="{fd18:.2f} and {G2_circuit:.2f} times",
        holds=lambda f: min(f["fd18"], f["G2_circuit"]) > 1,
        why="HYB's two launches; where they do not count, the lead is gone"),
    Claim(
        paper="long rows ruin it: 0.019 and 0.058 GFLOP/s on trans4 and Raj1, 105 and 38 times slower than HYB (Table 6)",
        metric="time of the paper's kernel over HYB's; groups of 128, but of 64 for trans4, which 128 would pad too much; the claim: "
               "10 times on both",
        source="rgcsr", selection="their stand-ins", measure=rgcsr.long_rows("trans4", "Raj1"),
        show="{trans4:.0f} and {Raj1:.0f} times, {trans4_gflops:.3f} and {Raj1_gflops:.3f} GFLOP/s; the best of the search "
             "{trans4_best:.1f} and {Raj1_best:.1f} times HYB's time",
        holds=lambda f: min(f["trans4"], f["Raj1"]) >= 10,
        why="one group waits for its longest row"),
    Claim(
        paper="the same",
        metric="time over HYB's; the best of one thread a row, any group and kernel",
        source="rgcsr", selection="lp1, one row of 249 643 entries", measure=rgcsr.on_lp1,
        show="{one:.0f} times HYB's, {gflops:.2f} GFLOP/s; the best of the search {best:.1f} times HYB's, "
             "{csr:.0f} times our CSR's; T by rule {rule:.0f} us",
        holds=lambda f: f["one"] >= 10,
        why="one group waits for its longest row"),
    Claim(
        paper="descending order reduces the zeros drastically (Table 7)",
        metric="mean of the zeros of all; the claim: more than half of them go",
        source="rgcsr", selection=HOLD, measure=rgcsr.ordering("descending"),
        show="{before:.0f} to {after:.0f} %: {removed:.0f} % of them; {kernel}: faster on {faster:.0f} %, "
             "{speed:.2f} times on average; ordering takes {products:.0f} products (median)",
        holds=lambda f: f["removed"] > 50,
        why_not="most matrices have rows alike, where there is little to win; x is read in disorder"),
    Claim(
        paper="AMD ordering: more zeros than descending (Table 7)",
        metric="the same",
        source="rgcsr", selection=HOLD, measure=rgcsr.amd,
        show="{after:.0f} % beside {descending:.0f} %; faster than no order on {faster:.0f} %, {speed:.2f} times "
             "on average; ordering takes {products:.0f} products",
        holds=lambda f: f["after"] > f["descending"]),
    Claim(
        paper="AMD ordering: more hits in the cache (Table 7)",
        metric="hit rate of L1, where the texture cache of then is, by the profiler (`quadrille spmv --format rg_csr --kernel paper "
               "--rgcsr-group 128`, the kernel's second launch); the claim: more than without an order on all",
        source="h200_rgcsr_profiler.csv", selection="wave, dblp-2010, bcsstk17, email-Enron, aft01", measure=rgcsr.cache_hits,
        show="L1 {none:.1f} % without an order, {amd:.1f} % with AMD, {rcm:.1f} % with reverse Cuthill-McKee, {descending:.1f} % by "
             "length (means); more with AMD on {more} of {n}; L2 {none_l2:.1f} and {amd_l2:.1f} %; kernel time {time:.2f} times",
        holds=lambda f: f["more"] == f["n"],
        why="the product takes as long all the same",
        why_not="their rows stand in a good order already"),
    Claim(
        paper="(reverse Cuthill-McKee, not in the paper)",
        metric="the same as for AMD",
        source="rgcsr", selection=HOLD, measure=rgcsr.ordering("rcm"),
        show="{before:.0f} to {after:.0f} %; faster on {faster:.0f} %, {speed:.2f} times on average; ordering "
             "takes {products:.0f} products",
        holds=None),
    Claim(
        paper="x in the cache: 1.81 / 1.3 times at the peak, up to 30 / 37 % on average (4.3)",
        metric="GFLOP/s of the paper's kernel over those with loads of x past L1",
        source="rgcsr", selection=HOLD, measure=rgcsr.x_cache,
        show="{peak:.2f} times at the peak, {mean:.0f} % on average",
        holds=lambda f: f["peak"] >= f["claimed"]),
    Claim(
        paper="(groups of 32 in the matrix's order)",
        metric="the best of the search over this choice, from the tables in the JSON",
        source="rgcsr", selection="all", measure=rgcsr.rule,
        show="T by rule {ruled:.1f} %, worst {ruled_worst:.0f} %; T = 1 {one:.0f} %, worst {one_worst:.1f} %",
        holds=None),
]


def text(runs):
    return markdown.section(
        2, TITLE, "The paper: GTX 280, 1 596 matrices, fp32 / fp64. Groups of 32 to 256 rows, several orders, one thread a row and "
        "several. \"Large\" has 10 000 rows or more. What a group would pad too much is refused, so that speeds of different groups "
        "are of different operators unless said; zeros are of all.",
        claims_table(CLAIMS, runs), rgcsr_tables.text(runs), "![Performance profiles of RgCSR's choices, fp64](h200_rgcsr.png)")
