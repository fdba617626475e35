"""Tables 1, 2, 4, 6 and 7 of Oberhuber, Suzuki and Vacata 2010 (rgcsr.py has the figures)."""
from . import markdown, rgcsr
from .claim import NOT_MEASURED
from .own_matrices import OBERHUBER
from .records import PRECISIONS, mean, ms
from .rgcsr import OURS, PAPER

# GFLOP/s: (precision, cache for x) -> estimated (Table 1), and the highest of all matrices (4.3).
TABLE_1 = {("fp32", "without"): (23.5, 18.03), ("fp32", "with"): (35.25, 32.84), ("fp64", "without"): (14.1, 14.46),
           ("fp64", "with"): (23.5, 18.82)}
# matrix -> longest row, mean, GFLOP/s of RgCSR, HYB and CSR on the CPU.
TABLE_6 = {"fd18": (6, 3.860, 4.69, 0.95, 1.05), "G2_circuit": (6, 4.841, 9.36, 2.5, 0.60),
           "trans4": (114_190, 6.600, 0.019, 2.0, 0.59), "Raj1": (40_468, 4.938, 0.058, 2.2, 0.50)}
ORDERS = ("none", "descending", "amd")
# matrix -> zeros in per cent, and GFLOP/s, for each order.
TABLE_7 = {"fd18": ((2.76, 0.34, 26.38), (4.690, 4.845, 3.900)), "G2_circuit": ((3.90, 0.05, 2.03), (9.364, 9.210, 8.044)),
           "trans4": ((2118.1, 1452.8, 1613.3), (0.0189, 0.0191, 0.0188)),
           "Raj1": ((938.2, 189.3, 370.6), (0.0578, 0.0904, 0.0808))}


def spread(found, of):
    values = [of(o) for o in found]
    return [f"{f(values):,.0f}".replace(",", " ") for f in (min, max, mean)]


def table_2(runs):
    """Properties of the set."""
    found = list(rgcsr.operators(runs, "fp64").values())
    parts = (found, [o for o in found if not rgcsr.is_large(o)], [o for o in found if rgcsr.is_large(o)])
    columns = [[len(part), *spread(part, lambda o: o["rg_csr"]["rows"]), *spread(part, lambda o: o["rg_csr"]["nnz"])]
               for part in parts]
    names = ("number of matrices", "least rows", "most rows", "average rows", "least non-zeros", "most non-zeros",
             "average non-zeros")
    paper = ("1 598, 1 061, 537", "5, 5, 10 000", "2 063 494, 9 941, 2 063 494", "41 258, 3 253, 116 059", "15, 15, 6 639",
             "52 672 325, 3 279 690, 52 672 325", "947 367, 64 899, 2 684 263")
    return markdown.table(("", "all", "small", "large", "the paper"),
                          [(n, *row, p) for n, row, p in zip(names, zip(*columns), paper)])


def table_4(runs):
    rows = []
    for group in rgcsr.GROUPS:
        for kernel in (PAPER, OURS):
            cells = []
            for precision in PRECISIONS:
                found = rgcsr.having_variant(rgcsr.operators(runs, precision), group, kernel)
                speeds = [v["gflops"] for _, v in found]
                table = (runs, precision, "Table 4", f"{group}, T 1")
                zeros = (f"{z:.0f}" for z in (rgcsr.table_mean(*table, "zeros mean %"), rgcsr.table_end(*table, "zeros max %", max)))
                cells.append((len(found), *zeros, f"{min(speeds):.2f}", f"{mean(speeds):.1f}", f"{max(speeds):.0f}") if found
                             else [NOT_MEASURED] * 6)
            rows.append((group, "paper's" if kernel == PAPER else "ours, T = 1", *(" / ".join(map(str, dict.fromkeys(c)))
                                                                                   for c in zip(*cells))))
    return markdown.table(("group", "kernel", "operators", "zeros %, mean", "most", "GFLOP/s, least", "mean", "most"), rows)


def table_1(runs):
    rows = []
    for (precision, cache), paper in TABLE_1.items():
        line = rgcsr.table_1(runs, precision, cache)
        rows.append((f"{precision}, {cache}", *paper, *(f"{line[f'{precision} {of}']:.0f}" for of in (
            "estimated", "measured", "of the estimate %"))))
    return markdown.table(("cache for x", "paper: estimated", "highest", "here: estimated", "measured", "% of the estimate"), rows)


def card_gbps(runs):
    """2 operations for the 8 bytes of a value and an index."""
    return 4 * rgcsr.table_1(runs, "fp32", "with")["fp32 estimated"]


def gflops(operator, time):
    return 2 * operator["rg_csr"]["nnz"] / time / 1e6


def digits(value):
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def table_6(runs):
    found = rgcsr.operators(runs, "fp64")
    rows = []
    for name, (longest, average, rg_csr, hyb, csr) in TABLE_6.items():
        operator = found[OBERHUBER.stand_ins[name]]
        group, v = rgcsr.widest(operator, PAPER)
        own = [gflops(operator, t) for t in (v["ms"], ms(operator["hyb"]), ms(operator["petsc_aij"]))]
        fields = operator["rg_csr"]
        rows.append((name, fields["rows"], f"{average} and {longest}", f"{fields['nnz'] / fields['rows']:.3f}", group, rg_csr,
                     digits(own[0]), hyb, digits(own[1]), f"{rg_csr / hyb:.3g}", f"{own[0] / own[1]:.3g}", csr, digits(own[2])))
    return markdown.table(("matrix", "rows", "paper: mean and longest row", "here: mean", "group here", "paper: RgCSR", "here",
                           "paper: HYB", "here", "paper: ratio", "here", "paper: CSR on the CPU", "here"), rows)


def table_7(runs):
    found = rgcsr.operators(runs, "fp64")
    rows = []
    for name, (zeros, speeds) in TABLE_7.items():
        for order, percent, speed in zip(ORDERS, zeros, speeds):
            group, v = rgcsr.widest(found[OBERHUBER.stand_ins[name]], PAPER, order)
            rows.append((name, order, group, percent, f"{v['zeros_percent']:.1f}", speed, digits(v["gflops"])))
    return markdown.table(("matrix", "order", "group here", "paper: zeros, %", "here", "paper: GFLOP/s", "here"), rows)


def cell_of(value):
    if not isinstance(value, float):
        return "" if value is None else value
    return f"{value:.0f}" if value == int(value) else f"{value:.3g}"


def where_they_differ(runs):
    """The program's own Table 6, of the set alone."""
    parts = []
    for precision in PRECISIONS:
        found = next(t for t in runs.reports("rgcsr", precision)[0]["tables"] if t["title"].startswith("Table 6"))
        rows = [[cell_of(value) for value in line.values()] for line in found["lines"]]
        parts += [f"{found['title']}, of the set without the stand-ins:", markdown.table(found["lines"][0], rows)]
    return "\n\n".join(parts)


def text(runs):
    return "\n\n".join([
        f"Table 1, GFLOP/s; estimated from the card's bandwidth, here {card_gbps(runs):.0f} GB/s; measured by the paper's kernel in "
        f"groups of 128 on {rgcsr.BEYOND}, which does not fit the cache:", table_1(runs),
        "Table 2, the set (fp64):", table_2(runs), "Table 4 over the set, fp32 / fp64:", table_4(runs),
        "Table 6, fp64: the paper's four matrices by their stand-ins, the paper's kernel, GFLOP/s. The stand-ins of trans4 and Raj1 "
        "have 4 entries in all rows but the long one; the rows of those of fd18 and G2_circuit differ more "
        "in length than the originals':",
        table_6(runs),
        "Table 7, fp64: the same four by order. What the orders gain in the paper hangs on row lengths that the stand-ins do not "
        "have:", table_7(runs),
        where_they_differ(runs)])
