#pragma once

#include <algorithm>
#include <cstdint>

#include "matrix/csr.hpp"

namespace spsolve::inline vectors {

/// Bytes of `height` own rows of Vectors with so many columns, in any memory.
constexpr std::int64_t vectors_bytes(Index height, Index columns) {
  return height * columns * static_cast<std::int64_t>(sizeof(double));
}

/// Entries that a GPU sorts at a time while it transposes.
inline constexpr Index most_entries_sorted = Index{1} << 22;

/// Bytes of GPU memory that rows of so many columns take to be transposed, in addition to the
/// result: columns, places and numbers of entries that are sorted, two of them once more inside the
/// sort, and two numbers for each row of the result.
constexpr std::int64_t bytes_to_transpose(Index columns, Index nonzeros) {
  constexpr auto entry = static_cast<std::int64_t>(sizeof(LocalIndex));
  return std::min(nonzeros, most_entries_sorted) * 5 * entry +
         2 * (columns + 1) * static_cast<std::int64_t>(sizeof(Index));
}

/// Bytes of GPU memory that BandProducts of `height` rows with `nonzeros` entries take: the rows,
/// and from the first product with A^T on the transposed ones, of `columns` rows: own and the
/// halo's. In addition there are the halo of x, and some 32 KB for each column of it; with K
/// columns and rows by type, which take a part of what is counted here, height K^2 / 512 bytes for
/// dots.
constexpr std::int64_t band_products_bytes(Index height, Index columns, Index nonzeros,
                                           bool transposed) {
  return csr_bytes(height, nonzeros, sizeof(double)) +
         (transposed
              ? csr_bytes(columns, nonzeros, sizeof(double)) + bytes_to_transpose(columns, nonzeros)
              : 0);
}

}  // namespace spsolve::vectors
