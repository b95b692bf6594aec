"""What callers of the module hand over: parts, files, orders, functions, and what is refused."""

import tempfile
import unittest
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp

import spsolve
from systems import system


class Steps(unittest.TestCase):
    def test_they_are_told_and_ended(self):
        a, b = spsolve.read("grid2d:40"), np.ones(1600)
        heard = []
        f = spsolve.factor(a, method="sparse_lu", on_step=heard.append)
        self.assertEqual({step.task for step in heard}, {"analysing", "eliminating"})
        self.assertGreater(heard[-1].fraction, 0.999)
        self.assertIn("eliminating", str(heard[-1]))
        ends = []
        f = spsolve.factor(a, method="cg", on_step=lambda step: step.step < 4 or not ends)
        x = f.solve(b)
        ends.append(True)
        with self.assertRaisesRegex(spsolve.StoppedError, "iterating, at step 4 of "):
            f.solve(b)
        ends.clear()
        np.testing.assert_array_equal(f.solve(b), x)
        f = spsolve.factor(a, method="sparse_lu", on_step=lambda step: not ends)
        ends.append(True)
        with self.assertRaisesRegex(spsolve.StoppedError, "stopped while eliminating"):
            f.refactor(a)
        with self.assertRaisesRegex(spsolve.InputError, "no factors to solve with.*stopped while"):
            f.solve(b)
        ends.clear()
        np.testing.assert_allclose(a @ f.refactor(a).solve(b), b)

    def test_what_they_raise_is_raised(self):
        def tell(step):
            if step.task != "analysing":
                raise LookupError(step.task)
        for method, task in (("sparse_lu", "eliminating"), ("lu", "eliminating"), ("cg", "iterating")):
            with self.assertRaisesRegex(LookupError, task):
                spsolve.solve("grid2d:30", np.ones(900), method=method, on_step=tell)
        with self.assertRaisesRegex(spsolve.StoppedError, "while analysing"):
            spsolve.analyse("grid2d:30", on_step=lambda step: False)
        # In the middle of it, too, where the pattern is dissected.
        told = []

        def until_a_third(step):
            told.append(step)
            return step.fraction < 0.3
        with self.assertRaisesRegex(spsolve.StoppedError, r"while analysing, at step \d+ of \d+"):
            spsolve.analyse("grid3d:30", ordering="nested_dissection", method="sparse_lu",
                            on_step=until_a_third)
        self.assertGreater(len(told), 5)
        self.assertGreater(told[-1].step, 0)
        self.assertLess(told[-1].step, told[-1].steps)
        told.clear()
        plan = spsolve.analyse("grid3d:30", method="sparse_lu", on_step=lambda step: not told.append(step))
        self.assertEqual({step.task for step in told}, {"analysing"})
        self.assertEqual([step.fraction for step in told], sorted(step.fraction for step in told))
        self.assertEqual(told[-1].fraction, 1)
        self.assertTrue(plan.fits)
        with self.assertRaisesRegex(spsolve.InputError, "on_step must be a function of a Step"):
            spsolve.factor("grid2d:30", on_step=3)


class MatlabFiles(unittest.TestCase):
    def test_those_of_scipy_are_read(self):
        a, b = system()
        for matrix in (a, (a + 1j * a.T).tocsr(), a.toarray()[:50, :50]):
            for packs in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    name = f"{folder}/m.mat"
                    scipy.io.savemat(name, {"A": matrix, "b": b, "note": "text"},
                                     do_compression=packs)
                    read = spsolve.read(f"{name}:A")
                    self.assertEqual(abs(sp.csr_matrix(read) - sp.csr_matrix(matrix)).max(), 0)
                    np.testing.assert_array_equal(spsolve.read(f"{name}:b"), b)
                    with self.assertRaisesRegex(spsolve.InputError, "holds 2 matrices, A, b: name"):
                        spsolve.read(name)


class Phases(unittest.TestCase):
    def test_a_plan_is_gone_on_with(self):
        a, b = system()
        plan = spsolve.analyse(a, method="sparse_lu", columns=3)
        f = plan.factor()
        np.testing.assert_allclose(a @ f.solve(b), b, atol=1e-12)
        self.assertEqual(f.report.factor_entries, plan.factor_entries)
        np.testing.assert_allclose(2 * a @ plan.factor(2 * a).solve(b), b, atol=1e-12)
        np.testing.assert_allclose(2 * a @ plan.factor().solve(2 * (a @ b)), 4 * (a @ b), atol=1e-11)
        self.assertEqual(plan.to_dict()["method"], "sparse_lu")
        complex_plan = spsolve.analyse(a * (1 + 2j), method="sparse_lu")
        x = complex_plan.factor().solve(b)
        np.testing.assert_allclose((1 + 2j) * (a @ x), b, atol=1e-12)
        analysed = spsolve.Factors._analysed(plan._factors._a, None, None, {"method": "sparse_lu"})
        with self.assertRaisesRegex(spsolve.InputError, "no matrix to eliminate|no factors"):
            analysed.solve(b)

    def test_the_order_may_be_an_array(self):
        a, b = system()
        n = a.shape[0]
        order = np.random.default_rng(3).permutation(n).astype(np.int32)
        f = spsolve.factor(a, method="sparse_lu", ordering=order, matching=False)
        np.testing.assert_allclose(a @ f.solve(b), b, atol=1e-12)
        self.assertEqual(f.report.ordering, "file")
        natural = spsolve.factor(a, method="sparse_lu", ordering="natural", matching=False)
        same = spsolve.factor(a, method="sparse_lu", ordering=np.arange(n), matching=False)
        self.assertEqual(same.report.factor_entries, natural.report.factor_entries)
        complex_f = spsolve.factor(a * 1j, method="sparse_lu", ordering=order)
        np.testing.assert_allclose(1j * (a @ complex_f.solve(b)), b, atol=1e-12)
        for wrong, words in ((order[1:], "names 199 unknowns, and the matrix has 200"),
                             (np.zeros(n, int), "names 0 twice"),
                             (np.arange(n) + 1, "names 200 as an unknown"),
                             (np.ones((n, 1), int), "one dimension"), (np.ones(n), "whole numbers")):
            with self.assertRaisesRegex(spsolve.InputError, words):
                spsolve.factor(a, method="sparse_lu", ordering=wrong)

    def test_reports_tell_of_factors_and_steps(self):
        f = spsolve.factor("grid2d:30", method="sparse_cholesky")
        self.assertGreater(f.report.factor_entries, 900)
        self.assertGreater(f.report.flops, 900)
        self.assertEqual((f.report.negative_pivots, f.report.perturbed_pivots), (0, 0))
        self.assertGreater(f.report.set_up_seconds, 0)
        f = spsolve.factor("grid2d:30", method="cg", preconditioner="jacobi")
        f.solve(np.ones(900))
        self.assertEqual(f.report.preconditioner, "jacobi")
        self.assertEqual(len(f.report.history), f.report.steps + 1)
        self.assertLess(f.report.history[-1], 1e-13)
        self.assertGreater(f.report.solve_seconds, 0)


class Triangles(unittest.TestCase):
    def test_one_of_a_symmetric_matrix_is_enough(self):
        a, b = system()
        whole = (a + a.T).tocsr()
        for triangle in (sp.tril(whole).tocsr(), sp.triu(whole).tocsc(), sp.tril(whole).tocoo()):
            f = spsolve.factor(triangle, symmetry="symmetric", method="sparse_ldlt")
            x = f.solve(b)
            self.assertLess(np.abs(whole @ x - b).max(), 1e-10)
            f.refactor(2 * triangle)
            self.assertLess(np.abs(2 * whole @ f.solve(b) - b).max(), 1e-10)
            with self.assertRaisesRegex(spsolve.InputError, "one triangle: give a matrix"):
                f.refactor(triangle.data)
            np.testing.assert_allclose(spsolve.Product(triangle, symmetry="symmetric") @ b, whole @ b)
        lower = sp.tril(a, -1).tocsr()
        skew = spsolve.Product(lower, symmetry="skew_symmetric")
        np.testing.assert_allclose(skew @ b, (lower - lower.T) @ b, atol=1e-12)
        np.testing.assert_allclose(skew.H @ b, (lower - lower.T).T @ b, atol=1e-12)
        plan = spsolve.analyse(sp.triu(whole), symmetry="symmetric", method="sparse_cholesky")
        self.assertEqual(plan.method, "sparse_cholesky")
        complex_a = (whole + 1j * (a - a.T)).tocsr()
        x = spsolve.solve(sp.triu(complex_a), b, symmetry="hermitian")
        self.assertLess(np.abs(complex_a @ x - b).max(), 1e-10)

    def test_bad_ones_are_refused(self):
        a = system()[0]
        for raises, words in (
                (lambda: spsolve.factor(a, symmetry="symmetric"), "entries in both triangles"),
                (lambda: spsolve.factor(a, symmetry="symetric"), "symmetry is one of general, "),
                (lambda: spsolve.factor("grid2d:5", symmetry="symmetric"), "symmetry is of arrays"),
                (lambda: spsolve.factor(sp.tril(a), symmetry="skew_symmetric"), "is not zero"),
                (lambda: spsolve.factor(a, own_rows=True), "give comm")):
            with self.assertRaisesRegex(spsolve.InputError, words):
                raises()


class Failing(unittest.TestCase):
    def test_errors_have_the_exit_codes(self):
        singular = sp.csr_matrix(np.array([[1.0, 2], [2, 4]]))
        for raises, code, base, words in (
                (lambda: spsolve.solve(singular, [1, 2]), 1, ArithmeticError, "singular"),
                (lambda: spsolve.read("none.mtx"), 2, ValueError, "none.mtx: cannot be opened"),
                (lambda: spsolve.factor(sp.eye(3), method="luu"), 2, ValueError,
                 "did you mean 'lu'"),
                (lambda: spsolve.factor(sp.eye(3), metod="lu"), 2, ValueError,
                 "'metod' is not an option; did you mean 'method'"),
                (lambda: spsolve.factor(sp.eye(3), tol=1e-9), 2, ValueError,
                 "'tol' is not an option; did you mean 'tolerance'?"),
                (lambda: spsolve.factor(sp.eye(3), gpu=True), 2, ValueError,
                 "'gpu' is not an option; did you mean 'device'?"),
                (lambda: spsolve.factor(sp.csr_matrix((2, 3))), 2, ValueError, "2 x 3"),
                (lambda: spsolve.solve(sp.eye(3), [1, 2]), 2, ValueError, "b has 2 rows"),
                (lambda: spsolve.solve(sp.eye(3), np.ones((3, 1, 1))), 2, ValueError,
                 "one or two dimensions"),
                (lambda: spsolve.Product(sp.eye(3) * 1j), 2, ValueError, "A is complex"),
                (lambda: spsolve.solve(sp.eye(3) * 1j, [1, 2, 3], null_space="constants"), 2,
                 ValueError, "solve.null_space is for real systems"),
                (lambda: spsolve.solve(sp.eye(3) * 1j, [1, np.nan * 1j, 3]), 2, ValueError,
                 "has a value that is not finite"),
                (lambda: spsolve.solve(sp.eye(2) * np.nan, [1, 2]), 2, ValueError, "not finite"),
                (lambda: spsolve.solve(sp.eye(2), [1, np.nan]), 2, ValueError,
                 "right-hand side 0, counted from 0, has a value that is not finite"),
                (lambda: spsolve.factor("tridiagonal:5000000", method="lu"), 3, MemoryError,
                 "does not fit into memory")):
            with self.subTest(words), self.assertRaises(base) as caught:
                raises()
            self.assertIsInstance(caught.exception, spsolve.Error)
            self.assertEqual(caught.exception.exit_code, code)
            self.assertIn(words, str(caught.exception))

    def test_what_cannot_be_trusted(self):
        n = 14
        hilbert = np.array([[1 / (i + j + 1) for j in range(n)] for i in range(n)])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                spsolve.solve(hilbert, np.ones(n))
            except spsolve.NotTrustworthyError as error:
                self.assertEqual(error.x.shape, (n,))
                self.assertIn("backward_error", error.facts)
                return
        self.assertTrue(any(issubclass(each.category, spsolve.TrustWarning) for each in told))

    def test_indices_out_of_range(self):
        broken = sp.csr_matrix(np.eye(3))
        broken.indices[1] = 7
        with self.assertRaisesRegex(spsolve.InputError, "the column index 7, which must be from 0"):
            spsolve.factor(broken)


if __name__ == "__main__":
    unittest.main()
