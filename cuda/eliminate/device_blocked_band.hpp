#pragma once

#include <optional>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/eliminate/band_kernels.hpp"
#include "cuda/eliminate/band_streams.hpp"
#include "cuda/eliminate/candidate_stack.hpp"
#include "cuda/eliminate/device_team_solution.hpp"
#include "cuda/eliminate/factor_store.hpp"
#include "cuda/eliminate/panel_lu.hpp"
#include "cuda/eliminate/part_clock.hpp"
#include "cuda/eliminate/row_swaps.hpp"
#include "cuda/eliminate/solutions.hpp"
#include "cuda/eliminate/trailing_update.hpp"
#include "eliminate/blocked_band.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda {

/// A BlockedBand in the memory of this rank's GPU: row-major, cuBLAS for the products, panels by
/// PanelLu, looking ahead.
template <typename T>
class DeviceBlockedBand final : public BlockedBand<T> {
 public:
  using typename BlockedBand<T>::PanelOutcome;

  /// Room for height x order values. `alone` says that no other rank takes part; `refined`, that
  /// update() may be a SplitProduct where T is float.
  DeviceBlockedBand(BandStreams& streams, Index height, Index order, Index max_width, bool alone,
                    bool refined = false);

  /// The dense form of the sparse rows `sparse`, in their order.
  void fill(const Csr<double>& sparse);

  /// The rows `row_numbers` of random_dense:ORDER with the generator's key for values, and
  /// `diagonal` added to a_ii.
  void fill_random(std::uint64_t key, double diagonal, const std::vector<Index>& row_numbers);

  /// The values of the height x order matrix `dense` in GPU memory.
  void fill(const double* dense, Index stride);

  /// Bytes of GPU memory that such a band of one of `ranks` ranks allocates, and its solutions of
  /// so many columns at a time.
  static std::int64_t bytes(Index height, Index order, Index max_width, int ranks,
                            Index right_hand_sides, bool refined = false);

  Index height() const override { return height_; }
  Index order() const override { return order_; }
  Index max_width() const override { return max_width_; }
  bool overlaps() const override { return true; }
  Index piece_width() const override { return piece_width_; }
  void begin_panel(Range panel, Pivoting pivoting) override;
  PanelOutcome factor_panel(Range panel, Pivoting pivoting, std::span<Index> swaps) override;
  void follow_swaps(Range panel, std::span<const Index> swaps, Range piece) override;
  std::span<T> candidate_buffer(Index size) override { return stack_.candidate_buffer(size); }
  void begin_election(Index first_active, Range panel) override;
  std::vector<Index> elect(Index first_active, Range panel, std::span<T> values) override;
  void factor_stack(Index width, std::span<const T> candidates, std::span<const Index> counts,
                    std::span<Index> order) override;
  void set_factors(Range panel, std::span<const T> factors) override;
  std::span<const T> factors(Range panel) const override { return stack_.factors(panel.size()); }
  void write_rows(Index first, Index count, std::span<const T> values) override;
  std::vector<T> panel_values(Range rows, Range panel) const override;
  void retire(Index first_active, Range panel, std::span<const Index> chosen) override;
  double form_multipliers(Index first_active, Range panel) override;
  void withdraw_multipliers(Index first_active, Range panel) override;
  void follow_retired(Range panel, Range piece) override;
  std::span<T> row_buffer(Range piece) override;
  void pack_rows(Index first, Index count, Range piece, std::span<T> packed) override;
  void set_pivot_block(Range panel, Range piece, std::span<const Index> order) override;
  void keep_pivot_rows(Range panel, Range piece, std::span<const Index> order, Index row) override;
  void solve_pivot_rows(Range panel, Range columns) override;
  void update(Index first_active, Range panel, Range columns) override;
  std::optional<LuSeconds> seconds() const override { return clock_.seconds(); }
  double largest_in(Range rows, Range columns) const override;
  double largest_upper() const override;
  std::vector<T> diagonal() const override;
  void solve_unit_lower(std::span<T> x, Index columns) const override;
  void solve_upper(std::span<T> x, Index columns) const override;
  TeamSolution<T>& solution() const override { return team_solution_; }
  void subtract_transposed_product(Range rows, Range panel, std::span<const T> x, std::span<T> c,
                                   Index columns) const override;

 private:
  T* at(Index row, Index column) { return values_.data() + row * stride_ + column; }
  const T* at(Index row, Index column) const { return values_.data() + row * stride_ + column; }
  T* pivot_block(Range panel, Index column);

  /// Swaps rows in a piece; `swaps` tells of them with the first one, and with the last one the
  /// columns before the panel follow. The time of exchanges begins, which the caller ends.
  void swap_in_piece(Range panel, Range piece, std::span<const RowSwap> swaps,
                     const Stream& stream);

  /// What is launched on the stream of updates from now on waits for that of exchanges.
  void wait_for_exchanges();

  /// What was done last in a piece's columns by update().
  Event& updated(Range piece);

  /// Lists of rows that go to the GPU, by what they are for: none waits for another.
  enum class RowList { elected, in_block, kept };
  static constexpr Index row_lists = 3;
  Index begin_of(RowList which) const { return static_cast<Index>(which) * max_width_; }
  void send_list(std::span<const Index> rows, RowList which, const Stream& stream);
  const int* list(RowList which) const { return lists_.data() + begin_of(which); }

  void start_panel(Range panel, Pivoting pivoting);

  /// Whether the step behind `panel` is likely to wait for the next panel rather than for its
  /// update; and what works at the pivot rows then.
  bool waits_for_panel(Range panel) const;
  const Stream& pivot_stream(Range panel) const;

  /// What is done with a matrix that has just come.
  void take_in();

  double read_largest(const T* a, Index stride, Index rows, Index columns, bool upper,
                      const Stream& stream) const;

  BandStreams& streams_;
  Index height_;
  Index order_;
  Index max_width_;
  bool alone_;
  Index stride_;
  DeviceArray<T> values_;   // height x stride
  DeviceArray<T> scratch_;  // height x max_width: copies of panels
  DeviceArray<T> block_;    // max_width x stride: pivot rows of a team
  DeviceArray<T> travel_;   // max_width x order: rows on their way in a team, piece by piece
  PanelLu<T> panel_lu_;
  CandidateStack<T> stack_;  // of a team
  TrailingUpdate<T> update_;
  PartClock clock_;
  Index piece_width_;
  Event next_ready_;                 // the columns of the next panel are up to date
  Event settled_;                    // the panel has its multipliers
  Event piece_ready_;                // a piece of the pivot block
  std::vector<Event> updated_;       // by piece
  DeviceArray<PanelReport> report_;  // of multipliers
  PinnedArray<PanelReport> report_heard_;
  mutable DeviceArray<unsigned long long> largest_;
  mutable PinnedArray<unsigned long long> largest_heard_;

  // Lists of rows: page-locked on the host, and on the GPU.
  PinnedArray<int> list_staging_;
  DeviceArray<int> lists_;
  RowSwaps swaps_;                // in all columns but the panel's
  RowSwaps panel_swaps_;          // of a team's rows in the panel's columns
  std::vector<RowSwap> retired_;  // swaps that other columns than the panel's have still to follow

  mutable FactorStore<T> kept_factors_;  // of a team
  mutable Solutions<T> solutions_;
  mutable DeviceTeamSolution<T> team_solution_;
};

extern template class DeviceBlockedBand<float>;
extern template class DeviceBlockedBand<double>;

}  // namespace spsolve::cuda
