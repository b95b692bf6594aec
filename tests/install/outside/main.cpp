#include <iostream>

#include <spsolve/spsolve.hpp>

int main(int argc, char** argv) {
  try {
    const auto a = spsolve::Matrix::load(argc > 1 ? argv[1] : "grid2d:40");  // or a .mtx file
    const spsolve::Dense<double> ones(a.columns(), 4, 1.0);
    const auto b = spsolve::Product(a).apply(ones);  // B = A X
    spsolve::Solver solver(a);                       // eliminated once,
    const auto solution = solver.solve(b);           // solved with as often as wanted
    std::cout << a.rows() << " rows, x_0 = " << solution.x(0, 0)
              << ", backward error = " << solution.backward_error << "\n";
  } catch (const spsolve::Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
