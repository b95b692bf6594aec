#include "matrix/formats/symmetric_ellpack.hpp"

#include <algorithm>
#include <numeric>

#include "matrix/formats/padding.hpp"

namespace spsolve::inline matrix {

namespace {

template <typename T>
Index longest_lower_row(const Csr<T>& matrix) {
  Index longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
  for (Index i = 0; i < matrix.rows; ++i) longest = std::max(longest, lower_length(matrix, i));
  return longest;
}

}  // namespace

template <typename T>
Index lower_length(const Csr<T>& matrix, Index i) {
  const auto columns = matrix.row_columns(i);
  return std::upper_bound(columns.begin(), columns.end(), i) - columns.begin();
}

template <typename T>
double symmetric_ellpack_bytes(const Csr<T>& matrix) {
  return static_cast<double>(round_up(matrix.rows, SymmetricEllpack<T>::row_multiple)) *
         static_cast<double>(longest_lower_row(matrix)) * (sizeof(LocalIndex) + sizeof(T));
}

template <typename T>
SymmetricEllpack<T> SymmetricEllpack<T>::from_csr(const Csr<T>& matrix,
                                                  std::span<const LocalIndex> permutation) {
  if (matrix.rows != matrix.columns) {
    fail(ExitCode::input, "a {} x {} matrix is not symmetric", matrix.rows, matrix.columns);
  }
  if (!permutation.empty() && static_cast<Index>(permutation.size()) != matrix.rows) {
    fail(ExitCode::internal, "a permutation of {} rows for a matrix of {}", permutation.size(),
         matrix.rows);
  }
  SymmetricEllpack result;
  result.rows = matrix.rows;
  result.padded_rows = round_up(matrix.rows, row_multiple);
  result.width = longest_lower_row(matrix);
  refuse_padding(result.padded_rows, result.width, matrix.nonzeros(), sizeof(T));
  result.permutation.assign(permutation.begin(), permutation.end());
  result.column_indices.resize(result.padded_rows * result.width);
  result.values.resize(result.padded_rows * result.width);
  fill_column_major<T>(
      result.rows, result.padded_rows, result.width,
      [&](Index slot) {
        const Index i = result.row_of(slot);
        const Index length = lower_length(matrix, i);
        return RowView<T>{matrix.row_columns(i).first(length), matrix.row_values(i).first(length)};
      },
      result.column_indices.data(), result.values.data());
  return result;
}

template <typename T>
Csr<T> SymmetricEllpack<T>::to_csr() const {
  // Ascending rows: row j gets its lower part when i = j, and (j, i) for i > j later, in order.
  std::vector<Index> slot_of(rows);
  for (Index s = 0; s < rows; ++s) slot_of[row_of(s)] = s;
  Csr<T> matrix;
  matrix.rows = matrix.columns = rows;
  matrix.row_offsets.assign(rows + 1, 0);
  const auto each = [&](const auto& visit) {
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < width; ++k) {
        const Index place = slot_of[i] + k * padded_rows;
        const LocalIndex j = column_indices[place];
        if (j < 0) break;
        visit(i, j, values[place]);
        if (j < i) visit(j, static_cast<LocalIndex>(i), values[place]);
      }
    }
  };
  each([&](Index i, LocalIndex, T) { ++matrix.row_offsets[i + 1]; });
  std::partial_sum(matrix.row_offsets.begin(), matrix.row_offsets.end(),
                   matrix.row_offsets.begin());
  matrix.column_indices.resize(matrix.nonzeros());
  matrix.values.resize(matrix.nonzeros());
  std::vector<Index> next(matrix.row_offsets.begin(), matrix.row_offsets.end() - 1);
  each([&](Index i, LocalIndex j, T value) {
    matrix.column_indices[next[i]] = j;
    matrix.values[next[i]++] = value;
  });
  return matrix;
}

template <typename T>
std::int64_t SymmetricEllpack<T>::bytes() const {
  return vector_bytes(permutation) + vector_bytes(column_indices) + vector_bytes(values);
}

SPSOLVE_INSTANTIATE_FUNCTION(lower_length)
SPSOLVE_INSTANTIATE_FUNCTION(symmetric_ellpack_bytes)
SPSOLVE_INSTANTIATE(struct SymmetricEllpack)

}  // namespace spsolve::matrix
