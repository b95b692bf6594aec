"""Programs started by launchers: spbench multiply over ranks, and launchers that are not understood."""

import csv
import sys
import unittest

from support import BIN, CliTest, INPUT, ROOT, SOLVED, python_with_matplotlib


class BenchOverRanks(CliTest):
    def bench(self, ranks, *arguments):
        return self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks,
                                BIN / "spbench", "multiply", "--samples", 2, "--sample-ms", 0.1,
                                *arguments)

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_rows_of_two_and_three_ranks(self):
        for ranks in (2, 3):
            result = self.bench(ranks, "--matrix", "grid2d:30", "--kernels",
                                "csr_balanced,symmetric_halves", "--columns", "1,3", "--threads",
                                "1", "--precision", "double,float", "--csv", "a.csv")
            self.assertEqual(result.code, SOLVED, result.text)
            rows = self.rows("a.csv")
            self.assertEqual(len(rows), 8)
            for row in rows:
                self.assertEqual((row["ranks"], row["hosts"], row["threads"]), (str(ranks), "1", "1"))
                self.assertEqual(row["refused"], "")
                self.assertLessEqual(float(row["scaled_error"]), float(row["error_bound"]))
                # Each border between two bands: a line of 30 points either way.
                self.assertEqual(int(row["halo_rows"]), 60 * (ranks - 1))
                self.assertEqual(int(row["halo_bytes"]), 60 * (ranks - 1) * int(row["k"])
                                 * (8 if row["precision"] == "double" else 4))
                flops = 2 * int(row["nonzeros"]) * int(row["k"])
                self.assertAlmostEqual(float(row["gflops"]) * float(row["median_s"]) * 1e9 / flops,
                                       1)
            self.assertEqual(result.out.count("grid2d:30: 900 x 900"), 1, "only rank 0 speaks")

    def test_a_kernel_that_does_not_take_the_matrix_is_refused_in_its_row(self):
        result = self.bench(2, "--matrix", "gfpp:20", "--kernels", "symmetric_halves,csr_balanced",
                            "--columns", "1", "--threads", "1", "--csv", "a.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        refused = {row["kernel"]: row["refused"] for row in self.rows("a.csv")}
        self.assertIn("not symmetric", refused["symmetric_halves"])
        self.assertEqual(refused["csr_balanced"], "")

    def test_one_rank_like_several(self):
        result = self.spbench("multiply", "--in-bands", "--matrix", "grid2d:10", "--kernels",
                              "csr_balanced", "--columns", "2", "--threads", "1", "--samples", 1,
                              "--sample-ms", 0, "--csv", "a.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        row = self.rows("a.csv")[0]
        self.assertEqual((row["ranks"], row["halo_rows"], row["imbalance"]), ("1", "0", "1.0"))

    def test_errors_are_told_once(self):
        for arguments, words in (
                (("multiply", "--matrix", "gird2d:3"), "there is no generator 'gird2d'"),
                (("multiply", "--matrx", "grid2d:3"), "'--matrx' is not an option; did you mean '--matrix'"),
                (("eliminate", "--n", "10"), "leave mpirun out")):
            with self.subTest(arguments):
                result = self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np",
                                          3, BIN / "spbench", *arguments)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertEqual(result.text.count(words), 1, result.text)


class Scaling(CliTest):
    def scaling(self, *arguments):
        return self.run_program(python_with_matplotlib() or sys.executable,
                                ROOT / "apps" / "scaling.py", "--spbench", BIN / "spbench",
                                "--launcher", "mpirun --oversubscribe --bind-to none", *arguments,
                                environment={"MPLCONFIGDIR": str(self.folder / "matplotlib")})

    def test_strong_and_weak(self):
        result = self.scaling("--ranks", "1,2", "--strong", "grid2d:20", "--weak", "grid3d27:5:2",
                              "--columns", "1,3", "--kernels", "csr_balanced", "--output", "out",
                              "--", "--threads", "1", "--samples", "1", "--sample-ms", "0")
        self.assertEqual(result.code, 0, result.text)
        with open(self.folder / "out" / "scaling.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["scaling"], row["matrix"], row["ranks"], row["k"]) for row in rows],
                         [("strong", "grid2d:20", ranks, k) for ranks in "12" for k in "13"]
                         + [("weak", f"grid3d27:{n}:2", ranks, k)
                            for n, ranks in ((5, "1"), (6, "2")) for k in "13"])
        for row in rows:
            base = next(other for other in rows if other["ranks"] == "1"
                        and (other["scaling"], other["k"]) == (row["scaling"], row["k"]))
            speedup = float(row["gflops"]) / float(base["gflops"])
            self.assertAlmostEqual(float(row["speedup"]), speedup, 6)
            self.assertAlmostEqual(float(row["efficiency"]), speedup / int(row["ranks"]), 6)
            self.assertIn(f"{int(row['halo_bytes']) / 1e6:.3g} MB, {row['transport']}", result.out)
        self.assertEqual((self.folder / "out" / "scaling.png").exists(),
                         python_with_matplotlib() is not None)
        for part in ("pack", "exchange", "interior", "wait", "boundary"):
            self.assertEqual(result.out.count(f"{part} "), len(rows), result.out)

    def test_wrong_arguments(self):
        for arguments, words in ((("--ranks", "1,x", "--strong", "grid2d:3"), "--ranks takes"),
                                 (("--ranks", "1"), "what shall be measured?"),
                                 (("--ranks", "1", "--weak", "hilbert:3"), "--weak takes")):
            result = self.scaling(*arguments)
            self.assertNotEqual(result.code, 0)
            self.assertIn(words, result.err)


class Launchers(CliTest):
    def test_processes_that_do_not_know_of_each_other(self):
        self.write("c.yaml", "task: multiply\nmatrix: grid2d:3\n")
        for program in ((BIN / "spsolve", "c.yaml"),
                        (BIN / "spbench", "multiply", "--matrix", "grid2d:3")):
            for rank, count in (("0", 1), ("1", 0)):
                result = self.run_program(*program,
                                          environment={"PMI_SIZE": "2", "PMI_RANK": rank})
                self.assertEqual(result.code, INPUT, result.text)
                self.assertEqual(result.err.count("the launcher started 2 processes (PMI_SIZE=2)"),
                                 count, result.text)


if __name__ == "__main__":
    unittest.main()
