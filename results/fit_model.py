"""Fits the constants of the predicted times (kernels/traits) to what `quadrille bench auto --json` measured, and
prints them with the errors that remain and with what the choice by them would be worth:

    /usr/bin/python3 results/fit_model.py FILE.json[.gz]... needs numpy and scipy

A file is the JSON of one run, or a table of this folder, all of whose runs are taken (h200_auto.json.gz).

Each format by itself, by least squares of the logarithms with bounds, in which operators that are far off count less; the form is
that of kernels/tuning/predict.hpp, and the machine's own numbers are those below, as in the C++."""
import os
import sys

import numpy
from scipy.optimize import least_squares

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from paper_claims import tables  # noqa: E402

LAUNCH_US, MEMORY_GBPS, CACHE_GBPS, CACHE_BYTES, GATHER_GBPS, ATOMIC_PER_NS = 2.5, 4550, 6000, 60 * 2**20, 5000, 60
SHARPNESS = 3
#       1 / share, fixed_us, entry_ps, gather, step_us, atomic
LOW = [0.95, 0, 0, 0, 1e-4, 0]
HIGH = [4, 8, 50, 8, 30, 20]
FAR = 0.06  # a relative error from which an operator counts less
MARGIN = {"dia": 1.1, "rg_csr": 1.1, "cmrs": 1.1}  # times that stray far from the fit


def terms(work):
    outside = min(1, max(0, (work["streamed_bytes"] - 0.75 * CACHE_BYTES) / (1.25 * CACHE_BYTES)))
    ns_per_byte = outside / MEMORY_GBPS + (1 - outside) / CACHE_GBPS
    return [1e-3 * work["streamed_bytes"] * ns_per_byte, 1e-6 * work["entries"], 1e-3 * work["gathered_bytes"] / GATHER_GBPS,
            work["steps"], 1e-3 * work["atomics"] / ATOMIC_PER_NS]


def predicted_us(x, a):
    work = x[0] * a[:, 0] + x[2] * a[:, 1] + x[3] * a[:, 2] + x[5] * a[:, 4]
    return LAUNCH_US + x[1] + (work**SHARPNESS + (x[4] * a[:, 3]) ** SHARPNESS) ** (1 / SHARPNESS)


def read(paths):
    """format -> [(operator, terms, measured us)], and operator -> the fastest peer's us"""
    formats, peers = {}, {}
    for path, run, report in ((path, *item) for path in paths for item in tables.runs_in(path).items()):
        for r in report["records"]:
            if not r.get("ms_in_turns"):
                continue
            operator, us = ((path, run), r["operator"], r["matrix"], r["precision"]), 1e3 * r["ms_in_turns"]
            if r["predicted_cuda"]:
                formats.setdefault(r["format"], []).append((operator, terms(r["predicted_cuda"]), us))
            else:
                peers[operator] = min(us, peers.get(operator, us))
    return formats, peers


def fitted(a, us):
    fits = [least_squares(lambda x: numpy.log(predicted_us(x, a) / us), [1, 0.7, 0.01, 0.5, step, 0.5], bounds=(LOW, HIGH),
                          loss="soft_l1", f_scale=FAR) for step in (0.1, 0.5, 2)]
    x = min(fits, key=lambda fit: fit.cost).x
    return x, predicted_us(x, a) / us - 1


def with_margin(x, margin):
    return [x[0] * margin, x[1] * margin + (margin - 1) * LAUNCH_US, *(margin * x[2:])]


def main(paths):
    formats, peers = read(paths)
    predicted, measured = {}, {}
    for name, lines in formats.items():
        us = numpy.array([line[2] for line in lines])
        x, error = fitted(numpy.array([line[1] for line in lines]), us)
        margin = MARGIN.get(name, 1)
        for (operator, _, time), e in zip(lines, error):
            predicted.setdefault(operator, {})[name] = margin * time * (1 + e)
            measured.setdefault(operator, {})[name] = time
        worst = int(numpy.argmax(abs(error)))
        c = with_margin(x, margin)
        print(f'{name}: .gpu = {{{1 / c[0]:.3f}, {c[1]:.2f}, {c[2]:.3f}, {c[3]:.2f}, {c[4]:.3f}, {c[5]:.2f}}},  // {len(us)} operators, '
              f'median error {100 * numpy.median(abs(error)):.1f} %, worst {100 * error[worst]:+.0f} % ({lines[worst][0][2]})')
    ratios = []
    for operator, times in predicted.items():
        choice = min(times, key=times.get)
        best = min(measured[operator], key=measured[operator].get)
        ratios.append((measured[operator][choice] / measured[operator][best], operator[2], choice, best,
                       peers.get(operator, float("inf")) >= measured[operator][choice]))
    r = numpy.array([ratio[0] for ratio in ratios])
    print(f"choice by these: {len(r)} operators, {100 * (r <= 1.05).mean():.1f} % within 1.05 of the best, matching {100 * (1 / r).mean():.1f} %, "
          f"as fast as the fastest peer on {100 * numpy.mean([ratio[4] for ratio in ratios]):.1f} %; the worst:")
    for ratio in sorted(ratios, reverse=True)[:8]:
        print(f"  {ratio[0]:.3f}  {ratio[1]}: {ratio[2]} for {ratio[3]}")


if __name__ == "__main__":
    main(sys.argv[1:])
