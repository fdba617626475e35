"""`quadrille bench matrices`, and matrices in place of grids, from outside."""
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import unittest

from cli_case import CPU_FORMATS, CliTest, RECORD, WRONG_MATMULT

BANNER = "%%MatrixMarket matrix coordinate real "
SQUARE = BANNER + "symmetric\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n3 1 1\n"
WIDE = BANNER + "general\n3 4 4\n1 1 1.5\n2 4 2\n3 2 -1\n3 3 2\n"


class Matrices(CliTest):
    RUN = ["--space", "cpu", "--repetitions", "2"]
    SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../drivers/support/plot_bench.py")

    def bench(self, *arguments):
        """The report of a run that ends with 0, and its screen."""
        out = self.path("out.json")
        screen = self.ok("bench", "matrices", *self.RUN, *arguments, "--json", out)
        with open(out) as file:
            return json.load(file), screen

    def folder_of_two(self):
        os.mkdir(self.path("set"))
        self.path("set/square.mtx.gz", gzip.compress(SQUARE.encode()))
        self.path("set/wide.mtx", WIDE)
        return self.path("set")

    def test_every_format_on_generated_matrices_a_folder_and_a_grid(self):
        table = self.path("out.csv")
        report, screen = self.bench("--matrices", f"generated:60,{self.folder_of_two()}", "--grid", "6x5", "--dofs", "2", "--csv",
                                    table)
        self.assertEqual(list(report), ["machine", "command", "version", "date", "ceilings", "records", "summary"])
        names = ["dense:30", "permutation:60", "long_row:60", "power_law:60", "blocks:60", "banded:60", "mesh:60", "square", "wide",
                 "6x5 dof 2"]
        expected = [(precision, name, format) for precision in ["fp64", "fp32"] for name in names for format in CPU_FORMATS
                    if format != "petsc_aij" or precision == "fp64"]
        records = report["records"]
        self.assertEqual([(r["precision"], r["matrix"], r["format"]) for r in records], expected)
        for r in records:
            self.assertEqual(list(r), RECORD)
            self.assertEqual((r["bench"], r["space"]), ("matrices", "cpu"))
            if r["skipped"] is None:
                self.assertTrue(r["checked"] and r["error_over_bound"] <= 1, r)
        self.assertEqual([(r["matrix"], r["format"]) for r in records if r["skipped"]],
                         2 * [("wide", "cds"), ("wide", "compact"), ("wide", "stencil_table")])
        by_name = {r["matrix"]: r for r in records}
        self.assertEqual([by_name[name]["rows"] for name in names], [30, 60, 60, 60, 60, 60, 60, 3, 3, 60])
        self.assertEqual([by_name[name]["nnz"] for name in ["dense:30", "permutation:60", "square", "wide"]], [900, 60, 5, 4])
        self.assertEqual((by_name["square"]["operator"], by_name["square"]["grid"]), ("square.mtx.gz", ""))
        self.assertEqual((by_name["6x5 dof 2"]["operator"], by_name["6x5 dof 2"]["grid"]), ("random", "6x5"))
        with open(table) as file:
            self.assertEqual([row["matrix"] for row in csv.DictReader(file)], [r["matrix"] for r in records])
        for words in ["fp64, cpu: GFLOP/s", "fp32, cpu: GFLOP/s", "permutation:60", "cds, compact, stencil_table, 1 operator wide: block diagonals need",
                      "summary: fp32, cpu, 10 operators; speed-up over csr", "petsc"]:
            self.assertIn(words, screen)
        self.assertRegex(screen, r"\d\+")

    def test_the_summary_follows_from_the_records(self):
        report, _ = self.bench("--matrices", "generated:80,dense:3:7", "--format", "csr,ell,cds")
        self.assertEqual([s["title"] for s in report["summary"]], ["fp64, cpu", "fp32, cpu"])
        for summary, precision in zip(report["summary"], ["fp64", "fp32"]):
            times = {(r["matrix"], r["format"]): r["ms_median"] for r in report["records"]
                     if r["precision"] == precision and not r["skipped"]}
            operators = {name for name, _ in times}
            fastest = {name: min(ms for (other, _), ms in times.items() if other == name) for name in operators}
            self.assertEqual((summary["base"], summary["operators"]), ("csr", 8))
            self.assertEqual(sorted(m["method"] for m in summary["methods"]), ["cds", "csr", "ell"])
            self.assertGreaterEqual(sum(m["fastest"] for m in summary["methods"]), 8)
            for m in summary["methods"]:
                mine = {name: ms for (name, method), ms in times.items() if method == m["method"]}
                self.assertEqual((m["measured"], m["compared"]), (len(mine), len(mine)))
                self.assertEqual(m["measured"], 7 if m["method"] == "cds" else 8)  # cds refuses what is not square
                self.assertEqual(m["fastest"], sum(ms == fastest[name] for name, ms in mine.items()))
                logs = [math.log(times[name, "csr"] / ms) for name, ms in mine.items()]
                self.assertAlmostEqual(m["speedup"], math.exp(sum(logs) / len(logs)), delta=1e-12 * m["speedup"])
                ratios = {name: ms / fastest[name] for name, ms in mine.items()}
                self.assertAlmostEqual(m["slowest"], max(ratios.values()), delta=1e-12 * m["slowest"])
                self.assertEqual(ratios[m["slowest_operator"]], max(ratios.values()))
                self.assertEqual([step[0] for step in m["profile"]], sorted(set(ratios.values())))
                self.assertAlmostEqual(m["profile"][-1][1], len(mine) / 8)

    def test_what_cannot_be_read_is_left_out_and_the_run_ends_with_2(self):
        folder, out = self.folder_of_two(), self.path("out.json")
        bad = self.path("set/bad.mtx", BANNER + "general\n3 3 2\n1 1 1\n2 x 2\n")
        empty = self.path("set/empty.mtx", "")
        done = self.run_it("bench", "matrices", *self.RUN, "--matrices", folder + ",dense:70000", "--format", "csr,ell", "--json", out)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"\Aquadrille: 2 operators were left out: .*bad.mtx:4: the column index 'x' .*\n\Z")
        self.assertIn(f"\nbad          left out: {bad}:4: the column index 'x'", done.stdout)
        with open(out) as file:
            report = json.load(file)
        left_out = [(r["matrix"], r["format"]) for r in report["records"] if r["skipped"]]
        self.assertEqual(left_out, 2 * [("bad", "all"), ("empty", "all"), ("dense:70000", "all")])
        self.assertIn("2^31", report["records"][-1]["skipped"])
        self.assertEqual([s["operators"] for s in report["summary"]], [2, 2])
        self.refused(2, [empty], "bench", "matrices", *self.RUN, "--matrices", empty, "--quiet")
        self.refused(2, ["dense:70000 has 4900000000 non-zeros"], "bench", "matrices", *self.RUN, "--matrices", "dense:70000",
                     "--quiet")

    def test_one_name_for_two_files_and_entries_that_are_not_numbers(self):
        os.mkdir(self.path("a")), os.mkdir(self.path("b"))
        first, second = self.path("a/m.mtx", SQUARE), self.path("b/m.mtx", BANNER + "general\n2 2 2\n1 1 nan\n2 2 1\n")
        report, screen = self.bench("--matrices", f"{first},{second}", "--format", "csr,dia", "--precision", "fp64")
        self.assertEqual([r["matrix"] for r in report["records"]], [first, first, second, second])
        self.assertTrue(all(r["error_over_bound"] <= 1 for r in report["records"]))
        self.assertIn("note: A x has NaN or Inf in 1 place", screen)

    def test_a_wrong_product_is_marked_and_counts_as_none(self):
        out = self.path("out.json")
        done = self.run_it("bench", "matrices", *self.RUN, "--matrices", "banded:50", "--format", "csr,petsc_aij", "--precision",
                           "fp64", "--json", out, env={**os.environ, "LD_PRELOAD": WRONG_MATMULT})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"banded:50 .*\d!")
        with open(out) as file:
            self.assertNotIn("csr", [m["method"] for s in json.load(file)["summary"] for m in s["methods"]])

    def test_the_profiles_are_drawn(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        import xml.etree.ElementTree
        prefix = self.path("profiles")
        self.bench("--matrices", "generated:50", "--plot", prefix)
        with open(prefix + ".png", "rb") as file:
            self.assertGreater(len(file.read()), 20000)
        drawing = xml.etree.ElementTree.parse(prefix + ".svg").getroot()
        self.assertGreater(len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))), 50)
        self.bench("--matrices", "dense:9", "--format", "csr")
        done = subprocess.run([sys.executable, "-B", self.SCRIPT, self.path("out.json"), prefix], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no two methods", done.stderr)

    def test_validate_reads_back_and_quiet_is_quiet(self):
        text = self.ok("bench", "matrices", "--validate")
        self.assertIn("\ngrid = \n", text)
        self.assertIn("\nmatrices = generated:10000\n", text)
        arguments = ["--matrices", f"{self.folder_of_two()},blocks:90:5", "--grid", "8x8", "--block-size", "2"]
        text = self.ok("bench", "matrices", *arguments, "--validate")
        self.assertEqual(text, self.ok("bench", "--config", self.path("c.ini", text), "--validate"))
        self.assertEqual("", self.ok("bench", "matrices", *self.RUN, "--matrices", "dense:5", "--quiet"))

    def test_spmv_and_inspect_take_generated_matrices(self):
        out = self.path("out.json")
        self.assertIn("power_law:300:2.5", self.ok("spmv", "--matrix", "power_law:300:2.5", *self.RUN, "--json", out))
        with open(out) as file:
            records = json.load(file)["records"]
        self.assertEqual({(r["matrix"], r["rows"]) for r in records}, {("power_law:300:2.5", 300)})
        self.assertRegex(self.ok("inspect", "banded:100:3", "--format", "csr"), r"non-zeros +688\n")
        self.assertNotEqual(self.ok("inspect", "power_law:999"), self.ok("inspect", "power_law:999", "--seed", "2"))
        self.refused(2, ["COLUMNS of dense"], "inspect", "dense:4:0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
