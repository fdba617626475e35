"""All formats: over the set, and on two grids beside cuSPARSE's."""
from . import markdown
from .records import PRECISIONS, files_text, geometric_mean, ms

TITLE = "All formats"
BASE = "cusparse_csr"
GRIDS = ((1, "256^3 DoF 1"), (4, "128^3 DoF 4"))
PEERS = {
    1: "h200_formats:dof1_fp64", 2: "h200_formats:peers_dof2_fp64", 3: "h200_formats:peers_dof3_fp64",
    4: "h200_formats:dof4_fp64"
}
LARGE = ("h200_large:512_dof4", "h200_large:256_dof8")


def over_the_set(runs):
    """Speed-up over cuSPARSE's CSR: geometric mean, and the worst operator."""
    found = {p: runs.operators("matrices", p) for p in PRECISIONS}
    names = dict.fromkeys(
        f for p in PRECISIONS for o in found[p].values() for f in o if f != BASE and not f.startswith("petsc"))
    rows = []
    for name in names:
        cells = {p: {m: ms(o[BASE]) / ms(o[name]) for m, o in found[p].items() if name in o} for p in PRECISIONS}
        if all(cells.values()):
            worst = {p: min(c, key=c.get) for p, c in cells.items()}
            rows.append(
                (geometric_mean(cells["fp64"].values()), f"`{name}`", markdown.per_precision(
                    str(len(c)) for c in cells.values()),
                 *(f"{geometric_mean(cells[p].values()):.2f} ({cells[p][worst[p]]:.3f} on {worst[p]})" for p in PRECISIONS)))
    return markdown.table(("format", "operators it holds, fp32 / fp64", "fp32", "fp64"),
                          [row[1:] for row in sorted(rows, reverse=True)])


def on_grids(runs):
    """Part of the floor."""
    columns = [{r["format"]: r
                for r in runs.lines(f"h200_formats:dof{dof}_{p}")} for dof, _ in GRIDS for p in reversed(PRECISIONS)]
    names = sorted(columns[2], key=lambda f: ms(columns[2][f]))
    rows = [(f"`{n}`", *(f"{c[n]['fraction_of_floor']:.3f} ({ms(c[n]):.3f} ms)" if n in c else "" for c in columns))
            for n in names]
    header = [f"{grid}, {p}" for _, grid in GRIDS for p in reversed(PRECISIONS)]
    return markdown.table(("of the floor", *header), rows)


def peers_text(runs):
    own, cds = [], []
    for name in PEERS.values():
        found = {r["format"]: ms(r) for r in runs.lines(name)}
        own.append(f"{found[BASE] / found['csr']:.2f}")
        cds.append(f"{found[BASE] / found['cds']:.2f}")
    best = {min((f for f in found if f.startswith("cusparse")), key=found.get)
            for found in ({r["format"]: ms(r) for r in runs.lines(name)} for name in PEERS.values())}
    return (f"cuSPARSE's best there is {' or '.join(f'`{b}`' for b in sorted(best))}. Our CSR over cuSPARSE's, fp64, at DoF "
            f"{', '.join(map(str, PEERS))}: {', '.join(own)} times; CDS over cuSPARSE's CSR: {', '.join(cds)} times.")


def transposed(runs):
    rows = []
    for name in ("h200_transposed:dof1_{}", "h200_transposed:dof2_fp64", "h200_transposed:dof4_{}"):
        for precision in PRECISIONS if "{}" in name else ("fp64",):
            for r in runs.lines(name.format(precision)):
                rows.append((f"`{r['format']}`", f"{r['grid']} DoF {r['dof']}", precision, f"{r['fraction_of_floor']:.3f}",
                             f"{ms(r):.3f}"))
    return markdown.table(("`A^T x`", "operator", "precision", "of the floor", "ms"), rows)


def large(runs):
    """Past CSR's indices."""
    rows = []
    for name in LARGE:
        for r in runs.report(name)["records"]:
            what = (r["skipped"], "", "", "") if r["skipped"] else (f"{ms(r):.1f} ms", f"{r['fraction_of_floor']:.3f}",
                                                                    f"{r['stored_bytes'] / 2**30:.0f}", f"{r['convert_ms']:.0f}")
            rows.append((f"`{r['format']}`", f"{r['grid']} DoF {r['dof']}", f"{r['nnz'] / 1e9:.1f}e9", *what))
    return markdown.table(
        ("format", "operator", "non-zeros", "product", "of the floor", "GiB stored", "assembly and conversion, ms"), rows)


def text(runs):
    return markdown.section(
        2, TITLE,
        f"Speed-up over cuSPARSE's CSR on the whole set ({files_text('matrices')}), geometric mean, and in brackets the worst "
        "operator:",
        over_the_set(runs), "![Performance profiles of all formats, fp64](h200_matrices.png)",
        "Part of the floor on two grids, in the same run (`h200_formats.json`):", on_grids(runs), peers_text(runs),
        "Transposed products (`spmv --transpose`, `h200_transposed.json`); `csr` scatters by atomic additions:",
        transposed(runs),
        "Operators past CSR's indices, assembled in the GPU's memory (fractions above 1: the ceiling was taken in as few places as fit "
        "beside each other):", large(runs))
