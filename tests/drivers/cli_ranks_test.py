"""`mpiexec -n N quadrille solve`: the results of one rank on several, and what goes wrong there. Called with
QUADRILLE WRONG_MATMULT_LIBRARY MPIEXEC SLOW_FSYNC_LIBRARY PDE_LIST [unittest options]."""
import concurrent.futures
import json
import os
import subprocess
import sys
import time
import unittest

MPIEXEC = sys.argv.pop(3)
sys.argv.pop(3)
PDES = json.loads(subprocess.run([sys.argv.pop(3)], capture_output=True, text=True, check=True).stdout)

from cli_case import CliTest, QUADRILLE

MG = ["-pc_type", "mg", "-ksp_norm_type", "unpreconditioned"]


class Ranks(CliTest):
    def on(self, ranks, *arguments, before=()):
        start = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
        return subprocess.run([*start, *before, QUADRILLE, *arguments], capture_output=True, text=True, timeout=300)

    def solved(self, ranks, *arguments):
        out = self.path("solve.json")
        done = self.on(ranks, "solve", "--json", out, *arguments)
        self.assertEqual(done.returncode, 0, (ranks, arguments, done.stderr))
        with open(out) as file:
            (record,) = json.load(file)["records"]
        self.assertEqual((record["ranks"], record.get("halo")), (ranks, "mpi" if ranks > 1 else None))
        self.assertEqual(done.stdout.count("unknowns\n"), 1, done.stdout)
        return record

    def sentences(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("quadrille: ")]

    def refused(self, code, words, ranks, *arguments, **keywords):
        self.expect_refused(code, words, arguments, self.on(ranks, *arguments, **keywords))

    # Each (code, words, ranks, arguments...); together, for mpiexec takes a second or two to notice an end.
    def all_refused(self, *starts):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for start, done in zip(starts, pool.map(lambda start: self.on(*start[2:]), starts)):
                self.expect_refused(*start[:2], start[3:], done)

    def expect_refused(self, code, words, arguments, done):
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        sentences = self.sentences(done)
        self.assertEqual(len(sentences), 1, done.stderr)
        for word in words:
            self.assertIn(word, sentences[0])


def declared(grid, space, ending):
    """Of each PDE with each stencil in 2D and 3D, the case of that ending."""
    return [f"{case['arguments']} --grid {grid if case['dimension'] == 2 else space} --manufactured"
            for pde in PDES if pde["order"] > 0 for case in pde["cases"] if case["name"].endswith(ending)]


class InTime(Ranks):
    def test_the_same_on_every_number_of_ranks(self):
        for case in ("heat --grid 20x16 --boundary clamp,value:0,periodic,periodic --dof 2 --manufactured --steps 5 --dt 0.01",
                     "heat --grid 9x8x10 --manufactured --steps 3 --dt 0.01", "bratu --grid 21x18",
                     "transport --grid 20x30 --dof 3 --boundary value:0,outflow,clamp,clamp --manufactured --steady",
                     "transport --grid 16x17x18 --steady --manufactured", "poroelastic --grid 9x8 --manufactured --steps 2 --dt 0.01", "gray_scott --grid 24x20 --steps 4 --dt 5", "cahn_hilliard --grid 20x18 --steps 4 --dt 1e-6"):
            one, *others = (self.solved(ranks, *case.split(), "--", "-snes_rtol", "1e-12", "-ksp_rtol", "1e-12")
                            for ranks in (1, 2, 3))
            for other in others:
                self.assertAlmostEqual(other["newton_iterations"], one["newton_iterations"], delta=2, msg=case)
                if one["error_l2"] is not None:
                    self.assertAlmostEqual(other["error_l2"], one["error_l2"], delta=1e-9 + 1e-6 * one["error_l2"], msg=case)
        probed = []
        for ranks in (1, 3):  # two nodes of different ranks, and one twice
            self.solved(ranks, "gray_scott", "--grid", "24x20", "--steps", "2", "--dt", "5", "--output", self.path("g.h5"), "--probe",
                        "1.2,1.1/2.3,0.1/1.2,1.1", "--", "-snes_rtol", "1e-12", "-ksp_rtol", "1e-12")
            with open(self.path("g.probe.csv")) as file:
                probed.append([[float(number) for number in line.split(",")] for line in file.read().splitlines()[1:]])
        self.assertEqual([len(line) for line in probed[0]], [8, 8, 8])
        for one, three in zip(*probed):
            self.assertEqual(one[2:4], one[6:])
            for a, b in zip(one, three):
                self.assertAlmostEqual(a, b, delta=1e-9)
        self.refused(2, ["value:0", "heat"], 3, "solve", "heat", "--manufactured", "--boundary", "value:1")
        for case in (["poisson", "--grid", "13x12", "--boundary", "value:{sin(3*y)},flux:{x*y},clamp,robin:1,1,{x}"],
                     ["heat", "--grid", "13x12", "--boundary", "value:{sin(3*y + 20*t)}", "--source", "x*cos(9*t)", "--steps", "3", "--dt", "0.02"]):
            fields = []
            for ranks in (1, 3):
                self.solved(ranks, *case, "--probe", "0.2,0.3/0.8,0.7", "--output", self.path("f.h5"), "--", "-ksp_rtol", "1e-12")
                with open(self.path("f.probe.csv")) as file:
                    fields += [float(number) for number in file.read().splitlines()[-1].split(",")],
            self.assertGreater(abs(fields[0][2]), 1e-3)
            for a, b in zip(*fields):
                self.assertAlmostEqual(a, b, delta=1e-8)
        # A source that is no number on one of them, after two steps.
        self.refused(2, ["at t = 2 s", "nan"], 3, "solve", "heat", "--grid", "9x9", "--steps", "3", "--dt", "1", "--source",
                     "x > 0.7 ? sqrt(1.5-t) : 1")

    def test_formulas_are_the_numbers_of_a_file(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        y, x = numpy.mgrid[0:11, 0:13] / 8
        given = numpy.stack([1 - x * y, numpy.where(y < 0.5, 0.25, x)], axis=-1)
        with h5py.File(self.path("given.h5"), "w") as file:
            file["a"], file["f"], file["uv"] = 1 + 9 * (x > 1), x - y * y, given[numpy.newaxis]
        given_file = self.path("given.h5")
        spacing, out = ["--spacing", "0.125"], self.path("u.h5")
        for case, names in (
                [["diffusion", "--grid", "13x11", *spacing, "--coefficient", a, "--source", f]
                 for a, f in (("1 + 9*(x > 1)", "x - y*y"), (given_file + ":a", given_file + ":f"))], ["solution"]), (
                [["gray_scott", "--grid", "13x11", *spacing, "--steps", "2", "--dt", "0.5", "--initial", initial]
                 for initial in ("1 - x*y, y < 0.5 ? 0.25 : x", given_file + ":uv")], ["u", "v"]):
            fields = []
            for arguments in case:
                self.solved(2, *arguments, "--output", out)
                with h5py.File(out) as file:
                    fields.append([file[name][...] for name in names])
                os.remove(out)
            numpy.testing.assert_array_equal(fields[0], fields[1])
            self.assertGreater(numpy.abs(fields[0]).max(), 0)
        for field, begin in zip(fields[1], numpy.moveaxis(given, -1, 0)):
            numpy.testing.assert_array_equal(field[0].squeeze(), begin)


    def test_a_tensor_has_the_results_of_one_rank(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        out = self.path("u.h5")
        for arguments in (["--grid", "23x20", "--boundary", "periodic,periodic,clamp,value:1", "--coefficient", "2, sin(x/3), 1 + y/9"],
                          ["--grid", "11x12x9", "--boundary", "clamp", "--coefficient", "3, cos(y), 0.2, 2 + x, sin(z), 1.5"]):
            fields = []
            for ranks in 1, 4:
                self.solved(ranks, "diffusion", *arguments, "--output", out, "--", "-ksp_rtol", "1e-12")
                with h5py.File(out) as file:
                    fields.append(file["solution"][...])
                os.remove(out)
            numpy.testing.assert_allclose(fields[1], fields[0], rtol=0, atol=1e-10 * numpy.abs(fields[0]).max())
            self.assertGreater(numpy.abs(fields[0]).max(), 0)


    def test_fields_of_parameters_have_the_results_of_one_rank(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        out = self.path("u.h5")
        for arguments, name, petsc in (
                (["elasticity", "--grid", "11x9x8", "--parameter", "mu=x < 4 ? 1 : 30 + y"], "solution", []),
                (["transport", "--grid", "19x16", "--dof", "3", "--steps", "3", "--dt", "0.01",
                  "--parameter", "v_x=sin(6*y),v_y=cos(6*x),d=0.02+0.1*x,k=y"], "solution", []),
                (["gray_scott", "--grid", "19x16", "--steps", "3", "--dt", "1", "--parameter", "F=0.02+0.01*x,D_u=1e-4*(1+y)"], "v", []),
                (["poroelastic", "--grid", "14x13", "--steps", "3", "--dt", "0.01", "--parameter", "K=x < 0.5 ? 1 : 0.01,mu=1+y"], "p", [])):
            fields = []
            for ranks in 1, 4:
                self.solved(ranks, *arguments, "--output", out, "--", "-ksp_rtol", "1e-12", *petsc)
                with h5py.File(out) as file:
                    fields.append(file[name][...])
                os.remove(out)
            numpy.testing.assert_allclose(fields[1], fields[0], rtol=0, atol=1e-9 * numpy.abs(fields[0]).max())
            self.assertGreater(numpy.abs(fields[0]).max(), 0)


class SameResults(Ranks):
    CASES = declared("25x22", "12x9x11", "_every_kind") + [
        "poisson --grid 21x5x19 --boundary clamp --dof 2 --manufactured",
        "poisson --grid 18x16x12 --boundary periodic --stencil box --format csr --manufactured",
        "poisson --grid 40x9 --stencil star --radius 3 --format dia --manufactured",
        "poisson --grid 26x21 --format petsc_aij --manufactured",
        "diffusion --grid 33x30 --format ell --boundary periodic --manufactured",
        "poisson --grid 23x18 --boundary flux:3 --manufactured",
        "elasticity --grid 9x8x10 --boundary value:1,value:1,periodic,periodic,value:1,value:1 "
        "--manufactured -- -pc_type pbjacobi -ksp_type gmres",
        "elasticity --grid 13x12 --boundary periodic --manufactured",
    ]
    # The first two are narrow on their coarser grids.
    MULTIGRID = [
        "poisson --grid 70x6 --manufactured -- -pc_mg_levels 3",
        "poisson --grid 40x33x4 --boundary periodic --manufactured --",
        "poisson --grid 21x18x27 --boundary clamp --dof 2 --manufactured -- -pc_mg_galerkin both",
        "poisson --grid 34x50 --format petsc_aij --manufactured --",
        "poisson --grid 36x40 --boundary periodic --format csr --manufactured -- -mg_levels_pc_type pbjacobi",
        "diffusion --grid 40x41 --boundary periodic --manufactured --",
        "diffusion --grid 14x15x18 --boundary clamp --manufactured -- -pc_mg_galerkin both",
    ] + [case + " --" for case in declared("41x38", "20x13x15", "_beside_periodic")]

    # Beside a peer and another format, too; with levels that the ranks share.
    GRID_MULTIGRID = [case + " --format cds" for case in declared("33x30", "14x12x13", "_every_kind")] + [
        "poisson --grid 14x15x18 --boundary clamp --format ell --manufactured",
        "diffusion --grid 24x20x19 --boundary value:0,clamp,periodic,periodic,clamp,drop --format petsc_aij --manufactured",
        "poisson --grid 33x30 --boundary flux:1 --format cds --manufactured",
    ]

    def test_of_multigrid_on_the_operators_grid(self):
        options = ["--", "-pc_type", "quadrille_mg", "-pc_quadrille_mg_gathered", "50", "-ksp_rtol", "1e-9"]
        for i, case in enumerate(self.GRID_MULTIGRID):
            self.compare(case.split() + options, 2 + i % 3)

    # What PETSc makes from entries of the whole matrix; blocks of ranks make other preconditioners of some.
    def test_of_preconditioners_from_entries(self):
        for options in ["-pc_type", "sor", "-pc_sor_local_symmetric"], ["-pc_type", "gamg"], ["-pc_type", "redundant"]:
            for ranks, case in (2, "poisson --grid 26x21 --format cds"), (3, "elasticity --grid 12x11 --format csr"):
                with self.subTest(case=case, options=options, ranks=ranks):
                    expected, record = (self.solved(n, *case.split(), "--manufactured", "--", *options) for n in (1, ranks))
                    self.assertLess(abs(record["error_l2"] - expected["error_l2"]), 1e-3 * expected["error_l2"])

    def test_of_one_rank_on_2_3_and_4(self):
        for i, case in enumerate(self.CASES):
            self.compare(case.split(), 2 + i % 3)

    def test_of_multigrid_as_well(self):
        for i, case in enumerate(self.MULTIGRID):
            self.compare(case.split() + MG, 2 + i % 3)

    def compare(self, case, ranks):
        with self.subTest(case=" ".join(case), ranks=ranks):
            expected, record = self.solved(1, *case), self.solved(ranks, *case)
            self.assertLessEqual(abs(record["iterations"] - expected["iterations"]), 1)
            for name in "error_l2", "error_max":
                self.assertLess(abs(record[name] - expected[name]), 1e-6 * expected[name])
            # Without --format, the part of the first rank decides.
            for name in ["unknowns", "h", "reason", "method", "preconditioner", "space", *["format"] * ("--format" in case)]:
                self.assertEqual(record[name], expected[name])
            self.assertLess(record["residual"], 1e-7)

    def test_jumps_of_a_million(self):
        for case in ["--grid 40x37", "--grid 16x15x21 --boundary clamp"]:
            arguments = ["diffusion", *case.split(), "--", "-pc_type", "mg"]
            expected = self.solved(1, *arguments)
            for ranks in 2, 4:
                with self.subTest(case=case, ranks=ranks):
                    self.assertLessEqual(abs(self.solved(ranks, *arguments)["iterations"] - expected["iterations"]), 1)

    def test_the_file_is_the_same(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        arguments = ["poisson", "--grid", "12x11x10", "--dof", "2", "--boundary", "clamp,value:2,value:2,clamp,value:2,value:2",
                     "--manufactured"]
        contents = []
        for ranks in 1, 3:
            path = self.path("u%d.h5" % ranks)
            self.solved(ranks, *arguments, "--output", path)
            self.assertTrue(os.path.exists(path[:-3] + ".xdmf"))
            with h5py.File(path) as file:
                contents.append({name: numpy.array(file[name]) for name in file if isinstance(file[name], h5py.Dataset)})
                contents[-1]["attributes"] = numpy.array(sorted(file.attrs))
                options = dict(file["options"].attrs)
        self.assertEqual(options["pde"], "poisson")
        self.assertEqual(set(contents[0]), set(contents[1]))
        for name, values in contents[0].items():
            if name in ("solution", "error"):
                numpy.testing.assert_allclose(contents[1][name], values, rtol=0, atol=1e-9)
            else:
                numpy.testing.assert_array_equal(contents[1][name], values)

    # Barriers cut off regions that reach over several ranks; one plane has none but barriers.
    def test_of_a_coefficient_from_a_file(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        numbers, path = numpy.random.default_rng(3), self.path("a.h5")
        for shape in (23, 19), (14, 11, 12):
            a = numpy.exp(numbers.standard_normal(shape)) * (numbers.random(shape) > 0.35)
            a[shape[0] // 2] = 0
            with h5py.File(path, "w") as file:
                file["a"], file["f"] = a, numbers.standard_normal(shape)
            for sides in "clamp", "value:0" + ",clamp" * (2 * len(shape) - 1):
                for options in ["-pc_type", "mg", "-pc_mg_levels", "3"], ["-pc_type", "jacobi"]:
                    fields, iterations = [], []
                    for ranks in (1, 2, 4) if "mg" in options else (1, 3):
                        out = self.path("u%d.h5" % ranks)
                        record = self.solved(ranks, "diffusion", "--coefficient", path + ":a", "--source", path + ":f", "--boundary", sides,
                                             "--coefficient-ratio", ",".join(["1"] * (len(shape) - 1) + ["0.1"]), "--output", out, "--",
                                             "-ksp_rtol", "1e-10", "-ksp_norm_type", "unpreconditioned", *options)
                        iterations.append(record["iterations"])
                        with h5py.File(out) as file:
                            fields.append(file["solution"][()])
                    with self.subTest(shape=shape, sides=sides, options=options):
                        self.assertLessEqual(max(iterations) - min(iterations), 1 if "mg" in options else 3)
                        for field in fields[1:]:
                            numpy.testing.assert_allclose(field, fields[0], rtol=0, atol=1e-8 * abs(fields[0]).max())
        self.refused(2, ["no dataset 'b'"], 3, "solve", "diffusion", "--coefficient", path + ":b")
        with h5py.File(path, "a") as file:
            file["a"][1, 2] = -1
        self.refused(2, ["-1.0", "positive"], 3, "solve", "diffusion", "--coefficient", path + ":a")

    def test_petsc_shows_its_own_things_once(self):
        done = self.on(3, "solve", "poisson", "--grid", "12x12", "--format", "cds", "--", "-pc_type", "jacobi", "-ksp_view",
                       "-ksp_converged_reason")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("KSP Object:"), 1)
        self.assertIn("3 MPI processes", done.stdout)
        self.assertEqual(done.stdout.count("Quadrille: format cds"), 1)


class Once(Ranks):
    def test_what_is_no_work_for_several_is_said_once(self):
        result = self.path("r.json")
        for words, arguments in [("PETSc ", ["info", "--json", result]), ("petsc_aij ", ["info"]),
                                 ("bandwidth ", ["inspect", "--grid", "8x8", "--json", result]),
                                 ("Usage: quadrille SUBCOMMAND", ["--help"]), ("Usage: quadrille spmv", ["spmv", "--help"]),
                                 ("quadrille ", ["--version"]), ("seed = 1", ["spmv", "--validate"])]:
            done = self.on(4, *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertEqual(sum(line.startswith(words) for line in done.stdout.splitlines()), 1, done.stdout)
            if result in arguments:
                with open(result) as file:
                    json.load(file)
        self.all_refused(
            (2, ["--grid"], 4, "inspect", "--gird", "8x8"),
            (2, ["none.mtx"], 4, "inspect", "none.mtx"),
            (2, ["bad.mtx"], 4, "inspect", self.path("bad.mtx", "hello\n")),
            (2, ["info"], 4, "infos"),
            (3, ["/nosuch"], 4, "info", "--json", "/nosuch/i.json"))


class Wrong(Ranks):
    def test_use_is_answered_once(self):
        began = time.monotonic()
        self.refused(3, ["/nosuch/u.h5"], 3, "solve", "poisson", "--grid", "8x8", "--output", "/nosuch/u.h5")
        self.assertLess(time.monotonic() - began, 9, "a rank waited for others, and ended them after ten seconds")
        self.all_refused(
            (2, ["4x3", "5 boxes", "fewer ranks"], 5, "solve", "poisson", "--grid", "4x3"),
            (2, ["2x2x3", "5 boxes"], 5, "solve", "poisson", "--grid", "2x2x3"),
            (2, ["nosuch"], 3, "solve", "nosuch", "--grid", "8x8"),
            (2, ["clamp"], 2, "solve", "elasticity", "--grid", "8x8", "--boundary", "clamp"),
            (2, ["bare --"], 3, "solve", "poisson", "--grid", "8x8", "--", "-pc_type", "nosuch"),
            (2, ["bare --"], 2, "solve", "poisson", "--grid", "8x8", "--", "-ksp_rtol", "x"),
            (2, ["-pc_mg_levels 9"], 3, "solve", "poisson", "--grid", "40x24", "--", "-pc_type", "mg", "-pc_mg_levels", "9"),
            (2, ["nosuch"], 3, "solve", "poisson", "--grid", "40x24", "--", "-pc_type", "mg", "-pc_mg_galerkin", "nosuch"),
            (2, ["chebyshev"], 2, "solve", "poisson", "--grid", "8x8", "--", "-ksp_type", "chebyshev"),
            (3, ["one process", "solve"], 2, "spmv", "--grid", "8x8"),
            (3, ["one process"], 2, "bench", "bandwidth", "--grid", "8x8"))

    def test_not_to_converge_is_said_once(self):
        done = self.on(3, "solve", "poisson", "--grid", "40x40", "--", "-ksp_max_it", "3")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(self.sentences(done)), 1, done.stderr)
        self.assertIn("did not converge", done.stderr)

    # Rank 1 may not have the memory that its part takes; the others could go on.
    def test_one_rank_that_fails_ends_all(self):
        little = ["sh", "-c", 'test "$OMPI_COMM_WORLD_RANK" != 1 || ulimit -v 400000; exec "$@"', "sh"]
        arguments = ["solve", "poisson", "--quiet", "--grid", "24x24x24"]
        done = self.on(3, *arguments, before=little)
        if done.returncode != 0:
            self.skipTest("MPI itself needs more here: " + done.stderr[:300])
        arguments[4] = "192x192x192"
        self.refused(3, ["memory"], 3, *arguments, before=little)


if __name__ == "__main__":
    unittest.main(verbosity=2)
