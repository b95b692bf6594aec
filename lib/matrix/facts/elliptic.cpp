#include "matrix/facts/elliptic.hpp"

#include <cmath>

#include "core/over_blocks.hpp"

namespace spsolve::inline matrix {

EllipticRows elliptic_rows(const Csr<double>& rows, double dominance, double sign) {
  Index count = 0;
  bool positive = true;
  const bool many = worth_threads(rows.nonzeros());
#pragma omp parallel for schedule(static) reduction(+ : count) reduction(&& : positive) if (many)
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    double diagonal = 0, beside = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] == i) {
        diagonal = sign * values[k];
      } else {
        beside += std::abs(values[k]);
      }
    }
    positive = positive && diagonal > 0;
    if (diagonal > 0 && diagonal >= dominance * beside) ++count;
  }
  return {count, positive};
}

}  // namespace spsolve::matrix
