"""`quadrille bench rgcsr` and `bench transpose` from outside, on the CPU."""
import json
import unittest

from cli_case import CliTest, RECORD


class RowFormats(CliTest):
    SET = ["--matrices", "power_law:400,banded:300:4,dense:40:90", "--grid", "8x7", "--dofs", "2", "--repetitions", "2",
           "--space", "cpu", "--no-progress"]
    NAMES = ["power_law:400", "banded:300:4", "dense:40:90", "8x7 dof 2"]

    def report(self, name, *arguments):
        out = self.path("out.json")
        screen = self.ok("bench", name, *self.SET, *arguments, "--json", out)
        with open(out) as file:
            report = json.load(file)
        for r in report["records"]:
            self.assertEqual(list(r)[:len(RECORD)], RECORD)
            self.assertEqual((r["bench"], r["space"]), (name, "cpu"))
            if r["skipped"] is None:
                self.assertTrue(r["checked"] and r["error_over_bound"] <= 1, r)
        return report, screen

    def with_amd(self, words):
        """The words where this build has SuiteSparse, else none."""
        return words if self.run_it("spmv", "--rgcsr-ordering", "amd", "--validate").returncode == 0 else []

    def tables(self, report):
        return {table["title"]: table["lines"] for table in report["tables"]}

    def test_rgcsr_searches_groups_and_orderings(self):
        report, screen = self.report("rgcsr")
        records = report["records"]
        self.assertEqual([(r["precision"], r["matrix"], r["format"]) for r in records],
                         [(p, m, f) for p in ["fp64", "fp32"] for m in self.NAMES for f in ["csr", "hyb", "petsc_aij", "rg_csr"]
                          if (p, f) != ("fp32", "petsc_aij")])
        for r in records:
            self.assertIsNone(r["skipped"])
            if r["format"] != "rg_csr":
                self.assertEqual(list(r), RECORD)
                continue
            self.assertEqual(list(r)[len(RECORD):], ["best", "paper", "x_cache", "order_ms", "search"])
            orders = ["none", "descending"]
            if r["matrix"] != "dense:40:90":  # which is no square
                orders += ["rcm"] + self.with_amd(["amd"])
            self.assertEqual([(v["ordering"], v["group"], v["kernel"], v["threads"]) for v in r["search"]],
                             [(order, group, "ours", 1) for order in orders for group in [32, 64, 128, 256]])
            self.assertEqual(set(r["order_ms"]), set(orders))
            self.assertEqual(r["best"], min(r["search"], key=lambda v: v["ms"]))
            self.assertEqual((r["paper"], r["x_cache"]), (None, None))  # the CPU has one kernel
            for v in r["search"]:
                self.assertAlmostEqual(v["gflops"], 2e-6 * r["nnz"] / v["ms"], delta=1e-6 * v["gflops"])
                plain = next(u for u in r["search"] if (u["ordering"], u["group"]) == ("none", v["group"]))
                if v["ordering"] == "descending":
                    self.assertLessEqual(v["zeros_percent"], plain["zeros_percent"] + 1e-9)
        # Rows of 5 to 9 entries in a band: groups of 32 that hold a whole row of 9 pad the first and the last
        # to it.
        band = next(r for r in records if (r["matrix"], r["format"]) == ("banded:300:4", "rg_csr"))
        slots = 300 * 9
        self.assertAlmostEqual(band["search"][0]["zeros_percent"], 100 * (slots - band["nnz"]) / band["nnz"], places=6)
        dense = next(r for r in records if (r["matrix"], r["format"]) == ("dense:40:90", "rg_csr"))
        self.assertEqual({v["zeros_percent"] for v in dense["search"]}, {0})
        tables = self.tables(report)
        for precision in ["fp64", "fp32"]:
            table = tables[f"Table 4, {precision}, all (4 operators)"]
            self.assertEqual([line["group"] for line in table],
                             [f"{g}, {t}" for g in [32, 64, 128, 256] for t in ["T 1", "T by rule"]])
            mine = [r for r in records if (r["precision"], r["format"]) == (precision, "rg_csr")]
            zeros = [next(v for v in r["search"] if v["group"] == 256)["zeros_percent"] for r in mine]
            self.assertAlmostEqual(table[6]["zeros max %"], max(zeros), places=6)
            self.assertAlmostEqual(table[6]["zeros mean %"], sum(zeros) / 4, places=6)
            self.assertEqual([line["ordering"] for line in tables[f"Table 7, {precision}: orderings, group 128"]],
                             ["none", "descending", "rcm"] + self.with_amd(["amd"]))
            csr = {r["matrix"]: r["ms_median"] for r in records if (r["precision"], r["format"]) == (precision, "csr")}
            faster = 25 * sum(next(v for v in r["search"] if v["group"] == 128)["ms"] < csr[r["matrix"]] for r in mine)
            share = {line[""]: line["all"] for line in tables[f"Table 5, {precision}: share of the operators, per cent"]}
            self.assertEqual(share["group 128, T 1 faster than csr"], faster)
        self.assertEqual({m["method"] for m in report["summary"][0]["methods"]},
                         {"csr", "hyb", "petsc_aij", "rg_csr 128, T 1", "rg_csr 128, T by rule", "rg_csr, best"})
        self.assertNotIn("large", " ".join(tables))  # all have fewer than 10000 rows
        for words in ["Table 4, fp32, small", "Table 7", "zeros mean %", "of the best, mean %"]:
            self.assertIn(words, screen)
        sizes = {line[""]: line for line in tables["Table 2: the operators"]}
        self.assertEqual([sizes["operators"][part] for part in ["all", "small", "large"]], [4, 4, 0])
        self.assertEqual((sizes["rows, min"]["all"], sizes["rows, max"]["all"]), (40, 400))
        self.assertEqual(sizes["non-zeros, % of all entries, max"]["all"], 100)
        (peaks,) = [lines for title, lines in tables.items() if title.startswith("Table 1: ")]
        gbps = max(r["ceiling_gbps"] for r in records)
        self.assertEqual([line["cache for x"] for line in peaks], ["without", "with"])
        self.assertAlmostEqual(peaks[0]["fp32 estimated"], 2 * gbps / 12, places=6)
        self.assertAlmostEqual(peaks[1]["fp64 estimated"], 2 * gbps / 12, places=6)
        self.assertIsNone(peaks[1]["fp64 measured"])  # the paper's kernel, which the CPU has not
        for precision in ["fp64", "fp32"]:
            (extremes,) = [lines for title, lines in tables.items() if title.startswith(f"Table 6, {precision}")]
            self.assertEqual({line["matrix"] for line in extremes}, set(self.NAMES))
            ratios = [line["ratio"] for line in extremes]
            self.assertEqual(ratios, sorted(ratios, reverse=True))
            dense = next(line for line in extremes if line["matrix"] == "dense:40:90")
            self.assertEqual((dense["rows"], dense["row max"], dense["row mean"], dense["row min"]), (40, 90, 90, 90))
            self.assertEqual(dense["CSR on the CPU GFLOP/s"] is None, precision == "fp32")  # PETSc has doubles

    def test_amd_orders_the_rows_or_is_refused_in_a_sentence(self):
        arguments = ["spmv", "--grid", "9x8", "--dof", "2", "--format", "rg_csr", "--space", "cpu", "--repetitions", "1",
                     "--rgcsr-ordering", "amd"]
        if self.with_amd([1]):
            out = self.path("out.json")
            self.ok(*arguments, "--json", out)
            with open(out) as file:
                (record,) = json.load(file)["records"]
            self.assertTrue(record["checked"] and record["error_over_bound"] <= 1, record)
            self.refused(2, ["minimum degree", "square"], "spmv", "--matrix", "dense:40:90", *arguments[5:])
        else:
            self.refused(2, ["SuiteSparse"], *arguments)

    def test_transpose_measures_both_products_from_both_storages(self):
        report, screen = self.report("transpose", "--precision", "fp64")
        records = report["records"]
        expected = [("csr", "A x", ["csr"]), ("csr", "A^T x", ["csr", "csr_converted"]),
                    ("csc", "A x", ["csc", "csc_converted"]), ("csc", "A^T x", ["csc"])]
        self.assertEqual([(r["matrix"], r["storage"], r["product"], r["format"]) for r in records],
                         [(m, storage, product, f) for m in self.NAMES for storage, product, formats in expected for f in formats])
        for r in records:
            self.assertIsNone(r["skipped"])
            self.assertEqual(list(r), RECORD + ["storage", "whole_ms", "before_ms", "pays_after"])
            if r["format"] in ["csr", "csc"]:
                self.assertEqual((r["whole_ms"], r["before_ms"], r["pays_after"]), (r["ms_median"], 0, None))
        for m in self.NAMES:
            def times(storage, product):
                return {r["format"]: r for r in records if (r["matrix"], r["storage"], r["product"]) == (m, storage, product)}
            for storage, product in [("csr", "A^T x"), ("csc", "A x")]:
                both = times(storage, product)
                scatter, converted = both[storage]["ms_median"], both[storage + "_converted"]
                gain = scatter - converted["ms_median"]
                after = converted["pays_after"]
                self.assertEqual(after is None, gain <= 0)
                if after is not None:
                    n = int(after)
                    self.assertGreaterEqual(n, 1)
                    self.assertLessEqual(converted["before_ms"], n * gain * (1 + 1e-9))
                    self.assertTrue(n == 1 or converted["before_ms"] > (n - 1) * gain * (1 - 1e-9))
                self.assertGreater(converted["whole_ms"], 0)
        titles = list(self.tables(report))
        self.assertEqual(titles, [f"{p} from {s}, fp64: over the operators" for p, s in
                                  [("y = A x", "CSR"), ("y = A^T x", "CSR"), ("y = A x", "CSC"), ("y = A^T x", "CSC")]])
        self.assertEqual([(s["title"], {m["method"] for m in s["methods"]}) for s in report["summary"]],
                         [("y = A^T x from CSR, fp64", {"csr", "csr_converted"}), ("y = A x from CSC, fp64", {"csc", "csc_converted"})])
        table = self.tables(report)[titles[1]]
        ours = table[0]
        self.assertEqual((ours["method"], ours["operators"], ours["time/ours whole"]), ("csr", 4, 1))
        for line in table:
            self.assertEqual(list(line), ["method", "operators", "time/ours whole", "time/ours only", "time/cuSPARSE whole",
                                          "fastest whole", "fastest only", "fastest whole %", "fastest only %", "pays after (median)"])
            self.assertIsNone(line["time/cuSPARSE whole"])  # which runs on the GPU alone
            self.assertEqual(line["fastest only %"], 25 * line["fastest only"])
            mine = [r for r in records if (r["storage"], r["product"], r["format"]) == ("csr", "A^T x", line["method"])]
            others = {m: [r for r in records if (r["storage"], r["product"], r["matrix"]) == ("csr", "A^T x", m)] for m in self.NAMES}
            for column, field in [("fastest whole", "whole_ms"), ("fastest only", "ms_median")]:
                self.assertEqual(line[column], sum(all(r[field] <= o[field] for o in others[r["matrix"]]) for r in mine))
        for words in ["csr_converted whole", "pays after", "power_law:400 fp64", "whole: one product with what"]:
            self.assertIn(words, screen)

    def test_what_is_refused_is_said(self):
        out = self.path("out.json")
        self.ok("bench", "rgcsr", "--matrices", "long_row:4000", "--precision", "fp32", "--repetitions", "1", "--space", "cpu",
                "--quiet", "--json", out)
        with open(out) as file:
            records = json.load(file)["records"]
        line = next(r for r in records if r["format"] == "rg_csr")
        groups = {(v["ordering"], v["group"]): v for v in line["search"]}
        self.assertGreater(groups[("none", 32)]["zeros_percent"], 100)
        self.assertEqual(line["ms_median"] == 0, line["skipped"] is not None)


if __name__ == "__main__":
    unittest.main(verbosity=2)
