"""Complex systems through the program, compared with numpy."""

import unittest

import numpy as np

from solve.complex_cases import array, coordinate, random_system, read_array
from support import BIN, CliTest, INPUT, INTERRUPTED, NOT_TRUSTWORTHY, SOLVED


class ComplexSystems(CliTest):
    def convert(self, name):
        self.assertEqual(self.spmtx("convert", name, "whole.npy").code, SOLVED)
        return np.load(self.folder / "whole.npy")

    def test_every_kind_on_one_rank_and_two(self):
        for seed, (kind, words) in enumerate((("general", "general"), ("symmetric", "symmetric"),
                                              ("hermitian", "hermitian"), ("positive", "hermitian"))):
            a, b = random_system(9 + seed, kind, seed)
            self.write("a.mtx", coordinate(a, words))
            self.write("b.mtx", array(b))
            np.save(self.folder / "b.npy", b.astype(np.complex128))
            expected = np.linalg.solve(a, b)
            ways = [(1, "auto"), (2, "auto"), (2, "lu"), (1, "sparse_lu"), (2, "gmres")]
            if words != "general":
                ways += [(1, "sparse_ldlt"), (2, "sparse_ldlt")]
            for ranks, method in ways:
                with self.subTest(kind, ranks=ranks, method=method):
                    result = self.spsolve("a.mtx", "b.mtx" if ranks == 1 else "b.npy",
                                          "-o", "x.mtx", "--set", f"solve.method={method}",
                                          "--report", "report.json", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    np.testing.assert_allclose(read_array(self.folder / "x.mtx"), expected,
                                               rtol=1e-8)
                    report = self.report()
                    self.assertTrue(report["complex"])
                    self.assertEqual(report["matrix"]["rows"], len(a))
                    self.assertEqual(report["matrix"]["nonzeros"], np.count_nonzero(a))
                    self.assertEqual(report["right_hand_sides"], 2)

    def test_krylov_methods_solve_or_say_that_they_did_not(self):
        methods = {"general": ("gmres", "bicgstab", "idr"), "symmetric": ("cocr", "gmres", "idr"),
                   "hermitian": ("minres", "gmres", "bicgstab"),
                   "positive": ("cg", "block_cg", "minres")}
        solved = 0
        for seed in range(2):
            for kind, those in methods.items():
                a, b = random_system(6 + 7 * seed, kind, 20 + seed)
                words = "hermitian" if kind == "positive" else kind
                self.write("a.mtx", coordinate(a, words))
                self.write("b.mtx", array(b))
                expected = np.linalg.solve(a, b)
                for method in those:
                    for preconditioner in ("none", "jacobi", "ilu0"):
                        if preconditioner == "ilu0" and words == "hermitian":
                            continue
                        with self.subTest(kind, method=method, preconditioner=preconditioner):
                            result = self.spsolve("a.mtx", "b.mtx", "-o", "x.npy", "--set",
                                                  f"solve.method={method}", "--set",
                                                  f"solve.preconditioner={preconditioner}")
                            self.assertIn(result.code, (SOLVED, NOT_TRUSTWORTHY), result.text)
                            if result.code != SOLVED:
                                continue
                            solved += 1
                            difference = np.abs(np.load(self.folder / "x.npy") - expected).max()
                            self.assertLess(difference / np.abs(expected).max(), 1e-7)
        self.assertGreater(solved, 30)

    def test_krylov_methods_take_the_steps_of_complex_numbers(self):
        # The real form's own Krylov spaces take several times as many, or do not converge.
        for method, most in (("cocr", 320), ("gmres", 320), ("bicgstab", 320), ("idr", 350)):
            for ranks in (1, 3):
                with self.subTest(method, ranks=ranks):
                    result = self.spsolve("zhelm2d:60", "-o", "x.npy", "--report", "report.json",
                                          "--set", f"solve.method={method}", "--set",
                                          "solve.tolerance=1e-8", "--set", "solve.condition=false",
                                          ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    report = self.report()
                    self.assertLess(report["krylov"]["steps"], most)
                    self.assertEqual(len(report["krylov"]["history"]), report["krylov"]["steps"] + 1)

    def test_the_shifted_laplacian_is_for_helmholtz_equations(self):
        for method, ranks in (("gmres", 1), ("cocr", 2), ("bicgstab", 3)):
            with self.subTest(method, ranks=ranks):
                steps = {}
                for kind in ("ilu0", "shifted_laplacian"):
                    result = self.spsolve("zhelm3d:20", "-o", "x.npy", "--report", "report.json",
                                          "--set", f"solve.method={method}", "--set",
                                          f"solve.preconditioner={kind}", "--set",
                                          "solve.tolerance=1e-8", "--set", "solve.condition=false",
                                          ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    krylov = self.report()["krylov"]
                    self.assertEqual(krylov["preconditioner"], kind)
                    steps[kind] = krylov["steps"]
                self.assertGreater(len(krylov["levels"]), 1)
                self.assertLess(steps["shifted_laplacian"], steps["ilu0"])
        for name, words in (("grid2d:30", "wants a complex matrix that is not Hermitian"),
                            ("magnetic2d:30", "wants a complex matrix that is not Hermitian"),
                            ("zconvdiff2d:30", "wants a Helmholtz equation")):
            result = self.spsolve(name, "-o", "x.npy", "--set", "solve.method=gmres", "--set",
                                  "solve.preconditioner=shifted_laplacian")
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(f"solve.preconditioner=shifted_laplacian {words}", result.text)

    def test_cocr_wants_complex_symmetric_ones(self):
        for name in ("zconvdiff2d:12", "magnetic2d:12"):
            result = self.spsolve(name, "-o", "x.npy", "--set", "solve.method=cocr")
            self.assertEqual(result.code, INPUT)
            self.assertIn("solve.method=cocr wants a symmetric matrix, A = A^T without conjugation",
                          result.text)
        # b^T b = 0
        self.write("a.mtx", coordinate(np.eye(2), "symmetric"))
        self.write("b.mtx", array(np.array([[1], [1j]])))
        result = self.spsolve("a.mtx", "b.mtx", "-o", "x.npy", "--set", "solve.method=cocr", "--set",
                              "solve.preconditioner=none")
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
        self.assertIn("broke down", result.text)

    def test_indefinite_hermitian_ones_are_refused_by_cg(self):
        self.write("a.mtx", coordinate(np.array([[1, 2j, 0], [-2j, 1, 0.5], [0, 0.5, 3]]), "hermitian"))
        result = self.spsolve("a.mtx", "-o", "x.npy", "--set", "solve.method=cg", "--set",
                              "solve.preconditioner=none")
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
        self.assertIn("not positive definite, as cg wants it", result.text)

    def test_inertia_of_hermitian_ones_is_counted_once(self):
        a, b = random_system(12, "hermitian", 5)
        self.write("a.mtx", coordinate(a, "hermitian"))
        result = self.spsolve("a.mtx", "--set", "solve.method=sparse_ldlt", "--report", "report.json")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["sparse"]["negative_pivots"],
                         int((np.linalg.eigvalsh(a) < 0).sum()))

    def test_sparse_factors_are_complex_numbers(self):
        for kind, method, words in (("general", "lu", "LU"), ("symmetric", "ldlt", "LDL^T"),
                                    ("hermitian", "ldlt", "LDL^H"), ("positive", "cholesky", "LL^T")):
            a, b = random_system(24, kind, 7)
            self.write("a.mtx", coordinate(a))
            self.write("b.mtx", array(b))
            for ranks, precision in ((1, "double"), (1, "mixed"), (1, "float"), (2, "double")):
                with self.subTest(kind, ranks=ranks, precision=precision):
                    result = self.spsolve(
                        "a.mtx", "b.mtx", "-o", "x.mtx", "--report", "report.json",
                        "--set", f"solve.method=sparse_{method}", "--set", "solve.ranks=all",
                        "--set", f"solve.precision={precision}", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    np.testing.assert_allclose(read_array(self.folder / "x.mtx"),
                                               np.linalg.solve(a, b), rtol=1e-8)
                    sparse = self.report()["sparse"]
                    self.assertTrue(sparse["complex"])
                    self.assertEqual((sparse["factorisation"], sparse["ranks"]), (words, ranks))
                    self.assertLessEqual(sparse["factor_entries"], 24 * 24)
                    self.assertAlmostEqual(sum(level["flops"] for level in sparse["levels"]),
                                           sparse["flops"], delta=1e-9 * sparse["flops"])

    def test_symmetric_ones_that_are_a_quarter_full_stay_sparse(self):
        for path in self.real_matrices("qc324.mtx"):
            result = self.spsolve(path, "random", "--report", "report.json")
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(self.report()["method"], "sparse_ldlt")

    def test_dense_rows_are_complex_numbers(self):
        for kind in ("general", "symmetric"):
            a, b = random_system(24, kind, 8)
            self.write("a.mtx", coordinate(a))
            self.write("b.mtx", array(b))
            for method in ("lu", "gauss", "gauss_jordan"):
                for ranks, precision in ((1, "double"), (1, "mixed"), (2, "float"), (2, "double")):
                    with self.subTest(kind, method=method, ranks=ranks, precision=precision):
                        options = ("--set", f"solve.method={method}", "--set",
                                   f"solve.precision={precision}")
                        result = self.spsolve("a.mtx", "b.mtx", "-o", "x.mtx", *options,
                                              ranks=ranks)
                        self.assertEqual(result.code, SOLVED, result.text)
                        np.testing.assert_allclose(read_array(self.folder / "x.mtx"),
                                                   np.linalg.solve(a, b), rtol=1e-8)
                        plan = self.spsolve("a.mtx", "b.mtx", *options, "--dry-run", ranks=ranks)
                        self.assertRegex(plan.out, r"dense rows, (24|16|12) x 24 in complex " +
                                         ("double" if precision == "double" else "float"))

    def test_dense_checkpoints_go_on(self):
        self.needs_faults()
        a, b = random_system(40, "general", 9)
        self.write("a.mtx", coordinate(a))
        self.write("b.mtx", array(b))
        options = ("--set", "solve.method=lu", "--set", "solve.block=8", "--set",
                   "checkpoint.directory=kept")
        stopped = self.spsolve("a.mtx", "b.mtx", *options, environment={
            "SPSOLVE_FAULT": "rank=all:phase=eliminate:step=2:end"})
        self.assertEqual(stopped.code, INTERRUPTED, stopped.text)
        result = self.spsolve("a.mtx", "b.mtx", "-o", "x.mtx", *options, "--set",
                              "checkpoint.resume=require", "--report", "report.json", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        np.testing.assert_allclose(read_array(self.folder / "x.mtx"), np.linalg.solve(a, b),
                                   rtol=1e-8)
        self.assertIn("resumed_step", self.report()["checkpoint"])

    def test_products(self):
        a, x = random_system(13, "symmetric", 3)
        self.write("a.mtx", coordinate(a, "symmetric"))
        np.save(self.folder / "x.npy", x)
        np.save(self.folder / "real.npy", x.real)
        for ranks, reader, kernel in ((1, "serial", "auto"), (2, "serial", "csr_balanced"),
                                      (3, "serial", "complex_rows"), (3, "parallel", "auto"),
                                      (2, "parallel", "complex_rows")):
            for name, columns in (("x.npy", x), ("real.npy", x.real), ("ones", np.ones((13, 1)))):
                with self.subTest(ranks=ranks, reader=reader, kernel=kernel, x=name):
                    result = self.spsolve(
                        "a.mtx", "-o", "y.npy", "--set", "task=multiply", "--set",
                        f"multiply.x={name}", "--set", f"matrix.reader={reader}", "--set",
                        f"multiply.kernel={kernel}", "--set", "multiply.verify=true", "--report",
                        "report.json", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    y = np.load(self.folder / "y.npy").reshape(13, -1)
                    np.testing.assert_allclose(y, a @ columns, rtol=1e-13, atol=1e-13)
                    report = self.report()
                    self.assertTrue(report["complex"])
                    self.assertEqual(report["matrix"]["rows"], 13)
                    self.assertEqual(report["matrix"]["nonzeros"], np.count_nonzero(a))

    def test_first_guesses(self):
        a = self.convert("zhelm2d:12")
        guess = np.exp(0.3j * np.arange(144))
        np.save(self.folder / "b.npy", a @ guess)
        np.save(self.folder / "guess.npy", guess)
        for ranks in (1, 2):
            result = self.spsolve("zhelm2d:12", "b.npy", "-o", "x.npy", "--set",
                                  "solve.method=gmres", "--set", "solve.initial_guess=guess.npy",
                                  "--report", "report.json", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(self.report()["krylov"]["steps"], 0)
            np.testing.assert_allclose(np.load(self.folder / "x.npy"), guess, rtol=1e-10)

    def test_orders_of_a_file(self):
        order = np.random.default_rng(1).permutation(100) + 1
        self.write("order.txt", "".join(f"{row}\n" for row in order))
        for ranks, precision in ((1, "double"), (2, "float")):
            result = self.spsolve("zhelm2d:10", "--set", "solve.method=sparse_lu", "--set",
                                  "solve.ordering=./order.txt", "--report", "report.json", "--set",
                                  f"solve.precision={precision}", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(self.report()["sparse"]["ordering"], "file")
        self.write("order.txt", "".join(f"{row}\n" for row in order[:-1]))
        result = self.spsolve("zhelm2d:10", "--set", "solve.method=sparse_lu", "--set",
                              "solve.ordering=./order.txt")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("expected 100 rows", result.err)

    def test_new_values(self):
        for kind in ("general", "symmetric", "hermitian"):
            a, b = random_system(14, kind, 11)
            later = np.where(a != 0, (2 - 1j if kind != "hermitian" else 3) * a, 0)
            np.fill_diagonal(later, later.diagonal() + 1)
            rows = np.nonzero(a)
            self.write("a.mtx", coordinate(a))
            self.write("values_1.mtx", coordinate(a))
            self.write("values_2.mtx", coordinate(later))
            np.save(self.folder / "array_1.npy", a[rows])
            np.save(self.folder / "array_2.npy", later[rows])
            np.save(self.folder / "b.npy", b)
            for values in ("values_*.mtx", "array_*.npy"):
                for method, ranks in (("auto", 1), ("sparse_lu", 2), ("lu", 2)):
                    with self.subTest(kind, values=values, method=method, ranks=ranks):
                        result = self.spsolve("a.mtx", "b.npy", "-o", "x_*.npy", "--set",
                                              f"matrix.values={values}", "--set",
                                              f"solve.method={method}", ranks=ranks)
                        self.assertEqual(result.code, SOLVED, result.text)
                        for step, matrix in ((1, a), (2, later)):
                            np.testing.assert_allclose(np.load(self.folder / f"x_{step}.npy"),
                                                       np.linalg.solve(matrix, b), rtol=1e-8)

    def test_the_kind_is_told(self):
        for name, kind in (("zhelm2d:5", "symmetric"), ("zconvdiff2d:5", "general"),
                           ("magnetic2d:5", "Hermitian positive definite"),
                           ("magnetic3d:4", "Hermitian positive definite"),
                           ("zcircuit2d:5", "symmetric"), ("zhelm3d:4", "symmetric")):
            method = "sparse_cholesky" if kind.endswith("definite") else "auto"
            result = self.spsolve(name, "--report", "report.json", "--html", "report.html", "--set",
                                  f"solve.method={method}")
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(self.report()["matrix"]["kind"], kind)
            self.assertIn("complex" if kind == "general" else f"complex {kind}", result.out)
            self.assertIn(f", complex {kind}", (self.folder / "report.html").read_text())

    def test_rows_alone_are_solved_first(self):
        for kind in ("hermitian", "symmetric"):
            a, b = random_system(30, kind, 9)
            for row in (3, 17):
                a[row] = 0
                a[row, row] = 2
            self.write("a.mtx", coordinate(a))
            self.write("b.mtx", array(b))
            for method in ("ldlt", "lu"):
                result = self.spsolve("a.mtx", "b.mtx", "-o", "x.mtx", "--set",
                                      f"solve.method=sparse_{method}")
                if (kind, method) == ("symmetric", "ldlt"):  # its real form is not symmetric
                    self.assertEqual(result.code, INPUT, result.text)
                    continue
                self.assertEqual(result.code, SOLVED, result.text)
                np.testing.assert_allclose(read_array(self.folder / "x.mtx"),
                                           np.linalg.solve(a, b), rtol=1e-7)

    def test_small_pivots_are_made_up_for(self):
        a, b = random_system(40, "symmetric", 8)
        np.fill_diagonal(a, 0)
        self.write("a.mtx", coordinate(a, "symmetric"))
        self.write("b.mtx", array(b))
        result = self.spsolve("a.mtx", "b.mtx", "-o", "x.mtx", "--report", "report.json",
                              "--set", "solve.method=sparse_ldlt")
        self.assertEqual(result.code, SOLVED, result.text)
        np.testing.assert_allclose(read_array(self.folder / "x.mtx"), np.linalg.solve(a, b),
                                   rtol=1e-7)

    def test_known_solutions_are_ones(self):
        for kind in ("row_sums", "ones", "random"):
            for ranks in (1, 2):
                result = self.spsolve("zhelm2d:7", "--set", f"right_hand_side={kind}", "-o", "x.npy",
                                      "--report", "report.json", ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                x = np.load(self.folder / "x.npy")
                self.assertEqual((x.shape, x.dtype), ((49,), np.complex128))
                if kind == "row_sums":
                    np.testing.assert_allclose(x, 1, rtol=1e-12)
                    self.assertLess(self.report()["squared_error"], 1e-20)

    def test_one_of_both_may_be_real(self):
        a, b = random_system(8, "general", 3)
        for left, right in ((a.real, b), (a, b.real), (a.real + 0j, b)):
            np.save(self.folder / "a.npy", left)
            np.save(self.folder / "b.npy", right)
            for ranks in (1, 2):
                result = self.spsolve("a.npy", "b.npy", "-o", "x.mtx", "--report", "report.json",
                                      ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                np.testing.assert_allclose(read_array(self.folder / "x.mtx"),
                                           np.linalg.solve(left, right), rtol=1e-8)
                self.assertTrue(self.report()["complex"])
                self.assertEqual(self.report()["right_hand_sides"], 2)

    def test_rows_are_those_of_the_matrix(self):
        a, _ = random_system(6, "general", 4)
        empty = a.copy()
        empty[3] = 0
        a[4] = (2 - 1j) * a[1]
        self.write("a.mtx", coordinate(a))
        self.write("empty.mtx", coordinate(empty))
        self.write("b.mtx", array(np.ones((6, 1)) * (1 + 2j)))
        for name, method, words in (("empty.mtx", "sparse_lu", "row 4 has no non-zeros"),
                                    ("a.mtx", "gauss", "at step 6 of 6 no non-zero pivot"),):
            result = self.spsolve(name, "b.mtx", "--set", f"solve.method={method}")
            self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
            self.assertIn(words, result.text)
        result = self.spsolve("a.mtx", "b.mtx", "--set", "solve.method=sparse_cholesky")
        self.assertEqual(result.code, INPUT)
        self.assertIn("wants a Hermitian matrix", result.err)
        self.assertIn(f"Im a(5, 2) = {float(a[4, 1].imag)!r} and Im a(2, 5) = "
                      f"{float(a[1, 4].imag):g} (", result.err)

    def test_b_of_other_rows(self):
        self.write("b.mtx", array(np.ones((5, 1)) * 1j))
        result = self.spsolve("zhelm2d:2", "b.mtx")
        self.assertEqual(result.code, INPUT)
        self.assertIn("b.mtx: the right-hand side has 5 rows, but the matrix has 4", result.err)

    def test_rows_that_are_rotated(self):
        a, b = random_system(7, "general", 6)
        self.write("a.mtx", coordinate(a))
        np.save(self.folder / "b.npy", b)
        for reader, ranks in (("serial", 1), ("parallel", 2)):
            result = self.spsolve("a.mtx", "b.npy", "-o", "x.mtx", "--set", "matrix.rotate_rows=2",
                                  "--set", f"matrix.reader={reader}", "--set", "solve.method=lu",
                                  ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            np.testing.assert_allclose(read_array(self.folder / "x.mtx"), np.linalg.solve(a, b),
                                       rtol=1e-8)

    def test_what_takes_real_ones_says_so(self):
        np.save(self.folder / "x.npy", np.ones((9, 1)) * 1j)
        for words, said in ((("--set", "solve.null_space=constants"), "solve.null_space is for real"),
                            (("--set", "solve.coordinates=x.npy"), "solve.coordinates is for real"),
                            (("-o", "x.petsc"), "complex vectors are not written for PETSc")):
            result = self.run_program(BIN / "spsolve", "zhelm2d:3", *words)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(said, result.err)
            self.assertEqual(len(result.err.splitlines()), 1, result.err)
        np.save(self.folder / "v.npy", np.ones(33))
        for words, said in (
                (("grid2d:3", "--set", "task=multiply", "--set", "multiply.x=x.npy"),
                 "the X holds complex numbers, and real ones are wanted here"),
                (("grid2d:3", "--set", "task=multiply", "--set", "multiply.kernel=complex_rows"),
                 "the matrix is not the real form of a complex one"),
                (("grid2d:3", "x.npy", "--set", "solve.initial_guess=x.npy"),
                 "solve.initial_guess is for real systems"),
                (("zhelm2d:3", "--set", "matrix.values=v.npy"),
                 "holds real values, and the matrix is complex"),
                (("grid2d:3", "--set", "matrix.values=zhelm2d:3"),
                 "holds complex values, and the matrix is real")):
            result = self.run_program(BIN / "spsolve", *words)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(said, result.err)
            self.assertEqual(len(result.err.splitlines()), 1, result.err)
        result = self.spbench("multiply", "--matrix", "zhelm2d:3")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("the matrix is complex, and spbench without --precision complex_double takes "
                      "real ones", result.err)


if __name__ == "__main__":
    unittest.main()
