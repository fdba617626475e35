"""Runs the program from outside, for the cli_*_test.py, each of which is called with
QUADRILLE WRONG_MATMULT_LIBRARY [unittest options]."""
import os
import subprocess
import sys
import tempfile
import unittest

QUADRILLE = sys.argv.pop(1)
WRONG_MATMULT = sys.argv.pop(1)
# Sanitizers need threads, files and address space of their own; and what a test says of numbers is the same
# without them.
SANITIZED = "ASAN_OPTIONS" in os.environ
CPU_FORMATS = "csr csc coo bcsr dia cds ell ellr_t rg_csr cmrs hyb compact stencil_table petsc_aij".split()
RECORD = """bench space device format precision operator matrix grid dof stencil boundary product rows nnz stored_bytes compulsory_bytes
ms_median ms_min ms_max repetitions gflops gbps ceiling_gbps fraction_of_floor in_cache convert_ms upload_ms checked
rows_checked error_over_bound skipped""".split()


def of_numbers(test):
    return unittest.skipIf(SANITIZED, "the numbers are those without the sanitizers, and other tests run the code")(test)


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.environ["QUADRILLE_CACHE"] = os.path.join(self.folder.name, "cache")  # made when something is remembered

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, "wb" if isinstance(content, bytes) else "w") as file:
                file.write(content)
        return path

    def datasets(self, name="given.h5", **values):
        """An HDF5 file of them."""
        import h5py
        path = self.path(name)
        with h5py.File(path, "w") as file:
            for dataset, numbers in values.items():
                file[dataset] = numbers
        return path

    def run_it(self, *arguments, **keywords):
        return subprocess.run([QUADRILLE, *arguments], capture_output=True, text=True, timeout=300, **keywords)

    def on_terminal(self, *arguments):
        """What standard error shows there, of a run that is well."""
        ours, theirs = os.openpty()
        subprocess.run([QUADRILLE, *arguments], stdout=subprocess.DEVNULL, stderr=theirs, check=True, timeout=60)
        os.write(theirs, b"end")
        seen = os.read(ours, 65536).decode()
        os.close(ours)
        os.close(theirs)
        return seen

    def ok(self, *arguments, **keywords):
        done = self.run_it(*arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, code, words, *arguments, **keywords):
        done = self.run_it(*arguments, **keywords)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("quadrille: "), lines)
        for word in words:
            self.assertIn(word, lines[0])
