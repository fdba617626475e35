"""`quadrille solve` with coefficients and sources from HDF5 files, against a dense solve; and what such a file may have wrong."""
import json
import unittest

from cli_case import CliTest, SANITIZED

try:
    import h5py
    import numpy
    import dense_diffusion
except ImportError:
    h5py = None

EXACTLY = ["-ksp_rtol", "1e-12", "-ksp_norm_type", "unpreconditioned"]


@unittest.skipIf(h5py is None, "no h5py or numpy")
class Fields(CliTest):
    def setUp(self):
        super().setUp()
        self.numbers = numpy.random.default_rng(7)

    def field(self, shape, barriers):
        """Log-normal, over three orders of magnitude, with a share of cells that let nothing through."""
        return numpy.exp(1.5 * self.numbers.standard_normal(shape)) * (self.numbers.random(shape) >= barriers)

    def solved(self, *arguments, petsc=()):
        out, fields = self.path("r.json"), self.path("u.h5")
        screen = self.ok("solve", "diffusion", "--json", out, "--output", fields, *arguments, "--", *EXACTLY, *petsc)
        with open(out) as file:
            (record,) = json.load(file)["records"]
        with h5py.File(fields) as file:
            u = file["solution"][0, ..., 0]
        return u, record, screen

    def compare(self, a, sides, spacing, ratio, *arguments, source=None, petsc=()):
        names = ",".join(side if isinstance(side, str) else "value:" + repr(side) for side in sides)
        fields = {"a": a} if source is None else {"a": a, "f": source}
        path = self.datasets(**fields)
        if source is not None:
            arguments += "--source", path + ":f"
        u, record, screen = self.solved("--coefficient", path + ":a", "--boundary", names, "--spacing", ",".join(map(repr, spacing)),
                                        "--coefficient-ratio", ",".join(map(repr, ratio)), *arguments, petsc=petsc)
        expected = dense_diffusion.solution(a, spacing, ratio, sides, source)
        numpy.testing.assert_allclose(u.reshape(a.shape), expected, rtol=0, atol=1e-8 * abs(expected).max())
        numpy.testing.assert_array_equal(u.reshape(a.shape)[a == 0], 0)
        self.assertEqual(record["grid"], "x".join(str(n) for n in reversed(a.shape)))
        self.assertLess(record["residual"], 1e-11)
        return record, screen

    CASES = [
        ((11, 13), (0.5, 0.25), (1, 1), [0.0, 0.0, 2.0, "clamp"]),
        ((12, 17), (1, 1), (1, 0.1), ["clamp"] * 4),
        ((9, 14), (2, 1), (3, 1), ["periodic", "periodic", "clamp", 1.0]),
        ((6, 7, 8), (50, 50, 8), (1, 1, 0.1), ["clamp"] * 6),
        ((7, 5, 9), (1, 2, 3), (1, 1, 1), ["periodic", "periodic", "clamp", "clamp", -1.0, 3.0]),
        ((8, 8, 8), (1, 1, 1), (1, 2, 4), [0.0] * 6),
        ((5, 6, 7), (1, 1, 1), (1, 1, 1), ["periodic"] * 6),
    ]

    # Any two of case, barriers and preconditioner come together.
    def test_of_every_kind_agree_with_the_dense_solve(self):
        preconditioners = ["-pc_type", "jacobi"], ["-pc_type", "mg", "-pc_mg_levels", "2"], ["-pc_quadrille_mg_coarsest", "20"]
        for i, (shape, spacing, ratio, sides) in enumerate(self.CASES):
            for j, barriers in enumerate([0, 0.25, 0.6]):
                if SANITIZED and (i + 2 * j) % 3 != 0:
                    continue
                petsc = preconditioners[(i + j) % 3]
                with self.subTest(shape=shape, sides=sides, barriers=barriers, petsc=petsc):
                    self.compare(self.field(shape, barriers), sides, spacing, ratio, petsc=petsc)

    def test_formats_and_unknowns(self):
        a = self.field((7, 6, 5), 0.3)
        for arguments in [["--format", "csr"], ["--format", "dia"], ["--format", "petsc_aij"], ["--format", "auto"]]:
            self.compare(a, ["clamp"] * 4 + [0.0, 1.0], (1, 1, 1), (1, 1, 1), *arguments)
        path = self.datasets(a=a)
        one, _, _ = self.solved("--coefficient", path + ":a", "--boundary", "clamp")
        with_two = self.path("two.h5")
        self.ok("solve", "diffusion", "--coefficient", path + ":a", "--boundary", "clamp", "--dof", "2", "--output", with_two, "--",
                *EXACTLY)
        with h5py.File(with_two) as file:
            for unknown in 0, 1:
                numpy.testing.assert_allclose(file["solution"][0, ..., unknown], one, rtol=0, atol=1e-9 * abs(one).max())

    def test_a_source_is_taken_and_balanced_in_closed_regions(self):
        a, f = self.field((9, 10), 0.4), self.numbers.standard_normal((9, 10))
        for sides in [0.0] * 4, ["clamp"] * 4:
            _, screen = self.compare(a, sides, (1, 1), (1, 1), source=f)
            self.assertIn("cut off from every face", screen)

    # Two halves with a wall between them: one open, one closed. By hand: the closed one has u = 0, for its
    # source is its mean.
    def test_a_wall_by_hand(self):
        a = numpy.array([[1.0, 1, 0, 1, 1]])
        record, screen = self.compare(a, ["clamp", 0.0, "clamp", "clamp"], (1, 1), (1, 1))
        self.assertIn("and 0 in 1 nodes, where u is 0", screen)
        self.assertIn("1 region of nodes is cut off", screen)
        u, _, _ = self.solved(
            "--coefficient", self.path("given.h5") + ":a", "--boundary", "clamp,value:0,clamp,clamp"
        )
        numpy.testing.assert_allclose(u.ravel(), [0, 0, 0, 3, 2], atol=1e-10)

    def test_units_as_small_as_those_of_rock(self):
        a = 1e-13 * self.field((12, 11, 10), 0.3)  # m^2
        self.compare(a, ["clamp"] * 4 + [0.0, "clamp"], (50, 50, 8), (1, 1, 0.1), petsc=["-pc_type", "mg", "-pc_mg_levels", "3"])

    def test_layouts_and_types(self):
        a = numpy.round(10 * self.field((4, 5, 6), 0.2))
        path = self.path("fields.h5")
        with h5py.File(path, "w") as file:
            file["double"] = a
            file["float"] = a.astype("f4")
            file["big_endian"] = a.astype(">i4")
            file["model/packed"] = a.astype("u2")
            file.create_dataset("gzip", data=a, compression="gzip", shuffle=True, chunks=(2, 3, 4))
            file["steps"] = numpy.stack([0 * a + 1, a])[..., None]
            file["flat"] = a[0]
            file["flat_steps"] = a[None, :1, ..., None]
        first, record, _ = self.solved("--coefficient", path + ":double", "--boundary", "clamp")
        self.assertEqual(record["grid"], "6x5x4")
        for name in "float", "big_endian", "model/packed", "gzip", "steps":
            u, _, _ = self.solved("--coefficient", path + ":" + name, "--boundary", "clamp")
            numpy.testing.assert_array_equal(u, first, name)
        first, record, _ = self.solved("--coefficient", path + ":flat")
        self.assertEqual(record["grid"], "6x5")
        numpy.testing.assert_array_equal(self.solved("--coefficient", path + ":flat_steps")[0], first)

    # A field that this program wrote comes back with its grid and its spacing.
    def test_our_own_files_read_back(self):
        for grid, spacing in ("9x7", "0.5,0.25"), ("6x5x4", "0.5,0.25,2"):
            path = self.path("own.h5")
            self.ok("solve", "poisson", "--grid", grid, "--spacing", spacing, "--output", path)
            text = self.ok("solve", "diffusion", "--coefficient", path + ":solution", "--validate")
            self.assertIn(f"grid = {grid}\nspacing = {spacing}\n", text)
            self.assertIn(f"coefficient = {path}:solution\n", text)
            self.assertEqual(text, self.ok("solve", "--config", self.path("c.ini", text), "--validate"))
            u, record, _ = self.solved("--coefficient", path + ":solution", "--source", path + ":right_side")
            with h5py.File(path) as file:
                a = file["solution"][0, ..., 0]
            lengths = [float(h) for h in spacing.split(",")]
            expected = dense_diffusion.solution(a.reshape(a.shape[-len(lengths):]), lengths, [1, 1, 1], [0.0] * 6)
            numpy.testing.assert_allclose(u.reshape(expected.shape), expected, rtol=0, atol=1e-9 * expected.max())
        self.ok("solve", "diffusion", "--coefficient", path + ":solution", "--grid", "6x5x4", "--spacing", "3", "--validate")

    def test_what_is_wrong_gets_a_sentence(self):
        good, hole = self.field((5, 6), 0), self.field((5, 6), 0)
        hole[1, 2] = numpy.nan
        below = good.copy()
        below[3, 4] = -2.5
        infinite = good.copy()
        infinite[0, 0] = numpy.inf
        path = self.path("wrong.h5")
        with h5py.File(path, "w") as file:
            for name, values in {"good": good, "hole": hole, "below": below, "infinite": infinite, "nothing": 0 * good,
                                 "line": good[0], "six": good[None, None, None, None], "four": good[None, None], "one": 1.0, "two": numpy.ones((1, 1, 5, 6, 2)),
                                 "empty": numpy.zeros((0, 3)), "group/inner": good, "words": numpy.array([[b"a", b"b"]]),
                                 "other": good.T}.items():
                file[name] = values
            file["none"] = h5py.Empty("f8")
            file.create_dataset("packed", data=good, compression="gzip", chunks=good.shape)
            file["packed"].id.flush()
            at = file["packed"].id.get_chunk_info(0).byte_offset
            file["spaced"] = good
            file["spaced"].attrs["spacing_m"] = [1.0, -1.0]
        with open(path, "r+b") as file:  # what is packed there unpacks no more
            file.seek(at)
            file.write(b"\xff" * 16)
        text = self.path("text.h5", "hello\n")
        for name, words in [("good2", ["no dataset 'good2'", "did you mean 'good'"]), ("group", ["is a group", "inner"]),
                            ("hole", ["nan", "(2, 1, 0)"]), ("below", ["-2.5", "(4, 3, 0)"]), ("infinite", ["inf"]),
                            ("nothing", ["0 everywhere"]), ("line", ["1 axes", "[z][y][x]"]), ("four", ["6 unknowns", "a coefficient has one"]), ("six", ["6 axes"]), ("one", ["0 axes"]),
                            ("none", ["0 axes"]), ("two", ["2 unknowns"]), ("empty", ["is empty"]), ("words", ["no numbers"]),
                            ("packed", ["cannot be read"]), ("spaced", ["spacing_m", "-1"])]:
            with self.subTest(name=name):
                self.refused(2, ["--coefficient '" + path + ":" + name, *words], "solve", "diffusion", "--coefficient",
                             path + ":" + name)
        self.refused(2, ["--source", "nan"], "solve", "poisson", "--source", path + ":hole")
        self.refused(2, ["a file alone names no dataset"], "solve", "diffusion", "--coefficient", path)
        for number in ("1e-200", "1e200"):
            self.refused(2, ["--coefficient", "1e-100 to 1e100"], "solve", "diffusion", "--grid", "8x8", "--coefficient", number)
        self.refused(2, ["1e-100 to 1e100"], "solve", "poisson", "--grid", "8x8", "--spacing", "1e-140")
        self.refused(2, ["-ksp_rtol", "no number"], "solve", "poisson", "--grid", "8x8", "--", "-ksp_rtol", "nan")
        self.refused(2, ["-snes_atol", "no number"], "solve", "bratu", "--grid", "8x8", "--", "-snes_atol", "NaN")
        self.refused(2, ["-ts_rtol", "no number"], "solve", "heat", "--grid", "8x8", "--steps", "1", "--dt", "1", "--", "-ts_rtol", "nan")
        for arguments, words in [
                (["diffusion", "--coefficient", self.path("missing.h5") + ":a"], ["no such file"]),
                (["diffusion", "--coefficient", self.folder.name + ":a"], ["is a folder"]),
                (["diffusion", "--coefficient", text + ":a"], ["no HDF5 file"]),
                (["diffusion", "--coefficient", path], ["log_normal, FILE.h5:DATASET or a formula"]),
                (["diffusion", "--coefficient", "lognormal"], ["did you mean 'log_normal'"]),
                (["diffusion", "--coefficient", path + ":good", "--grid", "6x6"], ["6x5 nodes", "--grid is 6x6"]),
                (["diffusion", "--coefficient", path + ":good", "--grid", "6x5x1"], ["6x5 nodes", "--grid is 6x5x1"]),
                (["diffusion", "--coefficient", path + ":good", "--source", path + ":other"], ["--source", "5x6 nodes"]),
                (["diffusion", "--coefficient", path + ":good", "--manufactured"], ["--manufactured"]),
                (["diffusion", "--coefficient", path + ":good", "--coefficient-ratio", "1,1,0.1"], ["or 2 with commas"]),
                (["diffusion", "--coefficient", path + ":good", "--coefficient-ratio", "1,0"], ["positive"]),
                (["diffusion", "--coefficient", path + ":good", "--output", path], ["already the file of --coefficient"]),
                (["diffusion", "--coefficient", path + ":good", "--", "-pc_type", "mg", "-pc_mg_galerkin", "none", "-pc_mg_levels", "2"],
                 ["-pc_mg_galerkin 'none'"]),
                (["poisson", "--coefficient", path + ":good"], ["belongs to solve diffusion"])]:
            with self.subTest(arguments=arguments):
                self.refused(2, words, "solve", *arguments)

    def test_the_ratio_is_in_the_manufactured_source(self):
        errors = []
        for grid in "16x20", "32x40":
            out = self.path("m.json")
            self.ok("solve", "diffusion", "--manufactured", "--grid", grid, "--spacing", "1", "--boundary", "clamp", "--coefficient-ratio",
                    "1,0.1", "--json", out, "--", *EXACTLY)
            with open(out) as file:
                errors.append(json.load(file)["records"][0]["error_l2"])
        self.assertAlmostEqual(numpy.log2(errors[0] / errors[1]), 2, delta=0.15)


if __name__ == "__main__":
    unittest.main(verbosity=2)
