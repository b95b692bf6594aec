#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sparse/analysis.hpp"
#include "sparse/fronts/factor_solve.hpp"
#include "sparse/fronts/factors.hpp"
#include "sparse/fronts/threshold.hpp"

namespace spsolve {

/// Elimination of one process' sparse matrix by its analysis, for any values of the pattern.
template <typename T>
class SparseElimination {
 public:
  explicit SparseElimination(std::shared_ptr<const SparseAnalysis> analysis);

  /// Factors the matrix with these values, one for each of its entries, of magnitudes up to
  /// about 1. A symmetric kind of factorisation may be another one than that of the analysis.
  /// Pivots that are too small are made larger and counted; a failure is told in the result.
  /// advance(flops) is called once for each front that is done, by whichever thread did it.
  PivotCounts factor(Factorization kind, const std::vector<double>& values,
                     const std::function<void(double)>& advance = {});

  /// The same with threshold pivoting, which looks in whole columns and delays pivots that fail:
  /// for what the pivots of the fronts alone did not do for. kind: ldlt or lu.
  const ThresholdOutcome& factor_with_threshold(Factorization kind,
                                                const std::vector<double>& values,
                                                const std::function<void(double)>& advance = {});

  /// x <- A^-1 b or A^-T b for b of n x `columns`, row-major; b is lost.
  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) const;

  const SparseAnalysis& analysis() const { return *analysis_; }

 private:
  std::shared_ptr<const SparseAnalysis> analysis_;
  std::optional<SparseFactors<T>> factors_;
  std::optional<ThresholdFactors<T>> threshold_;
  std::optional<FactorSolve<T>> solve_;
};

/// What a factorisation of a matrix whose entries are up to about 1 makes of smaller pivots:
/// sqrt(u) for the unit round-off u of T (Li and Demmel 1998).
template <typename T>
PivotRule perturbing_rule();

}  // namespace spsolve
