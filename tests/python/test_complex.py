"""Complex systems through the Python module, compared with numpy."""

import pathlib
import re
import tempfile
import unittest
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp

import spsolve

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "complex.md"


def system(n=30, seed=1):
    draw = np.random.default_rng(seed)
    a = sp.random(n, n, 0.2, random_state=seed, format="csr") + 1j * sp.random(
        n, n, 0.2, random_state=seed + 1, format="csr") + sp.eye(n) * (3 - 2j)
    return a.tocsr(), draw.normal(size=(n, 3)) + 1j * draw.normal(size=(n, 3))


class Complex(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        self.addCleanup(warnings.resetwarnings)

    def test_arrays_of_every_kind(self):
        a, b = system()
        expected = np.linalg.solve(a.toarray(), b)
        for kind in (a, a.tocsc(), a.tocoo(), a.toarray(), a.astype(np.complex64)):
            x = spsolve.solve(kind, b)
            self.assertEqual((x.dtype, x.shape), (np.complex128, b.shape))
            np.testing.assert_allclose(x, expected, rtol=1e-4 if kind.dtype == np.complex64 else 1e-9)
        np.testing.assert_allclose(spsolve.solve(a, b[:, 0]), expected[:, 0], rtol=1e-9)
        np.testing.assert_allclose(spsolve.solve(a, b.real), np.linalg.solve(a.toarray(), b.real),
                                   rtol=1e-9)
        real = a.real + 5 * sp.eye(30)
        np.testing.assert_allclose(spsolve.solve(real, b), np.linalg.solve(real.toarray(), b),
                                   rtol=1e-9)

    def test_transposed_and_adjoint(self):
        a, b = system()
        dense = a.toarray()
        for matrix in (a, a.real + 4 * sp.eye(30)):
            dense = matrix.toarray()
            factors = spsolve.factor(matrix, method="sparse_lu")
            for right in (b, b[:, 1]):
                np.testing.assert_allclose(factors.solve(right, transposed=True),
                                           np.linalg.solve(dense.T, right), rtol=1e-9)
                np.testing.assert_allclose(factors.solve(right, adjoint=True),
                                           np.linalg.solve(dense.conj().T, right), rtol=1e-9)
        with self.assertRaisesRegex(spsolve.InputError, "name one of them"):
            factors.solve(b, transposed=True, adjoint=True)

    def test_a_helmholtz_equation_by_the_shifted_laplacian(self):
        a = spsolve.read("zhelm2d:30")
        b = np.exp(0.3j * np.arange(900))
        factors = spsolve.factor(a, method="cocr", preconditioner="shifted_laplacian")
        self.assertLess(abs(a @ factors.solve(b) - b).max(), 1e-10)
        self.assertLess(abs(a.conj().T @ factors.solve(b, adjoint=True) - b).max(), 1e-10)
        factors.refactor(2j * a)
        self.assertLess(abs(2j * (a @ factors.solve(b)) - b).max(), 1e-10)
        with self.assertRaisesRegex(spsolve.InputError, "wants a complex matrix"):
            spsolve.factor(a.real, method="gmres", preconditioner="shifted_laplacian")

    def test_one_solver_for_many_systems(self):
        a, b = system()
        factors = spsolve.factor(a)
        self.assertEqual(factors.order, 30)
        self.assertTrue(factors.is_complex)
        out = np.empty_like(b)
        self.assertIs(factors.solve(b, out=out), out)
        np.testing.assert_allclose(a @ out, b, rtol=1e-9)
        factors.refactor(2j * a)
        np.testing.assert_allclose(factors.solve(b), out / 2j, rtol=1e-9)
        factors.refactor(a.data)
        np.testing.assert_allclose(factors.solve(b), out, rtol=1e-9)
        with self.assertRaisesRegex(spsolve.InputError, "array of complex128"):
            factors.solve(b, out=np.empty(b.shape))
        with self.assertRaisesRegex(spsolve.InputError, "the matrix is real"):
            spsolve.factor(a.real + 4 * sp.eye(30)).refactor(a)

    def test_singular_rows_are_those_of_the_matrix(self):
        a = np.array([[1, 1j, 0], [1j, -1, 0], [0, 0, 2]])
        with self.assertRaisesRegex(spsolve.NotTrustworthyError, "singular.*of 3 "):
            spsolve.solve(a, np.ones(3), method="sparse_lu")

    def test_files(self):
        a, b = system()
        with tempfile.TemporaryDirectory() as folder:
            scipy.io.mmwrite(f"{folder}/a.mtx", a)
            sp.save_npz(f"{folder}/a.npz", a)
            np.save(f"{folder}/b.npy", b)
            for name in ("a.mtx", "a.npz"):
                read = spsolve.read(f"{folder}/{name}")
                self.assertEqual(read.dtype, np.complex128)
                self.assertEqual(abs(read - a).max(), 0)
            np.testing.assert_array_equal(spsolve.read(f"{folder}/b.npy"), b)
            np.testing.assert_allclose(a @ spsolve.solve(f"{folder}/a.mtx", b), b, rtol=1e-9)

    def test_the_example_of_the_guide(self):
        for code in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
            exec(compile(code, "docs/complex.md", "exec"), {})  # pylint: disable=exec-used


if __name__ == "__main__":
    unittest.main()
