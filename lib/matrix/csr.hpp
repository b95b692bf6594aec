#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline matrix {

/// A sparse matrix, or a band of its rows, in compressed sparse row form:
/// row i holds values[k] at columns[k] for row_offsets[i] <= k < row_offsets[i + 1],
/// columns ascending and each at most once.
template <typename T>
struct Csr {
  Index rows = 0;
  Index columns = 0;
  std::vector<Index> row_offsets{0};       ///< rows + 1
  std::vector<LocalIndex> column_indices;  ///< one per non-zero
  std::vector<T> values;                   ///< one per non-zero

  Index nonzeros() const { return row_offsets.back(); }

  std::span<const LocalIndex> row_columns(Index row) const {
    return {column_indices.data() + row_offsets[row], column_indices.data() + row_offsets[row + 1]};
  }
  std::span<const T> row_values(Index row) const {
    return {values.data() + row_offsets[row], values.data() + row_offsets[row + 1]};
  }
};

/// Bytes of the three arrays of such a matrix.
constexpr std::int64_t csr_bytes(Index rows, Index nonzeros, std::size_t value_bytes) {
  return (rows + 1) * static_cast<std::int64_t>(sizeof(Index)) +
         nonzeros * static_cast<std::int64_t>(sizeof(LocalIndex) + value_bytes);
}

}  // namespace spsolve::matrix
