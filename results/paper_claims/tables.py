"""The data files of results/, one a table: {"runs": {NAME: the JSON that `quadrille ... --json` wrote, whole}}.

`h200_cds:star` names the run `star` in `h200_cds.json`, or in `h200_cds.json.gz` where the file is large."""
import gzip
import json
import os

ENDS = (".json", ".json.gz")
LARGE_BYTES = 200_000  # of a new table's text, from which it is packed
FIELDS = ("machine", "command", "version", "date", "records")  # that every run has


class TableError(Exception):
    """A sentence for the user: a table, a run or a file that is not there or not what it must be."""


def path_of(folder, table):
    """Of the file that is there; None without one."""
    return next((p for p in (os.path.join(folder, table + end) for end in ENDS) if os.path.exists(p)), None)


def names(folder, ends=ENDS):
    """Of all tables."""
    return sorted(n[:-len(end)] for n in os.listdir(folder) for end in ends if n.endswith(end))


def read_json(path):
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            return json.load(file)
    except (OSError, EOFError, ValueError) as error:
        raise TableError(f"{os.path.basename(path)}: {error}") from None


def runs_in(path):
    """run -> report, of a table's file, or of one that the program wrote (a run without a name)."""
    found = read_json(path)
    if not isinstance(found, dict) or not ("runs" in found or "records" in found):
        raise TableError(f"{os.path.basename(path)} is neither a table of results/ nor the JSON of a run")
    return found["runs"] if "runs" in found else {"": found}


def _lines(value):
    """A report, or a list in it: an element a line, so that a difference shows the record."""
    if isinstance(value, dict):
        parts, ends = [f"{json.dumps(k)}: {_lines(v) if isinstance(v, list) else json.dumps(v)}" for k, v in value.items()], "{}"
    else:
        parts, ends = [json.dumps(v) for v in value], "[]"
    return ends[0] + "\n" + ",\n".join(parts) + "\n" + ends[1] if parts else ends


def text_of(runs):
    return '{"runs": {\n' + ",\n".join(f"{json.dumps(name)}: {_lines(runs[name])}" for name in sorted(runs)) + "\n}}\n"


def write(path, runs):
    """Whole or not at all; equal runs give equal bytes."""
    data = text_of(runs).encode()
    with open(path + ".new", "wb") as file:
        file.write(gzip.compress(data, mtime=0) if path.endswith(".gz") else data)
    os.replace(path + ".new", path)


def add(folder, table, files):
    """Puts the program's JSON files into a table, each as the run that `NAME=FILE` says, or its file's name without the
    table's. A run of that name is replaced. Returns what was done."""
    path = path_of(folder, table)
    runs = runs_in(path) if path else {}
    done = []
    for word in files:
        name, _, file = word.rpartition("=")
        report = read_json(file)
        missing = [f for f in FIELDS if not isinstance(report, dict) or f not in report]
        if missing:
            raise TableError(f"{file} is not the JSON of a run: it has no {', '.join(missing)}")
        name = name or os.path.basename(file).removesuffix(".gz").removesuffix(".json").removeprefix(table + "_")
        done.append(f"{table}:{name} {'replaced' if name in runs else 'added'}")
        runs[name] = report
    write(path or os.path.join(folder, table + ENDS[len(text_of(runs)) > LARGE_BYTES]), runs)
    return done
