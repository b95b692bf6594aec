#pragma once

#include "solve/operators/equilibrate.hpp"
#include "solve/operators/options.hpp"
#include "sparse/analysis/analysis.hpp"
#include "sparse/values/scaled_values.hpp"

namespace spsolve::inline sparse {

/// scaling <- factors r_i and c_i, powers of two, that sparse elimination of A wants, n each; none
/// where A is left as it is. Symmetric factorisations get r = c, which bring the largest entry of
/// each row near 1, or the diagonal of a positive definite matrix; LU those of rows and then
/// columns. Where rows were matched it is the factors of that matching (unless values are no longer
/// those that were matched). AutoSwitch::automatic scales where the largest entries of rows differ
/// by a factor of 10 or more, or come near the limits of `precision`. `values` of A come to know
/// these factors. Cost: some passes over A.
void find_scale_factors(ScaledValues& values, const SparseAnalysis& analysis, AutoSwitch wanted,
                        Precision precision, Equilibration& scaling);

/// Whether find_scale_factors() of `matrix` comes to factors. Cost: a pass over A at most.
bool is_scaled(const Csr<double>& matrix, const SparseAnalysis& analysis, AutoSwitch wanted,
               Precision precision);

}  // namespace spsolve::sparse
