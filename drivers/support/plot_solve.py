#!/usr/bin/python3
"""Draws how solves converged: the residual over iterations and over time, of `quadrille solve ... --plot PREFIX --json FILE.json`.

    plot_solve.py FILE.json [FILE.json ...] PREFIX

writes PREFIX.png and PREFIX.svg; FILE.json may be - for standard input. Several solves stand in one figure, with a legend.
"""
import argparse
import sys

from plot_common import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, PlotError, outcome, prepare, read_json, run, save

COLOURS = (VERMILION, BLUE, GREEN, ORANGE, SKY, PURPLE)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="Draw how solves converged.")
    parser.add_argument("files", nargs="+", metavar="FILE.json", help="of quadrille solve --plot, or - for standard input")
    parser.add_argument("prefix", metavar="PREFIX", help="PREFIX.png and PREFIX.svg are written")
    return parser.parse_args(arguments)


def read_solve(path):
    """The report, and its record, which has a history."""
    name, report = read_json(path)
    records = report.get("records") if isinstance(report, dict) else None
    if not isinstance(records, list) or not records or not isinstance(records[0], dict) or "history" not in records[0]:
        raise PlotError(f"{name}: not the JSON file of quadrille solve with --plot")
    return report, records[0]


def label(record):
    return (f"{record['pde']}, {record['grid'].replace('x', ' × ')}: {record['method']} with {record['preconditioner']}, "
            f"{record['format']} on {record['space']}")


def draw(records):
    plt = prepare()
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    # Above the panels there is a line of words for each solve.
    lines = len(records)
    height = 2.3 + 0.17 * lines
    figure, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(5.2, height),
                                         layout=ConstrainedLayoutEngine(rect=(0, 0, 1, 2.3 / height)))
    longest = max((record["history"]["seconds"] or [0])[-1] for record in records)
    scale, unit = (1, "s") if longest >= 1 else (1e3, "ms")
    for number, record in enumerate(records):
        # Residuals that are not finite come as words: there is no point for them.
        history = record["history"]
        points = [(iteration, scale * seconds, residual)
                  for iteration, seconds, residual in zip(history["iteration"], history["seconds"], history["residual"])
                  if isinstance(residual, (int, float)) and residual > 0]
        if not points:
            raise PlotError(f"{label(record)}: its residuals were not computed, or are all 0: there is nothing to draw")
        look = {"color": COLOURS[number % len(COLOURS)], "linewidth": 1.1, "marker": "o" if len(points) <= 40 else None, "markersize": 2.6}
        for axes, place in (left, 0), (right, 1):
            axes.semilogy([point[place] for point in points], [point[2] for point in points], label=label(record), **look)
    for axes, text in (left, "iterations"), (right, f"time ({unit})"):
        axes.grid(True, color="0.9", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel(text)
        axes.set_xlim(left=0)
    left.xaxis.get_major_locator().set_params(integer=True)
    left.set_ylabel("residual over the first one")
    figure.legend(*left.get_legend_handles_labels(), loc="upper center", frameon=False, borderaxespad=0.2)
    return figure


def main(arguments):
    options = parse_arguments(arguments)

    def work():
        if not options.prefix or options.prefix.endswith((".png", ".svg", "/")):
            raise PlotError("give the name without its ending; .png and .svg are written")
        reports, records = zip(*map(read_solve, options.files))
        try:
            save(draw(records), reports[0], options.prefix)
        except KeyError as error:
            raise PlotError(f"not a report of quadrille solve: it lacks {error}") from None

    return outcome("plot_solve.py", options.prefix, work)


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
