"""Prints the records of result files as a Markdown table: /usr/bin/python3 results/table.py FILE.json..."""
import json
import sys

print("| operator | DoF | precision | format | MiB | ms (min .. max) | GB/s | ceiling | of floor | error/bound | commit |")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for path in sys.argv[1:]:
    report = json.load(open(path))
    for r in sorted(report["records"], key=lambda r: r["ms_median"]):
        if r["skipped"]:
            continue
        kind = f"{r['grid']} {r['stencil']}" + ("" if r["boundary"] == "drop" else f" {r['boundary']}")
        note = " (in cache)" if r["in_cache"] else ""
        print(f"| {kind} | {r['dof']} | {r['precision']} | {r['format']} {r['space']} | {r['stored_bytes'] / 2**20:.0f} "
              f"| {r['ms_median']:.4f} ({r['ms_min']:.4f} .. {r['ms_max']:.4f}) | {r['gbps']:.0f} | {r['ceiling_gbps']:.0f} "
              f"| {r['fraction_of_floor']:.3f}{note} | {r['error_over_bound']:.3f} | {report['version'].split('+')[-1]} |")
