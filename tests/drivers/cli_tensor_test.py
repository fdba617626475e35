"""`quadrille solve diffusion` and `heat` with a tensor for coefficient: the order of the error, files, and what is refused."""
import math
import unittest

from cli_case import CliTest, of_numbers

try:
    import h5py
    import numpy
except ImportError:
    h5py = None


def total(*terms):
    return "(" + " + ".join(terms) + ")"


def product(*factors):
    return "*".join(f"({factor})" for factor in factors)


@unittest.skipIf(h5py is None, "no h5py or numpy")
class Tensors(CliTest):
    def solved(self, *arguments):
        self.ok("solve", "diffusion", *arguments, "--output", self.path("u.h5"), "--", "-ksp_rtol", "1e-10")
        with h5py.File(self.path("u.h5")) as file:
            return file["solution"][0, ..., 0]

    # -div(K grad u) of u = prod over axes sin(pi X), X = x + h, which is 0 on all faces: K and its
    # derivatives as formulas.
    def dirichlet_error(self, dimension, n, entries, slopes):
        h = 1 / (n + 1)
        place = [f"({axis} + {h!r})" for axis in "xyz"[:dimension]]
        fill = lambda text: text.replace("X", place[0]).replace("Y", place[1]).replace("Z", place[-1])
        terms = []
        for a in range(dimension):
            for b in range(dimension):
                name = "".join(sorted("XYZ"[a] + "XYZ"[b]))
                if name not in entries:
                    continue
                sine = lambda axis, count: f"{'cos' if count == 1 else 'sin'}(pi*{place[axis]})"
                count = lambda axis, *of: sum(axis == other for other in of)
                u_b = product("pi", *(sine(c, count(c, b)) for c in range(dimension)))
                sign = "-1" if a == b else "1"
                u_ab = product("pi^2", sign, *(sine(c, count(c, a, b)) for c in range(dimension)))
                terms += [product(entries[name], u_ab), product(slopes.get((name, a), "0"), u_b)]
        names = ["XX", "XY", "YY"] if dimension == 2 else ["XX", "XY", "XZ", "YY", "YZ", "ZZ"]
        u = self.solved("--grid", "x".join([str(n)] * dimension), "--spacing", repr(h), "--boundary", "value:0", "--coefficient",
                        ", ".join(fill(entries.get(name, "0")) for name in names), "--source", fill("-" + total(*terms)))
        line = numpy.sin(math.pi * h * numpy.arange(1, n + 1))
        exact = numpy.einsum("i,j->ij", line, line)[None] if dimension == 2 else numpy.einsum("i,j,k->ijk", line, line, line)
        return abs(u - exact).max()

    @of_numbers
    def test_order_between_faces_of_values(self):
        flat = {"XX": "2 + sin(3*X)", "XY": "0.9*cos(X + 2*Y)", "YY": "1 + Y*Y"}
        slopes = {("XX", 0): "3*cos(3*X)", ("XY", 0): "-0.9*sin(X + 2*Y)", ("XY", 1): "-1.8*sin(X + 2*Y)", ("YY", 1): "2*Y"}
        coarse, fine = (self.dirichlet_error(2, n, flat, slopes) for n in (95, 191))  # 1.83 from 23 to 47
        self.assertLess(abs(math.log2(coarse / fine) - 2), 0.1, (coarse, fine))
        self.assertLess(fine, 1e-3)
        solid = {"XX": "2 + Z", "XY": "0.7*cos(X)", "XZ": "0.5*Y", "YY": "2", "YZ": "0.6*sin(Z)", "ZZ": "1.5 + X*Y"}
        slopes = {("XY", 0): "-0.7*sin(X)", ("YZ", 2): "0.6*cos(Z)"}
        coarse, fine = (self.dirichlet_error(3, n, solid, slopes) for n in (11, 23))
        self.assertLess(abs(math.log2(coarse / fine) - 2), 0.1, (coarse, fine))
        self.assertLess(fine, 0.02)

    # u = sin(2 pi (x - c y)) + cos(pi y), c = K0_xy/K0_yy, K = a(x, y) K0: no flux through y = 0 and 1,
    # around along x. The slope along y does not vanish there, so that K_xy matters at the faces.
    def closed_error(self, n):
        h, (xx, xy, yy), c = 1 / n, (2, 0.5, 1), 0.5
        y = f"(y + {h / 2!r})"
        a = f"2 + sin(2*pi*x)*cos(2*{y})"
        a_x, a_y = f"2*pi*cos(2*pi*x)*cos(2*{y})", f"-2*sin(2*pi*x)*sin(2*{y})"
        wave = f"(2*pi*(x - {c}*{y}))"
        u_x, u_y = f"2*pi*cos{wave}", f"-{c}*2*pi*cos{wave} - pi*sin(pi*{y})"
        second = f"{xx - 2 * c * xy + c * c * yy}*(-4*pi^2*sin{wave}) - {yy}*pi^2*cos(pi*{y})"
        f = total(product(a, second), product(a_x, f"{xx}*({u_x}) + {xy}*({u_y})"), product(a_y, f"{xy}*({u_x}) + {yy}*({u_y})"))
        u = self.solved("--grid", f"{n}x{n}", "--spacing", repr(h), "--boundary", "periodic,periodic,clamp,clamp", "--coefficient",
                        ", ".join(product(a, str(k)) for k in (xx, xy, yy)), "--source", "-" + f)[0]
        y, x = numpy.mgrid[0:n, 0:n] * h
        y += h / 2
        exact = numpy.sin(2 * math.pi * (x - c * y)) + numpy.cos(math.pi * y)
        return abs(u - exact + exact.mean()).max()

    @of_numbers
    def test_order_at_closed_and_periodic_faces(self):
        coarse, fine = self.closed_error(24), self.closed_error(48)
        self.assertLess(abs(math.log2(coarse / fine) - 2), 0.1, (coarse, fine))
        self.assertLess(fine, 0.01)

    # u = exp(X/2) sin(2 Y + 1) with X, Y = x + h/2, y + h/2, which are 0 and 1 at faces of flux and robin:
    # their data, those of values and f by formulas.
    def error_between(self, n, *sides):
        h = 1 / n
        fill = lambda text, x, y: text.replace("X", x).replace("Y", y)
        places = f"(x + {h / 2!r})", f"(y + {h / 2!r})"
        at_faces = ("0", places[1]), ("1", places[1]), (places[0], "0"), (places[0], "1")
        sine, cosine = "exp(X/2)*sin(2*Y + 1)", "exp(X/2)*cos(2*Y + 1)"
        xx, xy, yy = "2 + sin(X)", "0.8*cos(X + Y)", "1.5 + Y"
        k_x, k_y = "cos(X) - 0.8*sin(X + Y)", "1 - 0.8*sin(X + Y)"  # the derivatives along K's rows
        f = total(product(xx, "-0.25", sine), product("-2", xy, cosine), product("4", yy, sine), product(k_x, "-0.5", sine),
                  product(k_y, "-2", cosine))
        flux = total(product(xx, "0.5", sine), product(xy, "2", cosine)), total(product(xy, "0.5", sine), product(yy, "2", cosine))
        written = []
        for face, side in enumerate(sides):
            if side == "value":
                written.append("value:{" + fill(sine, *places) + "}")
                continue
            a, b = (0, 1) if side == "flux" else side
            q = product("1" if face % 2 else "-1", flux[face // 2])
            data = fill(total(product(str(a), sine), product(str(b), q)), *at_faces[face])
            written.append("flux:{" + data + "}" if side == "flux" else f"robin:{a},{b}," + "{" + data + "}")
        u = self.solved("--grid", f"{n}x{n}", "--spacing", repr(h), "--boundary", ",".join(written), "--coefficient",
                        ", ".join(fill(k, *places) for k in (xx, xy, yy)), "--source", fill(f, *places))[0]
        y, x = (numpy.mgrid[0:n, 0:n] + 0.5) * h
        return abs(u - numpy.exp(x / 2) * numpy.sin(2 * y + 1)).max()

    @of_numbers
    def test_order_at_faces_of_flux_and_robin(self):
        for sides in [("value", "flux", (1, 2), "flux"), ((1, 2), (2, 1), (1, 0), "flux"), ((1, 0), (1, 0), (3, 0), "value"),
                      ((1, 0.01), "flux", (100, 1), (0, 2))]:
            coarse, fine = self.error_between(24, *sides), self.error_between(48, *sides)
            self.assertLess(abs(math.log2(coarse / fine) - 2), 0.15, (sides, coarse, fine))
            self.assertLess(fine, 1e-3)

    # sin(2 pi (x + y)) of a periodic grid decays at the rate 4 pi^2 (K_xx + 2 K_xy + K_yy).
    def decay_error(self, n, entries):
        until, steps, grid, sides = 0.01, 40, f"{n}x{n}", "periodic"
        rate = 4 * math.pi**2 * (entries[0] + 2 * entries[1] + entries[2])
        if len(entries) == 6:
            grid, sides = f"{n}x{n}x5", "periodic,periodic,periodic,periodic,clamp,clamp"
            rate = 4 * math.pi**2 * (entries[0] + 2 * entries[1] + entries[3])
        self.ok("solve", "heat", "--grid", grid, "--spacing", repr(1 / n), "--boundary", sides, "--coefficient", ", ".join(map(str, entries)),
                "--initial", "sin(2*pi*(x + y))", "--until", str(until), "--dt", str(until / steps), "--output", self.path("u.h5"),
                "--", "-ts_type", "cn", "-ts_adapt_type", "none", "-ksp_rtol", "1e-10")
        with h5py.File(self.path("u.h5")) as file:
            u = file["solution"][-1, 0 if len(entries) == 3 else 2, ..., 0]
        y, x = numpy.mgrid[0:n, 0:n] / n
        return abs(u - math.exp(-rate * until) * numpy.sin(2 * math.pi * (x + y))).max()

    @of_numbers
    def test_heat_decays_as_its_tensor_says(self):
        for entries in ([2, -0.5, 1], [2, -0.5, 0, 1, 0, 3]):  # without K_xz and K_yz: no flux through z
            coarse, fine = self.decay_error(16, entries), self.decay_error(32, entries)
            self.assertLess(abs(math.log2(coarse / fine) - 2), 0.1, (coarse, fine))
            self.assertLess(fine, 3e-3)

    def test_datasets_are_the_formulas(self):
        y, x = numpy.mgrid[0:5, 0:7] * 0.5
        k = numpy.stack([2 + x, 0.5 * numpy.sin(x), 1 + y], axis=-1)
        path = self.path("k.h5")
        with h5py.File(path, "w") as file:
            file["plane"], file["flat"] = k[None], k
            for i, name in enumerate(["xx", "xy", "yy"]):
                file[name] = k[..., i]
            file["solid"] = numpy.broadcast_to([3.0, 0.5, 0, 2, 0.25, 1], (3, 4, 5, 6))
            file["two"] = numpy.ones((3, 4, 5, 2))
            file["six_flat"] = numpy.ones((1, 4, 5, 6))
            file["narrow"] = numpy.ones((5, 7, 3))
        run = ["--spacing", "0.5", "--boundary", "value:0,clamp,clamp,value:1", "--coefficient"]
        formulas = self.solved("--grid", "7x5", *run, "2 + x, 0.5*sin(x), 1 + y")
        for given in ([path + ":plane"], [path + ":flat", "--grid", "7x5"], [f"{path}:xx,{path}:xy,{path}:yy"]):
            numpy.testing.assert_allclose(self.solved(*run, *given), formulas, rtol=1e-12, err_msg=str(given))
        numpy.testing.assert_allclose(self.solved("--coefficient", path + ":solid"),
                                      self.solved("--grid", "5x4x3", "--coefficient", "3, 0.5, 0, 2, 0.25, 1"), rtol=1e-12)
        # Without --grid this is one number a node in 3D, as ever.
        self.assertEqual(self.solved("--coefficient", path + ":narrow").shape, (5, 7, 3))
        # A tensor that is a number has what the number has.
        numpy.testing.assert_allclose(self.solved("--grid", "6x5", "--coefficient", "3, 0, 3"),
                                      self.solved("--grid", "6x5", "--coefficient", "3"), rtol=1e-8)
        for arguments, words in [
                ([path + ":two"], ["has 2 unknowns per node"]),
                ([path + ":six_flat"], ["has 6 unknowns per node", "a tensor 3 in 2D"]),
                (["1, 0, 1", "--grid", "4x4x4"], ["a tensor has 6, Kxx, Kxy, Kxz, Kyy, Kyz, Kzz"]),
                (["1, 0", "--grid", "4x4"], ["of one number"]),
                (["1, x, 1", "--grid", "4x4"], ["is (1, 1, 1) at node (1, 0, 0)", "positive definite"]),
                (["x, 0, x", "--grid", "4x4"], ["is (0, 0, 0) at node (0, 0, 0)", "without flow need a coefficient of one number"]),
                (["1, 0, 1", "--grid", "4x4", "--coefficient-ratio", "2"], ["--coefficient-ratio '2'", "does not go with a tensor"]),
                (["1, 0, 1", "--grid", "4x4", "--stencil", "star"], ["--stencil 'star'", "use box of radius 1"]),
                (["0.3, 0, 1", "--grid", "4x4", "--boundary", "robin:-1,0.6,0,drop,drop,drop"], ["different signs", "a is 0.3"]),
                (["1, 0, 1", "--grid", "4x4", "--manufactured"], ["--manufactured"])]:
            with self.subTest(arguments=arguments):
                self.refused(2, words, "solve", "diffusion", "--coefficient", *arguments)


if __name__ == "__main__":
    unittest.main(verbosity=2)
