#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// A matrix seen from afar: where its non-zeros lie, and how long its rows are. Small, whatever the
/// matrix is.
struct Pattern {
  Index rows = 0;
  Index columns = 0;
  Index nonzeros = 0;
  Index cells_down = 0;    ///< at most the `most_cells` of pattern_of(), and at most the rows
  Index cells_across = 0;  ///< the same for columns
  /// Non-zeros of cell (i, j) at i * cells_across + j; the cell holds the a_rc with
  /// i = floor(r cells_down / rows), j = floor(c cells_across / columns).
  std::vector<Index> counts;
  /// Rows by length, in the bins of Structure::row_length_histogram.
  std::vector<Index> row_length_histogram;

  bool operator==(const Pattern&) const = default;
};

/// The longer side of the matrix gets `most_cells` cells, the other as many as keep cells square.
/// Cost: one pass over the non-zeros.
Pattern pattern_of(const Csr<double>& matrix, Index most_cells = 96);

/// The pattern of a matrix whose rows and columns are put into another order: row i to
/// row_places[i], column j to column_places[j].
Pattern pattern_of(const Csr<double>& matrix, std::span<const LocalIndex> row_places,
                   std::span<const LocalIndex> column_places, Index most_cells = 96);

}  // namespace spsolve::matrix
