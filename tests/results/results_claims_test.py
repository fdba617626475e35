"""The texts of results/ say what the records say, and claims.py --check can tell where they do not. Called with
RESULTS_FOLDER [unittest options]."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

RESULTS = sys.argv.pop(1)
COMPRESSED, PLAIN = "h200_cmrs_fp64.json.gz", "h200_cds_star.json"


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

    def replace_record(self, folder, name, change):
        """A changed copy in the place of a file's link; `change` gets the records."""
        path = os.path.join(folder, name)
        opened = gzip.open if name.endswith(".gz") else open
        with opened(path, "rt") as file:
            report = json.load(file)
        change(report["records"])
        os.remove(path)
        with opened(path, "wt") as file:
            json.dump(report, file)

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
        self.replace_record(folder, COMPRESSED, slower)
        self.refused(folder, "as fast as the vector kernel")

    def test_a_changed_figure_of_one_line_is_found(self):
        folder = self.copy()
        self.replace_record(folder, PLAIN, lambda records: records[0].update(fraction_of_floor=0.5))
        self.refused(folder, "0.500", "--- claims.md", "--- H200.md")

    def test_a_missing_file_is_named(self):
        folder = self.copy()
        os.remove(os.path.join(folder, COMPRESSED))
        self.refused(folder, COMPRESSED)

    def test_a_missing_field_is_named(self):
        folder = self.copy()
        self.replace_record(folder, COMPRESSED, lambda records: records[-1].pop("row_mean"))
        self.refused(folder, COMPRESSED, "'row_mean'")

    def test_a_broken_file_is_named(self):
        folder = self.copy()
        path = os.path.join(folder, PLAIN)
        os.remove(path)
        with open(path, "w") as file:
            file.write('{"records": [')
        self.refused(folder, PLAIN)

    def test_a_matrix_of_unknown_origin_is_named(self):
        folder = self.copy()
        self.replace_record(folder, COMPRESSED, lambda records: records[0].update(matrix="nobody"))
        self.refused(folder, "matrices.csv", "nobody")


if __name__ == "__main__":
    unittest.main()
