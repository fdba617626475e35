"""PETSc's own tutorials, unmodified, with AIJ and with the matrix type loaded by options: the same output.

    tutorials.py PLUGIN WORK_FOLDER MPICC MPIEXEC RANKS PETSC_PREFIX PETSC_VERSION FLAGS...

Exit status 77, which CTest shows as skipped, where the tutorials' sources are not installed (Debian: libpetscX.Y-dev-examples).
The tutorials are built in WORK_FOLDER. FLAGS compile and link a program with PETSc.
"""
import concurrent.futures
import pathlib
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
    sys.exit(1 if failed else 0)


main()
