#pragma once

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The facts that decide how a matrix may be eliminated or multiplied by half of its entries.
/// Values are compared as they are, without a tolerance; all false where the matrix is not square.
struct SymmetryFacts {
  bool symmetric_pattern = false;  ///< a_ij stored <=> a_ji stored
  bool symmetric = false;          ///< and a_ij = a_ji
  bool skew_symmetric = false;     ///< or a_ij = -a_ji
  bool positive_diagonal = false;  ///< a_ii > 0 for all i
  Index zero_diagonals = 0;        ///< i with a_ii zero or not stored; square matrices only
};

/// Looks for the mirror image of every entry below the diagonal, by bisection in its row. Linear in
/// the non-zeros times the logarithm of the row lengths, in threads, without memory; short where
/// mirror images are missing early.
template <typename T>
SymmetryFacts symmetry_of(const Csr<T>& matrix);

}  // namespace spsolve::matrix
