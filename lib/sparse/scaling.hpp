#pragma once

#include "matrix/csr.hpp"
#include "solve/equilibrate.hpp"
#include "solve/options.hpp"
#include "sparse/analysis/analysis.hpp"

namespace spsolve {

/// scaling <- factors r_i and c_i, powers of two, that sparse elimination of A wants, n each; none
/// where A is left as it is. Symmetric factorisations get r = c, which bring the largest entry of
/// each row near 1, or the diagonal of a positive definite matrix; LU those of its matching, or of
/// rows and then columns where there is none (or where values are no longer those that were
/// matched). AutoSwitch::automatic scales where the largest entries of rows differ by a factor of
/// 10 or more, or come near the limits of `precision`. Cost: some passes over A.
void find_scale_factors(const Csr<double>& matrix, const SparseAnalysis& analysis,
                        AutoSwitch wanted, Precision precision, Equilibration& scaling);

/// The largest magnitude of these values; infinite where one is not a finite number.
double largest_magnitude(const std::vector<double>& values);

}  // namespace spsolve
