"""`quadrille solve` with --coefficient, --source and --initial as formulas: the same bits as with the numbers in a file."""
import json
import math
import os
import unittest

from cli_case import CliTest

try:
    import h5py
    import numpy
except ImportError:
    h5py = None


@unittest.skipIf(h5py is None, "no h5py or numpy")
class Formulas(CliTest):
    def fields(self, *arguments, names=("solution",)):
        path = self.path("u.h5")
        if os.path.exists(path):
            os.remove(path)
        self.ok("solve", "--output", path, *arguments)
        with h5py.File(path) as file:
            return [file[name][...] for name in names]

    # Of a choice the side that is not taken may divide by zero, also where PETSc traps that.
    def test_what_is_not_chosen_is_no_trap(self):
        done = self.run_it("solve", "heat", "--grid", "9x9", "--steps", "1", "--initial", "0", "--boundary", "clamp",
                           "--source", "x > 0 ? 1/x : t", "--", "-fp_trap")
        self.assertEqual(done.returncode, 0, done.stderr)

    # Layers, and regions, of less than four nodes at an angle: coarse grids of many regions a node are of no use, so that
    # a solve which does not get on makes a larger one exact.
    def test_jumps_that_no_coarse_grid_shows(self):
        for grid, most, coefficient in (
                ("130x127", 40, "1 + 1e5*(sin(2.51327412*x + 1.88495559*y + 0.3) > 0)"),
                ("33x34x35", 40, "1 + 1e5*(sin(2.0943951*x + 1.04719755*y + 2.0943951*z + 0.3) > 0)"),
                ("31x33x29", 35, "1 + 1e6*(sin(0.9*x)*sin(1.1*y)*sin(1.3*z) > 0)")):
            path = self.path("jumps.json")
            said = self.ok("solve", "diffusion", "--grid", grid, "--coefficient", coefficient, "--json", path)
            with open(path) as file:
                self.assertLessEqual(json.load(file)["records"][0]["iterations"], most, said)

    def test_are_the_numbers_of_a_file(self):
        y, x = numpy.mgrid[0:13, 0:17] * numpy.array([0.25, 0.5]).reshape(2, 1, 1)
        path = self.datasets(a=1 + 9 * (x > 4), f=x - y * y)
        grid = ["diffusion", "--grid", "17x13", "--spacing", "0.5,0.25"]
        (formulas,) = self.fields(*grid, "--coefficient", "1 + 9*(x > 4)", "--source", "x - y*y")
        (of_file,) = self.fields("diffusion", "--spacing", "0.5,0.25", "--coefficient", path + ":a", "--source", path + ":f")
        numpy.testing.assert_array_equal(formulas, of_file)
        self.assertGreater(abs(formulas).max(), 0)

    def test_begin_a_run_in_time(self):
        z, y, x = numpy.mgrid[0:5, 0:6, 0:7] / 8
        u, v = self.fields("gray_scott", "--grid", "7x6x5", "--spacing", "0.125", "--steps", "1", "--dt", "0.5", "--initial",
                           "1 - x*y, z < 0.25 ? 0.5 : x", names=("u", "v"))
        numpy.testing.assert_array_equal(u[0].squeeze(), 1 - x * y)
        numpy.testing.assert_array_equal(v[0].squeeze(), numpy.where(z < 0.25, 0.5, x))
        (heat,) = self.fields("heat", "--grid", "7x6x5", "--dof", "2", "--steps", "1", "--dt", "0.001", "--initial", "3")
        numpy.testing.assert_array_equal(heat[0], 3)
        path = self.datasets(u=u[-1].squeeze(), v=v[-1].squeeze())
        again = self.fields("gray_scott", "--spacing", "0.125", "--steps", "1", "--dt", "0.5", "--initial", f"{path}:u,{path}:v",
                            names=("u", "v"))
        numpy.testing.assert_array_equal(again[0][0], u[-1])
        numpy.testing.assert_array_equal(again[1][0], v[-1])

    def test_sources_of_pdes_in_time(self):
        y, x = numpy.mgrid[0:7, 0:8] / 8
        path = self.datasets(f=numpy.stack([x * y, 1 - x], axis=-1)[numpy.newaxis])
        run = ["heat", "--spacing", "0.125", "--boundary", "clamp", "--steps", "3", "--dt", "0.01", "--initial", "0"]
        (formulas,) = self.fields(*run, "--grid", "8x7", "--dof", "2", "--source", "x*y, 1 - x")
        (of_file,) = self.fields(*run, "--dof", "2", "--source", path + ":f")
        numpy.testing.assert_array_equal(formulas, of_file)
        # What flows in stays: the mean of u is t times that of f.
        numpy.testing.assert_allclose(formulas[-1].mean(axis=(0, 1, 2)), [0.03 * (x * y).mean(), 0.03 * (1 - x).mean()], rtol=1e-6)
        kept = ["solve", "heat", "--grid", "4x4", "--dt", "0.01", "--output", self.path("kept.h5"), "--checkpoint-every", "1"]
        self.ok(*kept, "--steps", "1", "--source", "1 + x")
        self.refused(2, ["source 1 + x"], *kept, "--steps", "2", "--source", "2", "--restart", self.path("kept.checkpoint-1.h5"))
        self.ok(*kept, "--steps", "2", "--source", "1 + x", "--restart", self.path("kept.checkpoint-1.h5"))
        steady = ["transport", "--steady", "--grid", "8x8", "--dof", "2", "--spacing", "1"]
        (own,) = self.fields(*steady)
        (given,) = self.fields(*steady, "--source", "(x >= 2)*(x < 6)*(y >= 2)*(y < 6), 0")
        numpy.testing.assert_allclose(given, own, atol=1e-6 * abs(own).max())
        self.assertGreater(abs(own).max(), 0.1)

    def test_sources_in_time(self):
        """Without flux the mean of u is the integral of the source's, but for the error of the steps, of order 2."""
        run = ["heat", "--grid", "9x8", "--spacing", "0.125", "--boundary", "clamp", "--initial", "0", "--source", "cos(t) + (x - 0.5)*t*t"]
        errors = []
        for steps in 10, 20:
            (u,) = self.fields(*run, "--steps", str(steps), "--dt", str(1 / steps), "--", "-ts_type", "cn")
            errors.append(abs(u[-1].mean() - math.sin(1)))
            self.assertGreater(u[-1].std(), 1e-3)
        self.assertLess(errors[0], 1e-3)
        self.assertAlmostEqual(errors[0] / errors[1], 4, delta=0.1)
        # One of place alone is the same with a t that does nothing.
        plain, timed = (self.fields("transport", "--grid", "8x8", "--dof", "2", "--steps", "3", "--dt", "0.01", "--source", f)[0]
                        for f in ("x, y", "x + 0*t, y"))
        numpy.testing.assert_array_equal(plain, timed)

    def test_faces(self):
        """Functions that are linear are exact on every face: of place, of unknown, in time."""
        y, x = (place / 8 for place in numpy.mgrid[0:7, 0:9])
        base = ["poisson", "--grid", "9x7", "--spacing", "0.125", "--source", "0", "--boundary"]
        for faces in ("value:{x + 2*y}", "value:{x+2*y},value:{x + 2*y},flux:-2,flux:{y > 0 ? 2 : 0}",
                      "robin:1,1,{-0.0625 + 2*y - 1},value:{x+2*y},value:{x+2*y},robin:1,0,{x + 2*(y - 0.0625)}"):
            with self.subTest(faces):
                (u,) = self.fields(*base, faces, "--", "-ksp_rtol", "1e-12")
                numpy.testing.assert_allclose(u.squeeze(), x + 2 * y, rtol=0, atol=1e-9)
        (u,) = self.fields(*base, "value:{x + 2*y}/value:{3*x},value:{x + 2*y}/value:{max(3*x, x)},value:{x+2*y}/flux:0,value:{x+2*y}/clamp",
                           "--dof", "2", "--", "-ksp_rtol", "1e-12")
        numpy.testing.assert_allclose(u[..., 0].squeeze(), x + 2 * y, rtol=0, atol=1e-9)
        numpy.testing.assert_allclose(u[..., 1].squeeze(), 3 * x, rtol=0, atol=1e-9)
        (u,) = self.fields("heat", "--grid", "9x7", "--spacing", "0.125", "--initial", "x", "--source", "2", "--boundary", "value:{x + 2*t}",
                           "--steps", "4", "--dt", "0.25", "--", "-ts_type", "cn", "-snes_rtol", "1e-12", "-ksp_rtol", "1e-12")
        numpy.testing.assert_allclose(u[-1].squeeze(), x + 2, rtol=0, atol=1e-9)
        # The options that are written read back.
        written = self.ok("solve", *base, "value:{x + 2*y}/flux:{y},clamp,robin:1,2,{x},value:0", "--dof", "2", "--validate")
        self.assertIn("boundary = value:{x + 2*y}/flux:{y},clamp,robin:1,2,{x},value:0\n", written)
        self.assertEqual(written, self.ok("solve", "poisson", "--config", self.path("c.ini", written), "--validate"))

    def test_an_output_begins_another_run(self):
        run = ["heat", "--spacing", "0.1", "--dof", "2", "--steps", "2", "--dt", "0.001", "--initial"]
        (first,) = self.fields("--grid", "9x8", *run, "x, y*y")
        os.rename(self.path("u.h5"), self.path("first.h5"))
        (second,) = self.fields(*run, self.path("first.h5") + ":solution")
        numpy.testing.assert_array_equal(second[0], first[-1])
        one = self.datasets(one=first[-1, ..., 0].squeeze())
        (third,) = self.fields(*run, one + ":one")
        numpy.testing.assert_array_equal(third[0, ..., 1], first[-1, ..., 0])

    def test_begin_newtons_method(self):
        run, record = ["bratu", "--json", self.path("run.json")], []
        for begin in (["--grid", "9x9"], ["--initial", self.path("first.h5") + ":solution"], ["--grid", "9x9", "--initial", "x*y"]):
            (u,) = self.fields(*run, *begin)
            with open(self.path("run.json"), encoding="utf-8") as file:
                record.append((json.load(file)["records"][0]["newton_iterations"], u))
            if len(record) == 1:
                os.rename(self.path("u.h5"), self.path("first.h5"))
        self.assertGreater(record[0][0], 2)
        self.assertEqual(record[1][0], 1)  # it begins at the solution
        numpy.testing.assert_allclose(record[2][1], record[0][1], rtol=1e-6)
        self.assertFalse(numpy.array_equal(record[2][1], record[0][1]))

    # One number of each unknown, of operators and of residuals, is what they are one by one.
    def test_each_unknown_has_its_source(self):
        grid = ["--grid", "9x8x7", "--spacing", "0.125", "--space", "cpu"]
        for pde in (["poisson"], ["diffusion"], ["diffusion", "--coefficient", "(x > 0.3)*(x < 0.6) ? 0 : 1 + y"]):
            run = [*pde, *grid, "--format", "cds"]
            both, one, other = (self.fields(*run, "--dof", dof, "--source", f, "--", "-ksp_rtol", "1e-13", "-pc_type", "jacobi")[0]
                                for dof, f in (("2", "x*y, 1 - z"), ("1", "x*y"), ("1", "1 - z")))
            for r, alone in enumerate((one, other)):
                self.assertLess(abs(both[..., r] - alone[..., 0]).max(), 1e-10 * abs(alone).max(), (pde, r))
        weight, sideways = (self.fields("elasticity", "--grid", "9x9x9", "--source", f, "--", "-ksp_rtol", "1e-13")[0][0]
                            for f in ("0, 0, -9810", "-9810, 0, 0"))
        self.assertGreater(abs(weight).max(), 1)
        self.assertLess(abs(weight[..., ::-1].transpose(2, 1, 0, 3) - sideways).max(), 1e-9 * abs(weight).max())
        (f,) = self.fields("elasticity", *grid, "--source", "x, y, z", names=("right_side",))
        path = self.datasets(f=f)
        (of_file,) = self.fields("elasticity", "--spacing", "0.125", "--space", "cpu", "--source", path + ":f", names=("right_side",))
        self.assertTrue(numpy.array_equal(f, of_file))

    # With what makes a known function of time and place the solution.
    def test_sources_of_nonlinear_pdes(self):
        errors = []
        for n in (15, 31):
            h = 1 / (n + 1)
            exact = f"sin(pi*(x + {h}))*sin(pi*(y + {h}))"
            (u,) = self.fields("bratu", "--grid", f"{n}x{n}", "--source", f"2*pi^2*{exact} - 6*exp({exact})", "--initial", exact)
            y, x = numpy.mgrid[1:n + 1, 1:n + 1] * h
            errors.append(abs(u[0, 0, :, :, 0] - numpy.sin(math.pi * x) * numpy.sin(math.pi * y)).max())
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.1, msg=errors)
        u, v = self.fields("gray_scott", "--grid", "8x8", "--initial", "1, 0", "--until", "1", "--dt", "0.01", "--source",
                           "1 + (1 + t)*t^2 + 0.024*t, 1 - (1 + t)*t^2 + 0.084*t", "--", "-ts_rtol", "1e-8", "-ts_atol", "1e-8", names=("u", "v"))
        self.assertLess(abs(u[-1] - 2).max(), 1e-6)
        self.assertLess(abs(v[-1] - 1).max(), 1e-6)
        (u,) = self.fields("cahn_hilliard", "--grid", "12x12", "--initial", "0", "--source", "0.5*t, 0", "--until", "2", "--dt", "0.1",
                           names=("c",))
        self.assertLess(abs(u[-1] - 1).max(), 1e-3)

    # A load that a source puts on moves the body at once, as one with the fluid shut in; in the end the fluid has
    # gone, and the body is where it is without any.
    def test_loads_of_a_porous_body(self):
        body = ["--grid", "12x12", "--source"]
        run = ["poroelastic", *body, "0, -1, 0, 0", "--until", "9", "--dt", "1e-3", "--space", "cpu"]
        (u, p, zeta) = self.fields(*run, "--", "-ts_rtol", "1e-6", "-ts_atol", "1e-6", names=("u_y", "p", "zeta"))
        (alone,) = self.fields("elasticity", *body, "0, -1", "--spacing", str(1 / 13), "--", "-ksp_rtol", "1e-12")
        self.assertLess(abs(zeta[0]).max(), 1e-9)
        self.assertLess(u[0].min(), 0.1 * u[-1].min())
        self.assertGreater(u[0].min(), 0.9 * u[-1].min())
        self.assertLess(abs(p[-1]).max(), 1e-6)
        self.assertLess(abs(u[-1][..., 0] - alone[0, ..., 1]).max(), 1e-5 * abs(alone).max())

    def test_what_is_wrong_gets_a_sentence(self):
        three = self.datasets(three=numpy.zeros((1, 1, 4, 5, 3))) + ":three"
        for arguments, words in [
                (["poisson", "--source", "sin(x"], ["--source 'sin(x'", "unit, FILE.h5:DATASET or a formula in x, y and z", "parenthesis at position 5"]),
                (["poisson", "--source", "unti"], ["did you mean 'unit'", "position 0"]),
                (["poisson", "--source", "x, y", "--grid", "4x4"], ["--source 'x, y': gives 2 numbers", "give one"]),
                (["poisson", "--source", "1/x", "--grid", "4x4"], ["--source '1/x' is inf at node (0, 0, 0)"]),
                (["poisson", "--source", three], ["--source", "has 3 unknowns per node, not 1"]),
                (["diffusion", "--coefficient", "x - 3", "--grid", "8x8"], ["--coefficient 'x - 3' is -3", "node (0, 0, 0)"]),
                (["heat", "--initial", "x, y, z", "--dof", "2", "--grid", "4x4"], ["gives 3 numbers", "one, or 2"]),
                (["heat", "--initial", three, "--dof", "2"], ["3 unknowns per node, not 1 or 2"]),
                (["heat", "--initial", "sqrt(-1)", "--grid", "4x4"], ["--initial 'sqrt(-1)' is nan at node (0, 0, 0)"]),
                (["heat", "--initial", "x", "--manufactured"], ["--manufactured"]),
                (["heat", "--initial", "no.h5:x"], ["no such file"]),
                (["heat", "--source", "x, y, z", "--dof", "2", "--grid", "4x4"], ["--source", "gives 3 numbers"]),
                (["heat", "--source", "x, y, t", "--dof", "2", "--grid", "4x4"], ["--source", "gives 3 numbers"]),
                (["heat", "--initial", "x = 3", "--grid", "4x4"], ["'=' at position 2 is no comparison", "'=='"]),
                (["heat", "--initial", "(x <= 1) + (y == 0) + 2*q", "--grid", "4x4"], ['"q"', "position 24"]),
                (["heat", "--source", "1/x", "--grid", "4x4"], ["--source '1/x' is inf"]),
                (["heat", "--source", "x", "--manufactured"], ["--manufactured"]),
                (["heat", "--source", "sqrt(1.5-t)", "--grid", "4x4", "--steps", "3", "--dt", "1"],
                 ["--source 'sqrt(1.5-t)' at t = 2 s is nan at node (0, 0, 0), in step 2"]),
                (["heat", "--source", "1, (x > 0.5) * (t > 1) ? 1/(x - x) : 1", "--grid", "4x4", "--dof", "2", "--steps", "3", "--dt",
                  "1"], ["at t = 2 s is inf at node (3, 0, 0) for unknown 1, in step 2"]),
                (["heat", "--initial", "t", "--grid", "4x4"], ["in x, y and z;", '"t"']),
                (["transport", "--steady", "--source", "t", "--grid", "4x4"], ["in x, y and z;", '"t"']),
                (["poisson", "--boundary", "value:{x"], ["'{' without a '}'"]), (["poisson", "--boundary", "value:x}"], ["'}' without"]),
                (["poisson", "--boundary", "flux:-{x}"], ["'{x}' where no formula stands", "within the braces"]),
                (["poisson", "--boundary", "value:{x}e3"], ["where no formula stands"]), (["poisson", "--boundary", "value:{x}{y}"], ["where no"]),
                (["poisson", "--boundary", "robin:{x},1,2,value:0,value:0,value:0", "--grid", "8x8"], ["robin:A,B,{...}"]),
                (["poisson", "--boundary", "robin:1,{x},2"], ["robin:A,B,{...}"]), (["poisson", "--boundary", "value: {x}"], ["where no"]),
                (["heat", "--boundary", "value:{sqrt(0.025-t)}", "--grid", "8x8", "--steps", "5", "--dt", "0.01"],
                 ["value:{sqrt(0.025-t)}", "face x- is nan beside node (0, 0, 0) at t = 0.03", "in step 3"]),
                (["poisson", "--boundary", "value:{x + q}"], ["'x + q' is no formula in x, y and z:", '"q"']),
                (["poisson", "--boundary", "value:{x, y}"], ["gives 2 numbers"]), (["poisson", "--boundary", "value:{t}"], ['"t"']),
                (["heat", "--boundary", "value:{1/(x + h)}"], ["in x, y, z and t:"]),
                (["poisson", "--grid", "8x8", "--boundary", "value:0,value:{1/(y - 3)},clamp,clamp"], ["'{1/(y - 3)}' is inf beyond the face x+, at node (8, 3, 0)"]),
                (["poisson", "--boundary", "value:{x}", "--manufactured"], ["formulas", "--manufactured"]),
                (["poisson", "--boundary", "clamp:{x}"], ["--boundary"]), (["gray_scott", "--source", "unit"], ["--source 'unit'", "x, y, z and t"]),
                (["poroelastic", "--initial", "x"], ["belongs to solve heat"])]:
            with self.subTest(arguments=arguments):
                self.refused(2, words, "solve", *arguments)


if __name__ == "__main__":
    unittest.main(verbosity=2)
