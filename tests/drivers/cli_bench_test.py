"""`quadrille bench` from outside."""
import csv
import json
import math
import os
import subprocess
import sys
import unittest

from cli_case import CPU_FORMATS, CliTest, RECORD, WRONG_MATMULT


class Bench(CliTest):
    TINY = ["--grid", "8x8,4x5x3", "--dofs", "1-2", "--repetitions", "2", "--space", "cpu"]
    SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../drivers/support/plot_bench.py")

    def draw(self, *arguments, options=("-B",)):
        return subprocess.run([sys.executable, *options, self.SCRIPT, *arguments], capture_output=True, text=True)

    def require_matplotlib(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")

    def test_every_point_of_the_sweep_is_checked_and_reported(self):
        points = [(precision, grid, dof) for precision in ["fp64", "fp32"] for grid in ["8x8", "4x5x3"] for dof in [1, 2]]
        for name, quantity in [("dof-scaling", "GFLOP/s"), ("bandwidth", "GB/s")]:
            out, table = self.path("out.json"), self.path("out.csv")
            screen = self.ok("bench", name, *self.TINY, "--json", out, "--csv", table)
            report = json.load(open(out))
            self.assertEqual(list(report), ["machine", "command", "version", "date", "ceilings", "records"])
            expected = [(*point, format) for point in points for format in "cds dia ell bcsr csr petsc_aij".split()
                        if format != "petsc_aij" or point[0] == "fp64"]
            records = report["records"]
            self.assertEqual([(r["precision"], r["grid"], r["dof"], r["format"]) for r in records], expected)
            for r in records:
                self.assertEqual(list(r), RECORD)
                self.assertEqual((r["bench"], r["space"], r["operator"], r["repetitions"]), (name, "cpu", "random", 2))
                self.assertIsNone(r["skipped"])
                self.assertTrue(r["checked"] and r["error_over_bound"] <= 1, r)
                self.assertAlmostEqual(r["gflops"], 2e-6 * r["nnz"] / r["ms_median"], delta=1e-9 * r["gflops"])
                self.assertAlmostEqual(r["gbps"], 1e-6 * r["compulsory_bytes"] / r["ms_median"], delta=1e-9 * r["gbps"])
                self.assertEqual(r["rows"], r["dof"] * (64 if r["grid"] == "8x8" else 60))
            self.assertEqual({r["nnz"] for r in records if (r["grid"], r["dof"]) == ("8x8", 2)}, {4 * (5 * 64 - 32)})
            self.assertEqual([row["dof"] for row in csv.DictReader(open(table))], [str(r["dof"]) for r in records])
            for words in ["8x8, fp64", "4x5x3, fp32", quantity, "petsc_aij"]:
                self.assertIn(words, screen)
            self.assertEqual("stream" in screen, name == "bandwidth")

    def check_figures(self, tables, others, lines, precision):
        """ELLR-T with our model among the other formats, from the records."""
        (table,) = [t["lines"] for t in tables if t["title"] == f"Figure 5, {precision}: our kernel and model"]
        by_format = {line["format"]: line for line in table}
        self.assertEqual(list(by_format), ["ellr_t", "csr", "ell", "hyb"])
        mine = {r["matrix"]: r["ms_median"] for r in lines}
        times = {"ellr_t": mine}
        for format in ["csr", "ell", "hyb"]:
            times[format] = {r["matrix"]: r["ms_median"] for r in others
                             if (r["format"], r["precision"], r["skipped"]) == (format, precision, None) and r["matrix"] in mine}
        for format, line in by_format.items():
            ratios = [ms / mine[matrix] for matrix, ms in times[format].items()]
            self.assertEqual(line["operators"], len(ratios))
            self.assertAlmostEqual(line["its time/ellr_t's, geometric mean"], math.prod(ratios) ** (1 / len(ratios)), places=6)
            self.assertAlmostEqual(line["least"], min(ratios), places=6)
            self.assertEqual(line["fastest on"], sum(all(ms <= other.get(matrix, ms) for other in times.values())
                                                     for matrix, ms in times[format].items()))
            if format != "ellr_t":
                self.assertEqual(line["ellr_t faster on"], sum(ratio > 1 for ratio in ratios))

    def test_ellr_t_searches_every_thread_count_and_says_what_the_models_choose(self):
        out, table = self.path("out.json"), self.path("out.csv")
        screen = self.ok("bench", "ellr-t", "--matrices", "dense:40,power_law:2000,permutation:30000", "--grid", "6x5", "--dofs", "2",
                         "--space", "cpu", "--repetitions", "3", "--json", out, "--csv", table)
        report = json.load(open(out))
        extra = "row_mean row_deviation best model worst matching paper_model paper_matching search".split()
        names = ["dense:40", "power_law:2000", "permutation:30000", "6x5 dof 2"]
        self.assertEqual([(r["matrix"], r["precision"], r["format"]) for r in report["records"]],
                         [(name, precision, format) for precision in ["fp64", "fp32"] for name in names
                          for format in ["csr", "ell", "hyb"] + ["petsc_aij"] * (precision == "fp64") + ["ellr_t"]])
        others = [r for r in report["records"] if r["format"] != "ellr_t"]
        searches = [r for r in report["records"] if r["format"] == "ellr_t"]
        for r in others:
            self.assertEqual(list(r), RECORD)
        for r in searches:
            if r["skipped"]:
                self.assertEqual(list(r), RECORD)
                self.assertIn("mostly padding", r["skipped"])
                continue
            self.assertEqual(list(r), RECORD + extra)
            self.assertEqual((r["bench"], r["format"], r["space"]), ("ellr-t", "ellr_t", "cpu"))
            self.assertTrue(r["checked"] and r["error_over_bound"] <= 1, r)
            times = {t: ms for t, block, ms in r["search"]}
            self.assertEqual(list(times), [1, 2, 4, 8, 16, 32][:len(times)])
            self.assertEqual({block for t, block, ms in r["search"]}, {None})  # there are none on the CPU
            for name in ["best", "model", "worst", "paper_model"]:  # measured once more after the search
                self.assertEqual(list(r[name]), ["t", "block", "ms"])
                self.assertIn(r[name]["t"], times)
                self.assertTrue(0 < r["best"]["ms"] <= r[name]["ms"] <= r["worst"]["ms"], r)
            self.assertEqual(r["ms_median"], r["model"]["ms"])
            self.assertAlmostEqual(r["matching"], r["best"]["ms"] / r["model"]["ms"])
            self.assertAlmostEqual(r["paper_matching"], r["best"]["ms"] / r["paper_model"]["ms"])
        by_name = {(r["matrix"], r["precision"]): r for r in searches}
        self.assertEqual([t for t, block, ms in by_name["dense:40", "fp64"]["search"]], [1, 2, 4, 8, 16, 32])
        self.assertEqual([t for t, block, ms in by_name["permutation:30000", "fp64"]["search"]], [1, 2, 4, 8, 16])
        self.assertEqual((by_name["dense:40", "fp32"]["row_mean"], by_name["dense:40", "fp32"]["row_deviation"]), (40, 0))
        for precision in ["fp64", "fp32"]:
            lines = [r for r in searches if r["precision"] == precision and not r["skipped"]]
            (summary,) = [s for s in report["summary"] if s["title"].startswith(precision)]
            self.assertEqual((summary["operators"], summary["base"]), (len(lines), "best"))
            methods = {m["method"]: m for m in summary["methods"]}
            self.assertEqual(set(methods), {"best", "model", "paper's model", "worst"})
            self.assertEqual(methods["best"]["fastest"], len(lines))
            self.assertAlmostEqual(methods["model"]["speedup"], math.prod(r["matching"] for r in lines) ** (1 / len(lines)))
            self.assertAlmostEqual(methods["paper's model"]["worst_speedup"], min(r["paper_matching"] for r in lines))
            self.assertIn("ELLR-T, " + precision, screen)
            self.check_figures(report["tables"], others, lines, precision)
        self.assertEqual([t["title"] for t in report["tables"] if t["title"].startswith("Figure 6")],
                         ["Figure 6, fp64: our kernel and model over one thread of the CPU"])  # PETSc has doubles
        self.assertNotIn("the paper's kernel", screen + "".join(t["title"] for t in report["tables"]))  # which the CPU has not
        first = next(row for row in csv.DictReader(open(table)) if row["format"] == "ellr_t")
        self.assertRegex(first["best"], r"^t \d+ block - ms \d")
        self.assertIn("on the CPU T only orders the storage", screen)

    def test_lists_and_the_order_of_formats_are_kept(self):
        out = self.path("out.json")
        self.assertEqual("", self.ok("bench", "dof-scaling", "--grid", "5x5", "--dofs", "4,1", "--precision", "fp32", "--format",
                                     "csr,cds", "--repetitions", "1", "--space", "cpu", "--quiet", "--json", out))
        self.assertEqual([(r["dof"], r["format"]) for r in json.load(open(out))["records"]],
                         [(1, "csr"), (1, "cds"), (4, "csr"), (4, "cds")])

    def test_auto_holds_its_choices_against_every_format(self):
        out = self.path("out.json")
        screen = self.ok("bench", "auto", "--matrices", "long_row:300,banded:400", "--grid", "6x5", "--dofs", "2", "--space", "cpu",
                         "--repetitions", "2", "--json", out)
        report = json.load(open(out))
        self.assertEqual([s["title"] for s in report["summary"]], ["fp64", "fp32"])
        for summary in report["summary"]:
            precision = summary["title"]
            records = [r for r in report["records"] if r["precision"] == precision]
            operators = summary["choices"]
            self.assertEqual([o["matrix"] for o in operators], list(dict.fromkeys(r["matrix"] for r in records)))
            self.assertEqual(len(operators), 3)
            for o in operators:
                lines = [r for r in records if r["matrix"] == o["matrix"]]
                self.assertEqual([r["format"] for r in lines], [f for f in CPU_FORMATS if precision == "fp64" or f != "petsc_aij"])
                for way in ["chosen", "tuned"]:
                    self.assertEqual([r["format"] for r in lines if r[way]], [o[way]["format"]])
                own = [r for r in lines if r["format"] != "petsc_aij" and r["ms_in_turns"]]
                self.assertEqual(o["best"]["ms"], min(r["ms_in_turns"] for r in own))
                predicted = min((r for r in own if r["predicted_cpu"]), key=lambda r: r["predicted_cpu"]["ms"])
                self.assertEqual(o["chosen"]["format"], predicted["format"])
                self.assertEqual(o["peer"] is None, precision == "fp32")
            ratios = [o["chosen"]["ms"] / o["best"]["ms"] for o in operators]
            predicted = summary["predicted"]
            self.assertEqual(predicted["operators"], 3)
            self.assertAlmostEqual(predicted["worst_ratio"], max(ratios))
            self.assertAlmostEqual(predicted["matching"], sum(1 / r for r in ratios) / 3)
            self.assertAlmostEqual(predicted["within_5_percent"], sum(r <= 1.05 for r in ratios) / 3)
            self.assertEqual(summary["best"]["worst_ratio"], 1)
            methods = {m["method"]: m for m in summary["methods"]}
            self.assertEqual((summary["operators"], methods["auto"]["measured"], methods["auto --tune"]["measured"]), (3, 3, 3))
        self.assertIn("auto, fp32", screen)
        self.assertIn("as fast as the fastest peer on", screen)

    def test_auto_for_one_product_pays_the_set_up(self):
        out = self.path("out.json")
        self.ok("bench", "auto", "--matrices", "banded:3000", "--grid", "30x20", "--dofs", "2", "--space", "cpu", "--precision", "fp64",
                "--repetitions", "1", "--products", "1", "--json", out, "--quiet")
        records = json.load(open(out))["records"]
        self.assertEqual([(r["matrix"], r["format"]) for r in records if r["chosen"]], [("banded:3000", "csr"), ("30x20 dof 2", "cds")])
        for r in records:
            predicted = r["predicted_cpu"]
            if predicted:
                self.assertEqual(predicted["set_up_ms"] == 0, r["chosen"], r)
                self.assertGreater(predicted["ms"], predicted["set_up_ms"])

    def test_the_figure_is_drawn(self):
        self.require_matplotlib()
        import xml.etree.ElementTree
        prefix = self.path("fi gure")
        self.ok("bench", "bandwidth", *self.TINY, "--plot", prefix, "--json", self.path("out.json"))
        again = self.draw(self.path("out.json"), self.path("again"))
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        for start in [prefix, self.path("again")]:
            picture = open(start + ".png", "rb").read()
            self.assertTrue(picture.startswith(b"\x89PNG\r\n") and len(picture) > 20000, len(picture))
            drawing = xml.etree.ElementTree.parse(start + ".svg").getroot()
            self.assertGreater(len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))), 50)
        self.assertFalse([name for name in os.listdir(self.folder.name) if ".tmp-" in name])
        other = self.draw(self.path("out.json"), self.path("other"), "--as", "dof-scaling")
        self.assertEqual((other.returncode, other.stderr), (0, ""))
        self.assertNotEqual(open(self.path("other.png"), "rb").read(), open(self.path("again.png"), "rb").read())

    def test_the_script_says_what_is_wrong(self):
        self.require_matplotlib()
        spmv = self.path("spmv.json")
        self.ok("spmv", "--grid", "4x4", "--repetitions", "1", "--space", "cpu", "--format", "cds", "--json", spmv)
        good = self.path("good.json")
        self.ok("bench", "bandwidth", "--grid", "4x4", "--dofs", "1", "--repetitions", "1", "--space", "cpu", "--json", good)
        for arguments, words in [([self.path("none.json"), "p"], "No such file"), ([spmv, "p"], "not the records of one bench"),
                                 ([self.path("text", "{"), "p"], "not a JSON file"), ([self.path("list", "[]"), "p"], "not the"),
                                 ([good, self.path("nowhere/p")], "cannot write")]:
            done = self.draw(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = self.draw(good, self.path("p"), options=("-S", "-E", "-B"))  # no site packages: no matplotlib
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("install", done.stderr)

    def test_a_wrong_product_ends_with_1_after_the_sweep(self):
        out = self.path("out.json")
        done = self.run_it("bench", "dof-scaling", *self.TINY, "--format", "csr,petsc_aij", "--precision", "fp64", "--json", out,
                           env={**os.environ, "LD_PRELOAD": WRONG_MATMULT})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("csr on cpu is wrong in row 0", done.stderr)
        self.assertRegex(done.stdout, r"\d!")
        self.assertEqual(len(json.load(open(out))["records"]), 8)

    def test_what_does_not_fit_the_operator_is_skipped(self):
        out = self.path("out.json")
        arguments = ["--operator", "elasticity", "--precision", "fp64", "--repetitions", "2", "--space", "cpu"]
        for name, dofs in [("dof-scaling", ["--dofs", "1-3"]), ("matrices", [])]:
            screen = self.ok("bench", name, "--grid", "8x8,4x5x3", *dofs, *arguments, "--json", out)
            self.assertIn("one unknown per axis", screen)
            for r in json.load(open(out))["records"]:
                if (r["grid"], r["dof"]) in [("8x8", 2), ("4x5x3", 3)]:
                    self.assertIsNone(r["skipped"])
                    self.assertLessEqual(r["error_over_bound"], 1)
                else:
                    self.assertIn("elasticity needs one unknown per axis", r["skipped"])
        self.ok("bench", "matrices", "--grid", "8x8", *arguments, "--quiet")
        self.refused(2, ["one unknown per axis"], "bench", "dof-scaling", "--grid", "8x8", "--dofs", "1", *arguments, "--quiet")

    def test_what_is_too_large_does_not_end_the_sweep(self):
        out = self.path("out.json")
        arguments = ["--dofs", "1", "--repetitions", "1", "--space", "cpu", "--precision", "fp64", "--json", out]
        screen = self.ok("bench", "dof-scaling", "--grid", "200000x200000x200,8x8", *arguments)
        self.assertIn("- cds, dia, ell, bcsr, csr, petsc_aij, DoF 1: not enough memory", screen)
        records = json.load(open(out))["records"]
        self.assertEqual([bool(r["skipped"]) for r in records], [True] * 6 + [False] * 6)
        self.assertEqual(records[0]["rows"], 200000 * 200000 * 200)
        self.refused(3, ["memory", "needs"], "bench", "dof-scaling", "--grid", "200000x200000x200", *arguments, "--quiet")

    def test_mistakes_get_a_sentence_and_2(self):
        for arguments, word in [([], "dof-scaling, bandwidth"), (["bandwith"], "did you mean 'bandwidth'"),
                                (["bandwidth", "--dofs", "0-3"], "1 to 64"), (["bandwidth", "--dofs", "3-1"], "3-1"),
                                (["bandwidth", "--grid", "8x8,4"], "two or three"), (["bandwidth", "--dof", "2"], "--dof"),
                                (["bandwidth", "--plot", "a.png"], "ending")]:
            self.refused(2, [word], "bench", *arguments)
        self.refused(3, ["nowhere"], "bench", "bandwidth", *self.TINY, "--plot", self.path("nowhere/p"))

    def test_validate_prints_a_config_that_reads_back(self):
        text = self.ok("bench", "bandwidth", *self.TINY, "--validate")
        self.assertIn("experiment = bandwidth\ngrid = 8x8,4x5x3\ndofs = 1,2\n", text)
        config = self.path("c.ini", text)
        self.assertEqual(text, self.ok("bench", "--config", config, "--validate"))
        self.assertIn("experiment = dof-scaling", self.ok("bench", "dof-scaling", "--config", config, "--validate"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
