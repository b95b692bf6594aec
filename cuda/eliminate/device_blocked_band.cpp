#include "cuda/eliminate/device_blocked_band.hpp"

#include <algorithm>

#include "cuda/eliminate/device_blas.hpp"

namespace spsolve::cuda {

namespace {

/// Pieces of the columns: pivot rows of one travel and are solved for beside the update of another.
/// Not less than so many panels, since a piece takes two dozen launches.
constexpr Index pieces = 4;
constexpr Index panels_of_piece = 24;

Index width_of_pieces(Index order, Index max_width) {
  const Index panels = (order + max_width * pieces - 1) / (max_width * pieces);
  return std::max(panels, panels_of_piece) * max_width;
}

}  // namespace

template <typename T>
std::int64_t DeviceBlockedBand<T>::bytes(Index height, Index order, Index max_width, int ranks,
                                         Index right_hand_sides, bool refined) {
  const bool alone = ranks == 1;
  const Index values = height * (device_stride<T>(order) + max_width) +
                       (alone ? 0 : max_width * (device_stride<T>(order) + order));
  return values * static_cast<std::int64_t>(sizeof(T)) + PanelLu<T>::bytes(height, max_width) +
         Solutions<T>::bytes(height, max_width, right_hand_sides) +
         (alone ? 0
                : CandidateStack<T>::bytes(max_width, ranks) +
                      FactorStore<T>::bytes(order, max_width) +
                      DeviceTeamSolution<T>::bytes(height, order, max_width, ranks,
                                                   right_hand_sides)) +
         (refined ? TrailingUpdate<T>::bytes({height, order, max_width}) : 0);
}

template <typename T>
DeviceBlockedBand<T>::DeviceBlockedBand(BandStreams& streams, Index height, Index order,
                                        Index max_width, bool alone, bool refined)
    : streams_(streams),
      height_(height),
      order_(order),
      max_width_(max_width),
      alone_(alone),
      stride_(device_stride<T>(order)),
      values_(height * stride_),
      scratch_(height * max_width),
      block_(alone ? 0 : max_width * stride_),
      travel_(alone ? 0 : max_width * order),
      panel_lu_(height, max_width),
      stack_(streams, alone ? 0 : max_width),
      update_(streams, stride_, refined ? Shape{height, order, max_width} : Shape{}),
      piece_width_(width_of_pieces(order, max_width)),
      updated_(static_cast<std::size_t>(order / piece_width_ + 1)),
      report_(1),
      report_heard_(1),
      largest_(1),
      largest_heard_(1),
      list_staging_(row_lists * max_width),
      lists_(row_lists * max_width),
      swaps_(height, alone ? max_width : 2 * max_width),  // a team's panel may be elected twice
      panel_swaps_(height, max_width),
      kept_factors_(order, alone ? 0 : max_width),
      solutions_(streams, stride_),
      team_solution_(streams, values_.data(), stride_, kept_factors_) {}

template <typename T>
void DeviceBlockedBand<T>::fill(const Csr<double>& sparse) {
  fill_dense_rows(sparse, values_, stride_, streams_.updates.get());
  take_in();
}

template <typename T>
void DeviceBlockedBand<T>::fill_random(std::uint64_t key, double diagonal,
                                       const std::vector<Index>& row_numbers) {
  const DeviceArray<Index> rows(row_numbers);
  cuda::fill_random(key, diagonal, rows.data(), height_, order_, values_.data(), stride_,
                    streams_.updates.get());
  take_in();
}

template <typename T>
void DeviceBlockedBand<T>::fill(const double* dense, Index stride) {
  convert_rows(dense, stride, height_, order_, values_.data(), stride_, streams_.updates.get());
  take_in();
}

template <typename T>
void DeviceBlockedBand<T>::take_in() {
  if (update_.splits()) update_.restart(largest_in({0, height_}, {0, order_}));
  streams_.updates.wait();
}

// --- rows that change places

template <typename T>
void DeviceBlockedBand<T>::send_list(std::span<const Index> rows, RowList which,
                                     const Stream& stream) {
  int* const staging = list_staging_.data() + begin_of(which);
  std::copy(rows.begin(), rows.end(), staging);
  CUDA_CHECK(cudaMemcpyAsync(lists_.data() + begin_of(which), staging, rows.size() * sizeof(int),
                             cudaMemcpyHostToDevice, stream.get()));
}

template <typename T>
void DeviceBlockedBand<T>::swap_in_piece(Range panel, Range piece, std::span<const RowSwap> swaps,
                                         const Stream& stream) {
  updated(piece).hold(stream);
  clock_.begin(&LuSeconds::exchange, stream);
  if (piece.first == panel.last) swaps_.set(swaps, stream);
  swaps_.apply(values_.data(), stride_, piece, stream);
  if (piece.last == order_) swaps_.apply(values_.data(), stride_, {0, panel.first}, stream);
}

template <typename T>
void DeviceBlockedBand<T>::follow_swaps(Range panel, std::span<const Index> swaps, Range piece) {
  std::vector<RowSwap> pairs;
  for (Index i = 0; i < panel.size(); ++i) pairs.push_back({panel.first + i, swaps[i]});
  swap_in_piece(panel, piece, pairs, pivot_stream(panel));
  clock_.end(pivot_stream(panel));
}

template <typename T>
void DeviceBlockedBand<T>::retire(Index first_active, Range panel, std::span<const Index> chosen) {
  std::vector<RowSwap> pairs;
  Index place = first_active;
  for (const Index other : swaps_to_front(first_active, chosen)) pairs.push_back({place++, other});
  retired_.insert(retired_.end(), pairs.begin(), pairs.end());
  next_ready_.hold(streams_.panels);
  clock_.begin(&LuSeconds::panel, streams_.panels);
  panel_swaps_.set(pairs, streams_.panels);
  panel_swaps_.apply(values_.data(), stride_, panel, streams_.panels);
  clock_.end(streams_.panels);
}

// --- panels

template <typename T>
void DeviceBlockedBand<T>::start_panel(Range panel, Pivoting pivoting) {
  panel_lu_.start(streams_.panel_blas, streams_.panels.get(), at(panel.first, panel.first), stride_,
                  height_ - panel.first, panel.size(), pivoting);
}

template <typename T>
void DeviceBlockedBand<T>::begin_panel(Range panel, Pivoting pivoting) {
  const Stream& stream = streams_.panels;
  next_ready_.hold(stream);
  if (pivoting == Pivoting::tournament) {
    copy_rows(scratch_.data(), max_width_, at(panel.first, panel.first), stride_,
              height_ - panel.first, panel.size(), stream);
  }
  clock_.begin(&LuSeconds::panel, stream);
  start_panel(panel, pivoting);
  clock_.end(stream);
}

template <typename T>
typename BlockedBand<T>::PanelOutcome DeviceBlockedBand<T>::factor_panel(Range panel,
                                                                         Pivoting pivoting,
                                                                         std::span<Index> swaps) {
  const Stream& stream = streams_.panels;
  typename PanelLu<T>::Outcome outcome = panel_lu_.finish(swaps);
  const bool redo = pivoting == Pivoting::tournament &&
                    !(outcome.largest_multiplier <= largest_tournament_multiplier);
  if (redo) {
    clock_.begin(&LuSeconds::panel, stream);
    copy_rows(at(panel.first, panel.first), stride_, scratch_.data(), max_width_,
              height_ - panel.first, panel.size(), stream);
    start_panel(panel, Pivoting::partial);
    clock_.end(stream);
    outcome = panel_lu_.finish(swaps);
  }
  for (Index& swap : swaps) swap += panel.first;
  return {outcome.bad_column < 0 ? -1 : panel.first + outcome.bad_column, redo};
}

template <typename T>
void DeviceBlockedBand<T>::begin_election(Index first_active, Range panel) {
  const Stream& stream = streams_.panels;
  const Index rows = height_ - first_active;
  const Index width = panel.size();
  // Also where there is nothing to offer: what follows on this stream writes to the factors.
  next_ready_.hold(stream);
  if (rows == 0) return;
  clock_.begin(&LuSeconds::panel, stream);
  copy_rows(scratch_.data(), max_width_, at(first_active, panel.first), stride_, rows, width,
            stream);
  panel_lu_.start(streams_.panel_blas, stream.get(), scratch_.data(), max_width_, rows,
                  std::min(rows, width), Pivoting::tournament);
  clock_.end(stream);
}

template <typename T>
std::vector<Index> DeviceBlockedBand<T>::elect(Index first_active, Range panel,
                                               std::span<T> values) {
  const Stream& stream = streams_.panels;
  const Index width = panel.size();
  const Index offered = std::min(height_ - first_active, width);
  std::vector<Index> chosen;
  if (offered > 0) {
    std::vector<Index> swaps(static_cast<std::size_t>(offered));
    panel_lu_.finish(swaps);
    chosen = rows_in_front<Index>(first_active, height_ - first_active, swaps);
    // Their values before the elimination.
    clock_.begin(&LuSeconds::panel, stream);
    send_list(chosen, RowList::elected, stream);
    gather_rows(at(0, panel.first), stride_, list(RowList::elected), offered, width, values.data(),
                width, stream.get());
    clock_.end(stream);
  }
  return chosen;
}

template <typename T>
void DeviceBlockedBand<T>::factor_stack(Index width, std::span<const T> candidates,
                                        std::span<const Index> counts, std::span<Index> order) {
  clock_.begin(&LuSeconds::panel, streams_.panels);
  stack_.start(width, candidates, counts);
  clock_.end(streams_.panels);
  stack_.finish(width, order);
}

template <typename T>
void DeviceBlockedBand<T>::set_factors(Range, std::span<const T> factors) {
  // Until then the panel before this one needs its own.
  next_ready_.hold(streams_.panels);
  stack_.set_factors(factors);
}

template <typename T>
std::vector<T> DeviceBlockedBand<T>::panel_values(Range rows, Range panel) const {
  std::vector<T> values(static_cast<std::size_t>(rows.size() * panel.size()));
  streams_.updates.wait();
  streams_.panels.wait();
  download_rows(std::span(values), at(rows.first, panel.first), stride_, rows.size(), panel.size());
  return values;
}

template <typename T>
void DeviceBlockedBand<T>::write_rows(Index first, Index count, std::span<const T> values) {
  streams_.updates.wait();
  upload_rows(at(first, 0), stride_, values, count, order_);
}

template <typename T>
double DeviceBlockedBand<T>::form_multipliers(Index first_active, Range panel) {
  const Stream& stream = streams_.panels;
  const Index rows = height_ - first_active;
  const Index width = panel.size();
  T* const top = at(first_active, panel.first);
  clock_.begin(&LuSeconds::panel, stream);
  copy_rows(scratch_.data(), width, top, stride_, rows, width, stream);
  CUDA_CHECK(cudaMemsetAsync(report_.data(), 0, sizeof(PanelReport), stream.get()));
  form_multipliers_by_halves(streams_.panel_blas, rows, width, stack_.factors_there(), width, top,
                             stride_, report_.data(), stream.get());
  CUDA_CHECK(cudaMemcpyAsync(report_heard_.data(), report_.data(), sizeof(PanelReport),
                             cudaMemcpyDeviceToHost, stream.get()));
  clock_.end(stream);
  settled_.record(stream);
  stream.wait();
  return magnitude_of_key(report_heard_.data()->largest_multiplier, T{});
}

template <typename T>
void DeviceBlockedBand<T>::withdraw_multipliers(Index first_active, Range panel) {
  copy_rows(at(first_active, panel.first), stride_, scratch_.data(), panel.size(),
            height_ - first_active, panel.size(), streams_.panels);
}

// --- what goes on beside what

template <typename T>
bool DeviceBlockedBand<T>::waits_for_panel(Range panel) const {
  // Seconds a column, about, on an H200.
  const auto columns = static_cast<double>(order_ - panel.last);
  const double rows = static_cast<double>(height_) / static_cast<double>(order_) * columns;
  const double election = (alone_ ? 0.6e-6 : 3e-6) + 0.27e-9 * rows;
  const double update = 2.0 / 50e12 * rows * columns;
  // What an update loses by fewer processors, an election beside it gains several times.
  return election > 0.6 * update;
}

template <typename T>
const Stream& DeviceBlockedBand<T>::pivot_stream(Range panel) const {
  return waits_for_panel(panel) ? streams_.updates : streams_.exchanges;
}

template <typename T>
Event& DeviceBlockedBand<T>::updated(Range piece) {
  return updated_[static_cast<std::size_t>(std::max<Index>(piece.last - 1, 0) / piece_width_)];
}

// --- pivot rows

template <typename T>
void DeviceBlockedBand<T>::follow_retired(Range panel, Range piece) {
  settled_.hold(streams_.exchanges);
  swap_in_piece(panel, piece, retired_, streams_.exchanges);
  retired_.clear();
}

template <typename T>
std::span<T> DeviceBlockedBand<T>::row_buffer(Range piece) {
  return {travel_.data() + max_width_ * piece.first,
          static_cast<std::size_t>(max_width_ * piece.size())};
}

template <typename T>
void DeviceBlockedBand<T>::pack_rows(Index first, Index count, Range piece, std::span<T> packed) {
  copy_rows(packed.data(), piece.size(), at(first, piece.first), stride_, count, piece.size(),
            streams_.exchanges);
}

template <typename T>
T* DeviceBlockedBand<T>::pivot_block(Range panel, Index column) {
  return alone_ ? at(panel.first, column) : block_.data() + column;
}

template <typename T>
void DeviceBlockedBand<T>::set_pivot_block(Range panel, Range piece, std::span<const Index> order) {
  const Stream& stream = streams_.exchanges;
  const Index width = panel.size();
  if (piece.first == panel.last) {
    copy_rows(pivot_block(panel, panel.first), stride_, stack_.factors_there(), width, width, width,
              stream);
    kept_factors_.keep(panel, stack_.factors_there(), stream);
    send_list(order, RowList::in_block, stream);
  }
  gather_rows<T>(row_buffer(piece).data(), piece.size(), list(RowList::in_block), width,
                 piece.size(), pivot_block(panel, piece.first), stride_, stream.get());
  clock_.end(stream);  // what swap_in_piece() began
}

template <typename T>
void DeviceBlockedBand<T>::solve_pivot_rows(Range panel, Range columns) {
  const Stream& stream = pivot_stream(panel);
  const bool beside = &stream == &streams_.exchanges;
  if (!beside) wait_for_exchanges();
  clock_.begin(beside ? &LuSeconds::exchange : &LuSeconds::update, stream);
  solve_unit_lower_by_halves(beside ? streams_.exchange_blas : streams_.update_blas, panel.size(),
                             columns.size(), static_cast<const T*>(pivot_block(panel, panel.first)),
                             stride_, pivot_block(panel, columns.first), stride_, stream.get());
  clock_.end(stream);
}

template <typename T>
void DeviceBlockedBand<T>::wait_for_exchanges() {
  piece_ready_.record(streams_.exchanges);
  piece_ready_.hold(streams_.updates);
}

template <typename T>
void DeviceBlockedBand<T>::keep_pivot_rows(Range panel, Range piece, std::span<const Index> order,
                                           Index row) {
  const Stream& stream = pivot_stream(panel);
  const bool first = piece.first == panel.last;
  if (first) send_list(order, RowList::kept, stream);
  const Range columns{first ? panel.first : piece.first, piece.last};
  gather_rows<T>(pivot_block(panel, columns.first), stride_, list(RowList::kept),
                 static_cast<Index>(order.size()), columns.size(), at(row, columns.first), stride_,
                 stream.get());
}

template <typename T>
void DeviceBlockedBand<T>::update(Index first_active, Range panel, Range columns) {
  const bool is_next = columns.first == panel.last;
  wait_for_exchanges();
  clock_.begin(&LuSeconds::update, streams_.updates);
  update_.subtract({height_ - first_active, columns.size(), panel.size()},
                   at(first_active, panel.first), pivot_block(panel, columns.first),
                   at(first_active, columns.first), panel.first,
                   !is_next && waits_for_panel(panel));
  clock_.end(streams_.updates);
  if (is_next) next_ready_.record(streams_.updates);
  if (columns.last % piece_width_ == 0 || columns.last == order_) {
    updated(columns).record(streams_.updates);
  }
}

// --- afterwards

template <typename T>
double DeviceBlockedBand<T>::read_largest(const T* a, Index stride, Index rows, Index columns,
                                          bool upper, const Stream& stream) const {
  constexpr auto size = sizeof(unsigned long long);
  CUDA_CHECK(cudaMemsetAsync(largest_.data(), 0, size, stream.get()));
  find_largest(a, stride, rows, columns, upper, largest_.data(), stream.get());
  CUDA_CHECK(cudaMemcpyAsync(largest_heard_.data(), largest_.data(), size, cudaMemcpyDeviceToHost,
                             stream.get()));
  stream.wait();
  return magnitude_of_key(*largest_heard_.data(), T{});
}

template <typename T>
double DeviceBlockedBand<T>::largest_in(Range rows, Range columns) const {
  return read_largest(at(rows.first, columns.first), stride_, rows.size(), columns.size(), false,
                      streams_.updates);
}

template <typename T>
double DeviceBlockedBand<T>::largest_upper() const {
  return read_largest(values_.data(), stride_, height_, order_, true, streams_.updates);
}

template <typename T>
std::vector<T> DeviceBlockedBand<T>::diagonal() const {
  std::vector<T> values(static_cast<std::size_t>(std::min(height_, order_)));
  streams_.updates.wait();
  streams_.panels.wait();
  if (values.empty()) return values;
  CUDA_CHECK(cudaMemcpy2D(values.data(), sizeof(T), values_.data(),
                          static_cast<std::size_t>(stride_ + 1) * sizeof(T), sizeof(T),
                          values.size(), cudaMemcpyDeviceToHost));
  return values;
}

template <typename T>
void DeviceBlockedBand<T>::solve_unit_lower(std::span<T> x, Index columns) const {
  solutions_.solve(Triangle::unit_lower, values_.data(), order_, x, columns);
}

template <typename T>
void DeviceBlockedBand<T>::solve_upper(std::span<T> x, Index columns) const {
  solutions_.solve(Triangle::upper, values_.data(), order_, x, columns);
}

template <typename T>
void DeviceBlockedBand<T>::subtract_transposed_product(Range rows, Range panel,
                                                       std::span<const T> x, std::span<T> c,
                                                       Index columns) const {
  solutions_.subtract_transposed_product(rows.size(), at(rows.first, panel.first), x, c, columns);
}

template class DeviceBlockedBand<float>;
template class DeviceBlockedBand<double>;

}  // namespace spsolve::cuda
