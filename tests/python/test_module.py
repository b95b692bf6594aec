"""The Python module compared with numpy and scipy."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import scipy.sparse as sp
from scipy.sparse import linalg
from scipy.sparse.linalg import spsolve as scipys

import spsolve
from systems import system

MATRICES = pathlib.Path(os.environ.get(
    "SPSOLVE_MATRICES", pathlib.Path(__file__).resolve().parents[3] / "shared" / "matrices"))
REAL = ["662_bus", "bcsstk18", "orani678", "west0479", "west2021", "sherman5", "add32", "jpwh_991",
        "gre_1107", "orsirr_1", "bcsstk13", "nos3", "plat1919", "watt_1", "saylr4"]


UNDER_A_LIMIT = """
import resource, sys
import numpy as np
import spsolve
spsolve.set_threads(2)
a, b = spsolve.read("grid3d:20"), np.ones(8000)  # with threads that are there from now on
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[1]) << 20),) * 2)
try:
    x = spsolve.solve(a, b, method="sparse_lu")
    print("solved" if x.min() > 0 else "wrong")
except spsolve.ResourcesError as error:
    print("refused:", error)
"""


class Limits(unittest.TestCase):
    def test_memory_that_is_short_is_an_error_and_no_wait(self):
        said = []
        for megabytes in (1, 40, 130, 300, 500, 4000):
            with self.subTest(megabytes=megabytes):
                folder = pathlib.Path(spsolve.__file__).resolve().parents[1]
                result = subprocess.run(
                    [sys.executable, "-c", UNDER_A_LIMIT, str(megabytes)], timeout=120,
                    env=dict(os.environ, PYTHONPATH=str(folder)), capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stdout, "^(solved|refused: .{20})")
                said.append(result.stdout.split(":")[0].strip())
        self.assertEqual((said[0], said[-1]), ("refused", "solved"), said)
        self.assertEqual(said, sorted(said))  # more memory is never worse


class Solving(unittest.TestCase):
    def assert_solves(self, a, x, b, most=1e-13):
        error = np.abs(a @ x - b).max() / (np.abs(a).max() * np.abs(x).max() + np.abs(b).max())
        self.assertLess(error, most)

    def test_formats_indices_and_types(self):
        a, b = system()
        for kind in ("csr", "csc", "coo", "lil", "bsr"):
            self.assert_solves(a, spsolve.solve(a.asformat(kind), b), b)
        wide = a.copy()
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        self.assert_solves(a, spsolve.solve(wide, b), b)
        self.assert_solves(a, spsolve.solve(a.toarray(), b), b)
        narrow = a.astype(np.float32)
        self.assert_solves(narrow.astype(float), spsolve.solve(narrow, b), b)
        integers = sp.csr_matrix(np.array([[2, 1], [0, 4]]))
        np.testing.assert_array_equal(spsolve.solve(integers, [3, 4]), [1, 1])
        unsorted = sp.csr_matrix((np.array([1.0, 2, 4, 1, 1]), np.array([1, 0, 1, 1, 0]),
                                  np.array([0, 2, 5])), shape=(2, 2))
        x = spsolve.solve(unsorted, [3, 6])
        np.testing.assert_allclose(unsorted.toarray() @ x, [3, 6], rtol=1e-15)

    def test_matrices_of_petsc(self):
        a, b = system()
        size = [1]

        class Mat:  # as petsc4py has it
            getSize = staticmethod(lambda: a.shape)
            getValuesCSR = staticmethod(lambda: (a.indptr, a.indices, a.data))
            getComm = staticmethod(lambda: type("Comm", (), {"getSize": lambda self: size[0]})())

        np.testing.assert_array_equal(spsolve.solve(Mat(), b), spsolve.solve(a, b))
        np.testing.assert_allclose(spsolve.Product(Mat()).H @ b, a.T @ b, atol=1e-12)
        size[0] = 2
        with self.assertRaisesRegex(spsolve.InputError, "lies on several processes"):
            spsolve.factor(Mat())

    def test_shapes_and_layouts_of_b(self):
        a, b = system()
        f = spsolve.factor(a)
        x = f.solve(b)
        self.assertEqual(x.shape, b.shape)
        np.testing.assert_array_equal(f.solve(np.asfortranarray(b)), x)
        np.testing.assert_allclose(f.solve(b[:, 1]), x[:, 1], rtol=1e-12)
        self.assertEqual(f.solve(list(b[:, 0])).shape, (200,))
        self.assertEqual(f.solve(b[:, :1]).shape, (200, 1))
        with self.assertRaisesRegex(spsolve.InputError, "right-hand sides of no column"):
            f.solve(np.empty((200, 0)))

    def test_transposed_and_report(self):
        a, b = system()
        f = spsolve.factor(a, method="sparse_lu", ordering="amd", refinement=5)
        self.assertEqual((f.order, f.report.method, f.report.device), (200, "sparse_lu", "host"))
        self.assertIsNone(f.report.backward_error)
        self.assert_solves(a.T, f.solve(b, transposed=True), b)
        self.assertTrue(f.report.solved)
        self.assertLess(f.report.backward_error, 1e-14)
        self.assertGreater(f.report.condition, 1)
        self.assertIn("sparse_lu on host", repr(f))

    def test_one_right_hand_side_after_another(self):
        a, b = system()
        f = spsolve.factor(a, method="sparse_lu")
        for column in range(3):
            x = f.solve(b[:, column])
            self.assert_solves(a, x, b[:, column])
            np.testing.assert_array_equal(f.solve(b[:, column]), x)
            self.assertGreaterEqual(f.report.componentwise_condition, 1)
            self.assertLess(f.report.forward_error_bound, 1e-10)
        self.assertIsNone(f.refactor(a).report.condition)
        self.assert_solves(a, f.solve(b), b)

    def test_refactor(self):
        a, b = system()
        for given in (a, a.tocsc(), a.tocoo()):
            f = spsolve.factor(given, method="sparse_lu")
            changed = given.copy()
            changed.data = changed.data * np.linspace(1, 2, changed.data.size)
            self.assert_solves(changed, f.refactor(changed.data).solve(b), b)
            again = given.copy()
            again.data = again.data * np.linspace(2, 1, again.data.size)
            self.assert_solves(again, f.refactor(again).solve(b), b)
        with self.assertRaisesRegex(spsolve.InputError, "another pattern"):
            f.refactor(sp.eye(200, format="csr"))
        with self.assertRaisesRegex(spsolve.InputError, "values for"):
            f.refactor(np.ones(3))
        self.assert_solves(again, f.solve(b), b)  # refused, and as it was
        with self.assertRaisesRegex(spsolve.InputError, "not a finite number"):
            f.refactor(np.nan * again.data)
        self.assert_solves(again, f.solve(b), b)

    def test_after_a_refactor_that_failed(self):
        a, b = system(40)
        for method in ("auto", "sparse_lu", "lu", "gauss"):
            f = spsolve.factor(a, method=method)
            x = f.solve(b)
            with self.assertRaises(spsolve.NotTrustworthyError):
                f.refactor(0 * a.data)
            for transposed in (False, True):
                with self.assertRaisesRegex(spsolve.InputError, "as the last set-up failed"):
                    f.solve(b, transposed=transposed)
            np.testing.assert_allclose(f.refactor(a.data).solve(b), x, rtol=1e-13)

    def test_names_with_a_zero_byte(self):
        for work in (lambda: spsolve.read("a\0b.mtx"), lambda: spsolve.factor("a\0b.mtx"),
                     lambda: spsolve.factor("grid2d:3", ordering="a\0b.mtx")):
            with self.assertRaisesRegex(spsolve.InputError, "holds a zero byte"):
                work()

    def test_a_child_of_fork_solves(self):
        a, b = system(400)
        before = spsolve.threads()
        spsolve.set_threads(2)
        f = spsolve.factor(a, method="lu")
        x = f.solve(b)
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(f.solve(b), x) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        np.testing.assert_array_equal(f.solve(b), x)
        spsolve.set_threads(before)

    def test_methods(self):
        laplace, b = spsolve.read("grid2d:30"), np.ones(900)
        for method in ("sparse_cholesky", "sparse_ldlt", "sparse_lu", "lu", "gauss", "cg", "gmres"):
            f = spsolve.factor(laplace, method=method)
            self.assert_solves(laplace, f.solve(b), b, 1e-12)
            self.assertEqual(f.report.method, method)
        mixed = spsolve.factor(laplace, method="sparse_lu", precision="mixed", condition=False)
        self.assert_solves(laplace, mixed.solve(b), b)

    def test_one_application_of_a_preconditioner(self):
        a, b = spsolve.read("grid3d:14"), np.cos(np.arange(14 ** 3))
        f = spsolve.factor(a, method="cg", preconditioner="multigrid", condition=False)
        operator = linalg.LinearOperator(a.shape, f.precondition)
        steps = []
        x, failed = linalg.cg(a, b, rtol=1e-8, M=operator, callback=steps.append)
        self.assertEqual(failed, 0)
        self.assertLess(len(steps), 16)
        self.assertLess(np.abs(a @ x - b).max(), 1e-6)
        columns = np.stack([b, 2 * b], axis=1)
        both, out = f.precondition(columns), np.zeros_like(b)
        self.assertIs(f.precondition(b, transposed=True, out=out), out)
        np.testing.assert_allclose(both, np.stack([out, 2 * out], axis=1), atol=1e-14)
        with self.assertRaisesRegex(spsolve.InputError, "has no preconditioner"):
            spsolve.factor(a, method="sparse_lu").precondition(b)
        for wrong in (b[1:], np.full_like(b, np.nan)):
            with self.assertRaises(spsolve.InputError):
                f.precondition(wrong)
        np.testing.assert_allclose(f.precondition((1 + 2j) * b), (1 + 2j) * out, atol=1e-13)

    def test_one_application_of_a_complex_preconditioner(self):
        a = spsolve.read("magnetic3d:12")
        b = np.exp(0.3j * np.arange(a.shape[0]))
        f = spsolve.factor(a, method="cg", preconditioner="multigrid", condition=False)
        operator = linalg.LinearOperator(a.shape, f.precondition, dtype=a.dtype)
        steps = []
        x, failed = linalg.cg(a, b, rtol=1e-8, M=operator, callback=steps.append)
        self.assertEqual(failed, 0)
        self.assertLess(len(steps), 16)
        self.assertLess(np.abs(a @ x - b).max(), 1e-6)
        y = f.precondition(b.conj(), transposed=True)  # M is Hermitian
        np.testing.assert_allclose(y.conj(), f.precondition(b), atol=1e-13)
        np.testing.assert_allclose(f.precondition(b, adjoint=True), y.conj(), atol=1e-13)
        with self.assertRaisesRegex(spsolve.InputError, "name one of them"):
            f.precondition(b, transposed=True, adjoint=True)

    def test_substitutions_by_themselves(self):
        cases = (("grid2d:30", "sparse_cholesky"), ("magnetic2d:20", "sparse_cholesky"),
                 ("zhelm2d:20", "sparse_ldlt"), ("convdiff3d:8", "sparse_lu"))
        for matrix, method in cases:
            a = spsolve.read(matrix)
            f = spsolve.factor(a, method=method)
            b = np.cos(np.arange(2 * a.shape[0])).reshape(-1, 2)
            if np.iscomplexobj(a.data):
                b = b * np.exp(0.3j * np.arange(a.shape[0]))[:, None]
            for of in ({}, {"transposed": True}, {"adjoint": True}):
                y = f.substitute("forward", b, **of)
                z = f.substitute("diagonal", y, **of)
                x = f.substitute("backward", z, **of)
                np.testing.assert_allclose(x, f.solve(b, **of), rtol=1e-9, atol=1e-10)
                if method == "sparse_cholesky":
                    np.testing.assert_allclose((y.conj() * y).sum(0), (b.conj() * x).sum(0), rtol=1e-10)
        with self.assertRaisesRegex(spsolve.InputError, "forward, diagonal, backward"):
            f.substitute("sideways", b)
        with self.assertRaisesRegex(spsolve.InputError, "no substitutions apart"):
            spsolve.factor(a, method="lu").substitute("forward", b)

    def test_coordinates_of_an_elastic_body(self):
        side = 7
        a = spsolve.read(f"elastic3d:{side}")
        z, y, x = np.meshgrid(np.arange(1, side + 1), np.arange(side + 1), np.arange(side + 1),
                              indexing="ij")
        places = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1).astype(float)
        b = np.ones(a.shape[0])
        told = {"method": "cg", "preconditioner": "multigrid", "condition": False}
        few = dict(told, iterations=11, tolerance=1e-8, accept="residual", refinement=0)
        # The tolerance is that of the backward error by the norm of A, its largest row sum.
        x = spsolve.solve(a, b, coordinates=places, **few)
        norm = abs(a).sum(axis=1).max()
        error = np.abs(a @ x - b).max() / (norm * np.abs(x).max() + np.abs(b).max())
        self.assertLessEqual(error, few["tolerance"])
        with self.assertRaises(spsolve.NotTrustworthyError):
            spsolve.solve(a, b, **few)  # with constants it takes more steps
        self.assert_solves(a, spsolve.solve(a, b, coordinates=places, **told), b)
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/places.npy", places)
            f = spsolve.factor(a, coordinates=f"{folder}/places.npy", **few)
            np.testing.assert_array_equal(
                f.solve(b), spsolve.solve(a, b, coordinates=places, **few))
        self.assertEqual(spsolve.analyse(a, coordinates=places, **told).method, "cg")
        for wrong, words in ((places[1:], "447 nodes"), (places[:, :1], "448 x 1"),
                             (places * np.nan, "not finite")):
            with self.assertRaisesRegex(spsolve.InputError, words):
                spsolve.factor(a, coordinates=wrong, **told)

    def test_a_singular_laplacian(self):
        n = 200
        a = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n)).tolil()
        a[0, 0] = a[n - 1, n - 1] = 1
        a = a.tocsr()
        b = np.zeros(n)
        b[3], b[150] = 1, -1
        with self.assertRaisesRegex(spsolve.NotTrustworthyError, "null_space=constants"):
            spsolve.solve(a, b)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", spsolve.TrustWarning)
            for null_space in ("constants", np.ones(n), np.full((n, 1), 7)):
                x = spsolve.solve(a, b, null_space=null_space)
                self.assertAlmostEqual(x[3] - x[150], 147, places=8)
                self.assertLess(abs(x.sum()), 1e-9)
        for wrong in (np.ones(3), np.full(n, np.nan), np.arange(n) + 1.0):
            with self.assertRaises(spsolve.InputError):
                spsolve.solve(a, b, null_space=wrong)

    def test_a_first_guess(self):
        a, b = spsolve.read("grid2d:30"), np.ones(900)
        x = spsolve.solve(a, b, method="cg")
        # One step is enough from there, and too little from zero.
        few = {"method": "cg", "iterations": 1, "accept": "residual", "refinement": 0}
        with self.assertRaises(spsolve.NotTrustworthyError):
            spsolve.solve(a, b, **few)
        again = spsolve.solve(a, b, initial_guess=x, **few)
        np.testing.assert_allclose(again, x, rtol=1e-12)
        with self.assertRaisesRegex(spsolve.InputError, "first guess is 3 x 1"):
            spsolve.solve(a, b, method="cg", initial_guess=np.ones(3))
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", x)
            spsolve.solve(a, b, initial_guess=f"{folder}/x.npy", **few)

    def test_least_squares_name_the_way(self):
        with self.assertRaisesRegex(spsolve.InputError, "least squares"):
            spsolve.solve(np.ones((3, 2)), np.ones(3))

    def test_real_matrices_beside_scipy(self):
        if not MATRICES.is_dir():
            self.skipTest("no folder of real matrices: set SPSOLVE_MATRICES")
        paths = [path for name in REAL for path in sorted(MATRICES.rglob(f"{name}.mtx*"))]
        paths += [path for path in sorted(MATRICES.rglob("*.mtx*"))
                  if path not in paths and not path.stem.endswith("_b")]
        tried = 0
        for path in paths:
            if tried == 10:
                break
            if path.stat().st_size > 3e6:
                continue
            try:
                a = spsolve.read(path)
            except spsolve.InputError:
                continue
            if not sp.issparse(a) or a.shape[0] != a.shape[1]:
                continue
            b = a @ np.ones(a.shape[0])
            with self.subTest(path.name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    x = spsolve.solve(a, b)
                except spsolve.NotTrustworthyError:
                    continue
                tried += 1
                theirs = scipys(a.tocsc(), b)
                scale = np.abs(a).max() * np.abs(x).max() + np.abs(b).max()
                mine = np.abs(a @ x - b).max() / scale
                self.assertLess(mine, 1e-13)
                self.assertLessEqual(mine, 2 * np.abs(a @ theirs - b).max() / scale + 1e-16)
        print(f"{tried} real matrices compared with scipy", flush=True)
        self.assertGreater(tried, 0)

    def test_analyse(self):
        plan = spsolve.analyse("grid2d:100", columns=4)
        self.assertEqual((plan.device, plan.method), ("host", "sparse_cholesky"))
        self.assertTrue(plan.fits)
        self.assertGreater(plan.factor_entries, 10000)
        self.assertGreater(plan.flops, 1e6)
        self.assertIn(plan.ordering, ("amd", "nested_dissection"))
        self.assertIn("sparse factors", str(plan))
        dense = spsolve.analyse("tridiagonal:5000000", method="lu")
        self.assertFalse(dense.fits)
        self.assertIn("need", dense.remedy + " need")

    def test_auto_goes_by_what_is_expected(self):
        told = {"device": "host"}
        for more, method in (({}, "sparse_cholesky"), ({"systems": 1}, "cg"),
                             ({"systems": 1, "right_hand_sides": 2}, "sparse_cholesky")):
            self.assertEqual(spsolve.analyse("grid3d:30", **told, **more).method, method, more)
            self.assertEqual(spsolve.factor("grid3d:30", **told, **more).report.method, method, more)
        # An iteration that fails is followed by an elimination, for values that come after it at once.
        a = spsolve.read("grid3d:30")
        factors = spsolve.factor(a, systems=1, iterations=2, device="host")
        for begin in ("auto took cg first, and eliminated", "for earlier values, auto took cg first"):
            factors.solve(np.ones(a.shape[0]))
            self.assertEqual(factors.report.method, "sparse_cholesky")
            self.assertTrue(factors.report.notes[-1].startswith(begin), factors.report.notes)
            factors.refactor(a)
        for wrong in ({"systems": 0}, {"right_hand_sides": "many"}):
            with self.assertRaisesRegex(spsolve.InputError, "a whole number from 1 on"):
                spsolve.factor("grid3d:4", **wrong)


class Files(unittest.TestCase):
    def test_read(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = system()
            sp.save_npz(f"{folder}/a.npz", a)
            np.save(f"{folder}/b.npy", b)
            self.assertEqual((spsolve.read(f"{folder}/a.npz") != a).nnz, 0)
            np.testing.assert_array_equal(spsolve.read(pathlib.Path(folder) / "b.npy"), b)
            with open(f"{folder}/c.mtx", "w", encoding="utf-8") as file:
                file.write("%%MatrixMarket matrix array real general\n2 1\n3\n4\n")
            np.testing.assert_array_equal(spsolve.read(f"{folder}/c.mtx"), [[3], [4]])

    def test_the_version_is_the_projects(self):
        self.assertRegex(spsolve.__version__, r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
