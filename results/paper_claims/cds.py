"""Godwin, Holewinski and Sadayappan 2012: sparse matrix-vector products on GPUs for structured grids."""
from . import asked, markdown
from .claim import Claim, claims_table
from .records import PRECISIONS, geometric_mean, mean, percent

TITLE = "CDS: Godwin, Holewinski and Sadayappan 2012"
RUN, FILE = "h200_dof_scaling:all", "h200_dof_scaling.json.gz"
GRID = "64x64x64"
SHOWN = (1, 4, 16)  # unknowns per node
CSR = ("petsc_aijcusparse", "cusparse_csr")  # PETSc's on the GPU where it was measured
IN_CLAIMS = ("cds", "dia", "ell")


def points(runs, precision, chosen=lambda dof: True):
    """(grid, DoF) -> {format -> record}."""
    found = {}
    for record in runs.lines(RUN):
        if record["precision"] == precision and chosen(record["dof"]):
            found.setdefault((record["grid"], record["dof"]), {})[record["format"]] = record
    return found


def csr_name(point):
    return next(name for name in CSR if name in point)


def ratios(found, over, under, field="gflops"):
    return [p[over][field] / p[under][field] for p in found.values() if over in p and under in p]


def kernel_name(kernel):
    return {"cds": "our kernel", "cds_paper": "the paper's kernel, a thread a row"}[kernel]


def at_one(kernel):
    def measure(runs, precision):
        found = ratios(points(runs, precision, lambda dof: dof == 1), kernel, "dia")
        return {"n": len(found), "low": min(found), "high": max(found)} if found else None

    return measure


def with_dof(kernel):
    """On how many grids CDS has more GFLOP/s with 16 unknowns than with 1, and DIA less."""
    def measure(runs, precision):
        found = points(runs, precision)
        grids = list(dict.fromkeys(grid for grid, _ in found))
        if not any(kernel in p for p in found.values()):
            return None
        speeds = {f: {g: [found[g, d][f]["gflops"] for d in SHOWN] for g in grids} for f in (kernel, "dia")}
        return {"n": len(found), "grids": len(grids), "cds": sum(s[2] > s[0] for s in speeds[kernel].values()),
                "dia": sum(s[2] < s[0] for s in speeds["dia"].values()),
                "cds_text": ", ".join(f"{s:.0f}" for s in speeds[kernel][GRID]),
                "dia_text": ", ".join(f"{s:.0f}" for s in speeds["dia"][GRID])}

    return measure


def faster_than(kernel, other, field="gflops", chosen=lambda dof: True):
    def measure(runs, precision):
        found = points(runs, precision, chosen)
        values = ratios(found, kernel, other, field)
        if not values:
            return None
        return {"n": len(values), "wins": sum(v > 1 for v in values), "low": min(values), "high": max(values),
                "mean": geometric_mean(values)}

    return measure


def poorest(runs, precision):
    found = points(runs, precision)
    slowest = sum(p[csr_name(p)]["gflops"] < min(p[f]["gflops"] for f in IN_CLAIMS) for p in found.values())
    over = [p["cds"]["gflops"] / p[csr_name(p)]["gflops"] for p in (found[GRID, d] for d in SHOWN)]
    return {"n": len(found), "slowest": slowest, "peer": csr_name(found[GRID, 1]), "over": ", ".join(f"{r:.1f}" for r in over)}


def star_lines(runs, precision):
    """Of the files of the star with DoF 1 to 8, on grids that are powers of two, above 500 MB."""
    names = asked.STAR
    return [r for name in names for r in runs.lines(name) if r["precision"] == precision and asked.is_large(r)]


def odd_and_even(runs, precision):
    found = star_lines(runs, precision)
    odd, even = ([r["fraction_of_floor"] for r in found if r["dof"] % 2 == rest] for rest in (1, 0))
    return {"n": len(found), "odd": mean(odd), "even": mean(even), "low": min(odd + even), "high": max(odd + even)}


def other_kernel(runs, precision):
    values = ratios(points(runs, precision), "cds", "cds_paper")
    return {"n": len(values), "low": min(values), "high": max(values), "mean": geometric_mean(values)} if values else None


WINS = "on {wins} of {n}, {low:.2f} to {high:.2f} times, {mean:.2f} on average"
ALL = "256^2, 512^2, 32^3, 64^3, DoF 1 to 16"


def both(paper, metric, selection, measure, show, holds, why="", why_not=""):
    """A row for the paper's kernel, and one for ours."""
    return [Claim(paper if kernel == "cds_paper" else "the same", f"{metric}; {kernel_name(kernel)}", FILE, selection,
                  measure(kernel), show, holds, why, why_not) for kernel in ("cds_paper", "cds")]


CLAIMS = [
    *both(
        paper="CDS equals DIA with one unknown, on all grids (4.1, Figure 7)",
        metric="GFLOP/s of CDS over DIA's; the claim: none below 0.95",
        selection="DoF 1", measure=at_one,
        show="{low:.2f} to {high:.2f} on {n} grids",
        holds=lambda f: f["low"] >= 0.95,
        why="one diagonal after the other, in both",
        why_not="a launch is most of the time there"),
    *both(
        paper="with more unknowns DIA gets worse and CDS better (4.1, Figure 7)",
        metric="GFLOP/s with DoF 16 beside DoF 1; the claim: both, on all grids",
        selection=ALL, measure=with_dof,
        show="CDS gains on {cds} of {grids} grids, DIA loses on {dia}; 64^3, DoF 1, 4, 16: CDS {cds_text}, DIA "
             "{dia_text}",
        holds=lambda f: f["cds"] == f["grids"] == f["dia"],
        why_not="CDS gains; DIA stays behind but does not fall, for caches serve its x"),
    *both(
        paper="better than DIA in the majority of cases (4.1)",
        metric="GFLOP/s; the claim: on more than half",
        selection=ALL, measure=lambda kernel: faster_than(kernel, "dia"),
        show=WINS,
        holds=lambda f: 2 * f["wins"] > f["n"]),
    *both(
        paper="generally better than ELLPACK (4.1, Figure 7)",
        metric="GFLOP/s; the claim: on more than half",
        selection=ALL, measure=lambda kernel: faster_than(kernel, "ell"),
        show=WINS,
        holds=lambda f: 2 * f["wins"] > f["n"],
        why="ELL reads an index for each value"),
    Claim(
        paper="CSR is the worst of all four, across all problems (4.1)",
        metric="GFLOP/s of CSR on the GPU (PETSc's `aijcusparse` where it was measured, else cuSPARSE's) beside "
               "CDS, DIA and ELL",
        source=FILE, selection=ALL, measure=poorest,
        show="`{peer}` on {slowest} of {n}; CDS over it on 64^3, DoF 1, 4, 16: {over} times",
        holds=lambda f: f["slowest"] == f["n"],
        why="DIA stores and reads the zeros of its diagonals"),
    *both(
        paper="more bandwidth than DIA in most cases (4.2, Figure 8)",
        metric="each one's own bytes over its time; the claim: on more than half",
        selection=ALL, measure=lambda kernel: faster_than(kernel, "dia", "gbps"),
        show=WINS,
        holds=lambda f: 2 * f["wins"] > f["n"],
        why_not="both are near the stream; padding earns GB/s"),
    Claim(
        paper="bandwidth varies with odd or even DoF on GTX 280, not much on GTX 580 (4.2, Figure 8)",
        metric="part of the floor, mean of odd and of even DoF; the claim: within 0.02",
        source="h200_cds:star*", selection="star, DoF 1 to 8, above 500 MB", measure=odd_and_even,
        show="odd {odd:.3f}, even {even:.3f}; {low:.3f} to {high:.3f}",
        holds=lambda f: abs(f["odd"] - f["even"]) <= 0.02,
        why="32-byte sectors and L1 serve any alignment"),
    Claim(
        paper="(our kernel over the paper's)",
        metric="GFLOP/s",
        source=FILE, selection=ALL, measure=other_kernel,
        show="{low:.2f} to {high:.2f} times, {mean:.2f} on average",
        holds=None),
    *[Claim(f"({text})", f"time over that of CDS, {place}", FILE, place, measure, WINS, None) for text, place, measure in (
        ("beside BCSR", ALL, faster_than("cds", "bcsr")),
        ("beside cuSPARSE's sliced ELLPACK", ALL, faster_than("cds", "cusparse_sell")),
        ("beside PETSc's AIJ on one thread of the CPU", ALL, faster_than("cds", "petsc_aij")))],
]


def below_range(runs):
    """Every line of CDS with DoF 1 to 8 above 500 MB, of any file, that is below the least of the star's."""
    rows = []
    for precision in PRECISIONS:
        least = min(r["fraction_of_floor"] for r in star_lines(runs, precision))
        for name in asked.CDS_FILES:
            for r in runs.lines(name.format(precision)):
                if (r["format"], r["precision"]) == ("cds", precision) and r["dof"] <= 8 and asked.is_large(r) \
                        and r["product"] == "A x" and r["fraction_of_floor"] < least:
                    boundary = ", periodic" if r["boundary"] == "periodic" else ""
                    rows.append((f"{r['grid']} {r['stencil']}, DoF {r['dof']}{boundary}", precision,
                                 f"{r['fraction_of_floor']:.3f}", f"`{name.format(precision)}`"))
    return markdown.table(("operator", "precision", "of the floor", "file"), rows)


def speeds_table(runs):
    """GFLOP/s on 64^3: Figure 7's lower right."""
    formats = list(dict.fromkeys(f for p in PRECISIONS for point in points(runs, p).values() for f in point))
    dofs = sorted({dof for _, dof in points(runs, "fp64")})

    def cell(name, dof):
        found = [points(runs, p)[GRID, dof] for p in PRECISIONS]
        return markdown.per_precision(f"{point[name]['gflops']:.0f}" if name in point else "-" for point in found)

    rows = [(f"`{name}`", *(cell(name, dof) for dof in dofs)) for name in formats]
    return markdown.table(("GFLOP/s, 64^3", *(f"DoF {d}" for d in dofs)), rows)


def best_peer_text(runs):
    """Where CDS's data do not fit the cache, and where they do with DoF 1 and 2."""
    outside, inside, times = [], [], []
    for precision in PRECISIONS:
        found = points(runs, precision)
        values = [p["cds"]["gflops"] / max(p[f]["gflops"] for f in p if f.startswith("cusparse")) for p in found.values()
                  if not p["cds"]["in_cache"]]
        times += [1000 * min(p[f]["ms_median"] for f in ("cds", "ell", "bcsr", "dia")) for (_, dof), p in found.items()
                  if p["cds"]["in_cache"] and dof <= 2]
        small = [p["cds"]["gflops"] / max(p[f]["gflops"] for f in ("ell", "bcsr", "dia")) for (_, dof), p in found.items()
                 if p["cds"]["in_cache"] and dof <= 2]
        outside.append(f"{min(values):.2f} to {max(values):.2f} times ({precision}, {len(values)} operators)")
        inside.append(f"{percent(1 - min(small), 1):.0f} % ({precision})")
    launch = 1000 * float(runs.report(RUN)["machine"]["gpu_empty_kernel_ms"])
    return (f"Where CDS's data do not fit the cache it is {' and '.join(outside)} as fast as cuSPARSE's best. In the cache at "
            f"DoF 1 and 2, where the fastest takes {min(times):.1f} to {max(times):.1f} us and an empty kernel {launch:.1f}, it loses up to {' and '.join(inside)} to ELL, BCSR or DIA.")


def text(runs):
    skipped = sum(bool(r["skipped"]) for r in runs.report(RUN)["records"])
    worst = max(r["error_over_bound"] for r in runs.lines(RUN))
    count = f"{len(runs.report(RUN)['records'])} lines, {skipped} of them refused, the worst error {worst:.3f} of its bound."
    return markdown.section(
        2, TITLE, f"The paper: GTX 280, Quadro Plex S2200 S4, GTX 580, Tesla C2050. `{FILE}`: {count}",
        claims_table(CLAIMS, runs), best_peer_text(runs), "fp32 / fp64:", speeds_table(runs),
        "Lines of CDS with DoF 1 to 8 above 500 MB, of any file, that are below the star's range (`h200_cds:star*`):",
        below_range(runs))
