#!/usr/bin/python3
"""Draws what a step of `transport` takes for each unknown, over the number of species, from the records of one H200:
results/plot_transport.py writes results/transport_species.png.

`solve transport --until 0.2` on 128^3 nodes, 96^3 with 16 species, by BDF, whose steps are as long as their error allows, each a
linear solve by FGMRES with `quadrille_mg`: the mean of two runs, the whole step, its Jacobians and set-ups included."""
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from paper_claims import records  # noqa: E402

SPECIES = (1, 2, 4, 8, 16)
# Okabe and Ito's colours, as in drivers/support/plot_bench.py.
LINES = (("before_dots", "28 November (6d6d2c6)", "#999999", "s"),
         ("dots", "sums of vectors by a kernel of ours (23f00ed)", "#0072B2", "o"),
         ("few_rows_kinds", "few rows for block diagonals (3cedc8c)", "#D55E00", "D"),
         ("kinds_planes", "kinds in four planes a thread (ff289a3)", "#009E73", "^"))


def ns_per_unknown(runs, name):
    found = [runs.report(f"h200_solve:{name}_{run}")["records"][0] for run in (1, 2)]
    return sum(1e6 * record["ms_per_step"] / record["unknowns"] for record in found) / len(found)


def draw(runs, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.8))
    for name, label, colour, marker in LINES:
        found = [(n, ns_per_unknown(runs, f"{name}_transport_{n}")) for n in SPECIES]
        axes.plot(*zip(*found), color=colour, marker=marker, markersize=5, linewidth=1, label=label)
    axes.set_xticks(SPECIES)
    axes.set_ylim(0, 5)  # room for the legend
    axes.set_xlabel("species")
    axes.set_ylabel("a step, ns for each unknown")
    axes.grid(color="0.9", linewidth=0.6)
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    draw(records.Runs(FOLDER), os.path.join(FOLDER, "transport_species.png"))
