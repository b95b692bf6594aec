"""Inertia and shifts; random KKT systems beside exact inertia, by tests/soak/inertia.py."""

import pathlib
import re
import subprocess
import sys
import unittest

import numpy as np
import scipy.sparse as sp

import spsolve

SOAK = pathlib.Path(__file__).resolve().parents[1] / "soak" / "inertia.py"


class Inertia(unittest.TestCase):
    def test_none_that_is_certain_is_wrong(self):
        words = ("--systems", "40", "--order", "25")
        run = subprocess.run([sys.executable, SOAK, *words], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        found = re.search(r"certain (\d+) of (\d+) whose", run.stdout)
        certain, far = map(int, found.groups())
        self.assertGreater(far, 8, run.stdout)
        self.assertGreaterEqual(certain, 0.8 * far, run.stdout)

    def test_inertia_and_shifts(self):
        random = np.random.default_rng(3)
        n, m = 30, 10
        a = sp.csr_matrix(random.standard_normal((m, n)))
        h = sp.diags_array(np.repeat([-1.0, 2.0], n // 2))
        full = sp.block_array([[h, a.T], [a, 1e-300 * sp.eye_array(m)]], format="csr")
        b = np.ones(n + m)
        f = spsolve.factor(full, method="sparse_ldlt")
        eigenvalues = np.linalg.eigvalsh(full.toarray())
        told = f.inertia
        self.assertEqual((told.certainty, told.positive, told.negative, told.zero, told.rows, told.doubt),
                         ("certain", (eigenvalues > 0).sum(), (eigenvalues < 0).sum(), 0, [], ""))
        x = f.solve(b)
        of_all = np.repeat([5.0, 0], [n, m])
        for shift, rows in ((5, range(n)), (np.full(n, 5.0), np.arange(n)), (of_all, None)):
            told = f.refactor(shift=shift, rows=rows).inertia
            self.assertEqual((told.positive, told.negative), (n, m))
            shifted = full + sp.diags_array(of_all)
            self.assertLess(abs(shifted @ f.solve(b) - b).max(), 1e-12)
            np.testing.assert_array_equal(f.solve(b), spsolve.factor(shifted, method="sparse_ldlt").solve(b))
        self.assertEqual(f.refactor(shift=100).inertia.positive, n + m)
        f.refactor(2 * full, shift=-100)
        self.assertEqual(f.inertia.negative, n + m)
        np.testing.assert_array_equal(f.refactor(full).solve(b), x)
        self.assertIsNone(spsolve.factor(full, method="sparse_lu").inertia)
        for words, call in (("give new values, a shift, or both", lambda: f.refactor()),
                            ("rows are those of a shift", lambda: f.refactor(full, rows=[1])),
                            ("rows must be numbers of rows", lambda: f.refactor(shift=1, rows=[n + m])),
                            ("rows must be numbers of rows", lambda: f.refactor(shift=1, rows=[0.5])),
                            ("2 shifts for 3 rows", lambda: f.refactor(shift=[1, 2], rows=[1, 2, 3])),
                            ("no entry on the diagonal", lambda: spsolve.factor(
                                sp.csr_matrix([[0, 1.0], [1, 0]]), method="sparse_ldlt").refactor(shift=1))):
            with self.assertRaisesRegex(spsolve.InputError, words):
                call()

    def test_inertia_of_a_singular_matrix(self):
        regular = np.array([[2.0, 0, 1, 2], [0, -1, 1, 1], [1, 1, 0, 0], [2, 1, 0, 0]])
        singular = np.array([[2.0, 0, 1, 1], [0, -1, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])
        pattern = sp.csr_matrix(np.ones((4, 4)))
        f = spsolve.factor(sp.csr_matrix((regular.ravel(), pattern.indices, pattern.indptr)),
                           method="sparse_ldlt")
        with self.assertRaisesRegex(spsolve.NotTrustworthyError, "of 4 pivots 3 were found"):
            f.refactor(singular.ravel())
        told = f.inertia
        self.assertEqual((told.positive, told.negative, told.zero), (None, None, 1))
        self.assertEqual(len(told.rows), 1)
        self.assertEqual(told.certainty, "unknown")
        self.assertIn("numerical", told.doubt)
        f.refactor(shift=-1e-8, rows=told.rows)
        self.assertEqual((f.inertia.positive, f.inertia.negative), (2, 2))


if __name__ == "__main__":
    unittest.main()
