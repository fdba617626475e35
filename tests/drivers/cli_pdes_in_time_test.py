"""`quadrille solve` of PDEs by their residuals against what is known of them, from outside."""
import cmath
import json
import math
import re
import unittest

from cli_case import CliTest

EXACT = ["-snes_rtol", "1e-12", "-ksp_rtol", "1e-10"]
SHORT = ["--steps", "3", "--dt", "1e-4"]  # so short that the error in time is nothing beside the one in space


class Case(CliTest):
    def solved(self, *arguments, petsc=EXACT):
        out = self.path("solve.json")
        screen = self.ok("solve", *arguments, "--json", out, "--", *petsc)
        with open(out) as file:
            (record,) = json.load(file)["records"]
        self.assertTrue(record["converged"], record)
        return record, screen

    # The order between two grids.
    def order(self, coarse, fine, *arguments):
        (a, _), (b, _) = (self.solved(*arguments, "--grid", grid, "--manufactured") for grid in (coarse, fine))
        return math.log(a["error_l2"] / b["error_l2"]) / math.log(a["h"] / b["h"])

    def fields(self, *arguments, petsc=EXACT, names=("solution",)):
        try:
            import h5py
        except ImportError as missing:
            self.skipTest(str(missing))
        path = self.path("u.h5")
        self.solved(*arguments, "--output", path, petsc=petsc)
        with h5py.File(path) as file:
            return [file[name][...] for name in names]

    # On one grid, against a run with far smaller steps.
    def order_in_time(self, *arguments, name="solution", until=0.4, petsc=EXACT):
        ends = [self.fields(*arguments, "--manufactured", "--steps", str(steps), "--dt", str(until / steps),
                            petsc=petsc, names=(name,))[0][-1] for steps in (10, 20, 160)]
        coarse, fine = (abs(end - ends[2]).max() for end in ends[:2])
        return math.log2(coarse / fine)


class Bratu(Case):
    def test_the_order_in_space_is_two(self):
        for coarse, fine, sides in (("15x11", "31x23", "value:0"), ("15x11", "31x23", "drop"),
                                    ("15x13x11", "31x27x23", "value:0")):
            order = self.order(coarse, fine, "bratu", "--boundary", sides)
            self.assertAlmostEqual(order, 2, delta=0.1, msg=(coarse, sides))
        for sides in ("value:0", "clamp", "periodic", "value:0,outflow,clamp,clamp"):
            order = self.order("16x12", "32x24", "bratu", "--parameter", "lambda=-3", "--boundary", sides)
            self.assertAlmostEqual(order, 2, delta=0.2, msg=sides)
        self.refused(2, ["value:0", "bratu"], "solve", "bratu", "--manufactured", "--boundary", "value:1")
        parameters = ("lambda=x", "lambda=-1", "lambda=-x")
        for arguments in [[]] + [["--parameter", each] for each in parameters]:
            self.refused(2, ["no face fixes a value", "lambda e^u"], "solve", "bratu", "--grid", "9x9", "--boundary", "clamp", *arguments)
        self.solved("bratu", "--grid", "9x9", "--boundary", "clamp", "--parameter", "lambda=-1", "--source", "5")
        self.solved("bratu", "--grid", "9x9", "--boundary", "flux:1", "--parameter", "lambda=-1")
        self.solved("bratu", "--grid", "9x9", "--boundary", "clamp,clamp,robin:1,1,0,clamp", "--parameter", "lambda=0.2")
        # Where no u balances -e^u - 1, Newton's steps get small beside u, which PETSc takes for the end.
        self.refused(1, ["F has hardly fallen"], "solve", "bratu", "--grid", "16x16", "--boundary", "clamp", "--parameter", "lambda=-1",
                     "--source", "-1")


    # The differences of the fields, by hand; and the limit of 6.808 between them.
    def test_there_are_solutions_up_to_a_lambda(self):
        (u,) = self.fields("bratu", "--grid", "31x31", "--parameter", "lambda=6.5")
        import numpy
        u = numpy.pad(u.squeeze(), 1)
        inner = u[1:-1, 1:-1]
        laplacian = 32**2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
        self.assertLess(abs(laplacian + 6.5 * numpy.exp(inner)).max(), 1e-6)
        self.assertTrue((inner > 0).all())
        self.refused(1, ["did not converge"], "solve", "bratu", "--grid", "31x31", "--parameter", "lambda=7", "--quiet")


class GrayScott(Case):
    # On 1 cm, where the substances spread fast enough to be seen in such short steps.
    def test_the_order_in_space_is_two(self):
        mixed = "value:0,value:0,clamp,outflow,periodic,periodic"
        others = ["--parameter", "F=5,k=7,D_v=0", "--parameter", "D_u=2e-4"]
        for coarse, fine, sides, parameters in (("15x11", "31x23", "value:0", []), ("16x12", "32x24", "periodic", []),
                                                ("16x12", "32x24", "outflow", []), ("7x8x12", "15x16x24", mixed, []),
                                                ("15x11", "31x23", "value:0", others)):
            run = ["gray_scott", "--boundary", sides, "--manufactured", "--steps", "4", "--dt", "2e-3", *parameters]
            a, b = (self.solved(*run, "--grid", grid, "--spacing", str(0.01 / spacings))[0]["error_l2"]
                    for grid, spacings in ((coarse, 16), (fine, 32)))
            self.assertAlmostEqual(math.log2(a / b), 2, delta=0.2, msg=(coarse, sides))
        self.refused(2, ["value:0", "gray"], "solve", "gray_scott", "--manufactured", "--boundary", "flux:1")

    def test_the_order_in_time_is_the_methods(self):
        for method, grid, sides, order in (("bdf", "8x7", "value:0", 2), ("cn", "8x7", "clamp", 2),
                                           ("beuler", "8x7", "clamp", 1),
                                           ("cn", "5x4x4", "clamp,value:0,clamp,clamp,value:0,value:0", 2)):
            found = self.order_in_time("gray_scott", "--grid", grid, "--boundary", sides, "--spacing", "0.01",
                                       name="v", petsc=["-ts_type", method, *EXACT])
            self.assertAlmostEqual(found, order, delta=0.2, msg=(method, grid, sides))

    def test_long_steps_are_solved_with_the_reaction_at_its_node(self):
        record, screen = self.solved("gray_scott", "--grid", "24x24x24", "--steps", "3", "--dt", "20", "--space", "cpu",
                                     petsc=["-pc_type", "quadrille_mg"])
        self.assertIn("unknowns coupled at their own node alone", screen)
        self.assertLess(record["iterations"], 60)


class CahnHilliard(Case):
    def test_the_order_in_space_is_two(self):
        for coarse, fine, sides in (("16x12", "32x24", "clamp"), ("16x12", "32x24", "periodic"),
                                    ("10x8x12", "20x16x24", "clamp,clamp,clamp,clamp,periodic,periodic")):
            order = self.order(coarse, fine, "cahn_hilliard", *SHORT, "--boundary", sides)
            self.assertAlmostEqual(order, 2, delta=0.2, msg=(coarse, sides))
        order = self.order("16x12", "32x24", "cahn_hilliard", *SHORT, "--parameter", "e=0.2")
        self.assertAlmostEqual(order, 2, delta=0.2)

    # Noise of the grid's own width would fade in h^4/e^2, which no step resolves; ILU stands still there.
    def test_it_begins_on_fine_grids(self):
        for grid, sides in (("128x96", "periodic"), ("90x128", "clamp"), ("320x14", "periodic")):
            record, _ = self.solved("cahn_hilliard", "--grid", grid, "--boundary", sides, "--until", "1e-5",
                                    petsc=())
            self.assertEqual(record["preconditioner"], "quadrille_mg")
            self.assertLess(record["steps"], 40)
            self.assertLess(record["iterations"], 8 * record["newton_iterations"])

    # Steps from 1e-12 to 1e-5 s: the preconditioner follows them, and its sweeps are stable at all of them.
    def test_krylov_iterations_stay_few_as_steps_grow(self):
        record, _ = self.solved("cahn_hilliard", "--grid", "160x12", "--until", "5e-4", petsc=())
        self.assertLess(record["iterations"], 6 * record["newton_iterations"])
        kept, _ = self.solved("cahn_hilliard", "--grid", "160x12", "--until", "5e-4",
                              petsc=["-snes_lag_preconditioner", "10"])
        self.assertLess(record["iterations"], kept["iterations"])

    # With a spacing so wide that Crank and Nicolson's steps resolve what fades: they damp nothing else.
    def test_the_order_in_time_is_two(self):
        for method, grid, sides in (("bdf", "8x7", "clamp"), ("cn", "8x7", "periodic"),
                                    ("bdf", "5x4x4", "clamp")):
            run = ["cahn_hilliard", "--grid", grid, "--spacing", "2", "--boundary", sides]
            found = self.order_in_time(*run, name="c",
                                       petsc=["-ts_type", method, "-pc_type", "lu", "-snes_rtol", "1e-12"])
            self.assertAlmostEqual(found, 2, delta=0.2, msg=(method, grid, sides))


class Transport(Case):
    def test_the_order_in_space_is_two(self):
        for arguments in (["--steady", "--boundary", "outflow"], ["--steady", "--boundary", "value:0,outflow,periodic,periodic"], [*SHORT, "--boundary", "drop"],
                          ["--steady", "--boundary", "value:0", "--parameter", "v_x=0,v_y=-0.7,d=0.05,k=3"]):
            self.assertAlmostEqual(self.order("32x32", "64x64", "transport", "--dof", "2", *arguments), 2, delta=0.2, msg=arguments)
        sides = ["--boundary", "value:0,outflow,clamp,clamp,value:0,value:0", "--spacing", "0.03,0.06,0.06"]
        finer = [*sides[:3], "0.015,0.03,0.03"]
        errors = [self.solved("transport", "--grid", grid, *of, "--steady", "--manufactured")[0]["error_l2"]
                  for grid, of in (("11x6x5", sides), ("23x12x11", finer))]
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.15, msg=errors)

    def test_steady_advection_converges_where_coarse_grids_cannot_show_it(self):
        record, _ = self.solved("transport", "--grid", "32x32x32", "--dof", "3", "--steady")
        self.assertEqual(record["preconditioner"], "quadrille_mg")
        self.assertLess(record["iterations"], 80)

    # Which is far enough for a stream that other work slows down.
    def test_how_far_a_residual_is_from_the_floor_is_told(self):
        record, screen = self.solved("transport", "--grid", "40x40x40", "--dof", "4", "--steps", "1", "--dt", "1e-3", "--space", "cpu")
        self.assertGreater(record["residual_fraction_of_floor"], 0)
        self.assertLess(record["residual_fraction_of_floor"], 1)
        self.assertRegex(screen, r"ms per residual \(\d.* times the floor\); ")

    # Of steps with multigrid, of one split into parts by it, of Newton's iterations, and of point blocks; and
    # of a run that goes on from a checkpoint, by what it made itself.
    def test_how_far_steps_are_from_the_floor_is_told(self):
        more = "cycle_ms bytes_per_unknown_iteration setup_again_ms".split()
        out = self.path("u.h5")
        for with_multigrid, arguments, petsc in (
                (True, ["heat", "--grid", "40x40x40", "--steps", "6", "--dt", "1e-3", "--output", out, "--checkpoint-every", "3"], []),
                (True, ["heat", "--grid", "40x40x40", "--steps", "9", "--dt", "1e-3", "--output", out, "--restart", "auto"], []),
                (True, ["bratu", "--grid", "120x120"], []), (False, ["poroelastic", "--grid", "40x40"], []),
                (False, ["gray_scott", "--grid", "120x120", "--steps", "2", "--dt", "1"], ["-pc_type", "pbjacobi"])):
            record, screen = self.solved(*arguments, "--space", "cpu", petsc=petsc)
            self.assertGreater(record["fraction_of_floor"], 0, arguments)
            self.assertLess(record["fraction_of_floor"], 1, arguments)
            self.assertRegex(screen, r"; the solve takes \d.* times the floor of what it must move\n")
            for name in more:
                if with_multigrid:
                    self.assertGreater(record[name], 0, (name, arguments))
                else:
                    self.assertNotIn(name, record, arguments)
            self.assertEqual("a cycle takes" in screen, with_multigrid, screen)

    # Species that become each other and go nowhere, and one that nothing takes away.
    def test_a_steady_state_that_does_not_exist_is_refused(self):
        run = ["transport", "--grid", "20x20", "--steady"]
        for more in (["--parameter", "k=0"], ["--dof", "2", "--reaction", "1,-3,-1,3"],
                     ["--dof", "2", "--parameter", "k=0", "--boundary", "value:0/clamp,clamp,clamp,clamp"]):
            self.refused(2, ["no face fixes a value of some species", "R u is 0"], "solve", *run, *more)
        self.solved(*run, "--dof", "2", "--reaction", "1,-3,-1,3.5")
        self.solved(*run, "--parameter", "k=0", "--boundary", "value:0,clamp,clamp,clamp")
        _, screen = self.solved(*run, "--parameter", "k=0", "--source", "sin(2*pi*x)", petsc=["-ksp_rtol", "1e-8"])
        self.assertIn("u is known but for these", screen)

    # All numbers of a chain of species, with no face that lets any out, are not to be had in fp32.
    def test_cycles_go_on_in_fp64_where_fp32_makes_no_headway(self):
        record, screen = self.solved("transport", "--grid", "16x30", "--dof", "8", "--steady", "--boundary", "clamp", "--space", "cpu",
                                     petsc=["-pc_type", "quadrille_mg"])
        self.assertIn("with jacobi in fp64", screen)
        self.assertLess(record["iterations"], 150)

    def test_multigrid_says_what_it_made_once(self):
        for arguments in (["--steady"], ["--steps", "2", "--dt", "0.01"]):
            _, screen = self.solved("transport", "--grid", "24x24", *arguments, petsc=["-pc_type", "quadrille_mg"])
            self.assertEqual(screen.count("multigrid: "), 1, screen)
            self.assertRegex(screen, r"\nmultigrid: (\d levels, 24x24 to .*V\(2,2\)( with jacobi)?|1 level, .*) in fp\d\d\n")

    def test_conjugate_gradients_are_not_for_advection(self):
        self.refused(1, ["did not converge", "-ksp_type cg is for symmetric operators", "choose fgmres"], "solve", "transport", "--steady",
                     "--grid", "24x24x24", "--", "-ksp_type", "cg")

    def test_the_order_in_time_is_the_methods(self):
        for method, grid, until, order in (("bdf", "26x8", 0.4, 2), ("beuler", "26x8", 0.4, 1), ("bdf", "26x5x4", 0.2, 2)):
            found = self.order_in_time("transport", "--grid", grid, "--boundary", "value:0", "--dof", "2", until=until,
                                       petsc=["-ts_type", method, *EXACT])
            self.assertAlmostEqual(found, order, delta=0.3, msg=(method, grid))

    # By Crank and Nicolson on a periodic grid: the means are those of Bateman, and a Fourier mode of species
    # 0 is multiplied in each step by what the differences make of it.
    def test_species_decay_move_and_spread(self):
        n, steps, dt, v, d = 32, 10, 0.05, (1, 0.5), 0.02
        (u,) = self.fields("transport", "--grid", f"{n}x{n}", "--dof", "3", "--steps", str(steps), "--dt", str(dt),
                           petsc=["-ts_type", "cn", *EXACT])
        u = u.squeeze()  # [step][y][x][species]
        t, k = steps * dt, (1, 1 / 2, 1 / 3)
        e = [math.exp(-rate * t) for rate in k]
        bateman = (e[0], k[0] / (k[1] - k[0]) * (e[0] - e[1]),
                   k[0] * k[1] * sum(e[i] / math.prod(k[j] - k[i] for j in range(3) if j != i) for i in range(3)))
        for r in range(3):
            self.assertAlmostEqual(u[-1, ..., r].mean() / u[0, ..., 0].mean(), bateman[r], delta=2e-4)
        mode = [sum(step[y, x, 0] * cmath.exp(-2j * math.pi * (x + y) / n) for y in range(n) for x in range(n)) for step in u]
        angle, h = 2 * math.pi / n, 1 / n
        rate = k[0] + sum(1j * one * math.sin(angle) / h + d * (2 - 2 * math.cos(angle)) / h**2 for one in v)
        factor = ((1 - rate * dt / 2) / (1 + rate * dt / 2)) ** steps
        self.assertGreater(abs(mode[0]), 1)
        self.assertAlmostEqual(abs(mode[-1] / mode[0] - factor), 0, delta=1e-8)

    # Central differences would swing here.
    def test_upwind_keeps_between_the_bounds_on_coarse_grids(self):
        arguments = ["transport", "--grid", "10x12", "--boundary", "outflow", "--steps", "5", "--dt", "0.05"]
        for other, axes in ([], "x, y"), (["--parameter", "v_x=-1,v_y=0"], "x"):
            self.assertIn(f"along {axes} upwind, of order 1", self.solved(*arguments, *other)[1])
            (u,) = self.fields(*arguments, *other, petsc=["-ts_type", "beuler", *EXACT])
            self.assertGreaterEqual(u.min(), -1e-9)
            self.assertLessEqual(u.max(), 1 + 1e-9)
        u = u[-1].squeeze()
        self.assertLess(abs(u - u[::-1]).max(), 1e-9)  # nothing moves along y
        self.assertGreater(u[5, 2], 2 * u[5, 7])  # and all of it towards x = 0
        self.assertIn("order 2\n", self.solved("transport", "--grid", "32x32", *SHORT)[1])

    def test_what_does_not_go_together(self):
        for words, arguments in ((["--until", "--steady"], ["transport", "--steady", "--until", "1"]),
                                 (["--steady", "transport"], ["heat", "--steady"]),
                                 (["value:0", "transport"], ["transport", "--manufactured", "--boundary", "flux:1"])):
            self.refused(2, words, "solve", *arguments)
        text = self.ok("solve", "transport", "--grid", "20x10", "--steady", "--parameter", "v_y=0,k=3", "--validate")
        config = self.path("t.ini", text)
        self.assertEqual(self.ok("solve", "--config", config, "--validate"), text)
        self.assertIn("\nparameter = v_x=1,v_y=0,v_z=0.25,d=0.02,k=3\n", text)
        self.assertIn("=0,v_z=0.25,d=1,k=3\n", self.ok("solve", "--config", config, "--parameter", "d=1", "--validate"))
        text = self.ok("solve", "gray_scott", "--dof", "2", "--config", config, "--validate")
        self.assertIn("\nparameter = F=0.024,k=0.06,", text)  # that k is another one
        self.refused(2, ["no.ini: parameter", "has no parameter 'k'"], "solve", "bratu", "--config", self.path("no.ini", "parameter = k=3"))


class Poroelastic(Case):
    LOAD = ["--boundary", "periodic,periodic,robin:1,0,0/robin:1,0,0/clamp/clamp,clamp/flux:-1/robin:1,0,0/clamp"]
    LU = ["-pc_type", "lu", "-snes_rtol", "1e-11"]

    def test_the_order_in_space_is_two(self):
        for sides in ("value:0", "value:0,value:0,periodic,periodic"):
            order = self.order("14x14", "28x28", "poroelastic", *SHORT, "--boundary", sides)
            self.assertAlmostEqual(order, 2, delta=0.2, msg=sides)
        # So long that the pressure's layers at faces, of sqrt(2 t) m or so, are wider than the spacing: in
        # short steps these few nodes see 1.71.
        order = self.order("5x5x5", "11x11x11", "poroelastic", "--steps", "4", "--dt", "1e-2")
        self.assertAlmostEqual(order, 2, delta=0.15)
        order = self.order("14x14", "28x28", "poroelastic", *SHORT, "--parameter", "lambda=3,mu=0.5,alpha=0.7,S=0.5,K=2")
        self.assertAlmostEqual(order, 2, delta=0.2)

    # u and p begin as the differences have them, so that the first step may be short.
    def test_steps_may_be_as_short_as_they_like(self):
        self.assertAlmostEqual(self.order("12x12", "24x24", "poroelastic"), 2, delta=0.2)

    def test_the_order_in_time_is_two(self):
        for grid in ("7x6", "5x4x3"):
            found = self.order_in_time("poroelastic", "--grid", grid, name="p", petsc=self.LU)
            self.assertAlmostEqual(found, 2, delta=0.3, msg=grid)

    # A column of 1 m, loaded with 1 Pa and drained at its top.
    def test_terzaghis_consolidation(self):
        n, storage, stiffness = 32, 0.1, 3
        p, u, t = self.fields("poroelastic", "--grid", f"3x{n}", "--spacing", str(1 / n), *self.LOAD, "--until", "0.2",
                              "--output-every", "0.05s", names=("p", "u_y", "time"), petsc=[])
        c, at_first = 1 / (storage + 1 / stiffness), 1 / (1 + storage * stiffness)
        waves = [(2 * k + 1) * math.pi / 2 for k in range(100)]
        self.assertEqual(len(t), 5)
        for step, time_s in enumerate(t):
            p_now = p[step].reshape(n, 3)
            self.assertLess(abs(p_now[:, 0] - p_now[:, 2]).max(), 1e-6)
            if time_s == 0:  # but for the layer at the top
                self.assertLess(abs(p_now[:-8, 0] - at_first).max(), 0.01 * at_first)
                continue
            fades = [math.exp(-w**2 * c * time_s) for w in waves]
            depth = [(n - 0.5 - i) / n for i in range(n)]
            series = [at_first * sum(2 / w * math.sin(w * z) * fade for w, fade in zip(waves, fades)) for z in depth]
            self.assertLess(max(abs(p_now[i, 0] - series[i]) for i in range(n)), 2e-3, time_s)
            settled = (1 - at_first * sum(2 / w**2 * fade for w, fade in zip(waves, fades))) / stiffness
            self.assertAlmostEqual(-u[step].reshape(n, 3)[-1, 0], settled, delta=0.02)  # half a spacing below the top
            self.assertTrue((p_now[1:, 0] <= p_now[:-1, 0] + 1e-6).all())  # it falls upwards, and does not swing

    # Whatever the step, the grid and what the fluid stores; also of a column whose load is put on at once.
    def test_krylov_iterations_are_few(self):
        for grid in ("40x36", "96x80", "12x11x10"):
            for storage, dt in ((0, "1e-6"), (0.1, "1e-6"), (0.1, "1e-2"), (1, "1e-3")):
                record, _ = self.solved("poroelastic", "--grid", grid, "--steps", "2", "--dt", dt,
                                        "--parameter", f"S={storage}", petsc=())
                self.assertEqual(record["preconditioner"], "fieldsplit")
                self.assertLessEqual(record["iterations"], 16 * record["newton_iterations"], (grid, storage, dt))
        out = self.ok("solve", "poroelastic", "--grid", "32x64", "--spacing", "0.015625", *self.LOAD, "--steps", "1",
                      "--", "-at_first_ksp_converged_reason")
        self.assertLessEqual(int(re.search(r"at_first_ solve converged .* iterations (\d+)", out)[1]), 20)

    def test_what_it_does_not_take(self):
        self.refused(2, ["displacement along x", "poroelastic"], "solve", "poroelastic", "--boundary", "clamp")
        self.refused(2, ["--dof", "--dof 5"], "solve", "poroelastic", "--grid", "6x6x6", "--dof", "3")


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=["cli_pdes_in_time_test"])
