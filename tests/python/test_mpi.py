"""Processes of a communicator of mpi4py that solve together."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import spsolve

PROGRAM = """
import sys
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

# The last process stops all.
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
             lambda: g.refactor(np.ones(3) if comm.rank == 0 else None),
             lambda: spsolve.solve(a, b[:7] if comm.rank == 0 else None, comm=comm)):
    try:
        work()
        said.append("nothing")
    except spsolve.InputError as error:
        said.append(str(error))
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


if __name__ == "__main__":
    unittest.main()
