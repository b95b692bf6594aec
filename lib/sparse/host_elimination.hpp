#pragma once

#include <memory>
#include <optional>

#include "sparse/elimination.hpp"
#include "sparse/fronts/factors.hpp"
#include "sparse/sweeps/factor_solve.hpp"

namespace spsolve {

/// Sparse elimination by the threads of this process.
template <typename T>
class HostSparseElimination final : public SparseElimination<T> {
 public:
  explicit HostSparseElimination(std::shared_ptr<const SparseAnalysis> analysis);

  PivotCounts factor(Factorization kind, const std::vector<double>& values,
                     const std::function<void(double)>& advance = {}) override;
  const ThresholdOutcome& factor_with_threshold(
      Factorization kind, const std::vector<double>& values,
      const std::function<void(double)>& advance = {}) override;
  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override;
  void solve(bool transposed, const Vectors& b, Vectors& x) override;

 private:
  std::shared_ptr<const SparseAnalysis> analysis_;
  std::optional<SparseFactors<T>> factors_;
  std::optional<ThresholdFactors<T>> threshold_;
  std::optional<FactorSolve<T>> solve_;
};

}  // namespace spsolve
