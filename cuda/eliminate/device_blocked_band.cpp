#include "cuda/eliminate/device_blocked_band.hpp"

#include <algorithm>
#include <numeric>

#include "cuda/eliminate/device_blas.hpp"

namespace spsolve::cuda {

namespace {

/// Groups of cycles that permute_rows() works on side by side.
constexpr int most_groups = 32;

}  // namespace

template <typename T>
std::int64_t DeviceBlockedBand<T>::bytes(Index height, Index order, Index max_width, bool alone,
                                         bool refined) {
  const Index values = height * (device_stride<T>(order) + max_width) +
                       (alone ? 0 : 2 * max_width * order + max_width * max_width);
  return values * static_cast<std::int64_t>(sizeof(T)) + PanelLu<T>::bytes(height, max_width) +
         (refined && std::is_same_v<T, float> ? SplitProduct::bytes(height, max_width, order) : 0);
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
      block_(alone ? 0 : max_width * order),
      travel_(alone ? 0 : max_width * order),
      factors_(alone ? 0 : max_width * max_width),
      panel_lu_(height, max_width),
      largest_(1),
      largest_heard_(1),
      list_staging_(3 * max_width),
      lists_(3 * max_width),
      // A team's panel may be elected twice, and each swap touches two rows.
      moves_((alone ? 2 : 4) * max_width + most_groups),
      panel_moves_(alone ? 0 : 2 * max_width + most_groups),
      factor_staging_(alone ? 0 : max_width * max_width),
      content_(static_cast<std::size_t>(height)),
      ticket_(1) {
  std::iota(content_.begin(), content_.end(), Index{0});
  if (refined && std::is_same_v<T, float>) split_.emplace(height, max_width, order);
}

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
  if (split_) split_->set_largest(largest_in({0, height_}, {0, order_}));
  streams_.updates.wait();
}

// --- rows that change places

template <typename T>
const int* DeviceBlockedBand<T>::send_list(std::span<const Index> list, Index part,
                                           const Stream& stream) {
  int* const staging = list_staging_.data() + part * max_width_;
  int* const there = lists_.data() + part * max_width_;
  std::copy(list.begin(), list.end(), staging);
  CUDA_CHECK(cudaMemcpyAsync(there, staging, list.size() * sizeof(int), cudaMemcpyHostToDevice,
                             stream.get()));
  return there;
}

template <typename T>
void DeviceBlockedBand<T>::swap_rows(std::span<const Swap> swaps, Range columns, Range hole,
                                     Moves& on_way, const Stream& stream) {
  std::vector<Index> touched;
  for (const Swap& swap : swaps) {
    if (swap.one == swap.other) continue;
    std::swap(content_[swap.one], content_[swap.other]);
    touched.push_back(swap.one);
    touched.push_back(swap.other);
  }
  // The cycles of the permutation, one after another; content_ becomes the identity again.
  RowMove* const moves = on_way.staging.data();
  int count = 0;
  int group_count = 0;
  int groups[most_groups + 1] = {0};
  const int share = static_cast<int>(touched.size()) / most_groups + 1;
  for (const Index start : touched) {
    if (content_[start] == start) continue;
    if (count >= share * (group_count + 1)) groups[++group_count] = count;
    Index place = start;
    while (true) {
      const Index from = std::exchange(content_[place], place);
      const bool closes = from == start;
      moves[count++] = {static_cast<int>(place), closes ? -1 : static_cast<int>(from),
                        place == start ? 1 : 0};
      if (closes) break;
      place = from;
    }
  }
  if (count == 0) return;
  groups[++group_count] = count;
  std::copy(groups, groups + group_count + 1, reinterpret_cast<int*>(moves + count));
  const auto bytes = static_cast<std::size_t>(count) * sizeof(RowMove) + sizeof(groups);
  RowMove* const there = on_way.there.data();
  CUDA_CHECK(cudaMemcpyAsync(there, moves, bytes, cudaMemcpyHostToDevice, stream.get()));
  permute_rows(at(0, columns.first), stride_, columns.size(), hole.first - columns.first,
               hole.last - columns.first, there, reinterpret_cast<const int*>(there + count),
               group_count, stream.get());
}

template <typename T>
void DeviceBlockedBand<T>::follow_swaps(Range panel, std::span<const Index> swaps) {
  std::vector<Swap> pairs;
  for (Index i = 0; i < panel.size(); ++i) pairs.push_back({panel.first + i, swaps[i]});
  clock_.begin(&LuSeconds::exchange, streams_.updates);
  swap_rows(pairs, {0, order_}, panel, moves_, streams_.updates);
  clock_.end(streams_.updates);
}

template <typename T>
void DeviceBlockedBand<T>::retire(Index first_active, Range panel, std::span<const Index> chosen) {
  std::vector<Swap> pairs;
  Index place = first_active;
  for (const Index other : swaps_to_front(first_active, chosen)) pairs.push_back({place++, other});
  retired_.insert(retired_.end(), pairs.begin(), pairs.end());
  next_ready_.hold(streams_.panels);
  clock_.begin(&LuSeconds::panel, streams_.panels);
  swap_rows(pairs, panel, {panel.first, panel.first}, panel_moves_, streams_.panels);
  clock_.end(streams_.panels);
}

template <typename T>
void DeviceBlockedBand<T>::copy_rows(T* to, Index to_stride, const T* from, Index from_stride,
                                     Index rows, Index columns, const Stream& stream) const {
  if (rows == 0 || columns == 0) return;
  CUDA_CHECK(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_stride) * sizeof(T), from,
                               static_cast<std::size_t>(from_stride) * sizeof(T),
                               static_cast<std::size_t>(columns) * sizeof(T),
                               static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice,
                               stream.get()));
}

// --- panels

template <typename T>
typename BlockedBand<T>::PanelOutcome DeviceBlockedBand<T>::factor_panel(Range panel,
                                                                         Pivoting pivoting,
                                                                         std::span<Index> swaps) {
  const Stream& stream = streams_.panels;
  const Index rows = height_ - panel.first;
  T* const top = at(panel.first, panel.first);
  const auto factor = [&](Pivoting wanted) {
    panel_lu_.start(streams_.panel_blas, stream.get(), top, stride_, rows, panel.size(), wanted);
    return panel_lu_.finish(swaps);
  };
  next_ready_.hold(stream);
  const bool may_redo = pivoting == Pivoting::tournament && rows <= largest_partial_height<T>();
  if (may_redo) {
    copy_rows(scratch_.data(), max_width_, top, stride_, rows, panel.size(), stream);
  }
  clock_.begin(&LuSeconds::panel, stream);
  typename PanelLu<T>::Outcome outcome = factor(pivoting);
  const bool redo = may_redo && !(outcome.largest_multiplier <= largest_tournament_multiplier);
  if (redo) {
    copy_rows(top, stride_, scratch_.data(), max_width_, rows, panel.size(), stream);
    outcome = factor(Pivoting::partial);
  }
  clock_.end(stream);
  for (Index& swap : swaps) swap += panel.first;
  return {outcome.bad_column < 0 ? -1 : panel.first + outcome.bad_column, redo};
}

template <typename T>
std::span<T> DeviceBlockedBand<T>::candidate_buffer(Index size) {
  candidates_.grow(size);
  return {candidates_.data(), static_cast<std::size_t>(size)};
}

template <typename T>
std::vector<Index> DeviceBlockedBand<T>::elect(Index first_active, Range panel,
                                               std::span<T> values) {
  const Stream& stream = streams_.panels;
  const Index rows = height_ - first_active;
  const Index width = panel.size();
  const Index offered = std::min(rows, width);
  // Also where there is nothing to offer: what follows on this stream writes to the factors.
  next_ready_.hold(stream);
  if (offered == 0) return {};
  clock_.begin(&LuSeconds::panel, stream);
  copy_rows(scratch_.data(), max_width_, at(first_active, panel.first), stride_, rows, width,
            stream);
  panel_lu_.start(streams_.panel_blas, stream.get(), scratch_.data(), max_width_, rows, offered,
                  Pivoting::tournament);
  std::vector<Index> swaps(static_cast<std::size_t>(offered));
  panel_lu_.finish(swaps);
  const auto active = content_.begin() + first_active;
  for (Index i = 0; i < offered; ++i) std::swap(active[i], active[swaps[i]]);
  const std::vector<Index> chosen(active, active + offered);
  for (Index i = 0; i < offered; ++i) {
    active[i] = first_active + i;
    active[swaps[i]] = first_active + swaps[i];
  }
  // Their values before the elimination.
  gather_rows(at(0, panel.first), stride_, send_list(chosen, 0, stream), offered, width,
              values.data(), width, stream.get());
  clock_.end(stream);
  return chosen;
}

template <typename T>
std::vector<T> DeviceBlockedBand<T>::factor_stack(Index width, std::span<const T> candidates,
                                                  std::span<const Index> counts,
                                                  std::span<Index> order) {
  const Stream& stream = streams_.panels;
  const auto rows = static_cast<Index>(order.size());
  const Index most_rows = static_cast<Index>(counts.size()) * max_width_;
  if (stack_lu_.empty()) {
    stack_.grow(most_rows * max_width_);
    stack_lu_.emplace_back(most_rows, max_width_);
  }
  clock_.begin(&LuSeconds::panel, stream);
  T* next = stack_.data();
  const T* block = candidates.data();
  for (const Index count : counts) {
    copy_rows(next, width, block, width, count, width, stream);
    next += count * width;
    block += width * width;
  }
  std::vector<Index> swaps(static_cast<std::size_t>(width));
  stack_lu_.front().start(streams_.panel_blas, stream.get(), stack_.data(), width, rows, width,
                          Pivoting::tournament);
  copy_rows(factors_.data(), width, stack_.data(), width, width, width, stream);
  const auto size = static_cast<std::size_t>(width * width);
  CUDA_CHECK(cudaMemcpyAsync(factor_staging_.data(), stack_.data(), size * sizeof(T),
                             cudaMemcpyDeviceToHost, stream.get()));
  clock_.end(stream);
  stack_lu_.front().finish(swaps);
  for (Index i = 0; i < width; ++i) std::swap(order[i], order[swaps[i]]);
  return {factor_staging_.data(), factor_staging_.data() + size};
}

template <typename T>
void DeviceBlockedBand<T>::set_factors(Range, std::span<const T> factors) {
  // Until then the panel before this one needs its own.
  next_ready_.hold(streams_.panels);
  std::copy(factors.begin(), factors.end(), factor_staging_.data());
  CUDA_CHECK(cudaMemcpyAsync(factors_.data(), factor_staging_.data(), factors.size_bytes(),
                             cudaMemcpyHostToDevice, streams_.panels.get()));
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
  clock_.begin(&LuSeconds::panel, stream);
  copy_rows(scratch_.data(), width, at(first_active, panel.first), stride_, rows, width, stream);
  solve_upper_from_right(streams_.panel_blas, rows, width, static_cast<const T*>(factors_.data()),
                         width, scratch_.data(), width);
  clock_.end(stream);
  return read_largest(scratch_.data(), width, rows, width, false, stream);
}

template <typename T>
void DeviceBlockedBand<T>::accept_multipliers(Index first_active, Range panel) {
  const Index width = panel.size();
  copy_rows(at(first_active, panel.first), stride_, scratch_.data(), width, height_ - first_active,
            width, streams_.panels);
  settled_.record(streams_.panels);
  settled_.hold(streams_.updates);
  clock_.begin(&LuSeconds::exchange, streams_.updates);  // until set_pivot_block()
  swap_rows(retired_, {0, order_}, panel, moves_, streams_.updates);
  retired_.clear();
}

// --- pivot rows

template <typename T>
std::span<T> DeviceBlockedBand<T>::row_buffer() {
  return {travel_.data(), static_cast<std::size_t>(travel_.size())};
}

template <typename T>
void DeviceBlockedBand<T>::pack_rows(Index first, Index count, Range panel, std::span<T> packed) {
  const Index length = order_ - panel.first;
  copy_rows(packed.data(), length, at(first, panel.first), stride_, count, length,
            streams_.updates);
}

template <typename T>
T* DeviceBlockedBand<T>::pivot_block(Range panel, Index column) {
  return alone_ ? at(panel.first, column) : block_.data() + (column - panel.first);
}

template <typename T>
void DeviceBlockedBand<T>::set_pivot_block(Range panel, std::span<const Index> order) {
  const Index width = panel.size();
  const Index length = order_ - panel.first;
  copy_rows(block_.data(), length, factors_.data(), width, width, width, streams_.updates);
  gather_rows(travel_.data() + width, length, send_list(order, 1, streams_.updates), width,
              length - width, block_.data() + width, length, streams_.updates.get());
  clock_.end(streams_.updates);
}

template <typename T>
void DeviceBlockedBand<T>::keep_pivot_rows(Range panel, std::span<const Index> order, Index row) {
  const Index length = order_ - panel.first;
  gather_rows(block_.data(), length, send_list(order, 2, streams_.updates),
              static_cast<Index>(order.size()), length, at(row, panel.first), stride_,
              streams_.updates.get());
}

template <typename T>
void DeviceBlockedBand<T>::solve_pivot_rows(Range panel, Range columns) {
  split_panel_ = -1;
  clock_.begin(&LuSeconds::update, streams_.updates);
  solve_unit_lower_by_halves(streams_.update_blas, panel.size(), columns.size(),
                             static_cast<const T*>(pivot_block(panel, panel.first)),
                             pivot_stride(panel), pivot_block(panel, columns.first),
                             pivot_stride(panel), streams_.updates.get());
  clock_.end(streams_.updates);
}

template <typename T>
void DeviceBlockedBand<T>::update(Index first_active, Range panel, Range columns) {
  const Index rows = height_ - first_active;
  const T* const left = at(first_active, panel.first);
  const T* const right = pivot_block(panel, columns.first);
  T* const target = at(first_active, columns.first);
  clock_.begin(&LuSeconds::update, streams_.updates);
  if (split_) {
    if constexpr (std::is_same_v<T, float>) {
      const cudaStream_t stream = streams_.updates.get();
      if (split_panel_ != panel.first) split_->take_left(left, stride_, rows, panel.size(), stream);
      split_panel_ = panel.first;
      split_->subtract(streams_.update_blas, right, pivot_stride(panel), columns.size(), target,
                       stride_, stream);
    }
  } else {
    cuda::subtract_product(streams_.update_blas, rows, columns.size(), panel.size(), left, stride_,
                           right, pivot_stride(panel), target, stride_);
  }
  clock_.end(streams_.updates);
  if (columns.first == panel.last) next_ready_.record(streams_.updates);
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
void DeviceBlockedBand<T>::solve_with(Triangle triangle, std::span<T> x, Index columns) const {
  x_.grow(static_cast<Index>(x.size()));
  x_.upload(x);
  const T* const a = values_.data();
  if (columns == 1) {
    c_.grow(static_cast<Index>(x.size()));
    solve_triangle(triangle, order_, a, stride_, static_cast<const T*>(x_.data()), c_.data(),
                   ticket_.data(), streams_.updates.get());
    std::swap(x_, c_);
  } else if (triangle == Triangle::upper) {
    cuda::solve_upper(streams_.update_blas, order_, columns, a, stride_, x_.data(), columns);
  } else {
    cuda::solve_unit_lower(streams_.update_blas, order_, columns, a, stride_, x_.data(), columns);
  }
  streams_.updates.wait();
  x_.download(x);
}

template <typename T>
void DeviceBlockedBand<T>::solve_unit_lower(std::span<T> x, Index columns) const {
  solve_with(Triangle::unit_lower, x, columns);
}

template <typename T>
void DeviceBlockedBand<T>::solve_upper(std::span<T> x, Index columns) const {
  solve_with(Triangle::upper, x, columns);
}

template <typename T>
void DeviceBlockedBand<T>::set_sums(std::span<const T> sums, Index) const {
  streams_.updates.wait();
  sums_.grow(static_cast<Index>(sums.size()));
  sums_.upload(sums);
}

template <typename T>
void DeviceBlockedBand<T>::subtract_product(Range rows, Range panel, std::span<const T> x,
                                            Index columns) const {
  if (rows.size() == 0) return;
  streams_.updates.wait();  // for the last x
  x_.grow(static_cast<Index>(x.size()));
  x_.upload(x);
  cuda::subtract_product(streams_.update_blas, rows.size(), columns, panel.size(),
                         at(rows.first, panel.first), stride_, static_cast<const T*>(x_.data()),
                         columns, sums_.data() + rows.first * columns, columns);
}

template <typename T>
void DeviceBlockedBand<T>::read_sums(Range rows, std::span<T> values, Index columns) const {
  if (rows.size() == 0) return;
  streams_.updates.wait();
  CUDA_CHECK(cudaMemcpy(values.data(), sums_.data() + rows.first * columns,
                        static_cast<std::size_t>(rows.size() * columns) * sizeof(T),
                        cudaMemcpyDeviceToHost));
}

template <typename T>
void DeviceBlockedBand<T>::subtract_transposed_product(Range rows, Range panel,
                                                       std::span<const T> x, std::span<T> c,
                                                       Index columns) const {
  if (rows.size() == 0) return;
  x_.grow(static_cast<Index>(x.size()));
  c_.grow(static_cast<Index>(c.size()));
  x_.upload(x);
  c_.upload(c);
  cuda::subtract_transposed_product(streams_.update_blas, panel.size(), columns, rows.size(),
                                    at(rows.first, panel.first), stride_,
                                    static_cast<const T*>(x_.data()), columns, c_.data(), columns);
  streams_.updates.wait();
  c_.download(c);
}

template class DeviceBlockedBand<float>;
template class DeviceBlockedBand<double>;

}  // namespace spsolve::cuda
