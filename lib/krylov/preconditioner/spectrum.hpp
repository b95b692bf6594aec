#pragma once

#include "vectors/band_matrix.hpp"

namespace spsolve::inline krylov {

/// |d_i|^-1 for the diagonal of a square matrix, in the memory of its vectors; 1 where d_i = 0.
/// On every rank or none. Collective.
std::unique_ptr<Vectors> inverse_diagonal(BandMatrix& matrix);

/// Estimates the largest eigenvalue of D^-1 A for a symmetric A from 12 steps of Lanczos' method on
/// D^-1/2 A D^-1/2 from a random start, 5 % added as they stay below it; for others, or where that
/// is more, ||D^-1 A|| in the infinity norm, which bounds it. `inverse` is D^-1. Collective.
double largest_eigenvalue(BandMatrix& matrix, const Vectors& inverse, bool symmetric);

}  // namespace spsolve::krylov
