"""examples/gray_scott.cpp and `quadrille solve gray_scott` give what PETSc's own tutorial gives, which
discretises the same equations with a DMDA and hand-written derivatives: on the same grid, with the same
method, steps and tolerances.

    gray_scott_test.py EXAMPLE QUADRILLE WORK_FOLDER MPICC MPIEXEC RANKS PETSC_PREFIX PETSC_VERSION FLAGS...

Exit status 77, which CTest shows as skipped, where the tutorials' sources are not installed. FLAGS compile and link a program
with PETSc.
"""
import pathlib
import shutil
import subprocess
import sys

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "petsc_type"))
from petsc_examples import find_sources

example, quadrille, work, mpicc, mpiexec, ranks, prefix, version, *flags = sys.argv[1:]
work = pathlib.Path(work)
SIZE = 48
METHOD = "-ts_type cn -ksp_rtol 1e-12 -snes_rtol 1e-12 -snes_stol 1e-14".split()
STEPS = "-ts_dt 5 -ts_adapt_type none".split()

sources = find_sources(prefix, version)
if not sources:
    sys.exit(77)
work.mkdir(parents=True, exist_ok=True)
for name in ("ex5.c", "reaction_diffusion.c", "reaction_diffusion.h"):
    shutil.copy(sources / "ts/tutorials/advection-diffusion-reaction" / name, work)
subprocess.run([mpicc, "-O1", "-o", "ex5", "ex5.c", "reaction_diffusion.c", *flags, "-lm"], check=True, cwd=work)


def run(*command):
    subprocess.run([mpiexec, "-n", ranks, *command], check=True, cwd=work, timeout=200)


run("./ex5", "-da_grid_x", str(SIZE), "-da_grid_y", str(SIZE), "-ts_max_time", "100", "-ts_exact_final_time", "matchstep",
    "-ts_view_solution", "binary:ex5.bin", *METHOD, *STEPS)
run(example, "-n", str(SIZE), "-until", "100", *METHOD, *STEPS)
run(quadrille, "solve", "gray_scott", "--grid", f"{SIZE}x{SIZE}", "--steps", "20", "--dt", "5", "--output",
    "solve.h5", "--", *METHOD)
expected = numpy.fromfile(work / "ex5.bin", dtype=">f8", offset=8).reshape(SIZE, SIZE, 2)
assert expected[:, :, 1].max() > 0.1, "nothing reacted"
for path in "gray_scott.h5", "solve.h5":
    with h5py.File(work / path) as file:
        assert list(file["time"]) == [0, 100], list(file["time"])
        worst = max(abs(numpy.asarray(file[name])[-1].squeeze() - expected[:, :, r]).max()
                    for r, name in enumerate("uv"))
    print(f"{path}: largest difference {worst:.2g}; v is up to {expected[:, :, 1].max():.2f}")
    assert worst < 1e-9, worst
