"""Processes of a communicator of mpi4py that solve together."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import spsolve

PROGRAM = """
import pickle
import numpy as np
import scipy.sparse as sp
from mpi4py import MPI
import spsolve

comm = MPI.COMM_WORLD
n = 300
random = np.random.default_rng(5)
a = (sp.random(n, n, 0.02, random_state=5, format="csr") + 10 * sp.eye(n, format="csr")).tocsr()
b = random.standard_normal((n, 2))


def close(matrix, x, right):
    error = np.abs(matrix @ x - right).max() / np.abs(right).max()
    assert error < 1e-12, error


for method in ("sparse_lu", "lu", "gmres"):
    given = a if comm.rank == 0 else None
    f = spsolve.factor(given, comm=comm, method=method)
    assert f.order == n and f.report.method == method
    first, last = f.own
    assert comm.allreduce(last - first) == n and (comm.size == 1 or last - first < n)
    x = np.concatenate(comm.allgather(f.solve(b[first:last])))
    close(a, x, b)
    one = np.concatenate(comm.allgather(f.solve(b[first:last, 0], transposed=True)))
    close(a.T, one, b[:, 0])
    scaled = a.copy()
    scaled.data = a.data * np.linspace(1, 2, a.nnz)
    f.refactor(scaled.data if comm.rank == 0 else None)
    close(scaled, np.concatenate(comm.allgather(f.solve(b[first:last]))), b)
symmetric = (a + a.T).tocsr()
f = spsolve.factor(symmetric if comm.rank == 0 else None, comm=comm, method="sparse_ldlt")
told = f.inertia
assert (told.certainty, told.positive, told.negative) == ("certain", n, 0), told
rows = np.arange(7)
f.refactor(shift=-1e3 if comm.rank == 0 else None, rows=rows if comm.rank == 0 else None)
told = f.inertia
assert (told.certainty, told.positive, told.negative) == ("certain", n - 7, 7), told
first, last = f.own
close(symmetric - sp.diags(np.where(np.arange(n) < 7, 1e3, 0)),
      np.concatenate(comm.allgather(f.solve(b[first:last]))), b)
g = f = spsolve.factor(a if comm.rank == 0 else None, comm=comm, method="gmres", equilibrate=False,
                   preconditioner="jacobi", condition=False)
first, last = f.own
assert np.allclose(f.precondition(b[first:last]), b[first:last] / a.diagonal()[first:last, None],
                   rtol=1e-14)
assert np.array_equal(f.precondition(1j * b[first:last]), 1j * f.precondition(b[first:last]))
x = spsolve.solve(a if comm.rank == 0 else None, b if comm.rank == 0 else None, comm=comm)
close(a, x, b)

# Each process gives its own rows, of bands that grow with the ranks.
borders = [rank * rank * n // comm.size ** 2 for rank in range(comm.size + 1)]
first, last = borders[comm.rank], borders[comm.rank + 1]
mine = a[first:last]
for method in ("auto", "sparse_lu", "lu", "gmres"):
    f = spsolve.factor(mine, comm=comm, own_rows=True, method=method)
    assert f.own == (first, last) and f.shape == (n, n)
    close(a, np.concatenate(comm.allgather(f.solve(b[first:last]))), b)
    f.refactor(2 * mine.data)
    close(2 * a, np.concatenate(comm.allgather(f.solve(b[first:last]))), b)
    f.refactor(3 * mine, shift=1)
    close(3 * a + sp.eye(n), np.concatenate(comm.allgather(f.solve(b[first:last]))), b)
plan = spsolve.analyse(mine, comm=comm, own_rows=True, method="sparse_lu")
close(a, np.concatenate(comm.allgather(plan.factor().solve(b[first:last]))), b)
plan = spsolve.analyse(a if comm.rank == 0 else None, comm=comm, method="sparse_lu")
f = plan.factor()
close(a, np.concatenate(comm.allgather(f.solve(b[slice(*f.own)]))), b)
own_x = spsolve.solve(mine, b[first:last], comm=comm, own_rows=(first, last))
close(a, np.concatenate(comm.allgather(own_x)), b)
lower = sp.tril(symmetric).tocsr()[first:last]
lower.indices = lower.indices.astype(np.int64)
f = spsolve.factor(lower, comm=comm, own_rows=True, symmetry="symmetric", method="sparse_ldlt")
f.refactor(lower, shift=-1e3 * (np.arange(first, last) < 7))
assert f.inertia.negative == 7
upper = sp.triu(symmetric + 1j * sp.diags([1.0], [1], shape=(n, n))).tocsr()
hermitian = upper + sp.triu(upper, 1).conj().T
f = spsolve.factor(upper[first:last], comm=comm, own_rows=True, symmetry="hermitian")
close(hermitian, np.concatenate(comm.allgather(f.solve(b[first:last]))), b)



# Products: of rank 0's matrix, and of own rows, of bands that grow; square and oblong.
def whole(part):
    return np.concatenate(comm.allgather(part))


oblong = sp.random(n, 170, 0.05, random_state=2, format="csr")
for matrix in (a, oblong, oblong.T.tocsr()):
    rows, columns = matrix.shape
    x, z = random.standard_normal((columns, 3)), random.standard_normal(rows)
    places = [rank * rank * rows // comm.size ** 2 for rank in range(comm.size + 1)]
    begin, end = places[comm.rank], places[comm.rank + 1]
    for given, words in ((matrix if comm.rank == 0 else None, {}),
                         (matrix[begin:end], {"own_rows": True}),
                         (matrix[begin:end], {"own_rows": (begin, end)})):
        product = spsolve.Product(given, comm=comm, columns=3, **words)
        assert product.shape == matrix.shape and product.kernel
        assert not words or product.own == (begin, end)
        (first_y, last_y), (first_x, last_x) = product.own, product.own_x
        assert comm.allreduce(last_y - first_y) == rows and comm.allreduce(last_x - first_x) == columns
        out = np.empty((last_y - first_y, 3))
        assert product.apply(x[first_x:last_x], out=out) is out
        assert np.allclose(whole(out), matrix @ x, atol=1e-13)
        assert np.array_equal(out, product @ x[first_x:last_x])
        assert np.allclose(whole(product @ x[first_x:last_x, 0]), matrix @ x[:, 0], atol=1e-13)
        assert np.allclose(whole(product.apply(z[first_y:last_y], transposed=True)), matrix.T @ z,
                           atol=1e-13)
product = spsolve.Product(sp.tril(symmetric).tocsr()[first:last], comm=comm, own_rows=True,
                          symmetry="symmetric")
for transposed in (False, True):
    y = product.apply(b[first:last], transposed=transposed)
    assert np.allclose(whole(y), symmetric @ b, atol=1e-12)
product = spsolve.Product(mine, comm=comm, own_rows=True)
try:
    pickle.dumps(product)
    assert False
except TypeError as error:
    assert "product over processes" in str(error), error

try:
    from petsc4py import PETSc
except (ImportError, ValueError):  # or made for another numpy
    pass
else:
    if np.issubdtype(PETSc.ScalarType, np.floating):
        mat = PETSc.Mat().createAIJ(((last - first, n), (last - first, n)), comm=comm,
                                    csr=(mine.indptr, mine.indices, mine.data))
        f = spsolve.factor(mat, comm=comm)
        close(a, np.concatenate(comm.allgather(f.solve(b[slice(*f.own)]))), b)
        f.refactor(mat)
        y = spsolve.Product(mat, comm=comm).apply(b[first:last])
        assert np.allclose(whole(y), a @ b, atol=1e-13)

# Rank 0 stops all in the middle of its analysis, the last process while all iterate.
try:
    spsolve.factor("grid3d:20" if comm.rank == 0 else None, comm=comm, ordering="nested_dissection",
                   method="sparse_lu", on_step=lambda step: step.fraction < 0.3)
    assert False
except spsolve.StoppedError as error:
    assert "stopped while analysing, at step" in str(error), error
try:
    spsolve.factor(mine, comm=comm, own_rows=True, method="gmres",
                   on_step=(lambda step: step.step < 2) if comm.rank == comm.size - 1 else None
                   ).solve(b[first:last])
    assert False
except spsolve.StoppedError as error:
    assert "stopped while iterating" in str(error), error

beyond = (first, last + 1)
ends = comm.rank == comm.size - 1
wide = sp.csr_matrix((last - first, n + 1))
spread = spsolve.factor(symmetric if comm.rank == 0 else None, comm=comm, method="sparse_cholesky")

# A failure on one rank fails on every rank, in the same words.
said = []
for work in (lambda: spsolve.factor("no such file" if comm.rank == 0 else None, comm=comm),
             lambda: spsolve.factor(a, comm=comm, method="lux"),
             lambda: g.substitute("forward", b[slice(*g.own)]),
             lambda: (spread if comm.size > 1 else g).substitute("forward", b[slice(*spread.own)]),
             lambda: spsolve.factor(mine, comm=comm, own_rows=beyond if ends else (first, last)),
             lambda: spsolve.factor(mine, comm=comm, own_rows=(first + 1, last + 1)),
             lambda: spsolve.factor("grid2d:5" if ends else mine, comm=comm, own_rows=True),
             lambda: spsolve.factor(wide, comm=comm, own_rows=True),
             lambda: spsolve.factor(mine, comm=comm, own_rows=True, symmetry="symmetric"),
             lambda: f.refactor(upper[first:last - 1] if ends else upper[first:last]),
             lambda: f.refactor(upper[first:last].data),
             lambda: f.refactor(shift=np.ones(n + 1) if ends else 1),
             lambda: spsolve.factor(mine, comm=comm, own_rows=True).solve(
                 b[:3] if ends else b[first:last]),
             lambda: f.solve(b[:3] if comm.rank == comm.size - 1 else b[first:last]),
             lambda: product.apply(b[:3] if ends else b[first:last]),
             lambda: product.apply(b[:3] if ends else b[first:last], transposed=True),
             lambda: product.apply(b[first:last], out=np.empty(3) if ends else None),
             lambda: spsolve.Product(upper[first:last], comm=comm, own_rows=True),
             lambda: spsolve.Product(a if comm.rank == 0 else None, comm=comm, kernel="no_such"),
             lambda: spsolve.Product(mine, comm=comm, own_rows=True, products=-ends),
             lambda: spsolve.Product(mine, comm=comm, own_rows=beyond if ends else (first, last)),
             lambda: g.refactor(np.ones(3) if comm.rank == 0 else None),
             lambda: spsolve.solve(a, b[:7] if comm.rank == 0 else None, comm=comm)):
    try:
        work()
        said.append("nothing")
    except spsolve.InputError as error:
        said.append(str(error))
if comm.size > 1:
    try:
        product.apply(b[first:last, :1] if ends else b[first:last])
        assert False
    except spsolve.InputError as error:
        assert "X has 1 columns on this rank, and 2 on rank 0" in str(error), error
everywhere = comm.gather(said)
if comm.rank == 0:
    assert all(each == said for each in everywhere), everywhere
    assert "nothing" not in said, said
    print(comm.size, "ranks are done")
"""


class Communicators(unittest.TestCase):
    def test_processes_solve_together(self):
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            self.skipTest("mpi4py is not installed (Debian: python3-mpi4py)")
        if not spsolve.has_mpi:
            self.skipTest("the module was built without MPI")
        if shutil.which("mpirun") is None:
            self.skipTest("there is no mpirun")
        folder = pathlib.Path(spsolve.__file__).resolve().parents[1]
        environment = dict(os.environ, PYTHONPATH=str(folder), OMP_NUM_THREADS="1",
                           OMPI_MCA_mpi_yield_when_idle="1",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                result = subprocess.run(
                    ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks),
                     sys.executable, "-c", PROGRAM], env=environment, capture_output=True,
                    text=True, timeout=300)
                self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
                self.assertIn(f"{ranks} ranks are done", result.stdout)

    def test_without_mpi_it_is_refused(self):
        if spsolve.has_mpi:
            self.skipTest("the module was built with MPI")

        class Comm:
            rank, size = 0, 1

            @staticmethod
            def py2f():
                return 0

        with self.assertRaisesRegex(spsolve.InputError, "built without MPI"):
            spsolve.factor("grid2d:5", comm=Comm())
        with self.assertRaisesRegex(spsolve.InputError, "built without MPI"):
            spsolve.Product("grid2d:5", comm=Comm())


if __name__ == "__main__":
    unittest.main()
