"""PDEs in time and nonlinear ones on one GPU."""
from . import markdown
from .claim import verdict_of

TITLE = "In time, and nonlinear"
LEAST = 0.7  # of the floor, asked of residuals and Jacobians
MOST_MS = 10  # asked of a step of gray_scott
HEAT = (("`heat` 256^3", "heat_256"), ("`heat` 256^3, 2 unknowns", "heat_256_dof2"), ("`heat` 128^3, 8 unknowns", "heat_128_dof8"))
OTHERS = (("`bratu` 256^3, steady", "bratu_256"), ("`gray_scott` 128^3", "gray_scott_128"),
          ("`gray_scott` 1024^2, Crank and Nicolson", "gray_scott_1024"), ("`poroelastic` 96^3", "poroelastic_96"))
SPECIES = ((1, "128^3"), (2, "128^3"), (3, "128^3"), (4, "128^3"), (6, "128^3"), (8, "128^3"), (10, "96^3"), (12, "96^3"), (16, "96^3"))


def one(runs, name):
    """(its record, its commit)."""
    report = runs.report(f"h200_in_time:{name}")
    return report["records"][0], report["version"].split("+")[-1]


def cases():
    """(title, run) of every line of the table."""
    yield from ((f"{title}, {words}", f"{name}_{way}") for title, name in HEAT
                for way, words in (("auto", "found"), ("cds", "`--format cds`")))
    yield from OTHERS
    yield from ((f"`transport` {grid}, {n} species", f"transport_{n}") for n, grid in SPECIES)


def share(fraction):
    return "" if fraction is None else f"{fraction:.2f}"


def row_of(runs, title, name):
    r, commit = one(runs, name)
    step = r.get("ms_per_step")
    return (title, r["format"], "" if step is None else f"{step:.2f}", "" if step is None else f"{1e6 * step / r['unknowns']:.2f}",
            f"{r['newton_iterations']}, {r['iterations']}", f"{r['residual_ms']:.3f}", share(r["residual_fraction_of_floor"]),
            f"{r['jacobian_ms']:.3f}", share(r["jacobian_fraction_of_floor"]), commit)


def reached_text(runs):
    """Of what was asked, by the format that is found."""
    found = [one(runs, f"{name}_auto")[0] for _, name in HEAT]
    residuals = [r["residual_fraction_of_floor"] for r in found]
    # Without a share: few rows are all of it, and it takes less than the floor of a Jacobian that is stored.
    jacobians = [r["jacobian_fraction_of_floor"] for r in found if r["jacobian_fraction_of_floor"] is not None]
    scott = one(runs, "gray_scott_1024")[0]["ms_per_step"]
    species = [one(runs, f"transport_{n}")[0] for n, grid in SPECIES if grid == "128^3"]
    of_unknown = [1e6 * r["ms_per_step"] / r["unknowns"] for r in species]
    falls = all(b <= 1.05 * a for a, b in zip(of_unknown, of_unknown[1:]))
    rows = [(f"residuals of `heat` at {LEAST} of the floor", ", ".join(f"{x:.2f}" for x in residuals), min(residuals) >= LEAST),
            (f"Jacobians of `heat` at {LEAST} of the floor", f"{', '.join(f'{x:.2f}' for x in jacobians)}; the others are few rows",
             min(jacobians, default=1) >= LEAST),
            (f"a step of `gray_scott` 1024^2 in {MOST_MS} ms", f"{scott:.1f} ms", scott <= MOST_MS),
            ("a step of `transport` for each unknown falls or stays level with the species",
             f"{', '.join(f'{x:.2f}' for x in of_unknown)} ns", falls)]
    return markdown.table(("asked", "measured", ""), [(a, m, f"**{verdict_of({'fp64': ok}, ('reached', 'missed'))}**")
                                                       for a, m, ok in rows])


def text(runs):
    return markdown.section(
        2, TITLE, "`quadrille solve` on one H200 (`h200_in_time.json`), single runs; steps with what the first of them sets up. The floor "
        "of a residual is u and its rate read and F written; of a Jacobian u read and its non-zeros written, of which `cds` stores more.",
        reached_text(runs),
        markdown.table(("", "format", "ms a step", "ns an unknown", "Newton, Krylov iterations", "residual, ms", "of the floor",
                        "Jacobian, ms", "of the floor", "commit"), [row_of(runs, *case) for case in cases()]))
