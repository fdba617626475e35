"""Reads write_fields' files with h5py, and follows their XDMF by hand. Usage: field_file_h5py_test.py WRITE_FIELDS"""
import filecmp
import os
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from field_cases import MATRICES, RUNS, SPACING, expected, expected_vector, names, require, same_bits, write, write_vectors

require("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

try:
    import h5netcdf  # noqa: F401
    import xarray
except ImportError as error:
    xarray = None
    print(f"skipped: what xarray reads, for {error}")


def check_hdf5(path, grid, dof, steps):
    with h5py.File(path, "r") as file:
        assert sorted(file) == ["dof", "odd", "options", "result", "time", "x", "xdmf", "y", "z"], list(file)
        for index, name in enumerate(["result", "odd"]):
            data, extents = expected(grid, dof, steps, index)
            dataset = file[name]
            assert dataset.dtype == np.dtype("<f8")
            assert same_bits(dataset[()], data), f"{path} {name}"
            assert [d.label for d in dataset.dims] == ["time", "z", "y", "x", "dof"]
            scales = ["/time", "/z", "/y", "/x", "/dof"]
            assert [d[0].name for d in dataset.dims] == scales
            assert dataset.attrs["units"] == "m s-1"
            assert dataset.attrs["long_name"] == f'the "{name}" <A x> & more'
            assert dataset.chunks[0] == 1 and np.prod(dataset.chunks) * 8 <= 4 << 20, dataset.chunks
        for axis, name in enumerate("xyz"):
            assert same_bits(file[name][()], np.arange(extents[axis]) * SPACING[axis])
            assert file[name].attrs["units"] == "m" and file[name].attrs["CLASS"] == b"DIMENSION_SCALE"
        assert same_bits(file["time"][()], np.arange(steps) / 7.0)
        assert file["time"].attrs["units"] == "s" and file["dof"].attrs["units"] == "1"
        assert list(file["dof"][()]) == list(range(dof)) and file["dof"].dtype == np.dtype("<i8")
        assert all(file[name].attrs["long_name"] for name in ["time", "z", "y", "x", "dof"])
        assert tuple(file.attrs["extents"]) == extents and tuple(file.attrs["spacing_m"]) == SPACING
        assert file.attrs["dof"] == dof and file.attrs["version"] == "1.2.3"
        assert file.attrs["dimension"] == grid.count("x") + 1
        options = {"grid": grid, "comment": 'caf\u00e9, "quoted"', "empty": "", "pc": "a, b"}
        assert dict(file["options"].attrs) == options


def follow(item, folder):
    """The array an item of HDF5 means, with as many numbers as the item says."""
    name, dataset = item.text.rsplit(":", 1)
    assert not os.path.isabs(name) and item.get("Format") == "HDF"
    with h5py.File(os.path.join(folder, name), "r") as file:
        return file[dataset][()].reshape([int(n) for n in item.get("Dimensions").split()])


def check_mesh(node, extents, folder):
    """The points are the lattice's, and the cells fill it."""
    (points,), (cells,) = [[follow(i, folder) for i in node.findall(f"{name}/DataItem")] for name in ["Geometry", "Topology"]]
    z, y, x = np.meshgrid(*[np.arange(extents[axis]) * SPACING[axis] for axis in (2, 1, 0)], indexing="ij")
    assert same_bits(points, np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1))
    axes = [axis for axis in range(3) if extents[axis] > 1]
    assert cells.shape == (np.prod([extents[axis] - 1 for axis in axes], dtype=int), 2 ** len(axes))
    corners = points[cells]
    assert len(np.unique(cells[:, 0])) == len(cells)
    if len(axes) > 1:  # around the lower face, with the same side to the left everywhere
        first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 1]
        assert np.all((first > 0) == (np.arange(3) == axes[0])) and np.all((second > 0) == (np.arange(3) == axes[1]))
        assert np.allclose(corners[:, 3], corners[:, 0] + second)
    if len(axes) == 3:
        assert np.allclose(corners[:, 4:], corners[:, :4] + [0, 0, SPACING[2]])


def check_xdmf(path, grid, dof, steps):
    root = ElementTree.parse(path[: -len(".h5")] + ".xdmf").getroot()
    grids = root.findall(".//Grid[@GridType='Uniform']")
    assert len(grids) == steps
    nodes = np.prod([int(n) for n in grid.split("x")])
    lattice = root.find(".//Information") if nodes <= 1 << 20 else grids[0]
    assert [float(d) for d in lattice.findall("Geometry/DataItem")[1].text.split()] == list(SPACING[::-1])
    _, extents = expected(grid, 1, 1, 0)
    assert [int(n) for n in lattice.find("Topology").get("Dimensions").split()] == list(extents[::-1])
    assert len(root.findall(".//Grid[@CollectionType='Temporal']")) == (1 if steps > 1 else 0)
    for step, node in enumerate(grids):
        assert steps == 1 or float(node.find("Time").get("Value")) == step / 7.0
        if lattice.tag == "Information" and nodes < 1000:
            check_mesh(node, extents, os.path.dirname(path))
        attributes = node.findall("Attribute")
        assert [a.get("Name") for a in attributes] == names("result", dof) + names("odd", dof)
        per_field = len(attributes) // 2
        for index in range(2):
            data, _ = expected(grid, dof, steps, index)
            parts = attributes[index * per_field : (index + 1) * per_field]
            assert all(a.get("Center") == "Node" for a in parts)
            wanted_type = "Vector" if dof == 3 else "Scalar"
            assert all(a.get("AttributeType") == wanted_type for a in parts)
            arrays = [follow(a.find("DataItem"), os.path.dirname(path)) for a in parts]
            got = np.stack(arrays, axis=-1) if len(arrays) > 1 else arrays[0].reshape(data[step].shape)
            assert same_bits(got, data[step])


def check_xarray(path, grid, dof, steps):
    with xarray.open_dataset(path, engine="h5netcdf") as dataset:
        assert dataset["result"].dims == ("time", "z", "y", "x", "dof")
        assert sorted(dataset.coords) == ["dof", "time", "x", "y", "z"]
        assert same_bits(dataset["result"].values, expected(grid, dof, steps, 0)[0])


def check_vectors(path, rows, columns):
    with h5py.File(path, "r") as file:
        scales = {"row": rows} if rows == columns else {"row": rows, "column": columns}
        assert sorted(file) == sorted(["odd", "options", "result", "xdmf", *scales]), list(file)
        assert (file.attrs["rows"], file.attrs["columns"]) == (rows, columns)
        for name, count in scales.items():
            assert file[name].dtype == np.dtype("<i8") and list(file[name][()]) == list(range(count))
            assert file[name].attrs["CLASS"] == b"DIMENSION_SCALE" and file[name].attrs["long_name"]
        for field, (name, count) in enumerate([("result", rows), ("odd", columns)]):
            assert same_bits(file[name][()], expected_vector(count, field))
            (dimension,) = file[name].dims
            assert dimension[0].name == "/" + dimension.label and scales[dimension.label] == count
            assert file[name].attrs["units"] == "m s-1" and name in file[name].attrs["long_name"]


def main():
    for matrix in MATRICES:
        with tempfile.TemporaryDirectory() as folder:
            check_vectors(write_vectors(sys.argv[1], folder, *matrix), *matrix)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as again:
        paths = write(sys.argv[1], folder, RUNS)
        for path, (_, case) in zip(paths, RUNS):
            check_hdf5(path, *case)
            check_xdmf(path, *case)
            if xarray:
                check_xarray(path, *case)
        again = [] if "ASAN_OPTIONS" in os.environ else write(sys.argv[1], again, RUNS)  # nothing new for sanitizers
        for first, second in zip(paths, again):
            assert filecmp.cmp(first, second, shallow=False), f"two runs wrote different bytes: {first}"
    print(f"{len(RUNS)} files, every number exact")


main()
