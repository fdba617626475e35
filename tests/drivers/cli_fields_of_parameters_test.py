"""`quadrille solve` with --parameter NAME=FORMULA or FILE.h5:DATASET, and --reaction."""
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

EXACT = ["--", "-snes_rtol", "1e-12", "-ksp_rtol", "1e-12"]


def slope(f, axis, step=1e-3):
    """df/dx or df/dy of f(x, y), of order 4."""
    def at(by):
        return (lambda x, y: f(x + by, y)) if axis == 0 else (lambda x, y: f(x, y + by))
    return lambda x, y: (8 * (at(step)(x, y) - at(-step)(x, y)) - at(2 * step)(x, y) + at(-2 * step)(x, y)) / (12 * step)


def divergence(a, u):
    """div(a grad u)."""
    parts = [slope(lambda x, y, g=slope(u, axis): a(x, y) * g(x, y), axis) for axis in (0, 1)]
    return lambda x, y: parts[0](x, y) + parts[1](x, y)


@unittest.skipIf(h5py is None, "no h5py or numpy")
class FieldsOfParameters(CliTest):
    def solved(self, *arguments, names=("solution",)):
        path, out = self.path("u.h5"), self.path("u.json")
        if os.path.exists(path):
            os.remove(path)
        screen = self.ok("solve", "--output", path, "--json", out, "--space", "cpu", *arguments)
        with h5py.File(path) as file, open(out) as records:
            return [file[name][...] for name in names], json.load(records)["records"][0], screen

    # 0 where nothing but rounding is between them.
    def apart(self, one, other):
        return max(abs(a - b).max() / abs(a).max() for a, b in zip(one, other))

    def test_the_same_number_everywhere_is_the_number(self):
        short = ["--steps", "3", "--dt", "0.01"]
        for run, numbers, names in (
                (["elasticity", "--grid", "9x8x7"], {"lambda": 3, "mu": 2}, ["solution"]),
                (["transport", "--grid", "12x9", "--dof", "3", *short], {"v_x": 3, "v_y": -0.5, "d": 0.1, "k": 4}, ["solution"]),
                (["transport", "--grid", "9x8x7", "--dof", "2", "--steady", "--boundary", "value:0"], {"v_x": -3, "v_z": 1, "d": 0.01}, ["solution"]),
                (["gray_scott", "--grid", "16x13", "--steps", "3", "--dt", "1", "--boundary", "flux:0.1"],
                 {"F": 0.03, "k": 0.05, "D_u": 2e-3, "D_v": 1e-3}, ["u", "v"]),
                (["bratu", "--grid", "13x12"], {"lambda": 5}, ["solution"]),
                (["poroelastic", "--grid", "9x10", *short, "--boundary", "value:0,value:0,robin:1,2,3,flux:1"],
                 {"lambda": 2, "mu": 3, "S": 0.4, "K": 5}, ["u_x", "u_y", "p", "zeta"]),
                (["poroelastic", "--grid", "5x6x5", *short], {"K": 5}, ["u_z", "p"])):
            given = [",".join(f"{name}={number}{more}" for name, number in numbers.items()) for more in ("", " + 0*x")]
            (a, record, _), (b, of_fields, screen) = (self.solved(*run, "--parameter", text, *EXACT, names=names) for text in given)
            self.assertLess(self.apart(a, b), 1e-9, run)
            self.assertEqual({name: record["parameters"][name] for name in numbers}, numbers)
            for name, number in numbers.items():
                self.assertEqual(of_fields["parameters"][name], f"{number} + 0*x")
                self.assertIn(f"\n{name} = {number} + 0*x: {number:.4g} to {number:.4g}\n", screen)

    def test_formulas_are_the_numbers_of_a_file(self):
        y, x = numpy.mgrid[0:9, 0:11] / 8
        path = self.datasets(v=numpy.where(x < 0.5, y, -y), d=numpy.maximum(0.1, x * y))
        run = ["transport", "--spacing", "0.125", "--steps", "3", "--dt", "0.01", "--parameter"]
        formulas, _, _ = self.solved(*run, "v_x=if,d=max(0.1, x*y)".replace("if", "x < 0.5 ? y : -y"), "--grid", "11x9")
        datasets, _, _ = self.solved(*run, f"v_x={path}:v,d={path}:d")
        self.assertTrue(numpy.array_equal(formulas, datasets))
        plain, _, _ = self.solved(*run, "k=1", "--grid", "11x9")
        self.assertGreater(abs(plain[0] - formulas[0]).max(), 1e-3)

    # The error against a solution that the source makes one, on two grids of the unit square with 0 around it.
    def order(self, run, fields, source, exact, names=("solution",), grids=(15, 31)):
        errors = []
        for n in grids:
            h = 1 / (n + 1)
            y, x = numpy.mgrid[1:n + 1, 1:n + 1] * h
            values = {name: f(x, y) + 0 * x for name, f in fields.items()}
            values["f"] = numpy.stack([f(x, y) + 0 * x for f in source], axis=-1)[numpy.newaxis]
            values["u"] = numpy.stack([u(x, y) for u in exact], axis=-1)[numpy.newaxis]
            path = self.datasets(**values)
            pde, *rest = run
            begin = [] if pde == "elasticity" else ["--initial", path + ":u"]
            found, _, _ = self.solved(pde, "--spacing", str(h), "--source", path + ":f", *begin, "--parameter",
                                      ",".join(f"{name}={path}:{name}" for name in fields), *rest, names=names)
            last = numpy.concatenate([u[-1].reshape(n, n, -1) for u in found], axis=-1)
            errors.append(abs(last - values["u"][0]).max())
        return math.log2(errors[0] / errors[1])

    def test_the_order_in_space_is_two(self):
        bump = lambda x, y: numpy.sin(math.pi * x) * numpy.sin(math.pi * y)  # noqa: E731
        more = lambda x, y: numpy.sin(2 * math.pi * x) * numpy.sin(math.pi * y)  # noqa: E731
        wave = lambda x, y: 1 + 0.5 * numpy.sin(3 * x + 2 * y)  # noqa: E731
        tilt = lambda x, y: 0.5 + x * y  # noqa: E731
        decay = lambda x, y: 1 + x  # noqa: E731
        with self.subTest("bratu"):
            f = lambda x, y: -divergence(lambda *_: 1, bump)(x, y) - tilt(x, y) * numpy.exp(bump(x, y))  # noqa: E731
            self.assertAlmostEqual(self.order(["bratu", *EXACT], {"lambda": tilt}, [f], [bump]), 2, delta=0.15)
        with self.subTest("transport"):
            def advected(u):
                return lambda x, y: (numpy.cos(y) * slope(u, 0)(x, y) + x * slope(u, 1)(x, y) - divergence(wave, u)(x, y))
            first = lambda x, y: advected(bump)(x, y) + decay(x, y) * bump(x, y)  # noqa: E731
            second = lambda x, y: advected(more)(x, y) + decay(x, y) * (more(x, y) / 2 - bump(x, y))  # noqa: E731
            run = ["transport", "--dof", "2", "--steady", "--boundary", "value:0", *EXACT]
            fields = {"v_x": lambda x, y: numpy.cos(y) + 0 * x, "v_y": lambda x, y: x, "d": wave, "k": decay}
            # d of the face is that of the first node, which comes to order 2 from below.
            found = self.order(run, fields, [first, second], [bump, more], grids=(31, 63))
            self.assertAlmostEqual(found, 2, delta=0.2)
        with self.subTest("gray_scott"):
            reaction = lambda x, y: bump(x, y) * more(x, y)**2  # noqa: E731
            first = lambda x, y: reaction(x, y) - divergence(wave, bump)(x, y) - decay(x, y) * (1 - bump(x, y))  # noqa: E731
            second = lambda x, y: -reaction(x, y) - divergence(tilt, more)(x, y) + (decay(x, y) + tilt(x, y)) * more(x, y)  # noqa: E731
            run = ["gray_scott", "--boundary", "value:0", "--steps", "4", "--dt", "0.1", *EXACT]
            fields = {"F": decay, "k": tilt, "D_u": wave, "D_v": tilt}
            self.assertAlmostEqual(self.order(run, fields, [first, second], [bump, more], names=("u", "v")), 2, delta=0.15)
        with self.subTest("elasticity"):
            u, lame, mu = [bump, more], wave, tilt
            spread = lambda x, y: lame(x, y) * (slope(bump, 0)(x, y) + slope(more, 1)(x, y))  # noqa: E731
            force = []
            for r in (0, 1):
                parts = [slope(spread, r)] + [slope(lambda x, y, a=slope(u[r], c), b=slope(u[c], r): mu(x, y) * (a(x, y) + b(x, y)), c)
                                              for c in (0, 1)]
                force.append(lambda x, y, parts=parts: -sum(part(x, y) for part in parts))
            self.assertAlmostEqual(self.order(["elasticity", *EXACT], {"lambda": lame, "mu": mu}, force, u), 2, delta=0.15)

    # Layers across the flow: the pressure of the steady state is that of resistances one after the other.
    def test_darcys_flow_through_layers(self):
        n = 12
        k = numpy.where(numpy.arange(n) < 5, 1.0, 0.01)
        held, out = "value:0/value:0/value:0/value:0", "value:0/value:0/value:1/value:0"
        (p,), record, _ = self.solved("poroelastic", "--grid", f"{n}x4", "--spacing", "0.1", "--boundary",
                                      f"{held},{out},periodic,periodic", "--parameter", "K=x < 0.45 ? 1 : 0.01", "--until", "2000",
                                      "--", "-ts_rtol", "1e-6", "-ts_atol", "1e-6", names=["p"])
        resistance = numpy.concatenate([[1 / k[0]], (1 / k[1:] + 1 / k[:-1]) / 2, [1 / k[-1]]])
        self.assertLess(abs(p[-1, 0, :, :, 0] - (numpy.cumsum(resistance) / resistance.sum())[:-1]).max(), 1e-5)

    # An unknown without derivatives, as what the fluid's pressure stores, follows the one that it is made of onto
    # coarser grids.
    def test_multigrid_takes_jumps(self):
        for pde, text in (("poroelastic", "K=x < 0.5 ? 1 : 0.001"), ("poroelastic", "K=(x-0.5)^2 + (y-0.5)^2 < 0.1 ? 1e-4 : 1,S=1+y")):
            _, record, _ = self.solved(pde, "--grid", "40x36", "--parameter", text, names=["p"])
            self.assertLess(record["iterations"], 16 * record["newton_iterations"], text)
        for text in ("mu=(x-10)^2 + (y-9)^2 + (z-8)^2 < 25 ? 1000 : 1", "lambda=z < 8 ? 1 : 300,mu=z < 8 ? 1 : 200"):
            _, record, _ = self.solved("elasticity", "--grid", "20x18x16", "--parameter", text)
            self.assertLess(record["iterations"], 25, text)

    # A bar whose sides do not press (lambda = 0) hangs on a wall, one spacing before its first node, and ends half a
    # spacing behind its last; and one that a traction pulls.
    def test_a_body_that_ends_by_itself(self):
        n, h, mu, weight = 39, 0.1, 5.0, 3.0
        x = numpy.arange(1, n + 1) * h
        length = (n + 0.5) * h
        run = ["elasticity", "--grid", f"{n}x6", "--spacing", str(h), "--parameter", f"lambda=0,mu={mu}", "--boundary"]
        (u,), record, _ = self.solved(*run, "value:0,flux:0,flux:0,flux:0", "--source", f"{weight}, 0", *EXACT)
        exact = weight / (2 * mu) * (length * x - x**2 / 2)
        self.assertLess(abs(u[0, 0, :, :, 0] - exact).max(), 1e-3 * exact.max())
        self.assertLess(abs(u[0, 0, :, :, 1]).max(), 1e-9)
        self.assertLess(record["iterations"], 40)
        (u,), _, _ = self.solved(*run, "value:0,flux:2/flux:0,flux:0,flux:0", "--source", "0", *EXACT)
        self.assertLess(abs(u[0, 0, :, :, 0] - 2 / (2 * mu) * x).max(), 1e-9)
        # In 3D, and with moduli of layers across: stresses one behind the other.
        (u,), _, _ = self.solved("elasticity", "--grid", "8x4x5", "--parameter", "lambda=0,mu=x < 3.5 ? 1 : 4", "--boundary",
                                 "value:0,flux:{1}/flux:0/flux:0,flux:0,flux:0,flux:0,flux:0", "--source", "0", *EXACT)
        steps = numpy.array([1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 5, 1 / 8, 1 / 8, 1 / 8])
        self.assertLess(abs(u[0, :, :, :, 0] - numpy.cumsum(steps)).max(), 1e-9)
        for sides, words in (("flux:0", ["no face holds the body"]), ("value:0,flux:0/value:0,flux:0,flux:0", ["or the latter"]),
                             ("value:0,clamp,flux:0,flux:0", ["value:X, drop, periodic, flux:X and robin"])):
            self.refused(2, words, "solve", "elasticity", "--grid", "8x8", "--boundary", sides)

    def test_what_is_wrong_gets_a_sentence(self):
        line = self.datasets(line=numpy.ones((5, 4)), vector=numpy.ones((1, 1, 4, 5, 3)))
        for arguments, words in (
                (["bratu", "--parameter", "lambda=q"], ["--parameter: lambda 'q'", "must be a number, FILE.h5:DATASET or a formula", "position 0"]),
                (["bratu", "--parameter", "lambda=t"], ["in x, y and z;"]), (["bratu", "--parameter", "lambda=x,y"], ["write NAME=VALUE"]),
                (["bratu", "--parameter", "lambda=max(x,y,"], ["lambda 'max(x,y,'"]),
                (["elasticity", "--coefficient", "1+x"], ["belongs to solve diffusion or heat", "--parameter lambda=1+x"]),
                (["cahn_hilliard", "--coefficient", "1+x"], ["belongs to solve diffusion or heat"]),
                (["cahn_hilliard", "--parameter", "e=x"], ["'x' of e is no number"]),
                (["poroelastic", "--parameter", "alpha=x"], ["'x' of alpha is no number"]),
                (["transport", "--parameter", "d=1+x,d=2"], ["d is given twice"]),
                (["transport", "--parameter", "d=x", "--grid", "8x8"], ["d of transport is 0 at node (0, 0, 0)", "above 0"]),
                (["transport", "--parameter", "k=1-8*x", "--grid", "9x9"], ["k of transport is -", "at least 0"]),
                (["transport", "--parameter", "v_x=1/x", "--grid", "8x8"], ["v_x of transport is inf at node (0, 0, 0)", "finite"]),
                (["transport", "--parameter", "d=1+x", "--manufactured"], ["d is a field", "--manufactured"]),
                (["transport", "--parameter", f"k={line}:none"], ["none"]), (["transport", "--parameter", "k=no.h5:x"], ["no such file"]),
                (["transport", "--parameter", f"k={line}:line", "--grid", "5x5"], ["4x5 nodes", "leave --grid out"]),
                (["transport", "--parameter", f"k={line}:vector"], ["3 unknowns per node"]),
                (["elasticity", "--parameter", "lambda=-3*(x > 2)", "--grid", "8x8x8"], ["elasticity: somewhere lambda is -3 and mu 1"]),
                (["poroelastic", "--parameter", "lambda=-3*(x > 0.2)", "--grid", "8x8"], ["poroelastic: somewhere lambda is -3"])):
            with self.subTest(arguments=arguments):
                self.refused(2, words, "solve", *arguments)
        kept = ["solve", "bratu"]
        self.assertIn("\nparameter = lambda=6*(x < 1)\n", self.ok(*kept, "--parameter", "lambda=6*(x < 1)", "--validate"))
        config = self.path("run.ini", "pde = transport\nparameter = d=max(0.1, x),k=2\n")
        self.assertIn("k=3,d=max(0.1, x)\n", self.ok("solve", "--config", config, "--parameter", "k=3", "--validate"))

    def test_a_reaction_of_the_users(self):
        run = ["transport", "--dof", "3", "--steps", "3", "--dt", "0.01", "--grid", "12x9"]
        chain = "1,0,0,-1,0.5,0,0,-0.5," + repr(1 / 3)
        for more in ([], ["--parameter", "d=0.02+0*x"]):  # of numbers, and of fields
            own, _, _ = self.solved(*run, *more)
            given, record, screen = self.solved(*run, *more, "--reaction", chain)
            self.assertTrue(numpy.array_equal(own, given))
            self.assertNotIn("k", record["parameters"])
            self.assertIn("\nreaction: as given\n", screen)
            # A loop of three, in which nothing is lost.
            loop = numpy.array([[1, 0, -3], [-1, 2, 0], [0, -2, 3]])
            path = self.datasets(loop=loop, wide=numpy.ones((3, 4)))
            (numbers,), _, _ = self.solved(*run, *more, "--reaction", ",".join(map(str, loop.flatten())), *EXACT)
            (dataset,), _, _ = self.solved(*run, *more, "--reaction", path + ":loop", *EXACT)
            self.assertTrue(numpy.array_equal(numbers, dataset))
            sums = numbers.reshape(2, -1).sum(axis=1)
            self.assertAlmostEqual(sums[1] / sums[0], 1, delta=1e-10)
            self.assertGreater(abs(numbers - own[0]).max(), 1e-4)
        errors = [self.solved("transport", "--dof", "2", "--grid", f"{n}x{n}", "--manufactured", "--steady", "--reaction", "3,-1,0.5,2",
                              "--boundary", "value:0", *EXACT)[1]["error_l2"] for n in (31, 63)]
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.1)
        for arguments, words in ((["transport", "--reaction", "1,2"], ["has 2 numbers", "1 numbers row by row"]),
                                 (["transport", "--dof", "2", "--reaction", "1,2,3,x"], ["'x' is no number"]),
                                 (["transport", "--dof", "3", "--reaction", path + ":wide"], ["as many rows and columns"]),
                                 (["transport", "--dof", "3", "--reaction", path + ":none"], ["none"]),
                                 (["transport", "--reaction", "1", "--parameter", "k=2"], ["k is what --reaction stands for"]),
                                 (["transport", "--reaction", "1", "--parameter", "k=x"], ["k is what --reaction stands for"]),
                                 (["heat", "--reaction", "1"], ["belongs to solve transport"])):
            with self.subTest(arguments=arguments):
                self.refused(2, words, "solve", *arguments)

    def test_a_checkpoint_is_of_its_fields(self):
        run = ["solve", "transport", "--grid", "9x8", "--dt", "0.01", "--output", self.path("k.h5"), "--checkpoint-every", "1"]
        self.ok(*run, "--steps", "1", "--parameter", "d=0.1+x")
        last = ["--steps", "2", "--restart", "auto"]
        self.refused(2, ["d 0.1+x"], *run, *last, "--parameter", "d=0.2+x")
        self.ok(*run, *last, "--parameter", "d=0.1+x")


if __name__ == "__main__":
    unittest.main(verbosity=2)
