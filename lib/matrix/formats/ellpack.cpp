#include "matrix/formats/ellpack.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "matrix/formats/padding.hpp"
#include "process/system.hpp"

namespace spsolve::inline matrix {

template <typename T>
Index longest_row(const Csr<T>& matrix) {
  Index longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
  for (Index i = 0; i < matrix.rows; ++i) {
    longest = std::max(longest, matrix.row_offsets[i + 1] - matrix.row_offsets[i]);
  }
  return longest;
}

std::string padding_problem(Index rows, Index width, Index nonzeros, std::size_t value_bytes) {
  if (rows == 0 || width == 0) return {};
  const auto element = static_cast<Index>(sizeof(LocalIndex) + value_bytes);
  const std::string size = fmt::format(
      "with its padding, {} x {} elements need {:.3g} GB", rows, width,
      static_cast<double>(rows) * static_cast<double>(width) * static_cast<double>(element) * 1e-9);
  constexpr std::string_view remedy = "the unpadded format (ellpack_unpadded) stores none";
  if (rows > std::numeric_limits<Index>::max() / element / width) {
    return fmt::format("{}; {}", size, remedy);
  }
  const Index bytes = rows * width * element;
  if (const std::int64_t memory = available_memory(); bytes > memory) {
    return fmt::format("{}, and {:.3g} GB are available; {}", size,
                       static_cast<double>(memory) * 1e-9, remedy);
  }
  if (bytes > small_padded_bytes && rows * width / largest_padding > nonzeros) {
    return fmt::format("{} for {} non-zeros; {}", size, nonzeros, remedy);
  }
  return {};
}

// --- row-major

template <typename T>
Ellpack<T> Ellpack<T>::from_csr(const Csr<T>& matrix) {
  Ellpack result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.width = longest_row(matrix);
  refuse_padding(result.rows, result.width, matrix.nonzeros(), sizeof(T));
  result.column_indices.resize(result.rows * result.width);
  result.values.resize(result.rows * result.width);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < result.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto values = matrix.row_values(i);
    LocalIndex* const row = result.column_indices.data() + i * result.width;
    std::copy(columns.begin(), columns.end(), row);
    std::fill(row + columns.size(), row + result.width, columns.empty() ? 0 : columns.back());
    std::copy(values.begin(), values.end(), result.values.data() + i * result.width);
  }
  return result;
}

template <typename T>
Csr<T> Ellpack<T>::to_csr() const {
  Csr<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  for (Index i = 0; i < rows; ++i) {
    const LocalIndex* const row = column_indices.data() + i * width;
    // Columns ascend, and padding repeats the last.
    Index length =
        width > 0 && (row[0] != 0 || values[i * width] != T{} || (width > 1 && row[1] > 0)) ? 1 : 0;
    while (length > 0 && length < width && row[length] > row[length - 1]) ++length;
    matrix.column_indices.insert(matrix.column_indices.end(), row, row + length);
    matrix.values.insert(matrix.values.end(), values.begin() + i * width,
                         values.begin() + i * width + length);
    matrix.row_offsets.push_back(static_cast<Index>(matrix.values.size()));
  }
  return matrix;
}

template <typename T>
std::int64_t Ellpack<T>::bytes() const {
  return vector_bytes(column_indices) + vector_bytes(values);
}

// --- column-major

template <typename T>
ColumnMajorEllpack<T> ColumnMajorEllpack<T>::from_csr(const Csr<T>& matrix) {
  ColumnMajorEllpack result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.padded_rows = round_up(matrix.rows, row_multiple);
  result.width = longest_row(matrix);
  refuse_padding(result.padded_rows, result.width, matrix.nonzeros(), sizeof(T));
  result.column_indices.resize(result.padded_rows * result.width);
  result.values.resize(result.padded_rows * result.width);
  fill_column_major<T>(
      result.rows, result.padded_rows, result.width,
      [&](Index i) {
        return RowView<T>{matrix.row_columns(i), matrix.row_values(i)};
      },
      result.column_indices.data(), result.values.data());
  return result;
}

template <typename T>
Csr<T> ColumnMajorEllpack<T>::to_csr() const {
  Csr<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < width && column_indices[i + j * padded_rows] >= 0; ++j) {
      matrix.column_indices.push_back(column_indices[i + j * padded_rows]);
      matrix.values.push_back(values[i + j * padded_rows]);
    }
    matrix.row_offsets.push_back(static_cast<Index>(matrix.values.size()));
  }
  return matrix;
}

template <typename T>
std::int64_t ColumnMajorEllpack<T>::bytes() const {
  return vector_bytes(column_indices) + vector_bytes(values);
}

// --- unpadded

template <typename T>
UnpaddedEllpack<T> UnpaddedEllpack<T>::from_csr(const Csr<T>& matrix) {
  return from_csr(Csr<T>(matrix));
}

template <typename T>
UnpaddedEllpack<T> UnpaddedEllpack<T>::from_csr(Csr<T>&& matrix) {
  UnpaddedEllpack result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.row_lengths.resize(matrix.rows);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < matrix.rows; ++i) {
    // At most `columns` elements, which fits.
    result.row_lengths[i] =
        static_cast<LocalIndex>(matrix.row_offsets[i + 1] - matrix.row_offsets[i]);
  }
  result.row_starts = std::move(matrix.row_offsets);
  result.row_starts.pop_back();
  result.column_indices = std::move(matrix.column_indices);
  result.values = std::move(matrix.values);
  matrix = Csr<T>{};
  return result;
}

template <typename T>
Csr<T> UnpaddedEllpack<T>::to_csr() const {
  Csr<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.row_offsets = row_starts;
  matrix.row_offsets.push_back(static_cast<Index>(values.size()));
  matrix.column_indices = column_indices;
  matrix.values = values;
  return matrix;
}

template <typename T>
std::int64_t UnpaddedEllpack<T>::bytes() const {
  return vector_bytes(row_lengths) + vector_bytes(row_starts) + vector_bytes(column_indices) +
         vector_bytes(values);
}

SPSOLVE_INSTANTIATE_FUNCTION(longest_row)
SPSOLVE_INSTANTIATE(struct Ellpack)
SPSOLVE_INSTANTIATE(struct ColumnMajorEllpack)
SPSOLVE_INSTANTIATE(struct UnpaddedEllpack)

}  // namespace spsolve::matrix
