#include "cuda/dense/device_replicated_tail.hpp"

#include "dense/lu/panel_width.hpp"

namespace spsolve::cuda::inline dense {

template <typename T>
DeviceReplicatedTail<T>::DeviceReplicatedTail(DenseStreams& streams, const Own& own,
                                              Index max_width, FactorStore<T>& factors,
                                              bool refined)
    : ReplicatedTail<T>(rest_begins(own.order, max_width)),
      streams_(streams),
      own_(own),
      factors_(factors),
      rows_(streams, own.order - first(), own.order - first(),
            panel_width(own.order - first(), MemoryKind::gpu, 1), true, refined),
      swaps_(own.height, own.height),
      numbers_staging_(own.height),
      numbers_(own.height) {}

template <typename T>
std::int64_t DeviceReplicatedTail<T>::bytes(Index height, Index order, Index max_width,
                                            bool refined) {
  const Index rows = order - rest_begins(order, max_width);
  if (rows == 0) return 0;
  return DeviceBlockedRows<T>::bytes(rows, rows, panel_width(rows, MemoryKind::gpu, 1), 1, 0,
                                     refined) +
         height * static_cast<std::int64_t>(sizeof(int) + 2 * sizeof(RowMove));
}

template <typename T>
std::span<T> DeviceReplicatedTail<T>::copy_active_rows(Index first_active, Index place) {
  const Stream& stream = streams_.exchanges;
  updated_.record(streams_.updates);
  updated_.hold(stream);
  clock_.begin(&LuSeconds::exchange, stream);
  copy_rows(at(place, 0), stride(), own_at(first_active), own_.stride, own_.height - first_active,
            order(), stream);
  return rows_.room();
}

template <typename T>
BlockedRows<T>& DeviceReplicatedTail<T>::rows() {
  clock_.end(streams_.exchanges);
  streams_.exchanges.wait();
  rows_.note_written();
  return rows_;
}

template <typename T>
void DeviceReplicatedTail<T>::take(Index first_active, std::span<const Index> numbers,
                                   std::span<const Index> swaps) {
  const Stream& stream = streams_.updates;
  std::vector<RowSwap> pairs;
  append_swaps(first_active, swaps, pairs);
  std::copy(numbers.begin(), numbers.end(), numbers_staging_.data());
  CUDA_CHECK(cudaMemcpyAsync(numbers_.data(), numbers_staging_.data(), numbers.size() * sizeof(int),
                             cudaMemcpyHostToDevice, stream.get()));
  clock_.begin(&LuSeconds::exchange, stream);
  swaps_.set(pairs, stream);
  swaps_.apply(own_.values, own_.stride, {0, first()}, stream);
  gather_rows<T>(at(0, 0), stride(), numbers_.data(), std::ssize(numbers), order(),
                 own_at(first_active), own_.stride, stream.get());
  clock_.end(stream);
}

template <typename T>
std::vector<T> DeviceReplicatedTail<T>::keep_factors(Range columns) {
  const Index begin = columns.first - first();
  factors_.store(columns, at(begin, begin), stride(), streams_.updates);
  return {};
}

template <typename T>
LuSeconds DeviceReplicatedTail<T>::seconds() const {
  LuSeconds seconds = clock_.seconds();
  seconds += rows_.seconds().value_or(LuSeconds{});
  return seconds;
}

SPSOLVE_INSTANTIATE(class DeviceReplicatedTail)

}  // namespace spsolve::cuda::dense
