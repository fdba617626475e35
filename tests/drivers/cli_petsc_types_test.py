"""`quadrille solve` with every preconditioner and every method that PETSc has, by the names that it lists itself. Each either solves the
system or says in one sentence why not. Called with QUADRILLE WRONG_MATMULT_LIBRARY PETSC_TYPES [unittest options]."""
import concurrent.futures
import json
import os
import subprocess
import sys
import unittest

PETSC_TYPES = sys.argv.pop(3)

from cli_case import CliTest, SANITIZED

# The methods have no step where a format has no transpose to step with; these are there in every PETSc.
ALWAYS = ["-pc_type none", "-pc_type jacobi", "-pc_type pbjacobi", "-pc_type mg", "-ksp_type cg", "-ksp_type gmres",
          "-ksp_type bcgs", "-ksp_type minres", "-ksp_type fgmres", "-ksp_type richardson"]
# What fails halfway, with the solver in no state to be destroyed, or asks for single rows.
HARD = ["-pc_type eisenstat", "-pc_type kaczmarz", "-pc_type redistribute", "-pc_type deflation", "-pc_type fieldsplit"]


class PetscTypes(CliTest):
    # A solve that PETSc refuses leaves memory of PETSc's: no look for leaks.
    ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1",
                   "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}

    def record(self, pde, name, *options):
        path = self.path(name.replace(" ", ""))
        done = self.run_it("solve", *pde.split(), "--manufactured", "--quiet", "--json", path, "--", *options, env=self.ENVIRONMENT)
        if not os.path.exists(path):
            return done, None
        with open(path) as file:
            return done, json.load(file)["records"][0]

    def every_type(self, pde):
        """{option: exit code}, each checked against the solution of CG with Jacobi."""
        listed = subprocess.run([PETSC_TYPES], capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
        self.assertLessEqual(set(ALWAYS + HARD), set(listed))
        reference = self.record(pde, "reference", "-pc_type", "jacobi")[1]["error_l2"]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jacobi = lambda option: ["-pc_type", "jacobi"] * option.startswith("-ksp_type")  # by default a direct solver, on grids so small
            results = pool.map(lambda option: self.record(pde, option, *option.split(), *jacobi(option)), listed)
            for option, (done, record) in zip(listed, results):
                with self.subTest(pde=pde, option=option):
                    self.assert_answered(done, record, reference)
                yield option, done

    def assert_answered(self, done, record, reference):
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if done.returncode == 0:
            self.assertEqual(done.stderr, "")
            self.assertTrue(record["converged"])
            self.assertLess(record["residual"], 1e-4)
            self.assertLess(abs(record["error_l2"] - reference), 1e-3 * reference)
        else:
            self.assertRegex(done.stderr, r"\Aquadrille: [^\n]{20,}\n\Z")
            self.assertEqual(done.stdout, "")

    def test_each_solves_or_says_why_not(self):
        for pde in ["poisson --grid 9x7", "elasticity --grid 6x5 --format csr"][SANITIZED:]:
            codes = {option: done.returncode for option, done in self.every_type(pde)}
            self.assertEqual({option: codes[option] for option in ALWAYS}, {option: 0 for option in ALWAYS})

    # What works on AIJ works on every format, which PETSc sees as AIJ where it asks for entries.
    def test_what_petsc_makes_from_entries(self):
        for name in "lu", "ilu", "sor", "bjacobi", "gamg", "eisenstat", "deflation", "redistribute", "kaczmarz":
            for arguments in ["poisson", "--format", "cds"], ["poisson", "--format", "ell"], ["poisson", "--format", "petsc_aij"]:
                with self.subTest(name=name, arguments=arguments):
                    self.ok("solve", *arguments, "--grid", "7x6", "--", "-pc_type", name, "-pc_kaczmarz_symmetric", env=self.ENVIRONMENT)
        self.refused(2, ["two fields", "bare --"], "solve", "poisson", "--grid", "7x6", "--", "-pc_type", "fieldsplit",
                     env=self.ENVIRONMENT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
