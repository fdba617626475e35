#!/usr/bin/python3
"""Draws Figures 1 to 3 of the CMRS paper from the records: results/plot_claims.py writes results/claims_cmrs.png.

Each point is an operator, in fp64: the paper's kernel at the best of its parameters with heights of 2 and more, over the
other products; hollow ones have fewer than 1e5 entries, where a launch is most of the time. As in the paper, lp1-like
matrices are left out."""
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from paper_claims import cmrs, records  # noqa: E402

# Okabe and Ito's colours, as in drivers/support/plot_bench.py.
VERMILION, BLUE, GREEN, ORANGE, GREY = "#D55E00", "#0072B2", "#009E73", "#E69F00", "0.55"
PEERS = {"csr_scalar": ("scalar", ORANGE, "D"), "csr_vector": ("vector", BLUE, "s"), "hyb": ("HYB", GREEN, "o")}


def points(axes, found, across, up, colour, marker, label):
    for small in (True, False):
        chosen = [o for o in found if (cmrs.rows_of(o)["nnz"] < cmrs.LARGE) == small]
        axes.plot([across(cmrs.rows_of(o)) for o in chosen], [up(o) for o in chosen], linestyle="none", marker=marker,
            markersize=4,
                  color=colour, markerfacecolor="none" if small else colour, markeredgewidth=0.8,
                  label=None if small else label)


def over(peer):
    return lambda o: records.ms(o[peer]) / cmrs.papers_ms(o)


def mean_of(rows):
    return rows["row_mean"]


def deviation_of(rows):
    return rows["row_deviation"]


def prepare(axes, title, across, up, log=True):
    if log:
        axes.set_xscale("log")
    axes.set_yscale("log")
    axes.axhline(1, color=GREY, linewidth=0.8, zorder=0)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(across)
    axes.set_ylabel(up)


def draw(found, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (first, second, third) = pyplot.subplots(1, 3, figsize=(12, 3.8))
    for peer, (label, colour, marker) in PEERS.items():
        points(first, found, mean_of, over(peer), colour, marker, label)
    prepare(first, "Figure 1: over scalar, vector and HYB", "mean of the row lengths", "speed-up")
    points(second, found, mean_of, lambda o: cmrs.others_ms(o) / cmrs.papers_ms(o), VERMILION, "o", "paper's kernel")
    points(second, found, mean_of, lambda o: cmrs.others_ms(o) / cmrs.strips_ms(o), BLUE, "s", "either kernel")
    prepare(second, "Figure 2: over the best of all others", "mean of the row lengths", "speed-up")
    even = [o for o in found if cmrs.rows_of(o)["row_deviation"] < cmrs.rows_of(o)["row_mean"]]
    points(third, even, deviation_of, over("hyb"), GREEN, "o", "HYB")
    prepare(third, "Figure 3: over HYB, deviation below the mean", "deviation of the row lengths", "speed-up", log=False)
    for threshold in (1.5, 3):  # the paper's: HYB below, CMRS above
        third.axvline(threshold, color=GREY, linewidth=0.8, linestyle=(0, (3, 2)), zorder=0)
    for axes in (first, second, third):
        axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    found = [o for o in cmrs.operators(records.Runs(FOLDER), "fp64").values() if not cmrs.lp1_like(o)]
    draw(found, os.path.join(FOLDER, "claims_cmrs.png"))


if __name__ == "__main__":
    main()
