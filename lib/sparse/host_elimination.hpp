#pragma once

#include <memory>
#include <optional>

#include "sparse/elimination.hpp"
#include "sparse/fronts/factors.hpp"
#include "sparse/sweeps/factor_solve.hpp"

namespace spsolve::inline sparse {

/// Sparse elimination by the threads of this process.
template <typename T>
class HostSparseElimination final : public SparseElimination<T> {
 public:
  explicit HostSparseElimination(std::shared_ptr<const SparseAnalysis> analysis);

  void checkpoint_by(FrontCheckpointer* checkpointer) override { checkpointer_ = checkpointer; }
  using SparseElimination<T>::factor;
  PivotCounts factor(Factorization kind, const std::vector<double>& values,
                     const Advance& advance = {}) override;
  const ThresholdOutcome& factor_with_threshold(Factorization kind,
                                                const std::vector<double>& values,
                                                const Advance& advance = {}) override;
  void release_stacks() override {
    if (factors_) factors_->release_stacks();
  }
  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override;
  void solve(bool transposed, const Vectors& b, Vectors& x) override;
  /// x <- A^-1 b or A^-T b for arrays of n x `columns`; x may be b.
  void solve(bool transposed, Index columns, const T* b, T* x);

 private:
  void make_ready(int threads);
  /// Calls work(k K, i K, K) for every position k in the order of elimination and its row i of A,
  /// or its column, where K numbers of vectors of `columns` columns lie.
  template <typename Work>
  void over_rows(LocalIndex n, Index columns, bool rows, int threads, const Work& work) const;

  std::shared_ptr<const SparseAnalysis> analysis_;
  std::optional<SparseFactors<T>> factors_;
  std::optional<ThresholdFactors<T>> threshold_;
  std::optional<FactorSolve<T>> solve_;
  FrontCheckpointer* checkpointer_ = nullptr;
  UntouchedArray<T> in_order_, found_;  // what solves work in
};

}  // namespace spsolve::sparse
