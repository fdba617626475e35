"""Checkpoints of `quadrille solve` in time: kill and restart, damaged files, an end by the clock or a signal. Called with
QUADRILLE WRONG_MATMULT_LIBRARY MPIEXEC [unittest options]."""
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

MPIEXEC = sys.argv.pop(3)

from cli_case import CliTest, QUADRILLE

SMALL = ["gray_scott", "--grid", "20x20", "--dt", "2", "--no-progress"]
STEPS = ["--steps", "40", "--", "-ts_type", "cn"]


def parent_of(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def ranks_of(process):
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and parent_of(name) == process.pid]


def kill(process):
    """Or, of mpiexec, its ranks, while it starts no more of them; then it ends by itself."""
    process.send_signal(signal.SIGSTOP)
    ranks = ranks_of(process)
    for rank in ranks:
        os.kill(rank, signal.SIGKILL)
    if not ranks:
        process.kill()
    process.send_signal(signal.SIGCONT)


class Checkpoints(CliTest):
    def setUp(self):
        super().setUp()
        os.environ["OMP_NUM_THREADS"] = "1"

    def solve(self, *arguments, ending=STEPS):
        return self.run_it("solve", *SMALL, *arguments, *ending)

    def series(self, path):
        """All of an output, to the last bit."""
        try:
            import h5py
        except ImportError as missing:
            self.skipTest(str(missing))
        with h5py.File(path) as file:
            return [file[name][:].tobytes() for name in ("time", "u", "v")]

    def same_series(self, path, whole):
        """Of a file that began anew, for a run was killed while it wrote, the end."""
        last = -8 if os.path.exists(path.replace(".h5", ".unreadable.h5")) else 0
        self.assertEqual([values[last:] for values in self.series(path)], [values[last:] for values in self.series(whole)])

    def probed(self, name):
        with open(self.path(name + ".probe.csv")) as file:
            return file.read()

    def kept(self, name):
        return sorted(os.path.basename(path) for path in glob.glob(self.path(name + ".checkpoint-*")))

    # Killed at any moment it leaves checkpoints, and the same command again comes to the bits of a run that
    # nobody ended, with every step of its output.
    def test_killed_twenty_times_it_comes_to_the_same_bits(self):
        draw = random.Random(7)
        on_two = [MPIEXEC, "-n", "2", "--mca", "odls_base_sigkill_timeout", "0"]  # it waits for nobody who was killed
        for start, kills, steps in ([], 17, 40), (on_two, 3, 16):
            with self.subTest(start):
                for path in glob.glob(self.path("*.*")):
                    os.remove(path)
                self.killed_and_restarted(start, kills, steps, draw)

    def killed_and_restarted(self, start, kills, steps, draw):
        every = ["--checkpoint-every", "1", "--output-every", "4", "--restart", "auto", "--probe", "1.2,1.2"]
        whole, out = self.path("whole.h5"), self.path("end.h5")

        def command(path):
            return [*start, QUADRILLE, "solve", *SMALL, *every, "--output", path, "--steps", str(steps), *STEPS[2:]]

        def done(path):
            ended = subprocess.run(command(path), capture_output=True, text=True, timeout=300)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            return ended.stdout

        began = time.monotonic()
        self.assertIn("whole.checkpoint-*.h5 to go on from: the run starts", done(whole))
        took = time.monotonic() - began
        self.assertEqual(self.kept("whole"), [f"whole.checkpoint-{step}.h5" for step in (steps - 1, steps)])
        for _ in range(kills):
            on = self.kept("end")
            with subprocess.Popen(command(out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                time.sleep(draw.uniform(0, 0.5 * took) if on else draw.uniform(0.3 * took, 0.9 * took))
                kill(process)
                said = process.stderr.read()
            self.assertNotIn("cannot go on from", said)
            if process.returncode == 0:  # it was there: from the beginning again
                for path in glob.glob(self.path("end.*")):
                    os.remove(path)
        done(out)
        self.same_series(out, whole)
        self.assertEqual(self.probed("end"), self.probed("whole"))
        self.assertIn(f"end.checkpoint-{steps}.h5: step {steps}, {2 * steps} s, which is the end", done(out))
        self.assertEqual(self.probed("end"), self.probed("whole"))
        self.same_series(out, whole)

    # What it says of itself is whole, too.
    def test_a_run_that_is_at_its_end_says_so(self):
        run = ["--checkpoint-every", "4", "--output", self.path("c.h5")]
        steps = ["--steps", "4", "--", "-ts_type", "cn"]
        before = self.solve(*run, ending=steps)
        done = self.solve(*run, "--restart", "auto", "--initial", "1, x", ending=steps)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("which is the end; --initial is for the beginning alone\n", done.stdout)
        iterations = r"\d+ Newton and \d+ Krylov iterations: "
        (counts,) = re.findall(iterations, before.stdout)
        self.assertIn(f"done: 4 steps to 8 s, {counts}the checkpoint is of the end\n", done.stdout)
        self.assertRegex(done.stdout, r"ms per residual( \([0-9.e]+ times the floor\))?\n")

    def test_what_is_damaged_is_not_used(self):
        out = self.path("c.h5")
        every = ["--checkpoint-every", "16", "--output"]
        self.assertEqual(self.solve(*every, out).returncode, 0)
        before, at = self.path("c.checkpoint-16.h5"), self.path("c.checkpoint-32.h5")
        self.assertEqual(self.kept("c"), ["c.checkpoint-16.h5", "c.checkpoint-32.h5"])
        expected = self.series(out)
        import h5py  # series() would have skipped without it
        with open(at, "rb") as file:
            whole = file.read()
        with h5py.File(at) as file:
            place = file["u"].id.get_chunk_info(0).byte_offset if file["u"].chunks else file["u"].id.get_offset()
            t = file["options"].attrs["checkpoint_t"].decode()
        value = bytearray(whole)
        value[place + 8 * 57] ^= 1
        later = whole.replace(t.encode(), t.replace("p+6", "p+5").encode())
        self.assertNotEqual(later, whole)
        other = whole.replace(b"gray_scott on 20x20", b"gray_scott on 20x28")
        self.assertNotEqual(other, whole)
        for name, content in (("a byte", bytes(value)), ("the time", later), ("the problem", other), ("cut off", whole[:len(whole) // 2]), ("text", b"none")):
            for which in ("auto", at):
                with self.subTest(name, restart=which):
                    with open(at, "wb") as file:
                        file.write(content)
                    done = self.solve("--restart", which, *every, out)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("cannot go on from " + at, done.stderr)
                    self.assertIn("going on from the one before, " + before, done.stderr)
                    self.assertEqual(self.series(out), expected)
        os.truncate(out, os.path.getsize(out) // 2)  # as a run that was killed while it wrote may leave it
        done = self.solve("--restart", "auto", *every, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it is " + self.path("c.unreadable.h5") + " now, and a new one begins", done.stderr)
        self.assertEqual(self.series(out)[1][-8:], expected[1][-8:])
        good = shutil.copy(at, self.path("good.h5"))  # by a name of its own, into another output
        end = self.path("end.h5")
        self.assertEqual(self.solve("--restart", good, "--output", end).returncode, 0)
        self.assertEqual(self.series(end)[0][-8:], expected[0][-8:])
        with open(at, "wb") as file:
            file.write(b"none")
        self.refused(2, ["cannot go on from", "nothing.checkpoint-3.h5"], "solve", *SMALL, "--restart", self.path("nothing.checkpoint-3.h5"),
                     *STEPS)
        self.refused(2, ["gray_scott on 20x20", "this run is of gray_scott on 20x24"], "solve", "gray_scott", "--grid", "20x24", "--restart",
                     "auto", "--output", out, *STEPS)
        self.refused(2, ["has steps of 2 s", "of 1 s"], "solve", *SMALL[:3], "--restart", good, "--steps", "100", "--dt", "1")
        self.refused(2, ["it is there"], "solve", *SMALL, "--restart", good, "--output", end, *STEPS)
        self.refused(2, ["not before the end"], "solve", *SMALL, "--restart", good, "--steps", "32", "--", "-ts_type", "cn")
        self.refused(2, ["no checkpoint"], "solve", *SMALL, "--restart", end, *STEPS)
        self.path("c.probe.csv", "step,time [s],of another node\n")
        self.refused(2, ["c.probe.csv", "other columns"], "solve", *SMALL, "--restart", before, "--output", out, "--probe", "1,1",
                     *STEPS)
        with open(before, "wb") as file:
            file.write(b"none")
        self.refused(2, ["cannot go on from", "c.checkpoint-32.h5"], "solve", *SMALL, "--restart", at, *STEPS)
        done = self.solve("--restart", "auto", *every, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the run starts", done.stderr)
        self.assertEqual(self.series(out), expected)

    def test_what_is_no_number_is_told_with_its_step_and_what_goes_on(self):
        at = ["solve", "heat", "--grid", "8x8", "--steps", "20", "--dt", "1e-3", "--output", os.path.join(self.folder.name, "n.h5"),
              "--checkpoint-every", "3", "--source"]
        done = subprocess.run([QUADRILLE, *at, "(t > 0.0105)*(x > 0.5) ? sqrt(-t) : 1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"at t = 0.011\d* s is nan at node \(\d, 0, 0\), in step 11; "
                                      r"--restart .*n\.checkpoint-9\.h5 goes on from before\n\Z")

    # A small disk of our own, which gets larger in time for the run that goes on.
    def test_a_full_disk_leaves_what_was_kept(self):
        script = """mount -t tmpfs -o size=256k none "$0" || exit 77
                    cd "$0" && "$@"; echo code $?; ls
                    mount -o remount,size=8m "$0" && exec "$@" --restart auto"""
        for every, full in ([], r"c\.checkpoint-\d+\.h5"), (["--output-every", "1"], r"c\.h5"):
            command = ["solve", *SMALL, "--steps", "16", "--checkpoint-every", "4", "--output", "c.h5", *every]
            done = subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-c", script, self.folder.name,
                                   os.path.abspath(QUADRILLE), *command], capture_output=True, text=True)
            if done.returncode == 77 or "unshare" in done.stderr:
                self.skipTest("no mount namespaces here")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, rf"\Aquadrille: cannot write {full}: No space left on device\n\Z")
            before, after = done.stdout.split("going on from ")
            self.assertIn("code 3\n", before)
            kept = re.findall(r"c\.checkpoint-\d+\.h5", before)
            self.assertIn(len(kept), (1, 2))
            self.assertTrue(after.startswith(kept[-1] + ":"), done.stdout)  # of 4 and 8
            self.assertIn("done: 16 steps", after)

    # What an earlier run left with other numbers of steps is not taken for this one's.
    def test_a_run_from_the_beginning_replaces_what_was_there(self):
        out = ["--checkpoint-every", "8", "--output", self.path("c.h5")]
        self.assertEqual(self.solve(*out, ending=["--steps", "24", "--", "-ts_type", "cn"]).returncode, 0)
        self.assertEqual(self.solve(*out, ending=["--steps", "8", "--", "-ts_type", "cn"]).returncode, 0)
        self.assertEqual(self.kept("c"), ["c.checkpoint-8.h5"])

    # What rounding of times leaves before the end is no step; PETSc's count goes on from leg to leg.
    def test_checkpoints_leave_the_number_of_steps(self):
        run = ["solve", "heat", "--grid", "3x3", "--output", self.path("n.h5")]
        for steps, dt, every in [("50", "0.7", "7"), ("50", "0.7", "1"), ("97", "2e-6", "1"), ("33", "3e-5", "1")]:
            text = self.ok(*run, "--steps", steps, "--dt", dt, "--checkpoint-every", every)
            self.assertIn(f"done: {steps} steps", text)
        self.refused(1, ["after 3 steps", "-ts_max_steps"], *run, "--checkpoint-every", "2", "--", "-ts_max_steps", "3")

    def test_a_checkpoint_of_another_problem_is_refused(self):
        run = ["solve", "heat", "--grid", "8x8", "--dt", "0.001", "--output", self.path("h.h5"), "--checkpoint-every", "2"]
        self.ok(*run, "--steps", "4")
        self.refused(2, ["and this run is of heat", "manufactured"], *run, "--steps", "8", "--manufactured", "--restart", "auto")
        through_field = ["coefficient 1 + x, coefficient ratio 1 0.5 1"]
        self.refused(2, through_field, *run, "--steps", "8", "--coefficient", "1 + x", "--coefficient-ratio", "1,0.5", "--restart", "auto")
        every = ["--checkpoint-every", "2", "--output", self.path("p.h5"), "--restart", "auto", "--parameter"]
        self.assertEqual(self.solve(*every, "F=0.03", ending=["--steps", "2"]).returncode, 0)
        self.refused(2, ["periodic, F 0.03, and this run is of", "periodic, F 0.04"], "solve", *SMALL, *every, "F=0.04", "--steps", "4")
        self.assertIn("going on from", self.solve(*every, "F=0.03", ending=["--steps", "4"]).stdout)
        self.refused(2, ["is already the file of --restart"], *run, "--steps", "8", "--restart", self.path("h.checkpoint-4.h5"),
                     "--json", self.path("h.checkpoint-4.h5"))

    # HDF5 1.10 follows a heap of zeros for ever: what is read before the sum over the bits is known is in none.
    def test_a_page_of_zeros_is_no_end_without_an_end(self):
        every = ["--checkpoint-every", "2", "--output", self.path("z.h5")]
        self.assertEqual(self.solve(*every, ending=["--steps", "4", "--", "-ts_type", "cn"]).returncode, 0)
        path = self.path("z.checkpoint-4.h5")
        with open(path, "rb") as file:
            whole = file.read()
        for page in range(0, len(whole), 2048):
            with open(path, "wb") as file:
                file.write(whole[:page] + bytes(2048) + whole[page + 2048:])
            done = subprocess.run([QUADRILLE, "solve", *SMALL, "--steps", "6", "--restart", path, "--", "-ts_type", "cn"],
                                  capture_output=True, text=True, timeout=60)
            self.assertIn(done.returncode, (0, 2), (page, done.stderr))

    def test_a_step_that_fails_ends_it(self):
        """Right after a checkpoint, too, which nothing comes after."""
        run = ["solve", "heat", "--grid", "12x8", "--boundary", "clamp,value:0,clamp,clamp", "--steps", "5", "--dt", "0.01", "--checkpoint-every",
               "1", "--output", self.path("fails.h5"), "--", "-ksp_max_it", "1", "-ksp_rtol", "1e-14", "-pc_type", "none"]
        self.refused(1, ["after 0 steps", "the solves of steps failed"], *run)

    def test_the_clock_and_a_signal_end_it_with_a_checkpoint(self):
        out = ["--output", self.path("c.h5"), "--restart", "auto"]
        long = ["--until", "1e9", "--", "-ts_type", "cn", "-ts_adapt_type", "none"]
        began = time.monotonic()
        done = self.solve(*out, "--wall-time", "0.02", ending=long)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"by --wall-time; --restart .*c.checkpoint-\d+.h5 goes on")
        self.assertLess(time.monotonic() - began, 60)
        with subprocess.Popen([QUADRILLE, "solve", *SMALL, *out, *long], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.001)  # timeout(1) sends it to the program and to its group: no second wish
            process.send_signal(signal.SIGTERM)
            self.assertIn("by a signal", process.stderr.read())
        self.assertEqual(process.returncode, 1)
        self.assertEqual(len(self.kept("c")), 2)
        done = self.solve(*out, "--wall-time", "1s", "--checkpoint-every", "10min", ending=long)
        self.assertEqual(done.returncode, 1)
        self.assertIn("going on from", done.stdout)
        # To one rank alone, which is not the one that speaks.
        with subprocess.Popen([MPIEXEC, "-n", "2", QUADRILLE, "solve", *SMALL, *out, *long], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            time.sleep(2)
            os.kill(max(ranks_of(process)), signal.SIGTERM)
            said = process.stderr.read()
            self.assertIn("by a signal", said)
            self.assertNotIn("--wall-time", said)
        self.refused(2, ["no time of the clock"], "solve", *SMALL, "--wall-time", "10 days", *STEPS)
        self.refused(2, ["belongs to solve"], "solve", "bratu", "--restart", "auto")


if __name__ == "__main__":
    unittest.main()
