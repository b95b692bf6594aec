#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/untouched_array.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"
#include "sparse/fronts/contribution_stacks.hpp"
#include "sparse/fronts/front.hpp"
#include "sparse/fronts/front_entries.hpp"
#include "sparse/fronts/fronts.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

/// A front of finished factors, as solves read it: e pivots and a border of m rows below them.
/// Rows and columns are named by their positions in the order of elimination.
template <typename T>
struct FactoredFront {
  LocalIndex pivots = 0;
  LocalIndex border = 0;
  const T* lower = nullptr;             ///< (e + m) x e: L, and U11 or D on and above the diagonal
  Index ld = 0;                         ///< of lower
  const T* upper = nullptr;             ///< m x e: U12^T; LU only
  Index ldu = 0;                        ///< of upper
  const LocalIndex* rows = nullptr;     ///< of the pivots
  const LocalIndex* columns = nullptr;  ///< of the pivots
  const LocalIndex* border_rows = nullptr;
  const LocalIndex* border_columns = nullptr;
  const T* off_diagonal = nullptr;  ///< of D; LDL^T only
};

/// Factors of a sparse matrix by the multifrontal method (Duff and Reid 1983; Liu 1992): L L^T,
/// L D L^T or P L U with pivots from the fronts' own rows only. Keeps its memory from one
/// factorisation to the next. The same bits for any number of threads.
template <typename T>
class SparseFactors final : public CheckpointableFronts {
 public:
  SparseFactors(const Fronts& fronts, Factorization kind, int threads);
  ~SparseFactors() override;

  /// Factors the matrix with these values, one for each entry of A. `advance` is called with the
  /// flops of each piece of work, by any thread. The result names a failure by the position of the
  /// pivot; then there are no factors. With a `checkpointer` it goes on from the state that this
  /// has. Cost: flops of the fronts. Throws std::bad_alloc.
  PivotCounts factor(const FrontEntries& entries, const std::vector<double>& values,
                     const PivotRule& rule, const Advance& advance = {},
                     FrontCheckpointer* checkpointer = nullptr);

  Factorization kind() const { return kind_; }
  const Fronts& fronts() const { return fronts_; }
  FactoredFront<T> front(LocalIndex s) const;

  /// The contribution block of a front without a parent here, but with a border (BorderBlock);
  /// until it is released, or factor() is called again.
  const T* root_contribution(LocalIndex s) const { return stacks_.of(s); }
  void release(LocalIndex s) { stacks_.release(s); }

  /// Lets go of the stacks, which factor() makes again.
  void release_stacks();

  bool is_done(LocalIndex s) const override { return done_[s] != 0; }
  bool name(LocalIndex s, bool waits, SectionBytes& bytes) override;
  void release_contribution(LocalIndex s) override { release(s); }
  bool name_totals(SectionBytes& bytes) override;
  std::int64_t bytes_of(LocalIndex s) const override;
  std::int64_t contribution_bytes(LocalIndex s) const override;

 private:
  void eliminate(LocalIndex s, const FrontEntries& entries, const std::vector<double>& values,
                 const PivotRule& rule, const Tiles& tiles, int lane);
  void assemble(const Front<T>& front, LocalIndex s, const FrontEntries& entries,
                const std::vector<double>& values, const Tiles& tiles) const;
  void add_children_to_border(const Front<T>& front, LocalIndex s, Index begin, Index end) const;

  const Fronts& fronts_;
  Factorization kind_;
  Schedule schedule_;
  std::vector<Index> offsets_;  // of each front's lower in factors_
  UntouchedArray<T> factors_;
  std::vector<LocalIndex> rows_;      // of each pivot
  std::vector<LocalIndex> in_order_;  // 0, 1, ...: columns of the pivots of LU
  std::vector<T> off_diagonal_;
  ContributionStacks<T> stacks_;
  std::vector<char> done_;           // each front
  std::vector<PivotCounts> counts_;  // of the lanes, and of what was taken back
};

}  // namespace spsolve::sparse
