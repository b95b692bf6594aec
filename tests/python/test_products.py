"""Products with a sparse matrix from Python, of arrays taken as they are and of others."""

import unittest

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

import spsolve


class Products(unittest.TestCase):
    def test_beside_scipy(self):
        a = sp.random(300, 170, 0.05, random_state=2, format="csr")
        x = np.random.default_rng(1).standard_normal((170, 8))
        product = spsolve.Product(a, columns=8)
        self.assertEqual(product.shape, (300, 170))
        np.testing.assert_allclose(product @ x, a @ x, atol=1e-13)
        np.testing.assert_allclose(product @ x[:, 0], a @ x[:, 0], atol=1e-13)
        y = np.empty((300, 8))
        self.assertIs(product.apply(x, out=y), y)
        np.testing.assert_allclose(y, a @ x, atol=1e-13)
        self.assertTrue(product.kernel)
        # A single product is not worth a trial.
        few = spsolve.Product(a, columns=8, device="host", products=1)
        np.testing.assert_allclose(few @ x, a @ x, atol=1e-13)
        self.assertIn(few.kernel, ("csr_balanced", "csr_sorted"))
        self.assertNotIn(" ms", few.kernel)
        self.assertEqual((product.own, product.own_x), ((0, 300), (0, 170)))
        np.testing.assert_allclose(product.apply(y, transposed=True), a.T @ y, atol=1e-12)
        with self.assertRaisesRegex(spsolve.InputError, "own_rows .* give comm"):
            spsolve.Product(a, own_rows=True)
        with self.assertRaisesRegex(spsolve.InputError, "0 for many, not -1"):
            spsolve.Product(a, products=-1)
        with self.assertRaisesRegex(spsolve.InputError, "170 columns"):
            product.apply(np.ones((3, 2)))
        with self.assertRaisesRegex(spsolve.InputError, "no_such"):
            spsolve.Product(a, kernel="no_such")

    def test_arrays_that_are_not_taken_as_they_are(self):
        a = sp.random(30, 20, 0.2, random_state=3, format="csr")
        product = spsolve.Product(a)
        x = np.random.default_rng(2).standard_normal((20, 3))
        if product._product.device == "host":
            y = np.empty((30, 3))
            self.assertTrue(product._product.apply_plain(x, y))
            np.testing.assert_allclose(y, a @ x, atol=1e-13)
            for given in (np.asfortranarray(x), x.astype(np.float32), x.tolist(), x[:, 0], x[:19]):
                self.assertFalse(product._product.apply_plain(given, y))
        for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2],
                      x.astype(np.float32), x.tolist(), x.astype(">f8")):
            np.testing.assert_allclose(product.apply(given), a @ np.asarray(given), atol=1e-6)
        of_others = [np.empty((29, 3)), np.empty((30, 2)), np.empty(30), np.empty((30, 3), "f4"),
                     np.empty((30, 3), order="F")]
        of_others.append(np.empty((30, 3)))
        of_others[-1].flags.writeable = False
        for out in of_others:
            with self.assertRaisesRegex(spsolve.InputError, r"out must be .* of shape \(30, 3\)"):
                product.apply(x, out=out)

    def test_without_columns(self):
        product = spsolve.Product("grid2d:6")
        for given in (np.empty((36, 0)), np.empty((36, 0), "f4")):
            with self.assertRaisesRegex(spsolve.InputError, "X has no column"):
                product.apply(given)

    def test_in_an_iterative_method_of_scipy(self):
        a, b = spsolve.read("grid2d:20"), np.ones(400)
        x, info = cg(spsolve.Product(a), b, atol=0.0)
        self.assertEqual(info, 0)
        np.testing.assert_allclose(a @ x, b, atol=1e-3)


if __name__ == "__main__":
    unittest.main()
