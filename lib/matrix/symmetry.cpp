#include "matrix/symmetry.hpp"

#include <algorithm>
#include <atomic>

namespace spsolve::inline matrix {

template <typename T>
SymmetryFacts symmetry_of(const Csr<T>& matrix) {
  if (matrix.rows != matrix.columns) return {};
  const bool threads = matrix.nonzeros() > 1 << 14;
  bool symmetric = true, skew = true, positive = true;
  Index zeros = 0, excess = 0;       // entries below the diagonal less those above
  std::atomic<bool> pattern = true;  // read by all threads, which stop once it is false
#pragma omp parallel if (threads) reduction(&& : symmetric, skew, positive) reduction(+ : zeros, excess)
#pragma omp for schedule(dynamic, 1024)
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto values = matrix.row_values(i);
    std::size_t k = 0;
    for (; k < columns.size() && columns[k] < i; ++k) {
      if (!pattern.load(std::memory_order_relaxed)) break;
      const auto mirrored = matrix.row_columns(columns[k]);
      const auto place = std::lower_bound(mirrored.begin(), mirrored.end(), i);
      if (place == mirrored.end() || *place != i) {
        pattern.store(false, std::memory_order_relaxed);
        break;
      }
      const T mirror = matrix.row_values(columns[k])[place - mirrored.begin()];
      symmetric = symmetric && values[k] == mirror;
      skew = skew && values[k] == -mirror;
    }
    const auto diagonal = std::lower_bound(columns.begin() + k, columns.end(), i);
    const bool stored = diagonal != columns.end() && *diagonal == i;
    const T value = stored ? values[diagonal - columns.begin()] : T(0);
    positive = positive && value > 0;
    symmetric = symmetric && value == value;
    skew = skew && value == 0;
    zeros += value == 0;
    excess += (diagonal - columns.begin()) - (columns.end() - diagonal - stored);
  }
  SymmetryFacts facts;
  facts.symmetric_pattern = pattern && excess == 0;
  facts.symmetric = facts.symmetric_pattern && symmetric;
  facts.skew_symmetric = facts.symmetric_pattern && skew;
  facts.positive_diagonal = positive;
  facts.zero_diagonals = zeros;
  return facts;
}

template SymmetryFacts symmetry_of(const Csr<float>&);
template SymmetryFacts symmetry_of(const Csr<double>&);

}  // namespace spsolve::matrix
