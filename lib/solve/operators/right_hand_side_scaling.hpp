#pragma once

#include <vector>

#include "solve/operators/system_matrix.hpp"

namespace spsolve::inline solve {

/// The power of two that brings `size` to about 2^exponent where it is farther than 2^200 from 1,
/// so that its square, or its product with 2^-53 and the entries of a matrix, would vanish or
/// overflow; 1 for others, for 0 and for values that are not finite. Between 2^-1022 and 2^1022, as
/// its inverse is.
double right_hand_side_scale(double size, int exponent = 0);

/// right_hand_side_scale() for every column of b, the right-hand sides of A x = b, so that neither
/// b nor x, nor the terms a_ij x_j and their rounding errors, come near the limits of double if
/// there is any way: b near 1, but near ||A|| 2^900 and ||A|| 2^-900 where A itself is beyond.
/// Nothing of b is lost: it is made smaller as far as its smallest element stays above 2^-860.
/// Collective.
std::vector<double> right_hand_side_scales(const SystemMatrix& matrix, const Vectors& b);

/// Whether any of these is not 1.
bool any_scales(const std::vector<double>& factors);

/// The inverses of powers of two.
std::vector<double> inverses_of(const std::vector<double>& factors);

}  // namespace spsolve::solve
