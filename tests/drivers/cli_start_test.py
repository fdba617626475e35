"""The program where MPI has little to start with: one process needs no launcher, no network and no folder, and what it cannot do
without gets one sentence. Called with QUADRILLE WRONG_MATMULT_LIBRARY [unittest options]."""
import os
import resource
import shutil
import subprocess
import sys
import unittest

from cli_case import CliTest, QUADRILLE, SANITIZED


class Start(CliTest):
    SMALL = ["inspect", "--grid", "4x4", "--quiet"]

    def bare(self, **more):
        """The environment without what sets up Open MPI, but for `more`."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PMI_"))}
        return {**kept, **more}

    def starts(self, *before, **more):
        done = subprocess.run([*before, QUADRILLE, *self.SMALL], env=self.bare(**more), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_without_the_programs_of_mpi_and_ssh(self):
        self.starts(PATH=self.folder.name)

    def test_without_a_network(self):
        alone = [shutil.which("unshare") or "unshare", "-n" if os.geteuid() == 0 else "-rn"]
        if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("no unshare here")
        self.starts(*alone)

    def test_without_a_folder_for_temporary_files(self):
        self.starts(TMPDIR=self.path("nowhere"))
        self.starts(TMPDIR=self.path("file", ""))
        self.starts(TMPDIR=self.folder.name)
        self.assertEqual(os.listdir(self.folder.name), ["file"])

    def test_many_at_once_do_not_meet(self):
        for more in {}, {"OMPI_MCA_btl": "self,vader"}:
            running = [subprocess.Popen([QUADRILLE, *self.SMALL], env=self.bare(OMP_NUM_THREADS="1", **more), stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True) for _ in range(8 if SANITIZED else 20)]
            for process in running:
                text, _ = process.communicate(timeout=120)
                self.assertEqual((process.returncode, text), (0, ""))

    @unittest.skipIf(SANITIZED, "the sanitizers open files of their own")
    def test_too_few_files_are_said_in_a_sentence(self):
        for files in 5, 8, 12, 18:
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
            self.refused(3, ["ulimit -n"], *self.SMALL, env=self.bare(), preexec_fn=limit)

    def test_what_ends_mpi_is_said_in_a_sentence(self):
        for more in {"OMPI_MCA_pml": "nosuch"}, {"OMPI_MCA_ess_singleton_isolated": "0", "OMPI_MCA_plm": "nosuch"}:
            self.refused(3, ["MPI could not start"], *self.SMALL, env=self.bare(**more))

    def test_fewer_threads_than_asked_for_are_taken(self):
        if os.geteuid() != 0 or SANITIZED:
            self.skipTest("only root can become a user without other processes")

        def as_another_user():
            resource.setrlimit(resource.RLIMIT_NPROC, (5, 5))
            os.setgid(54321)
            os.setuid(54321)

        for arguments in [["solve", "poisson", "--grid", "24x24", "--space", "cpu"], ["inspect", "--grid", "24x24"]]:
            try:
                done = self.run_it(*arguments, "--threads", "16", cwd="/", preexec_fn=as_another_user,
                                   env=self.bare(HOME="/", OPENBLAS_NUM_THREADS="1"))
            except PermissionError:
                self.skipTest("another user cannot run the program")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"\Aquadrille: note: the system starts [1-4] of 16 threads [^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2)
