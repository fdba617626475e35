#!/usr/bin/python3
"""Draws what a cycle of `quadrille_mg` leaves of the residual, over the grid's size, from the records of one H100:
results/plot_convergence.py writes results/convergence_factors.png.

The mean over all iterations, (|b - A x| / |b|)^(1/iterations): by Richardson it is the cycle's own, with cycles in fp64; with
CG it is that of CG and the cycle, in fp32, which is what a solve gets."""
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from paper_claims import records  # noqa: E402

NODES = (16, 32, 64, 128, 256, 512)
# Okabe and Ito's colours, as in drivers/support/plot_bench.py.
LINES = (("flat_richardson", "poisson, 2D, cycles alone", "#E69F00", "D"),
         ("richardson", "poisson, 3D, cycles alone", "#D55E00", "s"),
         ("cg", "poisson, 3D, CG", "#0072B2", "o"),
         ("jumps", "diffusion with jumps of 1e6, 3D, CG", "#009E73", "^"))


def factor(record):
    return record["residual"] ** (1 / record["iterations"])


def draw(runs, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.8))
    for name, label, colour, marker in LINES:
        found = [(n, factor(runs.report(f"h100_solve:convergence_{name}_{n}")["records"][0])) for n in NODES]
        axes.plot(*zip(*found), color=colour, marker=marker, markersize=5, linewidth=1, label=label)
    axes.set_xscale("log", base=2)
    axes.set_xticks(NODES, [str(n) for n in NODES])
    axes.set_ylim(0, 1)
    axes.set_xlabel("nodes along each axis")
    axes.set_ylabel("left of the residual by an iteration")
    axes.grid(color="0.9", linewidth=0.6)
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    draw(records.Runs(FOLDER), os.path.join(FOLDER, "convergence_factors.png"))
