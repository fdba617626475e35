"""PETSc's own tutorials, unmodified, with AIJ and with the matrix type loaded by options: the same output.

    tutorials.py PLUGIN WORK_FOLDER MPICC MPIEXEC RANKS PETSC_PREFIX PETSC_VERSION FLAGS...

Exit status 77, which CTest shows as skipped, where the tutorials' sources are not installed (Debian: libpetscX.Y-dev-examples).
The tutorials are built in WORK_FOLDER. FLAGS compile and link a program with PETSc.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

from output_comparison import first_difference
from petsc_examples import find_sources

plugin, work, mpicc, mpiexec, ranks, prefix, version, *flags = sys.argv[1:]
ranks = int(ranks)
work = pathlib.Path(work)

MONITOR_KSP = "-ksp_monitor -ksp_converged_reason"
MONITOR_SNES = "-snes_monitor -snes_converged_reason -ksp_monitor"

# (tutorial, its options, options of the type). Those with options of the type run on one rank only.
RUNS = [
    ("ksp/ksp/tutorials/ex45", MONITOR_KSP, ""),
    ("ksp/ksp/tutorials/ex45", MONITOR_KSP + " -da_refine 2 -pc_type mg", ""),
    ("ksp/ksp/tutorials/ex45", MONITOR_KSP + " -da_refine 2 -pc_type mg -pc_mg_galerkin both", ""),
    ("ksp/ksp/tutorials/ex45", MONITOR_KSP, "-mat_quadrille_format csr"),
    ("ksp/ksp/tutorials/ex34", MONITOR_KSP, ""),
    ("ksp/ksp/tutorials/ex34", MONITOR_KSP + " -da_grid_x 8 -da_grid_y 8 -da_grid_z 8 -pc_type mg -pc_mg_levels 2", ""),
    ("ksp/ksp/tutorials/ex50", MONITOR_KSP, ""),
    ("ksp/ksp/tutorials/ex50", MONITOR_KSP + " -da_grid_x 17 -da_grid_y 17 -pc_type mg -pc_mg_levels 3", ""),
    ("ksp/ksp/tutorials/ex32", MONITOR_KSP, "-mat_quadrille_format dia"),
    ("ksp/ksp/tutorials/ex32", MONITOR_KSP + " -da_grid_x 12 -da_grid_y 12 -pc_type mg -pc_mg_levels 3", ""),
    ("snes/tutorials/ex5", MONITOR_SNES, ""),
    ("snes/tutorials/ex5", MONITOR_SNES + " -snes_fd_color", ""),
    ("snes/tutorials/ex19", MONITOR_SNES, ""),
    ("snes/tutorials/ex19", MONITOR_SNES + " -snes_fd_color -da_refine 1", ""),
    ("snes/tutorials/ex19", MONITOR_SNES, "-mat_quadrille_format ell"),
    ("snes/tutorials/ex19", MONITOR_SNES + " -da_refine 2 -pc_type mg", ""),
    ("snes/tutorials/ex19", MONITOR_SNES + " -da_refine 1 -pc_type mg -pc_mg_galerkin both", ""),
]

# With -pc_type quadrille_mg, on one rank: at most so many Krylov iterations in a solve.
GRID_MULTIGRID = [
    ("ksp/ksp/tutorials/ex45", "-da_refine 2", 9),
    ("ksp/ksp/tutorials/ex29", "-da_refine 3", 7),
    ("ksp/ksp/tutorials/ex29", "-da_refine 3 -bc_type neumann", 7),
    ("ksp/ksp/tutorials/ex32", "-da_refine 2", 6),
    ("ksp/ksp/tutorials/ex50", "-da_grid_x 65 -da_grid_y 65", 6),
    ("ksp/ksp/tutorials/ex34", "-da_grid_x 24 -da_grid_y 24 -da_grid_z 24", 7),
    ("snes/tutorials/ex5", "-da_refine 4", 7),
    ("snes/tutorials/ex19", "-da_refine 3", 16),
    ("snes/tutorials/ex19", "-da_grid_x 20 -da_grid_y 200", 48),
]


def built(folder, name):
    program = work / name.replace("/", "_")
    source = folder / f"{name}.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([mpicc, "-O1", "-o", str(program), str(source), *flags, "-lm"], check=True)
    return program


def run(program, options):
    command = [str(program), *options.split()]
    if ranks > 1:
        command = [mpiexec, "-n", str(ranks)] + command
    # Leaks would be lines of the output that AIJ's has not.
    command += ["-malloc_debug", "-malloc_dump", "-objects_dump"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return done.returncode, done.stdout.splitlines()


def with_grid_multigrid(folder):
    """How many of the runs fail: it has to converge, in few iterations."""
    failed = 0
    for name, options, most in GRID_MULTIGRID:
        loaded = (f"{options} -dll_append {plugin} -dm_mat_type quadrille -pc_type quadrille_mg -pc_quadrille_mg_coarsest 50 "
                  "-ksp_rtol 1e-6 -ksp_monitor -ksp_converged_reason")
        status, seen = run(built(folder, name), loaded)
        counts = [int(re.match(r"\s*(\d+) KSP Residual norm", line)[1]) for line in seen if "KSP Residual norm" in line]
        ok = status == 0 and counts and max(counts) <= most and not any("DIVERGED" in line for line in seen)
        print(f"{'converged' if ok else 'FAILED'}: {name} {options} -pc_type quadrille_mg, {max(counts, default=0)} iterations, "
              f"{most} at most", flush=True)
        if not ok:
            failed += 1
            print("\n".join("  | " + line[:200] for line in seen[-25:]))
    return failed


def main():
    folder = find_sources(prefix, version)
    if not folder:
        sys.exit(77)
    work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, options, of_type in RUNS:
        if ranks > 1 and of_type:
            continue
        program = built(folder, name)
        loaded = f"{options} -dll_append {plugin} -dm_mat_type quadrille -mat_quadrille_verify {of_type}"
        with concurrent.futures.ThreadPoolExecutor() as both:
            (status, expected), (our_status, seen) = both.map(run, [program, program], [options, loaded])
        difference = first_difference(expected, seen)
        ok = status == our_status == 0 and not difference
        iterations = sum("KSP Residual norm" in line for line in expected)
        ok = ok and iterations > 0
        print(f"{'same' if ok else 'DIFFERENT'}: {ranks} rank(s), {name} {options} {of_type}, {iterations} norms", flush=True)
        if ok:
            continue
        failed += 1
        print(f"  exit status {status} with aij, {our_status} with quadrille; {len(expected)} and {len(seen)} lines")
        if difference:
            print(f"  aij:       {difference[1][:200]}\n  quadrille: {difference[2][:400]}")
        print("\n".join("  | " + line[:200] for line in seen[-25:]))
    if ranks == 1:
        failed += with_grid_multigrid(folder)
    sys.exit(1 if failed else 0)


main()
