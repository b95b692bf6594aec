#include <iostream>

#include <spsolve.hpp>

int main(int argc, char** argv) {
  using namespace spsolve;
  try {
    const Csr<double> a = load_matrix(argc > 1 ? argv[1] : "grid2d:40");  // or a .mtx file
    const Dense<double> ones(a.columns, 4, 1.0);
    const Dense<double> b = multiply(a, ones);  // B = A X
    const Solution solution = solve(a, b);      // and X again
    std::cout << a.rows << " rows, x_0 = " << solution.x(0, 0)
              << ", backward error = " << solution.refinement.after.backward_error << "\n";
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
