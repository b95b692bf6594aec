#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "solve/inverse.hpp"
#include "sparse/analysis/analysis.hpp"
#include "sparse/threshold/threshold.hpp"
#include "sparse/values/scaled_values.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline sparse {

/// Elimination of one process' sparse matrix by its analysis, for any values of the pattern, in the
/// memory of one kind of device.
template <typename T>
class SparseElimination {
 public:
  virtual ~SparseElimination() = default;

  /// From now on `checkpointer` keeps the fronts of factorisations; null: nobody does. Nothing
  /// happens where fronts are not on the host.
  virtual void checkpoint_by(FrontCheckpointer*) {}

  /// Factors the matrix with these values, one for each of its entries, of magnitudes up to
  /// about 1. A symmetric kind of factorisation may be another one than that of the analysis.
  /// Pivots that are too small are made larger and counted; a failure is told in the result.
  /// `advance` hears of each front that is done, from whichever thread did it.
  virtual PivotCounts factor(Factorization kind, const std::vector<double>& values,
                             const Advance& advance) = 0;

  /// Factors the matrix with values that may lie in the memory of the device.
  virtual PivotCounts factor(Factorization kind, ScaledValues& values, const Advance& advance) {
    return factor(kind, values.on_host(), advance);
  }

  /// Factors the matrix with threshold pivoting, which looks in whole columns and delays pivots
  /// that fail: for matrices for which the pivots of the fronts alone did not do. kind: ldlt or lu.
  virtual const ThresholdOutcome& factor_with_threshold(Factorization kind,
                                                        const std::vector<double>& values,
                                                        const Advance& advance) = 0;

  /// Lets go of what fronts were eliminated in, which the next factorisation makes again.
  virtual void release_stacks() {}

  /// Bytes of factors that a device has in host memory, as its own does not hold them.
  virtual std::int64_t host_bytes() const { return 0; }

  /// The regimes of the last factorisation, where a GPU did it.
  virtual std::optional<KernelStatistics> kernel_statistics() const { return {}; }

  /// x <- A^-1 b or A^-T b for b of n x `columns`, row-major, in host memory; b is lost.
  virtual void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) = 0;

  /// x <- A^-1 b or A^-T b for vectors of all rows in the memory of the device.
  virtual void solve(bool transposed, const Vectors& b, Vectors& x) = 0;
};

/// The rule that raises small pivots of a matrix whose entries are up to about 1: to sqrt(u) for
/// the unit round-off u of T (Li and Demmel 1998).
template <typename T>
PivotRule perturbing_rule();

/// The rule that raises small pivots of a matrix with entries up to `largest`.
template <typename T>
PivotRule perturbing_rule(double largest);

}  // namespace spsolve::sparse
