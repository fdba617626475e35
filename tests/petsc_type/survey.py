#!/usr/bin/env python3
"""PETSc's example programs, unmodified, with AIJ and with the matrix type loaded by options: how the two compare.

    survey.py [options]                      everything: hours; docs/petsc-programs.md has the table
    survey.py --only 'snes/*' --ranks 1      some of it
    gunzip -c docs/petsc-programs.jsonl.gz > FILE; survey.py --json FILE     what the table was made from; without the runs that you
                                             take out of FILE it runs nothing again

Exit status 1 where a run is not the same and survey_reasons.txt gives no reason, 77 where the sources are not installed (Debian:
libpetscX.Y-dev-examples). What follows a bare -- compiles and links a program with PETSc, instead of what pkg-config says.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

from petsc_examples import Parser, find_sources, programs
from survey_runs import Result, Runner
from survey_table import load_reasons, markdown, unexplained

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As in cmake/setup.sh: ranks as root, more than cores, that do not spin while they wait.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}


def pkg_config(*what):
    return subprocess.run(["pkg-config", *what, "PETSc"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", default=ROOT / "build/libquadrille_petsc.so")
    parser.add_argument("--work", default=ROOT / "build/petsc_survey", help="keeps the programs and AIJ's results")
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--prefix", help="of PETSc")
    parser.add_argument("--version", help="of PETSc")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--only", default="*", help="pattern of PROGRAM or PROGRAM:TEST")
    parser.add_argument("--check", help="a file with lines PROGRAM:TEST RANKS: run these, all of which must be the same")
    parser.add_argument("--tests", action="store_true", help="the programs in folders `tests` too")
    parser.add_argument("--list", action="store_true", help="show what would run")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further test after so long")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time, ranks counted")
    parser.add_argument("--build-only", action="store_true", help="build the programs into the work folder and run none")
    parser.add_argument("--limit", type=float, default=20, help="seconds for one run")
    parser.add_argument("--json", help="file for the results, a line each; what it holds already is not run again")
    parser.add_argument("--markdown", help="file for the table")
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    arguments.prefix = arguments.prefix or pkg_config("--variable=prefix")[0]
    arguments.version = arguments.version or pkg_config("--modversion")[0]
    arguments.flags = arguments.flags or pkg_config("--cflags", "--libs")
    return arguments


def in_order(parser, names):
    """Every program's first test, then every program's second, ...; programs spread over the folders, always the same way."""
    found = []
    for name in names:
        entries, depends = parser.entries(name)
        prefixes = parser.prefixes(name)
        place = hashlib.sha1(name.encode()).hexdigest()
        found += [((i, place), entry, depends, prefixes) for i, entry in enumerate(entries)]
    return [rest for _, *rest in sorted(found, key=lambda each: each[0])]


def wanted(arguments, work):
    """(entry, depends, prefixes, ranks) of every run."""
    if arguments.check:
        lines = [line.split() for line in pathlib.Path(arguments.check).read_text().splitlines() if line and line[0] != "#"]
        named = {f"{each[0].program}:{each[0].name}": each for each in work}
        missing = [name for name, _ in lines if name not in named]
        if missing:
            print("not among the tests of this PETSc, left out: " + ", ".join(missing))
        return [(*named[name], int(ranks)) for name, ranks in lines if name in named]
    work = [each for each in work if fnmatch.fnmatch(each[0].program, arguments.only) or
            fnmatch.fnmatch(f"{each[0].program}:{each[0].name}", arguments.only)]
    first = {entry.program: entry for entry, *_ in reversed(work)}
    # Several ranks for what its authors run on several, and for one test of every program.
    return [(*each, ranks) for ranks in map(int, arguments.ranks.split(",")) for each in work
            if ranks == 1 or each[0].ranks > 1 or each[0] is first[each[0].program]]


def kept(path):
    if not path or not os.path.exists(path):
        return []
    return [Result(**json.loads(line)) for line in pathlib.Path(path).read_text().splitlines()]


class Survey:
    def __init__(self, arguments, runner):
        self.arguments, self.runner, self.start, self.lock = arguments, runner, time.monotonic(), threading.Lock()
        self.results, self.broken, self.late = kept(arguments.json), 0, 0
        self.done = {(each.program, each.test, each.ranks) for each in self.results}
        self.unused = {(each.program, each.test) for each in self.results if each.outcome == "unused" and each.ranks == 1}

    def one(self, entry, depends, prefixes, ranks):
        if (entry.program, entry.name, ranks) in self.done or (ranks > 1 and (entry.program, entry.name) in self.unused):
            return
        if time.monotonic() - self.start > self.arguments.seconds:
            self.late += 1
            return
        try:
            result = self.runner.compare(entry, depends, prefixes, ranks)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            print(f"the survey could not run {entry.program}:{entry.name}: {error!r}", flush=True)
            self.broken += 1
            return
        with self.lock:
            self.results.append(result)
            if result.outcome == "unused" and ranks == 1:
                self.unused.add((entry.program, entry.name))
            print(f"{result.outcome}: {ranks} rank(s), {entry.program}:{entry.name} {result.why}", flush=True)
            if self.arguments.json:
                with open(self.arguments.json, "a") as out:
                    out.write(json.dumps(dataclasses.asdict(result)) + "\n")

    def all(self, work):
        # One rank first: what takes no matrix of the type there is not run on several.
        for ranks in sorted({each[3] for each in work}):
            those = [each for each in work if each[3] == ranks]
            with concurrent.futures.ThreadPoolExecutor(max(1, self.arguments.jobs // ranks)) as pool:
                list(pool.map(lambda each: self.one(*each), those))

    def build(self, work):
        programs = {entry.program: depends for entry, depends, _, _ in work}
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            built = list(pool.map(lambda each: self.runner.built(*each), programs.items()))
        print(f"{len(built) - built.count(None)} of {len(built)} programs built in {self.runner.work}")


def main():
    arguments = parsed()
    sources = find_sources(arguments.prefix, arguments.version)
    if not sources:
        return 77
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    parser = Parser(sources, arguments.prefix)
    kinds = ["tutorials"] + (["tests"] if arguments.tests else [])
    work = wanted(arguments, in_order(parser, programs(sources, kinds)))
    if arguments.list:
        for entry, _, _, ranks in work:
            print(f"{entry.program}:{entry.name} {ranks} {entry.options}")
        return 0
    survey, reasons = Survey(arguments, Runner(arguments, sources)), load_reasons()
    if arguments.build_only:
        survey.build(work)
        return 0
    survey.all(work)
    number = collections.Counter(each.outcome for each in survey.results)
    print(f"{len(survey.results)} runs: " + ", ".join(f"{n} {outcome}" for outcome, n in number.most_common()) +
          (f"; the time was up for {survey.late} more" if survey.late else ""))
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text(markdown(survey.results, survey.late, reasons, arguments.version))
    bad = unexplained(survey.results, reasons)
    if arguments.check:
        bad = [each for each in survey.results if each.outcome not in ("same", "rounding", "slower")]
    for each in bad:
        print(f"{each.outcome}, {'expected to be the same' if arguments.check else 'without a reason in survey_reasons.txt'}: "
              f"{each.ranks} rank(s), {each.program}:{each.test}: {each.why}\n    {each.command}")
    return 1 if bad or survey.broken else 0


if __name__ == "__main__":
    sys.exit(main())
