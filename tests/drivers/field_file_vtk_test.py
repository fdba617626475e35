"""Reads write_fields' XDMF files with VTK's readers and compares every number with h5py's view of the file.
Usage: field_file_vtk_test.py WRITE_FIELDS

Needs vtkXdmfReader: in the wheels of `pip install vtk`, and in ParaView; Debian's python3-vtk9 is built without it.
ParaView's Xdmf3 readers know no HyperSlab and read no field: choose its "XDMF Reader"."""
import sys
import tempfile

from field_cases import MATRICES, RUNS, SPACING, expected, expected_vector, names, require, same_bits, write, write_vectors

require("numpy", "vtkmodules.vtkIOXdmf2")
import numpy as np  # noqa: E402
from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: E402
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline  # noqa: E402
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader  # noqa: E402


def check(path, grid, dof, steps):
    reader = vtkXdmfReader()
    reader.SetFileName(path[: -len(".h5")] + ".xdmf")
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    key = Pipeline.TIME_STEPS()
    times = [information.Get(key, i) for i in range(information.Length(key))] if information.Has(key) else []
    if steps > 1:
        assert times == [step / 7.0 for step in range(steps)], times
    for step in range(steps):
        reader.UpdateTimeStep(times[step] if times else 0.0)
        data = reader.GetOutputDataObject(0)
        assert data is not None and data.IsA("vtkImageData"), "no image was read"
        assert data.GetPointData().GetNumberOfArrays() == 2 * len(names("result", dof))
        for index, name in enumerate(["result", "odd"]):
            wanted, extents = expected(grid, dof, steps, index)
            dimensions, origin, spacing = data.GetDimensions(), data.GetOrigin(), data.GetSpacing()
            assert dimensions == extents, (dimensions, extents)
            assert origin == (0, 0, 0) and spacing == SPACING, (origin, spacing)
            arrays = [data.GetPointData().GetArray(part) for part in names(name, dof)]
            components = 3 if dof == 3 else 1
            assert all(a.GetNumberOfComponents() == components for a in arrays)
            got = np.stack([vtk_to_numpy(a) for a in arrays], axis=-1).reshape(wanted[step].shape)
            assert same_bits(got, wanted[step]), f"{path} {name} {step}"


def check_vectors(path, rows, columns):
    reader = vtkXdmfReader()
    reader.SetFileName(path[: -len(".h5")] + ".xdmf")
    reader.Update()
    data = reader.GetOutputDataObject(0)
    parts = [data] if rows == columns else [data.GetBlock(i) for i in range(data.GetNumberOfBlocks())]
    found = {}
    for part in parts:
        assert part.IsA("vtkImageData") and part.GetSpacing() == (1, 1, 1), part
        for i in range(part.GetPointData().GetNumberOfArrays()):
            array = part.GetPointData().GetArray(i)
            found[array.GetName()] = vtk_to_numpy(array)
            assert part.GetDimensions() == (array.GetNumberOfTuples(), 1, 1)
    for field, (name, count) in enumerate([("result", rows), ("odd", columns)]):
        assert same_bits(found[name], expected_vector(count, field)), name


def main():
    failures = 0
    for matrix in MATRICES:
        with tempfile.TemporaryDirectory() as folder:
            check_vectors(write_vectors(sys.argv[1], folder, *matrix), *matrix)
    with tempfile.TemporaryDirectory() as folder:
        for path, (_, case) in zip(write(sys.argv[1], folder, RUNS), RUNS):
            try:
                check(path, *case)
            except AssertionError as error:
                failures += 1
                print(f"{case}: {error}")
    print(f"{len(RUNS)} files, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
