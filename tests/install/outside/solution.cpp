// The solution of A x = (1, ..., 1), a number a line, every bit of it; without refinement, which
// would hide where sums are taken in another order.
#include <cstdio>

#include <spsolve/spsolve.hpp>

int main(int, char** argv) {
  spsolve::Options options;
  options.refinement = 0;
  spsolve::Solver solver(spsolve::Matrix::load(argv[1]), options);
  const auto solution = solver.solve(spsolve::Dense<double>(solver.order(), 1, 1.0));
  for (const double value : solution.x.values) std::printf("%.17g\n", value);
}
