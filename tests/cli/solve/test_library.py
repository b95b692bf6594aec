"""The library compared with the program, bit by bit: the method that is chosen, and x; how each fails."""

import random
import struct
import unittest

from support import BIN, CliTest, MIB, NOT_TRUSTWORTHY, SOLVED

GENERATORS = {  # rows, and what auto takes for one right-hand side of one system
    "grid2d:30": (900, "sparse_cholesky"), "grid3d:12": (1728, "cg"), "grid3d27:6:2": (432, "lu"),
    "elastic3d:5": (540, "lu"), "convdiff3d:9": (729, "sparse_lu"),
    "aniso2d:24": (576, "sparse_cholesky"), "aniso3d:9": (729, "sparse_cholesky"),
    "helmholtz2d:30": (900, "sparse_cholesky"), "circuit:700": (700, "sparse_lu"),
    "kkt:600": (600, "sparse_ldlt"), "cage:900": (900, "bicgstab"),
    "power_law:600:6": (600, "sparse_lu"), "tridiagonal:900": (900, "sparse_cholesky"),
    "random_sparse:600:600:8": (600, "sparse_lu"), "random_dense:60": (60, "lu"),
    "hilbert:8": (8, "lu"), "gfpp:40": (40, "lu")}
ROWS = {"grid3d:40": 64000, "convdiff3d:60": 216000, **{name: row[0] for name, row in GENERATORS.items()}}
METHODS = ("lu", "gauss", "gauss_jordan", "sparse_cholesky", "sparse_ldlt", "sparse_lu", "cg", "minres",
           "gmres", "bicgstab", "block_cg", "idr", "cocr")
DENSE = ("lu", "gauss", "gauss_jordan")


class Library(CliTest):
    def bits_of_program(self):
        data = (self.folder / "x.npy").read_bytes()
        (length,) = struct.unpack("<H", data[8:10])
        return data[10 + length:]

    def compare(self, *words, ranks=1, limit=None):
        """The method that both take, or none; the words of both."""
        for file in self.folder.glob("x.*"):
            file.unlink()
        settings = [part for word in words for part in ("--set", word)]
        ours = [BIN / "library_solve", self.matrix, "b.mtx", "x.bits", *words]
        if limit is None:
            launcher = [] if ranks == 1 else ["mpirun", "--oversubscribe", "--bind-to", "none", "-np",
                                              ranks]
            program = self.run_program(*launcher, BIN / "spsolve", "c.yaml", *settings)
            library = self.run_program(*launcher, *ours)
        else:
            program = self.limited(limit, *settings)
            library = self.run_program("bash", "-c", f"ulimit -v {int(limit / 1024)}; exec "
                                       + " ".join(str(word) for word in ours))
        text = f"{self.matrix} {words}\n{program.text}\n{library.text}"
        if not (self.folder / "x.npy").exists():
            self.assertEqual(library.code, program.code, text)
            return None, text
        self.assertIn(program.code, (SOLVED, NOT_TRUSTWORTHY), text)
        self.assertEqual(library.code, SOLVED, text)
        bits = b"".join((self.folder / f"x.bits.{rank}").read_bytes() for rank in range(ranks))
        self.assertEqual(bits, self.bits_of_program(), text)
        method = self.report()["method"]
        self.assertEqual(library.out.strip(), method, text)
        return method, text

    def system(self, matrix, columns=1):
        """The matrix, and right-hand sides for it."""
        self.matrix, rows = matrix, ROWS[matrix]
        draw = random.Random(rows)
        numbers = "".join(f"{draw.uniform(-1, 1)!r}\n" for _ in range(rows * columns))
        self.write("b.mtx", f"%%MatrixMarket matrix array real general\n{rows} {columns}\n{numbers}")
        self.write("c.yaml", f'matrix: "{matrix}"\nright_hand_side: b.mtx\ndevice: host\n'
                   "output: {solution: x.npy, report: report.json, progress: off}\n")

    def test_auto_of_every_generator(self):
        for matrix, (_, method) in GENERATORS.items():
            with self.subTest(matrix):
                self.system(matrix)
                self.assertEqual(self.compare()[0], method)

    def test_every_method_of_every_generator(self):
        taken = dict.fromkeys(METHODS, 0)
        for matrix in GENERATORS:
            self.system(matrix)
            for method in METHODS:
                if method in DENSE and matrix.startswith(("grid3d", "elastic3d")):
                    continue  # seconds each
                with self.subTest(matrix=matrix, method=method):
                    found, _ = self.compare(f"solve.method={method}", "solve.iterations=60")
                    taken[method] += found == method
        self.assertGreater(min(taken.values()), 3, taken)

    def test_over_ranks(self):
        for matrix, words in (("grid3d:12", ()), ("cage:900", ()), ("grid2d:30", ()),
                              ("grid2d:30", ("solve.ranks=all",)), ("random_dense:60", ()),
                              ("random_dense:60", ("solve.precision=mixed",)),
                              ("helmholtz2d:30", ("solve.method=minres",))):
            for ranks in (2, 3):
                with self.subTest(matrix=matrix, words=words, ranks=ranks):
                    self.system(matrix)
                    self.assertIsNotNone(self.compare(*words, ranks=ranks)[0])

    def test_options(self):
        for matrix, *words in (("grid2d:30", "solve.precision=mixed"),
                               ("random_dense:60", "solve.precision=mixed"),
                               ("random_dense:60", "solve.precision=float"),
                               ("grid3d:12", "solve.precision=mixed"),
                               ("circuit:700", "solve.equilibrate=on"),
                               ("grid3d:12", "solve.condition=false"),
                               ("grid3d:12", "solve.refinement=0"),
                               ("cage:900", "solve.ordering=amd"),
                               ("cage:900", "solve.accept=residual")):
            with self.subTest(matrix=matrix, words=words):
                self.system(matrix, columns=2)
                self.assertIsNotNone(self.compare(*words)[0])

    def test_auto_iterates_as_expected(self):
        # For several right-hand sides there are factors, in both.
        self.system("grid3d:40")
        self.assertEqual(self.compare()[0], "cg")
        self.system("grid3d:12", columns=3)
        self.assertEqual(self.compare()[0], "sparse_cholesky")
        self.system("grid3d:12")
        library = self.run_program(BIN / "library_solve", "grid3d:12", "b.mtx", "x.bits", "systems=2")
        self.assertEqual(library.out.strip(), "sparse_cholesky", library.text)

    def test_auto_eliminates_after_all(self):
        self.system("grid3d:12")
        for words in ((), ("solve.precision=double",)):
            self.assertEqual(self.compare("solve.iterations=2", *words)[0], "sparse_cholesky")

    def test_begins_with_a_guess(self):
        self.system("grid2d:30")
        self.compare("solve.method=cg")
        (self.folder / "x.npy").rename(self.folder / "guess.npy")
        self.assertEqual(self.compare("solve.method=cg", "solve.initial_guess=guess.npy")[0], "cg")
        self.assertLess(self.report()["krylov"]["steps"], 3)

    def test_memory_is_short(self):
        self.needs_limits()
        self.write("c.yaml", "matrix: grid2d:4\n")
        limit, words = self.taken_by_libraries(), ("solve.condition=false",)
        self.system("convdiff3d:60")
        # Elimination needs 1.4 GiB, with factors in float 0.8.
        self.assertEqual(self.compare(*words, limit=limit + 450 * MIB)[0], "gmres")
        method, text = self.compare("solve.method=sparse_lu", *words, limit=limit + 450 * MIB)
        self.assertIsNone(method, text)
        self.assertEqual(text.count("does not fit into memory"), 2, text)


if __name__ == "__main__":
    unittest.main()
