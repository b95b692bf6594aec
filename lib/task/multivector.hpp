#pragma once

#include <optional>

#include "config/config.hpp"
#include "distribute/layout/row_layout.hpp"
#include "matrix/dense.hpp"
#include "matrix/shape.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

// Of a complex matrix, which comes as its real form, X is that of complex numbers: a row of real
// and one of imaginary parts to each of its rows.

/// Columns K of the X that the configuration names, of a file from its header alone, for `matrix`,
/// where its shape is known. Throws Error(input) where a file has another number of rows, or
/// complex numbers for a real matrix.
Index columns_of_x(const Config::Multiply& config, const std::optional<MatrixShape>& matrix);

/// The whole X for a matrix of so many columns, `parts` to a number: random, ones, or a file's.
/// Throws Error(input) where a file has another number of rows.
Dense<double> whole_x(const Config::Multiply& config, Index rows, Index parts);

/// This rank's rows of X, in bands, `parts` to a number: each rank makes its own, or gets them of
/// rank 0's `whole` where X is a file. Collective.
Dense<double> band_of_x(const Config::Multiply& config, Team& team, const RowLayout& bands,
                        const Dense<double>& whole, Index parts);

}  // namespace spsolve::task
