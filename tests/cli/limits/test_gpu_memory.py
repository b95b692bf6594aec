"""The memory plan of GPUs compared with the memory that the ranks really took there.

`python3 -m limits.test_gpu_memory --table` in tests/cli prints the figures. Where no GPU is, all but the remedies skip.
"""

import sys
import unittest

from support import CliTest, MIB, RESOURCES, SOLVED, why_no_gpu

SMALLEST = 256 * MIB  # at most on the GPU, so that fixed costs do not decide
LIBRARIES = 1024 * MIB  # work space of cuBLAS, cuSPARSE and NCCL, in addition to the plan

DENSE, SPARSE = "random_dense:8000", "grid2d:120"
SOLVE = [  # matrix, solve.*, ranks
    *((matrix, {"method": "lu", "precision": precision}, 1)
      for matrix in (DENSE, SPARSE) for precision in ("double", "mixed", "float")),
    (SPARSE, {"method": "lu", "ranks": "all"}, 2),
    *((SPARSE, {"method": method, "precision": precision}, 1)
      for method in ("gauss", "gauss_jordan") for precision in ("double", "mixed")),
    (DENSE, {"method": "gauss"}, 1),
    # Sparse factors, what fronts pass up, and lists.
    *(("grid3d:60", {"method": method, "precision": precision}, 1)
      for method in ("sparse_cholesky", "sparse_ldlt", "sparse_lu")
      for precision in ("double", "float")),
    ("grid2d:1000", {"method": "sparse_cholesky"}, 1),
    ("convdiff3d:50", {"method": "sparse_lu"}, 1),
]
BLOCKS = "grid3d27:64:3"  # 62 million non-zeros
MULTIPLY = [  # matrix, multiply.*, ranks
    *((BLOCKS, {"kernel": kernel, "columns": 8}, 1)
      for kernel in ("csr_vector", "csr_adaptive", "csr_vector_by_row", "ellpack",
                     "csr_product_tree", "symmetric_atomic", "sliced_rows", "csr_row_split",
                     "csr_tiles", "cusparse_csr_spmm_2",
                     "cusparse_csr_spmm_1_columns")),
    (BLOCKS, {"kernel": "csr_row_split", "columns": 64, "precision": "float"}, 1),
    (BLOCKS, {"kernel": "csr_row_split", "columns": 8}, 2),
    (DENSE, {"kernel": "dense_tiled", "columns": 8}, 1),
    (DENSE, {"kernel": "cublas_gemm", "columns": 8}, 1),
]
# Formats whose size hangs on what is in the matrix: never more than planned.
AT_MOST = [(BLOCKS, {"kernel": kernel, "columns": 8}, 1)
           for kernel in ("grouped_slices", "grouped_lanes", "symmetric_groups",
                          "symmetric_colored", "auto")]
# So many products that auto tries all.
AT_MOST.append((BLOCKS, {"kernel": "auto", "columns": 8, "repeat": 4000}, 1))


def words(values):
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


def solve_text(matrix, solve):
    return f'matrix: "{matrix}"\nsolve: {words(dict(solve, condition="false"))}\n'


def multiply_text(matrix, multiply):
    return f'task: multiply\nmatrix: "{matrix}"\nmultiply: {words(multiply)}\n'


# Rows that are equilibrated are made dense from a copy, which counts where there are many entries
# and which these, that are well scaled, do without.
CASES = ([(solve_text(m, s), f"{m} {' '.join(s.values())}", ranks, m == DENSE)
          for m, s, ranks in SOLVE] +
         [(multiply_text(m, k), f"{m} {' '.join(map(str, k.values()))}", ranks, at_most)
          for cases, at_most in ((MULTIPLY, False), (AT_MOST, True)) for m, k, ranks in cases])


class Measured(CliTest):
    def setUp(self):
        super().setUp()
        if why_no_gpu():
            self.skipTest(why_no_gpu())

    def measure(self, configuration, ranks):
        """For each rank: bytes planned on its GPU, taken by its arrays, taken by libraries."""
        self.write("c.yaml", configuration + "device: cuda\nshare_gpus: true\n"
                   "output: {report: r.json}\n")
        done = self.spsolve("c.yaml", "--quiet", ranks=ranks)
        self.assertEqual(done.code, SOLVED, done.text)
        return [tuple(row["gpu"][f"{what}_memory_bytes"] for what in ("planned", "peak", "library"))
                for row in self.report("r.json")["rank_table"]]


class GpuMemory(Measured):
    def test_plans(self):
        for configuration, name, ranks, at_most in CASES:
            with self.subTest(name, ranks=ranks):
                rows = self.measure(configuration, ranks)
                told = ", ".join("{:.0f} planned {:.0f} held {:.0f} libraries".format(
                    *(part / MIB for part in row)) for row in rows)
                self.assertGreater(sum(peak for _, peak, _ in rows), SMALLEST, told)
                for plan, peak, libraries in rows:
                    self.assertLess(peak - plan, 0.1 * peak, told)
                    if not at_most:
                        self.assertLess(plan - peak, 0.1 * peak, told)
                    if ranks == 1:  # ranks that share a GPU see each other's
                        self.assertLess(libraries, LIBRARIES, told)


class GpuRemedies(CliTest):
    """What is said where a GPU's memory is too small; told so, it may be any, or none."""

    def refused(self, configuration, mebibytes, ranks=1):
        self.needs_faults()
        if "no GPU part" in why_no_gpu():
            self.skipTest(why_no_gpu())
        self.write("c.yaml", configuration + "device: cuda\nshare_gpus: true\n")
        result = self.spsolve("c.yaml", "--dry-run", ranks=ranks,
                              environment={"SPSOLVE_FAULT": f"gpu_memory={mebibytes}"})
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertRegex(result.out, r"its GPU +[\d.]+ [GM]iB  of [\d.]+ [GM]iB free on it: does not fit")
        return result.out.split("It does not fit: ")[1]

    def test_of_a_solve(self):
        # 5.4 GiB in double, half of it in float, two thirds in mixed precision.
        text = self.refused("matrix: tridiagonal:26000\nsolve: {method: lu}\n", 4000)
        self.assertIn("use at least 2 GPUs like these, one for each of 2 ranks", text)
        for way in ("solve.precision=mixed", "solve.precision=float", "device=host"):
            self.assertIn(f"{way}, with which it fits", text)
        # Each of several needs 0.6 GiB in addition to its share.
        text = self.refused("matrix: tridiagonal:26000\nsolve: {method: lu}\n", 2600)
        self.assertRegex(text, r"use at least [45] GPUs like these")
        self.assertNotIn("precision", text)
        text = self.refused("matrix: tridiagonal:26000\nsolve: {method: lu, block: 128}\n", 2400)
        self.assertRegex(text, r"use at least [34] GPUs like these")
        self.assertNotIn("precision", text)
        text = self.refused("matrix: tridiagonal:10000\nsolve: {method: gauss, ranks: all}\n", 150, ranks=2)
        self.assertRegex(text, r"use at least [67] GPUs like these")

    def test_of_a_method(self):
        # Two ranks keep rows on their way, too, as lu.
        text = self.refused("matrix: tridiagonal:2000\nsolve: {method: lu, block: 1024}\n", 36)
        self.assertIn("solve.method=auto (sparse_cholesky), with which it fits", text)
        self.assertRegex(text, r"rank 0 needs \d\d\.\d\d MiB")

    def test_of_a_product(self):
        text = self.refused("task: multiply\nmatrix: grid2d:1000\n"
                            "multiply: {kernel: csr_row_split, columns: 32}\n", 400)
        self.assertIn("use at least 2 GPUs like these, one for each of 2 ranks", text)
        self.assertIn("multiply.precision=float, with which it fits", text)
        self.assertNotIn("device=host", text)  # which has no such kernel
        text = self.refused("task: multiply\nmatrix: grid2d:1000\n"
                            "multiply: {kernel: auto, columns: 32}\n", 400)
        self.assertIn("device=host, with which it fits", text)


class Table(Measured):
    def show(self):
        print(f"{'case':55} {'ranks':>5} {'planned':>8} {'held':>8} {'libraries':>9}  MiB, of each rank")
        for configuration, name, ranks, _ in CASES:
            try:
                rows = self.measure(configuration, ranks)
            except Exception as problem:  # goes on with the others
                rows = []
                print(f"{name:55} {ranks:5}  {str(problem)[:200]}")
            for plan, peak, libraries in rows:
                print(f"{name:55} {ranks:5} {plan / MIB:8.1f} {peak / MIB:8.1f} "
                      f"{libraries / MIB:9.1f}  {100 * (plan / peak - 1):+.1f} %", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        unittest.TextTestRunner().run(Table("show"))
    else:
        unittest.main()
