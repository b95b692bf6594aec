#include "multiply/kernel_row.hpp"

#include "matrix/symmetry.hpp"

namespace spsolve::inline multiply {

std::string needs_symmetric(const MatrixFacts& facts, Index, std::size_t) {
  if (facts.symmetric()) return {};
  if (facts.rows != facts.columns) return "the matrix is not symmetric";
  return "the matrix is not symmetric, by more than rounding: " + to_text(facts.furthest);
}

}  // namespace spsolve::multiply
