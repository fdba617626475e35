#!/usr/bin/python3
"""The papers' claims and what was asked, each recomputed from the records of this folder; and the tables of every line.

    results/claims.py           prints the text of claims.md
    results/claims.py --write   writes claims.md, H200.md and CPU.md
    results/claims.py --check   compares them with the records: exit 1 and the differences where they say different things

    results/claims.py --add h200_solve poisson_64=FILE.json...    puts runs into a table (tables.py), then writes the texts
    results/claims.py --run h200_solve:poisson_64                 prints the JSON of one run, whole
"""
import argparse
import difflib
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import table  # noqa: E402
from paper_claims import (asked, auto, cds, cmrs_claims, ellr_t_claims, formats, in_time, matrices, records,  # noqa: E402
                          rgcsr_claims, solves, tables, transposes_claims)

SECTIONS = (asked, matrices, formats, auto, cds, ellr_t_claims, cmrs_claims, rgcsr_claims, transposes_claims, solves, in_time)
HEAD = """# The papers' claims, recomputed

Written by `results/claims.py --write` from the JSON in this folder; `claims.py --check` tells where this text and the records differ.
Only the papers' own figures, in the first columns, are typed in. `h200_cds:star` is the run `star` in `h200_cds.json`."""
H200_HEAD = """# NVIDIA H200: every line

Written by `results/claims.py --write` from all `results/h200_*.json`. Those in `results/h200_*.json.gz` have too many lines for a
page: `/usr/bin/python3 results/table.py results/h200_dof_scaling.json.gz` prints one of them. What the columns are and what came of
it: [README.md](README.md).
"""
CPU_HEAD = """# 2 cores of a virtual AMD EPYC (Zen 3): every line

Printed by `/usr/bin/python3 results/table.py results/cpu_spmv.json`. What the columns are and what came of it: [README.md](README.md).
"""


def claims_text(runs):
    return "\n\n".join([HEAD] + [part.text(runs) for part in SECTIONS]) + "\n"


def every_line(runs, head, prefix):
    """By table.py, of tables that are not packed."""
    return head + "\n" + "\n".join(table.section(f"{name}:{run}", report) for name in tables.names(runs.folder, (".json",))
                                   if name.startswith(prefix) for run, report in runs.table(name).items())


DOCUMENTS = {"claims.md": claims_text, "H200.md": lambda runs: every_line(runs, H200_HEAD, "h200_"),
             "CPU.md": lambda runs: every_line(runs, CPU_HEAD, "cpu_")}


def differences(folder, name, text):
    try:
        with open(os.path.join(folder, name)) as file:
            written = file.read()
    except OSError as error:
        return [f"{name}: {error.strerror}"]
    return list(difflib.unified_diff(written.splitlines(), text.splitlines(), name, "from the records", n=0, lineterm=""))


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="The papers' claims, recomputed from the records.")
    parser.add_argument("--check", action="store_true", help="compare the texts with the records; exit 1 where they differ")
    parser.add_argument("--write", action="store_true", help="write claims.md, H200.md and CPU.md")
    parser.add_argument("--add", nargs="+", metavar=("TABLE", "[NAME=]FILE"), help="add or replace runs of a table, then --write")
    parser.add_argument("--run", metavar="TABLE:NAME", help="print the JSON of a run, as the program wrote it")
    parser.add_argument("--folder", default=os.path.dirname(os.path.abspath(__file__)), help="of the records and claims.md")
    return parser.parse_args(arguments)


def act(options):
    if options.add:
        print("\n".join(tables.add(options.folder, options.add[0], options.add[1:])))
    runs = records.Runs(options.folder)
    if options.run:
        print(json.dumps(runs.report(options.run)))
        return 0
    texts = {name: make(runs) for name, make in DOCUMENTS.items()}
    if options.write or options.add:
        for name, text in texts.items():
            with open(os.path.join(options.folder, name), "w") as file:
                file.write(text)
    elif options.check:
        found = [line for name, text in texts.items() for line in differences(options.folder, name, text)]
        if found:
            print("\n".join(["claims.py: the text says something else than the records:", *found]), file=sys.stderr)
            return 1
    else:
        sys.stdout.write(texts["claims.md"])
    return 0


def main(arguments):
    try:
        return act(parse_arguments(arguments))
    except records.RecordError as error:
        print(f"claims.py: {error}", file=sys.stderr)
    except (KeyError, StopIteration, IndexError, ValueError, ZeroDivisionError) as error:
        print(f"claims.py: a record or a line that a claim needs is not there: {type(error).__name__} {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
