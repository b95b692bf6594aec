#include "sparse/values/scaling.hpp"

namespace spsolve::inline sparse {

namespace {

/// Whether the largest entries of rows lie far apart, or near where `precision` ends.
bool is_worth_it(const ScaledValues::Spread& spread, Precision precision) {
  const double range = precision == Precision::float64 ? 0x1p900 : 0x1p60;
  return spread.least <= 0.1 * spread.most || spread.most > range || spread.most < 1 / range;
}

/// Three rounds of Ruiz' scaling in the maximum norm (2001), which keeps symmetric matrices
/// symmetric; maxima of the first round are known.
void scale_symmetrically(ScaledValues& values) {
  for (int round = 0; round < 3; ++round) {
    if (round > 0) values.find_maxima(true);
    values.scale_rows(true);
  }
}

}  // namespace

void find_scale_factors(ScaledValues& values, const SparseAnalysis& analysis, AutoSwitch wanted,
                        Precision precision, Equilibration& scaling) {
  const bool matched = !analysis.row_scale.empty();
  const bool symmetric = analysis.kind != Factorization::lu && !matched;
  values.begin(analysis.row_scale, analysis.column_scale);
  values.find_maxima(symmetric);
  const ScaledValues::Spreads spreads = values.spreads();
  const bool worth_it = is_worth_it(spreads.rows, precision) ||
                        (!symmetric && is_worth_it(spreads.columns, precision));
  scaling.scales = matched || wanted != AutoSwitch::automatic || worth_it;
  if (!scaling.scales) {
    scaling = {};
    return;
  }
  if (analysis.kind == Factorization::cholesky) {
    values.scale_by_diagonal();
  } else if (analysis.kind == Factorization::ldlt) {
    scale_symmetrically(values);
  } else if (!matched || worth_it) {
    values.scale_rows(false);
    values.find_maxima(false);
    values.scale_columns();
  }
  values.read_factors(scaling);
}

}  // namespace spsolve::sparse
