"""Prints the runs of result files as Markdown, one section with a table for each:

    /usr/bin/python3 results/table.py FILE.json[.gz]... > TABLES.md

A file is a table of this folder or the JSON of one run."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from paper_claims import tables  # noqa: E402

SPMV = ("| operator | product | DoF | precision | format | MB moved | ms (min .. max) | GB/s | ceiling | of floor | error/bound |",
        "|---|---|---|---|---|---|---|---|---|---|---|")
SOLVE = ("| PDE | grid | DoF | ranks | format | preconditioner | unknowns | iterations | residual | assembly s | setup s | solve s "
         "| ms per product |", "|---|---|---|---|---|---|---|---|---|---|---|---|---|")


def spmv_line(r):
    kind = r["matrix"] if not r["grid"] else f"{r['grid']} {r['stencil'].replace('radius ', '')}" + ("" if r["boundary"] == "drop" else f" {r['boundary']}")
    note = " (in cache)" if r["in_cache"] else ""
    return (f"| {kind} | {r.get('product', 'A x')} | {r['dof']} | {r['precision']} | {r['format']} {r['space']} "
            f"| {r['compulsory_bytes'] / 1e6:.0f} | {r['ms_median']:.4f} ({r['ms_min']:.4f} .. {r['ms_max']:.4f}) "
            f"| {r['gbps']:.0f} | {r['ceiling_gbps']:.0f} | {r['fraction_of_floor']:.3f}{note} | {r['error_over_bound']:.3f} |")


def solve_line(r):
    s = r["seconds"]
    residual = "" if r["residual"] is None else f"{r['residual']:.1e}"  # none of steps in time
    return (f"| {r['pde']} | {r['grid']} | {r['dof']} | {r['ranks']} | {r['format']} {r['space']} "
            f"| {r.get('preconditioner', '')} | {r['unknowns']} | {r['iterations']}{'' if r['converged'] else ' (not converged)'} "
            f"| {residual} | {s['assembly']:.3f} | {s['setup']:.3f} | {s['solve']:.3f} | {r['matmult_ms']:.3f} |")


def section(name, report):
    """A run's heading, command and table."""
    records = [r for r in report["records"] if not r.get("skipped")]
    solves = bool(records) and "pde" in records[0]
    command = re.sub(r" --(json|csv|plot) \S+| --no-progress| --quiet", "", report["command"])
    commit = report["version"].split("+")[-1]
    lines = [f"## {name}\n\n    {command}\n\nCommit {commit}, {report['date']}.\n", *(SOLVE if solves else SPMV)]
    if not solves:
        records.sort(key=lambda r: (-(r["precision"] == "fp64"), r["grid"], r["dof"], r["ms_median"]))
    return "\n".join(lines + [(solve_line if solves else spmv_line)(r) for r in records]) + "\n"


if __name__ == "__main__":
    for path in sys.argv[1:]:
        for run, found in tables.runs_in(path).items():
            print(section(":".join(filter(None, (os.path.basename(path).split(".")[0], run))), found))
