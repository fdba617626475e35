#!/usr/bin/python3
"""The papers' claims and what was asked, each recomputed from the records of this folder.

    results/claims.py           prints the text of claims.md
    results/claims.py --write   writes it
    results/claims.py --check   compares it with claims.md: exit 1 and the differences where they say different things
"""
import argparse
import difflib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from paper_claims import (asked, auto, cds, cmrs_claims, ellr_t, formats, matrices, records, rgcsr_claims,  # noqa: E402
                          solves, transposes)

SECTIONS = (asked, matrices, formats, auto, cds, ellr_t, cmrs_claims, rgcsr_claims, transposes, solves)
HEAD = """# The papers' claims, recomputed

Written by `results/claims.py --write` from the JSON in this folder; `claims.py --check` tells where this text and the records differ.
Only the papers' own figures, in the first columns, are typed in."""


def claims_text(folder):
    runs = records.Runs(folder)
    return "\n\n".join([HEAD] + [section.text(runs) for section in SECTIONS]) + "\n"


def differences(folder, text):
    path = os.path.join(folder, "claims.md")
    try:
        with open(path) as file:
            written = file.read()
    except OSError as error:
        return [f"{path}: {error.strerror}"]
    return list(difflib.unified_diff(written.splitlines(), text.splitlines(), "claims.md", "from the records", n=0,
        lineterm=""))


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="The papers' claims, recomputed from the records.")
    parser.add_argument("--check", action="store_true", help="compare with claims.md; exit 1 where they differ")
    parser.add_argument("--write", action="store_true", help="write claims.md")
    parser.add_argument("--folder", default=os.path.dirname(os.path.abspath(__file__)), help="of the records and claims.md")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    try:
        text = claims_text(options.folder)
    except records.RecordError as error:
        print(f"claims.py: {error}", file=sys.stderr)
        return 1
    except (KeyError, StopIteration, IndexError, ValueError, ZeroDivisionError) as error:
        print(f"claims.py: a record or a line that a claim needs is not there: {type(error).__name__} {error}",
            file=sys.stderr)
        return 1
    if options.write:
        with open(os.path.join(options.folder, "claims.md"), "w") as file:
            file.write(text)
    elif options.check:
        found = differences(options.folder, text)
        if found:
            print("\n".join(["claims.py: claims.md says something else than the records:", *found]), file=sys.stderr)
            return 1
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
