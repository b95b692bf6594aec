"""Convection and diffusion, twice, by petsc4py: a program that knows nothing of the solver it gets. With
-singular constants are a null space, but for rounding; with -longer b has a row too many."""

import json
import sys
import time

import petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

side = PETSc.Options().getInt("side", 110)
n = side * side
A = PETSc.Mat().createAIJ([n, n], nnz=5)
first, last = A.getOwnershipRange()
phase = 1j if PETSc.ScalarType().dtype.kind == "c" else 0.0
for i in range(first, last):
    y, x = divmod(i, side)
    A[i, i] = 4.1 + 0.5 * phase
    for j, inside, value in ((i - 1, x > 0, -1.3), (i + 1, x < side - 1, -0.8),
                             (i - side, y > 0, -1.0), (i + side, y < side - 1, -1.0)):
        if inside:
            A[i, j] = value
A.assemble()
x, b = A.createVecs()
if PETSc.Options().getBool("singular", False):
    x.set(1.0)
    A.setDiagonal(A.getDiagonal() - A * x)
b.set(1.0)
if PETSc.Options().getBool("longer", False):
    b = PETSc.Vec().createMPI(n + 1)
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType("preonly")
ksp.getPC().setType("lu")
ksp.setFromOptions()
begin = time.perf_counter()
answers = []
for factor in (1.0, 2.0):
    A.scale(factor)
    ksp.setOperators(A)
    ksp.solve(b, x)
    if ksp.getConvergedReason() < 0:
        sys.exit(f"diverged: {ksp.getConvergedReason()}")
    answers += [x.norm(), x.max()[1]]
seconds = time.perf_counter() - begin
if A.getComm().rank == 0:
    print(json.dumps({"unknowns": n, "seconds": seconds, "answers": answers,
                      "solver": ksp.getPC().getFactorSolverType()}))
