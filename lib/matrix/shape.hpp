#pragma once

#include "core/types.hpp"

namespace spsolve::inline matrix {

/// The size of a matrix, known before it is read or generated; of a complex one that of its real
/// form (matrix/real_form.hpp), as it is read.
struct MatrixShape {
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;   ///< entries that the reader holds as a list; 0 for generated matrices
  Index nonzeros = 0;  ///< non-zeros after mirroring, at most or as expected
  std::int64_t text_bytes = 0;  ///< of the file that are held while it is read, about
  bool lists_rows = true;       ///< whether each entry is read with its row and column
  Index parts = 1;              ///< rows to a row of the matrix: complex_parts of a real form

  bool is_complex() const { return parts > 1; }
  Index order() const { return rows / parts; }  ///< rows of the matrix itself
};

}  // namespace spsolve::matrix
