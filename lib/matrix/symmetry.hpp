#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// How far apart a_ij and a_ji may be, in multiples of sqrt(m_i m_j) for the largest magnitudes m
/// of their rows, in a matrix that is symmetric but for the rounding of sums: programs that
/// assemble it add up the terms of a_ij and of a_ji in different orders.
template <typename T>
inline constexpr T rounding_of_mirrors = 16 * std::numeric_limits<T>::epsilon();

/// How the values of mirrored places a_ij and a_ji compare; what is not stored is 0.
enum class Mirrors {
  differ,
  round,  ///< all but for rounding_of_mirrors
  equal
};

/// The facts that decide how a matrix may be eliminated or multiplied by half of its entries.
/// All false where the matrix is not square.
struct SymmetryFacts {
  bool symmetric_pattern = false;  ///< a_ij stored <=> a_ji stored
  bool symmetric = false;          ///< and a_ij = a_ji, without a tolerance
  bool skew_symmetric = false;     ///< or a_ij = -a_ji, likewise
  bool positive_diagonal = false;  ///< a_ii > 0 for all i
  Index zero_diagonals = 0;        ///< i with a_ii zero or not stored; square matrices only
  /// a_ij = a_ji but for rounding_of_mirrors, whatever is stored
  bool nearly_symmetric = false;

  Mirrors mirrors() const {
    return symmetric ? Mirrors::equal : nearly_symmetric ? Mirrors::round : Mirrors::differ;
  }
};

/// Rows of a square matrix that hold their diagonal alone, as programs write boundary conditions
/// into it: a flag for each row, or none where there are no such rows with further entries in their
/// columns. What is left without these rows and columns may be symmetric.
std::vector<char> rows_alone(const Csr<double>& matrix);

/// Looks for the mirror image of every entry below the diagonal, by bisection in its row. Linear in
/// the non-zeros times the logarithm of the row lengths, in threads, without memory; short where
/// mirror images are missing early. Entries in the columns of rows that are `alone`, which may be
/// empty, are not looked at, but for the diagonal.
template <typename T>
SymmetryFacts symmetry_of(const Csr<T>& matrix, const std::vector<char>& alone = {});

/// How the mirrors compare of a matrix with those facts, or else of what is left of it without its
/// rows_alone(). Such a matrix without a symmetric pattern counts as different.
Mirrors mirrors_inside(const Csr<double>& matrix, const SymmetryFacts& facts);

/// a_ij and a_ji where they differ most; a number that is not stored is 0.
struct MirrorPair {
  Index row = 0, column = 0;
  double value = 0, mirror = 0;
};

/// The first such pair in the order of rows, of a square matrix that is not symmetric; of another
/// one a pair of zeros. Costs as much as symmetry_of().
template <typename T>
MirrorPair furthest_from_symmetric(const Csr<T>& matrix);

/// That in words: "a(3, 7) = 1.5 and a(7, 3) = 1.25 (numbered from 1)".
std::string to_text(const MirrorPair& pair);

}  // namespace spsolve::matrix
