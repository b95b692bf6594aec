#include "multiply/kernel_row.hpp"

#include "matrix/symmetry.hpp"

namespace spsolve::inline multiply {

std::string needs_symmetric(const MatrixFacts& facts, Index, std::size_t) {
  if (facts.symmetric()) return {};
  if (facts.rows != facts.columns) return "the matrix is not symmetric";
  return "the matrix is not symmetric, by more than rounding: " + to_text(facts.furthest);
}

std::string needs_real_form(const MatrixFacts& facts, Index, std::size_t) {
  return facts.real_form ? std::string() : "the matrix is not the real form of a complex one";
}

}  // namespace spsolve::multiply
