#pragma once

#include <vector>

#include "matrix/csr.hpp"

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

/// |re + i im|, which is finite where both are.
double modulus(double re, double im);

/// The matrix of a real form. Cost: a pass.
ComplexMatrix complex_matrix_of(const Csr<double>& form);

}  // namespace spsolve::sparse
