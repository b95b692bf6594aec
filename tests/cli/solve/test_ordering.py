"""An order of elimination that a file has: what is made of it, and what is said of files that have none."""

import unittest

from support import INPUT, SOLVED, CliTest

CONFIG = "matrix: {}\nsolve: {{method: {}, ordering: {}}}\noutput: {{report: report.json}}\n"


def lines(numbers):
    return "".join(f"{number}\n" for number in numbers)


class Ordering(CliTest):
    def solve(self, matrix, method, order, **options):
        self.write("c.yaml", CONFIG.format(matrix, method, order))
        result = self.spsolve("c.yaml", **options)
        self.assertEqual(result.code, SOLVED, result.text)
        return self.report()["sparse"]

    def test_an_order_decides_the_fill(self):
        # The middle of a star last: nothing fills in; first: everything.
        n = 400
        entries = [f"{i} {i} 9" for i in range(2, n + 1)] + [f"{i} 1 -1" for i in range(2, n + 1)]
        self.write("star.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                               f"{n} {n} {2 * n - 1}\n1 1 {n}\n" + "\n".join(entries) + "\n")
        self.write("last.txt", "% the middle last\n" + lines([*range(2, n + 1), 1]))
        self.write("first.mtx", "%%MatrixMarket matrix array integer general\n% the middle first\n"
                                f"{n} 1\n" + lines(range(1, n + 1)))
        sparse = {name: self.solve("star.mtx", "sparse_cholesky", name, ranks=2)
                  for name in ("last.txt", "first.mtx", "amd")}
        self.assertEqual({name: told["ordering"] for name, told in sparse.items()},
                         {"last.txt": "file", "first.mtx": "file", "amd": "amd"})
        self.assertEqual(sparse["first.mtx"]["factor_entries"], n * (n + 1) // 2)
        self.assertLess(sparse["last.txt"]["factor_entries"], 10 * n)
        self.assertEqual(self.report()["configuration"]["solve"]["ordering"], "amd")

    def test_rows_that_are_matched_with_columns(self):
        for order in (range(1, 301), range(300, 0, -1)):
            self.write("order.txt", lines(order))
            self.assertEqual(self.solve("circuit:300", "sparse_lu", "order.txt")["ordering"], "file")

    def test_files_are_found_beside_the_configuration(self):
        (self.folder / "there").mkdir()
        self.write("there/order.txt", lines(range(1, 10)))
        self.write("there/c.yaml", CONFIG.format("grid2d:3", "sparse_lu", "order.txt"))
        for arguments, said in ((("--dry-run",), "Analysis: L U in the order of a file, found in"),
                                (("--check",), "the configuration is valid"),
                                (("--print-config",), 'ordering: "there/order.txt"')):
            result = self.spsolve("there/c.yaml", *arguments)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertIn(said, result.out)

    def test_dense_methods_say_that_they_take_no_order(self):
        self.write("order.txt", lines(range(9, 0, -1)))
        for method, order, said in (("auto", "order.txt", "auto took lu, and sparse elimination alone"),
                                    ("auto", "amd", "auto took lu, and sparse elimination alone"),
                                    ("gauss", "order.txt", "gauss, and sparse elimination alone"),
                                    ("auto", "auto", ""), ("sparse_lu", "order.txt", "")):
            with self.subTest(method=method, order=order):
                self.write("c.yaml", CONFIG.format("grid2d:3", method, order))
                result = self.spsolve("c.yaml", ranks=2)
                self.assertEqual(result.code, SOLVED, result.text)
                notes = [note for note in self.report()["notes"] if "solve.ordering" in note]
                self.assertEqual(len(notes), 1 if said else 0, notes)
                self.assertIn(said, " ".join(notes))
                self.assertEqual("solve.ordering changed nothing" in result.out, bool(said))
        # Where auto takes a sparse method, the order counts.
        self.write("order.txt", lines(range(4096, 0, -1)))
        self.assertEqual(self.solve("grid2d:64", "auto", "order.txt")["ordering"], "file")

    def test_dense_methods_keep_no_analysis(self):
        self.write("c.yaml", "matrix: grid2d:3\nsolve: {analysis_file: kept.bin}\n"
                             "output: {report: report.json}\n")
        result = self.spsolve("c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("solve.analysis_file changed nothing", " ".join(self.report()["notes"]))
        self.assertFalse((self.folder / "kept.bin").exists())

    def test_bad_files_are_refused(self):
        self.write("c.yaml", CONFIG.format("grid2d:3", "sparse_cholesky", "order.txt"))
        for text, said in (
                (lines([1, 2, "three"]), "order.txt:3: expected the number of a row, from 1 to 9"),
                (lines(range(9)), "order.txt:1: expected the number of a row, from 1 to 9, found '0'; "
                                  "rows are numbered from 1"),
                (lines([1, 2, 3, 2]), "order.txt:4: expected a row that no line before it names, "
                                      "found row 2, which line 2 names; name each row once"),
                (lines(range(1, 9)), "order.txt:8: expected 9 rows, found the end of the file after "
                                     "8; row 9 is missing"),
                (lines(range(1, 17)), "order.txt:10: expected the number of a row, from 1 to 9, found "
                                      "'10'; name the file with the order of this matrix"),
                (None, "order.txt: cannot be opened (No such file or directory)")):
            if text is None:
                (self.folder / "order.txt").unlink()
            else:
                self.write("order.txt", text)
            for arguments in ((), ("--dry-run",), ("--check",)):
                with self.subTest(text=text, arguments=arguments):
                    result = self.spsolve("c.yaml", *arguments, ranks=2)
                    self.assertEqual(result.code, INPUT, result.text)
                    self.assertEqual(result.err.count(said), 1, result.err)
            result = self.spbench("eliminate", "--matrix", "grid2d:3", "--ordering", "order.txt")
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(said, result.err)

    def test_spbench_takes_one_too(self):
        self.write("order", lines(range(9, 0, -1)))
        result = self.spbench("eliminate", "--matrix", "grid2d:3", "--ordering", "./order",
                              "--methods", "sparse_cholesky", "--peers", "none", "--samples", 1,
                              "--csv", "r.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        row, = self.rows()
        self.assertEqual((row["contender"], row["refused"]), ("sparse_cholesky", ""))


if __name__ == "__main__":
    unittest.main()
