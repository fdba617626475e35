"""Reads write_fields' XDMF files with meshio and compares every number. Usage: field_file_meshio_test.py WRITE_FIELDS"""
import sys
import tempfile

from field_cases import MATRICES, RUNS, SPACING, expected, expected_vector, names, require, same_bits, write, write_vectors

require("h5py", "meshio", "numpy")
import meshio  # noqa: E402
import numpy as np  # noqa: E402

CELLS = ["vertex", "line", "quad", "hexahedron"]


def check_mesh(points, cells, extents, spacing):
    z, y, x = np.meshgrid(*[np.arange(extents[axis]) * spacing[axis] for axis in (2, 1, 0)], indexing="ij")
    assert same_bits(points, np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1))
    axes = [axis for axis in range(3) if extents[axis] > 1]
    assert [block.type for block in cells] == [CELLS[len(axes)]], cells
    assert len(cells[0].data) == np.prod([extents[axis] - 1 for axis in axes], dtype=int)
    assert cells[0].data.min() == 0 and cells[0].data.max() == len(points) - 1


def check_data(point_data, grid, dof, steps, step):
    for index, field in enumerate(["result", "odd"]):
        data, _ = expected(grid, dof, steps, index)
        parts = [point_data.pop(name) for name in names(field, dof)]
        got = np.stack(parts, axis=-1) if len(parts) > 1 else parts[0]
        assert same_bits(got.reshape(data[step].shape), data[step]), (grid, dof, step, field)
    assert not point_data


def check(path, grid, dof, steps):
    _, extents = expected(grid, 1, 1, 0)
    if steps == 1:
        mesh = meshio.read(path)
        check_mesh(mesh.points, mesh.cells, extents, SPACING)
        return check_data(dict(mesh.point_data), grid, dof, steps, 0)
    with meshio.xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        check_mesh(points, cells, extents, SPACING)
        assert reader.num_steps == steps
        for step in range(steps):
            time, point_data, _ = reader.read_data(step)
            assert time == step / 7.0
            check_data(point_data, grid, dof, steps, step)


def main():
    runs = [(mode, case) for mode, case in RUNS if case[0] != "1049x1000"]  # which has no mesh: too many nodes
    with tempfile.TemporaryDirectory() as folder:
        for path, (_, case) in zip(write(sys.argv[1], folder, runs), runs):
            check(path[: -len(".h5")] + ".xdmf", *case)
    for rows, columns in MATRICES:
        if rows != columns:  # meshio reads one grid a file
            continue
        with tempfile.TemporaryDirectory() as folder:
            mesh = meshio.read(write_vectors(sys.argv[1], folder, rows, columns)[: -len(".h5")] + ".xdmf")
            check_mesh(mesh.points, mesh.cells, (rows, 1, 1), (1, 1, 1))
            for index, field in enumerate(["result", "odd"]):
                assert same_bits(mesh.point_data[field], expected_vector(rows, index))
    print("every number exact")


main()
