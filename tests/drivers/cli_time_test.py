"""`quadrille solve` of PDEs that are nonlinear or change in time, from outside."""
import csv
import json
import math
import re
import resource
import subprocess
import unittest

from cli_case import CliTest, QUADRILLE

# So short that the error in time is nothing beside the one in space.
SHORT = ["--steps", "4", "--dt", "1e-4", "--", "-snes_rtol", "1e-12", "-ksp_rtol", "1e-10"]


class InTime(CliTest):
    def solved(self, *arguments):
        out = self.path("solve.json")
        at = arguments.index("--") if "--" in arguments else len(arguments)
        screen = self.ok("solve", *arguments[:at], "--json", out, *arguments[at:])
        with open(out) as file:
            (record,) = json.load(file)["records"]
        return record, screen

    def fields(self, path, *names):
        try:
            import h5py
        except ImportError as missing:
            self.skipTest(str(missing))
        with h5py.File(path) as file:
            return [dict(file[name].attrs) if name == "options" else file[name][...] for name in names]

    def test_the_order_in_space_is_two(self):
        for sides in ("value:0", "periodic", "clamp,value:0"):
            for grid, fine in (("24x16", "48x32"), ("16x12x12", "32x24x24")) if "," in sides else (("24x16", "48x32"),):
                faces = sides + ",clamp,clamp" + (",periodic,periodic" if grid.count("x") == 2 else "") if "," in sides else sides
                errors = []
                for cells in (grid, fine):
                    record, _ = self.solved("heat", "--grid", cells, "--boundary", faces, "--manufactured", *SHORT)
                    self.assertTrue(record["converged"])
                    errors.append((record["error_l2"], record["h"]))
                order = math.log(errors[0][0] / errors[1][0]) / math.log(errors[0][1] / errors[1][1])
                self.assertAlmostEqual(order, 2, delta=0.2, msg=f"{faces} {grid} {errors}")

    # Against a run with far smaller steps, on the same grid.
    def test_the_order_in_time_is_the_methods(self):
        for method, order in (("bdf", 2), ("cn", 2), ("beuler", 1)):
            ends = []
            for steps in (20, 40, 320):
                path = self.path(f"{method}_{steps}.h5")
                self.solved("heat", "--grid", "10x10", "--boundary", "value:0", "--manufactured", "--steps", str(steps), "--dt",
                            str(0.2 / steps), "--output", path, "--", "-ts_type", method, "-snes_rtol", "1e-12", "-ksp_rtol",
                            "1e-12")
                ends.append(self.fields(path, "solution")[0][-1])
            coarse, fine = (abs(end - ends[2]).max() for end in ends[:2])
            self.assertAlmostEqual(math.log2(coarse / fine), order, delta=0.3, msg=method)

    # How far heat that begins as exp(-r^2 / 4 t0) is from its kernel at the end, beside the kernel's peak.
    def error_of_the_kernel(self, grid, t0=2e-3, until=2e-3, centre=(0.47, 0.52, 0.49)):
        nodes = [int(n) for n in grid.split("x")]
        r2 = "+".join(f"({x}-{c})^2" for x, c, _ in zip("xyz", centre, nodes))
        path = self.path("kernel.h5")
        record, _ = self.solved("heat", "--grid", grid, "--boundary", "clamp", "--output", path, "--initial",
                                f"exp(-({r2})/{4 * t0})", "--steps", "20", "--dt", str(until / 20),
                                "--", "-ts_type", "cn", "-ksp_rtol", "1e-10")
        (u,) = self.fields(path, "solution")
        import numpy
        from_centre = (record["h"] * numpy.arange(n) - c for n, c in zip(nodes, centre))
        r2 = sum(x**2 for x in numpy.meshgrid(*from_centre, indexing="ij"))
        kernel = (t0 / (t0 + until)) ** (len(nodes) / 2) * numpy.exp(-r2 / (4 * (t0 + until)))
        return abs(u[-1].T.reshape(kernel.shape) - kernel).max() / kernel.max()

    def test_heat_spreads_by_its_kernel(self):
        for coarse, fine in (("24x26", "48x52"), ("20x21x20", "40x42x40")):  # its faces stay cold
            errors = [self.error_of_the_kernel(grid) for grid in (coarse, fine)]
            self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.15, msg=(coarse, errors))
            self.assertLess(errors[1], 0.02)

    def test_heat_through_a_field_comes_to_rest_as_diffusion_has_it(self):
        a = ["--coefficient", "1 + 999*(x > 0.4)*(y > 0.6) + 3*x", "--coefficient-ratio", "1,0.5"]
        problem = ["--grid", "14x11", "--spacing", "0.1", *a, "--boundary", "value:1,robin:1,2,0.5,clamp,flux:0.3"]
        rest = self.path("rest.h5")
        self.ok("solve", "diffusion", *problem, "--source", "sin(x)", "--output", rest, "--", "-ksp_rtol", "1e-12")
        end = self.path("end.h5")
        self.ok("solve", "heat", *problem, "--source", "sin(x)", "--steps", "6", "--dt", "1e4", "--output", end, "--", "-ts_type",
                "beuler", "-ksp_rtol", "1e-12")
        (expected,), (fields,) = self.fields(rest, "solution"), self.fields(end, "solution")
        self.assertLess(abs(fields[-1] - expected.reshape(fields[-1].shape)).max(), 1e-7 * abs(expected).max())

    def test_steps_and_outputs(self):
        path = self.path("g.h5")
        record, screen = self.solved("gray_scott", "--grid", "24x24", "--steps", "6", "--dt", "2", "--output", path,
                                     "--output-every", "2", "--probe", "1.2,0.3", "--probe", "2.3,1.2", "--parameter", "F=0.03",
                                     "--csv", self.path("g.csv"), "--space", "cpu")
        self.assertEqual(record["parameters"], {"F": 0.03, "k": 0.06, "D_u": 8e-5, "D_v": 4e-5})
        self.assertIn("\nparameters: F = 0.03/s, k = 0.06/s, D_u = 8e-05 m2/s, D_v = 4e-05 m2/s\n", screen)
        with open(self.path("g.csv"), newline="") as file:
            self.assertEqual(next(csv.DictReader(file))["parameters_F"], "0.03")
        self.assertEqual((record["steps"], record["converged"], record["residual"]), (6, True, None))
        self.assertEqual(record["preconditioner"], "pbjacobi")
        self.assertGreaterEqual(record["newton_iterations"], 6)
        self.assertIn("6 steps of bdf to 12 s", screen)
        time, u, options = self.fields(path, "time", "u", "options")
        self.assertEqual(list(time), [0, 4, 8, 12])
        self.assertEqual((as_text(options["pde"]), as_text(options["steps"])), ("gray_scott", "6"))
        self.assertEqual(as_text(options["parameter"]), "F=0.03,k=0.06,D_u=8e-05,D_v=4e-05")
        self.assertEqual(u.shape, (4, 1, 24, 24, 1))
        self.assertIn("node (12 3) at 1.25,0.3125 m; node (22 12) at 2.29167,1.25 m, in " + self.path("g.probe.csv"), screen)
        with open(self.path("g.probe.csv"), newline="") as file:
            header, *lines = csv.reader(file)
        self.assertEqual(header, ["step", "time [s]"] + [f"{name} [1] at node ({node})" for node in ("12 3", "22 12") for name in "uv"])
        self.assertEqual([(line[0], float(line[1])) for line in lines], [(str(step), 2 * step) for step in range(7)])
        self.assertEqual([(float(line[2]), float(line[4])) for line in lines[::2]], [(at[0, 3, 12, 0], at[0, 12, 22, 0]) for at in u])
        self.ok("solve", "gray_scott", "--grid", "24x24", "--until", "10", "--output", path, "--output-every", "4s")
        self.assertEqual(list(self.fields(path, "time")[0]), [0, 4, 8, 10])

    # As netCDF-4 has them, which xarray reads: of one step, and of several that two runs wrote.
    def test_fields_have_their_axes(self):
        try:
            import h5py
        except ImportError as missing:
            self.skipTest(str(missing))
        steady, series = self.path("p.h5"), self.path("h.h5")
        self.ok("solve", "poisson", "--grid", "8x7", "--spacing", "0.5", "--output", steady)
        run = ["heat", "--grid", "8x7", "--dof", "2", "--spacing", "0.5", "--dt", "0.25", "--output", series, "--output-every", "2"]
        self.ok("solve", *run, "--steps", "4", "--checkpoint-every", "4")
        self.ok("solve", *run, "--steps", "6", "--checkpoint-every", "4", "--restart", self.path("h.checkpoint-4.h5"))
        axes = {"z": [0], "y": [0.5 * i for i in range(7)], "x": [0.5 * i for i in range(8)]}
        units = {"time": "s", "z": "m", "y": "m", "x": "m", "dof": "1"}
        expected = {steady: {"time": [0], **axes, "dof": [0]}, series: {"time": [0, 0.5, 1, 1.5], **axes, "dof": [0, 1]}}
        for path, of_path in expected.items():
            with h5py.File(path) as file:
                for name in set(file) - set(units) - {"options", "xdmf"}:
                    found = {d.label: (d[0].name, d[0][:].tolist(), d[0].attrs["units"]) for d in file[name].dims}
                    self.assertEqual(list(found), list(of_path))
                    self.assertEqual(found, {axis: ("/" + axis, of_path[axis], units[axis]) for axis in of_path})
        try:
            import h5netcdf  # noqa: F401
            import xarray
        except ImportError as error:
            self.skipTest(f"the axes are there; not seen by xarray: {error}")
        for path, of_path in expected.items():
            with xarray.open_dataset(path, engine="h5netcdf") as fields:
                u = fields["solution"]
                self.assertEqual(u.dims, tuple(of_path))
                self.assertEqual({axis: u[axis].values.tolist() for axis in u.dims}, of_path)
                self.assertEqual({axis: u[axis].attrs["units"] for axis in u.dims}, units)
                self.assertEqual(u.attrs["units"], "1")
                self.assertEqual(u.sel(time=0, x=1.4, method="nearest").x, 1.5)

    # PETSc's own counts go on over the times of outputs, and begin anew at checkpoints.
    def test_iterations_are_those_of_all_steps(self):
        run = ["--output", self.path("g.h5"), "--output-every", "7s", "--checkpoint-every", "5"]
        solves = ["--", "-ts_monitor", "-snes_converged_reason", "-ksp_converged_reason"]
        record, whole = self.solved("gray_scott", "--grid", "16x16", "--until", "60", *run, *solves)
        self.assertEqual((record["newton_iterations"], record["iterations"]), iterations_in(whole))
        record, screen = self.solved("gray_scott", "--grid", "16x16", "--until", "60", *run, "--restart", self.path("g.checkpoint-25.h5"), *solves)
        before = iterations_in(whole[:whole.index("\n25 TS")])
        self.assertEqual((record["newton_iterations"], record["iterations"]),
                         tuple(a + b for a, b in zip(before, iterations_in(screen))))
        record, screen = self.solved("heat", "--grid", "16x16", "--output-every", "0.005s", *solves)
        self.assertEqual(record["iterations"], iterations_in(screen)[1])

    def test_phases_part_and_their_amount_stays(self):
        path = self.path("c.h5")
        self.ok("solve", "cahn_hilliard", "--grid", "40x40", "--output", path, "--output-every", "0.004s")
        (c,) = self.fields(path, "c")
        h, e2 = 1 / 40, 0.02**2
        energies = []
        for step in c.squeeze():
            self.assertAlmostEqual(step.mean(), c[0].mean(), delta=1e-7)
            slopes = sum(((step - sum_ahead) / h) ** 2 for sum_ahead in (shifted(step, 0), shifted(step, 1)))
            energies.append(float(((step**2 - 1) ** 2 / 4 + e2 / 2 * slopes).mean()))
        self.assertEqual(energies, sorted(energies, reverse=True))
        self.assertLess(energies[-1], 0.8 * energies[0])

    # mu follows from c, so that one formula is enough, and one that is given for mu changes nothing.
    def test_phases_begin_with_what_is_given(self):
        h, e2, series = 1 / 32, 0.02**2, []
        for initial in ("0.1*cos(2*pi*x) + 0.2", "0.1*cos(2*pi*x) + 0.2, 0", "0.1*cos(2*pi*x) + 0.2, 1 + y"):
            path = self.path("c.h5")
            record, screen = self.solved("cahn_hilliard", "--grid", "32x32", "--initial", initial, "--until", "0.004", "--output", path,
                                         "--output-every", "0.002s")
            self.assertTrue(record["converged"])
            self.assertIn("mu at first: from the other unknowns, whatever --initial has", screen)
            c, mu = (field.squeeze() for field in self.fields(path, "c", "mu"))
            expected = c[0]**3 - c[0] - e2 * sum(shifted(c[0], a) + shifted(c[0], a, -1) - 2 * c[0] for a in (0, 1)) / h**2
            self.assertLess(abs(mu[0] - expected).max(), 1e-12)
            self.assertEqual(len(c), 3)
            for step in c:
                self.assertAlmostEqual(step.mean(), 0.2, delta=1e-7)
            self.assertGreater(abs(c[-1] - c[0]).max(), 1e-3)
            series.append((c.tobytes(), mu.tobytes()))
        self.assertEqual(series[1:], series[:1] * 2)
        self.refused(2, ["gives 3 numbers"], "solve", "cahn_hilliard", "--grid", "8x8", "--initial", "x, y, 0")

    def test_beginnings_have_names(self):
        import numpy
        begins = {}
        for name, more in (("zero", []), ("noise", []), ("noise", ["--seed", "2"]), ("hill", [])):
            path = self.path("b.h5")
            self.ok("solve", "heat", "--grid", "21x11x5", "--dof", "2", "--initial", name, "--steps", "1", "--dt", "1e-9", "--output", path, *more)
            begins[name + "".join(more)] = self.fields(path, "solution")[0][0]  # [z][y][x][dof]
        self.assertEqual(abs(begins["zero"]).max(), 0)
        for name in ("noise", "noise--seed2"):
            noise = begins[name]
            self.assertLess(abs(noise).max(), 0.05)
            self.assertGreater(noise.std(), 0.8 * 0.05 / math.sqrt(3))
            self.assertLess(abs(noise.mean()), 0.005)
            self.assertEqual(len(numpy.unique(noise)), noise.size)
        self.assertGreater(abs(begins["noise"] - begins["noise--seed2"]).max(), 0.05)
        hill = begins["hill"]
        self.assertEqual((hill[2, 5, 10] == 1).all() and hill.max(), 1)
        self.assertTrue((hill == hill[::-1, ::-1, ::-1]).all())
        self.assertAlmostEqual(hill[2, 5, 12, 1], math.exp(-(2 / 2.1) ** 2 / 2), delta=1e-12)
        record, _ = self.solved("cahn_hilliard", "--grid", "32x32", "--initial", "noise", "--until", "1e-3")
        self.assertTrue(record["converged"])
        self.refused(2, ["must be zero, noise or hill, FILE.h5:DATASET", "did you mean 'noise'?"], "solve", "heat", "--initial", "noises")
        self.refused(2, ["--manufactured"], "solve", "heat", "--initial", "hill", "--manufactured")

    def test_a_line_tells_how_far_it_is(self):
        run = ["solve", "gray_scott", "--grid", "64x64", "--steps", "60", "--dt", "1", "--space", "cpu"]
        for options, shown in ([], True), (["--no-progress"], False), (["--quiet"], False):
            seen = self.on_terminal(*run, *options)
            line = r"step \d+, [0-9.]+ s of 60 s, dt 1 s, \d+ Newton and \d+ Krylov iterations, \d+ s left"
            self.assertEqual(re.search(line, seen) is not None, shown, seen)

    def test_a_beginning_that_the_grid_does_not_show_is_said(self):
        for grid, begin, said in (("8x8", [], True), ("8x9x10", [], True), ("16x16", [], False), ("8x8", ["--initial", "1, y"], False)):
            done = self.run_it("solve", "gray_scott", "--grid", grid, "--until", "5", *begin)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("\n"), said, done.stderr)
            self.assertEqual("quadrille: note: v is 0 at all nodes at first" in done.stderr, said)

    def test_bratu_is_steady(self):
        record, screen = self.solved("bratu", "--grid", "31x31")
        self.assertNotIn("steps", record)
        self.assertEqual(record["parameters"], {"lambda": 6})
        self.assertTrue(record["converged"] and record["newton_iterations"] <= 8 and record["residual"] < 1e-6, record)
        self.assertIn("converged: |F|", screen)
        for pde, at in (("bratu", "0.5,0.5"), ("poisson", "15,16")):  # by Newton's iterations, and linear
            self.ok("solve", pde, "--grid", "31x31", "--probe", at, "--output", self.path("s.h5"))
            with open(self.path("s.probe.csv")) as file:
                header, line = file.read().splitlines()
            self.assertRegex(header, r"step,time \[s\],solution \[1\] at node \(1[56] 16\)")
            (u,) = self.fields(self.path("s.h5"), "solution")
            self.assertEqual(line, f"0,0,{float(u[0, 0, 16, 16 if pde == 'bratu' else 15, 0])!r}")
        self.refused(1, ["did not converge"], "solve", "bratu", "--grid", "31x31", "--quiet", "--", "-snes_max_it", "1")

    def test_options_of_petsc_that_do_not_fit(self):
        run = ["solve", "heat", "--grid", "8x8", "--steps", "2", "--dt", "0.01", "--"]
        for options in (["-ts_max_time", "0.01"], ["-ts_init_time", "0.01"], ["-ts_dt", "1"],
                        ["-ts_exact_final_time", "interpolate"]):
            self.refused(2, [options[0], "--until"], *run, *options)
        for options in (["-pc_type", "lsc"], ["-ksp_type", "qcg"], ["-ts_type", "irk"]):
            self.refused(2, ["correct the options"], *run, *options)

    # Before any of it is taken.
    def test_memory_that_is_needed_is_asked_for_first(self):
        for run in ("gray_scott --grid 700x700x700", "transport --grid 256x256x256 --dof 64", "bratu --grid 900x900x900",
                    "heat --grid 900x900x900", "cahn_hilliard --grid 30000x30000", "poroelastic --grid 500x500x500"):
            self.refused(3, ["not enough memory: "], "solve", *run.split(), "--space", "cpu")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 2**20)  # KiB

    # Wherever the system refuses it, PETSc's solvers half made among that.
    def test_memory_that_is_refused_is_said(self):
        run = ["solve", "bratu", "--space", "cpu", "--grid"]
        least = 0  # MiB of address space that it takes with hardly a grid; with less Open MPI may never start
        with subprocess.Popen([QUADRILLE, *run, "8x8x8"], stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                with open(f"/proc/{process.pid}/status") as file:
                    least = max([least, *(int(kib) // 1024 for kib in re.findall(r"VmPeak:\s+(\d+)", file.read()))])
        refused = 0
        for mib in range(least, least + 2000, 24):
            done = self.run_it(*run, "96x96x96",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**20 * mib, 2**20 * mib)))
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, 3, (mib, done.stderr))
            self.assertIn("not enough memory", done.stderr)
            self.assertNotIn("correct", done.stderr)
            refused += 1
        self.assertEqual(done.returncode, 0)
        self.assertGreater(refused, 3)

    def test_what_is_too_large_or_no_number_is_said(self):
        begins = "before the first iteration"
        for initial, words in (("800", "the residual of unknown 0 of node (0, 0, 0) is -inf " + begins),
                               ("800*(x > 0.5)*(y > 0.3)", "unknown 0 of node (5, 3, 0) is -inf " + begins),
                               ("500", "the norm of the residual is too large for a number " + begins)):
            self.refused(1, ["did not converge: ", words], "solve", "bratu", "--grid", "8x8", "--initial", initial)
        for ending, words in (["--steps", "2"], "failed too often"), (["--until", "1"], "were rejected"):
            self.refused(1, [words, "in the last one the residual of unknown 0 of node (3, 0, 0) is inf " + begins],
                         "solve", "gray_scott", "--grid", "8x8", "--initial", "1, 1e200*(x > 0.7)", *ending)
        self.refused(1, ["at the beginning, at 0 s, unknown 1 of node (3, 0, 0) is no number", "--initial"], "solve", "cahn_hilliard",
                     "--grid", "8x8", "--initial", "1e200*(x > 0.3)")
        # A solve that nobody looks at.
        self.refused(1, ["after step 1, at 0.1 s, unknown 0 of node (0, 0, 0) is no number: take a smaller step"], "solve", "heat",
                     "--grid", "24x24", "--steps", "3", "--dt", "0.1", "--", "-ts_type", "beuler", "-ksp_type", "richardson", "-pc_type", "none",
                     "-ksp_max_it", "400", "-ksp_norm_type", "none")
        self.refused(1, ["failed too often"], "solve", "heat", "--grid", "8x8", "--initial", "1e160", "--steps", "2", "--dt", "0.01")
        self.refused(2, ["--dt '1e308'"], "solve", "heat", "--grid", "8x8", "--steps", "5", "--dt", "1e308")

    def test_a_full_output_is_said(self):
        for pde in ("heat", "bratu"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([QUADRILLE, "solve", pde, "--grid", "8x8"], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, "standard output" in done.stderr), (3, True), done.stderr)

    # With the spacing that the grid gets, and the conductivity of the PDE.
    def test_robin_that_feeds_itself_wants_a_fine_grid(self):
        run = ["--grid", "8x8", "--steps", "2", "--dt", "1e-3", "--boundary"]
        self.ok("solve", "heat", *run, "robin:-8,1,0")
        self.refused(2, ["--boundary", "it is 0.125 m"], "solve", "heat", *run, "robin:-80,1,0")
        self.refused(2, ["a is 0.02"], "solve", "transport", *run, "robin:-1,1,0.3")

    def test_what_does_not_go_together(self):
        for words, arguments in (
                (["--steps", "--until", "exclude"], ["heat", "--steps", "3", "--until", "1"]),
                (["--dt", "belongs to solve heat"], ["poisson", "--dt", "1"]),
                (["nosuch", "correct"], ["heat", "--grid", "8x8", "--", "-ts_type", "nosuch"]),
                (["--until", "positive"], ["heat", "--until", "-1"]),
                (["--output-every", "positive"], ["heat", "--output-every", "xs"]),
                (["--output-every", "--steps"], ["heat", "--steps", "3", "--output-every", "1s"]),
                (["--dof", "2 unknowns"], ["gray_scott", "--dof", "3"]),
                (["--boundary", "value:X"], ["cahn_hilliard", "--boundary", "value:1"]),
                (["value:0", "heat"], ["heat", "--manufactured", "--boundary", "value:1"]),
                (["glle"], ["heat", "--grid", "8x8", "--", "-ts_type", "glle"]),
                (["arkimex"], ["heat", "--grid", "8x8", "--", "-ts_type", "arkimex"])):
            self.refused(2, words, "solve", *arguments)
        self.refused(1, ["ended at"], "solve", "heat", "--grid", "8x8", "--quiet", "--", "-ts_max_steps", "2")

    def test_validate_prints_a_config_that_reads_back(self):
        for arguments in (["--until", "0.5", "--dt", "0.001", "--output-every", "0.1s"], ["--steps", "7", "--output-every", "3"]):
            text = self.ok("solve", "heat", "--grid", "20x10", *arguments, "--validate")
            path = self.path("heat.ini")
            with open(path, "w") as file:
                file.write(text)
            self.assertEqual(self.ok("solve", "--config", path, "--validate"), text)
            self.assertIn("spacing = ", text)


def iterations_in(screen):
    """Newton's and the Krylov method's, by PETSc's lines."""
    return tuple(sum(map(int, re.findall(kind + r" solve (?:converged|did not converge) .* iterations (\d+)", screen)))
                 for kind in ("Nonlinear", "Linear"))


def as_text(attribute):
    return attribute.decode() if isinstance(attribute, bytes) else str(attribute)


def shifted(field, axis, by=1):
    return field.take(range(by, field.shape[axis] + by), axis=axis, mode="wrap")


if __name__ == "__main__":
    unittest.main(verbosity=2)
