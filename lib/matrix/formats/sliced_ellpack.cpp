#include "matrix/formats/sliced_ellpack.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "matrix/formats/padding.hpp"

namespace spsolve::inline matrix {

namespace {

template <typename T>
Index length_of(const Csr<T>& matrix, Index i) {
  return matrix.row_offsets[i + 1] - matrix.row_offsets[i];
}

/// Rows by descending length within windows of sigma rows.
template <typename T>
std::vector<LocalIndex> sort_windows(const Csr<T>& matrix, Index sigma) {
  std::vector<LocalIndex> order(matrix.rows);
  std::iota(order.begin(), order.end(), 0);
  if (sigma == 1 || matrix.rows == 0) return order;
  const Index windows = (matrix.rows - 1) / sigma + 1;
#pragma omp parallel for schedule(dynamic, 16)
  for (Index window = 0; window < windows; ++window) {
    const Index first = window * sigma;
    std::stable_sort(
        order.begin() + first, order.begin() + first + std::min(sigma, matrix.rows - first),
        [&](LocalIndex a, LocalIndex b) { return length_of(matrix, a) > length_of(matrix, b); });
  }
  return order;
}

}  // namespace

template <typename T>
SlicedEllpack<T> SlicedEllpack<T>::from_csr(const Csr<T>& matrix,
                                            const SlicedEllpackOptions& options) {
  if (options.chunk < 1 || options.chunk > largest_chunk || options.sigma < 1) {
    fail(ExitCode::input,
         "sliced ELLPACK needs chunks of 1 to {} rows and sigma of at least 1, not {} and {}",
         largest_chunk, options.chunk, options.sigma);
  }
  if (matrix.rows > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::resources, "sliced ELLPACK holds at most {} rows, not {}",
         std::numeric_limits<LocalIndex>::max(), matrix.rows);
  }
  SlicedEllpack result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.chunk = options.chunk;
  result.permutation = sort_windows(matrix, options.sigma);
  result.row_lengths.resize(matrix.rows);
  const Index c = options.chunk;
  const Index chunks = round_up(matrix.rows, c) / c;
  result.chunk_offsets.assign(chunks + 1, 0);
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < chunks; ++k) {
    for (Index s = k * c; s < std::min(matrix.rows, (k + 1) * c); ++s) {
      const Index length = length_of(matrix, result.permutation[s]);
      result.row_lengths[s] = static_cast<LocalIndex>(length);
      result.chunk_offsets[k + 1] = std::max(result.chunk_offsets[k + 1], length);
    }
  }
  for (Index k = 0; k < chunks; ++k) {
    result.chunk_offsets[k + 1] = result.chunk_offsets[k] + result.chunk_offsets[k + 1] * c;
  }
  const Index elements = result.chunk_offsets.back();
  refuse_padding(elements, 1, matrix.nonzeros(), sizeof(T));
  result.column_indices.resize(elements);
  result.values.resize(elements);
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < chunks; ++k) {
    const Index width = result.chunk_width(k);
    for (Index r = 0; r < c; ++r) {
      const Index s = k * c + r;
      const RowView<T> row = s < matrix.rows ? RowView<T>{matrix.row_columns(result.permutation[s]),
                                                          matrix.row_values(result.permutation[s])}
                                             : RowView<T>{};
      const LocalIndex padding = row.columns.empty() ? 0 : row.columns.back();
      const auto length = static_cast<Index>(row.columns.size());
      for (Index j = 0; j < width; ++j) {
        const Index place = result.chunk_offsets[k] + j * c + r;
        result.column_indices[place] = j < length ? row.columns[j] : padding;
        result.values[place] = j < length ? row.values[j] : T{};
      }
    }
  }
  return result;
}

template <typename T>
Csr<T> SlicedEllpack<T>::to_csr() const {
  Csr<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.row_offsets.assign(rows + 1, 0);
  for (Index s = 0; s < rows; ++s) matrix.row_offsets[permutation[s] + 1] = row_lengths[s];
  std::partial_sum(matrix.row_offsets.begin(), matrix.row_offsets.end(),
                   matrix.row_offsets.begin());
  matrix.column_indices.resize(matrix.nonzeros());
  matrix.values.resize(matrix.nonzeros());
  for (Index s = 0; s < rows; ++s) {
    for (Index j = 0; j < row_lengths[s]; ++j) {
      const Index from = chunk_offsets[s / chunk] + j * chunk + s % chunk;
      const Index to = matrix.row_offsets[permutation[s]] + j;
      matrix.column_indices[to] = column_indices[from];
      matrix.values[to] = values[from];
    }
  }
  return matrix;
}

template <typename T>
std::int64_t SlicedEllpack<T>::bytes() const {
  return vector_bytes(chunk_offsets) + vector_bytes(permutation) + vector_bytes(row_lengths) +
         vector_bytes(column_indices) + vector_bytes(values);
}

SPSOLVE_INSTANTIATE(struct SlicedEllpack)

}  // namespace spsolve::matrix
