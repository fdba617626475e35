"""Prints the records of result files as a Markdown table: /usr/bin/python3 results/table.py FILE.json..."""
import json
import sys

print("| operator | product | DoF | precision | format | MB moved | ms (min .. max) | GB/s | ceiling | of floor "
      "| error/bound | commit |")
print("|---|---|---|---|---|---|---|---|---|---|---|---|")
for path in sys.argv[1:]:
    report = json.load(open(path))
    key = lambda r: (-(r["precision"] == "fp64"), r["grid"], r["dof"], r["ms_median"])
    for r in sorted(report["records"], key=key):
        if r["skipped"]:
            continue
        kind = f"{r['grid']} {r['stencil'].replace('radius ', '')}" + ("" if r["boundary"] == "drop" else f" {r['boundary']}")
        note = " (in cache)" if r["in_cache"] else ""
        print(f"| {kind} | {r.get('product', 'A x')} | {r['dof']} | {r['precision']} | {r['format']} {r['space']} "
              f"| {r['compulsory_bytes'] / 1e6:.0f} | {r['ms_median']:.4f} ({r['ms_min']:.4f} .. {r['ms_max']:.4f}) "
              f"| {r['gbps']:.0f} | {r['ceiling_gbps']:.0f} | {r['fraction_of_floor']:.3f}{note} "
              f"| {r['error_over_bound']:.3f} | {report['version'].split('+')[-1]} |")
