"""The records of `quadrille ... --json`: runs, selections, and the means and ratios that claims are made of."""
import bisect
import csv
import math
import os
import statistics

from . import tables
from .tables import TableError as RecordError

# The tables of sets of operators. The run of a precision must be there; that of the large operators is added
# where it is.
FAMILIES = {"matrices": "h200_matrices", "auto": "h200_auto", "ellr_t": "h200_ellr_t", "cmrs": "h200_cmrs",
            "rgcsr": "h200_rgcsr", "transpose": "h200_transpose_methods"}
FAMILY_RUNS = ("{}", "large_{}")
PRECISIONS = ("fp32", "fp64")


class Record(dict):
    """A dictionary of JSON that says where it stands when a field is not there."""

    place = "a record"

    def __missing__(self, key):
        raise RecordError(f"{self.place} has no field '{key}'")


def _as_record(fields, place):
    """With the dictionaries among its fields, which are told by the same place."""
    record = Record(fields)
    record.place = place
    for name, value in fields.items():
        if type(value) is dict:
            record[name] = _as_record(value, place)
    return record


class Runs:
    """All records of one folder, each file read once. A run is named as `h200_cds:star` (tables.py)."""

    def __init__(self, folder):
        self.folder = folder
        self._tables = {}
        self._operators = {}

    def table(self, name):
        """run -> report, in the order of their names."""
        if name not in self._tables:
            path = tables.path_of(self.folder, name)
            if path is None:
                raise RecordError(f"{name}.json and {name}.json.gz are not in {self.folder}")
            found = tables.runs_in(path)
            for run, report in found.items():
                report["records"] = [
                    _as_record(r, f"{os.path.basename(path)}, run {run}: record {i} ({r.get('matrix', '')} {r.get('format', '')})")
                    for i, r in enumerate(report["records"])
                ]
            self._tables[name] = found
        return self._tables[name]

    def optional(self, name):
        """The report of a run, or None."""
        table, _, run = name.partition(":")
        return self.table(table).get(run)

    def report(self, name):
        found = self.optional(name)
        if found is None:
            raise RecordError(f"there is no run {name} in {self.folder}")
        return found

    def csv(self, name):
        """The lines of a file of comma-separated values, as dictionaries."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            raise RecordError(f"{name} is not in {self.folder}")
        with open(path, newline="") as file:
            lines = list(csv.DictReader(file))
        for i, line in enumerate(lines):
            if None in line or None in line.values():
                raise RecordError(f"{name}: line {i + 2} has not as many values as the first")
        return lines

    def lines(self, name):
        """The records of a run that were measured."""
        return [r for r in self.report(name)["records"] if not r["skipped"]]

    def reports(self, family, precision):
        names = [f"{FAMILIES[family]}:{run.format(precision)}" for run in FAMILY_RUNS]
        return [self.report(names[0])] + [r for r in map(self.optional, names[1:]) if r is not None]

    def operators(self, family, precision, lines_of=None, refused=None):
        """matrix -> {format -> record} of what was measured, in the order of the runs; or {lines_of(record) -> record}.
        With `refused` also those that were not but for which it is true. A family is always read in the same way."""
        if (family, precision) not in self._operators:
            found = self._operators[family, precision] = {}
            for report in self.reports(family, precision):
                for record in report["records"]:
                    if not record["skipped"] or refused and refused(record):
                        key = lines_of(record) if lines_of else record["format"]
                        found.setdefault(record["matrix"], {})[key] = record
        return self._operators[family, precision]


def files_text(family):
    """How a family's records are named in the text."""
    return f"`{FAMILIES[family]}.json.gz`"


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def mean(values):
    return statistics.fmean(values)


def median(values):
    """The upper one of two in the middle, as the benches take it."""
    return sorted(values)[len(values) // 2]


def percent(part, whole):
    return 100 * part / whole


def ms(record):
    return record["ms_median"]


def having(operators, *formats):
    """Only the operators that have all these lines."""
    return {m: o for m, o in operators.items() if all(f in o for f in formats)}


def is_generated(matrix):
    """A grid ("64x64x64 dof 1") or a generated matrix ("power_law:100000")."""
    return ":" in matrix or " dof " in matrix


def rank_correlation(x, y):
    """Spearman's: of the ranks, where equal values share the middle of theirs."""
    def ranks(values):
        order = sorted(values)
        return [(bisect.bisect_left(order, v) + bisect.bisect_right(order, v)) / 2 for v in values]

    return statistics.correlation(ranks(x), ranks(y))
