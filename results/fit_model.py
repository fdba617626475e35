"""Fits the constants of the predicted times (kernels/tuning/machine_model.cpp) to what `quadrille bench auto --json` measured, and
prints them with the errors that remain: /usr/bin/python3 results/fit_model.py FILE.json...

Each format by itself, by least squares of relative errors with bounds; the machine's own numbers are those below, as in the C++."""
import json
import sys

import numpy
from scipy.optimize import lsq_linear

LAUNCH_US, MEMORY_GBPS, CACHE_GBPS, CACHE_BYTES, GATHER_GBPS, ATOMIC_PER_NS = 6.4, 4550, 6000, 60 * 2**20, 5000, 60
TERMS = "fixed_us inverse_share entry_ps gather step_us atomic".split()
LOW = [0, 0.95, 0, 0, 0, 0]
HIGH = [8, 4, 50, 8, 2, 8]


def terms(work):
    outside = min(1, max(0, (work["streamed_bytes"] - 0.75 * CACHE_BYTES) / (1.25 * CACHE_BYTES)))
    ns_per_byte = outside / MEMORY_GBPS + (1 - outside) / CACHE_GBPS
    return [1, 1e-3 * work["streamed_bytes"] * ns_per_byte, 1e-6 * work["entries"], 1e-3 * work["gathered_bytes"] / GATHER_GBPS,
            work["steps"], 1e-3 * work["atomics"] / ATOMIC_PER_NS]


def lines(paths):
    """format -> [(terms, measured us, operator)]"""
    found = {}
    for path in paths:
        for r in json.load(open(path))["records"]:
            if r.get("predicted_cuda") and r.get("ms_in_turns"):
                found.setdefault(r["format"], []).append((terms(r["predicted_cuda"]), 1e3 * r["ms_in_turns"], r["matrix"]))
    return found


def main(paths):
    for name, measured in lines(paths).items():
        a = numpy.array([m[0] for m in measured])
        us = numpy.array([m[1] for m in measured])
        fit = lsq_linear(a / us[:, None], 1 - LAUNCH_US / us, bounds=(LOW, HIGH), method="bvls")
        error = (LAUNCH_US + a @ fit.x) / us - 1
        worst = int(numpy.argmax(abs(error)))
        c = dict(zip(TERMS, fit.x))
        print(f'{{"{name}", {1 / c["inverse_share"]:.3f}, {c["fixed_us"]:.2f}, {c["entry_ps"]:.3f}, {c["gather"]:.2f}, '
              f'{c["step_us"]:.3f}, {c["atomic"]:.2f}}},  // {len(us)} operators, rms {100 * (error**2).mean() ** 0.5:.1f} %, '
              f'worst {100 * error[worst]:+.0f} % ({measured[worst][2]})')


if __name__ == "__main__":
    main(sys.argv[1:])
