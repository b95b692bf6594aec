#pragma once

#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// Rows that look as those of discrete elliptic operators do: a_ii > 0 and
/// a_ii >= dominance sum over j /= i of |a_ij|; of -A where so asked.
struct EllipticRows {
  Index count = 0;
  bool positive = true;  ///< whether a_ii > 0 in all rows
};

/// Counts such rows of a square matrix, or of a rank's rows of one whose column i is that of the
/// diagonal entry of its row i. `sign`: 1, or -1 for those of -A. In threads.
EllipticRows elliptic_rows(const Csr<double>& rows, double dominance, double sign = 1);

}  // namespace spsolve::matrix
