"""What a signal leaves of a run that is writing its files: nothing, and an exit status that says the signal. Called with
QUADRILLE WRONG_MATMULT_LIBRARY MPIEXEC SLOW_FSYNC_LIBRARY [unittest options]."""
import os
import signal
import subprocess
import sys
import time
import unittest

MPIEXEC = sys.argv.pop(3)
SLOW_FSYNC = os.path.abspath(sys.argv.pop(3))

import cli_case

QUADRILLE = os.path.abspath(cli_case.QUADRILLE)

QUIET = ["--space", "cpu", "--no-progress", "--quiet"]


class Signals(cli_case.CliTest):
    def files(self):
        return [name for name in os.listdir(self.folder.name) if name != "cache"]

    def until(self, condition):
        for _ in range(3000):
            if condition():
                return
            time.sleep(0.01)
        self.fail(f"not within 30 s; there are {self.files()}")

    def start(self, temporaries, command, before=(), **keywords):
        """Runs until so many temporary files are there; each is there until fsync returns, which takes a minute."""
        process = subprocess.Popen([*before, "env", "LD_PRELOAD=" + SLOW_FSYNC, QUADRILLE, *command], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder.name, **keywords)
        self.addCleanup(process.kill)
        self.until(lambda: sum(".quadrille-tmp-" in name for name in self.files()) == temporaries)
        return process

    def ends(self, process, number):
        _, words = process.communicate(timeout=30)
        self.assertEqual(process.returncode, -number, words)
        self.assertEqual(self.files(), [])

    def test_nothing_is_left(self):
        solve = ["solve", "poisson", "--grid", "12x12", *QUIET]
        spmv = ["spmv", "--grid", "12x12", "--repetitions", "1", "--format", "cds", *QUIET]
        for number, temporaries, command in [
                (signal.SIGINT, 2, [*solve, "--output", "u.h5"]), (signal.SIGTERM, 2, [*spmv, "--output", "u.h5"]),
                (signal.SIGHUP, 2, [*solve, "--output", "u.h5"]), (signal.SIGTERM, 1, [*spmv, "--json", "r.json"]),
                (signal.SIGXCPU, 1, [*spmv, "--csv", "r.csv"]), (signal.SIGINT, 1, ["info", "--json", "i.json", "--quiet"])]:
            with self.subTest(number=number, command=command):
                process = self.start(temporaries, command)
                process.send_signal(number)
                self.ends(process, number)

    def test_what_was_ignored_stays_ignored(self):
        process = self.start(1, ["info", "--json", "i.json", "--quiet"],
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.ends(process, signal.SIGTERM)

    def test_on_several_ranks(self):
        command = ["solve", "poisson", "--grid", "12x12", *QUIET, "--output", "u.h5"]
        # A loaded machine may take more than the second that Open MPI gives the ranks before it sends
        # SIGKILL.
        process = self.start(2, command, before=[MPIEXEC, "-n", "2", "--mca", "odls_base_sigkill_timeout", "5"])
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.files(), [])

    # The script that draws is a process of its own; here it would take more than a minute to give its file
    # the final name.
    def test_a_figure(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True).returncode:
            self.skipTest("no matplotlib")
        modules = self.path("modules")
        os.mkdir(modules)
        self.path("modules/sitecustomize.py", "import os, time\nos.replace = lambda *names: time.sleep(90)\n")
        process = subprocess.Popen([QUADRILLE, "bench", "dof-scaling", "--grid", "6x6", "--dofs", "1", "--repetitions", "1",
                                    "--format", "cds", *QUIET, "--plot", "p"],
                                   cwd=self.folder.name, env={**os.environ, "PYTHONPATH": modules})
        self.addCleanup(process.kill)
        self.until(lambda: any(name.startswith("p.tmp-") for name in self.files()))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), -signal.SIGTERM)
        self.until(lambda: self.files() == ["modules"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
