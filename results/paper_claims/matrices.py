"""The set of matrices: where each is from, and which of the papers' own are in it."""
import csv
import os
from collections import Counter

from . import markdown, own_matrices
from .records import FAMILIES, PRECISIONS, RecordError, files_text, is_generated

TITLE = "The set of matrices"
FILE = "matrices.csv"


def sources(folder):
    """name -> a line of matrices.csv."""
    try:
        with open(os.path.join(folder, FILE), newline="") as file:
            return {line["name"]: line for line in csv.DictReader(file)}
    except OSError as error:
        raise RecordError(f"{FILE}: {error.strerror}") from None


def names_in(runs, family):
    return dict.fromkeys(r["matrix"] for p in PRECISIONS for report in runs.reports(family, p) for r in report["records"])


def counts(runs, names):
    """(of the collection, of other projects, generated)."""
    known = sources(runs.folder)
    missing = [n for n in names if not is_generated(n) and n not in known]
    if missing:
        raise RecordError(f"{FILE} has no line for {', '.join(missing)}")
    own = Counter("generated" if is_generated(n) else "collection" if known[n]["suitesparse"] else "projects" for n in names)
    return own["collection"], own["projects"], own["generated"]


def outcome(runs, family):
    """(operators on which the fastest takes less than 10 us, the worst error over its bound)."""
    reports = [runs.reports(family, p) for p in PRECISIONS]
    brief = [str(sum(summary["brief"] for r in found for summary in r["summary"][:1])) for found in reports]
    worst = max(r["error_over_bound"] for found in reports for report in found for r in report["records"]
                if not r["skipped"] and r["checked"])
    return markdown.per_precision(brief), f"{worst:.3f}"


MANY_NAMES = 30


def named(matrices):
    """How many, and which: name -> what it is called in the runs."""
    if not matrices:
        return "0"
    if len(matrices) > MANY_NAMES:
        return f"{len(matrices)} (`paper_claims/own_matrices.py` lists them)"
    return f"{len(matrices)}: " + ", ".join(n if n == m else f"{n} (`{m}`)" for n, m in matrices.items())


def papers_table(runs, grids):
    rows = []
    for paper in own_matrices.PAPERS:
        own_matrices.check(paper, names_in(runs, paper.family) if paper.family else grids)
        missing = {name: name for name in paper.missing}
        rows.append((paper.title, paper.number, named(paper.itself), named(paper.stand_ins), named(missing), paper.note))
    return markdown.table(("paper", "its matrices", "themselves", "by a stand-in", "not", ""), rows)


HEADER = ("records", "operators", "of the collection", "of other projects", "generated, grids", "below 10 us, fp32 / fp64",
          "worst error / bound")


def where_from(runs, every):
    """Counts, the other projects, and the largest."""
    known = sources(runs.folder)
    real = [n for n in every if not is_generated(n)]
    collection, projects, _ = counts(runs, every)
    others = Counter(known[n]["project"] for n in real if not known[n]["suitesparse"])
    names = ", ".join(f"{project} ({number})" for project, number in sorted(others.items()))
    largest = max(real, key=lambda n: int(known[n]["entries"]))
    return (f"The runs have {len(real)} matrices of files, {collection} of the SuiteSparse collection and {projects} of other "
            f"projects: {names}. `{FILE}` lists them with where each is from (not the matrices). The largest is {largest} with "
            f"{int(known[largest]['entries']) / 1e6:.1f}e6 entries.")

STAND_INS = (
    "The papers' own matrices among them. Where a matrix is not at hand, a generated one stands in for it in that paper's run, made "
    "by the published number of rows and mean of entries a row (`mesh:ROWS:MEAN`: rows of half to one and a half times the mean, "
    "within a band; `banded`: all rows alike; `long_row:ROWS:LONGEST`: 4 a row and one long row; `power_law`). Its columns are not the "
    "original's, nor is the distribution of its row lengths, which with `mesh` deviate by about 29 % of the mean, by more where it is "
    "small, whatever the original's do.")


def text(runs):
    every = {}
    rows = []
    for family in FAMILIES:
        names = names_in(runs, family)
        every.update(names)
        rows.append((files_text(family), len(names), *counts(runs, names), *outcome(runs, family)))
    grids = [r["grid"] for r in runs.lines("h200_dof_scaling:all")]
    return markdown.section(2, TITLE, where_from(runs, every), markdown.table(HEADER, rows),
                            STAND_INS, papers_table(runs, grids))
