"""apps/reproduce.py: every table runs, and says which files are missing."""

import csv
import pathlib
import sys
import unittest

from support import BIN, CliTest, INPUT, ROOT, SOLVED, why_no_gpu

REPRODUCE = ROOT / "apps" / "reproduce.py"


class Reproduce(CliTest):
    def make(self, table, *words):
        """The table's rows, by their header."""
        result = self.run_program(sys.executable, REPRODUCE, table, "--bin", BIN, "--matrices", ".",
                                  "--samples", 1, "--csv", "t.csv", *words)
        self.assertEqual(result.code, SOLVED, result.text)
        with open(self.folder / "t.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(result.out.splitlines()), len(rows) + 2)
        return rows

    def matrix(self, name, spec):
        self.assertEqual(self.spmtx("generate", spec, f"{name}.mtx").code, SOLVED)

    def test_elimination(self):
        self.matrix("662_bus", "grid2d:25")
        rows = self.make("elimination", "--largest", 1100)
        self.assertEqual(len({row["matrix"] for row in rows}), 7)
        first, second, *_ = [row for row in rows if row["on"] == "1 core"]
        self.assertEqual(first["remark"], "")
        self.assertIn("msc01050.mtx is missing: random_dense:1050 in its place", second["remark"])
        for row in (first, second):
            self.assertGreater(float(row["seconds"]), 0)
            self.assertEqual(row["L2 error"], "0.000")
            self.assertLess(float(row["backward error"]), 1e-15)
        self.assertEqual(first["published"], "0.050")
        self.assertIn("above --largest", [row for row in rows if row["matrix"] == "fp"][0]["remark"])
        if why_no_gpu():
            self.assertEqual(sum(row["remark"] == "no GPU here" for row in rows), 7)

    def test_colours(self):
        self.matrix("ecology1", "grid2d:20")
        rows = {row["matrix"]: row for row in self.make("colours")}
        self.assertEqual(rows["ecology1"]["n"], "400")
        self.assertLessEqual(int(rows["ecology1"]["colours, balanced"]),
                             int(rows["ecology1"]["colours, published pass"]))
        self.assertEqual(rows["ecology1"]["published"], "4")
        self.assertEqual(rows["thermal2"]["remark"], "thermal2.mtx is missing")

    def test_symmetric(self):
        self.matrix("thermal2", "grid2d:20")
        rows = self.make("symmetric", "--threads", "1,2")
        found = {(row["kernel"], row["on"], row["precision"]) for row in rows
                 if row["matrix"] == "thermal2" and row["seconds"]}
        for kernel in ("ellpack_openmp", "symmetric_atomic", "symmetric_colored"):
            for threads in ("1 threads", "2 threads"):
                for precision in ("float", "double"):
                    self.assertIn((kernel, threads, precision), found)
        self.assertEqual(sum("is missing" in row["remark"] for row in rows), 4)

    def test_tiles(self):
        rows = self.make("tiles", "--orders", "60")
        self.assertEqual([row["tile"] for row in rows if row["tile"]],
                         [f"{tile} x {tile}" for tile in (2, 4, 8, 16, 32)])
        self.assertIn("dense_blas", rows[0]["on"])
        self.assertGreater(float(rows[0]["GFLOP/s"]), 0)

    def test_spmm(self):
        self.matrix("cage4", "tridiagonal:9")
        rows = self.make("spmm", "--names", "cage4,none")
        found = {(row["kernel"], row["K"]) for row in rows if row["GFLOP/s"]}
        for kernel in ("csr_serial", "csr_openmp", "ellpack_serial", "ellpack_openmp"):
            for columns in ("3", "4", "8", "12", "16", "32", "64"):
                self.assertIn((kernel, columns), found)
        self.assertEqual({row["machine epsilon"] for row in rows if row["K"]}, {"2.22e-16"})
        self.assertEqual(rows[-1]["remark"], "none.mtx is missing")

    def test_wrong_words(self):
        for words, said in ((("colours", "--matrices", "none"), "none: there is no such folder"),
                            (("colours", "--bin", "none"), "none/spsolve is missing")):
            result = self.run_program(sys.executable, REPRODUCE, *words)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(said, result.err)


if __name__ == "__main__":
    unittest.main()
