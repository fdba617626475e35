"""A claim of a paper, what our records say of it, and the verdict that a predicate gives."""
from collections.abc import Callable
from dataclasses import dataclass

from . import markdown
from .records import FAMILIES, PRECISIONS, files_text

NOT_MEASURED = "not measured"
HEADER = ("measured as", "fp32", "fp64", "verdict", "why")


@dataclass(frozen=True)
class Claim:
    paper: str  # what it says, with the section, table or figure
    metric: str  # as the paper defines it
    source: str  # a family of records.py, or the name of a file or of runs
    selection: str  # of its operators, in words
    # (runs, precision) -> the figures by name, "n" the number of operators; None: not measured; {}: in the
    # other's column
    measure: Callable
    show: str  # the figures as text: a format string of their names
    holds: Callable | None  # figures -> whether the claim holds; None where the paper gives figures but no claim
    why: str = ""  # in words, without figures: why it holds, or has no verdict
    why_not: str = ""  # why it does not hold


def verdict_of(results, words=("holds", "does not hold")):
    """Of precision -> True, False or None (not tested)."""
    tested = {p: r for p, r in results.items() if r is not None}
    if not tested:
        return "not tested"
    if len(set(tested.values())) == 1:
        only = "" if len(tested) == len(results) else f" ({', '.join(tested)})"
        return words[0 if all(tested.values()) else 1] + only
    return ", ".join(f"{words[0 if r else 1]} in {p}" for p, r in tested.items())


def counts_text(figures):
    """The numbers of operators of both precisions."""
    counts = [f["n"] for f in figures.values() if f]
    return "" if not counts else ", " + " / ".join(map(
        str, dict.fromkeys(counts))) + (" operator" if counts[-1] == 1 else " operators")


def row_of(claim, runs):
    figures = {p: claim.measure(runs, p) for p in PRECISIONS}
    texts = [NOT_MEASURED if f is None else claim.show.format_map(f) if f else "" for f in figures.values()]
    verdict = ""
    if claim.holds is not None:
        verdict = verdict_of({p: bool(claim.holds(f)) if f else None for p, f in figures.items() if f != {}})
    source = files_text(claim.source) if claim.source in FAMILIES else f"`{claim.source}`"
    metric = f"{claim.metric} ({source}: {claim.selection}{counts_text(figures)})"
    reason = "" if verdict == "not tested" else claim.why_not if "does not hold" in verdict else claim.why
    return (claim.paper, metric, *texts, f"**{verdict}**" if verdict else "", reason)


def claims_table(claims, runs, first="the paper"):
    return markdown.table((first, *HEADER), [row_of(claim, runs) for claim in claims])
