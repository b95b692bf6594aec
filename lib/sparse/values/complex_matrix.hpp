#pragma once

#include <vector>

#include "matrix/csr.hpp"
#include "matrix/symmetry.hpp"

namespace spsolve::inline sparse {

/// A complex matrix as its elimination takes it: everything but the elimination itself asks for
/// magnitudes alone.
struct ComplexMatrix {
  Csr<double> moduli;          ///< |a_ij|
  std::vector<double> values;  ///< re a_ij and im a_ij of each entry
  /// Whether rows of imaginary parts of its real form had the opposite sign; see conjugate_rows().
  bool conjugates = false;

  /// The entries of `kept`, whose pattern may lack some of these, which are lost, and may have
  /// others, which are zero.
  void take_only(Csr<double> kept);
};

/// The matrix of a real form. Cost: a pass.
ComplexMatrix complex_matrix_of(const Csr<double>& form);

/// Of a matrix whose real form is symmetric without a tolerance, as the form says whether that is
/// A = A^T or A = A^H, the facts of the form; of others none. Cost: a search for each number below
/// the diagonal, a quarter of those of symmetry_of() for the form.
SymmetryFacts exact_symmetry_of(const ComplexMatrix& matrix);

}  // namespace spsolve::sparse
