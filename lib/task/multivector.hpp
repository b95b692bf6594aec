#pragma once

#include <optional>

#include "config/config.hpp"
#include "distribute/layout/row_layout.hpp"
#include "matrix/dense.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

/// Columns K of the X that the configuration names, of a file from its header alone, for a matrix
/// of so many columns, where they are known. Throws Error(input) where a file has another number of
/// rows.
Index columns_of_x(const Config::Multiply& config, std::optional<Index> rows);

/// The whole X for a matrix of so many columns: random, ones, or a file's. Throws Error(input)
/// where a file has another number of rows.
Dense<double> whole_x(const Config::Multiply& config, Index rows);

/// This rank's rows of X, in bands: each rank makes its own, or gets them of rank 0's `whole` where
/// X is a file. Collective.
Dense<double> band_of_x(const Config::Multiply& config, Team& team, const RowLayout& bands,
                        const Dense<double>& whole);

}  // namespace spsolve::task
