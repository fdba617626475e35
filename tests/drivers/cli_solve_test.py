"""`quadrille solve` from outside."""
import csv
import json
import math
import os
import re
import subprocess
import unittest

from cli_case import CliTest, CPU_FORMATS, QUADRILLE, SANITIZED, of_numbers


class Solve(CliTest):
    RECORD = """pde space format precision grid dof ranks unknowns h iterations converged reason residual error_l2
error_max matmult_ms seconds method preconditioner""".split()
    MULTIGRID = "cycle_ms bytes_per_unknown_iteration fraction_of_floor setup_again_ms".split()

    def solved(self, *arguments):
        out = self.path("solve.json")
        screen = self.ok("solve", "--json", out, *arguments)
        (record,) = json.load(open(out))["records"]
        return record, screen

    # A grid that no machine holds: what is said to be needed counts multigrid only where it is taken.
    def test_memory_that_is_needed(self):
        def needed_gib(*arguments):
            done = self.run_it("solve", "poisson", "--grid", "1280x1280x1280", "--stencil", "box", "--format", "cds",
                               "--space", "cpu", *arguments)
            self.assertEqual(done.returncode, 3, done.stderr)
            amount, unit = re.search(r"not enough memory: ([0-9.]+) ([GT])iB needed", done.stderr).groups()
            return float(amount) * (1024 if unit == "T" else 1)

        self.assertGreater(needed_gib(), 1.2 * needed_gib("--", "-pc_type", "jacobi"))

    def test_the_record_is_the_contracts(self):
        record, screen = self.solved("poisson", "--grid", "24x20", "--spacing", "0.5,0.25", "--dof", "2", "--manufactured",
                                     "--csv", self.path("solve.csv"), "--space", "cpu", "--threads", "2")
        self.assertEqual(list(record), self.RECORD + self.MULTIGRID)
        for name in self.MULTIGRID:
            if name != "fraction_of_floor":
                self.assertGreater(record[name], 0, name)
        if record["fraction_of_floor"] is not None:  # as it is where other work slowed the stream down
            self.assertGreater(record["fraction_of_floor"], 0)
            self.assertLessEqual(record["fraction_of_floor"], 1)
        self.assertEqual(list(self.solved("poisson", "--grid", "9x9", "--", "-pc_type", "jacobi")[0]), self.RECORD)
        self.assertEqual(list(record["seconds"]), "assembly setup solve output total".split())
        self.assertEqual([record[name] for name in ["pde", "space", "format", "precision", "grid", "dof", "ranks",
                                                    "unknowns", "h", "converged"]],
                         ["poisson", "cpu", "compact", "fp64", "24x20", 2, 1, 960, 0.5, True])
        self.assertLess(record["residual"], 1e-7)
        self.assertLess(record["error_l2"], 5e-3)
        self.assertLess(record["error_l2"], record["error_max"])
        self.assertGreater(record["matmult_ms"], 0)
        with open(self.path("solve.csv")) as file:
            (row,) = csv.DictReader(file)
        flat = {**record, **{"seconds_" + name: value for name, value in record["seconds"].items()}}
        del flat["seconds"]
        texts = {name: "" if value is None else str(value).replace("True", "true") for name, value in flat.items()}
        self.assertEqual(texts, row)
        self.assertIn(f"converged after {record['iterations']} iterations of quadrille_cg with quadrille_mg", screen)
        record, _ = self.solved("diffusion", "--grid", "8x7x6")
        self.assertIsNone(record["error_l2"])
        self.assertIsNone(record["error_max"])

    @of_numbers
    def test_the_order_is_two_in_the_program_as_well(self):
        for pde, grids, sides in [("poisson", [("32x32", 33), ("64x64", 65)], "value:1"),
                                  ("diffusion", [("16x16x16", 16), ("32x32x32", 32)], "clamp")]:
            errors = [self.solved(pde, "--grid", grid, "--boundary", sides, "--manufactured", "--",
                                  "-ksp_rtol", "1e-11")[0]["error_l2"] for grid, _ in grids]
            order = math.log(errors[0] / errors[1]) / math.log(grids[1][1] / grids[0][1])
            self.assertAlmostEqual(order, 2, delta=0.1)

    # And finds that the coefficients of elasticity are the same at all nodes, as its functor hints. Of many
    # threads another format may be the fastest.
    @of_numbers
    def test_auto_counts_what_multigrid_asks_for(self):
        for method, products in (([], " for 20 products"), (["--", "-pc_type", "jacobi"], "")):
            for pde, formats in ("elasticity", ["compact"]), ("diffusion", ["cds", "dia"]):
                record, screen = self.solved(pde, "--grid", "20x20x20", "--space", "cpu", "--threads", "2", *method)
                self.assertIn(f"auto: {record['format']} on cpu{products}, predicted", screen)
                self.assertIn(record["format"], formats)

    # Of a constant source without a face that holds u nothing is left but rounding, which is 0.
    def test_a_constant_source_without_a_value_gives_zero(self):
        for case in (["poisson", "--grid", "7x13", "--boundary", "clamp"], ["poisson", "--grid", "33x17x9", "--boundary", "periodic"],
                     ["elasticity", "--grid", "8x8", "--boundary", "periodic"]):
            for source in ("0.1", "3"):
                record, _ = self.solved(*case, "--source", source)
                self.assertEqual((record["iterations"], record["residual"]), (0, 0))

    # u = sin(3 x) exp(3 y), harmonic, by its values and fluxes on faces, which change along them; node 0 stands
    # half a spacing from the face along x and a whole one along y.
    @of_numbers
    def test_the_order_is_four_with_formulas_at_faces(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")

        def error(n):
            h, out = 1 / n, self.path("u.h5")
            sides = (f"flux:{{-3*exp(3*(y+{h}))}},flux:{{3*cos(3*{n}*{h})*exp(3*(y+{h}))}},"
                     f"value:{{sin(3*(x+{h / 2}))}},value:{{sin(3*(x+{h / 2}))*exp(3*{n * h})}}")
            self.ok("solve", "poisson", "--grid", f"{n}x{n - 1}", "--spacing", str(h), "--radius", "2", "--boundary", sides,
                    "--source", "0", "--output", out, "--", "-ksp_rtol", "1e-12")
            with h5py.File(out) as file:
                u = file["solution"][0, 0, :, :, 0]
            return max(abs(u[j, i] - math.sin(3 * (i + 0.5) * h) * math.exp(3 * (j + 1) * h))
                       for j in range(n - 1) for i in range(n))

        coarse, fine = error(16), error(32)
        self.assertAlmostEqual(math.log2(coarse / fine), 4, delta=0.2)

    def test_every_format_needs_as_many_iterations(self):
        counts = {self.solved("diffusion", "--grid", "12x11x5", "--dof", "3", "--format", name, "--", "-pc_type", "mg",
                              "-pc_mg_levels", "2")[0]["iterations"] for name in CPU_FORMATS}
        self.assertLessEqual(max(counts) - min(counts), 1, counts)  # their sums differ in the last bits

    def test_petsc_options_choose_the_method(self):
        _, screen = self.solved("poisson", "--grid", "16x16", "--space", "cpu", "--", "-ksp_type", "gmres", "-pc_type", "pbjacobi",
                                "-ksp_monitor", "-ksp_view")
        for text in ["of gmres with pbjacobi", "KSP Residual norm", "format compact, in CPU memory"]:
            self.assertIn(text, screen)

    def test_multigrid_says_what_it_made(self):
        record, screen = self.solved("poisson", "--grid", "64x48", "--boundary", "clamp", "--space", "cpu")
        self.assertIn("multigrid: 3 levels, 64x48 to 16x12, interpolation linear, constant coefficients, 192 unknowns solved directly, V(2,2) in fp32", screen)
        self.assertLess(record["iterations"], 12)
        self.assertLess(record["residual"], 1.01e-8)
        _, screen = self.solved("diffusion", "--grid", "64x48", "--", "-pc_type", "mg", "-pc_mg_levels", "4")
        self.assertIn("multigrid: 4 levels down to 48 unknowns, coarse operators P^T A P", screen)
        _, screen = self.solved("poisson", "--grid", "16x16x16", "--spacing", "1,1,0.1", "--", "-pc_quadrille_mg_coarsest", "100")
        self.assertIn("multigrid: 5 levels, 16x16x16 to 8x8x1, halved along z 3 times, then along all, interpolation", screen)

    def test_jumps_of_a_million_on_grids_of_any_shape(self):
        for most, grid, *others in [(30, "31x54x11", "--boundary", "clamp", "--spacing", "1,1,0.1"),
                                    (20, "24x58x10", "--boundary", "clamp", "--spacing", "1,1,0.01"),
                                    (30, "697x79", "--boundary", "clamp", "--spacing", "0.1,1"),
                                    (30, "70x500", "--boundary", "periodic", "--spacing", "0.1,1"),
                                    (30, "331x19", "--boundary", "drop,drop,clamp,clamp", "--dof", "3"),
                                    (30, "28x109", "--boundary", "clamp", "--dof", "2")]:
            with self.subTest(grid=grid, others=others):
                record, _ = self.solved("diffusion", "--grid", grid, *others)
                self.assertLessEqual(record["iterations"], most)
        # Where rounding to fp32 makes the cycle indefinite the solve goes on with one in fp64.
        case = ["diffusion", "--grid", "30x27x19", "--boundary", "periodic", "--seed", "944663", "--spacing", "1,1,0.01", "--",
                "-pc_quadrille_mg_coarsest", "100"]
        _, screen = self.solved(*case)
        self.assertIn("V(2,2) in fp64", screen)
        self.refused(1, ["not positive definite"], "solve", *case, "-pc_quadrille_mg_precision", "single")

    def test_multigrid_takes_spacings_beyond_fp32(self):
        usual, _ = self.solved("poisson", "--grid", "40x40", "--format", "cds")
        for spacing in ("1e-20", "1e20"):
            record, screen = self.solved("poisson", "--grid", "40x40", "--format", "cds", "--spacing", spacing)
            self.assertIn(", V(2,2) in fp64, for the coefficients leave the range of fp32\n", screen)
            self.assertEqual(record["iterations"], usual["iterations"])

    # By size they would make rounding 1e9 times as large.
    def test_many_sweeps_are_stable(self):
        for sweeps in ("80", "200"):
            record, _ = self.solved("poisson", "--grid", "24x24", "--format", "cds", "--", "-pc_quadrille_mg_sweeps", sweeps)
            self.assertLess(record["iterations"], 4)

    # With Jacobi, the first one takes 3,414 iterations, and 6.9e-6 is left of the residual.
    @of_numbers
    def test_the_defaults_are_the_best_that_is_known(self):
        for arguments, most, residual in [("diffusion --grid 128x128", 15, 1e-6), ("diffusion --grid 60x61 --boundary clamp --seed 3", 15, 1e-6),
                                          ("diffusion --grid 21x22x23 --boundary periodic --dof 2", 15, 1e-6),
                                          ("poisson --grid 90x70 --boundary periodic", 10, 1e-8),
                                          ("poisson --grid 20x21x22 --dof 3", 10, 1e-8), ("elasticity --grid 50x40", 12, 1e-8)]:
            record, screen = self.solved(*arguments.split(), "--space", "cpu")
            self.assertEqual((record["method"], record["preconditioner"]), ("quadrille_cg", "quadrille_mg"), arguments)
            self.assertLessEqual(record["iterations"], most, arguments)
            self.assertLessEqual(record["residual"], residual, arguments)
            self.assertIn("auto: " + record["format"] + " on cpu", screen)
        self.assertIn("UNPRECONDITIONED norm type", self.solved("poisson", "--grid", "9x9", "--", "-ksp_view")[1])

    def test_what_follows_the_dashes_wins(self):
        case = ["poisson", "--grid", "40x41", "--format", "cds", "--"]
        for options, method, preconditioner in [("-pc_type jacobi", "quadrille_cg", "jacobi"), ("-ksp_type gmres", "gmres", "quadrille_mg"), ("-pc_type mg", "quadrille_cg", "mg"),
                                                ("-ksp_type cg", "cg", "quadrille_mg"),
                                                ("-ksp_type bcgs -pc_type none", "bcgs", "none"), ("-pc_type pbjacobi", "quadrille_cg", "pbjacobi")]:
            record, screen = self.solved(*case, *options.split(), "-ksp_view")
            self.assertEqual((record["method"], record["preconditioner"]), (method, preconditioner))
            self.assertEqual("multigrid:" in screen, preconditioner in ["mg", "quadrille_mg"])
            self.assertIn("using UNPRECONDITIONED" if method in ("cg", "quadrille_cg") else "using PRECONDITIONED", screen)
        _, screen = self.solved(*case, "-ksp_norm_type", "natural", "-ksp_view")
        self.assertIn("using NATURAL norm type", screen)
        self.assertEqual(self.solved(*case, "-ksp_rtol", "1e-3")[0]["format"], "cds")

    @of_numbers
    def test_multigrid_on_the_operators_grid(self):
        mg = ["--", "-pc_type", "quadrille_mg", "-ksp_norm_type", "unpreconditioned"]
        for pde, options, most in [("poisson", ["--grid", "64x48"], 8), ("poisson", ["--grid", "23x20x19", "--boundary", "clamp"], 9),
                                   ("poisson", ["--grid", "24x24x48", "--spacing", "1,1,0.1"], 10),
                                   ("poisson", ["--grid", "64x48", "--boundary", "flux:1"], 8),
                                   ("poisson", ["--grid", "64x48", "--boundary", "outflow"], 8),
                                   ("poisson", ["--grid", "64x48", "--boundary", "robin:1,2,3"], 8),
                                   ("poisson", ["--grid", "64x48", "--boundary", "robin:2,0,1"], 8),
                                   ("poisson", ["--grid", "23x20x19", "--boundary", "value:1,flux:2,robin:1,1,0,outflow,clamp,robin:1,2,3"], 9),
                                   ("diffusion", ["--grid", "20x20x20", "--boundary", "flux:1,robin:1,2,3,clamp,value:1,flux:0,outflow"], 30),
                                   ("poisson", ["--grid", "128x128", "--spacing", "0.0078125", "--dof", "2", "--boundary",
                                                "value:1/flux:2,robin:1,1,0/value:0,clamp/robin:1,3,0,flux:0"], 9),
                                   ("diffusion", ["--grid", "64x48"], 30), ("diffusion", ["--grid", "20x20x20"], 30),
                                   ("poisson", ["--grid", "64x48", "--radius", "3"], 10),
                                   ("elasticity", ["--grid", "48x40"], 14), ("elasticity", ["--grid", "12x14x16"], 14)]:
            record, screen = self.solved(pde, *options, *mg, "-ksp_rtol", "1e-6")
            self.assertLessEqual(record["iterations"], most, (pde, options))
            self.assertLess(record["residual"], 1e-5, (pde, options))
            self.assertEqual(record["preconditioner"], "quadrille_mg")
            self.assertRegex(screen, r"\nmultigrid: \d levels, .*V\(2,2\) in fp32\n")
        _, screen = self.solved("poisson", "--grid", "64x48", *mg, "-pc_quadrille_mg_levels", "2", "-pc_quadrille_mg_precision", "double")
        self.assertIn("multigrid: 2 levels, 64x48 to 32x24, interpolation linear, constant coefficients, 768 unknowns solved directly, V(2,2) in fp64", screen)

    def test_multigrid_on_the_operators_grid_beside_every_format(self):
        counts = {self.solved("diffusion", "--grid", "12x11x9", "--dof", "2", "--format", name, "--", "-pc_type", "quadrille_mg",
                              "-pc_quadrille_mg_precision", "double")[0]["iterations"] for name in CPU_FORMATS + ["auto"]}
        self.assertLessEqual(max(counts) - min(counts), 1, counts)

    @of_numbers
    def test_the_order_is_two_with_multigrid_on_the_operators_grid(self):
        for pde, grids, sides in [("poisson", ["32x32", "64x64"], "value:1"), ("diffusion", ["16x16x16", "32x32x32"], "value:2"),
                                  ("elasticity", ["32x32", "64x64"], "value:0")]:
            errors = [self.solved(pde, "--grid", grid, "--boundary", sides, "--manufactured", "--", "-ksp_rtol", "1e-10",
                                  "-pc_type", "quadrille_mg")[0]["error_l2"] for grid in grids]
            intervals = [int(grid.split("x")[0]) + 1 for grid in grids]
            order = math.log(errors[0] / errors[1]) / math.log(intervals[1] / intervals[0])
            self.assertAlmostEqual(order, 2, delta=0.1)

    def test_convergence_shows_on_a_terminal_only(self):
        base = ["solve", "poisson", "--grid", "32x32"]
        for options, shown in [([], True), (["--no-progress"], False), (["--quiet"], False)]:
            seen = self.on_terminal(*base, *options)
            self.assertEqual("iteration 0, residual 1.00e+00, wanted 1e-08" in seen, shown, seen)
        self.assertEqual(self.run_it(*base).stderr, "")

    def test_without_a_fixed_value_the_mean_is_zero(self):
        record, screen = self.solved("diffusion", "--grid", "20x18", "--boundary", "clamp,clamp,periodic,periodic")
        self.assertTrue(record["converged"])
        self.assertIn("mean zero", screen)

    # Where jumps slow it down, and nowhere else.
    def test_what_may_do_better_is_said(self):
        run = ["solve", "diffusion", "--grid", "40x40", "--quiet", "--coefficient", "1 + 1e6*(sin(2.5*x + 1.9*y) > 0)", "--", "-ksp_max_it", "2"]
        self.refused(1, ["after 2 iterations", "-pc_quadrille_mg_coarsest", "-pc_type hypre"], *run)
        done = self.run_it("solve", "poisson", "--grid", "40x40", "--quiet", "--", "-ksp_max_it", "2")
        self.assertEqual((done.returncode, "hypre" in done.stderr), (1, False), done.stderr)

    def test_no_convergence_is_said_and_ends_with_1(self):
        out, fields = self.path("out.json"), self.path("u.h5")
        for options, words in [(["-ksp_max_it", "3"], ["largest number of iterations", "after 3 iterations"]),
                               (["-ksp_divtol", "1e-3"], ["divergence tolerance"])]:
            self.refused(1, ["did not converge", *words, "no fields"], "solve", "poisson", "--grid", "32x32", "--space", "cpu", "--quiet",
                         "--json", out, "--output", fields, "--", *options)
            (record,) = json.load(open(out))["records"]
            self.assertFalse(record["converged"])
            self.assertIn(words[0], record["reason"])
            self.assertFalse(os.path.exists(fields))
        self.refused(1, ["did not converge", "largest number of iterations"], "solve", "poisson", "--grid", "32x32", "--space", "cpu", "--quiet",
                     "--", "-ksp_max_it", "3", "-ksp_error_if_not_converged")

    def test_the_residual_is_that_of_the_system_asked_for(self):
        for arguments in [["diffusion", "--grid", "24x20"], ["diffusion", "--grid", "14x12", "--dof", "2", "--format", "petsc_aij"]]:
            plain, _ = self.solved(*arguments, "--manufactured", "--", "-ksp_rtol", "1e-11")
            scaled, _ = self.solved(*arguments, "--manufactured", "--", "-ksp_rtol", "1e-11", "-ksp_diagonal_scale")
            self.assertLess(scaled["residual"], 1e-8)
            self.assertLess(abs(scaled["error_l2"] - plain["error_l2"]), 1e-5 * plain["error_l2"])

    # What was solved is a nearby system, and the residual that of the operator itself.
    def test_rounded_values_are_told(self):
        case = ["diffusion", "--grid", "12x11x10", "--space", "cpu"]
        exact, screen = self.solved(*case, "--format", "cds")
        self.assertNotIn("value_error", exact)
        self.assertNotIn("nearby", screen)
        for options, error in [(["--format", "cds", "--value-precision", "fp32"], 2 ** -24),
                               (["--format", "compact", "--value-precision", "bf16"], 2 ** -8 + 2 ** -24),
                               (["--", "-mat_quadrille_format", "cds", "-mat_quadrille_value_precision", "bf16"], 2 ** -8 + 2 ** -24)]:
            record, screen = self.solved(*case, *options)
            self.assertAlmostEqual(record["value_error"] / error, 1)
            self.assertLess(exact["residual"], 1e-8)
            self.assertGreater(record["residual"], error / 100)
            self.assertLess(record["residual"], 100 * error)
            self.assertIn("a nearby system was solved", screen)
        self.refused(2, ["--value-precision 'fp32'", "auto takes what is exact"], "solve", "poisson", "--grid", "8x8", "--value-precision", "fp32")
        self.refused(2, ["csr keeps its values as they are", "cds or compact"], "solve", "poisson", "--grid", "8x8", "--format", "csr", "--",
                     "-mat_quadrille_value_precision", "fp32")
        screen = self.ok("solve", "heat", "--grid", "8x8", "--steps", "1", "--format", "cds", "--value-precision", "fp32")
        self.assertIn("the one solve of a step of a linear PDE does not", screen)

    def test_elasticity_needs_no_dof_and_no_stencil(self):
        for grid in "12x11", "6x5x7":
            record, screen = self.solved("elasticity", "--grid", grid)
            self.assertEqual(record["dof"], grid.count("x") + 1)
            self.assertIn("box radius 1", screen)

    def test_convergence_is_believed_only_with_the_true_residual(self):
        self.refused(1, ["did not converge", "true residual"], "solve", "poisson", "--grid", "16x16", "--quiet", "--",
                     "-ksp_type", "preonly", "-pc_type", "jacobi")
        record, _ = self.solved("poisson", "--grid", "16x16", "--spacing", "1e-26", "--", "-pc_type", "jacobi")
        self.assertGreater(record["iterations"], 5)
        self.assertLess(record["residual"], 1e-7)
        record, screen = self.solved("diffusion", "--grid", "40x40", "--", "-pc_type", "jacobi", "-ksp_norm_type", "preconditioned")
        self.assertGreater(record["residual"], 1e-7)
        self.assertIn("above the tolerance", screen)
        self.refused(2, ["chebyshev"], "solve", "poisson", "--grid", "21x21", "--", "-ksp_type", "chebyshev")

    @unittest.skipIf(SANITIZED, "PETSc 3.18 leaks where an option of a KSP is refused")
    def test_mistakes_in_petscs_own_variable_get_2_as_well(self):
        self.refused(2, ["nosuch", "correct PETSC_OPTIONS"], "solve", "poisson", "--grid", "8x8", "--quiet",
                     env={**os.environ, "PETSC_OPTIONS": "-ksp_type nosuch"})
        self.refused(2, ["nosuch", "correct what follows the bare --"], "solve", "poisson", "--grid", "8x8",
                     "--quiet", "--", "-ksp_type", "nosuch")

    def test_mistakes_get_a_sentence_and_2(self):
        for arguments, words in [([], ["poisson, diffusion"]), (["nosuch"], ["poisson, diffusion"]),
                                 (["poisson", "--format", "all"], ["one format"]),
                                 (["poisson", "--precision", "fp32"], ["fp64"]),
                                 (["diffusion", "--stencil", "box"], ["star of radius 1"]),
                                 (["poisson", "--grid", "8x8", "--manufactured", "--boundary",
                                   "value:0,value:0,value:1,value:1"], ["no smooth solution"]),
                                 (["elasticity", "--grid", "8x8", "--boundary", "clamp"],
                                  ["not clamp"]),
                                 (["elasticity", "--grid", "8x8", "--boundary", "robin:1,2,3"],
                                  ["robin:1,0,C"]),
                                 (["poisson", "--grid", "8x8", "--dof", "2", "--boundary", "clamp/value:0"],
                                  ["give every unknown a face of value"]),
                                 (["poisson", "--grid", "8x8", "--boundary", "robin:0,0,1"], ["--boundary", "both 0"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_type", "mg", "-pc_mg_levels", "9"],
                                  ["-pc_mg_levels 9", "4 levels at most"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_type", "mg", "-pc_mg_galerkin", "x"],
                                  ["-pc_mg_galerkin 'x'"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_type", "quadrille_mg", "-pc_quadrille_mg_cycle_type", "x"],
                                  ["-pc_quadrille_mg_cycle_type 'x'", "v, w"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_quadrille_mg_levels", "99999999999"],
                                  ["-pc_quadrille_mg_levels '99999999999'", "1 to 1000000"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_quadrille_mg_sweeps"], ["-pc_quadrille_mg_sweeps without a value"])]:
            self.refused(2, words, "solve", *arguments)
        # PETSc does not free what it has open when it meets an unknown type: no look for leaks.
        leaks = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        self.refused(2, ["nosuch", "bare --"], "solve", "poisson", "--grid", "8x8", "--", "-ksp_type", "nosuch", env=leaks)
        self.refused(2, ["--output", "name"], "solve", "poisson", "--grid", "8x8", "--output", self.path(".h5"))
        self.refused(3, ["nowhere"], "solve", "poisson", "--output", self.path("nowhere/u.h5"))
        if "GPU       none" in self.ok("info"):
            self.refused(3, ["--space cpu"], "solve", "poisson", "--grid", "4x4", "--space", "cuda")

    def test_validate_prints_a_config_that_reads_back(self):
        text = self.ok("solve", "diffusion", "--grid", "8x9", "--boundary", "clamp", "--manufactured", "--validate")
        self.assertIn("pde = diffusion\nmanufactured = true\n", text)
        self.assertEqual(text, self.ok("solve", "--config", self.path("c.ini", text), "--validate"))

    def test_the_fields_are_in_the_file(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        path = self.path("u.h5")
        record, _ = self.solved("poisson", "--grid", "12x10x8", "--boundary", "clamp,value:2,value:2,clamp,value:2,value:2",
                                "--manufactured", "--output", path)
        with h5py.File(path) as file:
            fields = {name: file[name][0, ..., 0] for name in ["solution", "right_side", "exact", "error"]}
            self.assertEqual(fields["solution"].shape, (8, 10, 12))
            self.assertEqual(file["right_side"].attrs["units"], "1/m2")
            self.assertEqual(file["options"].attrs["pde"], "poisson")
        numpy.testing.assert_allclose(fields["solution"] - fields["exact"], fields["error"], atol=1e-15)
        self.assertAlmostEqual(float(numpy.sqrt(numpy.mean(fields["error"] ** 2))), record["error_l2"])
        # The seven-point operator by hand: at a node away from every face, and at the corner (x-, y+, z-).
        u, f = fields["solution"], fields["right_side"]
        def laplacian(at):
            total = 0
            for axis, (low, high) in enumerate([(2, 2), (2, None), (None, 2)]):  # z, y, x; None is clamp
                for step, beyond in [(-1, low), (1, high)]:
                    to = list(at)
                    to[axis] += step
                    inside = 0 <= to[axis] < u.shape[axis]
                    # a constant beyond a face stands on the right side
                    total += u[at] - (u[tuple(to)] if inside else u[at] if beyond is None else 0)
            return total
        for at in [(4, 5, 6), (0, 9, 0)]:
            self.assertAlmostEqual(laplacian(at), f[at], delta=1e-5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
