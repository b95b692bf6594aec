#include "multiply/published/csr_kernels.hpp"

#include <algorithm>

namespace spsolve::inline multiply {

template <typename T>
void csr_serial(const Csr<T>& a, const T* x, T* y, Index columns) {
  for (Index i = 0; i < a.rows; ++i) {
    T* y_row = y + i * columns;
    std::fill_n(y_row, columns, T{});
    for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const T value = a.values[k];
      const T* x_row = x + a.column_indices[k] * columns;
      for (Index c = 0; c < columns; ++c) y_row[c] += value * x_row[c];
    }
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_serial)

}  // namespace spsolve::multiply
