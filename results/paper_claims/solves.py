"""Solves on one GPU, and on two."""
from . import markdown
from .records import percent

TITLE = "Solves"
LEVELS = {"cds_mg": "`cds`, ours", "dia_mg": "`dia`, ours", "aij_mg": "`aijcusparse`, the same levels",
          "aij_gamg": "`aijcusparse`, GAMG", "cds_pbjacobi": "`cds`, pbjacobi", "aij_pbjacobi": "`aijcusparse`, pbjacobi"}
SOLVES = (("poisson 256^3", "poisson_256", ("cds_mg", "aij_mg", "aij_gamg")),
          ("poisson 512^3", "poisson_512", ("cds_mg", "aij_mg")),
          ("diffusion 128^3, jumps of 1e6", "diffusion_128", ("cds_mg", "aij_mg", "aij_gamg")),
          ("elasticity 64^3, box, DoF 3", "elasticity_64",
           ("cds_mg", "dia_mg", "aij_mg", "aij_gamg", "cds_pbjacobi", "aij_pbjacobi")))
TWO = (("poisson 512^3, `quadrille_mg`", "poisson_512_quadrille_mg_1_rank", "poisson_512_quadrille_mg_2_ranks"),
       ("poisson 256^3, `quadrille_mg`", "poisson_256_quadrille_mg_1_rank", "poisson_256_quadrille_mg_2_ranks"),
       ("poisson 512^3, `mg`, the same session", "poisson_512_again_mg", "poisson_512_again_2_ranks"),
       ("poisson 256^3, `mg`, the same session", "poisson_256_again_mg", "poisson_256_again_2_ranks"),
       ("poisson 512^3, multigrid", "poisson_512_1_rank", "poisson_512_2_ranks"),
       ("poisson 256^3, multigrid", "poisson_256_1_rank", "poisson_256_2_ranks"),
       ("poisson 256^3, Jacobi", "poisson_256_jacobi_1_rank", "poisson_256_jacobi_2_ranks"),
       ("poisson 128^3 DoF 4, Jacobi", "poisson_128_dof4_jacobi_1_rank", "poisson_128_dof4_jacobi_2_ranks"),
       ("elasticity 128^3, box, DoF 3, Galerkin", "elasticity_128_galerkin_1_rank", "elasticity_128_galerkin_2_ranks"),
       ("elasticity 64^3, box, DoF 3", "elasticity_64_1_rank", "elasticity_64_2_ranks"),
       ("diffusion 128^3, jumps of 1e6", "diffusion_128_1_rank", "diffusion_128_2_ranks"),
       ("poisson 256^3, `aijcusparse`, the same levels", "poisson_256_aij_mg", "poisson_256_aij_mg_2_ranks"))
GRID_MULTIGRID = (("poisson 64^3", "poisson_64", ("quadrille_mg",)),
                  ("poisson 256^3", "poisson_256", ("quadrille_mg", "quadrille_mg_double", "compact_quadrille_mg", "full_quadrille_mg", "pcmg", "again_mg")),
                  ("poisson 256^3, star of radius 2", "poisson_256_radius_2", ("quadrille_mg",)),
                  ("poisson 512^3", "poisson_512", ("quadrille_mg", "compact_quadrille_mg", "again_mg")),
                  *((f"diffusion 128^3, jumps of 1e6, seed {n}", f"diffusion_128_seed{n}",
                     ("quadrille_mg", "quadrille_mg_double", "pcmg") if n == 1 else ("quadrille_mg",)) for n in range(1, 6)),
                  ("diffusion 200^3, jumps of 1e6, seed 1", "diffusion_200", ("quadrille_mg",)),
                  ("diffusion 256^3, jumps of 1e6, seed 1", "diffusion_256", ("quadrille_mg", "compact_quadrille_mg")),
                  ("diffusion 256^3, exp(sin(x/50) cos(3y/100) sin(3z/200)), `compact`", "diffusion_256_smooth", ("quadrille_mg",)),
                  ("poisson 256x256x64, spacings 1:1:0.1", "poisson_256_256_64", ("quadrille_mg",)),
                  ("poisson 128^3, spacings 1:0.1:0.01", "poisson_128_thin", ("quadrille_mg",)),
                  ("elasticity 64^3, box, DoF 3", "elasticity_64", ("quadrille_mg",)),
                  ("elasticity 128^3, box, DoF 3", "elasticity_128", ("quadrille_mg", "compact_quadrille_mg", "pcmg", "again_mg")),
                  ("diffusion 128^3, jumps of 1e6, seed 1, closed", "diffusion_128_clamp", ("quadrille_mg",)),
                  ("diffusion, permeability of Norne, values on all faces", "norne_values", ("quadrille_mg",)),
                  ("diffusion, permeability of Norne, a value on one face", "norne_one_value", ("quadrille_mg",)),
                  ("diffusion, permeability of Norne, closed", "norne_closed", ("quadrille_mg",)))
WAYS = {"quadrille_mg": "`quadrille_mg`", "quadrille_mg_double": "`quadrille_mg`, cycles in fp64", "again_mg": "`mg` as it was, levels discretised again", "pcmg": "`mg`, the same levels",
        "compact_quadrille_mg": "`quadrille_mg`, `--format compact`", "full_quadrille_mg": "one full cycle of it, another right side"}
MS_OF = (("assembly", 0), ("setup", 0), ("solve", 1))
POINT_BLOCKS = ("jacobi", "pbjacobi", "quadrille_pbjacobi")


def solve(runs, name):
    """(its record, its commit)."""
    report = runs.report(f"h200_solve:{name}")
    return report["records"][0], report["version"].split("+")[-1]


def each(runs, groups, names):
    """(its first cells, its record, its commit) of each solve; a group's title stands in its first row."""
    for title, prefix, variants in groups:
        for variant in variants:
            yield (title if variant == variants[0] else "", names[variant]), *solve(runs, f"{prefix}_{variant}")


def ms_an_iteration(record):
    return f"{1000 * record['seconds']['solve'] / record['iterations']:.2f}"


def one_gpu(runs):
    rows = [(*first, r["iterations"], f"{r['seconds']['setup']:.2f}", f"{r['seconds']['solve']:.3f}", ms_an_iteration(r),
             f"{r['matmult_ms']:.3f}", f"{r['residual']:.1e}", commit) for first, r, commit in each(runs, SOLVES, LEVELS)]
    return markdown.table(("", "format, preconditioner", "iterations", "set-up, s", "solve, s", "ms an iteration",
                           "ms a product", "true residual", "commit"), rows)


def of_floor(record):
    """Bytes that an iteration moves for an unknown, and the share of the time that these take by the run's own stream, where known."""
    moved, share = record.get("bytes_per_unknown_iteration"), record.get("fraction_of_floor")
    return ("" if moved is None else f"{moved:.0f}", "" if share is None else f"{share:.2f}")


def grid_multigrid(runs):
    rows = [(*first, r["iterations"], *(f"{1000 * r['seconds'][step]:.{digits}f}" for step, digits in MS_OF), ms_an_iteration(r),
             *of_floor(r), f"{r['residual']:.1e}", commit) for first, r, commit in each(runs, GRID_MULTIGRID, WAYS)]
    return markdown.table(("", "preconditioner", "iterations", "assembly, ms", "set-up, ms", "solve, ms", "ms an iteration",
                           "bytes an unknown", "of the floor", "true residual", "commit"), rows)


def saved_text(runs):
    """With all else alike, what the format saves."""
    parts = []
    for title, prefix, _ in SOLVES[:3]:
        own, other = (solve(runs, f"{prefix}_{v}")[0]["seconds"]["solve"] for v in ("cds_mg", "aij_mg"))
        parts.append(f"{percent(other - own, other):.0f} % ({title})")
    levels, gamg = (solve(runs, f"poisson_256_{v}")[0]["seconds"]["solve"] for v in ("aij_mg", "aij_gamg"))
    shell = solve(runs, "poisson_256_cds_mg")[0]["matmult_ms"]
    kernel = next(r["ms_median"] for r in runs.lines("h200_formats:dof1_fp64") if r["format"] == "cds")
    return (f"With the same levels and norm, if not always the same commit, `cds` saves of the solve {', '.join(parts)}. The same levels on AIJ beat GAMG by "
            f"{gamg / levels:.1f} times at 256^3. MatMult through PETSc takes {shell:.3f} ms there, the bare kernel "
            f"{kernel:.3f} ms ({100 * (shell / kernel - 1):+.1f} %).")


def residuals_text(runs):
    """How far the true residuals on two ranks are from those on one."""
    apart = {}
    for title, *names in TWO:
        one, two = (solve(runs, name)[0]["residual"] for name in names)
        apart[title] = abs(one - two) / one
    largest, second = sorted(apart, key=apart.get, reverse=True)[:2]
    return (f"True residuals on one rank and on two differ by at most {apart[second]:.0e} of themselves, but for {largest}: "
            f"{apart[largest]:.0e}.")


def two_gpus(runs):
    rows = []
    for title, *names in TWO:
        (one, commit), (two, _) = (solve(runs, name) for name in names)
        speed = one["seconds"]["solve"] / two["seconds"]["solve"]
        iterations = " / ".join(map(str, dict.fromkeys((one["iterations"], two["iterations"]))))
        rows.append((title, iterations, f"{one['seconds']['solve']:.3f}", f"{two['seconds']['solve']:.3f}",
                     f"{speed:.2f}" if speed >= 0.9 else f"**{speed:.2f}**", f"{one['matmult_ms']:.3f}",
                     f"{two['matmult_ms']:.3f}", commit))
    return markdown.table(("", "iterations", "solve, s: 1 rank", "2 ranks", "times as fast", "ms a product: 1", "2", "commit"),
                          rows)


def point_blocks_text(runs):
    found = [solve(runs, f"poisson_128_dof2_{name}")[0] for name in POINT_BLOCKS]
    iterations = " / ".join(map(str, dict.fromkeys(r["iterations"] for r in found)))
    times = ", ".join(f"`{name}` {r['seconds']['solve']:.3f} s" for name, r in zip(POINT_BLOCKS, found))
    return f"Poisson 128^3 with DoF 2, {iterations} iterations of CG each: {times}."


def text(runs):
    return markdown.section(
        2, TITLE, "CG on one H200 until PETSc's residual is 1e-8 of its start, single runs (`h200_solve.json`). That is the "
        "unpreconditioned one, with elasticity the preconditioned one; the last but one column has what |b - A x| is then, over |b|: "
        "not everywhere 1e-8.", one_gpu(runs), saved_text(runs),
        markdown.section(3, "Multigrid from the operator alone", "`-pc_type quadrille_mg`, CG, `cds`, single runs, and `-pc_type mg`; "
                         "lines of one commit are of one session; those of 6c701ee and later are of CG by `quadrille_cg`. Up to 0a68b2a the operator "
                         "was assembled on the host and copied within the set-up. Bytes are those that an iteration must move for an "
                         "unknown, in the fp32 or fp64 of its cycle; the floor is the time that they take by the stream of the run: small "
                         "grids wait for launches and for the coarsest levels, of which no bytes tell.",
                         grid_multigrid(runs)),
        markdown.section(3, "Point-block Jacobi", point_blocks_text(runs)),
        markdown.section(3, "Two GPUs", "One rank each (`h200_solve:*_1_rank`, `*_2_ranks`), single runs:",
                         two_gpus(runs), residuals_text(runs)))
