"""What was asked of the kernels, and what was measured."""
from collections.abc import Callable
from dataclasses import dataclass

from . import markdown
from .claim import verdict_of
from .records import PRECISIONS, RecordError, ms

TITLE = "What was asked, and what was measured"
LARGE_BYTES = 500e6  # operators that count; smaller ones are told beside
CDS_FILES = ("h200_cds:star", "h200_cds:star_dof1", "h200_cds:many_dofs", "h200_cds:box",
             "h200_cds:box125", "h200_cds:odd", "h200_cds:periodic", "h200_cds:periodic_dof1",
             "h200_dof_scaling:all", "h200_formats:peers_dof2_fp64", "h200_formats:peers_dof3_fp64", "h200_formats:dof1_{}",
             "h200_formats:dof4_{}")


def is_large(record):
    return record["compulsory_bytes"] > LARGE_BYTES


def is_cds(record):
    return record["format"] == "cds"


def named(record):
    note = "" if is_large(record) else f" ({record['compulsory_bytes'] / 1e6:.0f} MB)"
    return f"{record['grid']} DoF {record['dof']}{note}"


def one(runs, name, precision, **wanted):
    """The one line of a file with these fields; None where there is none."""
    found = [r for r in runs.lines(name) if r["precision"] == precision and all(r[k] == v for k, v in wanted.items())]
    if len(found) > 1:
        raise RecordError(f"{name} has {len(found)} lines with {wanted}")
    return found[0] if found else None


@dataclass(frozen=True)
class Floor:
    """Lines that are to reach a part of the floor."""
    asked: str
    files: tuple
    least: dict  # precision -> part of the floor
    chosen: Callable = lambda r: True

    def lines(self, runs, precision):
        every = [r for name in self.files for r in runs.lines(name.format(precision))]
        return [r for r in every if r["precision"] == precision and self.chosen(r)]

    def result(self, runs, precision):
        """(text, whether it is reached by all large ones; None without them)."""
        found = self.lines(runs, precision)
        large, small = [r for r in found if is_large(r)], [r for r in found if not is_large(r)]
        values = sorted(r["fraction_of_floor"] for r in large)
        parts = []
        if values:
            parts.append(f"{values[0]:.3f} to {values[-1]:.3f} in {len(values)} lines" if len(values) > 2
                         else ", ".join(f"{r['fraction_of_floor']:.3f}" for r in large))
        missed = [r for r in large if r["fraction_of_floor"] < self.least[precision]]
        parts += ["below: " + ", ".join(f"**{r['fraction_of_floor']:.3f}** at {named(r)}" for r in missed)] if missed else []
        parts += ["smaller: " + ", ".join(f"{r['fraction_of_floor']:.3f} at {named(r)}" for r in small)] if small else []
        return "; ".join(parts), (not missed if large else None)


@dataclass(frozen=True)
class Ratio:
    """A ratio of times, with its own text."""
    asked: str
    files: tuple
    compute: Callable  # (runs, precision) -> (text, reached or None)

    def result(self, runs, precision):
        return self.compute(runs, precision)


def both(value):
    return {p: value for p in PRECISIONS}


def periodic(runs, precision):
    """The periodic product's time beside the other's."""
    parts, reached = [], []
    for dof_file, periodic_file in (("h200_cds:star_dof1", "h200_cds:periodic_dof1"),
                                    ("h200_cds:star", "h200_cds:periodic"),
                                    ("h200_cds:odd", "h200_cds:periodic")):
        for r in runs.lines(periodic_file):
            other = one(runs, dof_file, precision, grid=r["grid"], dof=r["dof"]) if r["precision"] == precision else None
            if other:
                longer = 100 * (ms(r) / ms(other) - 1)
                parts.append(f"{longer:+.1f} % at {named(r)}")
                reached += [longer <= 5] if is_large(r) else []
    return ", ".join(parts), all(reached) if reached else None


def dia_as_cds(runs, precision):
    dia, cds = (one(runs, f"h200_formats:dof1_{precision}", precision, format=f) for f in ("dia", "cds"))
    longer = 100 * (ms(dia) / ms(cds) - 1)
    return f"{longer:+.1f} %, {dia['fraction_of_floor']:.3f} of its floor", longer <= 1


def over_peers(name, dof, least):
    def compute(runs, precision):
        file = name.format(precision)
        if runs.optional(file) is None:
            return "", None
        found = {r["format"]: ms(r) for r in runs.lines(file) if r["precision"] == precision and r["dof"] == dof}
        ratio = min(t for f, t in found.items() if f.startswith("cusparse")) / found["cds"]
        return f"{ratio:.4f}" if abs(ratio - least) < 0.01 else f"{ratio:.2f}", ratio >= least

    return compute


def many_vectors(runs, precision):
    eight = one(runs, "h200_cds:vectors8", precision, dof=4)
    single = one(runs, "h200_cds:star", precision, grid=eight["grid"], dof=4)
    times = 8 * ms(single) / ms(eight)
    return f"{times:.2f} times", times >= 4.5


def in_cache(runs, precision):
    record = one(runs, "h200_cds:small", precision)
    report = runs.report("h200_cds:small")
    size = f"{record['compulsory_bytes'] / 2**20:.1f} MiB, median"
    gbps = next((v for k, v in report["ceilings"].items() if k.endswith(size)), None)
    if gbps is None:
        raise RecordError(f"h200_cds:small has no ceiling of {size}")
    stream = record["compulsory_bytes"] / gbps / 1e6
    longer = 100 * (ms(record) / stream - 1)
    return f"{1000 * ms(record):.2f} us, stream {1000 * stream:.2f} us: {longer:+.0f} %", longer <= 20


STAR = ("h200_cds:star_dof1", "h200_cds:star")
AGAIN = ("h200_formats:peers_dof2_fp64", "h200_formats:peers_dof3_fp64", "h200_formats:dof1_{}", "h200_formats:dof4_{}",
         "h200_dof_scaling:all")
FORMATS = ("h200_formats:dof1_{}", "h200_formats:dof4_{}")
ASKED = [
    Floor("CDS, star, DoF 1 to 8, 3D and 2D: 0.97 (fp32 0.95)", STAR, {"fp32": 0.95, "fp64": 0.97}),
    Floor("the same in the runs beside other formats", AGAIN, {"fp32": 0.95, "fp64": 0.97},
          lambda r: r["format"] == "cds" and r["dof"] <= 8 and is_large(r)),
    Floor("CDS, DoF 9 to 32, 64^3: 0.95", ("h200_cds:many_dofs",), both(0.95)),
    Floor("box of 9 points, 2D: 0.95", ("h200_cds:box",), both(0.95), lambda r: r["grid"].count("x") == 1),
    Floor("box of 27 points: 0.95", ("h200_cds:box",), both(0.95), lambda r: r["grid"].count("x") == 2),
    Floor("box of 125 points: 0.95", ("h200_cds:box125",), both(0.95)),
    Floor("97x131x83, DoF 3, 5, 6, 7: 0.95", ("h200_cds:odd",), both(0.95), lambda r: r["grid"] == "97x131x83"),
    Floor("197x231x183, the same DoF: 0.95", ("h200_cds:odd",), both(0.95), lambda r: r["grid"] == "197x231x183"),
    Ratio("periodic on all axes: within 5 % of the other's time",
          ("h200_cds:periodic*", "h200_cds:star*", "h200_cds:odd"), periodic),
    Ratio("DIA at DoF 1 as fast as CDS, 256^3 (within 1 %)", FORMATS[:1], dia_as_cds),
    *[
        Floor(f"{name}, 256^3 DoF 1 and 128^3 DoF 4: 0.93", FORMATS, both(0.93), lambda r, f=f: r["format"] == f)
        for name, f in (("ELL", "ell"), ("ELLR-T", "ellr_t"), ("RgCSR", "rg_csr"))
    ],
    Ratio("CDS over the best of cuSPARSE's CSR, SELL, BSR, DoF 1: 1.6 times", FORMATS[:1], over_peers(FORMATS[0], 1, 1.6)),
    Ratio("the same, DoF 2: 1.45 times", ("h200_formats:peers_dof2_{}",), over_peers("h200_formats:peers_dof2_{}", 2, 1.45)),
    Ratio("the same, DoF 3: 1.45 times", ("h200_formats:peers_dof3_{}",), over_peers("h200_formats:peers_dof3_{}", 3, 1.45)),
    Ratio("the same, DoF 4: 1.45 times", FORMATS[1:], over_peers(FORMATS[1], 4, 1.45)),
    Ratio("8 vectors at once, DoF 4: 4.5 times the throughput of single ones", ("h200_cds:vectors8", "h200_cds:star"),
          many_vectors),
    Floor("`A^T x` of CDS, DoF 1: 0.90", ("h200_transposed:dof1_{}",), both(0.9), is_cds),
    Floor("the same, DoF 4: 0.90", ("h200_transposed:dof4_{}",), both(0.9), is_cds),
    Floor("the same, DoF 2: 0.90", ("h200_transposed:dof2_fp64",), both(0.9), is_cds),
    Ratio("64^3, DoF 1, in the second-level cache: within 20 % of the stream's median there", ("h200_cds:small",),
          in_cache),
]


def row_of(item, runs):
    results = {p: item.result(runs, p) for p in PRECISIONS}
    files = ", ".join(f"`{f.format('*')}`" for f in item.files)
    verdict = verdict_of({p: reached for p, (_, reached) in results.items()}, ("reached", "missed"))
    return (item.asked, files, *(text for text, _ in results.values()), f"**{verdict}**")


def text(runs):
    return markdown.section(
        2, TITLE, "Parts of the floor, the time of a stream with the same bytes in the same run. Operators above 500 MB of "
        "compulsory bytes count; smaller ones are named beside. Lines that miss what was asked are bold.",
        markdown.table(("asked", "files", "fp32", "fp64", ""), [row_of(item, runs) for item in ASKED]))
