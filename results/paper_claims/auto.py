"""The automatic choice of the format."""
from . import markdown
from .claim import Claim, claims_table
from .records import is_generated, mean

TITLE = "The automatic choice"


def ratios(runs, precision, choice):
    """matrix -> time of the choice over that of the best format."""
    found = {}
    for report in runs.reports("auto", precision):
        for summary in report["summary"]:
            for line in summary["choices"]:
                found[line["matrix"]] = line[choice]["ms"] / line["best"]["ms"]
    return found


def peers(runs, precision, choice):
    """matrix -> whether the choice is as fast as the best of cuSPARSE's CSR and SELL."""
    return [
        line[choice]["ms"] <= line["peer"]["ms"] for report in runs.reports("auto", precision) for summary in report["summary"]
        for line in summary["choices"]
    ]


def measure(choice):
    def figures(runs, precision):
        found = ratios(runs, precision, choice)
        grids = [r for m, r in found.items() if is_generated(m)]
        worst = max(found, key=found.get)
        as_fast = peers(runs, precision, choice)
        return {"n": len(found), "grids": len(grids), "grid_low": min(grids), "grid_high": max(grids),
                "within": 100 * mean(r <= 1.05 for r in found.values()), "peer": 100 * mean(as_fast),
                "matching": 100 * mean(1 / r for r in found.values()), "worst": 100 / found[worst], "operator": worst}

    return figures


def claims(choice, name):
    return [
        Claim(
            paper=f"{name}: within 1.05 of the best on the six grids",
            metric="time over the best format's",
            source="auto", selection="all", measure=measure(choice),
            show="{grids} grids {grid_low:.3f} to {grid_high:.3f}; of all {within:.0f} % within 1.05",
            holds=lambda f: f["grid_high"] <= 1.05),
        Claim(
            paper=f"{name}: 97 % of the best on average, 85 % at worst",
            metric="the best format's time over it, mean",
            source="auto", selection="all", measure=measure(choice),
            show="{matching:.1f} %, worst {worst:.1f} % ({operator})",
            holds=lambda f: f["matching"] >= 97 and f["worst"] >= 85,
            why="what is missed are formats close to each other on operators of a few microseconds"),
        Claim(
            paper=f"{name}: as fast as cuSPARSE's best of CSR and SELL on 90 %",
            metric="share of the operators",
            source="auto", selection="all", measure=measure(choice),
            show="{peer:.1f} %",
            holds=lambda f: f["peer"] >= 90)]


CLAIMS = claims("chosen", "predicted (`--format auto`)") + claims("tuned", "`--tune`")


def text(runs):
    return markdown.section(2, TITLE, "", claims_table(CLAIMS, runs, "asked"),
                            "![Performance profiles of auto and all formats, fp64](h200_auto.png)")
