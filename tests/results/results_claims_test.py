"""The texts of results/ say what the records say, and claims.py --check can tell where they do not. Called with
RESULTS_FOLDER [unittest options]."""
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import unittest

RESULTS = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, RESULTS)

from paper_claims import ellr_t_claims, own_matrices, records, rgcsr_tables, tables, transposes_claims  # noqa: E402

COMPRESSED, PLAIN = "h200_cmrs.json.gz", "h200_cds.json"


class ClaimsTest(unittest.TestCase):
    def copy(self):
        """Of the folder, by links that can be replaced one by one."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in os.listdir(RESULTS):
            if name.endswith((".json", ".json.gz", ".csv", "claims.md", "H200.md", "CPU.md")):
                os.symlink(os.path.join(RESULTS, name), os.path.join(folder.name, name))
        return folder.name

    def check(self, folder):
        return subprocess.run([sys.executable, "-B", os.path.join(RESULTS, "claims.py"), "--check", "--folder", folder],
                              capture_output=True, text=True, timeout=120)

    def refused(self, folder, *words):
        done = self.check(folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def replace_record(self, folder, name, run, change):
        """A changed copy in the place of a file's link; `change` gets the records of a run."""
        path = os.path.join(folder, name)
        runs = tables.runs_in(path)
        change(runs[run]["records"])
        os.remove(path)
        tables.write(path, runs)

    def test_the_text_is_what_the_records_give(self):
        done = self.check(RESULTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_changed_figure_of_the_text_is_found(self):
        folder = self.copy()
        path = os.path.join(folder, "claims.md")
        with open(path) as file:
            text = file.read()
        os.remove(path)
        changed = text.replace("**not tested**", "**holds**", 1)
        self.assertNotEqual(changed, text)
        with open(path, "w") as file:
            file.write(changed)
        self.refused(folder, "something else than the records", "--- claims.md", "-| ", "+| ")

    def test_a_missing_text_is_found(self):
        folder = self.copy()
        os.remove(os.path.join(folder, "claims.md"))
        self.refused(folder, "claims.md")

    def test_a_changed_record_is_found(self):
        def slower(records):
            for record in records:
                if record["format"] == "csr_vector":
                    record["ms_median"] *= 1.5

        folder = self.copy()
        self.replace_record(folder, COMPRESSED, "fp64", slower)
        self.refused(folder, "as fast as the vector kernel")

    def test_a_changed_figure_of_one_line_is_found(self):
        folder = self.copy()
        self.replace_record(folder, PLAIN, "star", lambda records: records[0].update(fraction_of_floor=0.5))
        self.refused(folder, "0.500", "--- claims.md", "--- H200.md")

    def test_a_missing_file_is_named(self):
        folder = self.copy()
        os.remove(os.path.join(folder, COMPRESSED))
        self.refused(folder, COMPRESSED)

    def test_a_missing_run_is_named(self):
        folder = self.copy()
        path = os.path.join(folder, PLAIN)
        runs = tables.runs_in(path)
        del runs["star"]
        os.remove(path)
        tables.write(path, runs)
        self.refused(folder, "no run h200_cds:star")

    def test_a_missing_field_is_named(self):
        folder = self.copy()
        self.replace_record(folder, COMPRESSED, "fp64", lambda records: records[-1].pop("row_mean"))
        self.refused(folder, COMPRESSED, "run fp64", "'row_mean'")

    def test_a_broken_file_is_named(self):
        folder = self.copy()
        path = os.path.join(folder, PLAIN)
        os.remove(path)
        with open(path, "w") as file:
            file.write('{"runs": [')
        self.refused(folder, PLAIN)

    def test_a_matrix_of_unknown_origin_is_named(self):
        folder = self.copy()
        self.replace_record(folder, COMPRESSED, "fp64", lambda records: records[0].update(matrix="nobody"))
        self.refused(folder, "matrices.csv", "nobody")

    def test_a_stand_in_that_was_not_run_is_named(self):
        folder = self.copy()
        for precision in records.PRECISIONS:
            self.replace_record(folder, "h200_ellr_t.json.gz", f"large_{precision}", lambda found: found.__setitem__(
                slice(None), [r for r in found if r["matrix"] != "mesh:46835:51"]))
        self.refused(folder, "not in the runs", "rma10 (mesh:46835:51)")


class TablesTest(unittest.TestCase):
    """A table has one file, which holds each run whole."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def claims(self, *arguments):
        return subprocess.run([sys.executable, "-B", os.path.join(RESULTS, "claims.py"), *arguments], capture_output=True,
                              text=True, timeout=120)

    def report(self, name, ms):
        """A file as the program writes it, and what is in it."""
        path = os.path.join(self.folder, "reports", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        found = {"machine": {"cpu": "x"}, "command": "quadrille spmv", "version": "0+abc", "date": "today", "ceilings": {},
                 "records": [{"ms_median": ms}, {"ms_median": 0.1 + 0.2, "search": [[1, "ours", 2.5]], "skipped": None}]}
        with open(path, "w") as file:
            json.dump(found, file, indent=1)
        return path, found

    def test_a_table_has_one_file(self):
        names = tables.names(RESULTS)
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            path = tables.path_of(RESULTS, name)
            runs = tables.runs_in(path)
            self.assertNotIn("", runs, f"{name} is the JSON of a single run: claims.py --add puts it into a table")
            for run, report in runs.items():
                self.assertLessEqual({*tables.FIELDS}, {*report}, f"{name}:{run}")

    def test_what_is_added_comes_back_whole(self):
        (one, first), (two, second) = self.report("t_one.json", 1.0), self.report("other.json", 2.0)
        self.assertEqual(tables.add(self.folder, "t", [one, "two=" + two]), ["t:one added", "t:two added"])
        self.assertEqual(tables.runs_in(os.path.join(self.folder, "t.json")), {"one": first, "two": second})
        self.assertEqual(tables.add(self.folder, "t", ["one=" + two]), ["t:one replaced"])
        done = self.claims("--folder", self.folder, "--run", "t:one")
        self.assertEqual((json.loads(done.stdout), done.stderr), (second, ""))

    def test_a_large_table_is_packed_and_the_same_runs_give_the_same_bytes(self):
        path, found = self.report("all.json", 1.0)
        found["records"] *= 5000
        with open(path, "w") as file:
            json.dump(found, file)
        written = []
        for _ in range(2):
            tables.add(self.folder, "big", [path])
            with open(os.path.join(self.folder, "big.json.gz"), "rb") as file:
                written.append(file.read())
        self.assertEqual(written[0], written[1])
        self.assertEqual(tables.names(self.folder), ["big"])

    def test_what_is_no_run_is_refused_and_nothing_is_written(self):
        path, _ = self.report("half.json", 1.0)
        with open(path, "w") as file:
            file.write('{"records": [], "command": "x"}')
        for file in (path, os.path.join(self.folder, "nothing.json")):
            done = self.claims("--folder", self.folder, "--add", "t", file)
            self.assertEqual(done.returncode, 1)
            self.assertIn(os.path.basename(file), done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(tables.names(self.folder), [])

    def test_an_unknown_run_is_named(self):
        for name in ("h200_cds:nothing", "nothing:star"):
            done = self.claims("--run", name)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(name.split(":")[name.startswith("h200")], done.stderr)


class OwnMatricesTest(unittest.TestCase):
    """Every matrix that a paper names is in its run, stood in for there, or listed as missing."""

    def names_in(self, family):
        runs = records.Runs(RESULTS)
        if not family:
            return {r["grid"] for r in runs.lines("h200_dof_scaling:all")}
        return {r["matrix"] for p in records.PRECISIONS for report in runs.reports(family, p) for r in report["records"]}

    def test_each_is_one_of_the_three(self):
        named = {"Godwin": 4, "Vazquez": 21, "Koza": 124, "Oberhuber": 4, "Steinberger": 14}
        for paper in own_matrices.PAPERS:
            with self.subTest(paper.title):
                every = [*paper.itself, *paper.stand_ins, *paper.missing]
                self.assertEqual(len(every), named.pop(paper.title.split()[0]))
                self.assertEqual(len(set(every)), len(every))
                there = self.names_in(paper.family)
                self.assertLessEqual({*paper.itself.values(), *paper.stand_ins.values()}, there)
                self.assertFalse({*paper.stand_ins, *paper.missing} & there)
        self.assertEqual(named, {})

    def test_the_published_figures_are_those_of_what_was_run(self):
        for paper, figures in ((own_matrices.VAZQUEZ, ellr_t_claims.TABLES), (own_matrices.OBERHUBER, rgcsr_tables.TABLE_6),
                               (own_matrices.OBERHUBER, rgcsr_tables.TABLE_7),
                               (own_matrices.STEINBERGER, transposes_claims.FIGURE_3)):
            self.assertEqual(set(figures), set(paper.operators().values()))

    def test_stand_ins_have_the_published_entries_a_row(self):
        found = records.Runs(RESULTS).operators("ellr_t", "fp32")
        for operator, name in own_matrices.VAZQUEZ.operators().items():
            with self.subTest(name):  # a whole number, and half an entry less where that is odd
                self.assertAlmostEqual(found[operator]["ellr_t"]["row_mean"], ellr_t_claims.TABLES[name][0], delta=1.05)

    def refused(self, words, **changes):
        with self.assertRaisesRegex(records.RecordError, words):
            own_matrices.check(dataclasses.replace(own_matrices.STEINBERGER, **changes), self.names_in("transpose"))

    def test_what_is_listed_wrongly_is_named(self):
        own_matrices.check(own_matrices.STEINBERGER, self.names_in("transpose"))
        missing = own_matrices.STEINBERGER.missing
        self.refused("13 of 14", missing=missing[1:])
        self.refused("listed twice: ldoor", missing=(*missing[1:], "ldoor"))
        self.refused("but not listed as that: lp1", missing=(*missing[1:], "lp1"))
        self.refused(r"not in the runs: nobody \(mesh:7:7\)", missing=missing[1:], itself={"nobody": "mesh:7:7"})


if __name__ == "__main__":
    unittest.main()
