"""`quadrille bench cmrs` from outside, on the CPU, where heights and orders are searched."""
import csv
import json
import math
import unittest

from cli_case import CliTest, RECORD


class BenchCmrs(CliTest):
    def test_every_variant_is_checked_and_the_columns_are_those_of_the_paper(self):
        out, table = self.path("out.json"), self.path("out.csv")
        screen = self.ok("bench", "cmrs", "--matrices", "long_row:300,permutation:200,dense:20:30", "--grid", "6x5", "--dofs", "2",
                         "--space", "cpu", "--repetitions", "2", "--json", out, "--csv", table)
        report = json.load(open(out))
        records = report["records"]
        names = ["long_row:300", "permutation:200", "dense:20:30", "6x5 dof 2"]
        self.assertEqual([(r["precision"], r["matrix"], r["format"]) for r in records],
                         [(p, m, f) for p in ["fp64", "fp32"] for m in names for f in ["csr", "hyb", "cmrs_strips", "cmrs"]])
        for r in records:
            self.assertEqual(list(r)[:len(RECORD)], RECORD)
            self.assertEqual((r["bench"], r["space"]), ("cmrs", "cpu"))
            self.assertIsNone(r["skipped"])
            self.assertTrue(r["checked"] and r["error_over_bound"] <= 1, r)
        others = {(r["precision"], r["matrix"], r["format"]): r["ms_median"] for r in records}
        lines = [r for r in records if r["format"] == "cmrs"]
        for r in lines:
            search = r["search"]
            self.assertEqual([v[:2] for v in search],
                             [[h, o] for h in [1, 2, 4, 8, 16] for o in [0, 1] if h > 1 or not o])
            times = {(v[0], bool(v[1])): v[2] for v in search}
            for name in ["best", "model", "worst"]:
                self.assertIn((r[name]["height"], r[name]["reorder"]), times)
            self.assertEqual(r["worst"]["ms"], max(times.values()))
            self.assertEqual(r["model"]["ms"], r["ms_median"])
            self.assertLessEqual(r["best"]["ms"], r["model"]["ms"])
            self.assertAlmostEqual(r["matching"], r["best"]["ms"] / r["model"]["ms"])
            value = 8 if r["precision"] == "fp64" else 4
            strips = math.ceil(r["rows"] / r["model"]["height"])
            columns = 30 if r["matrix"].startswith("dense") else r["rows"]
            for name, amount in [("gflops_of_sums", 2 * r["nnz"] - r["rows"]),
                                 ("gbps_x_uncached", (4 + 2 * value) * r["nnz"] + 4 * strips + value * r["rows"]),
                                 ("gbps_x_cached", (4 + value) * r["nnz"] + 4 * strips + value * (r["rows"] + columns))]:
                self.assertAlmostEqual(r[name], 1e-6 * amount / r["ms_median"], delta=1e-9 * r[name])
            for name in ["x_uncached", "x_cached"]:
                self.assertAlmostEqual(r["efficiency_" + name], r["gbps_" + name] / r["ceiling_gbps"])
            for other in ["csr", "hyb"]:
                self.assertAlmostEqual(r["over_" + other], others[r["precision"], r["matrix"], other] / r["ms_median"])
        for r in records:
            if r["format"] == "cmrs_strips":
                self.assertGreaterEqual(r["best"]["height"], 2)
                [whole] = [l for l in lines if (l["precision"], l["matrix"]) == (r["precision"], r["matrix"])]
                self.assertEqual(r["best"]["ms"], min(v[2] for v in whole["search"] if v[0] > 1))
        rows = {r["matrix"]: (r["row_mean"], r["row_deviation"], r["row_longest"]) for r in lines}
        self.assertEqual(rows["permutation:200"], (1, 0, 1))
        self.assertEqual(rows["dense:20:30"], (30, 0, 30))
        self.assertEqual(rows["long_row:300"][2], 300)
        for precision in ["fp64", "fp32"]:
            matching = [r["matching"] for r in lines if r["precision"] == precision]
            [summary] = [s for s in report["summary"] if s["title"].startswith(precision)]
            self.assertEqual((summary["operators"], summary["base"]), (4, "csr"))
            methods = {m["method"]: m for m in summary["methods"]}
            self.assertEqual(set(methods), {"rule", "best", "csr", "hyb"})
            self.assertTrue(all(0 < m <= 1 for m in matching))
            speedups = [r["over_csr"] for r in lines if r["precision"] == precision]
            self.assertAlmostEqual(methods["rule"]["speedup"], math.prod(speedups) ** 0.25)
        with open(table) as file:
            self.assertEqual([row["format"] for row in csv.DictReader(file)], [r["format"] for r in records])
        for words in ["CMRS, fp64", "CMRS, fp32", "long_row:300", "6x5 dof 2", "rule: mean"]:
            self.assertIn(words, screen)

    def test_the_chosen_height_works_as_a_format(self):
        out = self.path("out.json")
        self.ok("spmv", "--matrix", "power_law:500", "--format", "cmrs", "--cmrs-height", "0", "--space", "cpu", "--repetitions", "1",
                "--json", out)
        [record] = json.load(open(out))["records"]
        self.assertTrue(record["checked"] and record["error_over_bound"] <= 1)

    def test_the_rule_takes_strips_of_two_where_many_rows_are_short_and_alike(self):
        def stored_bytes(matrix, *options):
            out = self.path("out.json")
            self.ok("spmv", "--matrix", matrix, "--format", "cmrs", "--space", "cpu", "--repetitions", "1", "--json", out, *options)
            return json.load(open(out))["records"][0]["stored_bytes"]

        for matrix, height in [("permutation:500000", 2), ("permutation:499999", 1), ("banded:600000:2", 1)]:
            ruled, one, two = (stored_bytes(matrix, "--cmrs-height", h) for h in "012")
            self.assertGreater(one, two)
            self.assertEqual(ruled, {1: one, 2: two}[height], matrix)


if __name__ == "__main__":
    unittest.main()
