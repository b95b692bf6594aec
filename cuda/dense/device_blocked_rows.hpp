#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/dense/device_blocked_solution.hpp"
#include "cuda/dense/factor_store.hpp"
#include "cuda/dense/panel/candidate_merge.hpp"
#include "cuda/dense/panel/inverted_triangles.hpp"
#include "cuda/dense/panel/panel_lu.hpp"
#include "cuda/dense/part_clock.hpp"
#include "cuda/dense/row_swaps.hpp"
#include "cuda/dense/streams/dense_streams.hpp"
#include "cuda/dense/streams/row_kernels.hpp"
#include "cuda/dense/trailing_update.hpp"
#include "dense/lu/blocked_rows.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda::inline dense {

template <typename T>
class DeviceReplicatedTail;

/// BlockedRows in the memory of this rank's GPU: row-major, cuBLAS for the products, panels by
/// PanelLu, looking ahead.
template <typename T>
class DeviceBlockedRows final : public BlockedRows<T> {
 public:
  /// Room for height x order values. `alone` says that no other rank takes part; `refined`, that
  /// update() may be a SplitProduct where T is float.
  DeviceBlockedRows(DenseStreams& streams, Index height, Index order, Index max_width, bool alone,
                    bool refined = false);
  ~DeviceBlockedRows() override;

  /// The dense form of the sparse rows `sparse`, in their order.
  void fill(const Csr<double>& sparse);
  void fill(const CsrView<double>& sparse);  ///< in GPU memory

  /// The rows `row_numbers` of random_dense:ORDER with the generator's key for values, and
  /// `diagonal` added to a_ii.
  void fill_random(std::uint64_t key, double diagonal, const std::vector<Index>& row_numbers);

  /// The values of the height x order matrix `dense` in GPU memory.
  void fill(const double* dense, Index stride);

  /// The rows of a team that lie in bands of `from`, own ones `sparse` in GPU memory, whose column
  /// j is columns[j] of the matrix, as `dealt` has them, in blocks of max_width(). Every rank sends
  /// its rows one block after another, dense. Collective.
  void take(Team& team, const RowLayout& from, const CsrView<double>& sparse,
            const std::vector<LocalIndex>& columns, const RowLayout& dealt);

  /// Room for values that are written by others: height rows of device_stride(order).
  /// note_written() says that they are there.
  std::span<T> room() { return {values_.data(), static_cast<std::size_t>(height() * stride_)}; }
  void note_written();

  /// Bytes of GPU memory that `height` rows of one of `ranks` ranks allocate, and solutions of so
  /// many columns at a time.
  static std::int64_t bytes(Index height, Index order, Index max_width, int ranks,
                            Index right_hand_sides, bool refined = false);

  void begin_panel(Index first_active, Range panel, Pivoting pivoting) override;
  PanelOutcome factor_panel(Range panel, Pivoting pivoting) override;
  bool prefers_all(Range panel) const override;
  Candidates<T> best_candidates(Index first_active, Range panel, int ranks) override;
  Candidates<T> all_candidates(Index first_active, Range panel, Index block_rows,
                               int ranks) override;
  void start_merge(Index width, Index block_rows, std::span<const T> candidates,
                   std::span<const Index> counts) override;
  void finish_merge(Index width, std::span<Index> numbers) override;
  void set_factors(Range panel, std::span<const T> factors) override;
  std::span<const T> factors(Range panel) const override { return merge_.factors(panel.size()); }
  void retire(Index first_active, Range panel, std::span<const Index> swaps) override;
  double form_multipliers(Index first_active, Range panel) override;
  void withdraw_multipliers(Index first_active, Range panel) override;
  void follow_swaps(Range panel, Range piece) override;
  std::span<T> pack_rows(Range piece, Index first, Index count, Index place) override;
  void set_pivot_block(Range panel, Range piece, std::span<const Index> order) override;
  void solve_pivot_rows(Range panel, Range piece, std::span<const Index> own, Index first) override;
  void update(Index first_active, Range panel, Range piece) override;
  ReplicatedTail<T>* tail() override;
  std::vector<T> read(Range rows, Range columns) const override;
  void write_rows(Index first, std::span<const T> values) override;
  double largest_in(Range rows, Range columns, bool upper = false) const override;
  std::vector<T> diagonal() const override;
  std::optional<LuSeconds> seconds() const override;
  BlockedSolution<T>& solution() const override { return solution_; }

 private:
  using Base = BlockedRows<T>;
  using Base::alone;
  using Base::height;
  using Base::max_width;
  using Base::order;
  using Base::piece_width;

  T* at(Index row, Index column) { return values_.data() + row * stride_ + column; }
  const T* at(Index row, Index column) const { return values_.data() + row * stride_ + column; }
  T* pivot_block(Range panel, Index column);

  /// Work that is launched on the stream of updates from now on waits for that of exchanges.
  void wait_for_exchanges();

  /// The event of the last update() of a piece's columns.
  Event& updated(Range piece);

  /// Lists of rows that go to the GPU, by what they are for: none waits for another.
  enum class RowList { winners, in_block, kept };
  static constexpr Index row_lists = 3;
  Index begin_of(RowList which) const { return static_cast<Index>(which) * max_width(); }
  void send_list(std::span<const Index> rows, RowList which, const Stream& stream);
  const int* list(RowList which) const { return lists_.data() + begin_of(which); }

  void start_panel(Range panel, Pivoting pivoting);
  void copy_panel(Index first_active, Range panel, T* to, Index stride);
  typename PanelLu<T>::Outcome finish_panel(std::span<Index> swaps);

  /// Whether pivot rows are solved for by inverses of triangles, from a copy; alone, swaps lift
  /// them there.
  bool by_inverses() const { return inverses_.usable(); }
  bool lifts() const { return alone() && by_inverses(); }

  /// Copies the own ones of the solved pivot rows back: see solve_pivot_rows().
  void keep_pivot_rows(Range panel, Range piece, std::span<const Index> own, Index first);

  /// Whether the step after `panel` is likely to wait for the next panel rather than for its
  /// update; and the stream that works at the pivot rows then.
  bool waits_for_panel(Range panel) const;
  const Stream& pivot_stream(Range panel) const;

  DenseStreams& streams_;
  Index stride_;
  DeviceArray<T> values_;      // height x stride
  DeviceArray<T> scratch_;     // height x max_width: copies of panels
  DeviceArray<T> block_;       // max_width x stride: pivot rows of a team
  DeviceArray<T> travel_;      // max_width x order: rows on their way in a team, piece by piece
  DeviceArray<T> pivot_rows_;  // max_width x stride: before they are solved for by inverses
  InvertedTriangles<T> inverses_;
  PanelLu<T> panel_lu_;
  CandidateMerge<T> merge_;  // of a team
  TrailingUpdate<T> update_;
  PartClock clock_;
  Event next_ready_;                 // the columns of the next panel are up to date
  Event pivots_applied_;             // the panel has its multipliers
  Event piece_ready_;                // a piece of the pivot block
  std::vector<Event> updated_;       // by piece
  DeviceArray<PanelReport> report_;  // of multipliers
  PinnedArray<PanelReport> report_heard_;
  mutable DeviceArray<unsigned long long> largest_;
  mutable PinnedArray<unsigned long long> largest_heard_;

  // Lists of rows: page-locked on the host, and on the GPU.
  PinnedArray<int> list_staging_;
  DeviceArray<int> lists_;
  RowSwaps swaps_;                  // in all columns but the panel's
  RowSwaps panel_swaps_;            // of a team's rows in the panel's columns
  std::vector<RowSwap> to_follow_;  // swaps in the panel that other columns have still to follow

  mutable FactorStore<T> stored_factors_;  // of a team
  mutable DeviceBlockedSolution<T> solution_;
  std::unique_ptr<DeviceReplicatedTail<T>> tail_;  // of a team that has one
};

SPSOLVE_INSTANTIATED(class DeviceBlockedRows)

}  // namespace spsolve::cuda::dense
