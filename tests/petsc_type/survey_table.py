"""The survey's results as Markdown, with the reasons that people wrote for what is not the same."""
import collections
import pathlib
import re
import textwrap

EXCEPTIONS = ("refused", "different", "crashed", "slower")
OUTCOMES = {
    "same": "the same exit status and output, and no memory left, with the products checked against AIJ's",
    "rounding": "differs as much as AIJ's own output does when BLAS rounds otherwise",
    "refused": "ends with an error of PETSc's kind, that says why",
    "different": "differs",
    "crashed": "ends otherwise",
    "slower": "takes more than twice AIJ's time and half a second more",
    "unused": "the same, but no matrix took the type (made as AIJ by name, no matrix at all, or an own type)",
    "not counted": "fails, takes too long or is not twice the same with AIJ, cannot be built, or names another type",
}
INTRODUCTION = """Written by `tests/petsc_type/survey.py --markdown` with PETSc {version}, on the CPU. It runs PETSc's own example
programs, unmodified, with the options of their authors' tests: as they are, with AIJ, and with `-dll_append libquadrille_petsc.so
-dm_mat_type quadrille -mat_type quadrille -mat_quadrille_verify` (also with the prefixes that a program gives its matrices). Numbers are
compared to a relative 1e-6, counts (of iterations, steps, ...) and text exactly, but for what a view says of a matrix's type and memory.
On several ranks it takes one test of every program, and those that their authors run on several, but for those in which no matrix took
the type on one. The runs on a machine with 32 cores took place beside each other, so their times are no measurements. Most of them are of
the type before its last changes; those that the changes were made for and samples of the others (563 on one rank, 130 on two) were repeated
with them."""
NOISE = re.compile(r"-\w*(?:monitor|view|converged_reason|error_if_not_converged)\w*(?: (?!-)\S+)?|-nox\w*")


def load_reasons(path=pathlib.Path(__file__).with_name("survey_reasons.txt")):
    """Lines `regular expression => sentence`; the expression is sought in `PROGRAM:TEST OPTIONS | OUTCOME: what was printed`."""
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [(re.compile(pattern.strip()), sentence.strip()) for pattern, sentence in (line.split(" => ", 1) for line in lines)]


def reason(result, reasons):
    text = f"{result.program}:{result.test} {result.options} | {result.outcome}: {result.why}"
    return next((sentence for pattern, sentence in reasons if pattern.search(text)), "")


def unexplained(results, reasons):
    return [each for each in results if each.outcome in EXCEPTIONS and not reason(each, reasons)]


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def short(options, limit=70):
    text = " ".join(NOISE.sub("", options).split())
    return text if len(text) <= limit else text[:limit - 4].rsplit(" ", 1)[0] + " ..."


def counts(results):
    ranks = sorted({each.ranks for each in results})
    number = collections.Counter((each.outcome, each.ranks) for each in results)
    yield "| outcome | " + " | ".join(f"{n} rank{'s' * (n > 1)}" for n in ranks) + " | |"
    yield "|---|" + "---|" * (len(ranks) + 1)
    for outcome, meaning in OUTCOMES.items():
        yield f"| {outcome} | " + " | ".join(str(number[outcome, n]) for n in ranks) + f" | {meaning} |"


def exceptions(results, reasons):
    groups = collections.defaultdict(list)
    for each in results:
        if each.outcome in EXCEPTIONS:
            groups[each.program, each.outcome, reason(each, reasons) or each.why].append(each)
    yield "| program | tests | options of the first | ranks | outcome | why |"
    yield "|---|---|---|---|---|---|"
    for (program, outcome, why), those in sorted(groups.items()):
        tests = len({each.test for each in those})
        ranks = ", ".join(map(str, sorted({each.ranks for each in those})))
        yield f"| {program} | {tests} | {cell(short(those[0].options)) or '(none)'} | {ranks} | {outcome} | {cell(why)} |"


def every_program(results):
    ranks = sorted({each.ranks for each in results})
    number = collections.defaultdict(collections.Counter)
    for each in results:
        number[each.program][each.ranks, each.outcome] += 1
    yield "| program | " + " | ".join(f"{n} rank{'s' * (n > 1)}" for n in ranks) + " |"
    yield "|---|" + "---|" * len(ranks)
    for program, found in sorted(number.items()):
        if {outcome for _, outcome in found} <= {"not counted", "unused"}:
            continue
        cells = [", ".join(f"{found[n, outcome]} {outcome}" for outcome in OUTCOMES if found[n, outcome]) for n in ranks]
        yield f"| {program} | " + " | ".join(cells) + " |"


def markdown(results, late, reasons, version):
    programs = {each.program for each in results}
    used = {each.program for each in results if each.outcome not in ("unused", "not counted")}
    return "\n".join([
        "# PETSc's example programs with the matrix type",
        "",
        *textwrap.wrap(INTRODUCTION.format(version=version), 130),
        "",
        f"{len(results)} runs of {len(programs)} programs; matrices took the type in {len(used)}." +
        (f" {late} more were left out for want of time, spread over all programs." if late else ""),
        "",
        *counts(results),
        "",
        "## What is not the same",
        "",
        *exceptions(results, reasons),
        "",
        "## Every program in which a matrix took the type",
        "",
        *every_program(results),
    ]) + "\n"
