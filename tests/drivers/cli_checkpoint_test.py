"""Checkpoints of `quadrille solve` in time: kill and restart, damaged files, an end by the clock or a signal."""
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from cli_case import CliTest, QUADRILLE

SMALL = ["gray_scott", "--grid", "20x20", "--dt", "2", "--no-progress"]
STEPS = ["--steps", "40", "--", "-ts_type", "cn"]


class Checkpoints(CliTest):
    def setUp(self):
        super().setUp()
        os.environ["OMP_NUM_THREADS"] = "1"

    def solve(self, *arguments, ending=STEPS):
        return self.run_it("solve", *SMALL, *arguments, *ending)

    def last(self, path):
        try:
            import h5py
        except ImportError as missing:
            self.skipTest(str(missing))
        with h5py.File(path) as file:
            return [file[name][-1].tobytes() for name in ("time", "u", "v")]

    # A process that is killed at any moment leaves a checkpoint, and from the last of them the bits are those of a run that
    # nobody ended.
    def test_killed_twenty_times_it_comes_to_the_same_bits(self):
        every = ["--checkpoint", self.path("c.h5"), "--checkpoint-every", "1"]
        whole = self.path("whole.h5")
        began = time.monotonic()
        self.assertEqual(self.solve(*every, "--output", whole).returncode, 0)
        took = time.monotonic() - began
        os.remove(self.path("c.h5"))
        os.remove(self.path("c.previous.h5"))
        draw = random.Random(7)
        out, killed = self.path("end.h5"), 0
        while killed < 20:
            for name in ("end.h5", "end.xdmf"):
                if os.path.exists(self.path(name)):
                    os.remove(self.path(name))
            on = ["--restart", self.path("c.h5")] if os.path.exists(self.path("c.h5")) else []
            command = [QUADRILLE, "solve", *SMALL, *on, *every, "--output", out, *STEPS]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                time.sleep(draw.uniform(0.3 * took, 0.9 * took) if on == [] else draw.uniform(0, 0.5 * took))
                process.kill()
                said = process.stderr.read()
            killed += 1
            self.assertNotIn("cannot go on", said)
            if "not before the end" in said or process.returncode == 0:  # it was there: from the beginning again
                os.remove(self.path("c.h5"))
        for name in ("end.h5", "end.xdmf"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        on = ["--restart", self.path("c.h5")] if os.path.exists(self.path("c.h5")) else []
        done = self.solve(*on, *every, "--output", out)
        if done.returncode == 2:
            self.assertIn("not before the end", done.stderr)
            out = self.path("c.h5")
        else:
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.last(out), self.last(whole))

    def test_what_is_damaged_is_not_used(self):
        at = self.path("c.h5")
        self.assertEqual(self.solve("--checkpoint", at, "--checkpoint-every", "16").returncode, 0)
        good = self.path("good.h5")
        shutil.copy(at, good)
        before = self.path("c.previous.h5")
        with open(at, "rb") as file:
            whole = file.read()
        end = self.path("end.h5")
        every = ["--checkpoint-every", "16", "--checkpoint", self.path("other.h5")]
        self.assertEqual(self.solve("--restart", good, *every, "--output", end).returncode, 0)
        expected = self.last(end)
        import h5py  # last() would have skipped without it
        with h5py.File(at) as file:
            place = file["u"].id.get_chunk_info(0).byte_offset if file["u"].chunks else file["u"].id.get_offset()
        damaged = bytearray(whole)
        damaged[place + 8 * 57] ^= 1
        for name, content in (("a byte", bytes(damaged)), ("cut off", whole[:len(whole) // 2]), ("text", b"no checkpoint")):
            with self.subTest(name):
                with open(at, "wb") as file:
                    file.write(content)
                os.remove(end)
                done = self.solve("--restart", at, *every, "--output", end)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("going on from the one before", done.stderr)
                self.assertEqual(self.last(end), expected)
        os.remove(before)
        self.refused(2, ["cannot go on from", "c.h5"], "solve", *SMALL, "--restart", at, *STEPS)
        self.refused(2, ["gray_scott on 20x20", "this run is of gray_scott on 20x24"], "solve", "gray_scott", "--grid", "20x24", "--restart",
                     good, *STEPS)
        self.refused(2, ["it is there"], "solve", *SMALL, "--restart", good, "--output", end, *STEPS)
        self.refused(2, ["not before the end"], "solve", *SMALL, "--restart", good, "--steps", "32", "--", "-ts_type", "cn")
        self.refused(2, ["no checkpoint"], "solve", *SMALL, "--restart", end, *STEPS)

    def test_the_clock_and_a_signal_end_it_with_a_checkpoint(self):
        at = self.path("c.h5")
        long = ["--until", "1e9", "--", "-ts_type", "cn", "-ts_adapt_type", "none"]
        began = time.monotonic()
        done = self.solve("--checkpoint", at, "--wall-time", "1s", ending=long)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("by --wall-time; --restart", done.stderr)
        self.assertLess(time.monotonic() - began, 60)
        with subprocess.Popen([QUADRILLE, "solve", *SMALL, "--restart", at, "--checkpoint", at, *long], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
            self.assertIn("by a signal", process.stderr.read())
        self.assertEqual(process.returncode, 1)
        self.assertEqual(self.solve("--restart", at, "--wall-time", "1s", "--checkpoint", at, ending=long).returncode, 1)
        self.refused(2, ["no time of the clock"], "solve", *SMALL, "--wall-time", "10", *STEPS)
        self.refused(2, ["belongs to solve"], "solve", "bratu", "--restart", at)


if __name__ == "__main__":
    unittest.main()
