#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/untouched_array.hpp"
#include "sparse/analysis/analysis.hpp"
#include "sparse/sweeps/factor_solve.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline sparse {

/// Brings right-hand sides into the order of elimination, and solutions back into that of A, where
/// one process has all factors of A.
template <typename T>
class RowOrder {
 public:
  /// `in_place`: whether rows and columns of all pivots are their front's own, so that what is
  /// found takes the place of what it was found from: of all factors but those with delayed pivots.
  RowOrder(std::shared_ptr<const SparseAnalysis> analysis, bool in_place)
      : analysis_(std::move(analysis)), in_place_(in_place) {}

  /// Makes room for solves of one column, and touches it.
  void make_ready(int threads);

  /// x <- A^-1 b or A^-H b for arrays of n x `columns`, by these factors; x may be b. `step`: that
  /// alone; what comes between the steps has the places of A's columns, or of its rows if it is
  /// transposed.
  void solve(const FactorSolve<T>& factors, bool transposed, Index columns, const T* b, T* x,
             std::optional<Substitution> step = {});

  /// Solves for vectors of all rows, in any memory; of a complex A of those of its real form.
  void solve(const FactorSolve<T>& factors, bool transposed, const Vectors& b, Vectors& x,
             std::optional<Substitution> step = {});

 private:
  /// Calls work(k K, i K, K) for every position k in the order of elimination and its row i of A,
  /// or its column, where K numbers of vectors of `columns` columns lie.
  template <typename Work>
  void over_rows(LocalIndex n, Index columns, bool rows, int threads, const Work& work) const;

  std::shared_ptr<const SparseAnalysis> analysis_;
  bool in_place_;
  UntouchedArray<T> in_order_, found_;  // what solves work in
};

}  // namespace spsolve::sparse
