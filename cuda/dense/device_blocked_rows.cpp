#include "cuda/dense/device_blocked_rows.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "cuda/dense/device_replicated_tail.hpp"
#include "cuda/dense/products/device_blas.hpp"
#include "dense/lu/panel_width.hpp"

namespace spsolve::cuda::inline dense {

namespace {

/// Pieces of the columns: pivot rows of one travel and are solved for during the update of another.
constexpr Index pieces = gpu_tuning.column_pieces;

Index width_of_pieces(Index order, Index max_width) {
  const Index panels = (order + max_width * pieces - 1) / (max_width * pieces);
  return std::max(panels, gpu_tuning.panels_of_piece) * max_width;
}

}  // namespace

template <typename T>
std::int64_t DeviceBlockedRows<T>::bytes(Index height, Index order, Index max_width, int ranks,
                                         Index right_hand_sides, bool refined) {
  const bool alone = ranks == 1;
  const Index pivot_rows = device_stride<T>(order) + (alone ? 0 : device_stride<T>(order) + order);
  const Index values = height * (device_stride<T>(order) + max_width) + max_width * pivot_rows;
  return values * static_cast<std::int64_t>(sizeof(T)) + PanelLu<T>::bytes(height, max_width) +
         InvertedTriangles<T>::bytes(max_width) +
         DeviceBlockedSolution<T>::bytes(height, order, max_width, ranks, right_hand_sides) +
         (alone ? 0 : CandidateMerge<T>::bytes(order, max_width, ranks)) +
         (alone ? 0 : FactorStore<T>::bytes(order, max_width)) +
         (alone ? 0 : DeviceReplicatedTail<T>::bytes(height, order, max_width, refined)) +
         (refined ? TrailingUpdate<T>::bytes({height, order, max_width}) : 0);
}

template <typename T>
DeviceBlockedRows<T>::DeviceBlockedRows(DenseStreams& streams, Index own_rows, Index size,
                                        Index width, bool by_itself, bool refined)
    : Base(own_rows, size, width, by_itself, width_of_pieces(size, width)),
      streams_(streams),
      stride_(device_stride<T>(size)),
      values_(own_rows * stride_),
      scratch_(own_rows * width),
      block_(by_itself ? 0 : width * stride_),
      travel_(by_itself ? 0 : width * size),
      pivot_rows_(width * stride_),
      inverses_(streams.exchange_blas, streams.exchanges, width),
      panel_lu_(own_rows, width),
      merge_(streams, by_itself ? 0 : size, by_itself ? 0 : width, inverses_),
      update_(streams, stride_, refined ? Shape{own_rows, size, width} : Shape{}),
      updated_(static_cast<std::size_t>(size / piece_width() + 1)),
      report_(1),
      report_heard_(1),
      largest_(1),
      largest_heard_(1),
      list_staging_(row_lists * width),
      lists_(row_lists * width),
      swaps_(own_rows, by_itself ? width : 2 * width),  // a team's panel may be elected twice
      panel_swaps_(own_rows, width),
      stored_factors_(size, by_itself ? 0 : width),
      solution_(streams, values_.data(), stride_, size, stored_factors_) {
  if (!by_itself && rest_begins(size, width) < size) {
    tail_ = std::make_unique<DeviceReplicatedTail<T>>(
        streams, typename DeviceReplicatedTail<T>::Own{values_.data(), stride_, own_rows, size},
        width, stored_factors_, refined);
  }
}

template <typename T>
DeviceBlockedRows<T>::~DeviceBlockedRows() = default;

template <typename T>
ReplicatedTail<T>* DeviceBlockedRows<T>::tail() {
  return tail_.get();
}

template <typename T>
std::optional<LuSeconds> DeviceBlockedRows<T>::seconds() const {
  LuSeconds seconds = clock_.seconds();
  if (tail_) seconds += tail_->seconds();
  return seconds;
}

// --- rows that change places

template <typename T>
void DeviceBlockedRows<T>::send_list(std::span<const Index> rows, RowList which,
                                     const Stream& stream) {
  int* const staging = list_staging_.data() + begin_of(which);
  std::copy(rows.begin(), rows.end(), staging);
  CUDA_CHECK(cudaMemcpyAsync(lists_.data() + begin_of(which), staging, rows.size() * sizeof(int),
                             cudaMemcpyHostToDevice, stream.get()));
}

template <typename T>
void DeviceBlockedRows<T>::follow_swaps(Range panel, Range piece) {
  if (!alone()) pivots_applied_.hold(streams_.exchanges);
  const Stream& stream = alone() ? pivot_stream(panel) : streams_.exchanges;
  updated(piece).hold(stream);
  clock_.begin(&LuSeconds::exchange, stream);
  if (piece.first == panel.last) {
    swaps_.set(to_follow_, stream, lifts() ? panel : Range{});
    to_follow_.clear();
  }
  swaps_.apply(values_.data(), stride_, piece, stream, lifts() ? pivot_rows_.data() : nullptr);
  if (piece.last == order()) swaps_.apply(values_.data(), stride_, {0, panel.first}, stream);
  if (alone()) clock_.end(stream);  // in a team, set_pivot_block() ends it
}

template <typename T>
void DeviceBlockedRows<T>::retire(Index first_active, Range panel, std::span<const Index> swaps) {
  std::vector<RowSwap> pairs;
  append_swaps(first_active, swaps, pairs);
  to_follow_.insert(to_follow_.end(), pairs.begin(), pairs.end());
  next_ready_.hold(streams_.panels);
  clock_.begin(&LuSeconds::panel, streams_.panels);
  panel_swaps_.set(pairs, streams_.panels);
  panel_swaps_.apply(values_.data(), stride_, panel, streams_.panels);
  clock_.end(streams_.panels);
}

// --- panels

template <typename T>
void DeviceBlockedRows<T>::start_panel(Range panel, Pivoting pivoting) {
  clock_.begin(&LuSeconds::panel, streams_.panels);
  panel_lu_.start(
      streams_.panel_blas, streams_.panels.get(),
      {at(panel.first, panel.first), stride_, height() - panel.first, panel.size(), pivoting},
      {gpu_tuning.leaves_at_once, &inverses_});
}

template <typename T>
typename PanelLu<T>::Outcome DeviceBlockedRows<T>::finish_panel(std::span<Index> swaps) {
  panel_lu_.go_on();
  clock_.end(streams_.panels);
  return panel_lu_.finish(swaps);
}

template <typename T>
void DeviceBlockedRows<T>::copy_panel(Index first_active, Range panel, T* to, Index stride) {
  const T* const from = at(first_active, panel.first);
  const Index rows = height() - first_active;
  if (!copy_quickly(to, stride, from, stride_, rows, panel.size(), streams_.panels.get())) {
    copy_rows(to, stride, from, stride_, rows, panel.size(), streams_.panels);
  }
}

template <typename T>
void DeviceBlockedRows<T>::begin_panel(Index first_active, Range panel, Pivoting pivoting) {
  const Stream& stream = streams_.panels;
  const Index rows = height() - first_active;
  const Index width = panel.size();
  const bool tournament = pivoting == Pivoting::tournament;
  if (!alone() && !tournament) return;  // pivots are elected without candidates
  // Also where there is nothing to offer: what follows on this stream writes to the factors.
  next_ready_.hold(stream);
  if (rows == 0) return;
  if (alone()) {
    if (tournament) copy_panel(first_active, panel, scratch_.data(), max_width());
    start_panel(panel, pivoting);
  } else {
    clock_.begin(&LuSeconds::panel, stream);
    copy_panel(first_active, panel, scratch_.data(), max_width());
    panel_lu_.start(
        streams_.panel_blas, stream.get(),
        {scratch_.data(), max_width(), rows, std::min(rows, width), Pivoting::tournament});
    clock_.end(stream);
  }
}

template <typename T>
PanelOutcome DeviceBlockedRows<T>::factor_panel(Range panel, Pivoting pivoting) {
  PanelOutcome result;
  result.swaps.resize(static_cast<std::size_t>(panel.size()));
  typename PanelLu<T>::Outcome outcome = finish_panel(result.swaps);
  result.redone = pivoting == Pivoting::tournament &&
                  !(outcome.largest_multiplier <= largest_tournament_multiplier);
  if (result.redone) {
    copy_rows(at(panel.first, panel.first), stride_, scratch_.data(), max_width(),
              height() - panel.first, panel.size(), streams_.panels);
    start_panel(panel, Pivoting::partial);
    outcome = finish_panel(result.swaps);
  }
  for (Index& swap : result.swaps) swap += panel.first;
  append_swaps(panel.first, result.swaps, to_follow_);
  if (outcome.bad_column >= 0) result.bad_column = panel.first + outcome.bad_column;
  return result;
}

template <typename T>
bool DeviceBlockedRows<T>::prefers_all(Range panel) const {
  return order() - panel.first <= gpu_tuning.rows_searched_at_once;
}

template <typename T>
Candidates<T> DeviceBlockedRows<T>::all_candidates(Index first_active, Range panel,
                                                   Index block_rows, int ranks) {
  // Held as in begin_panel().
  next_ready_.hold(streams_.panels);
  Candidates<T> candidates = merge_.room_for(block_rows * panel.size(), ranks);
  if (first_active < height())
    copy_panel(first_active, panel, candidates.mine.data(), panel.size());
  return candidates;
}

template <typename T>
Candidates<T> DeviceBlockedRows<T>::best_candidates(Index first_active, Range panel, int ranks) {
  const Stream& stream = streams_.panels;
  const Index width = panel.size();
  const Index rows = height() - first_active;
  Candidates<T> candidates = merge_.room_for(width * width, ranks);
  if (rows == 0) return candidates;
  std::vector<Index> swaps(static_cast<std::size_t>(std::min(rows, width)));
  panel_lu_.finish(swaps);
  candidates.places = rows_in_front<Index>(first_active, rows, swaps);
  // Their values before the elimination.
  clock_.begin(&LuSeconds::panel, stream);
  send_list(candidates.places, RowList::winners, stream);
  gather_rows(at(0, panel.first), stride_, list(RowList::winners), std::ssize(candidates.places),
              width, candidates.mine.data(), width, stream.get());
  clock_.end(stream);
  return candidates;
}

template <typename T>
void DeviceBlockedRows<T>::start_merge(Index width, Index block_rows, std::span<const T> candidates,
                                       std::span<const Index> counts) {
  clock_.begin(&LuSeconds::panel, streams_.panels);
  merge_.start(width, block_rows, candidates, counts);
}

template <typename T>
void DeviceBlockedRows<T>::finish_merge(Index width, std::span<Index> numbers) {
  merge_.go_on(width);
  clock_.end(streams_.panels);
  merge_.finish(width, numbers);
}

template <typename T>
void DeviceBlockedRows<T>::set_factors(Range, std::span<const T> factors) {
  // Until then the panel before this one needs its own.
  next_ready_.hold(streams_.panels);
  inverses_.forget();
  merge_.set_factors(factors);
}

template <typename T>
double DeviceBlockedRows<T>::form_multipliers(Index first_active, Range panel) {
  const Stream& stream = streams_.panels;
  const Index rows = height() - first_active;
  const Index width = panel.size();
  T* const top = at(first_active, panel.first);
  clock_.begin(&LuSeconds::panel, stream);
  copy_rows(scratch_.data(), width, top, stride_, rows, width, stream);
  CUDA_CHECK(cudaMemsetAsync(report_.data(), 0, sizeof(PanelReport), stream.get()));
  form_multipliers_by_halves(streams_.panel_blas, rows, width, merge_.factors_there(), width, top,
                             stride_, report_.data(), stream.get());
  CUDA_CHECK(cudaMemcpyAsync(report_heard_.data(), report_.data(), sizeof(PanelReport),
                             cudaMemcpyDeviceToHost, stream.get()));
  clock_.end(stream);
  pivots_applied_.record(stream);
  stream.wait();
  return magnitude_of_key(report_heard_.data()->largest_multiplier, T{});
}

template <typename T>
void DeviceBlockedRows<T>::withdraw_multipliers(Index first_active, Range panel) {
  copy_rows(at(first_active, panel.first), stride_, scratch_.data(), panel.size(),
            height() - first_active, panel.size(), streams_.panels);
}

// --- what runs concurrently with what

template <typename T>
bool DeviceBlockedRows<T>::waits_for_panel(Range panel) const {
  // Seconds a column, about, on an H200.
  const auto columns = static_cast<double>(order() - panel.last);
  const double rows = static_cast<double>(height()) / static_cast<double>(order()) * columns;
  const double pivot_search = (alone() ? 0.6e-6 : 3e-6) + 0.27e-9 * rows;
  const double update = 2.0 / 50e12 * rows * columns;
  // The time that an update loses by fewer processors, a concurrent election gains several times.
  return pivot_search > 0.6 * update;
}

template <typename T>
const Stream& DeviceBlockedRows<T>::pivot_stream(Range panel) const {
  return waits_for_panel(panel) ? streams_.updates : streams_.exchanges;
}

template <typename T>
Event& DeviceBlockedRows<T>::updated(Range piece) {
  return updated_[static_cast<std::size_t>(std::max<Index>(piece.last - 1, 0) / piece_width())];
}

// --- pivot rows

template <typename T>
std::span<T> DeviceBlockedRows<T>::pack_rows(Range piece, Index first, Index count, Index place) {
  T* const travel = travel_.data() + max_width() * piece.first;
  copy_rows(travel + place * piece.size(), piece.size(), at(first, piece.first), stride_, count,
            piece.size(), streams_.exchanges);
  return {travel, static_cast<std::size_t>(max_width() * piece.size())};
}

template <typename T>
T* DeviceBlockedRows<T>::pivot_block(Range panel, Index column) {
  return alone() ? at(panel.first, column) : block_.data() + column;
}

template <typename T>
void DeviceBlockedRows<T>::set_pivot_block(Range panel, Range piece,
                                           std::span<const Index> numbers) {
  const Stream& stream = streams_.exchanges;
  const Index width = panel.size();
  if (piece.first == panel.last) {
    copy_rows(pivot_block(panel, panel.first), stride_, merge_.factors_there(), width, width, width,
              stream);
    stored_factors_.store(panel, merge_.factors_there(), width, stream);
    send_list(numbers, RowList::in_block, stream);
  }
  T* const to = by_inverses() ? pivot_rows_.data() + piece.first : pivot_block(panel, piece.first);
  gather_rows<T>(travel_.data() + max_width() * piece.first, piece.size(), list(RowList::in_block),
                 width, piece.size(), to, stride_, stream.get());
  clock_.end(stream);  // what follow_swaps() began
}

template <typename T>
void DeviceBlockedRows<T>::solve_pivot_rows(Range panel, Range piece, std::span<const Index> own,
                                            Index first) {
  const Stream& stream = pivot_stream(panel);
  const bool beside = &stream == &streams_.exchanges;
  if (!beside) wait_for_exchanges();
  clock_.begin(beside ? &LuSeconds::exchange : &LuSeconds::update, stream);
  const CublasHandle& blas = beside ? streams_.exchange_blas : streams_.update_blas;
  const T* const l = pivot_block(panel, panel.first);
  T* const u = pivot_block(panel, piece.first);
  if (by_inverses()) {
    inverses_.solve(blas, stream, piece.size(), l, stride_, pivot_rows_.data() + piece.first, u,
                    stride_);
  } else {
    solve_unit_lower_by_halves(blas, panel.size(), piece.size(), l, stride_, u, stride_,
                               stream.get());
  }
  clock_.end(stream);
  if (!alone()) keep_pivot_rows(panel, piece, own, first);
}

template <typename T>
void DeviceBlockedRows<T>::wait_for_exchanges() {
  piece_ready_.record(streams_.exchanges);
  piece_ready_.hold(streams_.updates);
}

template <typename T>
void DeviceBlockedRows<T>::keep_pivot_rows(Range panel, Range piece, std::span<const Index> numbers,
                                           Index row) {
  const Stream& stream = pivot_stream(panel);
  const bool first = piece.first == panel.last;
  if (first) send_list(numbers, RowList::kept, stream);
  const Range columns{first ? panel.first : piece.first, piece.last};
  gather_rows<T>(pivot_block(panel, columns.first), stride_, list(RowList::kept),
                 static_cast<Index>(numbers.size()), columns.size(), at(row, columns.first),
                 stride_, stream.get());
}

template <typename T>
void DeviceBlockedRows<T>::update(Index first_active, Range panel, Range piece) {
  const bool is_next = piece.first == panel.last;
  wait_for_exchanges();
  clock_.begin(&LuSeconds::update, streams_.updates);
  update_.subtract({height() - first_active, piece.size(), panel.size()},
                   at(first_active, panel.first), pivot_block(panel, piece.first),
                   at(first_active, piece.first), panel.first, !is_next && waits_for_panel(panel));
  clock_.end(streams_.updates);
  if (is_next) next_ready_.record(streams_.updates);
  if (piece.last % piece_width() == 0 || piece.last == order()) {
    updated(piece).record(streams_.updates);
  }
}

SPSOLVE_INSTANTIATE(class DeviceBlockedRows)

}  // namespace spsolve::cuda::dense
