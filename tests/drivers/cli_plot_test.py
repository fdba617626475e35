"""`quadrille plot` and `solve --plot`, and what their scripts say of bad input."""
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import unittest

from cli_case import CliTest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../drivers/support")
SCRIPT = os.path.join(SCRIPTS, "plot_field.py")
sys.path.insert(0, SCRIPTS)  # for what they share
sys.dont_write_bytecode = True


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

    def test_how_a_solve_converges(self):
        """The history that is drawn is that of the solve; two of them stand in one figure."""
        try:
            import matplotlib  # noqa: F401
            import PIL.Image
        except ImportError as missing:
            self.skipTest(str(missing))
        for name, options in ("mg", []), ("jacobi", ["--", "-ksp_type", "cg", "-pc_type", "jacobi"]):
            self.ok("solve", "poisson", "--grid", "24x24", "--plot", self.path(name), "--json", self.path(name + ".json"), "--quiet", *options)
            with open(self.path(name + ".json")) as file:
                (record,) = json.load(file)["records"]
            residual, seconds = record["history"]["residual"], record["history"]["seconds"]
            self.assertEqual((len(residual), len(seconds)), (record["iterations"] + 1,) * 2)
            self.assertEqual(record["history"]["iteration"], list(range(record["iterations"] + 1)))
            self.assertEqual(residual[0], 1)
            self.assertLess(residual[-1], 1e-8)
            self.assertEqual(seconds, sorted(seconds))
            self.assertLessEqual(seconds[-1], record["seconds"]["solve"])
            with PIL.Image.open(self.path(name + ".png")) as picture:
                self.assertGreater(min(picture.size), 300)
            self.assertTrue(os.path.exists(self.path(name + ".svg")))
        script = os.path.join(SCRIPTS, "plot_solve.py")
        both = subprocess.run([sys.executable, "-B", script, self.path("mg.json"), self.path("jacobi.json"), self.path("both")],
                              capture_output=True, text=True)
        self.assertEqual((both.returncode, both.stdout, both.stderr), (0, "", ""))
        with open(self.path("both.svg")) as file:
            self.assertGreater(file.read().count("<g id=\"line2d"), 4)
        self.ok("solve", "poisson", "--grid", "9x9", "--json", self.path("plain.json"), "--quiet")
        self.path("odd.json", '{"records": [3]}')
        for report, words in (("plain.json", "not the JSON file of quadrille solve with --plot"), ("none.json", "No such file"),
                              ("odd.json", "not the JSON file")):
            wrong = subprocess.run([sys.executable, "-B", script, self.path(report), self.path("no")], capture_output=True, text=True)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(words, wrong.stderr)
        self.refused(3, ["nowhere"], "solve", "poisson", "--grid", "9x9", "--plot", self.path("nowhere/p"))
        self.refused(2, ["--plot", "heat"], "solve", "heat", "--grid", "9x9", "--dt", "1", "--steps", "1", "--plot", self.path("p"))


if __name__ == "__main__":
    unittest.main()
