#pragma once

#include <vector>

#include "core/types.hpp"

namespace spsolve::inline sparse {

/// The position of each element of a permutation: result[order[k]] = k.
inline std::vector<LocalIndex> inverse_of(const std::vector<LocalIndex>& order) {
  std::vector<LocalIndex> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<LocalIndex>(k);
  return position;
}

/// Makes a permutation of 0 ... n - 1 out of one with gaps: elements of -1 get the numbers that are
/// missing, element k the number k where that is missing, the others in ascending order.
inline void complete_permutation(std::vector<LocalIndex>& permutation) {
  const auto n = static_cast<LocalIndex>(permutation.size());
  std::vector<char> there(permutation.size(), 0);
  for (const LocalIndex value : permutation) {
    if (value >= 0) there[value] = 1;
  }
  for (LocalIndex k = 0; k < n; ++k) {
    if (permutation[k] < 0 && !there[k]) {
      permutation[k] = k;
      there[k] = 1;
    }
  }
  LocalIndex missing = 0;
  for (LocalIndex& value : permutation) {
    if (value >= 0) continue;
    while (there[missing]) ++missing;
    value = missing++;
  }
}

}  // namespace spsolve::sparse
