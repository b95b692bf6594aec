"""apps/reproduce.py: every table runs, and says which files are missing."""

import csv
import os
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
        self.assertEqual(list(dict.fromkeys(row["matrix"] for row in rows)),
                         ["662_bus", "msc01050", "comsol", "losmoc", "heart1", "s3rmt3m3", "fp",
                          "ship_001"])
        hosts = {(row["matrix"], row["precision"], row["pivoting"]): row for row in rows
                 if row["on"] == "1 core"}
        for precision, error in (("float", 1e-3), ("double", 1e-15)):
            for pivoting in ("none", "partial"):
                row = hosts["662_bus", precision, pivoting]
                self.assertEqual(row["remark"], "")
                self.assertGreater(float(row["seconds"]), 0)
                self.assertLess(float(row["L2 error"]), error)
        self.assertEqual(hosts["662_bus", "float", "partial"]["published seconds"], "0.035")
        self.assertEqual(hosts["662_bus", "float", "partial"]["published L2 error"], "0.009")
        self.assertEqual(hosts["heart1", "double", "partial"]["published seconds"], "13.147")
        self.assertIn("msc01050.mtx is missing: random_dense:1050 in its place",
                      hosts["msc01050", "double", "partial"]["remark"])
        self.assertIn("above --largest", hosts["fp", "float", "none"]["remark"])
        two = next(row for row in rows if row["on"] == "2 GPUs by MPI")
        self.assertEqual((two["published seconds"], two["published speed-up"]), ("0.084", "0.67"))
        if why_no_gpu():
            self.assertEqual(two["remark"], "no GPU here")

    def test_elimination_in_part(self):
        rows = self.make("elimination", "--names", "662_bus", "--on", "1 GPU,2 GPUs by MPI",
                         "--pivoting", "partial", "--precisions", "float")
        self.assertEqual([row["on"] for row in rows], ["1 GPU", "2 GPUs by MPI"])
        self.assertEqual(rows[1]["published seconds"], "0.148")
        for wrong, words in ((("--on", "the moon"), "--on the moon: elimination runs on 1 core"),
                             (("--pivoting", "all"), "--pivoting all: none or partial")):
            result = self.run_program(sys.executable, REPRODUCE, "elimination", "--bin", BIN,
                                      "--matrices", ".", "--names", "662_bus", *wrong)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(words, result.err)

    def test_losmoc_is_comsol_with_its_last_row_first(self):
        (self.folder / "comsol.mtx").write_text(
            "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 2 2\n3 3 4\n3 1 1\n")
        rows = self.make("elimination", "--names", "losmoc", "--precisions", "double")
        one = {row["pivoting"]: row for row in rows if row["on"] == "1 core"}
        # [4 at (1, 3), 1 at (1, 1), 1 at (2, 1), 2 at (3, 2)]: without pivoting there is none in
        # column 2.
        self.assertIn("zero", one["none"]["remark"])
        self.assertEqual(one["partial"]["remark"], "")
        self.assertLess(float(one["partial"]["L2 error"]), 1e-25)

    def test_colours(self):
        self.matrix("thermal2", "grid2d:20")
        rows = {row["matrix"]: row for row in self.make("colours", "--names", "thermal2,ecology1")}
        own, stand_in = rows["thermal2"], rows["ecology1"]
        self.assertEqual((own["n"], own["remark"], own["published colours"]), ("400", "", "12"))
        self.assertLessEqual(int(own["colours, balanced"]), int(own["colours, published pass"]))
        self.assertEqual(stand_in["remark"], "ecology1.mtx is missing: grid2d:1000 in its place")
        for figure in ("ELLPACK MiB", "symmetric MiB"):
            self.assertEqual(stand_in[figure], stand_in[f"published {figure}"])

    def test_symmetric(self):
        self.matrix("thermal2", "grid2d:20")
        rows = self.make("symmetric", "--threads", "1,2", "--names", "thermal2")
        found = {(row["format"], row["on"], row["precision"]): row for row in rows}
        for kind in ("ellpack", "symmetric_atomic", "symmetric_colored"):
            for threads in ("1 thread", "2 threads"):
                for precision in ("float", "double"):
                    self.assertTrue(found[kind, threads, precision]["seconds"])
            gpu = found[kind, "GPU", "double"]
            self.assertEqual(bool(gpu["seconds"]), why_no_gpu() is None)
        row = found["symmetric_colored", "2 threads", "float"]
        self.assertEqual(row["published seconds"], "0.05089")
        self.assertEqual(found["ellpack", "GPU", "float"]["published speed-up"], "35.38")

    def test_more_threads_than_processors_are_told(self):
        self.matrix("thermal2", "grid2d:20")
        threads = 4 * os.cpu_count()
        rows = self.make("symmetric", "--threads", f"1,{threads}", "--names", "thermal2",
                         "--precisions", "double")
        told = {row["on"] for row in rows if "more threads than the" in row["remark"]}
        self.assertEqual(told, {f"{threads} threads"})

    def test_tiles(self):
        rows = self.make("tiles", "--orders", "60,1000", "--check", 60)
        self.assertEqual([row["tile"] for row in rows if row["order"] == "60" and row["tile"]],
                         [f"{tile} x {tile}" for tile in (2, 4, 8, 16, 32)])
        self.assertIn("dense_blas", rows[0]["on"])
        self.assertGreater(float(rows[0]["GFLOP/s"]), 0)
        large = {row["tile"]: row for row in rows if row["order"] == "1000"}
        self.assertEqual((large[""]["published seconds"], large["32 x 32"]["published speed-up"]),
                         ("0.95", "47.50"))
        self.assertLess(float(rows[0]["largest error"]), 1e-9)
        self.assertEqual(large[""]["largest error"], "")  # of a serial product that takes long

    def test_spmm(self):
        self.matrix("cage4", "tridiagonal:9")
        rows = self.make("spmm", "--names", "cage4,none", "--threads", "1,2", "--samples", 3)
        found = {(row["kernel"], row["threads"], row["K"]) for row in rows if row["GFLOP/s"]}
        for kernel in ("csr_openmp", "ellpack_openmp", "ellpack_unpadded_openmp"):
            for threads in ("1", "2"):
                for columns in ("3", "4", "8", "12", "16", "32", "64"):
                    self.assertIn((kernel, threads, columns), found)
        for row in rows[:-1]:
            if row["K"]:
                self.assertEqual(row["machine epsilon"], "2.22e-16")
                self.assertGreater(float(row["mean"]), 0)
                self.assertGreaterEqual(float(row["variance"]), 0)
        self.assertEqual(rows[-1]["remark"], "none.mtx is missing")

    def test_conversions(self):
        self.matrix("cage4", "tridiagonal:9")
        rows = self.make("conversions", "--names", "cage4,none", "--threads", "1")
        self.assertGreater(len({row["conversion"] for row in rows if row["seconds"]}), 2)
        self.assertEqual(rows[-1]["remark"], "none.mtx is missing")

    def test_wrong_words(self):
        for words, said in ((("colours", "--matrices", "none"), "none: there is no such folder"),
                            (("colours", "--bin", "none"), "none/spsolve is missing"),
                            (("symmetric", "--bin", BIN, "--precisions", "half"), "float or double"),
                            (("colours", "--bin", BIN, "--names", "cage4"),
                             "--names cage4: the papers have crankseg_2")):
            result = self.run_program(sys.executable, REPRODUCE, *words)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(said, result.err)


if __name__ == "__main__":
    unittest.main()
