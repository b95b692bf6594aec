"""apps/choices.py: auto compared with every method by name; apps/devices.py: with every device;
apps/outcomes.py: how each ends; apps/plans.py: what each plans and holds."""

import csv
import sys
import unittest

from support import BIN, CliTest, INPUT, ROOT, SOLVED

SCRIPT = ROOT / "apps" / "choices.py"


class Choices(CliTest):
    def compare(self, *words):
        return self.run_program(sys.executable, SCRIPT, "--spsolve", BIN / "spsolve", "--samples", "1",
                                *words)

    def test_a_row_for_each_matrix_that_auto_has_an_answer_for(self):
        (self.folder / "files").mkdir()
        self.write("files/singular.mtx",
                   "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1\n")
        self.write("files/broken.mtx", "nothing\n")
        result = self.compare("grid2d:12", "circuit:300", "--matrices", "files", "--csv", "t.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        with (self.folder / "t.csv").open(newline="", encoding="utf-8") as file:
            rows = {row["matrix"]: row for row in csv.DictReader(file)}
        self.assertEqual(list(rows), ["grid2d:12", "circuit:300", "singular.mtx"])
        self.assertIn("broken.mtx | no answer", result.out)
        self.assertEqual(rows["grid2d:12"]["n"], "144")
        self.assertEqual(rows["circuit:300"]["auto took"], "sparse_lu")
        # cg finds no more than that it is not the method for it; which of the others is the first
        # to find A singular depends on the machine.
        self.assertEqual(rows["singular.mtx"]["auto took"], "singular")
        self.assertNotIn(rows["singular.mtx"]["best"], ("", "cg"))
        for row in rows.values():
            self.assertAlmostEqual(float(row["ratio"]),
                                   float(row["auto, ms"]) / float(row["best, ms"]), delta=0.1)
        self.assertRegex(result.out.splitlines()[-1], "^3 matrices: auto was slower than 1.1 times")

    def test_a_program_that_is_missing(self):
        result = self.run_program(sys.executable, SCRIPT, "--spsolve", "none", "grid2d:12")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("none is missing; build it", result.err)


class Devices(CliTest):
    def compare(self, *words):
        return self.run_program(sys.executable, ROOT / "apps" / "devices.py", "--spsolve",
                                BIN / "spsolve", "--rounds", "1", *words)

    def test_a_row_for_each_matrix(self):
        result = self.compare("grid2d:12", "random_dense:20", "--csv", "t.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        with (self.folder / "t.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["matrix"] for row in rows], ["grid2d:12", "random_dense:20"])
        for row in rows:
            best = min(float(row[way]) for way in ("host", "cuda") if row[way])
            self.assertAlmostEqual(float(row["over best"]) * best, float(row["auto"]), delta=0.002)

    def test_a_matrix_that_is_not_solved(self):
        result = self.compare("no_such:3")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("no_such:3: spsolve does not solve it", result.err)


class Outcomes(CliTest):
    def test_how_runs_end(self):
        (self.folder / "files").mkdir()
        head = "%%MatrixMarket matrix coordinate "
        self.write("files/singular.mtx", head + "real general\n2 2 2\n1 1 1\n2 1 1\n")
        self.write("files/wide.mtx", head + "real general\n1 2 1\n1 1 1\n")
        self.write("files/tall.mtx", head + "pattern general\n3 2 1\n3 1\n")
        self.write("files/broken.mtx", "nothing\n")
        # A path of 3 nodes, with a node of its own next to it.
        self.write("files/path.mtx", head + "pattern symmetric\n4 4 3\n2 1\n3 2\n4 4\n")
        result = self.run_program(sys.executable, ROOT / "apps" / "outcomes.py", "--spsolve",
                                  BIN / "spsolve", "grid2d:12", "hilbert:15", "--matrices", "files",
                                  "--csv", "t.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        with (self.folder / "t.csv").open(newline="", encoding="utf-8") as file:
            rows = {(row["matrix"], row["method"]): row for row in csv.DictReader(file)}
        found = {key: row["outcome"] for key, row in rows.items()}
        for method in ("sparse_cholesky", "sparse_ldlt", "sparse_lu"):
            self.assertEqual(found["grid2d:12", method], "solved")
            self.assertEqual(found["path.mtx", method], "solved")
            self.assertEqual(found["broken.mtx", method], "no fit")
        self.assertEqual(rows["path.mtx", "sparse_lu"]["n"], "4")
        self.assertEqual(found["hilbert:15", "sparse_lu"], "uncertain")
        self.assertEqual(found["singular.mtx", "sparse_cholesky"], "no fit")
        self.assertEqual(found["singular.mtx", "sparse_lu"], "refused")
        self.assertNotIn(("wide.mtx", "sparse_lu"), found)
        self.assertNotIn(("tall.mtx", "sparse_lu"), found)
        self.assertIn("structurally singular", result.out)
        last = result.out.splitlines()[-1]
        self.assertEqual(last, "sparse_lu | 2 | 0 | 1 | 1 | 1 | 0")


class Plans(CliTest):
    def compare(self, *words):
        result = self.run_program(sys.executable, ROOT / "apps" / "plans.py", "--spsolve",
                                  BIN / "spsolve", "--csv", "t.csv", *words)
        self.assertEqual(result.code, SOLVED, result.text)
        with (self.folder / "t.csv").open(newline="", encoding="utf-8") as file:
            return result, list(csv.DictReader(file))

    def test_a_row_for_each_run(self):
        result, rows = self.compare("grid2d:20", "--methods", "sparse_cholesky,gauss", "--set",
                                    "solve.equilibrate=on")
        self.assertEqual([(row["matrix"], row["method"]) for row in rows],
                         [("grid2d:20", "sparse_cholesky"), ("grid2d:20", "gauss")])
        for row in rows:
            self.assertEqual(row["marked"], "", "small ones are not judged")
            self.assertAlmostEqual(float(row["held / planned"]),
                                   float(row["held, MiB"]) / float(row["planned, MiB"]), delta=0.01)
        self.assertEqual(result.out.splitlines()[-1], "2 runs: 0 planned too little, 0 too much")

    def test_rows_of_its_table(self):
        _, rows = self.compare("--only", "row_types multiply")
        self.assertEqual([(row["matrix"], row["method"]) for row in rows],
                         [("grid2d:700", "row_types")])
        self.assertGreater(float(rows[0]["held, MiB"]), 64)


if __name__ == "__main__":
    unittest.main()
