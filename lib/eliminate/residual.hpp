#pragma once

#include <vector>

#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// What backward errors are made of, over some rows of A x = b; vectors have one value for each
/// right-hand side. Every number is infinite or nan where a value is not finite.
struct ResidualNorms {
  std::vector<double> residual;         ///< max |r_i|
  std::vector<double> right_hand_side;  ///< max |b_i|
  std::vector<double> solution;         ///< max |x_i|
  double matrix = 0;                    ///< max over rows of sum over j of |a_ij|
  double componentwise = 0;             ///< max |r_i| / (|A| |x| + |b|)_i, 0 / 0 = 0
};

/// r = b - A x for the rows `mine` of A, which are `band`, into those rows of `residual`; b, x and
/// `residual` are whole, n x K. Products and sums are carried in twice the precision of double
/// (Dekker, 1971; Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26,
/// 2005), so that r has an error of about u |r| + m u^2 (|A| |x| + |b|), m the non-zeros of the
/// row, u = 2^-53: exact to its last bits where b and A x cancel. Cost: 20 flops a non-zero and
/// column.
ResidualNorms residual_of_own_rows(const Csr<double>& band, Range mine, const Dense<double>& b,
                                   const Dense<double>& x, Dense<double>& residual);

/// `scale`, and the largest double where it overflowed: an error relative to it then comes out too
/// large rather than 0.
double finite_bound(double scale);

/// The larger of two, or nan where one is.
double larger(double a, double b);

}  // namespace spsolve
