"""The claims of Oberhuber, Suzuki and Vacata 2010 (rgcsr.py has the figures)."""
from . import markdown, rgcsr
from .claim import Claim, NOT_MEASURED, claims_table
from .records import PRECISIONS, mean
from .rgcsr import OURS, PAPER

TITLE = "RgCSR: Oberhuber, Suzuki and Vacata 2010"
KERNELS = {OURS: "our kernel with T = 1, which has eight loads in flight", PAPER: "the paper's kernel"}
SHARES = "{share:.0f} %, {mean:.2f} times on average (geometric mean {geometric:.2f})"
HOLD = "groups of 128 where they can be held"


def claimed_share(figures):
    return figures["share"] >= figures["claimed"]


def group_claim(kernel):
    return Claim("groups of 128 are the best, up to 32.8 / 18.8 GFLOP/s (4.3, Table 4)", f"GFLOP/s by group, arithmetic mean; {KERNELS[kernel]}; "
                 "the claim: 128 has the best mean", "rgcsr", "what all four groups can hold", rgcsr.best_group(kernel),
                 "mean {means}; highest {peaks}; of all operators up to {peak:.0f} with {peak_group}", lambda f: f["mean_group"] == 128,
                 "a block of 128 threads had to hide latency there" if kernel == OURS else "")


def peer_claim(paper, peer, kernel, claimed, chosen=lambda o: True, selection=HOLD, why=""):
    return Claim(paper, f"time of `{peer}` over that of groups of 128, mean of the ratios; {KERNELS[kernel]}", "rgcsr", selection,
                 rgcsr.faster_than(peer, kernel, chosen, claimed), SHARES, claimed_share, why)


HYB, HYB_LARGE = {"fp32": 77.14, "fp64": 80.67}, {"fp32": 62.57, "fp64": 71.40}
FASTER_HYB = "faster than HYB on 77 / 81 %, 2.55 / 3.21 times on average (Table 5)"
FASTER_HYB_LARGE = "of large matrices on 63 / 71 %, 1.24 / 2.18 times (Table 5)"
ROWS = "10 000 rows or more"
CLAIMS = [
    Claim("artificial zeros of 105 % on average with groups of 32, 304 % with 256, at most 8 494 % (Table 4)",
          "artificial zeros in per cent of the non-zeros, mean; the claim: within half and twice of both", "rgcsr", "all, from the tables in the JSON",
          rgcsr.zeros, "{least:.0f} and {most:.0f} %, at most {worst:.0f} %; with 32, 64, 128 and 256 rows {counts} operators can be held",
          lambda f: 0.5 < f["least"] / 105 < 2 and 0.5 < f["most"] / 304 < 2, "other matrices, the same kind of rows"),
    group_claim(PAPER), group_claim(OURS),
    Claim("93 / 80 % of the estimated peak at best (4.3, Table 1: 35.25 / 23.5 GFLOP/s with x in the cache, 23.5 / 14.1 without)",
          "GFLOP/s over 2 operations for the bytes of a value and an index, at the stream's speed", "h200_formats_dof1_*.json",
          "256^3 DoF 1, several threads a row by rule", rgcsr.of_the_peak, "{share:.0f} % of {with_cache:.0f} GFLOP/s ({without:.0f} without "
          "the cache); {floor:.2f} of the stream with the bytes of x and y", lambda f: f["share"] >= f["claimed"],
          "the estimate leaves out x, y and the lengths, which at seven entries a row are a good part"),
    Claim("faster than CSR, on one core of a CPU, on 57 / 56 % (Table 5)", "time of PETSc's AIJ on one thread over ours with the default "
          "group, mean of the ratios", "matrices", "all", rgcsr.over_cpu("rg_csr", {"fp32": 56.68, "fp64": 55.79}),
          "{share:.0f} %, {mean:.1f} times on average; of the {large_n} with 10 000 rows {large:.0f} %", claimed_share,
          "the peer is PETSc; small matrices stay in its cache, and a launch takes longer"),
    Claim("HYB is faster than CSR, on one core of a CPU, on 48 / 43 % (Table 5)", "the same", "matrices", "all",
          rgcsr.over_cpu("hyb", {"fp32": 48.17, "fp64": 42.63}), "{share:.0f} %, {mean:.1f} times on average; of the {large_n} with 10 000 rows "
          "{large:.0f} %", claimed_share, "the same"),
    peer_claim("(beside CSR on the GPU: ours)", "csr", OURS, {"fp32": 56.68, "fp64": 55.79}, why="CSR by tiles pads nothing"),
    peer_claim("(beside CSR on the GPU: cuSPARSE's)", "cusparse_csr", OURS, {"fp32": 56.68, "fp64": 55.79}),
    peer_claim(FASTER_HYB, "hyb", PAPER, HYB), peer_claim("the same", "hyb", OURS, HYB, why="a thread a row does not fill today's GPU"),
    Claim("the same", "the best of the search, T and orderings included", "rgcsr", "all", rgcsr.best_faster_than("hyb", claimed=HYB), SHARES,
          claimed_share, "HYB's two launches count on small matrices"),
    peer_claim(FASTER_HYB_LARGE, "hyb", PAPER, HYB_LARGE, rgcsr.is_large, f"{ROWS}, {HOLD}"),
    peer_claim("the same", "hyb", OURS, HYB_LARGE, rgcsr.is_large, f"{ROWS}, {HOLD}", "few, and half of them with long rows"),
    Claim("the same", "the best of the search, T and orderings included", "rgcsr", ROWS,
          rgcsr.best_faster_than("hyb", rgcsr.is_large, HYB_LARGE), SHARES, claimed_share, "few, and half of them with long rows"),
    Claim("(several threads a row, by our rule)", "groups of 128: share of the operators on which it is faster, from the tables in the JSON",
          "rgcsr", HOLD, rgcsr.by_rule, "than our CSR on {csr:.0f} %, cuSPARSE's on {cusparse:.0f} %, HYB on {hyb:.0f} %, {mean:.2f} times HYB "
          "on average", None),
    Claim("long rows ruin it: 0.019 GFLOP/s on trans4, 100 times slower than HYB (Table 6)", "time over HYB's; the best of one thread a row "
          "(ours); the claim: 10 times", "rgcsr", "lp1, one row of 249 643 entries, in the place of trans4", rgcsr.long_rows,
          "{one:.0f} times HYB's, {gflops:.2f} GFLOP/s; the best of the search {best:.1f} times HYB's, {csr:.0f} times our CSR's; T by rule "
          "{rule:.0f} us", lambda f: f["one"] >= 10, "one group waits for its longest row"),
    Claim("descending order reduces the zeros drastically (Table 7)", "mean of the zeros of all; the claim: more than half of them go; T = 1", "rgcsr", HOLD,
          rgcsr.ordering("descending"), "{before:.0f} to {after:.0f} %: {removed:.0f} % of them; faster on {faster:.0f} %, {speed:.2f} times on "
          "average; ordering takes {products:.0f} products (median)", lambda f: f["removed"] > 50,
          "most matrices have rows alike, where there is little to win; x is read in disorder"),
    Claim("AMD ordering: more zeros than descending (Table 7)", "the same", "rgcsr", HOLD, rgcsr.amd, "{after:.0f} % beside "
          "{descending:.0f} %; faster than no order on {faster:.0f} %, {speed:.2f} times on average; ordering takes {products:.0f} products",
          lambda f: f["after"] > f["descending"]),
    Claim("AMD ordering: more hits in the cache (Table 7)", "hits and misses by the profiler", "rgcsr", "all", lambda runs, precision: None, "",
          lambda f: False),
    Claim("(reverse Cuthill-McKee, not in the paper)", "the same as for AMD", "rgcsr", HOLD, rgcsr.ordering("rcm"),
          "{before:.0f} to {after:.0f} %; faster on {faster:.0f} %, {speed:.2f} times on average; ordering takes {products:.0f} products",
          None),
    Claim("x in the cache: 1.81 / 1.3 times at the peak, up to 30 / 37 % on average (4.3)", "GFLOP/s of the paper's kernel over those with loads "
          "of x past L1", "rgcsr", HOLD, rgcsr.x_cache, "{peak:.2f} times at the peak, {mean:.0f} % on average",
          lambda f: f["peak"] >= f["claimed"]),
    Claim("(groups of 32 in the matrix's order)", "the best of the search over this choice, from the tables in the JSON", "rgcsr", "all",
          rgcsr.rule, "T by rule {ruled:.1f} %, worst {ruled_worst:.0f} %; T = 1 {one:.0f} %, worst {one_worst:.1f} %", None),
]


def spread(found, of):
    values = [of(o) for o in found]
    return [f"{f(values):,.0f}".replace(",", " ") for f in (min, max, mean)]


def table_2(runs):
    """Properties of the set."""
    found = list(rgcsr.operators(runs, "fp64").values())
    parts = (found, [o for o in found if not rgcsr.is_large(o)], [o for o in found if rgcsr.is_large(o)])
    columns = [[len(part), *spread(part, lambda o: o["rg_csr"]["rows"]), *spread(part, lambda o: o["rg_csr"]["nnz"])] for part in parts]
    names = ("number of matrices", "least rows", "most rows", "average rows", "least non-zeros", "most non-zeros", "average non-zeros")
    paper = ("1 598, 1 061, 537", "5, 5, 10 000", "2 063 494, 9 941, 2 063 494", "41 258, 3 253, 116 059", "15, 15, 6 639",
             "52 672 325, 3 279 690, 52 672 325", "947 367, 64 899, 2 684 263")
    return markdown.table(("", "all", "small", "large", "the paper"), [(n, *row, p) for n, row, p in zip(names, zip(*columns), paper)])


def table_4(runs):
    rows = []
    for group in rgcsr.GROUPS:
        for kernel in (PAPER, OURS):
            cells = []
            for precision in PRECISIONS:
                found = rgcsr.having_variant(rgcsr.operators(runs, precision), group, kernel)
                speeds = [v["gflops"] for _, v in found]
                zeros = (f"{rgcsr.table_line(runs, precision, 'Table 4', f'{group}, T 1', f'zeros {of} %'):.0f}" for of in ("mean", "max"))
                cells.append((len(found), *zeros, f"{min(speeds):.2f}", f"{mean(speeds):.1f}", f"{max(speeds):.0f}") if found
                             else [NOT_MEASURED] * 6)
            rows.append((group, "paper's" if kernel == PAPER else "ours, T = 1", *(" / ".join(map(str, dict.fromkeys(c))) for c in zip(*cells))))
    return markdown.table(("group", "kernel", "operators", "zeros %, mean", "most", "GFLOP/s, least", "mean", "most"), rows)


def text(runs):
    return markdown.section(
        2, TITLE, "The paper: GTX 280, 1 596 matrices, fp32 / fp64. Groups of 32 to 256 rows, several orders, one thread a row and several. "
        "\"Large\" has 10 000 rows or more. What a group would pad too much is refused, so that speeds of different groups are of different operators unless said; "
        "zeros are of all.",
        claims_table(CLAIMS, runs), "Table 2, the set (fp64):", table_2(runs), "Table 4 over the set, fp32 / fp64:", table_4(runs),
        "![Performance profiles of RgCSR's choices, fp64](h200_rgcsr.png)")
