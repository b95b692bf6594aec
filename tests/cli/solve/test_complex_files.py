"""Complex matrices and vectors in files, through spmtx and spsolve."""

import unittest

import numpy as np

from solve.complex_cases import coordinate, random_system
from support import CliTest, INPUT, SOLVED


class ComplexFiles(CliTest):
    def test_info_tells_the_kind(self):
        a, _ = random_system(6, "general", 1)
        self.write("a.mtx", coordinate(a))
        for name, kind in (("zhelm2d:3", "complex, symmetric"), ("magnetic2d:3", "complex, Hermitian"),
                           ("a.mtx", "complex, none")):
            result = self.spmtx("info", name)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertRegex(result.out, rf"symmetry +{kind}\n")
        self.assertRegex(result.out, r"size +6 x 6\n")
        self.assertRegex(result.out, rf"non-zeros +{np.count_nonzero(a)} after")

    def test_conversions(self):
        a, _ = random_system(5, "hermitian", 2)
        self.write("a.mtx", coordinate(a, "hermitian"))
        for to in ("b.npz", "c.mtx.gz", "d.npy", "e.mtx"):
            self.assertEqual(self.spmtx("convert", "a.mtx", to).code, SOLVED)
            self.assertEqual(self.spmtx("convert", to, "again.npy").code, SOLVED)
            np.testing.assert_array_equal(np.load(self.folder / "again.npy"), a)
        self.assertIn("5 x 5, ", self.spmtx("convert", "d.npy", "f.npz").out)
        self.assertEqual(self.spmtx("convert", "a.mtx", "r.npy", "--real-form").code, SOLVED)
        form = np.load(self.folder / "r.npy")
        np.testing.assert_array_equal(form[::2, ::2], a.real)
        np.testing.assert_array_equal(form[1::2, ::2], a.imag)
        np.testing.assert_array_equal(form[::2, 1::2], -a.imag)
        for words in ((), ("--real-form",)):
            self.assertEqual(self.spmtx("convert", "a.mtx", "a.petsc", *words).code, SOLVED)
            self.assertEqual(self.spmtx("convert", "a.petsc", "again.npy").code, SOLVED)
            np.testing.assert_array_equal(np.load(self.folder / "again.npy"),
                                          form if words else a)

    def test_vectors_of_petsc(self):
        a, b = random_system(6, "general", 3)
        self.write("a.mtx", coordinate(a))
        front = np.array([1211214, 6], dtype=">i4").tobytes()
        (self.folder / "b.petsc").write_bytes(front + b[:, 0].astype(">c16").tobytes())
        result = self.spsolve("a.mtx", "b.petsc", "-o", "x.npy")
        self.assertEqual(result.code, SOLVED, result.text)
        np.testing.assert_allclose(np.load(self.folder / "x.npy"), np.linalg.solve(a, b[:, 0]),
                                   rtol=1e-8)
        (self.folder / "b.petsc").write_bytes(front + b[:, 0].astype(">c16").tobytes()[:-8])
        result = self.spsolve("a.mtx", "b.petsc")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("holds 40 bytes more than its header stands for", result.err)


if __name__ == "__main__":
    unittest.main()
