"""Runs plot_slice.py on write_fields' files. Usage: plot_slice_test.py WRITE_FIELDS PLOT_SLICE"""
import os
import subprocess
import sys
import tempfile

from field_cases import require, write

require("h5py", "numpy", "matplotlib")
import matplotlib.image  # noqa: E402


def run(*arguments):
    return subprocess.run([sys.executable, sys.argv[2], *arguments], capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, flat = write(sys.argv[1], folder, [("fields", ("17x12x5", 4, 3)), ("fields", ("1x9", 1, 1))])
        image = os.path.join(folder, "out.png")
        drawn = []
        for more in [[], ["--step", "0"], ["--dof", "3"], ["--axis", "x", "--index", "2"], ["--axis", "y"]]:
            done = run(path, "result", image, *more)
            assert done.returncode == 0 and not done.stderr, done.stderr
            assert min(matplotlib.image.imread(image).shape[:2]) > 400
            with open(image, "rb") as file:
                drawn.append(file.read())
        assert len(set(drawn)) == len(drawn), "different slices gave the same picture"
        for field in ["odd", "result"]:
            done = run(flat, field, image)
            assert done.returncode == 0 and not done.stderr, done.stderr
        os.remove(image)
        text = os.path.join(folder, "text.h5")
        with open(text, "w") as file:
            file.write("no HDF5")
        wrong = [
            (["none.h5", "result", image], "no such file"),
            ([text, "result", image], "not a readable HDF5 file"),
            ([path, "pressure", image], "the fields are: odd, result"),
            ([path, "x", image], "no field 'x'"),
            ([path, "result", image, "--step", "3"], "step 3 does not exist"),
            ([path, "result", image, "--dof", "4"], "unknown 4 does not exist"),
            ([path, "result", image, "--axis", "y", "--index", "12"], "y index 12 does not exist"),
            ([path, "result", os.path.join(folder, "none", "out.png")], "No such file or directory"),
            ([path, "result", "out.txt"], "ends in .png"),
            ([path, "result"], "usage"),
        ]
        for arguments, message in wrong:
            done = run(*arguments)
            assert done.returncode == 2, (arguments, done.returncode)
            assert message in done.stderr and "Traceback" not in done.stderr, (arguments, done.stderr)
        assert not os.path.exists(image)
        assert not [name for name in os.listdir(folder) if ".tmp-" in name]
    print("slices drawn, errors readable")


main()
