"""What a stranger tries first: plain files of numbers, singular matrices, names of other programs."""

import unittest

import numpy as np

from support import CliTest, INPUT, NOT_TRUSTWORTHY, RESOURCES, SOLVED

B = np.array([1.5, -2, 3, 1e-3, 0.25, 7, 8, -9, 1e2])


def laplacian(n):
    """Of a path: constants are its null space."""
    lines = [f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {2 * n - 1}"]
    for i in range(1, n + 1):
        lines.append(f"{i} {i} {2 if 1 < i < n else 1}")
        if i > 1:
            lines.append(f"{i} {i - 1} -1")
    return "\n".join(lines) + "\n"


class PlainNumbers(CliTest):
    def solve(self, b, ranks=1, **options):
        result = self.spsolve("grid2d:3", b, "-o", "x.npy", "--report", "report.json", ranks=ranks,
                              **options)
        self.assertEqual(result.code, SOLVED, result.text)
        return np.load(self.folder / "x.npy")

    def test_every_way_to_write_b(self):
        np.save(self.folder / "b.npy", B)
        np.save(self.folder / "row.npy", B.reshape(1, 9))
        words = [repr(float(value)) for value in B]
        self.write("column.txt", "# made by savetxt\n" + "\n".join(words) + "\n\n")
        self.write("line.txt", "  ".join(words))
        self.write("b.csv", "\n".join(words) + "\r\n")
        self.write("line.csv", ", ".join(words) + "\n")
        self.write("row.mtx", "%%MatrixMarket matrix array real general\n1 9\n" + "\n".join(words))
        for ranks in (1, 2):
            expected = self.solve("b.npy", ranks)
            for name in ("row.npy", "column.txt", "line.txt", "b.csv", "line.csv", "row.mtx"):
                with self.subTest(name, ranks=ranks):
                    np.testing.assert_array_equal(self.solve(name, ranks), expected)

    def test_several_columns(self):
        np.save(self.folder / "b.npy", np.stack([B, 2 * B], 1))
        self.write("b.txt", "".join(f"{float(v)!r}\t{float(2 * v)!r}\n" for v in B))
        np.testing.assert_array_equal(self.solve("b.txt"), self.solve("b.npy"))
        self.assertEqual(self.report()["right_hand_sides"], 2)

    def test_what_is_no_number_is_named_by_its_line(self):
        for text, line, words in (("1\n2\nx3\n", 3, "'x3'"), ("1 2\n3\n", 2, "2 numbers"),
                                  ("1\nnan\n", 2, "'nan'")):
            with self.subTest(text):
                self.write("b.txt", text)
                result = self.spsolve("grid2d:3", "b.txt")
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(f"b.txt:{line}: expected", result.err)
                self.assertIn(words, result.err)
        self.write("b.txt", "1\n2\n")
        self.assertIn("has 2 rows, but the matrix has 9", self.spsolve("grid2d:3", "b.txt").err)

    def test_a_file_without_its_banner_is_still_no_matrix(self):
        self.write("a.mtx", "2 2 2\n1 1 1.0\n2 2 1.0\n")
        for words in (("a.mtx",), ("a.mtx", "--check"), ("a.mtx", "--multiply")):
            result = self.spsolve(*words)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn("without its banner", result.text)

    def test_a_file_that_lies_there_is_not_taken_in_silence(self):
        self.write("a.mtx", laplacian(9).replace("1 1 1\n", "1 1 3\n", 1))
        np.save(self.folder / "b.npy", B)
        result = self.spsolve("a.mtx", "--report", "report.json", "--quiet")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertTrue(any("b.npy was taken as the right-hand side" in note
                            for note in self.report()["notes"]), self.report()["notes"])
        self.assertIn("b.npy was taken", result.err)


class Singular(CliTest):
    def test_the_null_space_is_named_and_auto_takes_it(self):
        b = np.zeros(200)
        b[3], b[150] = 1, -1
        np.save(self.folder / "right.npy", b)
        self.write("path.mtx", laplacian(200))
        for words in ((), ("--method", "sparse_ldlt"), ("--method", "lu")):
            with self.subTest(words):
                result = self.spsolve("path.mtx", "right.npy", *words)
                self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                self.assertIn("solve.null_space=constants", result.text)
        for ranks in (1, 2):
            result = self.spsolve("path.mtx", "right.npy", "-o", "x.npy", "--report", "report.json",
                                  "--set", "solve.null_space=constants", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(self.report()["method"], "cg")
            x = np.load(self.folder / "x.npy")
            self.assertLess(abs(x.sum()), 1e-10)
            self.assertAlmostEqual(x[3] - x[150], 147, places=8)

    def test_a_regular_matrix_hears_nothing_of_it(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1\n")
        self.assertNotIn("null_space", self.spsolve("a.mtx").text)

    def test_unsymmetric_and_indefinite_ones_by_auto(self):
        rows = [f"{i} {i} 1\n{i} {i % 9 + 1} -1\n" for i in range(1, 10)]  # of a cycle
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 18\n" +
                   "".join(rows))
        result = self.spsolve("a.mtx", "--set", "solve.null_space=constants", "--report",
                              "report.json")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["method"], "gmres")


class Refusals(CliTest):
    def test_rectangular_ones_name_the_way(self):
        np.save(self.folder / "r.npy", np.ones((4, 3)))
        result = self.spsolve("r.npy")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("A^T A x = A^T b", result.err)

    def test_names_of_other_programs(self):
        for words, meant in ((("--tol", "1e-8"), "solve.tolerance"), (("-t", "4"), "--threads"),
                             (("--set", "tol=1e-8"), "solve.tolerance"),
                             (("--method", "cholesky"), "sparse_cholesky"),
                             (("--method", "amg"), "solve.preconditioner=multigrid"),
                             (("--precision", "single"), "'float'"),
                             (("--device", "gpu"), "'cuda'"),
                             (("b.npy", "x.npy"), "-o x.npy"),
                             (("b-1.npy", "b-2.npy", "b-3.npy"), "a pattern for several is quoted")):
            with self.subTest(words):
                result = self.spsolve("grid2d:3", *words)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(meant, result.err)
        self.write("laplace.mtx", laplacian(5))
        self.assertIn("did you mean 'laplace.mtx'", self.spsolve("lapace.mtx").err)


class Plans(CliTest):
    def test_large_matrices_have_a_first_estimate_at_once(self):
        result = self.spsolve("grid2d:460", "--dry-run")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("first estimate: 211600 rows", result.err)
        self.assertNotIn("first estimate", self.spsolve("grid2d:40", "--dry-run").text)

    def test_a_full_matrix_is_planned_as_one(self):
        result = self.spsolve("random_dense:400000", "--dry-run")
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertNotIn("graph, order and fronts", result.text)
        self.assertIn("dense rows, 400000 x 400000", result.text)


if __name__ == "__main__":
    unittest.main()
