"""spbench: kernels, multiply, convert; plot.py."""

import csv
import json
import sys
import unittest

from support import BIN, CliTest, INPUT, PLOT, RESOURCES, SOLVED, python_with_matplotlib, why_no_gpu

QUICK = ("--samples", 2, "--sample-ms", 0, "--triad", 1)


class BenchTest(CliTest):
    def multiply(self, *arguments, **options):
        result = self.spbench("multiply", *QUICK, "--csv", "r.csv", "--json", "r.json", *arguments,
                              **options)
        self.assertEqual(result.code, SOLVED, result.text)
        return result

    def kernel_names(self):
        """The names of the host's kernels."""
        return [name for name, device in self.listed_kernels() if device == "host"]

    def listed_kernels(self):
        result = self.spbench("--list-kernels")
        self.assertEqual(result.code, SOLVED, result.text)
        return [tuple(line.split()[:2]) for line in result.out.splitlines()
                if not line.startswith("no GPU here: ")]


class Kernels(BenchTest):
    def test_list_says_what_each_is(self):
        kernels = self.listed_kernels()
        self.assertEqual(len(kernels), len(set(kernels)))
        self.assertIn(("csr_serial", "host"), kernels)
        result = self.spbench("kernels")
        self.assertEqual(result.out, self.spbench("--list-kernels").out)
        lines = result.out.splitlines()
        for line in lines[:-1] if why_no_gpu() else lines:
            self.assertRegex(line, r"^\w+ +(host|cuda) +\w+ +(not )?reproducible +\S.*\S$")


class Multiply(BenchTest):
    def test_every_kernel_on_small_matrices(self):
        columns, threads = (1, 3, 8), (1, 2)
        result = self.multiply("--matrix", "grid2d:9", "--matrix", "random_sparse:40:30:4",
                               "--columns", "1,3,8", "--threads", "1,2",
                               "--precision", "double,float", "--device", "host")
        rows = self.rows()
        names = self.kernel_names()
        self.assertEqual(len(rows), 2 * 2 * len(columns) * len(threads) * len(names))
        for row in rows:
            where = f"{row['kernel']} on {row['matrix']} in {row['precision']}, K = {row['k']}"
            with self.subTest(where):
                if row["refused"]:
                    self.assertEqual(row["gflops"], "")
                    continue
                self.assertLessEqual(float(row["scaled_error"]), float(row["error_bound"]))
                self.assertGreater(float(row["median_s"]), 0)
                self.assertLessEqual(float(row["min_s"]), float(row["median_s"]))
                self.assertLessEqual(float(row["median_s"]), float(row["max_s"]))
                self.assertGreaterEqual(float(row["variance_s2"]), 0)
                self.assertEqual(int(row["samples"]), 2)
                flops = 2 * int(row["nonzeros"]) * int(row["k"])
                self.assertAlmostEqual(float(row["gflops"]) * float(row["median_s"]) * 1e9 / flops,
                                       1, places=9)
                size = 4 if row["precision"] == "float" else 8
                floor = (int(row["nonzeros"]) * (size + 4) + 8 * (int(row["rows"]) + 1)
                         + int(row["k"]) * (int(row["rows"]) + int(row["columns"])) * size)
                self.assertEqual(float(row["floor_bytes"]), floor)
                self.assertAlmostEqual(
                    float(row["triad_fraction"]) * float(row["triad_gbs"]),
                    float(row["bandwidth_gbs"]), delta=1e-9 * float(row["bandwidth_gbs"]))
                self.assertLessEqual(float(row["of_fastest"]), 1)
        serial = [row for row in rows if row["kernel"] == "csr_serial"]
        self.assertEqual({row["refused"] for row in serial}, {""})
        self.assertEqual({row["largest_error"] for row in serial}, {"0.0"})
        for word in ("triad, 1 thread:", "triad, 2 threads:", "GFLOP/s", "of fastest", "csr_serial"):
            self.assertIn(word, result.out)

    def test_complex_numbers(self):
        """Of a complex matrix, and of a real one that is multiplied by 1 + i / 2."""
        names = "csr_openmp,csr_balanced,complex_rows,auto"
        for matrix, order, entries in (("zhelm2d:9", 81, 369), ("circuit:90", 90, None)):
            self.multiply("--matrix", matrix, "--columns", "1,5", "--threads", 2, "--device",
                          "host", "--precision", "complex_double,complex_float", "--kernels", names,
                          "--baseline", "csr_balanced")
            rows = self.rows()
            self.assertEqual(len(rows), 2 * 2 * 4)
            for row in rows:
                self.assertEqual(int(row["rows"]), order)
                if row["kernel"] == "csr_openmp":
                    self.assertEqual(row["refused"], "csr_openmp has no form for complex numbers")
                    continue
                self.assertEqual(row["refused"], "")
                self.assertLessEqual(float(row["scaled_error"]), float(row["error_bound"]))
                self.assertEqual(int(row["nonzeros"]), entries or int(row["nonzeros"]))
                nonzeros, k = int(row["nonzeros"]), int(row["k"])
                size = 8 if row["precision"] == "complex_float" else 16
                self.assertEqual(float(row["floor_bytes"]),
                                 nonzeros * (size + 4) + 8 * (order + 1) + 2 * k * order * size)
                self.assertAlmostEqual(float(row["gflops"]) * float(row["median_s"]) * 1e9,
                                       8 * nonzeros * k, delta=1e-6 * nonzeros * k)

    def test_complex_and_real_numbers_of_one_matrix(self):
        self.multiply("--matrix", "grid2d:9", "--columns", 1, "--kernels", "csr_grouped,complex_rows",
                      "--precision", "double,complex_double")
        self.assertEqual([(row["precision"], row["refused"]) for row in self.rows()],
                         [("double", ""),
                          ("double", "the matrix is not the real form of a complex one"),
                          ("complex_double", ""), ("complex_double", "")])

    def test_mkl_has_a_row_where_it_is_named(self):
        self.multiply("--matrix", "zhelm2d:9", "--columns", "1,5", "--kernels", "complex_rows,mkl",
                      "--precision", "complex_double,complex_float")
        rows = [row for row in self.rows() if row["kernel"] == "mkl"]
        self.assertEqual(len(rows), 4)
        for row in rows:
            if row["refused"]:
                self.assertIn("MKL_RT may name the file libmkl_rt.so of MKL", row["refused"])
            else:
                self.assertLessEqual(float(row["scaled_error"]), float(row["error_bound"]))

    def test_refusals_are_named_with_their_reason(self):
        if "symmetric_colored" not in self.kernel_names():
            self.skipTest("no kernel for symmetric matrices here")
        result = self.multiply("--matrix", "random_sparse:40:30:4", "--columns", 2,
                               "--kernels", "csr_serial,symmetric_colored")
        self.assertIn("refused: symmetric_colored (double): the matrix is not symmetric",
                      result.out)
        refused = [row for row in self.rows() if row["kernel"] == "symmetric_colored"]
        self.assertEqual({row["refused"] for row in refused}, {"the matrix is not symmetric"})
        self.multiply("--matrix", "gfpp:5", "--kernels", "csr_serial,symmetric_colored")
        refused = {row["refused"] for row in self.rows() if row["kernel"] == "symmetric_colored"}
        self.assertEqual(len(refused), 1)
        self.assertRegex(refused.pop(), r"not symmetric, by more than rounding: a\(1, .*numbered")

    def test_kernels_of_a_gpu_that_is_not_here(self):
        if not why_no_gpu():
            self.skipTest("there is a GPU here")
        small = ("multiply", "--matrix", "grid2d:4", *QUICK, "--columns", 1)
        result = self.spbench(*small, "--device", "cuda")
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertRegex(result.err, r"spbench: no GPU here: \S.*\S")
        gpu_names = [name for name, device in self.listed_kernels() if device == "cuda"]
        if gpu_names:
            result = self.multiply("--matrix", "grid2d:4", "--columns", 1, "--kernels",
                                   "csr_serial,csr_vector")
            self.assertEqual([row["refused"] for row in self.rows()],
                             ["", "there is no cuda device here"])
            result = self.spbench(*small, "--kernels", "csr_vector", "--device", "host")
            self.assertEqual(result.code, INPUT, result.text)

    def test_columns_are_documented_and_the_same_in_both_files(self):
        self.multiply("--matrix", "grid2d:5", "--columns", 2, "--kernels", "csr_serial")
        names = list(self.rows()[0])
        document = json.loads((self.folder / "r.json").read_text())
        row = document["rows"][0]
        self.assertEqual(names, list(row) + list(document["environment"]))
        self.assertIsNone(row["refused"])
        self.assertIsInstance(row["gflops"], float)
        self.assertIsInstance(row["k"], int)
        described = self.spbench("multiply", "--help").out
        for name in row:
            self.assertRegex(described, rf"(?m)^  {name} +\S")
        for name in ("processor", "processors", "compiler", "version", "date", "command_line",
                     "thread_binding"):
            self.assertTrue(document["environment"][name], name)
        self.assertRegex(document["environment"]["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIn("--matrix grid2d:5", document["environment"]["command_line"])
        triad = document["triad"][0]
        self.assertEqual(triad["array_bytes"], 1 << 20)
        self.assertGreater(triad["gbs"], 0)

    def test_baseline(self):
        self.multiply("--matrix", "grid2d:5", "--columns", "1,2", "--kernels", "csr_serial",
                      "--baseline", "csr_serial")
        for row in self.rows():
            self.assertEqual(float(row["speedup"]), 1)
        self.multiply("--matrix", "grid2d:5", "--columns", "1", "--kernels", "csr_serial")
        self.assertEqual([row["speedup"] for row in self.rows()], [""])  # csr_openmp not sampled

    def test_without_triad(self):
        result = self.spbench("multiply", "--matrix", "grid2d:5", "--columns", 1, "--kernels",
                              "csr_serial", "--samples", 1, "--sample-ms", 0, "--triad", -1,
                              "--csv", "r.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertNotIn("triad, ", result.out)
        self.assertEqual([row["triad_gbs"] for row in self.rows()], [""])
        self.assertEqual([row["triad_fraction"] for row in self.rows()], [""])

    def test_files_and_seeds(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                            "2 2 2\n1 1 4\n2 1 -1\n")
        self.multiply("--matrix", "a.mtx", "--columns", 1, "--kernels", "csr_serial", "--seed", 9)
        self.assertEqual(self.rows()[0]["nonzeros"], "3")

    def test_wrong_arguments(self):
        small = ("--matrix", "grid2d:3")
        for arguments, words in (
                ((), ("spbench multiply",)),
                (("multiply",), ("--matrix",)),
                (("multiply", *small, "--kernels", "csr_seral"),
                 ("no kernel 'csr_seral'", "did you mean 'csr_serial'?")),
                (("multiply", *small, "--baseline", "csr_seral"), ("did you mean 'csr_serial'?",)),
                (("multiply", *small, "--columns", "1,0"), ("--columns",)),
                (("multiply", *small, "--columns", "many"), ("--columns",)),
                (("multiply", *small, "--threads", "0"), ("--threads",)),
                (("multiply", *small, "--precision", "half"), ("--precision",)),
                (("multiply", *small, "--precision", "complex_doubel"),
                 ("did you mean 'complex_double'?",)),
                (("multiply", *small, "--precision", "complex_double", "--in-bands"),
                 ("--precision complex_double is of products in one process",)),
                (("multiply", *small, "--kernels", "mkl", "--in-bands"), ("no kernel 'mkl'",)),
                (("multiply", "--matrix", "zhelm2d:3", "--precision", "complex_double,double"),
                 ("zhelm2d:3: the matrix is complex", "--precision complex_double")),
                (("multiply", *small, "--samples", "0"), ("--samples",)),
                (("multiply", "--matrix", "gird2d:3"), ("did you mean 'grid2d'?",)),
                (("multiply", "--matrix", "none.mtx"), ("none.mtx",)),
                (("convert", "--matrix", "none.mtx"), ("none.mtx",)),
                (("divide",), ())):
            with self.subTest(arguments):
                result = self.spbench(*arguments)
                self.assertEqual(result.code, INPUT, result.text)
                for word in words:
                    self.assertIn(word, result.err)
        result = self.spbench("multiply", *small, *QUICK, "--columns", 1, "--csv", "no/folder/r.csv")
        self.assertEqual(result.code, RESOURCES)
        self.assertIn("no/folder/r.csv", result.err)


class Convert(BenchTest):
    def test_every_conversion(self):
        result = self.spbench("convert", "--matrix", "grid2d:6", "--threads", "1,2", "--samples", 2,
                              "--sample-ms", 0, "--csv", "r.csv", "--json", "r.json")
        self.assertEqual(result.code, SOLVED, result.text)
        rows = self.rows()
        self.assertGreater(len(rows), 1)
        self.assertEqual(len(rows), len(json.loads((self.folder / "r.json").read_text())["rows"]))
        for row in rows:
            self.assertEqual(row["refused"], "")
            self.assertEqual(row["entries"], str(5 * 36 - 4 * 6))
            self.assertGreater(float(row["median_s"]), 0)
            self.assertIn(row["conversion"], result.out)

    def test_what_takes_too_many_steps_is_refused(self):
        result = self.spbench("convert", "--matrix", "grid2d:6", "--threads", 1, "--samples", 1,
                              "--sample-ms", 0, "--most-steps", 100, "--csv", "r.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        refused = [row for row in self.rows() if row["refused"]]
        self.assertGreater(len(refused), 0)
        self.assertLess(len(refused), len(self.rows()))
        self.assertIn("refused:", result.out)


class Plot(BenchTest):
    def test_pictures(self):
        python = python_with_matplotlib()
        if python is None:
            self.skipTest("matplotlib is not here (Debian: python3-matplotlib)")
        self.multiply("--matrix", "grid2d:9", "--columns", "1,3,8", "--threads", "1,2",
                      "--precision", "double,float", "--baseline", "csr_serial")
        # Rows as those of a GPU will look: a device of its own, no threads.
        rows = self.rows()
        device = dict(rows[0], device="GPU X", kernel="csr_vector", threads="")
        with open(self.folder / "gpu.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerow(device)
        environment = {"MPLCONFIGDIR": str(self.folder / "matplotlib")}
        result = self.run_program(python, PLOT, "r.csv", "gpu.csv", "--output", "pictures",
                                  environment=environment)
        self.assertEqual(result.code, SOLVED, result.text)
        expected = sorted(f"grid2d_9_{precision}_{name}.png" for precision in ("double", "float")
                          for name in ("gflops", "bandwidth", "threads", "speedup"))
        files = sorted((self.folder / "pictures").iterdir())
        self.assertEqual([file.name for file in files], expected)
        for file in files:
            content = file.read_bytes()
            self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(len(content), 10000)
        result = self.run_program(python, PLOT, "r.csv", "--threads", 7, environment=environment)
        self.assertEqual(result.code, INPUT)
        self.assertIn("measured were 1, 2", result.err)

    def test_pictures_of_reports(self):
        python = python_with_matplotlib()
        if python is None:
            self.skipTest("matplotlib is not here (Debian: python3-matplotlib)")
        self.write("c.yaml", 'matrix: "grid2d:12"\n')
        for ranks in (1, 2, 3):
            result = self.spsolve("c.yaml", "--set", f"output.report={ranks}.json", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
        result = self.spsolve("c.yaml", "--set", "task=multiply", "--set", "output.report=y.json")
        self.assertEqual(result.code, SOLVED, result.text)
        environment = {"MPLCONFIGDIR": str(self.folder / "matplotlib")}
        for files, names in ((("1.json", "2.json", "3.json", "y.json"),
                              ("time_split", "convergence", "scaling", "efficiency")),
                             (("y.json",), ("time_split",))):
            result = self.run_program(python, PLOT, *files, "--output", files[0] + ".d",
                                      environment=environment)
            self.assertEqual(result.code, SOLVED, result.text)
            drawn = sorted((self.folder / (files[0] + ".d")).iterdir())
            self.assertEqual([file.stem for file in drawn], sorted(names))
            for file in drawn:
                self.assertGreater(len(file.read_bytes()), 8000)

    def test_tables_of_every_command(self):
        python = python_with_matplotlib()
        if python is None:
            self.skipTest("there is no matplotlib")
        quick = ("--samples", 2, "--sample-ms", 0)
        mpirun = ("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2)
        runs = (("a.csv", ("grid2d_20_convert",), self.spbench(
                    "convert", "--matrix", "grid2d:20", *quick, "--csv", "a.csv")),
                ("b.csv", ("eliminate_orders",), self.spbench(
                    "eliminate", "--n", "30,60", "--methods", "lu,gauss", "--samples", 2,
                    "--threads", 1, "--csv", "b.csv")),
                ("d.csv", ("iterate_seconds",), self.spbench(
                    "iterate", "--matrix", "grid2d:20", "--peers", "none", "--samples", 1,
                    "--no-triad", "--threads", 1, "--csv", "d.csv")),
                ("c.csv", ("grid2d_20_double_ranks", "grid2d_20_double_parts"), self.run_program(
                    *mpirun, BIN / "spbench", "multiply", "--matrix", "grid2d:20", "--columns",
                    "1,4", "--kernels", "csr_balanced", "--threads", 1, *quick, "--csv", "c.csv")))
        for name, pictures, result in runs:
            self.assertEqual(result.code, SOLVED, result.text)
            drawn = self.run_program(python, PLOT, name, "--output", name + ".d",
                                     environment={"MPLCONFIGDIR": str(self.folder / "matplotlib")})
            self.assertEqual(drawn.code, SOLVED, drawn.text)
            files = sorted((self.folder / (name + ".d")).iterdir())
            self.assertEqual([file.stem for file in files], sorted(pictures))
            for file in files:
                self.assertGreater(len(file.read_bytes()), 8000)
        # Welford's figures are in the table of several ranks as well.
        for row in self.rows("c.csv"):
            self.assertLessEqual(float(row["min_s"]), float(row["mean_s"]))
            self.assertLessEqual(float(row["mean_s"]), float(row["max_s"]))
            self.assertGreaterEqual(float(row["variance_s2"]), 0)

    def test_tables_of_the_scripts(self):
        python = python_with_matplotlib()
        if python is None:
            self.skipTest("there is no matplotlib")
        self.assertEqual(self.spmtx("generate", "grid2d:20", "thermal2.mtx").code, SOLVED)
        scripts = (
            ("reproduce.py", ("colours", "--bin", BIN, "--matrices", ".", "--names", "thermal2"),
             ("reproduce_colours", "reproduce_formats")),
            ("reproduce.py", ("symmetric", "--bin", BIN, "--matrices", ".", "--samples", 1, "--threads",
                              "1", "--names", "thermal2"),
             ("reproduce_symmetric_thermal2_double", "reproduce_symmetric_thermal2_float")),
            ("reproduce.py", ("tiles", "--bin", BIN, "--orders", "60", "--samples", 1),
             ("reproduce_tiles",)),
            ("reproduce.py", ("spmm", "--bin", BIN, "--matrices", ".", "--names", "thermal2",
                              "--samples", 1), ("reproduce_spmm_thermal2",)),
            ("reproduce.py", ("conversions", "--bin", BIN, "--matrices", ".", "--names", "thermal2",
                              "--samples", 1), ("reproduce_conversions_thermal2",)),
            ("reproduce.py", ("elimination", "--bin", BIN, "--largest", 700, "--precisions",
                              "double"),
             ("reproduce_elimination_double_none", "reproduce_elimination_double_partial")),
            ("busy.py", ("grid2d:12", "--busy", "0,1", "--samples", 1, "--iterations", "cg",
                         "--peers", "none", "--spbench", BIN / "spbench"), ("busy_grid2d_12",)),
            ("choices.py", ("grid2d:12", "--samples", 1, "--spsolve", BIN / "spsolve"), ("choices",)),
            ("outcomes.py", ("grid2d:12", "--spsolve", BIN / "spsolve"), ("outcomes",)),
            ("plans.py", ("grid2d:20", "--spsolve", BIN / "spsolve"), ("plans",)))
        for script, words, pictures in scripts:
            with self.subTest(script, words=words):
                result = self.run_program(sys.executable, PLOT.parent / script, *words, "--csv",
                                          "t.csv")
                self.assertEqual(result.code, SOLVED, result.text)
                drawn = self.run_program(python, PLOT, "t.csv", "--output", pictures[0],
                                         environment={"MPLCONFIGDIR": str(self.folder / "matplotlib")})
                self.assertEqual(drawn.code, SOLVED, drawn.text)
                files = sorted((self.folder / pictures[0]).iterdir())
                self.assertEqual([file.stem for file in files], sorted(pictures))

    def test_folders_are_looked_at_before_sampling(self):
        mpirun = ("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2)
        # Samples of hours.
        for launcher, words in (((), "multiply --matrix grid2d:20 --columns 1 --triad -1"),
                                (mpirun, "multiply --matrix grid2d:20 --columns 1"),
                                ((), "convert --matrix grid2d:20"),
                                ((), "eliminate --n 40"),
                                ((), "eliminate --matrix grid2d:20 --peers none")):
            for option in ("--csv", "--json"):
                with self.subTest(words, option=option, launcher=launcher):
                    result = self.run_program(*launcher, BIN / "spbench", *words.split(), "--samples",
                                              100000, option, "none/r.csv", timeout=300)
                    self.assertEqual(result.code, RESOURCES, result.text)
                    self.assertEqual(result.err.count(
                        "none/r.csv: there is no folder none to write it into"), 1, result.text)

    def test_wrong_files(self):
        self.write("other.csv", "a,b\n1,2\n")
        self.write("other.json", '{"status": "solved"}')
        self.write("broken.json", "{")
        self.write("failed.json", '{"status": "failed"}')
        for name, words in (("none.csv", "none.csv"), ("other.csv", "no CSV of 'spbench multiply'"),
                            ("none.json", "none.json"), ("broken.json", "no report of spsolve"),
                            ("other.json", "'matrix' is missing"),
                            ("failed.json", "failed.json: this run failed, and its report has")):
            result = self.run_program(sys.executable, PLOT, name)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(words, result.err)
            self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)

    def test_without_matplotlib(self):
        self.multiply("--matrix", "grid2d:4", "--columns", 1, "--kernels", "csr_serial")
        (self.folder / "hide").mkdir()
        self.write("hide/matplotlib.py", "raise ImportError('hidden')\n")
        result = self.run_program(sys.executable, PLOT, "r.csv",
                                  environment={"PYTHONPATH": str(self.folder / "hide")})
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertIn("python3-matplotlib", result.err)


if __name__ == "__main__":
    unittest.main()
