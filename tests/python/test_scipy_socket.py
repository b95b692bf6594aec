"""scipy's direct solvers by this package, and within scipy and what stands on it."""

import pathlib
import sys
import threading
import types
import unittest
import warnings

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as linalg
from scipy.integrate import solve_ivp
from scipy.sparse.linalg import MatrixRankWarning
from scipy.sparse.linalg import spsolve as by_name

import spsolve

ARPACK = sys.modules[linalg.eigsh.__module__]
THEIRS = {name: getattr(linalg, name) for name in ("spsolve", "splu", "factorized")}


def convection(side):
    """A nonsymmetric matrix of side x side unknowns."""
    line = sp.diags([-1.3, 2.1, -0.8], [-1, 0, 1], shape=(side, side))
    return (sp.kron(line, sp.eye(side)) + sp.kron(sp.eye(side), line)).tocsc()


class Signatures(unittest.TestCase):
    def setUp(self):
        self.a = convection(105)  # 11 025 unknowns
        self.b = np.random.default_rng(3).standard_normal((self.a.shape[0], 3))

    def test_spsolve_hands_back_what_scipys_does(self):
        a, b = self.a, self.b
        rights = [b, b[:, 0], b[:, :1], sp.csc_matrix(b), sp.csc_matrix(b[:, :1]), b + 1j,
                  (8 * b[:, 0]).astype(np.int64)]
        for right in rights:
            for matrix in (a, a.tocsr(), sp.csr_array(a)):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    theirs = THEIRS["spsolve"](matrix, right)
                ours = spsolve.spsolve(matrix, right)
                self.assertEqual((ours.shape, ours.dtype, sp.issparse(ours)),
                                 (theirs.shape, theirs.dtype, sp.issparse(theirs)))
                difference = abs(ours - theirs).max()
                self.assertLess(difference, 1e-9 * abs(theirs).max())

    def test_single_precision_comes_back_as_it_went(self):
        a, b = self.a.astype(np.float32), self.b.astype(np.float32)
        self.assertEqual(spsolve.spsolve(a, b).dtype, np.float32)
        self.assertEqual(spsolve.splu(a).solve(b).dtype, np.float32)

    def test_x_is_that_of_the_package_bit_for_bit(self):
        self.assertTrue(np.array_equal(spsolve.spsolve(self.a, self.b),
                                       spsolve.solve(self.a, self.b)))
        self.assertTrue(np.array_equal(spsolve.splu(self.a).solve(self.b),
                                       spsolve.factor(self.a).solve(self.b)))

    def test_splu_solves_with_a_its_transpose_and_its_adjoint(self):
        a = (self.a + 0.3j * sp.eye(self.a.shape[0])).tocsc()
        lu = spsolve.splu(a, permc_spec="NATURAL", diag_pivot_thresh=0.1)
        self.assertEqual(lu.shape, a.shape)
        for trans, op in (("N", a), ("T", a.T), ("H", a.conj().T)):
            self.assertLess(abs(op @ lu.solve(self.b, trans) - self.b).max(), 1e-11)
        with self.assertRaises(ValueError):
            lu.solve(self.b, "X")
        with self.assertRaises(ValueError):
            lu.solve(self.b[1:])
        self.assertTrue(lu.report.solved)
        solve = spsolve.factorized(self.a)
        self.assertLess(abs(self.a @ solve(self.b[:, 0]) - self.b[:, 0]).max(), 1e-11)

    def test_singular_matrices_fail_as_scipys(self):
        n = self.a.shape[0]
        zero_row = (sp.diags((np.arange(n) != 7).astype(float)) @ self.a).tocsc()
        laplacian = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(400, 400)).tolil()
        laplacian[0, 0] = laplacian[-1, -1] = 1
        for a in (zero_row, laplacian.tocsc() / 3):
            with self.assertWarns(MatrixRankWarning):
                x = spsolve.spsolve(a, np.linspace(1, 2, a.shape[0]))
            self.assertTrue(np.isnan(x).all())
            with self.assertRaises(RuntimeError):
                spsolve.splu(a).solve(np.linspace(1, 2, a.shape[0]))

    def test_notes_on_factors_are_in_the_report_and_no_warnings(self):
        line = sp.diags([1.0, 2.0, 1.0], [-2, 0, 2], shape=(300, 300))
        a = (line - 1.5 * sp.eye(300)).tocsc()  # symmetric, its diagonal positive, not definite
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lu = spsolve.splu(a)
            x = lu.solve(np.ones(300))
        self.assertLess(abs(a @ x - 1).max(), 1e-11)
        self.assertIn("not positive definite", " ".join(lu.report.notes))

    def test_wrong_sizes_are_value_errors(self):
        for call in (lambda: spsolve.spsolve(self.a[1:], self.b),
                     lambda: spsolve.spsolve(self.a, self.b[1:]),
                     lambda: spsolve.splu(self.a[:, 1:])):
            with self.assertRaises(ValueError):
                call()


class InScipy(unittest.TestCase):
    def is_as_it_was(self):
        for name, function in THEIRS.items():
            self.assertIs(getattr(linalg, name), function)
        self.assertIs(by_name, THEIRS["spsolve"])
        self.assertIs(ARPACK.splu, THEIRS["splu"])

    def test_functions_are_replaced_and_put_back(self):
        with spsolve.in_scipy():
            self.assertIs(linalg.spsolve, spsolve.spsolve)
            self.assertIs(by_name, spsolve.spsolve)
            self.assertIs(ARPACK.splu, spsolve.splu)
            with spsolve.in_scipy(method="sparse_lu"):
                lu = linalg.splu(convection(30))
                self.assertEqual(lu.report.method, "sparse_lu")
            self.assertIs(linalg.factorized, spsolve.factorized)
        self.is_as_it_was()
        with self.assertRaises(ZeroDivisionError):
            with spsolve.in_scipy():
                raise ZeroDivisionError
        self.is_as_it_was()

    def test_a_module_that_is_imported_meanwhile_gets_scipys_back(self):
        with spsolve.in_scipy():
            module = types.ModuleType("imported_meanwhile")
            exec("from scipy.sparse.linalg import splu as kept", module.__dict__)
            sys.modules[module.__name__] = module
            self.addCleanup(sys.modules.pop, module.__name__)
            self.assertIs(module.kept, spsolve.splu)
        self.assertIs(module.kept, THEIRS["splu"])

    def test_eigenvalues_by_shift_and_invert(self):
        side = 105
        line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
        a = (sp.kron(line, sp.eye(side)) + sp.kron(sp.eye(side), 1.1 * line)).tocsc()
        start = np.ones(a.shape[0])
        theirs = linalg.eigsh(a, 4, sigma=0.5, v0=start, return_eigenvectors=False)
        with spsolve.in_scipy():
            ours = linalg.eigsh(a, 4, sigma=0.5, v0=start, return_eigenvectors=False)
        self.assertLess(abs(np.sort(ours) - np.sort(theirs)).max(), 1e-10)

    def test_a_stiff_equation(self):
        n = 200
        a = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n)).tocsc() * n
        start = np.sin(np.linspace(0, 3, n))

        def solution():
            return solve_ivp(lambda t, y: a @ y, (0, 0.1), start, method="BDF", jac=a).y[:, -1]
        theirs = solution()
        with spsolve.in_scipy():
            ours = solution()
        self.assertLess(abs(ours - theirs).max(), 1e-8)

    def test_finite_elements_of_another_package(self):
        try:
            import skfem
            from skfem.helpers import dot, grad
        except ImportError:
            self.skipTest("scikit-fem is not installed: pip install scikit-fem")
        mesh = skfem.MeshTri.init_tensor(np.linspace(0, 1, 106), np.linspace(0, 1, 106))
        basis = skfem.Basis(mesh, skfem.ElementTriP1())
        a = skfem.BilinearForm(lambda u, v, w: dot(grad(u), grad(v))).assemble(basis)
        b = skfem.LinearForm(lambda v, w: 1.0 * v).assemble(basis)
        inside = mesh.interior_nodes()

        def solution(matrix):
            return skfem.solve(*skfem.condense(matrix, b, I=inside))
        theirs = solution(a)
        with spsolve.in_scipy():
            ours = solution(a)
            self.assertLess(abs(ours - theirs).max(), 1e-10)
            with self.assertWarns(MatrixRankWarning):
                x = skfem.solve(a, b)  # without boundary conditions
            self.assertTrue(np.isnan(x).all())
        self.assertGreater(len(inside), 10000)

    def test_threads_share_it(self):
        a, found = convection(40), []

        def work(seed):
            b = np.random.default_rng(seed).standard_normal(a.shape[0])
            x = linalg.splu(a).solve(b)
            found.append(abs(a @ x - b).max())
        with spsolve.in_scipy():
            threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(found), 4)
        self.assertLess(max(found), 1e-11)


class Guide(unittest.TestCase):
    def test_the_page_on_sockets(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "sockets.md"
        for code in page.read_text(encoding="utf-8").split("```python\n")[1:]:
            exec(compile(code.split("```")[0], "docs/sockets.md", "exec"), {})


if __name__ == "__main__":
    unittest.main()
