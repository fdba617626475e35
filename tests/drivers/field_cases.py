"""What write_fields writes, as NumPy arrays; shared by the tests that read its files."""
import functools
import os
import subprocess
import sys

SKIP = 77  # CTest's SKIP_RETURN_CODE
WRITE_WITH = os.environ.get("WRITE_WITH", "").split()  # mpiexec -n 3
SPACING = (0.1, 0.25, 3.0)  # x, y, z

# (grid, dof, steps): 2D, 3D, one wide, many unknowns, several steps, and one larger than a chunk (4 MiB).
CASES = [
    ("7x5", 1, 1),
    ("7x5", 3, 3),
    ("6x4", 4, 2),
    ("5x4x3", 1, 3),
    ("5x4x3", 3, 1),
    ("4x3x5", 4, 2),
    ("3x2x4", 2, 1),
    ("3x4x2", 6, 2),
    ("3x4x2", 9, 2),
    ("3x3x2", 64, 2),
    ("1x1", 1, 2),
    ("1x9", 2, 1),
    ("9x1x1", 3, 2),
    ("1x1x6", 5, 1),
    ("83x79x81", 1, 2),
    ("1049x1000", 2, 1),
]

# Written as a whole, and step by step.
RUNS = [(mode, case) for mode in ("fields", "series") for case in CASES]


def require(*modules):
    for module in modules:
        try:
            __import__(module)
        except ImportError as error:
            print(f"skipped: {error}")
            sys.exit(SKIP)


@functools.lru_cache(4)
def expected(grid, dof, steps, field):
    """[step][z][y][x][dof], and the extents nx, ny, nz."""
    import numpy as np

    nx, ny, nz = ([int(n) for n in grid.split("x")] + [1])[:3]
    rows = np.arange(nx * ny * nz * dof, dtype=np.int64)
    data = np.stack([(7 * rows + 100003 * step + 50021 * field - 11) / 3.0 for step in range(steps)])
    if field == 1:
        odd = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324])[: rows.size]
        data[:, : odd.size] = odd
    return data.reshape(steps, nz, ny, nx, dof), (nx, ny, nz)


def names(field, dof):
    """What the XDMF calls the attributes of a field."""
    return [field] if dof in (1, 3) else [f"{field}_{r}" for r in range(dof)]


def same_bits(a, b):
    """Equal in shape and every bit, except that any NaN equals any NaN."""
    import numpy as np

    a, b = np.ascontiguousarray(a, dtype="<f8"), np.ascontiguousarray(b, dtype="<f8")
    if a.shape != b.shape:
        return False
    return bool(np.all((a.view("<u8") == b.view("<u8")) | (np.isnan(a) & np.isnan(b))))


# (rows, columns) of a matrix, whose vectors are "result" and "odd".
MATRICES = [(5, 5), (7, 4), (1, 1), (3, 100000)]


def expected_vector(count, field):
    return expected(f"{count}x1", 1, 1, field)[0].reshape(count)


def write_vectors(writer, folder, rows, columns):
    path = os.path.join(folder, f"a matrix & {rows}.h5")
    subprocess.run([writer, "vectors", path, str(rows), str(columns)], check=True)
    return path


def write(writer, folder, runs):
    """The files of several (mode, case), which one start of the writer makes."""
    paths = [os.path.join(folder, f"a file & {mode} {grid} {dof} {steps}.h5") for mode, (grid, dof, steps) in runs]
    words = [[mode, path, *map(str, case), "--"] for (mode, case), path in zip(runs, paths)]
    subprocess.run([*WRITE_WITH, writer, *sum(words, [])[:-1]], check=True)
    left = [name for name in os.listdir(folder) if ".tmp-" in name]
    assert not left, f"temporary files left: {left}"
    return paths
