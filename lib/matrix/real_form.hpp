#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "matrix/coo.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "matrix/shape.hpp"

// The real form of a complex system, of twice its order, which has the same solution.
//
// A = S + iT, n x m, becomes the 2n x 2m matrix in which a_ij = s + it is the block
//
//   [ s  -t ]
//   [ t   s ]
//
// of rows 2i, 2i + 1 and columns 2j, 2j + 1; a vector z becomes re z_0, im z_0, re z_1, ..., as an
// array of complex numbers lies in memory, and a multivector has such columns. The real form of A^H
// is the transpose: that of a Hermitian matrix is symmetric, and as positive definite as A. Every
// block is stored whole, so that the pattern does not depend on values.

namespace spsolve::inline matrix {

/// Real numbers that a complex one is made of: rows of the real form to a row of A.
inline constexpr Index complex_parts = 2;

/// The shape of the real form of a complex matrix of that shape; Error (ExitCode::resources) if it
/// has more rows, columns or entries than can be counted.
MatrixShape of_real_form(MatrixShape shape);

/// The real form of S + iT, whose patterns are equal.
Csr<double> real_form(const Csr<double>& s, const Csr<double>& t);

/// S and T of a real form, whatever signs rows of imaginary parts have.
struct ComplexParts {
  Csr<double> s, t;
};
ComplexParts parts_of(const Csr<double>& form);

/// |s + it| with the pattern of S.
Csr<double> moduli(const ComplexParts& parts);

/// All elements of a matrix; with `parts` = complex_parts of the one whose real form this is, each
/// row as two, of real and of imaginary parts.
Dense<double> all_elements(const Csr<double>& matrix, Index parts);

/// Gives rows of imaginary parts the opposite sign, with which the form of a complex symmetric A is
/// symmetric: of A x = b the same must become of b.
void conjugate_rows(Csr<double>& form);
void conjugate_rows(Dense<double>& b);
/// Likewise for values of a form with these offsets of rows.
void conjugate_rows(std::span<const Index> row_offsets, std::span<double> values);

/// The values of a real form with these offsets of rows, from both parts of each number of A, row
/// after row.
std::vector<double> real_form_values(std::span<const Index> row_offsets,
                                     std::span<const double> parts);

/// Whether rows of imaginary parts of these, which are whole pairs, have the opposite sign: as the
/// first number tells that is not zero. No column is between those of a number.
bool has_conjugate_rows(const Csr<double>& rows);

/// Whether a matrix is the real form of a complex one, as it is or after conjugate_rows().
enum class RealFormKind { none, plain, conjugated };

/// As pattern and values tell: a real matrix is no form but by intention, for blocks are whole.
/// Cost: a pass over a form; of other matrices a few rows.
template <typename T>
RealFormKind real_form_kind(const Csr<T>& matrix);

/// Whether A is equal to A^T or A^H; both where it is real and symmetric.
struct ComplexSymmetry {
  bool symmetric = false, hermitian = false;

  /// Whether the form becomes symmetric by conjugate_rows() and is not yet.
  bool wants_conjugate_rows() const { return symmetric && !hermitian; }

  /// "general", "symmetric" or "Hermitian".
  std::string_view word() const {
    return hermitian ? "Hermitian" : symmetric ? "symmetric" : "general";
  }
};

/// The symmetry of the A of a form. Cost: a pass and a search for each entry below the diagonal; of
/// a matrix that has none much less.
ComplexSymmetry complex_symmetry_of(const Csr<double>& form);

/// Calls emit(row, column, value) for the numbers of the block of an entry, and for those of its
/// mirror where symmetry asks for it.
template <typename Emit>
inline void with_blocks(Symmetry symmetry, Index row, Index column, double s, double t,
                        const Emit& emit) {
  const auto emit_block = [&](Index i, Index j, double re, double im) {
    emit(2 * i, 2 * j, re);
    emit(2 * i, 2 * j + 1, 0 - im);
    emit(2 * i + 1, 2 * j, im);
    emit(2 * i + 1, 2 * j + 1, re);
  };
  emit_block(row, column, s, t);
  if (symmetry == Symmetry::general || row == column) return;
  const bool skew = symmetry == Symmetry::skew_symmetric;
  emit_block(column, row, skew ? -s : s, symmetry == Symmetry::symmetric ? t : -t);
}

/// The 2n x K real form of n x 2K numbers, in which the columns of real and of imaginary parts take
/// turns, and back: both are row-major.
Dense<double> stacked(const Dense<double>& pairs);
Dense<double> in_pairs(const Dense<double>& stacked);

}  // namespace spsolve::matrix
