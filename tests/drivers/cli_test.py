"""The command's contract, seen from outside: exit codes, sentences, JSON and CSV, files that survive.
Usage: cli_test.py QUADRILLE WRONG_MATMULT_LIBRARY [unittest options]"""
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

QUADRILLE = sys.argv.pop(1)
WRONG_MATMULT = sys.argv.pop(1)
CPU_FORMATS = "csr csc coo bcsr dia cds ell ellr_t rg_csr cmrs hyb petsc_aij".split()
RECORD = """bench space device format precision operator grid dof stencil boundary product rows nnz stored_bytes compulsory_bytes
ms_median ms_min ms_max repetitions gflops gbps ceiling_gbps fraction_of_floor in_cache convert_ms upload_ms checked
rows_checked error_over_bound skipped""".split()


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, "wb" if isinstance(content, bytes) else "w") as file:
                file.write(content)
        return path

    def run_it(self, *arguments, **keywords):
        return subprocess.run([QUADRILLE, *arguments], capture_output=True, text=True, timeout=300, **keywords)

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


class Spmv(CliTest):
    def test_every_format_is_checked_and_reported(self):
        for precision in ["fp64", "fp32"]:
            names = CPU_FORMATS if precision == "fp64" else CPU_FORMATS[:-1]
            out, table = self.path("out.json"), self.path("out.csv")
            screen = self.ok("spmv", "--grid", "9x8x7", "--dof", "3", "--space", "cpu", "--precision", precision,
                             "--repetitions", "2", "--json", out, "--csv", table)
            report = json.load(open(out))
            self.assertEqual(list(report), ["machine", "command", "version", "date", "ceilings", "records"])
            self.assertIn("--dof 3", report["command"])
            self.assertRegex(report["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertEqual([r["format"] for r in report["records"]], names)
            for record in report["records"]:
                self.assertEqual(list(record), RECORD)
                self.assertEqual((record["rows"], record["dof"], record["precision"]), (9 * 8 * 7 * 3, 3, precision))
                self.assertIsNone(record["skipped"])
                self.assertTrue(record["checked"])
                self.assertLessEqual(record["error_over_bound"], 1)
                self.assertGreaterEqual(record["ms_max"], record["ms_median"])
                self.assertGreaterEqual(record["ms_median"], record["ms_min"])
                self.assertGreater(record["ms_min"], 0)
                self.assertGreater(record["stored_bytes"], record["nnz"] * (8 if precision == "fp64" else 4) - 1)
                self.assertIn(record["format"], screen)
            rows = list(csv.DictReader(open(table)))
            self.assertEqual([row["format"] for row in rows], names)

    def test_every_operator_boundary_and_stencil_runs(self):
        stencil = self.path("stencil.txt", "# a custom one\n0 0\n1 0\n0 -2\n")
        for arguments in [["--operator", "laplacian", "--stencil", "star", "--radius", "4"],
                          ["--operator", "laplacian", "--stencil", "box"], ["--operator", "diffusion"],
                          ["--operator", "elasticity"], ["--stencil", stencil, "--dof", "2"],
                          ["--boundary", "periodic,periodic,clamp,value:2.5"], ["--grid", "1x1"]]:
            grid = [] if "--grid" in arguments else ["--grid", "13x11"]
            self.ok("spmv", *grid, *arguments, "--space", "cpu", "--repetitions", "1", "--quiet")

    def test_quiet_says_nothing_and_auto_explains_itself(self):
        base = ["spmv", "--grid", "16x16", "--repetitions", "1", "--space", "cpu"]
        self.assertEqual(self.ok(*base, "--quiet"), "")
        self.assertRegex(self.ok(*base, "--format", "auto"), r"auto: \w+ on cpu, the fewest bytes per product")

    def test_the_result_does_not_depend_on_threads(self):
        def result(threads):
            out = self.path(f"{threads}.h5")
            self.ok("spmv", "--grid", "20x19", "--dof", "2", "--format", "cds", "--threads", threads, "--repetitions",
                    "1", "--output", out, "--space", "cpu")
            try:
                import h5py
            except ImportError:
                self.skipTest("no h5py")
            return h5py.File(out)["result"][...].tobytes()
        self.assertEqual(result("1"), result("3"))

    def test_a_wrong_product_is_noticed_and_ends_with_1(self):
        done = self.run_it("spmv", "--grid", "8x8", "--repetitions", "1", "--format", "csr,petsc_aij", "--space", "cpu",
                           env={**os.environ, "LD_PRELOAD": WRONG_MATMULT})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("csr on cpu is wrong in row 0", done.stderr)
        self.assertIn("NO", done.stdout)

    def test_transposed_products_and_several_vectors(self):
        out = self.path("out.json")
        self.ok("spmv", "--grid", "9x8x7", "--dof", "3", "--transpose", "--repetitions", "2", "--space", "cpu",
                "--json", out)
        records = json.load(open(out))["records"]
        passed = {r["format"] for r in records if r["skipped"] is None}
        self.assertEqual(passed, {"csr", "csc", "dia", "cds", "petsc_aij"})
        for record in records:
            self.assertEqual(record["product"], "A^T x")
            self.assertTrue(record["skipped"] or record["error_over_bound"] <= 1)
        self.ok("spmv", "--grid", "9x8x7", "--dof", "3", "--vectors", "4", "--repetitions", "2", "--space", "cpu",
                "--format", "cds,ell", "--json", out)
        for record in json.load(open(out))["records"]:
            self.assertEqual(record["product"], "A X with 4 vectors")
            self.assertLessEqual(record["error_over_bound"], 1)
            self.assertAlmostEqual(record["gflops"], 8e-6 * record["nnz"] / record["ms_median"])
            self.assertGreater(record["compulsory_bytes"], record["stored_bytes"] + 8 * 8 * record["rows"] - 1)
        self.refused(2, ["--transpose"], "spmv", "--grid", "9x8", "--transpose", "--output", self.path("y.h5"))

    def test_a_check_on_slabs_says_which_rows_and_makes_no_csr(self):
        out = self.path("out.json")
        text = self.ok("spmv", "--grid", "65536x40", "--dof", "1", "--check", "slabs", "--repetitions", "2", "--space",
                       "cpu", "--format", "cds,dia,csr", "--json", out)
        self.assertIn("checked 1048576 rows in slabs of lines 0, ", text)
        records = {r["format"]: r for r in json.load(open(out))["records"]}
        self.assertIn("--check slabs", records["csr"]["skipped"])
        for name in "cds", "dia":
            self.assertTrue(records[name]["rows_checked"].endswith(", 39 of 40"))
            self.assertLessEqual(records[name]["error_over_bound"], 1)

    def test_petsc_options_reach_petsc_and_unused_ones_are_named(self):
        done = self.run_it("spmv", "--grid", "4x4", "--repetitions", "1", "--", "-options_left", "0", "-no_such_thing")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("-no_such_thing", done.stderr)

    def test_bad_petsc_options_get_a_sentence_and_2(self):
        self.refused(2, ["nosuch", "--"], "spmv", "--grid", "4x4", "--", "-options_file", "nosuch")

    def test_without_a_gpu_cuda_is_refused_with_3(self):
        if "GPU       none" in self.ok("info"):
            self.refused(3, ["--space cpu"], "spmv", "--grid", "4x4", "--space", "cuda")


class Matrices(CliTest):
    GOOD = "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 3\n3 3 4\n1 3 -1\n"

    def test_plain_and_gzip(self):
        for path in [self.path("a.mtx", self.GOOD), self.path("b.mtx.gz", gzip.compress(self.GOOD.encode()))]:
            out = self.path("out.json")
            self.ok("spmv", "--matrix", path, "--repetitions", "1", "--json", out, "--space", "cpu")
            self.assertEqual({r["nnz"] for r in json.load(open(out))["records"]}, {4})
            self.assertIn("4", self.ok("inspect", path))

    def test_rectangular_matrices_skip_what_needs_a_square(self):
        path = self.path("w.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 3 5\n2 1 7\n")
        out = self.path("out.json")
        self.ok("spmv", "--matrix", path, "--repetitions", "1", "--json", out, "--space", "cpu")
        records = {r["format"]: r for r in json.load(open(out))["records"]}
        self.assertIn("square", records["cds"]["skipped"])
        self.assertTrue(records["dia"]["checked"])
        self.refused(2, ["square"], "spmv", "--matrix", path, "--format", "cds", "--quiet")

    def test_nan_and_inf_are_reported_and_computed_with(self):
        path = self.path("n.mtx", self.GOOD.replace("\n2 2 3", "\n2 2 nan").replace("\n3 3 4\n1 3", "\n3 3 inf\n1 3"))
        screen = self.ok("spmv", "--matrix", path, "--repetitions", "1", "--space", "cpu")
        self.assertIn("2 entries are NaN or Inf", screen)
        self.assertIn("2 numbers of A x are NaN or Inf", screen)

    def test_bad_files_get_a_sentence_and_2(self):
        head = "%%MatrixMarket matrix coordinate real general\n"
        for content, word in [(head + "3 3 1000000000000\n1 1 1\n", "2^31"),
                              (head + "3 3 2000000000\n1 1 1\n", "2000000000"), (head + "2 2 2\n1 1 1\n", ""),
                              (head + "2 2 1\n3 1 1\n", ""), (head + "2 2 1\n1 1 abc\n", "abc"), ("", ""),
                              ("hello\n", ""), (b"\x1f\x8b\x08\x00garbage", "")]:
            self.refused(2, [word, "bad.mtx"], "spmv", "--matrix", self.path("bad.mtx", content))
        self.refused(2, ["missing.mtx"], "inspect", self.path("missing.mtx"))
        self.refused(2, [self.folder.name], "inspect", self.folder.name)

    def test_fields_need_a_grid(self):
        self.refused(2, ["--output"], "spmv", "--matrix", self.path("a.mtx", self.GOOD), "--output", self.path("f.h5"))


class BadInput(CliTest):
    def test_sentences_and_2(self):
        for arguments, word in [(["--grid", "0x4"], "0x4"), (["--grid", "-3x4"], "-3x4"), (["--grid", "4"], "4"),
                                (["--grid", "axb"], "axb"), (["--dof", "0"], "0"), (["--dof", "65"], "65"),
                                (["--grid", "9999999999x9999999999x9999999999"], "64 bits"),
                                (["--operator", "laplacien"], "laplacian"), (["--format", "cdss"], "cds"),
                                (["--stencil", "stra"], "star"), (["--boundary", "periodc"], "periodic"),
                                (["--boundary", "periodic,drop,drop,drop"], "periodic"), (["--radius", "9"], "9"),
                                (["--repetitions", "0"], "0"), (["--seed", "-1"], "-1"), (["--gird", "3x3"], "--grid"),
                                (["--precision", "fp16"], "fp32"), (["--space", "gpu"], "cpu"),
                                (["--operator", "elasticity", "--dof", "5"], "5"), (["--config", "nope.ini"], "nope.ini")]:
            self.refused(2, [word], "spmv", *(["--grid", "4x4"] if "--grid" not in arguments else []), *arguments)
        self.refused(2, ["spmv"], "smpv")

    def test_too_large_names_needed_and_free_bytes_at_once(self):
        self.refused(3, ["needs", "free", "TiB"], "spmv", "--grid", "20000x20000x200", "--dof", "4")
        self.refused(2, ["64 bits"], "spmv", "--grid", "1000000000x1000000000x4", "--dof", "8")

    def test_validate_prints_a_config_that_reads_back(self):
        text = self.ok("spmv", "--grid", "5x6", "--dof", "2", "--boundary", "clamp", "--seed", "7", "--validate")
        self.assertIn("seed = 7", text)
        again = self.ok("spmv", "--config", self.path("c.ini", text), "--validate")
        self.assertEqual(text, again)


class Output(CliTest):
    ARGUMENTS = ["spmv", "--format", "cds", "--repetitions", "1", "--space", "cpu"]

    def test_what_cannot_be_written_is_found_before_the_work(self):
        self.refused(3, ["nowhere"], *self.ARGUMENTS, "--grid", "40x40", "--output", self.path("nowhere/f.h5"))
        self.refused(3, ["nowhere"], *self.ARGUMENTS, "--json", self.path("nowhere/f.json"))
        self.refused(3, [self.folder.name], *self.ARGUMENTS, "--csv", self.folder.name)

    def test_a_full_disk_leaves_the_old_file(self):
        # A small disk of our own, in a mount namespace of our own.
        script = """mount -t tmpfs -o size=64k none "$0" || exit 77
                    cd "$0" && echo precious > f.h5 && "$@" --output f.h5; code=$?
                    cat f.h5; ls; exit $code"""
        done = subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-c", script,
                               self.folder.name, os.path.abspath(QUADRILLE), *self.ARGUMENTS, "--grid", "90x90", "--quiet"],
                              capture_output=True, text=True)
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("no mount namespaces here")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(done.stdout, "precious\nf.h5\n")

    def test_fields_and_options_are_in_the_file(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        path = self.path("f.h5")
        self.ok(*self.ARGUMENTS, "--grid", "40x40", "--dof", "2", "--boundary", "value:3", "--output", path)
        with h5py.File(path) as file:
            self.assertEqual(file["result"].shape, (1, 1, 40, 40, 2))
            self.assertIn("boundary_rhs", file)
            self.assertEqual(file["options"].attrs["boundary"], "value:3")
        self.assertIn("f.h5:/result", open(self.path("f.xdmf")).read())


    def test_no_output_takes_the_place_of_an_input_or_another_output(self):
        matrix = self.path("a.mtx", Matrices.GOOD)
        link = self.path("link.mtx")
        os.symlink("a.mtx", link)
        for arguments in [["inspect", matrix, "--json", matrix], ["inspect", matrix, "--json", link],
                          [*self.ARGUMENTS, "--output", self.path("y.h5"), "--json", self.path("y.xdmf")],
                          [*self.ARGUMENTS, "--json", self.path("a"), "--csv", self.path("./a")]]:
            self.refused(2, ["is already the file of"], *arguments)
        self.assertEqual(open(matrix).read(), Matrices.GOOD)

    def test_json_on_standard_output_follows_the_table(self):
        with open(self.path("o.txt"), "w") as file:
            subprocess.run([QUADRILLE, *self.ARGUMENTS, "--grid", "8x8", "--json", "/dev/stdout"], stdout=file, check=True)
        text = open(self.path("o.txt")).read()
        self.assertTrue(text.startswith("assembled"), text[:80])
        json.loads(text[text.index("\n{") :])

    def test_a_lost_standard_output_is_noticed(self):
        with open("/dev/full", "w") as file:
            done = subprocess.run([QUADRILLE, *self.ARGUMENTS, "--grid", "8x8"], stdout=file, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("standard output", done.stderr)

    def test_dangling_links_are_followed(self):
        os.symlink("target.json", self.path("link.json"))
        self.ok(*self.ARGUMENTS, "--grid", "8x8", "--json", self.path("link.json"))
        self.assertTrue(os.path.islink(self.path("link.json")))
        json.load(open(self.path("target.json")))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["link.json", "target.json"])


class Inspect(CliTest):
    def test_sizes_and_row_lengths(self):
        out = self.path("out.json")
        screen = self.ok("inspect", "--grid", "5x4", "--dof", "2", "--json", out)
        for text in ["40 x 40", "328", "5 block diagonals of 2 x 2 blocks", "shortest 6", "longest 10"]:
            self.assertIn(text, screen)
        records = {r["format"]: r for r in json.load(open(out))["records"]}
        self.assertEqual(records["cds"]["stored_bytes"], 5 * 2 * 40 * 8 + 5 * 12)
        self.assertEqual(records["csr"]["stored_bytes"], 41 * 4 + 328 * 12)

    def test_a_format_with_absurd_fill_says_so(self):
        n = 3000
        entries = [f"{i} {i} 1" for i in range(1, n + 1)] + [f"1 {j} 1" for j in range(2, n + 1)]
        path = self.path("arrow.mtx", "%%MatrixMarket matrix coordinate real general\n"
                         f"{n} {n} {len(entries)}\n" + "\n".join(entries) + "\n")
        self.assertRegex(self.ok("inspect", path), r"ell: would store \S+ MiB, mostly padding")


class Bench(CliTest):
    TINY = ["--grid", "8x8,4x5x3", "--dofs", "1-2", "--repetitions", "2", "--space", "cpu"]
    SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../drivers/support/plot_bench.py")

    def draw(self, *arguments, options=("-B",)):
        return subprocess.run([sys.executable, *options, self.SCRIPT, *arguments], capture_output=True, text=True)

    def require_matplotlib(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")

    def test_every_point_of_the_sweep_is_checked_and_reported(self):
        points = [(precision, grid, dof) for precision in ["fp64", "fp32"] for grid in ["8x8", "4x5x3"] for dof in [1, 2]]
        for name, quantity in [("dof-scaling", "GFLOP/s"), ("bandwidth", "GB/s")]:
            out, table = self.path("out.json"), self.path("out.csv")
            screen = self.ok("bench", name, *self.TINY, "--json", out, "--csv", table)
            report = json.load(open(out))
            self.assertEqual(list(report), ["machine", "command", "version", "date", "ceilings", "records"])
            expected = [(*point, format) for point in points for format in "cds dia ell bcsr csr petsc_aij".split()
                        if format != "petsc_aij" or point[0] == "fp64"]
            records = report["records"]
            self.assertEqual([(r["precision"], r["grid"], r["dof"], r["format"]) for r in records], expected)
            for r in records:
                self.assertEqual(list(r), RECORD)
                self.assertEqual((r["bench"], r["space"], r["operator"], r["repetitions"]), (name, "cpu", "random", 2))
                self.assertIsNone(r["skipped"])
                self.assertTrue(r["checked"] and r["error_over_bound"] <= 1, r)
                self.assertAlmostEqual(r["gflops"], 2e-6 * r["nnz"] / r["ms_median"], delta=1e-9 * r["gflops"])
                self.assertAlmostEqual(r["gbps"], 1e-6 * r["compulsory_bytes"] / r["ms_median"], delta=1e-9 * r["gbps"])
                self.assertEqual(r["rows"], r["dof"] * (64 if r["grid"] == "8x8" else 60))
            self.assertEqual({r["nnz"] for r in records if (r["grid"], r["dof"]) == ("8x8", 2)}, {4 * (5 * 64 - 32)})
            self.assertEqual([row["dof"] for row in csv.DictReader(open(table))], [str(r["dof"]) for r in records])
            for words in ["8x8, fp64", "4x5x3, fp32", quantity, "petsc_aij"]:
                self.assertIn(words, screen)
            self.assertEqual("stream" in screen, name == "bandwidth")

    def test_lists_and_the_order_of_formats_are_kept(self):
        out = self.path("out.json")
        self.assertEqual("", self.ok("bench", "dof-scaling", "--grid", "5x5", "--dofs", "4,1", "--precision", "fp32", "--format",
                                     "csr,cds", "--repetitions", "1", "--space", "cpu", "--quiet", "--json", out))
        self.assertEqual([(r["dof"], r["format"]) for r in json.load(open(out))["records"]],
                         [(1, "csr"), (1, "cds"), (4, "csr"), (4, "cds")])

    def test_the_figure_is_drawn(self):
        self.require_matplotlib()
        import xml.etree.ElementTree
        prefix = self.path("fi gure")
        self.ok("bench", "bandwidth", *self.TINY, "--plot", prefix, "--json", self.path("out.json"))
        again = self.draw(self.path("out.json"), self.path("again"))
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        for start in [prefix, self.path("again")]:
            picture = open(start + ".png", "rb").read()
            self.assertTrue(picture.startswith(b"\x89PNG\r\n") and len(picture) > 20000, len(picture))
            drawing = xml.etree.ElementTree.parse(start + ".svg").getroot()
            self.assertGreater(len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))), 50)
        self.assertFalse([name for name in os.listdir(self.folder.name) if ".tmp-" in name])
        other = self.draw(self.path("out.json"), self.path("other"), "--as", "dof-scaling")
        self.assertEqual((other.returncode, other.stderr), (0, ""))
        self.assertNotEqual(open(self.path("other.png"), "rb").read(), open(self.path("again.png"), "rb").read())

    def test_the_script_says_what_is_wrong(self):
        self.require_matplotlib()
        spmv = self.path("spmv.json")
        self.ok("spmv", "--grid", "4x4", "--repetitions", "1", "--space", "cpu", "--format", "cds", "--json", spmv)
        good = self.path("good.json")
        self.ok("bench", "bandwidth", "--grid", "4x4", "--dofs", "1", "--repetitions", "1", "--space", "cpu", "--json", good)
        for arguments, words in [([self.path("none.json"), "p"], "No such file"), ([spmv, "p"], "not the records of one bench"),
                                 ([self.path("text", "{"), "p"], "not a JSON file"), ([self.path("list", "[]"), "p"], "not the"),
                                 ([good, self.path("nowhere/p")], "cannot write")]:
            done = self.draw(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = self.draw(good, self.path("p"), options=("-S", "-E", "-B"))  # no site packages: no matplotlib
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("install", done.stderr)

    def test_a_wrong_product_ends_with_1_after_the_sweep(self):
        out = self.path("out.json")
        done = self.run_it("bench", "dof-scaling", *self.TINY, "--format", "csr,petsc_aij", "--precision", "fp64", "--json", out,
                           env={**os.environ, "LD_PRELOAD": WRONG_MATMULT})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("csr on cpu is wrong in row 0", done.stderr)
        self.assertRegex(done.stdout, r"\d!")
        self.assertEqual(len(json.load(open(out))["records"]), 8)

    def test_what_is_too_large_does_not_end_the_sweep(self):
        out = self.path("out.json")
        arguments = ["--dofs", "1", "--repetitions", "1", "--space", "cpu", "--precision", "fp64", "--json", out]
        screen = self.ok("bench", "dof-scaling", "--grid", "200000x200000x200,8x8", *arguments)
        self.assertIn("- cds, dia, ell, bcsr, csr, petsc_aij, DoF 1: not enough memory", screen)
        records = json.load(open(out))["records"]
        self.assertEqual([bool(r["skipped"]) for r in records], [True] * 6 + [False] * 6)
        self.assertEqual(records[0]["rows"], 200000 * 200000 * 200)
        self.refused(3, ["memory", "needs"], "bench", "dof-scaling", "--grid", "200000x200000x200", *arguments, "--quiet")

    def test_mistakes_get_a_sentence_and_2(self):
        for arguments, word in [([], "dof-scaling or bandwidth"), (["bandwith"], "did you mean 'bandwidth'"),
                                (["bandwidth", "--dofs", "0-3"], "1 to 64"), (["bandwidth", "--dofs", "3-1"], "3-1"),
                                (["bandwidth", "--grid", "8x8,4"], "two or three"), (["bandwidth", "--dof", "2"], "--dof"),
                                (["bandwidth", "--plot", "a.png"], "ending")]:
            self.refused(2, [word], "bench", *arguments)
        self.refused(3, ["nowhere"], "bench", "bandwidth", *self.TINY, "--plot", self.path("nowhere/p"))

    def test_validate_prints_a_config_that_reads_back(self):
        text = self.ok("bench", "bandwidth", *self.TINY, "--validate")
        self.assertIn("experiment = bandwidth\ngrid = 8x8,4x5x3\ndofs = 1,2\n", text)
        config = self.path("c.ini", text)
        self.assertEqual(text, self.ok("bench", "--config", config, "--validate"))
        self.assertIn("experiment = dof-scaling", self.ok("bench", "dof-scaling", "--config", config, "--validate"))


class Solve(CliTest):
    RECORD = """pde space format precision grid dof ranks unknowns h iterations converged reason residual error_l2
error_max matmult_ms seconds method preconditioner""".split()

    def solved(self, *arguments):
        out = self.path("solve.json")
        screen = self.ok("solve", "--json", out, *arguments)
        (record,) = json.load(open(out))["records"]
        return record, screen

    def test_the_record_is_the_contracts(self):
        record, screen = self.solved("poisson", "--grid", "24x20", "--spacing", "0.5,0.25", "--dof", "2", "--manufactured")
        self.assertEqual(list(record), self.RECORD)
        self.assertEqual(list(record["seconds"]), "assembly setup solve output total".split())
        self.assertEqual([record[name] for name in ["pde", "space", "format", "precision", "grid", "dof", "ranks",
                                                    "unknowns", "h", "converged"]],
                         ["poisson", "cpu", "cds", "fp64", "24x20", 2, 1, 960, 0.5, True])
        self.assertLess(record["residual"], 1e-7)
        self.assertLess(record["error_l2"], 5e-3)
        self.assertLess(record["error_l2"], record["error_max"])
        self.assertGreater(record["matmult_ms"], 0)
        self.assertIn(f"converged after {record['iterations']} iterations of cg with jacobi", screen)
        record, _ = self.solved("diffusion", "--grid", "8x7x6")
        self.assertIsNone(record["error_l2"])
        self.assertIsNone(record["error_max"])

    def test_the_order_is_two_in_the_program_as_well(self):
        for pde, grids, sides in [("poisson", [("32x32", 33), ("64x64", 65)], "value:1"),
                                  ("diffusion", [("16x16x16", 16), ("32x32x32", 32)], "clamp")]:
            errors = [self.solved(pde, "--grid", grid, "--boundary", sides, "--manufactured", "--",
                                  "-ksp_rtol", "1e-11")[0]["error_l2"] for grid, _ in grids]
            order = math.log(errors[0] / errors[1]) / math.log(grids[1][1] / grids[0][1])
            self.assertAlmostEqual(order, 2, delta=0.1)

    def test_every_format_needs_as_many_iterations(self):
        counts = {self.solved("diffusion", "--grid", "12x11x5", "--dof", "3", "--format", name)[0]["iterations"]
                  for name in CPU_FORMATS}
        self.assertLessEqual(max(counts) - min(counts), 1, counts)  # their sums differ in the last bits

    def test_petsc_options_choose_the_method(self):
        _, screen = self.solved("poisson", "--grid", "16x16", "--", "-ksp_type", "gmres", "-pc_type", "pbjacobi",
                                "-ksp_monitor", "-ksp_view")
        for text in ["of gmres with pbjacobi", "KSP Residual norm", "format cds, in CPU memory"]:
            self.assertIn(text, screen)

    def test_multigrid_says_what_it_made(self):
        record, screen = self.solved("poisson", "--grid", "64x48", "--boundary", "clamp", "--", "-pc_type", "mg", "-ksp_norm_type",
                                     "unpreconditioned")
        self.assertIn("multigrid: 2 levels down to 768 unknowns, coarse operators of the PDE on the coarser grids", screen)
        self.assertLess(record["iterations"], 12)
        self.assertLess(record["residual"], 1.01e-8)
        _, screen = self.solved("diffusion", "--grid", "64x48", "--", "-pc_type", "mg", "-pc_mg_levels", "4")
        self.assertIn("multigrid: 4 levels down to 48 unknowns, coarse operators P^T A P", screen)

    def test_convergence_shows_on_a_terminal_only(self):
        base = [QUADRILLE, "solve", "poisson", "--grid", "32x32"]
        for options, shown in [([], True), (["--no-progress"], False), (["--quiet"], False)]:
            ours, theirs = os.openpty()
            subprocess.run([*base, *options], stdout=subprocess.DEVNULL, stderr=theirs, check=True, timeout=60)
            os.write(theirs, b"end")
            seen = os.read(ours, 65536).decode()
            os.close(ours)
            os.close(theirs)
            self.assertEqual("iteration 0, residual 1.00e+00, wanted 1e-08" in seen, shown, seen)
        self.assertEqual(self.run_it(*base[1:]).stderr, "")

    def test_without_a_fixed_value_the_mean_is_zero(self):
        record, screen = self.solved("diffusion", "--grid", "20x18", "--boundary", "clamp,clamp,periodic,periodic")
        self.assertTrue(record["converged"])
        self.assertIn("mean zero", screen)

    def test_no_convergence_is_said_and_ends_with_1(self):
        out, fields = self.path("out.json"), self.path("u.h5")
        for options, words in [(["-ksp_max_it", "3"], ["largest number of iterations", "after 3 iterations"]),
                               (["-ksp_divtol", "1e-3"], ["divergence tolerance"])]:
            self.refused(1, ["did not converge", *words, "no fields"], "solve", "poisson", "--grid", "32x32", "--quiet",
                         "--json", out, "--output", fields, "--", *options)
            (record,) = json.load(open(out))["records"]
            self.assertFalse(record["converged"])
            self.assertIn(words[0], record["reason"])
            self.assertFalse(os.path.exists(fields))

    def test_convergence_is_believed_only_with_the_true_residual(self):
        self.refused(1, ["did not converge", "true residual"], "solve", "poisson", "--grid", "16x16", "--quiet", "--",
                     "-ksp_type", "preonly")
        record, _ = self.solved("poisson", "--grid", "16x16", "--spacing", "1e-26")
        self.assertGreater(record["iterations"], 5)
        self.assertLess(record["residual"], 1e-7)
        record, screen = self.solved("diffusion", "--grid", "40x40")
        self.assertEqual("above the tolerance" in screen, record["residual"] > 1e-7)
        self.refused(2, ["chebyshev"], "solve", "poisson", "--grid", "21x21", "--", "-ksp_type", "chebyshev")

    def test_mistakes_get_a_sentence_and_2(self):
        for arguments, words in [([], ["poisson, diffusion or elasticity"]), (["heat"], ["poisson, diffusion or elasticity"]),
                                 (["poisson", "--format", "all"], ["one format"]),
                                 (["poisson", "--precision", "fp32"], ["fp64"]),
                                 (["diffusion", "--stencil", "box"], ["star of radius 1"]),
                                 (["poisson", "--grid", "8x8", "--manufactured", "--boundary",
                                   "value:0,value:0,value:1,value:1"], ["no smooth solution"]),
                                 (["elasticity", "--grid", "8x8", "--dof", "2", "--stencil", "box", "--boundary", "clamp"],
                                  ["not clamp"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_type", "mg", "-pc_mg_levels", "9"],
                                  ["-pc_mg_levels 9", "4 levels at most"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_type", "mg", "-pc_mg_galerkin", "x"],
                                  ["-pc_mg_galerkin 'x'"]),
                                 (["poisson", "--grid", "8x8", "--", "-pc_type", "lu"], ["LU", "bare --"])]:
            self.refused(2, words, "solve", *arguments)
        # PETSc does not free what it has open when it meets an unknown type: no look for leaks.
        leaks = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        self.refused(2, ["nosuch", "bare --"], "solve", "poisson", "--grid", "8x8", "--", "-ksp_type", "nosuch", env=leaks)
        self.refused(3, ["nowhere"], "solve", "poisson", "--output", self.path("nowhere/u.h5"))
        if "GPU       none" in self.ok("info"):
            self.refused(3, ["--space cpu"], "solve", "poisson", "--grid", "4x4", "--space", "cuda")

    def test_validate_prints_a_config_that_reads_back(self):
        text = self.ok("solve", "diffusion", "--grid", "8x9", "--boundary", "clamp", "--manufactured", "--validate")
        self.assertIn("pde = diffusion\nmanufactured = true\n", text)
        self.assertEqual(text, self.ok("solve", "--config", self.path("c.ini", text), "--validate"))

    def test_the_fields_are_in_the_file(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        path = self.path("u.h5")
        record, _ = self.solved("poisson", "--grid", "12x10x8", "--boundary", "clamp,value:2,value:2,clamp,value:2,value:2",
                                "--manufactured", "--output", path)
        with h5py.File(path) as file:
            fields = {name: file[name][0, ..., 0] for name in ["solution", "right_side", "exact", "error"]}
            self.assertEqual(fields["solution"].shape, (8, 10, 12))
            self.assertEqual(file["right_side"].attrs["units"], "1/m2")
            self.assertEqual(file["options"].attrs["pde"], "poisson")
        numpy.testing.assert_allclose(fields["solution"] - fields["exact"], fields["error"], atol=1e-15)
        self.assertAlmostEqual(float(numpy.sqrt(numpy.mean(fields["error"] ** 2))), record["error_l2"])
        # The seven-point operator by hand: at a node away from every face, and at the corner (x-, y+, z-).
        u, f = fields["solution"], fields["right_side"]
        def laplacian(at):
            total = 0
            for axis, (low, high) in enumerate([(2, 2), (2, None), (None, 2)]):  # z, y, x; None is clamp
                for step, beyond in [(-1, low), (1, high)]:
                    to = list(at)
                    to[axis] += step
                    inside = 0 <= to[axis] < u.shape[axis]
                    # a constant beyond a face stands on the right side
                    total += u[at] - (u[tuple(to)] if inside else u[at] if beyond is None else 0)
            return total
        for at in [(4, 5, 6), (0, 9, 0)]:
            self.assertAlmostEqual(laplacian(at), f[at], delta=1e-5)


class Info(CliTest):
    def test_versions_and_formats(self):
        out = self.path("info.json")
        screen = self.ok("info", "--json", out)
        for word in ["PETSc", "MPI", "HDF5", "CUDA", "cmrs"]:
            self.assertIn(word, screen)
        self.assertRegex(json.load(open(out))["petsc"], r"^3\.\d+\.\d+( with CUDA)?$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
