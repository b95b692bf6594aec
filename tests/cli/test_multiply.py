"""mpirun -np N spsolve with task: multiply."""

import random
import socket
import unittest

from support import BIN, CliTest, INPUT, NOT_TRUSTWORTHY, RESOURCES, ROOT, SOLVED

MULTIPLY = """
task: multiply
matrix: a.mtx
multiply: {x: x.mtx, verify: true}
output: {product: y.mtx, report: report.json}
"""


def array_file(rows):
    """A multivector as a Matrix Market array, column by column."""
    columns = zip(*rows)
    return ("%%MatrixMarket matrix array real general\n"
            f"{len(rows)} {len(rows[0])}\n"
            + "".join(f"{value!r}\n" for column in columns for value in column))


class MultiplyTest(CliTest):
    def read_array(self, name="y.mtx"):
        lines = [line for line in (self.folder / name).read_text().splitlines()
                 if not line.startswith("%")]
        rows, columns = map(int, lines[0].split())
        values = list(map(float, lines[1:]))
        self.assertEqual(len(values), rows * columns)
        return [[values[c * rows + r] for c in range(columns)] for r in range(rows)]

    def assert_fails(self, result, code, *words):
        self.assertEqual(result.code, code, result.text)
        for word in words:
            self.assertIn(word, result.err)
        self.assertEqual(result.err.count("spsolve:"), 1, "one message, by one rank")


class Products(MultiplyTest):
    def make_problem(self, rows, columns, k, symmetric=False):
        """Writes a.mtx and x.mtx; hands back A X, computed here."""
        draw = random.Random(rows * 1000 + columns)
        entries = {}
        for i in range(rows):
            for j in range(columns):
                if draw.random() < 0.3:
                    entries[i, j] = draw.uniform(-1, 1)
                    if symmetric:
                        entries[j, i] = entries[i, j]
        self.longest_row = max(sum(1 for i, _ in entries if i == row) for row in range(rows))
        x = [[draw.uniform(-1, 1) for _ in range(k)] for _ in range(columns)]
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n"
                            f"{rows} {columns} {len(entries)}\n"
                   + "".join(f"{i + 1} {j + 1} {v!r}\n" for (i, j), v in entries.items()))
        self.write("x.mtx", array_file(x))
        y = [[0.0] * k for _ in range(rows)]
        for (i, j), value in entries.items():
            for c in range(k):
                y[i][c] += value * x[j][c]
        return y

    def assert_close(self, actual, expected, digits):
        self.assertEqual(len(actual), len(expected))
        for mine, right in zip(actual, expected):
            self.assertEqual(len(mine), len(right))
            for a, b in zip(mine, right):
                self.assertAlmostEqual(a, b, places=digits)

    def test_product_on_any_number_of_ranks(self):
        self.write("c.yaml", MULTIPLY)
        for shape in ((17, 11, 3), (3, 8, 1), (12, 30, 5)):  # 3 rows: some of 5 ranks have none
            expected = self.make_problem(*shape)
            for ranks in (1, 2, 3, 5):
                with self.subTest(shape=shape, ranks=ranks):
                    result = self.spsolve("c.yaml", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assert_close(self.read_array(), expected, 13)
                    report = self.report()
                    self.assertEqual(report["ranks"], ranks)
                    self.assertEqual(report["k"], shape[2])
                    self.assertLessEqual(report["errors"]["scaled"], report["errors"]["bound"])
                    # (longest row + 2) u: of the whole matrix, on rank 0
                    self.assertEqual(report["errors"]["bound"] * 2 ** 53, self.longest_row + 2)

    def test_every_kernel(self):
        expected = self.make_problem(14, 14, 4, symmetric=True)
        self.write("c.yaml", MULTIPLY)
        listed = self.run_program(BIN / "spbench", "--list-kernels").out.splitlines()
        names = [line.split()[0] for line in listed if line.split()[1] == "host"]
        refused = self.spsolve("c.yaml", "--set", "multiply.kernel=complex_rows")
        self.assertEqual(refused.code, INPUT, refused.text)
        self.assertIn("the matrix is not the real form of a complex one", refused.err)
        for name in ["auto", *names]:
            if name == "complex_rows":
                continue  # of complex matrices: solve/test_complex.py
            for ranks, precision in ((1, "float"), (3, "double")):
                with self.subTest(name, ranks=ranks):
                    result = self.spsolve("c.yaml", "--set", f"multiply.kernel={name}", "--set",
                                          f"multiply.precision={precision}", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assert_close(self.read_array(), expected, 5 if ranks == 1 else 13)
                    self.assertEqual(self.report()["errors"]["unit_roundoff"],
                                     2.0 ** (-24 if ranks == 1 else -53))

    def test_example_and_report(self):
        result = self.spsolve(ROOT / "configs" / "multiply.yaml", "--set",
                              "matrix.generate=grid2d:20", "--set", "threads=2", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        for word in ("grid2d:20, 400 x 400", "GFLOP/s", "relative error", "unit round-off u 1.11e-16",
                     "2 on 1 host, 2 threads each"):
            self.assertIn(word, result.out)
        report = self.report()
        self.assertEqual(report["status"], "solved")
        self.assertEqual(report["repeat"], 20)
        self.assertEqual(report["k"], 8)
        for key in ("kernel", "detail", "precision", "device", "threads", "hosts", "gflops",
                    "bytes_per_second", "product_seconds", "format_bytes", "peak_memory_bytes",
                    "versions", "configuration", "notes"):
            self.assertIn(key, report)
        self.assertEqual(list(report["seconds"]), ["start", "read", "scatter", "prepare", "multiply",
                                                   "gather", "verify", "write", "total"])
        flops = 2 * report["matrix"]["nonzeros"] * 8
        self.assertAlmostEqual(report["gflops"] * report["product_seconds"] * 1e9 / flops, 1)
        floor = report["matrix"]["nonzeros"] * 12 + 401 * 8 + 8 * 800 * 8
        self.assertAlmostEqual(report["bytes_per_second"] * report["product_seconds"] / floor, 1)

    def test_report_of_several_ranks(self):
        self.write("c.yaml", "task: multiply\nmatrix: grid2d:12\n"
                             "multiply: {columns: 3, bands: rows, repeat: 3, verify: true}\n"
                             "output: {report: report.json}\n")
        result = self.spsolve("c.yaml", ranks=3)
        self.assertEqual(result.code, SOLVED, result.text)
        for word in ("bands", "equal rows", "48 rows of X, 0.00 MiB a product", "pack", "exchange",
                     "interior", "wait", "boundary"):
            self.assertIn(word, result.out)
        report = self.report()
        self.assertEqual(list(report["product_parts"]),
                         ["pack", "exchange", "interior", "wait", "boundary"])
        # A band borders on one line of 12 points above and below.
        self.assertEqual([share["halo_rows"] for share in report["shares"]], [12, 24, 12])
        self.assertEqual([share["neighbours"] for share in report["shares"]], [1, 2, 1])
        self.assertEqual([share["boundary_rows"] for share in report["shares"]], [12, 24, 12])
        self.assertEqual(report["halo"]["rows"], 48)
        self.assertEqual(report["halo"]["bytes"], 48 * 3 * 8)
        self.assertEqual(sum(share["nonzeros"] for share in report["shares"]),
                         report["matrix"]["nonzeros"])
        most = max(share["nonzeros"] for share in report["shares"])
        self.assertAlmostEqual(report["imbalance"], 3 * most / report["matrix"]["nonzeros"])
        self.assertEqual(report["scatter"]["matrix_bytes"],
                         145 * 8 + 12 * report["matrix"]["nonzeros"])

    def test_bands(self):
        self.write("c.yaml", "task: multiply\nmatrix: \"power_law:2000:8\"\n"
                             "multiply: {verify: true}\noutput: {report: report.json}\n")
        figures = {}
        for bands in ("rows", "nonzeros", "auto"):
            result = self.spsolve("c.yaml", "--set", f"multiply.bands={bands}", ranks=3)
            self.assertEqual(result.code, SOLVED, result.text)
            figures[bands] = self.report()["imbalance"]
        self.assertLess(figures["nonzeros"], 1.02)
        self.assertGreater(figures["rows"], figures["nonzeros"])
        self.assertIn(figures["auto"], (figures["rows"], figures["nonzeros"]))
        self.assert_fails(self.spsolve("c.yaml", "--set", "multiply.bands=nonzero"), INPUT,
                          "did you mean 'nonzeros'?")

    def test_every_rank_reads(self):
        self.make_problem(23, 23, 2)
        self.write("c.yaml", MULTIPLY)
        self.assertEqual(self.spsolve("c.yaml", "--set", "multiply.kernel=csr_balanced", ranks=3)
                         .code, SOLVED)
        serial = self.read_array()
        for extra in ((), ("--set", "matrix.rotate_rows=2")):
            with self.subTest(extra):
                result = self.spsolve("c.yaml", "--set", "multiply.kernel=csr_balanced", "--set",
                                      "matrix.reader=parallel", *extra, ranks=3)
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertLessEqual(report["errors"]["scaled"], report["errors"]["bound"])
                if not extra:
                    self.assertEqual(self.read_array(), serial)
                self.assertNotIn("peak_bytes", report["scatter"])
        result = self.spsolve("c.yaml", "--set", "matrix=grid2d:9", "--set", "multiply.x=ones",
                              "--set", "matrix.reader=parallel", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["matrix"]["nonzeros"], 5 * 81 - 4 * 9)

    def test_where_each_rank_runs(self):
        self.write("c.yaml", "task: multiply\nmatrix: grid2d:5\nthreads: 2\n"
                             "output: {report: report.json}\n")
        self.assertEqual(self.spsolve("c.yaml", ranks=2).code, SOLVED)
        table = self.report()["rank_table"]
        self.assertEqual([row["rank"] for row in table], [0, 1])
        for row in table:
            self.assertEqual(list(row), ["rank", "host", "threads", "numa_node", "gpu",
                                         "planned_memory_bytes", "peak_memory_bytes",
                                         "waited_seconds"])
            self.assertEqual(row["threads"], 2)
            self.assertEqual(row["host"], socket.gethostname())

    def test_without_verify_and_files(self):
        self.write("c.yaml", "task: multiply\nmatrix: grid2d:5\nmultiply: {x: ones}\n"
                             "output: {report: report.json}\n")
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertNotIn("errors", self.report())
        self.assertNotIn("verify", self.report()["seconds"])
        self.assertNotIn("relative error", result.out)

    def test_random_x_by_seed(self):
        self.write("c.yaml", "task: multiply\nmatrix: tridiagonal:6\n"
                             "output: {product: y.mtx}\n")
        results = []
        for seed, ranks in ((1, 1), (1, 3), (2, 1)):
            self.assertEqual(self.spsolve("c.yaml", "--set", f"multiply.seed={seed}", ranks=ranks)
                             .code, SOLVED)
            results.append(self.read_array())
        self.assertEqual(results[0], results[1])
        self.assertNotEqual(results[0], results[2])

    def test_rotated_rows(self):
        self.write("c.yaml", "task: multiply\nmatrix: {generate: \"tridiagonal:4\", "
                             "rotate_rows: 1}\nmultiply: {x: ones, verify: true}\n"
                             "output: {product: y.mtx}\n")
        self.assertEqual(self.spsolve("c.yaml", ranks=3).code, SOLVED)
        self.assertEqual(self.read_array(), [[1], [1], [0], [0]])


class Refusals(MultiplyTest):
    def test_x_of_wrong_height(self):
        self.write("x.mtx", array_file([[1.0, 2.0]] * 3))
        self.write("c.yaml", "task: multiply\nmatrix: tridiagonal:4\nmultiply: {x: x.mtx}\n")
        for ranks in (1, 3):
            self.assert_fails(self.spsolve("c.yaml", ranks=ranks), INPUT,
                              "x.mtx: X has 3 rows, but the matrix has 4 columns")

    def test_products_beyond_the_range_of_their_numbers(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1e300\n")
        for precision, scale, words in (
                ("float", 1.0, "Y = A X is inf in row 2, column 1 (numbered from 1)"),
                ("float", 1.0, "use multiply.precision=double"),
                ("double", 1e9, "the range of double, about 1.8e308; scale A or X")):
            self.write("x.mtx", array_file([[1.0], [scale]]))
            for ranks in (1, 2):
                with self.subTest(precision, words=words, ranks=ranks):
                    self.write("c.yaml", MULTIPLY)
                    result = self.spsolve("c.yaml", "--set", f"multiply.precision={precision}", ranks=ranks)
                    self.assert_fails(result, NOT_TRUSTWORTHY, words)
                    self.assertFalse((self.folder / "y.mtx").exists())

    def test_words(self):
        self.write("c.yaml", "task: multiply\nmatrix: tridiagonal:4\n"
                             "multiply: {kernel: csr_seral, x: randm}\n")
        self.assert_fails(self.spsolve("c.yaml", ranks=2), INPUT, "c.yaml:3:20",
                          "did you mean 'csr_serial'?", "c.yaml:3:34", "did you mean 'random'?")

    def test_parallel_reader(self):
        self.write("c.yaml", "matrix: {generate: \"grid2d:3\", reader: parallel}\n")
        self.assert_fails(self.spsolve("c.yaml", ranks=2), INPUT, "c.yaml:1:",
                          "'matrix.reader' may be parallel with task: multiply, and where solve.method "
                          "is a Krylov method, lu, gauss or gauss_jordan")
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 3 1\n")
        self.write("c.yaml", "task: multiply\nmatrix: {file: a.mtx, reader: parallel}\n")
        for ranks in (1, 3):
            self.assert_fails(self.spsolve("c.yaml", ranks=ranks), INPUT,
                              "a.mtx:4: expected a column index from 1 to 2, found '3'")
        self.assert_fails(self.spsolve("c.yaml", "--set", "matrix.file=none.mtx", ranks=2), INPUT,
                          "none.mtx")

    def test_kernels_for_symmetric_matrices(self):
        self.write("c.yaml", "task: multiply\nmatrix: grid2d:5\n"
                             "multiply: {kernel: symmetric_colored}\n")
        for ranks in (1, 2):
            self.assertEqual(self.spsolve("c.yaml", ranks=ranks).code, SOLVED)
        self.assert_fails(self.spsolve("c.yaml", "--set", "matrix=gfpp:5"), INPUT,
                          "the matrix is not symmetric")
        self.assert_fails(self.spsolve("c.yaml", "--set", "matrix=gfpp:9", ranks=2), INPUT,
                          "the matrix is not symmetric", "the diagonal block of 6 x 6 that rank 0",
                          "use another kernel")

    def test_symmetric_but_for_rounding(self):
        # X is small where a row is large: what a_12 - a_21 adds to Y is not within the usual bound.
        def entries(upper):
            self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 8\n"
                       "1 1 1\n2 2 1\n3 3 1\n4 4 1\n"
                       f"1 2 {upper!r}\n2 1 1e-3\n3 4 0.5\n4 3 0.5\n")
        entries(1e-3 + 3e-15)
        self.write("x.mtx", array_file([[1e-6], [1.0], [1.0], [1.0]]))
        self.write("c.yaml", MULTIPLY)
        for kernel in ("symmetric_atomic", "symmetric_colored", "symmetric_halves"):
            for ranks in (1, 2):
                with self.subTest(kernel, ranks=ranks):
                    result = self.spsolve("c.yaml", "--set", f"multiply.kernel={kernel}", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    report = self.report()
                    self.assertIn("A is symmetric but for rounding", report["notes"][0])
                    self.assertIn("apart by rounding", report["detail"])
                    self.assertGreater(report["errors"]["scaled"], 1e-12)
                    self.assertLessEqual(report["errors"]["scaled"], report["errors"]["bound"])
        result = self.spbench("multiply", "--matrix", "a.mtx", "--kernels",
                              "symmetric_colored,csr_serial", "--samples", 2, "--sample-ms", 0,
                              "--triad", 1, "--csv", "r.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("apart by rounding", (self.folder / "r.csv").read_text())
        # auto multiplies by A as it is.
        self.assertEqual(self.spsolve("c.yaml", "--set", "multiply.kernel=auto").code, SOLVED)
        report = self.report()
        self.assertFalse([note for note in report["notes"] if "symmetric" in note])
        self.assertLess(report["errors"]["scaled"], 1e-15)
        entries(1e-3 + 1e-12)
        self.assert_fails(self.spsolve("c.yaml", "--set", "multiply.kernel=symmetric_halves"), INPUT,
                          "not symmetric, by more than rounding: a(1, 2) = 0.001000000001 and "
                          "a(2, 1) = 0.001 (numbered from 1)")

    def test_resources(self):
        self.write("c.yaml", "task: multiply\nmatrix: tridiagonal:2000000\n"
                             "multiply: {columns: 1000000}\n")
        result = self.spsolve("c.yaml", ranks=2)
        self.assert_fails(result, RESOURCES, "does not fit")
        result = self.spsolve("c.yaml", "--dry-run", ranks=2)
        self.assertEqual(result.code, RESOURCES)
        self.assertIn("rows of X", result.out)
        result = self.spsolve("c.yaml", "--dry-run", "--set", "multiply.columns=1", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        result = self.spsolve("c.yaml", "--dry-run", "--set", "multiply.columns=1", "--set",
                              "matrix.reader=parallel", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertNotIn("whole matrix", result.out)
        self.write("d.yaml", "task: multiply\nmatrix: tridiagonal:4\n")
        # Without a GPU; CUDA_VISIBLE_DEVICES hides those that there may be.
        self.assert_fails(self.spsolve("d.yaml", "--set", "device=cuda", ranks=2,
                                       environment={"CUDA_VISIBLE_DEVICES": "-1"}), RESOURCES,
                          "there is no GPU here", "device=host")
        self.assert_fails(self.spsolve("d.yaml", "--set", "output.product=no/folder/y.mtx",
                                       ranks=3), RESOURCES, "no/folder/y.mtx")


if __name__ == "__main__":
    unittest.main()
