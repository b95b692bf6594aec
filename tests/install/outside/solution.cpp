// The solution of A x = (1, ..., 1), a number a line, every bit of it; without refinement, which
// would hide where sums are taken in another order. A second argument is the device: host or cuda.
#include <cstdio>
#include <string>

#include <spsolve/spsolve.hpp>

int main(int argc, char** argv) {
  spsolve::Options options;
  options.refinement = 0;
  const std::string device = argc > 2 ? argv[2] : "host";
  options.device = device == "cuda" ? spsolve::Device::cuda : spsolve::Device::host;
  spsolve::Solver solver(spsolve::Matrix::load(argv[1]), options);
  const auto solution = solver.solve(spsolve::Dense<double>(solver.order(), 1, 1.0));
  for (const double value : solution.x.values) std::printf("%.17g\n", value);
}
