"""Arrays on a GPU, in and out of factors and products there. Run where a GPU is:

    PYTHONPATH=build/python:tests/python python3 -m unittest -v test_gpu

It needs a module with the GPU part, libcudart, numpy and scipy, and neither cupy nor torch.
"""

import doctest
import pathlib
import sys
import unittest
import unittest.mock

import gpu_arrays

try:
    import numpy as np
    import scipy.sparse as sp
    import spsolve
    MISSING, NO_GPU_PART = "", "" if spsolve.has_cuda else "the module was built without its GPU part"
except ImportError as error:
    MISSING = NO_GPU_PART = f"{error} (numpy and scipy: Debian's python3-scipy)"

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "sessions.md"


def system(n=400, k=3):
    random = np.random.default_rng(4)
    a = sp.random(n, n, 0.02, random_state=4, format="csr") + 10 * sp.eye(n, format="csr")
    return a.tocsr(), random.standard_normal((n, k))


def somewhere(shape, typestr="<f8", strides=None):
    """An array that claims to lie on a GPU, to be refused before anybody looks there."""
    interface = {"shape": shape, "typestr": typestr, "data": (1 << 40, False), "version": 3,
                 "strides": strides}
    return type("Somewhere", (), {"__cuda_array_interface__": interface})()


@unittest.skipIf(MISSING, MISSING)
class Refused(unittest.TestCase):
    """What needs no GPU."""

    def test_what_does_not_fit(self):
        f = spsolve.factor("tridiagonal:5", device="host")
        p = spsolve.Product("tridiagonal:5", device="host")
        good, on_host = somewhere((5,)), np.empty(5)
        for b, out, words in ((good, somewhere((5,)), "computed on the host; ask for device='cuda'"),
                              (good, on_host, "one array lies on a GPU"),
                              (np.ones(5), good, "one array lies on a GPU"),
                              (somewhere((4,)), None, "has 4 rows"),
                              (good, somewhere((5, 1)), r"out has shape \(5, 1\)"),
                              (somewhere((5,), "<f4"), good, "must be float64, not '<f4'"),
                              (somewhere((5, 2), strides=(8, 40)), good, "by rows, without gaps"),
                              (somewhere((5, 2, 1)), good, "one or two dimensions, not 3"),
                              (np.ones(5), np.empty(4), r"out must be .* of shape \(5,\)"),
                              (np.ones(5), np.empty(5, "f4"), "out must be an array of float64"),
                              (np.ones(5), np.empty(10)[::2], "out must be .*by rows"),
                              (np.ones(5), [0.0] * 5, "out must be an array")):
            for solve in (f.solve, p.apply):
                with self.subTest(words), self.assertRaisesRegex(spsolve.InputError, words):
                    solve(b, out=out)
        with unittest.mock.patch.dict(sys.modules, {"cupy": None}), \
                self.assertRaisesRegex(spsolve.InputError, "give one on the GPU, by out="):
            f.solve(good)

    def test_results_go_where_they_are_wanted(self):
        f, p = spsolve.factor("tridiagonal:5"), spsolve.Product("tridiagonal:5", device="host")
        for shape in ((5,), (5, 1), (5, 3)):
            x, y = np.empty(shape), np.empty(shape)
            self.assertIs(f.solve(np.ones(shape), out=x), x)
            self.assertIs(p.apply(x, out=y), y)
            np.testing.assert_allclose(y, np.ones(shape), atol=1e-14)

    def test_dlpack_as_it_is_made_here(self):
        numbers = np.arange(6.0).reshape(3, 2)
        shown, kept = gpu_arrays.capsule(numbers.ctypes.data, numbers.shape, 1)

        class OnHost:
            def __dlpack__(self, **_):
                return shown

            def __dlpack_device__(self):
                return 1, 0
        np.testing.assert_array_equal(np.from_dlpack(OnHost()), numbers)
        self.assertEqual(len(kept), 2)


@unittest.skipIf(NO_GPU_PART, NO_GPU_PART)
@unittest.skipIf(gpu_arrays.why_none(), gpu_arrays.why_none())
class OnGpu(unittest.TestCase):
    def test_solves(self):
        a, b = system()
        f = spsolve.factor(a, method="sparse_lu", device="cuda")
        self.assertEqual(f.report.device, "cuda")
        for right in (b, np.ascontiguousarray(b[:, 0]), b[:, :1].copy()):
            for transposed in (False, True):
                for kind in (gpu_arrays.Shown, gpu_arrays.Handed):
                    with self.subTest(shape=right.shape, transposed=transposed, kind=kind.__name__):
                        given, x = kind(right.shape).take(right), kind(right.shape)
                        self.assertIs(f.solve(given, transposed=transposed, out=x), x)
                        self.assertLess(f.report.backward_error, 1e-14)
                        found = x.on_host()
                        matrix = a.T if transposed else a
                        np.testing.assert_allclose(matrix @ found, right, atol=1e-12)
                        by_host = f.solve(right, transposed=transposed)
                        np.testing.assert_allclose(found, by_host, rtol=1e-13, atol=1e-15)
                        np.testing.assert_array_equal(given.on_host(), right)  # b is as it was

    def test_new_values(self):
        a, b = system()
        f = spsolve.factor(a, method="sparse_lu", device="cuda")
        given, x = gpu_arrays.Shown(b.shape).take(b), gpu_arrays.Shown(b.shape)
        f.refactor(2 * a.data).solve(given, out=x)
        np.testing.assert_allclose(2 * a @ x.on_host(), b, atol=1e-12)

    def test_products(self):
        a, x = system(k=4)
        p = spsolve.Product(a, columns=4, device="cuda")
        for right in (x, np.ascontiguousarray(x[:, 0])):
            for kind in (gpu_arrays.Shown, gpu_arrays.Handed):
                y = kind(right.shape)
                self.assertIs(p.apply(kind(right.shape).take(right), out=y), y)
                np.testing.assert_allclose(y.on_host(), a @ right, atol=1e-12)
            np.testing.assert_allclose(p @ right, a @ right, atol=1e-12)

    def test_a_result_like_what_was_given(self):
        a, b = system()
        f = spsolve.factor(a, device="cuda")
        p = spsolve.Product(a, columns=3, device="cuda")
        with unittest.mock.patch.dict(sys.modules, {"cupy": gpu_arrays.like_cupy()}):
            given = gpu_arrays.Handed(b.shape).take(b)
            x = f.solve(given)
            self.assertIsInstance(x, gpu_arrays.Handed)
            np.testing.assert_allclose(a @ x.on_host(), b, atol=1e-12)
            np.testing.assert_allclose((p @ x).on_host(), b, atol=1e-12)

    def test_mixed_places_are_refused(self):
        a, b = system()
        f = spsolve.factor(a, method="sparse_lu", device="cuda")
        with self.assertRaisesRegex(spsolve.InputError, "one array lies on a GPU"):
            f.solve(b, out=gpu_arrays.Shown(b.shape))

    def test_the_session(self):
        """The guide's, as it is printed: with cupy, or with what stands for it."""
        text = GUIDE.read_text(encoding="utf-8").split("```python\n")[2].split("```")[0]
        session = doctest.DocTestParser().get_doctest(text, {}, "docs/sessions.md", str(GUIDE), 0)
        self.assertGreater(len(session.examples), 5)
        try:
            import cupy
        except ImportError:
            cupy = gpu_arrays.like_cupy()
        said = []
        with unittest.mock.patch.dict(sys.modules, {"cupy": cupy}):
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            self.assertEqual(runner.run(session, out=said.append).failed, 0, "".join(said))


if __name__ == "__main__":
    unittest.main()
