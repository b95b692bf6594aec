#include "sparse/clean.hpp"

#include <algorithm>
#include <numeric>

namespace spsolve {

CleanMatrix without_stored_zeros(const Csr<double>& matrix) {
  const bool threads = matrix.nonzeros() > 1 << 14;
  CleanMatrix clean;
  Csr<double>& kept = clean.matrix;
  kept.rows = matrix.rows;
  kept.columns = matrix.columns;
  kept.row_offsets.assign(matrix.row_offsets.size(), 0);
#pragma omp parallel for schedule(static) if (threads)
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto values = matrix.row_values(i);
    kept.row_offsets[i + 1] =
        std::count_if(values.begin(), values.end(), [](double value) { return value != 0; });
  }
  std::partial_sum(kept.row_offsets.begin(), kept.row_offsets.end(), kept.row_offsets.begin());
  clean.dropped = matrix.nonzeros() - kept.nonzeros();
  kept.column_indices.resize(static_cast<std::size_t>(kept.nonzeros()));
  kept.values.resize(static_cast<std::size_t>(kept.nonzeros()));
#pragma omp parallel for schedule(static) if (threads)
  for (Index i = 0; i < matrix.rows; ++i) {
    Index place = kept.row_offsets[i];
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      if (matrix.values[k] == 0) continue;
      kept.column_indices[place] = matrix.column_indices[k];
      kept.values[place++] = matrix.values[k];
    }
  }
  return clean;
}

TakenEntries without_zeros(const std::vector<double>& values) {
  TakenEntries entries;
  for (std::size_t k = 0; k < values.size(); ++k) {
    (values[k] != 0 ? entries.taken : entries.left_out).push_back(static_cast<Index>(k));
  }
  return entries;
}

bool TakenEntries::serve(const std::vector<double>& values) const {
  return std::all_of(left_out.begin(), left_out.end(), [&](Index k) { return values[k] == 0; });
}

bool has_stored_zeros(const Csr<double>& matrix) {
  return std::find(matrix.values.begin(), matrix.values.end(), 0.0) != matrix.values.end();
}

}  // namespace spsolve
