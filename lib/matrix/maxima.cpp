#include "matrix/maxima.hpp"

#include <algorithm>
#include <cmath>

#include "core/over_blocks.hpp"
#include "core/shared_maximum.hpp"

namespace spsolve {

void row_maxima(const Csr<double>& rows, std::span<double> largest) {
#pragma omp parallel for schedule(static) if (rows.nonzeros() > worthwhile_elements)
  for (Index i = 0; i < rows.rows; ++i) {
    largest[i] = 0;
    for (const double value : rows.row_values(i)) {
      largest[i] = std::max(largest[i], std::abs(value));
    }
  }
}

void column_maxima(const Csr<double>& rows, std::span<const double> factors,
                   std::span<double> largest) {
  std::ranges::fill(largest, 0.0);
#pragma omp parallel for schedule(static) if (rows.nonzeros() > worthwhile_elements)
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      raise_to(largest[columns[k]], factors[i] * std::abs(values[k]));
    }
  }
}

}  // namespace spsolve
