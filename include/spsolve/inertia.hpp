#pragma once

#include <string>
#include <vector>

#include "spsolve/types.hpp"

namespace spsolve {

/// How far the signs of pivots are known to be those of eigenvalues; see docs/trust.md.
enum class Certainty {
  unknown,  ///< they need not be
  likely,   ///< the factors found solutions that were known beforehand, but not at once
  certain,  ///< no eigenvalue is zero, or has another sign than the pivots tell
};

/// The numbers of positive, negative and zero eigenvalues of a symmetric or Hermitian A.
struct Inertia {
  Certainty certainty = Certainty::unknown;
  Index positive = -1, negative = -1, zero = -1;  ///< -1 where they are unknown
  /// Of an A that is singular to working precision, whose inertia is unknown: the rows, from 0 and
  /// ascending, that no pivot was left for. `zero` is their number then, n less a numerical rank.
  std::vector<Index> rows;
  std::string doubt;  ///< why it is not certain
};

}  // namespace spsolve
