"""`quadrille plot`, and what its script says of bad input."""
import contextlib
import importlib.util
import io
import json
import os
import unittest

from cli_case import CliTest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../drivers/support/plot_field.py")


class Plot(CliTest):
    def setUp(self):
        super().setUp()
        os.environ["OMP_NUM_THREADS"] = "1"

    def written(self):
        """Two unknowns a node in 3D and three steps; two fields in 2D."""
        try:
            import h5py  # noqa: F401
            import matplotlib  # noqa: F401
        except ImportError as missing:
            self.skipTest(str(missing))
        space, plane = self.path("space.h5"), self.path("a plane.h5")
        self.ok("solve", "transport", "--grid", "9x8x7", "--dof", "2", "--spacing", "0.5,0.25,1", "--steps", "2", "--dt", "0.05",
                "--output-every", "1", "--output", space)
        self.ok("solve", "gray_scott", "--grid", "12x12", "--steps", "1", "--dt", "1", "--output", plane)
        return space, plane

    def drawn(self, *arguments):
        self.ok("plot", *arguments, "--json", self.path("p.json"), "--quiet")
        with open(self.path("p.json")) as file:
            (record,) = json.load(file)["records"]
        return record

    def test_pictures_and_films(self):
        space, plane = self.written()
        import h5py
        import PIL.Image
        with h5py.File(space) as file:
            values, times = file["solution"][()], file["time"][()]
        record = self.drawn(space)
        self.assertEqual([record[name] for name in ("field", "slice", "steps", "step", "time_s", "out")],
                         ["solution_0", "z=3", 1, 2, times[2], self.path("space.png")])
        self.assertEqual((record["smallest"], record["largest"]), (values[2, 3, :, :, 0].min(), values[2, 3, :, :, 0].max()))
        record = self.drawn(space, "--field", "solution_1", "--slice", "x=1.2", "--step", "1", "--out", self.path("x.png"))
        self.assertEqual(record["slice"], "x=1")
        self.assertEqual((record["smallest"], record["largest"]), (values[1, :, :, 2, 1].min(), values[1, :, :, 2, 1].max()))
        for name in ("space.png", "x.png"):
            with PIL.Image.open(self.path(name)) as picture:
                self.assertGreater(min(picture.size), 300)
        record = self.drawn(plane, "--field", "v", "--movie", "--out", self.path("film.gif"))
        self.assertEqual((record["slice"], record["steps"]), (None, 2))
        with PIL.Image.open(self.path("film.gif")) as film:
            self.assertEqual(film.n_frames, 2)
        self.assertFalse([name for name in os.listdir(self.folder.name) if ".tmp-" in name])
        self.refused(2, ["no field 'w'", "u, v"], "plot", plane, "--field", "w")
        self.refused(3, ["nowhere"], "plot", plane, "--out", self.path("nowhere/p.png"))
        # A Python without its modules is answered with what to install, and ends with 3.
        folder = self.path("no modules")
        os.mkdir(folder)
        self.path("no modules/h5py.py", "raise ImportError('no h5py here')")
        self.refused(3, ["no h5py here", "install"], "plot", plane, env={**os.environ, "PYTHONPATH": folder})

    def test_what_the_script_says(self):
        space, plane = self.written()
        spec = importlib.util.spec_from_file_location("plot_field", SCRIPT)
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        for arguments, words in (
                ([self.path("none.h5")], "no such file"), ([self.path("text.h5", "no HDF5")], "not a readable HDF5 file"),
                ([space, "--field=p"], "the fields are: solution_0, solution_1"), ([space, "--step=3"], "no step 3; there are 3"),
                ([space, "--slice=y=2"], "along y are from 0 to 1.75 m"), ([space, "--slice=y=-0.2"], "from 0 to 1.75 m"),
                ([space, "--slice=w=1"], "write x, y or z"), ([plane, "--slice=x=1"], "one layer of nodes"),
                ([plane, "--out=a.txt"], "must end in .png"), ([plane, "--movie", "--out=a.png"], "ends in .mp4 or .gif"),
                ([plane, "--step=1", "--out=a.gif"], "has all steps")):
            with self.subTest(words), contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(script.main(arguments), 2)
                self.assertIn(words, said.getvalue())
                self.assertEqual(len(said.getvalue().splitlines()), 1)

    def test_options(self):
        there = self.path("there.h5", "")
        self.refused(2, ["plot FILE.h5"], "plot")
        self.refused(2, ["no such file"], "plot", self.path("none.h5"))
        self.refused(2, ["--slice 'z'", "z=0.5"], "plot", there, "--slice", "z")
        self.refused(2, ["--step '1'", "--movie"], "plot", there, "--step", "1", "--movie")
        self.refused(2, ["did you mean '--field'"], "plot", there, "--feld", "u")
        self.refused(2, ["is already the file of"], "plot", there, "--out", there)
        text = self.ok("plot", there, "--slice", "x=0.5", "--step", "3", "--field", "u", "--validate")
        self.assertIn("slice = x=0.5\nstep = 3\nmovie = false\n", text)
        self.assertEqual(text, self.ok("plot", "--config", self.path("c.ini", text), "--validate"))


if __name__ == "__main__":
    unittest.main()
