#include "sparse/pattern/clean.hpp"

#include <algorithm>
#include <numeric>

#include "core/over_blocks.hpp"
#include "core/resize_in_threads.hpp"
#include "matrix/structure.hpp"

namespace spsolve::inline sparse {

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
  resize_in_threads(kept.column_indices, static_cast<std::size_t>(kept.nonzeros()));
  resize_in_threads(kept.values, static_cast<std::size_t>(kept.nonzeros()));
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

Csr<double> with_mirrors(const Csr<double>& matrix) {
  const Csr<double> mirrored = transpose(matrix);
  Csr<double> kept;
  kept.rows = kept.columns = matrix.rows;
  kept.row_offsets.assign(matrix.row_offsets.size(), 0);
  // Calls entry(j, a_ij) for each entry of row i that is kept.
  const auto each_of_row = [&](Index i, auto entry) {
    const auto own = matrix.row_columns(i), others = mirrored.row_columns(i);
    std::size_t k = 0, l = 0;
    while (k < own.size() || l < others.size()) {
      const bool here = k < own.size() && (l == others.size() || own[k] <= others[l]);
      const bool there = l < others.size() && (k == own.size() || others[l] <= own[k]);
      const LocalIndex j = here ? own[k] : others[l];
      const double value = here ? matrix.row_values(i)[k++] : 0;
      const double mirror = there ? mirrored.row_values(i)[l++] : 0;
      if (value != 0 || mirror != 0) entry(j, value);
    }
  };
  const bool threads = matrix.nonzeros() > 1 << 14;
#pragma omp parallel for schedule(static) if (threads)
  for (Index i = 0; i < matrix.rows; ++i) {
    each_of_row(i, [&](LocalIndex, double) { ++kept.row_offsets[i + 1]; });
  }
  std::partial_sum(kept.row_offsets.begin(), kept.row_offsets.end(), kept.row_offsets.begin());
  resize_in_threads(kept.column_indices, static_cast<std::size_t>(kept.row_offsets.back()));
  resize_in_threads(kept.values, static_cast<std::size_t>(kept.row_offsets.back()));
#pragma omp parallel for schedule(static) if (threads)
  for (Index i = 0; i < matrix.rows; ++i) {
    each_of_row(i, [&, place = kept.row_offsets[i]](LocalIndex j, double value) mutable {
      kept.column_indices[place] = j;
      kept.values[place++] = value;
    });
  }
  return kept;
}

std::optional<Csr<double>> cleaned(const Csr<double>& matrix, const SymmetryFacts& facts) {
  const bool has_zeros = has_stored_zeros(matrix);
  if (facts.mirrors() == Mirrors::round && (has_zeros || !facts.symmetric_pattern)) {
    return with_mirrors(matrix);
  }
  if (has_zeros) return without_stored_zeros(matrix).matrix;
  return std::nullopt;
}

TakenEntries without_zeros(const Csr<double>& matrix, const Csr<double>& clean) {
  TakenEntries entries;
  resize_in_threads(entries.taken, clean.values.size());
  resize_in_threads(entries.left_out, matrix.values.size() - clean.values.size());
#pragma omp parallel for schedule(static) if (matrix.nonzeros() > 1 << 14)
  for (Index i = 0; i < matrix.rows; ++i) {
    Index taken = clean.row_offsets[i], left_out = matrix.row_offsets[i] - taken;
    const Index end = clean.row_offsets[i + 1];
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const bool is_left = taken < end && clean.column_indices[taken] == matrix.column_indices[k];
      (is_left ? entries.taken[taken++] : entries.left_out[left_out++]) = k;
    }
  }
  return entries;
}

bool TakenEntries::serve(const std::vector<double>& values) const {
  return std::all_of(left_out.begin(), left_out.end(), [&](Index k) { return values[k] == 0; });
}

bool has_stored_zeros(const Csr<double>& matrix) {
  const Index nonzeros = matrix.nonzeros();
  Index zeros = 0;
#pragma omp parallel for schedule(static) reduction(+ : zeros) if (worth_threads(nonzeros))
  for (Index k = 0; k < nonzeros; ++k) zeros += matrix.values[k] == 0;
  return zeros > 0;
}

}  // namespace spsolve::sparse
