#pragma once

#include "config/config.hpp"
#include "core/team.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// The right-hand sides B, n x K, that the configuration names for `matrix`: its row sums (so that
/// x is all ones), ones, uniform random values in [-1, 1), or the columns of a Matrix Market file.
/// Throws Error(input) where the file's rows differ from the matrix's.
Dense<double> right_hand_side(const Config::RightHandSide& config, const Csr<double>& matrix);

/// K, before they are read.
Index columns_of_b(const Config::RightHandSide& config);

/// Whether x is known to be all ones.
bool solution_is_ones(const Config::RightHandSide& config);

/// Rank 0's `x` on every rank. Collective.
void share_multivector(Team& team, Dense<double>& x);

}  // namespace spsolve
