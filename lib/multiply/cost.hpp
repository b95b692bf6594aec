#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace spsolve::inline multiply {

/// Operations of Y = A X: a multiplication and an addition for every non-zero and column.
constexpr double product_flops(Index nonzeros, Index k) {
  return 2.0 * static_cast<double>(nonzeros) * static_cast<double>(k);
}

/// Bytes that Y = A X must move at least, the same for every kernel: values, 4-byte column indices
/// and 8-byte row offsets of plain CSR, X and Y, each once. A kernel with a smaller format can be
/// faster than this floor allows.
constexpr double product_floor_bytes(Index rows, Index columns, Index nonzeros, Index k,
                                     std::size_t value_bytes) {
  const auto value = static_cast<double>(value_bytes);
  return static_cast<double>(nonzeros) * (value + sizeof(LocalIndex)) +
         static_cast<double>(rows + 1) * sizeof(Index) +
         static_cast<double>(k) * static_cast<double>(rows + columns) * value;
}

}  // namespace spsolve::multiply
