"""Factors and products as operators of scipy, and what of them travels between processes."""

import copy
import pickle
import unittest

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator, cg, eigsh, lsqr, svds

import spsolve


class Operators(unittest.TestCase):
    def test_factors_are_the_inverse(self):
        a = sp.random(60, 60, 0.1, random_state=1, format="csr") + 5 * sp.eye(60)
        b = np.random.default_rng(1).normal(size=(60, 3))
        for matrix in (a.tocsr(), (a * (1 + 2j)).tocsr()):
            f, dense = spsolve.factor(matrix, method="sparse_lu"), matrix.toarray()
            self.assertEqual((f.shape, f.dtype), ((60, 60), matrix.dtype))
            for operator, expected in ((f, dense), (f.H, dense.conj().T), (f.T, dense.T)):
                np.testing.assert_allclose(operator @ b, np.linalg.solve(expected, b), rtol=1e-9)
                np.testing.assert_allclose(operator @ b[:, 0], np.linalg.solve(expected, b[:, 0]),
                                           rtol=1e-9)
            np.testing.assert_allclose((aslinearoperator(matrix) * f) @ b, b, atol=1e-12)

    def test_eigenvalues_nearest_to_zero(self):
        a = spsolve.read("grid2d:12")
        near = eigsh(a, k=3, sigma=0, OPinv=spsolve.factor(a), return_eigenvectors=False)
        np.testing.assert_allclose(np.sort(near), np.linalg.eigvalsh(a.toarray())[:3], rtol=1e-10)
        x, info = cg(a, np.ones(144), M=spsolve.factor(a, precision="float", condition=False,
                                                       accept="residual"), maxiter=4, atol=0.0)
        self.assertEqual(info, 0)
        np.testing.assert_allclose(a @ x, np.ones(144), atol=1e-3)

    def test_products_with_the_transpose(self):
        a = sp.random(50, 30, 0.2, random_state=2, format="csr")
        x = np.random.default_rng(3).normal(size=(50, 2))
        b = x[:, 0]
        for given in (a, a.tocsc(), a.tocoo(), a.toarray()):
            product = spsolve.Product(given)
            np.testing.assert_allclose(product.H @ x, a.T @ x, atol=1e-13)
            np.testing.assert_allclose(product.rmatvec(b), a.T @ b, atol=1e-13)
        np.testing.assert_allclose(lsqr(spsolve.Product(a), b, atol=1e-12, btol=1e-12)[0],
                                   np.linalg.lstsq(a.toarray(), b, rcond=None)[0], atol=1e-8)
        np.testing.assert_allclose(
            np.sort(svds(spsolve.Product(a), k=2, return_singular_vectors=False)),
            np.sort(np.linalg.svd(a.toarray(), compute_uv=False))[-2:], rtol=1e-9)
        generated = spsolve.Product("circuit:60")
        y = np.arange(60.0)
        np.testing.assert_allclose(generated.H @ y, spsolve.read("circuit:60").T @ y, rtol=1e-12)

    def test_pickle(self):
        a = sp.random(40, 30, 0.2, random_state=4, format="csr")
        product = spsolve.Product(a, columns=2, kernel="csr_sorted", threads=1)
        again, x = pickle.loads(pickle.dumps(product)), np.ones((30, 2))
        self.assertEqual(again.kernel, product.kernel)
        np.testing.assert_array_equal(again @ x, product @ x)
        f = spsolve.factor("grid2d:5")
        f.solve(np.ones(25))
        for told in (f.report, spsolve.analyse("grid2d:5")):
            self.assertEqual(pickle.loads(pickle.dumps(told)), told)
        for travels in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, "pickle the matrix, and factor it where"):
                travels(f)
        singular = sp.csr_matrix(np.ones((2, 2)))
        with self.assertRaises(spsolve.NotTrustworthyError) as caught:
            spsolve.solve(singular, np.ones(2))
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(error), str(error), error.exit_code),
                         (spsolve.NotTrustworthyError, str(caught.exception), 1))


if __name__ == "__main__":
    unittest.main()
