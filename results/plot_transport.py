#!/usr/bin/python3
"""Draws what a step of `transport` takes for each unknown, over the number of species, from the records of one H100 and of one
H200: results/plot_transport.py writes results/transport_species.png.

10 steps of `solve transport --dt 1e-3` on 128^3 nodes, 96^3 with more than 8 species, by BDF with adaptive steps, each a linear solve
to 1e-8 by FGMRES with `quadrille_mg`: the whole step, its Jacobians and set-ups included."""
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from paper_claims import records  # noqa: E402

SPECIES = (1, 2, 4, 8, 12, 16)
# Okabe and Ito's colours, as in drivers/support/plot_bench.py.
LINES = (("h100_solve:transport_before", "P^T A P between all species, cds", "#999999", "s"),
         ("h100_solve:transport_cds", "coarse grids by species, cds", "#0072B2", "o"),
         ("h100_solve:transport", "and products by compact (auto)", "#D55E00", "D"),
         ("transport:h200", "the same on an H200", "#009E73", "^"),
         ("transport:levels", "H200, linear weights for even advection", "#CC79A7", "v"))


def ns_per_unknown(record):
    return 1e6 * record["ms_per_step"] / record["unknowns"]


def draw(runs, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.8))
    for name, label, colour, marker in LINES:
        found = [(n, ns_per_unknown(runs.report(f"{name}_{n}")["records"][0])) for n in SPECIES]
        axes.plot(*zip(*found), color=colour, marker=marker, markersize=5, linewidth=1, label=label)
    axes.set_xticks(SPECIES)
    axes.set_ylim(0, 17)  # room for the legend
    axes.set_xlabel("species")
    axes.set_ylabel("a step, ns for each unknown")
    axes.grid(color="0.9", linewidth=0.6)
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    draw(records.Runs(FOLDER), os.path.join(FOLDER, "transport_species.png"))
