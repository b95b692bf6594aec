// A shared library may be made of this: the static ones of spsolve.
#include <spsolve/spsolve.hpp>

double first_unknown() {
  spsolve::Solver solver(spsolve::Matrix::load("tridiagonal:5"));
  return solver.solve(spsolve::Dense<double>(5, 1, 0.0)).x(0, 0);
}
