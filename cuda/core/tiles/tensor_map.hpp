#pragma once

#include <optional>

#include <cuda.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline core {

/// Values of a row of a matrix that lie together in shared memory, 128 bytes: in line i chunk c, of
/// 16 bytes, stands in place c ^ (i mod 8).
constexpr int line_values = 16;

/// The maps by which a TMA unit copies boxes of a row-major matrix of doubles. Empty where the
/// driver has no such maps.
struct MatrixOfBoxes {
  const double* values;  ///< at a multiple of 16 bytes
  Index stride;          ///< even
  Index rows, columns;
};

/// Boxes of `rows` rows by one line, at (column, row); zeros stand for what is outside the matrix.
std::optional<CUtensorMap> map_of_lines(const MatrixOfBoxes& matrix, int rows);

/// Boxes of `lines` lines of columns, one after the other, of `rows` rows each, at (0, row, column
/// / 16). The last line of a row is read whole: the matrix begins at a multiple of 128 bytes, and
/// its stride is one of 16, so that it ends before the next row does.
std::optional<CUtensorMap> map_of_columns(const MatrixOfBoxes& matrix, int rows, int lines);

}  // namespace spsolve::cuda::core
