#pragma once

#include <cstdint>

#include "matrix/csr.hpp"

namespace spsolve {

/// Bytes of `height` own rows of Vectors with so many columns, in any memory.
constexpr std::int64_t vectors_bytes(Index height, Index columns) {
  return height * columns * static_cast<std::int64_t>(sizeof(double));
}

/// Bytes of GPU memory that BandProducts of `height` rows with `nonzeros` entries take: the rows,
/// and from the first product with A^T on the transposed ones, of `columns` rows: own and the
/// halo's. Beside them stand the halo of x, and some 32 KB for each column of it.
constexpr std::int64_t band_products_bytes(Index height, Index columns, Index nonzeros,
                                           bool transposed) {
  return csr_bytes(height, nonzeros, sizeof(double)) +
         (transposed ? csr_bytes(columns, nonzeros, sizeof(double)) : 0);
}

}  // namespace spsolve
