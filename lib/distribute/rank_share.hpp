#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/types.hpp"

namespace spsolve::inline distribute {

/// One rank's part of a distributed product.
struct RankShare {
  Index rows = 0;               ///< of A and Y
  Index x_rows = 0;             ///< of X
  Index interior_nonzeros = 0;  ///< multiply own rows of X
  Index boundary_nonzeros = 0;  ///< multiply the halo
  Index boundary_rows = 0;      ///< rows of A that need the halo
  Index halo_rows = 0;          ///< rows of X from neighbours
  Index sent_rows = 0;          ///< rows of X to neighbours
  int neighbours = 0;           ///< ranks that rows come from
  std::int64_t bytes = 0;       ///< of both converted parts
  bool rounds_mirrors = false;  ///< the lower triangle multiplies for both, apart by rounding

  Index nonzeros() const { return interior_nonzeros + boundary_nonzeros; }
};

/// Non-zeros of the fullest rank over the mean of all; 1 where there are none.
inline double imbalance(std::span<const RankShare> shares) {
  Index most = 0, all = 0;
  for (const RankShare& share : shares) {
    most = std::max(most, share.nonzeros());
    all += share.nonzeros();
  }
  return all == 0 ? 1.0
                  : static_cast<double>(most) * static_cast<double>(shares.size()) /
                        static_cast<double>(all);
}

}  // namespace spsolve::distribute
