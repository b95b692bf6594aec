"""matrix.reader=parallel: no rank has more than its rows, and x has the bits that rank 0's dealing gives."""

import gzip
import unittest

from support import BIN, CliTest, INPUT, RESOURCES, SOLVED


class ParallelReader(CliTest):
    def solve(self, matrix, *settings, reader="serial", ranks=3):
        words = [word for setting in (f"matrix.reader={reader}", *settings) for word in ("--set", setting)]
        return self.spsolve(matrix, "random", "-o", f"{reader}.mtx", "--report", "report.json", *words,
                            ranks=ranks)

    def assert_alike(self, matrix, *settings, ranks=3):
        with self.subTest(matrix=matrix, settings=settings, ranks=ranks):
            found = []
            for reader in ("serial", "parallel"):
                result = self.solve(matrix, *settings, reader=reader, ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                found.append(((self.folder / f"{reader}.mtx").read_bytes(),
                              report["matrix"]["rows"], report["matrix"]["nonzeros"]))
            self.assertEqual(*found)

    def assert_refused(self, matrix, setting, *words):
        result = self.solve(matrix, setting, reader="parallel")
        self.assertEqual(result.code, INPUT, result.text)
        for sentence in words:
            self.assertIn(sentence, result.text)

    def test_solves_as_rank_0_deals_out(self):
        cg = "solve.method=cg", "solve.preconditioner=multigrid"
        for ranks in (1, 3, 5):
            self.assert_alike("grid3d:7", *cg, ranks=ranks)
            self.assert_alike("elastic3d:4", *cg, ranks=ranks)  # whole nodes on every rank
        self.assert_alike("convdiff3d:7", "solve.method=gmres", "matrix.rotate_rows=0")
        self.assert_alike("grid2d:9", "solve.method=lu", "matrix.rotate_rows=2")
        self.assert_alike("grid2d:9", "solve.method=gauss")

    def test_files_of_every_kind_that_ranks_can_share(self):
        for file in ("a.mtx", "a.npz", "a.petsc"):
            self.assertEqual(self.spmtx("generate", "convdiff3d:8", file).code, SOLVED)
            self.assert_alike(file, "solve.method=bicgstab")
        packed = gzip.compress((self.folder / "a.mtx").read_bytes())
        (self.folder / "a.mtx.gz").write_bytes(packed)
        self.assert_refused("a.mtx.gz", "solve.method=cg", "matrix.reader=serial")

    def test_what_looks_at_the_whole_matrix_reads_it_on_rank_0(self):
        for method in ("auto", "sparse_lu"):
            self.assert_refused("grid2d:5", f"solve.method={method}",
                                "'matrix.reader' may be parallel with task: multiply, and where",
                                "look at the whole matrix first")

    def test_the_plan_has_no_whole_matrix(self):
        serial, parallel = (self.spsolve("grid3d:60", "random", "--set", f"matrix.reader={reader}", "--set",
                                         "solve.method=cg", "--dry-run", ranks=3)
                            for reader in ("serial", "parallel"))
        self.assertEqual((serial.code, parallel.code), (SOLVED, SOLVED), parallel.text)
        self.assertIn("compressed rows of the whole matrix", serial.text)
        self.assertNotIn("whole matrix", parallel.text)

    def test_it_is_named_where_rank_0_has_no_room_for_all_rows(self):
        start = ("ulimit -v 1300000; OMP_NUM_THREADS=1 exec mpirun --oversubscribe --bind-to none -np 2 "
                 f"{BIN / 'spsolve'} grid3d27:60:3 random --device host --set solve.preconditioner=jacobi")
        for method, words in (("auto", "solve.method=cg (gmres where A is not symmetric) with "
                               "matrix.reader=parallel"),
                              ("cg --set matrix.reader=serial", "matrix.reader=parallel")):
            result = self.run_program("bash", "-c", f"{start} --method {method}")
            self.assertEqual(result.code, RESOURCES, result.text)
            self.assertIn(f"{words}, with which it fits", result.text)
        # Rows of a generator are made by whom they belong to.
        self.assertEqual(self.run_program("bash", "-c", f"{start} --method cg --dry-run").code, SOLVED)


if __name__ == "__main__":
    unittest.main()
