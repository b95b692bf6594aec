#pragma once

namespace spsolve::inline krylov::coarsening_bounds {

// The bounds that coarsening decides by, on hosts and on GPUs alike.

/// A node depends on another one by at least this share of its strongest connection.
constexpr double share = 0.1;

/// Nodes in no aggregate are led where the sum of their connections is more than this much of the
/// diagonal.
constexpr double dominance = 0.5;

/// A column of an aggregate's near null space depends on those before it where less of its length
/// than this is orthogonal to them.
constexpr double dependent = 1e-10;

/// Entries of the near null space are lone if others are at most this much of them: below the
/// finest level, what would be zero is rounding.
constexpr double negligible = 1e-10;

}  // namespace spsolve::krylov::coarsening_bounds
