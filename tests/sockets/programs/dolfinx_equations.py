"""An equation by dolfinx: poisson, neumann (which is singular), elasticity or helmholtz (complex), the
first argument; the second is the solver that the line of petsc_options names."""

import json
import sys
import time

equation, solver_type = sys.argv[1:3]
import petsc4py  # noqa: E402
petsc4py.init(sys.argv[:1])
import numpy as np  # noqa: E402
import ufl  # noqa: E402
from dolfinx import fem, mesh  # noqa: E402
from dolfinx.fem.petsc import LinearProblem  # noqa: E402
from mpi4py import MPI  # noqa: E402
from petsc4py import PETSc  # noqa: E402


def outside(x):
    return np.isclose(x[0], 0.0)


if equation == "elasticity":
    domain = mesh.create_box(MPI.COMM_WORLD, [[0, 0, 0], [2, 1, 1]], [28, 12, 12])
    V = fem.VectorFunctionSpace(domain, ("Lagrange", 1))
else:
    domain = mesh.create_unit_square(MPI.COMM_WORLD, 110, 110)
    V = fem.FunctionSpace(domain, ("Lagrange", 2 if equation == "helmholtz" else 1))
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
x = ufl.SpatialCoordinate(domain)
if equation in ("poisson", "neumann"):
    a = ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx
    L = ufl.inner(10 * ufl.exp(-((x[0] - 0.5) ** 2 + (x[1] - 0.5) ** 2) / 0.02), v) * ufl.dx
elif equation == "elasticity":
    def strain(w):
        return ufl.sym(ufl.grad(w))
    stress = 1.25 * ufl.nabla_div(u) * ufl.Identity(3) + 2.0 * strain(u)
    a = ufl.inner(stress, strain(v)) * ufl.dx
    L = ufl.inner(fem.Constant(domain, PETSc.ScalarType((0, 0, -0.01))), v) * ufl.dx
else:
    k = 25.0
    a = (ufl.inner(ufl.grad(u), ufl.grad(v)) - k ** 2 * ufl.inner(u, v)) * ufl.dx \
        - 1j * k * ufl.inner(u, v) * ufl.ds
    L = ufl.inner(ufl.exp(-((x[0] - 0.3) ** 2 + (x[1] - 0.5) ** 2) / 0.01), v) * ufl.dx
conditions = []
if equation in ("poisson", "elasticity"):
    facets = mesh.locate_entities_boundary(domain, domain.topology.dim - 1, outside)
    dofs = fem.locate_dofs_topological(V, domain.topology.dim - 1, facets)
    zero = np.zeros(3, PETSc.ScalarType) if equation == "elasticity" else PETSc.ScalarType(0)
    conditions = [fem.dirichletbc(zero, dofs, V)]
problem = LinearProblem(a, L, bcs=conditions,
                        petsc_options={"ksp_type": "preonly", "pc_type": "lu",
                                       "pc_factor_mat_solver_type": solver_type})
begin = time.perf_counter()
solution = problem.solve()
seconds = time.perf_counter() - begin
if problem.solver.getConvergedReason() < 0:
    sys.exit(f"diverged: {problem.solver.getConvergedReason()}")
norm = solution.vector.norm()
if domain.comm.rank == 0:
    print(json.dumps({"unknowns": V.dofmap.index_map.size_global * V.dofmap.index_map_bs,
                      "seconds": seconds, "answers": [norm],
                      "solver": problem.solver.getPC().getFactorSolverType()}))
