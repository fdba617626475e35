"""Runs one of PETSc's programs with AIJ and with the matrix type loaded by options, and says how the two compare."""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from output_comparison import deviation, first_difference

AIJ = {"aij", "seqaij", "mpiaij"}
TYPE_OPTION = re.compile(r"-(?:dm_)?mat_type\s+(\S+)")
MONITORS = "-ksp_monitor -snes_monitor -ts_monitor -tao_monitor"
# As PETSc's own suite runs them, with leaks shown.
ALWAYS = "-nox -nox_warning -malloc_dump -objects_dump -options_left 0"
LEAK = re.compile(r"^\[ ?\d+\] *\d+ bytes |^The following objects were never freed|^-{41}$|^\[\d+\] \S+ \S+ \S+_0x[0-9a-f]+")
# What the plug-in says.
UNUSED = "libquadrille_petsc was loaded, but no matrix of type quadrille was made"
# What a view of a matrix says of its type and its memory.
OTHER_ROUNDINGS = 8  # at most, of AIJ's, among which one may show a difference to be rounding
OF_THE_TYPE = re.compile(r"^\s*(total: nonzeros=|total number of mallocs|(not )?using I-node|Quadrille: |products on the "
                         r"|using nonscalable Mat|has attached near null|Mat Object: )"
                         r"|^\s*type: (seq|mpi)?(aij|quadrille)\s*$")


@dataclasses.dataclass
class Run:
    status: int  # None: the time limit
    seconds: float
    lines: list
    sentence: str  # PETSc's error
    leaks: bool
    unused: bool  # the type was


@dataclasses.dataclass
class Result:
    program: str
    test: str
    options: str
    ranks: int
    outcome: str
    why: str = ""
    aij_s: float = 0
    type_s: float = 0
    command: str = ""

    lines = ()  # what the program printed; not kept


def error_sentence(text):
    """PETSc's message and the function it comes from."""
    lines = [line.rpartition("PETSC ERROR: ")[2].strip() for line in text.splitlines() if "PETSC ERROR: " in line]
    for i, line in enumerate(lines):
        if "- Error Message -" in line:
            words = []
            for following in lines[i + 1:]:
                if following.startswith(("WARNING!", "See https://petsc.org/release/faq", "Option left")):
                    break
                words.append(following)
            place = next((line[3:].split("()")[0] for line in lines[i:] if line.startswith("#1 ")), "")
            return " ".join(words) + (f" [{place}]" if place else "")
    return next((line.partition(",")[0] for line in lines if line.startswith("Caught signal")), "")


def cleaned(text):
    """The lines of the program itself, and whether memory was left."""
    lines, leaks = [], False
    for line in text.splitlines():
        leaks = leaks or bool(LEAK.match(line))
        if not (LEAK.match(line) or OF_THE_TYPE.match(line) or not line.strip()):
            # A string viewer shows seven letters of a type.
            lines.append(line.replace("quadrille", "aij").replace("seqquad", "seqaij ").replace("mpiquad", "mpiaij ").rstrip())
    return lines, leaks


class Runner:
    def __init__(self, arguments, sources):
        self.plugin, self.work = pathlib.Path(arguments.plugin).resolve(), pathlib.Path(arguments.work).resolve()
        self.mpicc, self.mpiexec, self.flags = arguments.mpicc, arguments.mpiexec, arguments.flags
        self.limit, self.sources = arguments.limit, sources
        self.lock, self.building = threading.Lock(), {}
        # Of the packages that PETSc was built with; pkg-config does not name them.
        variables = pathlib.Path(arguments.prefix, "lib/petsc/conf/petscvariables")
        text = variables.read_text() if variables.exists() else ""
        self.includes = [word for line in re.findall(r"^PETSC_CC_INCLUDES\s*=(.*)", text, re.MULTILINE)
                         for word in line.split() if word.startswith("-I")]
        for folder in ("programs", "aij"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
        source = pathlib.Path(__file__).with_name("other_rounding.c")
        self.other_rounding = self.work / f"other_rounding_{hashlib.sha1(source.read_bytes()).hexdigest()[:8]}.so"
        subprocess.run([self.mpicc, "-O1", "-shared", "-fPIC", "-o", str(self.other_rounding), str(source), "-lm"], check=True)

    def built(self, program, depends):
        """The program's path; None where it cannot be built, with the compiler's words beside it."""
        with self.lock:
            one_at_a_time = self.building.setdefault(program, threading.Lock())
        with one_at_a_time:
            return self.build(program, depends)

    def build(self, program, depends):
        target = self.work / "programs" / program.replace("/", "_")
        source = self.sources / f"{program}.c"
        failure = target.with_suffix(".failed")
        if failure.exists():
            return None
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            files = [str(source)] + [str(source.parent / each) for each in depends if each.endswith(".c")]
            done = subprocess.run([self.mpicc, "-O0", "-w", "-o", str(target), *files, "-Wl,--copy-dt-needed-entries",
                                   *self.flags, *self.includes, "-lm"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
            if done.returncode:
                failure.write_text(done.stdout)
                return None
        return target

    def command(self, path, options, ranks):
        """For a shell, as PETSc's own suite runs them: some options are quoted."""
        return f"{path} {options}" if ranks == 1 else f"{self.mpiexec} -n {ranks} {path} {options}"

    def run(self, entry, path, options, ranks, rounding=None, limit=None):
        limit = limit or self.limit
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            for each in entry.files:
                local = (self.sources / entry.program).parent / each
                if local.is_dir():
                    shutil.copytree(local, pathlib.Path(folder, each))
                elif local.exists():
                    shutil.copy(local, folder)
            start = time.monotonic()
            # One rank needs no daemon of MPI, if its session folder is its own. `timeout` is for when this
            # script is ended.
            own = {"OMPI_MCA_ess_singleton_isolated": "1", "TMPDIR": folder} if ranks == 1 else {}
            if rounding is not None:
                own.update({"LD_PRELOAD": str(self.other_rounding), "ROUNDING": str(rounding)})
            process = subprocess.Popen(
                ["bash", "-c", f"exec timeout -k 1 {limit + 5:.0f} nice -n 5 {self.command(path, options, ranks)}"], cwd=folder,
                text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True, env={**os.environ, **own})
            try:
                out, err = process.communicate(timeout=limit)
                status = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
                status = None
            seconds = time.monotonic() - start
        lines, leaks = cleaned(out)
        if entry.filter and status == 0:
            done = subprocess.run(["bash", "-c", entry.filter], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True)
            lines = done.stdout.splitlines()
        return Run(status, seconds, lines[:20000], error_sentence(err + out), leaks, UNUSED in err)

    def with_aij(self, entry, path, options, ranks, rounding=None):
        """Kept in the work folder, for it does not change with ours."""
        other = "" if rounding is None else f" {self.other_rounding} {rounding}"
        key = hashlib.sha1(f"{path} {options} {ranks} {entry.filter}{other}".encode()).hexdigest()
        kept = self.work / "aij" / f"{key}.json"
        if kept.exists():
            return Run(**json.loads(kept.read_text()))
        run = self.run(entry, path, options, ranks, rounding)
        kept.write_text(json.dumps(dataclasses.asdict(run)))
        return run

    def compare(self, entry, depends, prefixes, ranks):
        result = Result(entry.program, entry.name, entry.options, ranks, "same")
        named = [kind for kind in TYPE_OPTION.findall(entry.options) if kind not in AIJ]
        if named:
            result.outcome, result.why = "not counted", f"its options name the type {named[0]}"
            return result
        path = self.built(entry.program, depends)
        if not path:
            result.outcome, result.why = "not counted", "cannot be built"
            return result
        options = f"{entry.options} {ALWAYS}"
        expected = self.with_aij(entry, path, options, ranks)
        if expected.status == 0 and not expected.lines:
            options = f"{options} {MONITORS}"
            expected = self.with_aij(entry, path, options, ranks)
        if expected.status is not None and expected.status > 0 and ranks > 1:
            expected = self.run(entry, path, options, ranks)  # ranks seldom fail to end beside others that start
        result.aij_s = round(expected.seconds, 3)
        if expected.status != 0:
            result.outcome = "not counted"
            result.why = f"with AIJ: {expected.sentence or died(expected)}"
            return result
        # Some programs do not bear that -mat_type names any type, be it AIJ.
        for kinds in (("dm_mat_type", "mat_type"), ("dm_mat_type",)):
            types = " ".join(f"-{prefix}{kind} TYPE" for prefix in ["", *prefixes] for kind in kinds)
            self.with_types(result, entry, path, options, types, prefixes, expected)
            if result.outcome not in ("refused", "crashed", "different"):
                break
            named = self.with_aij(entry, path, f"{options} {types.replace('TYPE', 'aij')}", ranks)
            if named.status == 0:
                if result.outcome == "different" and result.lines and not difference(named.lines, result.lines, ranks):
                    result.outcome, result.why = "same", ""
                break
            result.outcome, result.why = "not counted", f"with -{kinds[-1]} aij too: {named.sentence or died(named)}"
        return result

    def with_types(self, result, entry, path, options, types, prefixes, expected):
        ranks = result.ranks
        verify = " ".join(f"-{prefix}mat_quadrille_verify" for prefix in ["", *prefixes])
        loaded = f"-dll_append {self.plugin} {types.replace('TYPE', 'quadrille')}"
        result.outcome, result.why = "same", ""
        result.command = self.command(path, f"{entry.options} {loaded} {verify}", ranks)
        seen = self.run(entry, path, f"{options} {loaded} {verify}", ranks, limit=max(self.limit, 2 * expected.seconds + 2))
        result.type_s, result.lines = round(seen.seconds, 3), seen.lines
        self.judge(result, entry, path, options, loaded, expected, seen)

    def judge(self, result, entry, path, options, loaded, expected, seen):
        ranks = result.ranks
        if seen.status is None:
            result.outcome, result.why = "slower", f"over {seen.seconds:.2g} s, AIJ {expected.seconds:.2g} s"
        elif seen.status != 0:
            result.outcome = "refused" if seen.sentence and "Caught signal" not in seen.sentence else "crashed"
            result.why = seen.sentence or died(seen)
        elif difference(expected.lines, seen.lines, ranks):
            again = self.run(entry, path, options, ranks)
            if difference(expected.lines, again.lines, ranks):
                result.outcome, result.why = "not counted", "with AIJ not twice the same"
                return
            at, a, b = difference(expected.lines, seen.lines, ranks)
            result.outcome = "different"
            result.why = f"aij: {a.strip()[:150]} | quadrille: {b.strip()[:150]}"
            for rounding in range(OTHER_ROUNDINGS):
                other = self.with_aij(entry, path, f"{options} -mat_no_inode", ranks, rounding)
                theirs = max(map(deviation, expected.lines[:at + 1], other.lines), default=0)
                if theirs >= deviation(a, b) / 100 and theirs > 0:
                    result.outcome = "rounding"
                    break
        elif seen.leaks and not expected.leaks:
            result.outcome, result.why = "different", "memory or objects are not given back"
        elif seen.unused:
            result.outcome, result.why = "unused", "no matrix took the type"
        elif slow(expected.seconds, seen.seconds):
            # Twice more, in turn and without the check, for other work may have slowed the first.
            times = [[self.run(entry, path, each, ranks).seconds for each in (f"{options} {loaded}", options)] for _ in range(2)]
            ours, theirs = map(min, zip(*times))
            if slow(theirs, ours):
                result.outcome, result.why = "slower", f"{ours:.2g} s, AIJ {theirs:.2g} s"


def difference(expected, seen, ranks):
    found = first_difference(expected, seen)
    # Lines of different ranks come in any order.
    if found and ranks > 1 and not first_difference(sorted(expected), sorted(seen)):
        return None
    return found


def died(run):
    if run.status is None:
        return f"over {run.seconds:.0f} s"
    # The shell's number for a signal of one process.
    number = run.status - 128 if run.status > 128 else -run.status
    how = signal.Signals(number).name if number in signal.valid_signals() else f"exit status {run.status}"
    return f"{how} after: {run.lines[-1].strip()}" if run.lines else how


def slow(aij, ours):
    return ours > 2 * aij and ours > aij + 0.5
