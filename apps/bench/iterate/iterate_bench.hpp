#pragma once

#include <optional>
#include <span>

#include "apps/bench/contest.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::bench {

/// Bytes that a step of a method must move for a matrix of n rows and z non-zeros, without its
/// preconditioner: 12 z + 4 n for A and 16 n K for what a product takes and gives, once or twice,
/// and the multivectors that its recurrences read and write once each, 8 n K bytes. Nothing for
/// methods whose steps are of different lengths, or whose peers' are not known.
std::optional<double> floor_bytes(Method method, Index order, Index nonzeros, Index columns);

/// Fills in the milliseconds of a step and, for own methods, the least time of one, as a fraction
/// of that.
void set_steps(Row& row);

/// Fills in the speed-ups of rows of the same matrix, over those peers among them that converged.
void compare_iterations(std::span<Row> rows);

/// The columns of `spbench iterate`.
Columns iteration_columns();

}  // namespace spsolve::bench
