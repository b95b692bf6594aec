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

bool scales_symmetrically(const SparseAnalysis& analysis) {
  return analysis.kind != Factorization::lu;
}

/// Whether values with the factors of the analysis are worth scaling by others.
bool is_worth_it(ScaledValues& values, const SparseAnalysis& analysis, Precision precision) {
  const bool symmetric = scales_symmetrically(analysis);
  values.begin(analysis.row_scale, analysis.column_scale, analysis.weak_from_this().lock());
  values.find_maxima(symmetric);
  const ScaledValues::Spreads spreads = values.spreads();
  return is_worth_it(spreads.rows, precision) ||
         (!symmetric && is_worth_it(spreads.columns, precision));
}

/// Whether values have nothing to do with those that were matched, by whose factors the largest
/// entries of their rows are so far apart.
bool are_others(const ScaledValues::Spread& spread) {
  return spread.least <= 0x1p-20 * spread.most;
}

}  // namespace

bool is_scaled(const Csr<double>& matrix, const SparseAnalysis& analysis, AutoSwitch wanted,
               Precision precision) {
  if (wanted != AutoSwitch::automatic) return wanted == AutoSwitch::on;
  return analysis.is_matched() || is_worth_it(*host_scaled_values(matrix), analysis, precision);
}

void find_scale_factors(ScaledValues& values, const SparseAnalysis& analysis, AutoSwitch wanted,
                        Precision precision, Equilibration& scaling) {
  const bool matched = analysis.is_matched();
  const bool worth_it = is_worth_it(values, analysis, precision);
  scaling.scales = matched || wanted != AutoSwitch::automatic || worth_it;
  if (!scaling.scales) {
    scaling = {};
    return;
  }
  if (analysis.kind == Factorization::cholesky) {
    values.scale_by_diagonal();
  } else if (matched && !worth_it) {
    // By the factors that go with the matching.
  } else if (analysis.kind == Factorization::ldlt) {
    if (matched && are_others(values.spreads().rows)) {
      values.begin({}, {});
      values.find_maxima(true);
    }
    scale_symmetrically(values);
  } else {
    values.scale_rows(false);
    values.find_maxima(false);
    values.scale_columns();
  }
  values.read_factors(scaling);
}

}  // namespace spsolve::sparse
