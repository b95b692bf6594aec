#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/untouched_array.hpp"
#include "sparse/fronts/ancestor_updates.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"
#include "sparse/fronts/contribution_stacks.hpp"
#include "sparse/fronts/front.hpp"
#include "sparse/fronts/front_entries.hpp"
#include "sparse/fronts/fronts.hpp"
#include "sparse/fronts/schedule.hpp"
#include "sparse/store/factor_store.hpp"

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
/// factorisation to the next. Fronts with large blocks pass none up: they update all their
/// ancestors directly, which are there from the beginning. The same bits for any number of threads,
/// and any bound on what waits for parents.
template <typename T>
class SparseFactors final : public CheckpointableFronts {
 public:
  SparseFactors(const Fronts& fronts, Factorization kind, int threads,
                const StackBound& bound = {});
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
  /// The file that the factors are in; null: they are in memory.
  const FactorStore* store() const { return store_.get(); }

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
  /// What eliminates a front: the thread, and the subtree of the schedule, if any.
  struct Place {
    int lane = 0;
    std::size_t subtree = 0;
  };

  Front<T> front_of(LocalIndex s);
  void eliminate(LocalIndex s, const FrontEntries& entries, const std::vector<double>& values,
                 const PivotRule& rule, const Tiles& tiles, const Place& place);
  void begin_direct_fronts(const FrontEntries& entries, const std::vector<double>& values);
  void add_to_ancestors(LocalIndex s, const Tiles& tiles);
  void put(LocalIndex first, LocalIndex last) const;
  void set_entries(const Front<T>& front, LocalIndex s, const FrontEntries& entries,
                   const std::vector<double>& values, const Tiles& tiles) const;
  void add_children(const Front<T>& front, LocalIndex s, const Tiles& tiles) const;
  void add_children_to_border(const Front<T>& front, LocalIndex s, Index begin, Index end) const;

  const Fronts& fronts_;
  Factorization kind_;
  Schedule schedule_;
  std::vector<Index> offsets_;  // of each front's lower in factors_
  UntouchedArray<T> factors_;
  std::unique_ptr<FactorStore> store_;
  std::vector<LocalIndex>
      not_put_;                   // the first front of each lane whose factors are not in the file
  std::vector<LocalIndex> rows_;  // of each pivot
  std::vector<LocalIndex> in_order_;  // 0, 1, ...: columns of the pivots of LU
  std::vector<T> off_diagonal_;
  ContributionStacks<T> stacks_;
  AncestorUpdates<T> updates_;
  std::vector<char> done_;           // each front
  std::vector<char> added_;          // each front: its block was added to all its ancestors
  std::vector<PivotCounts> counts_;  // of the lanes, and of what was taken back
};

}  // namespace spsolve::sparse
