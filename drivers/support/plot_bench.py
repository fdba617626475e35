#!/usr/bin/python3
"""Draws the figure of a `quadrille bench ... --json FILE.json` run.

    plot_bench.py FILE.json PREFIX [--as dof-scaling|bandwidth]

writes PREFIX.png and PREFIX.svg; FILE.json may be - for standard input.

dof-scaling and bandwidth: one panel per grid and precision, with GFLOP/s, or GB/s under the ceiling of a stream, over the
unknowns per node. Both measure the same, so --as draws either figure from either run.

Experiments with a summary over a set of operators: one panel per summary, with the performance profile of each method: the
share of the operators on which it takes at most so many times the fastest's time. The legend has the best on top.
"""
import argparse
import math
import re
import sys

from plot_common import (BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, PlotError, outcome, prepare, read_json, run,
                         save)

QUANTITIES = {"dof-scaling": ("gflops", "GFLOP/s"), "bandwidth": ("gbps", "bandwidth (GB/s)")}

# A peer has the colour of our format with its layout.
LOOKS = {
    "cds": (VERMILION, "o"), "dia": (PURPLE, "D"), "ell": (ORANGE, "^"), "bcsr": (GREEN, "s"), "csr": (BLUE, "v"),
    "cusparse_csr": (BLUE, "<"), "cusparse_sell": (ORANGE, ">"), "cusparse_bsr": (GREEN, "P"),
    "cusparse_csc": (SKY, "4"), "petsc_aij": (BLACK, "X"),
    "petsc_aijcusparse": (BLACK, "P"), "cds_paper": (VERMILION, "x"),
    "csc": (SKY, "<"), "coo": (SKY, ">"), "ellr_t": (ORANGE, "p"), "rg_csr": (SKY, "h"), "cmrs": (SKY, "d"),
    "hyb": (PURPLE, "p"),
}
CYCLE = (VERMILION, BLUE, GREEN, ORANGE, SKY, PURPLE, BLACK)
SHADES = ("Blues", "Oranges", "Greens", "Purples", "Reds", "Greys")
PEER, DOTS, DOT_DASH = (0, (3.2, 1.6)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5))
DASHES = {"csc": DOTS, "coo": DOT_DASH, "rg_csr": (0, (7, 1.2)), "ellr_t": DOTS, "hyb": DOTS}  # of one colour, in profiles
NAMES = {"cusparse_csr": "cuSPARSE CSR", "cusparse_sell": "cuSPARSE SELL", "cusparse_bsr": "cuSPARSE BSR",
         "cusparse_csc": "cuSPARSE CSC", "petsc_aij": "PETSc AIJ (CPU)", "petsc_aijcusparse": "PETSc aijcusparse",
         "cds_paper": "CDS, paper's kernel", "ellr_t": "ELLR-T", "rg_csr": "RgCSR"}
STREAM, IN_CACHE = "stream ceiling", "fits the last cache"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="Draw the figure of a bench run.")
    parser.add_argument("file", help="the JSON file of quadrille bench, or - for standard input")
    parser.add_argument("prefix", help="PREFIX.png and PREFIX.svg are written")
    parser.add_argument("--as", dest="bench", choices=list(QUANTITIES), help="the figure (default: the run's own)")
    return parser.parse_args(arguments)


def read_report(path):
    name, report = read_json(path)
    records = report.get("records") if isinstance(report, dict) else None
    benches = {record.get("bench") for record in records or []}
    if len(benches) != 1 or not (benches <= set(QUANTITIES) or "summary" in report):
        raise PlotError(f"{name}: not the records of one bench that this script draws: {', '.join(QUANTITIES)}, or one "
                        "with a summary over a set of operators")
    if all(record["skipped"] for record in records):
        raise PlotError(f"{name}: every line was refused; there is nothing to draw")
    return report


def unique(values):
    return list(dict.fromkeys(values))


def is_peer(name):
    return name.startswith(("petsc_", "cusparse_"))


def size_text(grid):
    extents = grid.split("x")
    if len(set(extents)) == 1:
        return f"${extents[0]}^{len(extents)}$"
    return " × ".join(extents)


def arrange(records):
    """Rows of panels, each a list of (grid, precision)."""
    grids, precisions = unique(r["grid"] for r in records), unique(r["precision"] for r in records)
    width = 2 if len(precisions) == 1 and len(grids) in (2, 4) else 4
    return [[(grid, precision) for grid in grids[begin:begin + width]]
            for precision in precisions for begin in range(0, len(grids), width)]


def draw_line(axes, lines, dofs, value, name, label):
    """One format. Points that fit the last cache are hollow; where it was refused the line has a gap."""
    colour, marker = LOOKS.get(name, (BLACK, "*"))
    by_dof = {r["dof"]: r for r in lines if not r["skipped"]}
    values = [by_dof[dof][value] if dof in by_dof else math.nan for dof in dofs]
    first = name == "cds"
    size = 3.6 if marker in "DspPX" else 4.2
    (line,) = axes.plot(dofs, values, color=colour, linestyle=PEER if is_peer(name) else "-",
                        linewidth=1.7 if first else 1.1, zorder=4 if first else 3, label=label)
    for hollow in (False, True):
        chosen = [dof for dof in dofs if dof in by_dof and by_dof[dof]["in_cache"] == hollow]
        if not chosen:
            continue
        axes.plot(chosen, [by_dof[dof][value] for dof in chosen], linestyle="none", marker=marker, markersize=size,
                  markeredgewidth=0.9, color=colour, markerfacecolor="white" if hollow else colour,
                  clip_on=False, zorder=line.get_zorder() + 0.1)
    return colour, marker, size, line


def draw_panel(axes, records, bench, value, legend):
    dofs = sorted(set(r["dof"] for r in records))
    spaces = {}
    for r in records:
        spaces.setdefault(r["format"], set()).add(r["space"])
    if bench == "bandwidth":
        # As in the table: the stream with the bytes of the first format that is there.
        ceiling = [next((r["ceiling_gbps"] for r in records if r["dof"] == dof and not r["skipped"]), math.nan)
                   for dof in dofs]
        (line,) = axes.plot(dofs, ceiling, color="0.45", linewidth=2.6, alpha=0.55, solid_capstyle="round", zorder=2)
        legend.setdefault(STREAM, line)
    for name, space in unique((r["format"], r["space"]) for r in records):
        lines = [r for r in records if (r["format"], r["space"]) == (name, space)]
        if all(r["skipped"] for r in lines):
            continue
        label = NAMES.get(name, name.upper()) + (f" ({space})" if len(spaces[name]) > 1 else "")
        colour, marker, size, line = draw_line(axes, lines, dofs, value, name, label)
        legend.setdefault(label, line_with_marker(line, colour, marker, size))


def line_with_marker(line, colour, marker, size):
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linestyle=line.get_linestyle(), linewidth=line.get_linewidth(), marker=marker,
                  markersize=size)


def mark_dofs(axes, dofs):
    from matplotlib.ticker import FixedLocator

    few = len(dofs) <= 8
    axes.xaxis.set_major_locator(FixedLocator(dofs if few else [d for d in dofs if d == 1 or d % 4 == 0]))
    axes.xaxis.set_minor_locator(FixedLocator([] if few else dofs))
    axes.set_xlim(dofs[0] - 0.04 * (dofs[-1] - dofs[0] + 4), dofs[-1] + 0.04 * (dofs[-1] - dofs[0] + 4))


def even_rows(labels, most):
    """The labels in as few rows as `most` a row allows, and about as many in each."""
    rows = max(1, math.ceil(len(labels) / most))
    width = max(1, math.ceil(len(labels) / rows))
    return [labels[begin:begin + width] for begin in range(0, len(labels), width)]


def place_legend(figure, legend):
    """Above the panels; the figure grows by its height (matplotlib 3.7 could place it by itself; Debian 12 has 3.6).
    Our formats stand in the first rows, the peers and the rest in the next."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D

    ours = [label for label, line in legend.items() if line.get_linestyle() == "-" and label != STREAM]
    rest = sorted((label for label in legend if label not in ours), key=lambda label: label in (STREAM, IN_CACHE))
    nothing = Line2D([], [], linestyle="none")
    for columns in range(max(len(ours), len(rest)), 0, -1):
        rows = even_rows(ours, columns) + even_rows(rest, columns)
        # matplotlib fills column by column.
        labels = [row[column] if column < len(row) else "" for column in range(len(max(rows, key=len)))
                  for row in rows]
        box = figure.legend([legend.get(label, nothing) for label in labels], labels, loc="upper center",
                            bbox_to_anchor=(0.5, 1.0), frameon=False, handlelength=2.4, columnspacing=1.4,
                            ncols=len(max(rows, key=len)), borderaxespad=0.2)
        extent = box.get_window_extent(figure.canvas.get_renderer())
        if extent.width <= figure.bbox.width or columns == 1:
            break
        box.remove()
    box.set_in_layout(False)
    panels = figure.get_figheight()
    figure.set_figheight(panels + extent.height / figure.dpi)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=(0, 0, 1, panels / figure.get_figheight())))


def share_within(method, ratio):
    return max((share for start, share in method["profile"] if start <= ratio), default=0)


def profile_area(method, most):
    """Under the profile from 1 to `most`, over the logarithm of the ratio."""
    ends = [min(start, most) for start, _ in method["profile"]][1:] + [most]
    return sum(share * math.log(end / start) for (start, share), end in zip(method["profile"], ends) if start < most)


def largest_ratio(summaries):
    """Of the axis: a power of two that holds nine of ten ratios, 2 to 16."""
    ratios = sorted(start for summary in summaries for method in summary["methods"] for start, _ in method["profile"])
    ninth = ratios[min(len(ratios) - 1, int(0.9 * len(ratios)))]
    return min(16, max(2, 2 ** math.ceil(math.log2(ninth))))


def in_parts(label):
    """To sort by: numbers by their value."""
    return [(part.isdigit(), int(part) if part.isdigit() else part) for part in re.split(r"(\d+)", label)]


def method_looks(methods):
    """colour, marker and dashes of each method: a format's own; shades of one colour for the parameters of one format."""
    import matplotlib

    looks, families = {}, {}
    for method in sorted(methods, key=in_parts):
        if method in LOOKS:
            looks[method] = (*LOOKS[method], PEER if is_peer(method) else DASHES.get(method, "-"))
        else:
            families.setdefault(method.split(" ")[0], []).append(method)
    for number, family in enumerate(families.values()):
        for place, method in enumerate(family):
            shade = matplotlib.colormaps[SHADES[number % len(SHADES)]](0.35 + 0.6 * place / max(1, len(family) - 1))
            looks[method] = (shade if len(family) > 1 else CYCLE[number % len(CYCLE)], "osv^Dpdh<>"[place % 10], "-")
    return looks


def method_name(method):
    first, _, rest = method.partition(" ")
    return (NAMES.get(first, first.upper()) + " " + rest).strip() if first in LOOKS else method


def draw_profile(axes, method, look, most, place):
    """A staircase; its markers stand at places of their own, so that lines on each other can be told apart."""
    colour, marker, dashes = look
    points = [(start, 100 * share) for start, share in method["profile"] if start <= most]
    starts = [1] + [start for start, _ in points] + [most]
    shares = [100 * share_within(method, 1)] + [share for _, share in points]
    axes.step(starts, shares + shares[-1:], where="post", color=colour, linestyle=dashes, linewidth=1.1, zorder=3)
    marks = [most ** ((step + place) / 5) for step in range(5)]
    size = 3.2 if marker in "DspPX" else 3.8
    axes.plot(marks, [100 * share_within(method, ratio) for ratio in marks], color=colour, marker=marker, markersize=size,
              markeredgewidth=0.8, markerfacecolor="white", linestyle="none", clip_on=False, zorder=4)


def draw_profiles(report):
    plt = prepare()
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    summaries = [summary for summary in report["summary"] if len(summary["methods"]) > 1]
    if not summaries:
        raise PlotError("there are no two methods to compare; there is nothing to draw")
    most = largest_ratio(summaries)
    areas = {}
    for summary in summaries:
        for method in summary["methods"]:
            areas.setdefault(method["method"], []).append(profile_area(method, most))
    looks = method_looks(areas)
    ranking = sorted(areas, key=lambda method: -sum(areas[method]) / len(areas[method]))
    height = max(2.6, 0.55 + 0.165 * len(ranking))
    figure, grid = plt.subplots(1, len(summaries), squeeze=False, sharey=True, layout="constrained",
                                figsize=(1.75 + 2.9 * len(summaries), height))
    for axes, summary in zip(grid[0], summaries):
        axes.set_axisbelow(True)
        axes.grid(True, color="0.9", linewidth=0.6)
        methods = {method["method"]: method for method in summary["methods"]}
        for place, method in enumerate(ranking):
            if method in methods:
                draw_profile(axes, methods[method], looks[method], most, (place + 0.5) / len(ranking))
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator([ratio for ratio in (1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16)
                                                   if ratio <= most and (most <= 4 or ratio not in (1.25, 3, 6, 12))]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.set_xlim(1, most)
        axes.set_ylim(0, 100)
        axes.set_title(f"{summary['title']}: {summary['operators']} operators")
    figure.supxlabel("time over the fastest's", fontsize=8.5)
    grid[0][0].set_ylabel("operators (%)")
    handles = [Line2D([], [], color=looks[method][0], linestyle=looks[method][2], marker=looks[method][1], markersize=3.6,
                      markerfacecolor="white", markeredgewidth=0.8, linewidth=1.1) for method in ranking]
    grid[0][-1].legend(handles, [method_name(method) for method in ranking], loc="upper left", bbox_to_anchor=(1.02, 1.02),
                       frameon=False, handlelength=2.6, labelspacing=0.35, borderaxespad=0.2)
    return figure


def draw(report, bench):
    plt = prepare()
    from matplotlib.lines import Line2D

    records = report["records"]
    value, unit = QUANTITIES[bench]
    rows = arrange(records)
    columns = max(len(row) for row in rows)
    # In fp32 there are twice the flops in the same time, but not twice the bytes.
    one_scale = bench == "bandwidth" or len(set(r["precision"] for r in records)) == 1
    figure, grid = plt.subplots(len(rows), columns, squeeze=False, sharex=True, 
                                sharey=True if one_scale else "row",
                                figsize=(max(3.6, 0.5 + 2.05 * columns) if columns > 1 else 3.8, 0.3 + 1.95 * len(rows)))
    legend = {}
    dofs = sorted(set(r["dof"] for r in records))
    for row, panels in enumerate(rows):
        for column in range(columns):
            axes = grid[row][column]
            if column >= len(panels):
                axes.remove()
                continue
            size, precision = panels[column]
            mine = [r for r in records if (r["grid"], r["precision"]) == (size, precision)]
            axes.set_axisbelow(True)
            axes.grid(True, color="0.9", linewidth=0.6)
            draw_panel(axes, mine, bench, value, legend)
            axes.set_title(f"{size_text(size)} nodes, {precision}")
            mark_dofs(axes, dofs)
            axes.tick_params(labelbottom=row + 1 == len(rows) or column >= len(rows[row + 1]))
    figure.supxlabel("degrees of freedom per node", fontsize=8.5)
    figure.supylabel(unit, fontsize=8.5)
    if any(r["in_cache"] for r in records if not r["skipped"]):
        legend[IN_CACHE] = Line2D([], [], color="0.35", linestyle="none", marker="o", markersize=4.2,
                                               markerfacecolor="white", markeredgewidth=0.9)
    for axes in figure.axes:
        shared = axes.get_shared_y_axes().get_siblings(axes)
        axes.set_ylim(bottom=0, top=1.05 * max(other.dataLim.y1 for other in shared))
    place_legend(figure, legend)
    return figure


def main(arguments):
    options = parse_arguments(arguments)

    def work():
        try:
            report = read_report(options.file)
            bench = options.bench or report["records"][0]["bench"]
            save(draw(report, bench) if bench in QUANTITIES else draw_profiles(report), report, options.prefix)
        except KeyError as error:
            raise PlotError(f"{options.file}: not a report of quadrille bench: it lacks {error}") from None

    return outcome("plot_bench.py", options.prefix, work)


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
