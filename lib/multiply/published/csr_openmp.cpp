#include "multiply/published/csr_openmp.hpp"

#include <algorithm>

namespace spsolve::inline multiply {

template <typename T>
void csr_openmp(const Csr<T>& a, const T* x, T* y, Index columns, int threads) {
  constexpr Index multiple = 16;
  const int team = host_threads(threads);
  const Index chunk = std::max(a.rows / team / multiple * multiple, multiple);
#pragma omp parallel for schedule(static, chunk) num_threads(team)
  for (Index i = 0; i < a.rows; ++i) {
    for (Index c = 0; c < columns; ++c) {
      T sum{};
      for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
        sum += a.values[k] * x[a.column_indices[k] * columns + c];
      }
      y[i * columns + c] = sum;
    }
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_openmp)

}  // namespace spsolve::multiply
