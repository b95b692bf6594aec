"""Eigenvalues of a Laplacian with a hole next to a shift, by SLEPc: shift-and-invert. With -singular the
shift is an eigenvalue, of constants; with -larger B of A x = lambda B x has a row too many."""

import json
import sys
import time

import slepc4py
slepc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402
from slepc4py import SLEPc  # noqa: E402

side = PETSc.Options().getInt("side", 110)
n = side * side
A = PETSc.Mat().createAIJ([n, n], nnz=5)
first, last = A.getOwnershipRange()
for i in range(first, last):
    y, x = divmod(i, side)
    hole = (x - side / 3) ** 2 + (y - side / 2) ** 2 < (side / 5) ** 2
    A[i, i] = 5.0 if hole else 4.0
    for j, inside in ((i - 1, x > 0), (i + 1, x < side - 1), (i - side, y > 0),
                      (i + side, y < side - 1)):
        if inside:
            A[i, j] = -1.0
A.assemble()
singular = PETSc.Options().getBool("singular", False)
if singular:
    x = A.createVecRight()
    x.set(1.0)
    A.setDiagonal(A.getDiagonal() - A * x)
A.setOption(PETSc.Mat.Option.SYMMETRIC, True)
B = None
if PETSc.Options().getBool("larger", False):
    B = PETSc.Mat().createAIJ([n + 1, n + 1], nnz=1)
    for i in range(*B.getOwnershipRange()):
        B[i, i] = 1.0
    B.assemble()
solver = SLEPc.EPS().create()
solver.setOperators(A, B)
solver.setProblemType(SLEPc.EPS.ProblemType.HEP if B is None else SLEPc.EPS.ProblemType.GHEP)
solver.setDimensions(nev=6)
solver.setTarget(0.0 if singular else 0.1)
solver.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
solver.getST().setType("sinvert")
solver.setFromOptions()
begin = time.perf_counter()
solver.solve()
seconds = time.perf_counter() - begin
answers = sorted(solver.getEigenvalue(k).real for k in range(6))
if A.getComm().rank == 0:
    print(json.dumps({"unknowns": n, "seconds": seconds, "answers": answers,
                      "solver": solver.getST().getKSP().getPC().getFactorSolverType()}))
