"""The records of `quadrille ... --json`: files, selections, and the means and ratios that claims are made of."""
import bisect
import csv
import gzip
import json
import math
import os
import statistics

# Which files belong to an experiment. The first must be there; the others are added where they are.
FAMILIES = {
    "matrices": ["h200_matrices_{}.json.gz"],
    "auto": ["h200_auto_{}.json.gz"],
    "ellr_t": ["h200_ellr_t_{}.json.gz", "h200_ellr_t_large_{}.json.gz"],
    "cmrs": ["h200_cmrs_{}.json.gz", "h200_cmrs_large_{}.json.gz"],
    "rgcsr": ["h200_rgcsr_{}.json.gz", "h200_rgcsr_large_{}.json.gz"],
    "transpose": ["h200_transpose_methods_{}.json.gz", "h200_transpose_methods_large_{}.json.gz"],
}
PRECISIONS = ("fp32", "fp64")


class RecordError(Exception):
    """A sentence for the user: a file or a field that is not there."""


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


def _read(path):
    """The JSON of a file, plain or with gzip's end; None where neither is there."""
    base = path.removesuffix(".gz")
    for name in (base, base + ".gz"):
        if os.path.exists(name):
            try:
                with (gzip.open if name.endswith(".gz") else open)(name, "rt") as file:
                    return json.load(file)
            except (OSError, EOFError, ValueError) as error:
                raise RecordError(f"{os.path.basename(name)}: {error}") from None
    return None


class Runs:
    """All records of one folder, each file read once."""

    def __init__(self, folder):
        self.folder = folder
        self._files = {}
        self._operators = {}

    def optional(self, name):
        """The report of a file, or None."""
        if name not in self._files:
            report = _read(os.path.join(self.folder, name))
            if report is not None:
                report["records"] = [_as_record(r, f"{name}: record {i} ({r.get('matrix', '')} {r.get('format', '')})")
                                     for i, r in enumerate(report["records"])]
            self._files[name] = report
        return self._files[name]

    def report(self, name):
        found = self.optional(name)
        if found is None:
            raise RecordError(f"{name} is not in {self.folder}")
        return found

    def table(self, name):
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
        """The records of a file that were measured."""
        return [r for r in self.report(name)["records"] if not r["skipped"]]

    def reports(self, family, precision):
        names = [name.format(precision) for name in FAMILIES[family]]
        return [self.report(names[0])] + [r for r in map(self.optional, names[1:]) if r is not None]

    def operators(self, family, precision, lines_of=None, refused=None):
        """matrix -> {format -> record} of what was measured, in the order of the files; or {lines_of(record) -> record}.
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
    return f"`{FAMILIES[family][0].format('*')}`"


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
