#pragma once

#include <cstdint>

namespace spsolve {

/// Dimensions, non-zero counts, row offsets and global indices.
using Index = std::int64_t;

/// Column indices inside one band. Whoever fills them checks that they fit.
using LocalIndex = std::int32_t;

/// Unit round-off of double precision in the sense of the literature, 2^-53.
inline constexpr double unit_roundoff = 1.1102230246251565e-16;

}  // namespace spsolve
