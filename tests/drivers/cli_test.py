"""The command's contract, seen from outside: exit codes, sentences, JSON and CSV, files that survive."""
import csv
import gzip
import json
import os
import signal
import subprocess
import unittest

from cli_case import CliTest, CPU_FORMATS, QUADRILLE, RECORD, WRONG_MATMULT


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
                          ["--boundary", "periodic,periodic,clamp,value:2.5"], ["--grid", "1x1"],
                          ["--operator", "diffusion", "--boundary", "flux:1,robin:1,2,3,outflow,value:2"],
                          ["--operator", "elasticity", "--boundary", "flux:1/robin:1,2,3,clamp,outflow/value:2,drop"]]:
            grid = [] if "--grid" in arguments else ["--grid", "13x11"]
            self.ok("spmv", *grid, *arguments, "--space", "cpu", "--repetitions", "1", "--quiet")

    def test_quiet_says_nothing_and_auto_explains_itself(self):
        base = ["spmv", "--grid", "16x16", "--repetitions", "1", "--space", "cpu"]
        self.assertEqual(self.ok(*base, "--quiet"), "")
        self.assertRegex(self.ok(*base, "--format", "auto"), r"auto: \w+ on cpu, predicted [\d.]+ ms on CPU, .*, next \w+ ")

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
        self.assertEqual(passed, {"csr", "csc", "dia", "cds", "compact", "stencil_table", "petsc_aij"})
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

    def test_vectors_of_a_matrix_lie_on_its_rows(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        wide = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 5\n2 2 7\n"
        path = self.path("f.h5")
        for text, matrix in [(self.GOOD, [[2, 0, -1], [0, 3, 0], [0, 0, 4]]), (wide, [[2, 0, 5], [0, 7, 0]])]:
            for transposed in [False, True]:
                self.ok("spmv", "--matrix", self.path("a.mtx", text), "--repetitions", "1", "--format", "csr", "--space", "cpu",
                        "--output", path, *(["--transpose"] if transposed else []))
                a = numpy.array(matrix).T if transposed else numpy.array(matrix)
                with h5py.File(path) as file:
                    x, y = file["input"], file["result"]
                    self.assertEqual((x.shape, y.shape), ((a.shape[1],), (a.shape[0],)))
                    numpy.testing.assert_allclose(y[:], a @ x[:], rtol=1e-14)
                    self.assertEqual((file.attrs["rows"], file.attrs["columns"]), numpy.array(matrix).shape)
                    for dataset in x, y:
                        name = "row" if dataset.shape[0] == len(matrix) else "column"
                        self.assertEqual([dataset.dims[0].label, dataset.dims[0][0].name], [name, "/" + name])
                        self.assertEqual(file[name][:].tolist(), list(range(dataset.shape[0])))
                self.assertIn("f.h5:/result", open(self.path("f.xdmf")).read())


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

    # A small disk of our own, in a mount namespace of our own. What was measured is written all the same.
    def test_a_full_disk_leaves_the_old_file_and_costs_no_results(self):
        script = """mount -t tmpfs -o size=64k none "$0" || exit 77
                    cd "$0" && echo precious > f.h5 && "$@" --output f.h5 --json r.json; code=$?
                    cat f.h5; ls; tail -n 1 r.json; exit $code"""
        for arguments in [self.ARGUMENTS, ["solve", "poisson"]]:
            done = subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-c", script,
                                   self.folder.name, os.path.abspath(QUADRILLE), *arguments, "--grid", "90x90", "--quiet"],
                                  capture_output=True, text=True)
            if done.returncode == 77 or "unshare" in done.stderr:
                self.skipTest("no mount namespaces here")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("No space left", done.stderr)
            self.assertEqual(done.stdout, "precious\nf.h5\nr.json\n}\n")

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
        self.assertIn("f.h5:/xdmf/0/result_1", open(self.path("f.xdmf")).read())

    # Constant coefficients and faces that drop: the operator is symmetric, and all products agree.
    def test_fields_of_transposed_products_and_of_several_vectors(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        path = self.path("f.h5")
        run = [*self.ARGUMENTS, "--grid", "9x8x7", "--operator", "laplacian", "--output", path, "--input", "ones"]
        fields = []
        for arguments in [[], ["--transpose"], ["--vectors", "3"]]:
            self.ok(*run, *arguments)
            with h5py.File(path) as file:
                fields.append({name: file[name][()] for name in file if len(getattr(file[name], "shape", ())) == 5})
                if "--transpose" in arguments:
                    self.assertIn("A^T x", file["result"].attrs["long_name"])
        plain, transposed, several = fields
        self.assertEqual(list(several), [f"{name}_{k}" for name in ["input", "result"] for k in range(3)])
        numpy.testing.assert_array_equal(transposed["result"], plain["result"])
        for k in range(3):
            numpy.testing.assert_allclose(several[f"result_{k}"], (k + 1) * plain["result"], atol=1e-12)
        self.assertIn("f.h5:/xdmf/0/result_2", open(self.path("f.xdmf")).read())

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

    # What was measured is in its files first: a screen that is full, or a pipe whose reader has gone, costs
    # none of it.
    def test_a_lost_standard_output_loses_no_file(self):
        result, table, fields = self.path("r.json"), self.path("r.csv"), self.path("f.h5")
        grid, trial = ["--grid", "8x8"], ["--repetitions", "1", "--space", "cpu"]
        for arguments in [["spmv", *grid, *trial, "--csv", table, "--output", fields],
                          ["bench", "dof-scaling", *grid, "--dofs", "1", *trial, "--csv", table],
                          ["solve", "poisson", *grid, "--output", fields], ["inspect", *grid, "--csv", table], ["info"]]:
            arguments += ["--json", result]
            with open("/dev/full", "w") as file:
                done = subprocess.run([QUADRILLE, *arguments], stdout=file, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (3, "quadrille: standard output cannot be written\n"), arguments)
            self.check_and_remove(result, *(a for a in arguments if a in (table, fields)))
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([QUADRILLE, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""), arguments)
            self.check_and_remove(result, *(a for a in arguments if a in (table, fields)))

    def check_and_remove(self, result, *others):
        with open(result) as file:
            json.load(file)
        for path in [result, *others]:
            self.assertGreater(os.path.getsize(path), 0)
            os.remove(path)

    def test_links_that_lead_nowhere_are_named(self):
        for name, target in [("a.mtx", "gone.mtx"), ("l.json", "none/t.json"), ("loop", "loop")]:
            os.symlink(target, self.path(name))
        link, loop = self.path("a.mtx"), self.path("loop")
        words = ["is a link to", "gone.mtx, which does not exist"]
        for arguments in [["inspect", link], ["spmv", "--matrix", link], ["bench", "matrices", "--matrices", link + ",dense:20"],
                          ["spmv", "--stencil", link], ["spmv", "--config", link]]:
            self.refused(2, words, *arguments)
        self.refused(2, ["loop", "leads to itself"], "inspect", loop)
        self.refused(3, ["l.json", "is a link to", "none/t.json", "No such file"], "info", "--json", self.path("l.json"))
        self.refused(3, ["loop", "symbolic links"], "info", "--json", loop)
        os.symlink("t.csv", self.path("t.json"))
        self.refused(2, ["is already the file of"], "info", "--json", self.path("t.json"), "--csv", self.path("t.csv"))

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
        self.assertNotIn("couple", screen)

    def test_what_couples_and_what_whole_blocks_store(self):
        screen = self.ok("inspect", "--grid", "5x4", "--dof", "2", "--operator", "laplacian")
        self.assertRegex(screen, r"blocks +5 block diagonals of 2 x 2 blocks, 41.0% of their entries non-zero\n")
        self.assertRegex(screen, r"couple +164 entries by the fill of the blocks; cds, with whole blocks, stores 400\n")

    def test_a_format_with_absurd_fill_says_so(self):
        n = 3000
        entries = [f"{i} {i} 1" for i in range(1, n + 1)] + [f"1 {j} 1" for j in range(2, n + 1)]
        path = self.path("arrow.mtx", "%%MatrixMarket matrix coordinate real general\n"
                         f"{n} {n} {len(entries)}\n" + "\n".join(entries) + "\n")
        self.assertRegex(self.ok("inspect", path), r"ell: would store \S+ MiB, mostly padding")


class Auto(CliTest):
    BASE = ["spmv", "--grid", "12x11", "--dof", "2", "--repetitions", "1", "--space", "cpu", "--format", "auto"]

    def test_what_tune_measured_is_remembered(self):
        first = self.ok(*self.BASE, "--tune")
        self.assertRegex(first, r"auto: \w+ on cpu, measured [\d.]+ ms")
        name = first.split("auto: ")[1].split()[0]
        for again in [[], ["--tune"]]:
            self.assertRegex(self.ok(*self.BASE, *again), rf"auto: {name} on cpu, remembered from 20\d\d-\d\d-\d\d, when it took ")
        self.assertRegex(self.ok(*self.BASE, "--retune"), r"auto: \w+ on cpu, measured ")
        for other in [["--transpose"], ["--precision", "fp32"], ["--boundary", "periodic"], ["--cmrs-height", "2"]]:
            self.assertIn("predicted", self.ok(*self.BASE, *other))
        self.assertEqual(sorted(os.listdir(self.path("cache"))), ["format_choices.lock", "format_choices.txt"])

    def test_one_record_of_the_choice_that_passed_its_check(self):
        out = self.path("out.json")
        for arguments in [[], ["--tune"], ["--transpose"], ["--vectors", "3", "--retune"], ["--check", "slabs", "--tune"]]:
            screen = self.ok(*self.BASE, *arguments, "--json", out)
            records = json.load(open(out))["records"]
            self.assertEqual(len(records), 1)
            self.assertTrue(records[0]["checked"] and records[0]["error_over_bound"] <= 1)
            self.assertIn(f"auto: {records[0]['format']} on cpu", screen)

    def test_few_products_stay_with_the_format_that_the_operator_comes_in(self):
        self.assertRegex(self.ok(*self.BASE, "--products", "1"), r"auto: cds on cpu for 1 product, predicted [\d.]+ ms on ")
        matrix = ["spmv", "--matrix", "power_law:3000", "--repetitions", "1", "--space", "cpu", "--format", "auto"]
        self.assertRegex(self.ok(*matrix, "--products", "1"), r"auto: csr on cpu for 1 product, predicted ")
        self.assertRegex(self.ok(*matrix, "--products", "1", "--transpose"), r"auto: csr on cpu for 1 product, predicted ")
        many, counted = (self.ok(*matrix, *products).split("auto: ")[1].split()[0] for products in [[], ["--products", "1000000000"]])
        self.assertEqual(many, counted)
        self.assertRegex(self.ok(*matrix, "--products", "3", "--tune"), r"auto: \w+ on cpu for 3 products, measured ")
        self.assertRegex(self.ok(*matrix, "--products", "3"), r"auto: \w+ on cpu for 3 products, remembered ")
        self.assertIn("predicted", self.ok(*matrix, "--products", "4"))  # each number is remembered by itself
        self.assertNotIn("auto:", self.ok(*matrix[:-1], "csr,csc", "--transpose", "--products", "1"))

    def test_a_broken_cache_is_a_note(self):
        os.mkdir(self.path("cache"))
        self.path("cache/format_choices.txt", "something else\n")
        self.assertRegex(self.ok(*self.BASE, "--tune"), r"note: .*does not begin with[\s\S]*auto: \w+ on cpu, measured")
        self.assertIn("remembered", self.ok(*self.BASE))
        self.path("file", "")
        os.environ["QUADRILLE_CACHE"] = self.path("file") + "/cache"
        self.assertRegex(self.ok(*self.BASE, "--tune"), r"note: .*the choice is not remembered")

    def test_a_matrix_file_and_a_solve(self):
        matrix = self.path("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n1 3 1\n")
        self.assertRegex(self.ok("spmv", "--matrix", matrix, "--format", "auto", "--repetitions", "1", "--space", "cpu", "--tune"),
                         r"auto: \w+ on cpu, measured")
        screen = self.ok("solve", "poisson", "--grid", "12x12", "--format", "auto", "--tune", "--space", "cpu")
        self.assertRegex(screen, r"auto: \w+ on cpu for 20 products, measured[\s\S]*converged")
        self.assertIn("remembered", self.ok("solve", "poisson", "--grid", "12x12", "--format", "auto", "--space", "cpu"))

    def test_tune_belongs_to_auto(self):
        for option in ["--tune", "--retune"]:
            self.refused(2, [option, "--format auto"], "spmv", "--grid", "4x4", option)
            self.refused(2, [option, "--format auto"], "solve", "poisson", "--grid", "4x4", "--format", "cds", option)

    def test_inspect_says_what_follows_the_values(self):
        out = self.path("i.json")
        screen = self.ok("inspect", "--operator", "diffusion", "--grid", "9x8x7", "--json", out)
        self.assertRegex(screen, r"entries +7 of a row of blocks: 0 constant, 4 that vary, 3 equal to those of the opposite, 0 zero\n")
        self.assertRegex(screen, r"stencils +504 different ones at 504 nodes\n")
        compact = next(r for r in json.load(open(out))["records"] if r["format"] == "compact")
        self.assertEqual([compact[name] for name in ("entries", "entries_constant", "entries_varying", "entries_mirrored")], [7, 0, 4, 3])
        screen = self.ok("inspect", "--operator", "laplacian", "--dof", "2", "--grid", "9x8", "--boundary", "periodic")
        self.assertRegex(screen, r"entries +20 of a row of blocks: 10 constant, 0 that vary, 0 equal to those of the opposite, 10 zero\n")
        self.assertRegex(screen, r"stencils +1 different ones at 72 nodes\n")
        self.assertNotIn("<=", screen)
        huge = self.ok("inspect", "--operator", "laplacian", "--grid", "1000x1000x1000", "--format", "cds,compact")  # never assembled
        self.assertRegex(huge, r"cds +52.2 GiB")
        self.assertRegex(huge, r"compact +<= 52.2 GiB")
        self.assertIn("at most, for the values are not known", huge)
        self.refused(2, ["--value-precision 'bf16'", "names neither"], "spmv", "--grid", "8x8", "--format", "csr", "--value-precision", "bf16")

    def test_predict_says_what_it_rests_on(self):
        screen = self.ok("inspect", "--grid", "12x11x10", "--dof", "2", "--predict")
        self.assertRegex(screen, r"predicted for .*\nformat +ms +GB/s\n\w+ +[\d.]+ +\d+\n")
        self.assertIn("predicted for CPU", screen)
        self.assertEqual(screen.count("It rests on "), 2)
        out, table = self.path("out.json"), self.path("out.csv")
        self.ok("inspect", "--grid", "12x11", "--predict", "--json", out, "--csv", table, "--quiet")
        report = json.load(open(out))
        self.assertEqual(list(report["summary"]), ["cuda", "cpu"])
        for r in report["records"]:
            self.assertGreater(r["predicted_cuda"]["ms"], 0)
            self.assertEqual(r["predicted_cuda"]["machine"], report["summary"]["cuda"]["name"])
            self.assertTrue(r["predicted_cpu"]["bytes_exact"])
        self.assertEqual([float(row["predicted_cpu"]) for row in csv.DictReader(open(table))],
                         [r["predicted_cpu"]["ms"] for r in report["records"]])
        huge = self.ok("inspect", "--grid", "512x512x512", "--dof", "8", "--predict")  # never assembled
        self.assertRegex(huge, r"predicted for [^\n]*\n[^\n]*\n(cds|dia) ")


class Info(CliTest):
    def test_versions_and_formats(self):
        out = self.path("info.json")
        screen = self.ok("info", "--json", out)
        for word in ["PETSc", "MPI", "HDF5", "CUDA", "cmrs"]:
            self.assertIn(word, screen)
        table = self.path("info.csv")
        self.ok("info", "--csv", table, "--quiet")
        with open(table) as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
        self.assertEqual(set(rows), {f["name"] for f in json.load(open(out))["formats"]})
        self.assertEqual((rows["petsc_aij"]["peer"], rows["petsc_aij"]["cpu"], rows["cds"]["fp32"]), ("true", "true", "true"))
        self.assertRegex(json.load(open(out))["petsc"], r"^3\.\d+\.\d+( with CUDA)?$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
