#pragma once

#include "dense/lu/blocked_rows.hpp"
#include "dense/lu/host_blocked_solution.hpp"
#include "dense/state/fill_rows.hpp"
#include "dense/state/swaps.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline dense {

/// BlockedRows in host memory: row-major, BLAS for the products, LAPACK for the panel.
template <typename T>
class HostBlockedRows : public BlockedRows<T> {
 public:
  /// The dense form of the sparse rows `sparse`, in their order. `alone` says that no other rank
  /// takes part. Nothing overlaps, but columns are worked on in pieces of `piece_width`, the next
  /// panel's first, as if it did, where that is not 0. Throws std::bad_alloc where the memory isn't
  /// there.
  HostBlockedRows(const ScaledRows& sparse, Index max_width, bool alone, Index piece_width = 0);

  /// Bytes that `height` rows of one of `ranks` ranks allocate, candidates for pivots included.
  static std::int64_t bytes(Index height, Index order, Index max_width, int ranks);

  void begin_panel(Index, Range, Pivoting) override {}
  PanelOutcome factor_panel(Range panel, Pivoting pivoting) override;
  Candidates<T> best_candidates(Index first_active, Range panel, int ranks) override;
  Candidates<T> all_candidates(Index first_active, Range panel, Index block_rows,
                               int ranks) override;
  void start_merge(Index width, Index block_rows, std::span<const T> candidates,
                   std::span<const Index> counts) override;
  void finish_merge(Index width, std::span<Index> numbers) override;
  void set_factors(Range panel, std::span<const T> factors) override;
  std::span<const T> factors(Range) const override { return factors_; }
  void retire(Index first_active, Range panel, std::span<const Index> swaps) override;
  double form_multipliers(Index first_active, Range panel) override;
  void withdraw_multipliers(Index first_active, Range panel) override;
  void follow_swaps(Range panel, Range piece) override;
  std::span<T> pack_rows(Range piece, Index first, Index count, Index place) override;
  void set_pivot_block(Range panel, Range piece, std::span<const Index> order) override;
  void solve_pivot_rows(Range panel, Range piece, std::span<const Index> own, Index first) override;
  void update(Index first_active, Range panel, Range piece) override;
  std::vector<T> read(Range rows, Range columns) const override;
  void write_rows(Index first, std::span<const T> values) override;
  double largest_in(Range rows, Range columns, bool upper = false) const override;
  std::vector<T> diagonal() const override;
  BlockedSolution<T>& solution() const override { return solution_; }

 private:
  using Base = BlockedRows<T>;
  using Base::alone;
  using Base::height;
  using Base::max_width;
  using Base::order;

  T* row(Index i) { return values_.data() + i * stride_; }
  const T* row(Index i) const { return values_.data() + i * stride_; }

  /// The pivot block's element in its first row and column `column`, and its leading dimension.
  T* pivot_block(Range panel, Index column);
  Index pivot_stride(Range panel) const;

  // Both swap rows in the panel; PanelOutcome::bad_column counts from the panel's first.
  PanelOutcome factor_with_pivoting(Range panel);
  PanelOutcome factor_without_pivoting(Range panel);

  /// Room for the candidates of this rank and of all.
  Candidates<T> room_for(Index values_of_rank, int ranks);

  Index stride_;
  RawArray<T> values_;             // height x stride
  RawArray<T> scratch_;            // height x max_width: panel copies
  RawArray<T> block_;              // max_width x order: pivot rows of a team
  RawArray<T> travel_;             // max_width x order: rows on their way in a team
  std::vector<T> candidates_;      // on their way
  std::vector<T> merged_;          // of candidates
  std::vector<T> factors_;         // L and U of the panel's pivots
  std::vector<T> former_factors_;  // of the panel before
  std::vector<RowSwap> swaps_;     // that other columns than the panel's have still to follow
  mutable HostBlockedSolution<T> solution_;
};

SPSOLVE_INSTANTIATED(class HostBlockedRows)

}  // namespace spsolve::dense
