#include "cuda/sparse/fronts/out_of_core_factors.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

/// Writes to every page, so that all threads place them and not the one that locks them.
template <typename T>
void touch(UntouchedArray<T>& array) {
  constexpr Index page = 4096 / sizeof(T);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < array.size(); i += page) array[i] = T(0);
}

}  // namespace

template <typename T>
OutOfCoreFactors<T>::OutOfCoreFactors(const DeviceLayout& layout)
    : layout_(layout), stored_(layout.parts.size()), copies_(Stream::Order::alone) {
  for (Window& window : windows_) window.part = none;
}

template <typename T>
OutOfCoreFactors<T>::~OutOfCoreFactors() {
  // Copies that are under way need the memory that goes now.
  if (!gpu_is_left()) cudaStreamSynchronize(copies_.get());
}

template <typename T>
std::int64_t OutOfCoreFactors<T>::host_bytes() const {
  return layout_.factor_elements * static_cast<std::int64_t>(sizeof(T));
}

template <typename T>
void OutOfCoreFactors<T>::open(std::size_t part, cudaStream_t stream) {
  Window& window = window_of(part);
  window.stored.hold(stream);
  window.filled.hold(stream);
  window.part = part;
}

template <typename T>
void OutOfCoreFactors<T>::store(std::size_t part, const T* arena, cudaStream_t stream) {
  const FrontPart& of = layout_.parts[part];
  Window& window = window_of(part);
  StoredPart& stored = stored_[part];
  if (stored.values.size() == 0) {
    stored.values = UntouchedArray<T>(of.elements);
    touch(stored.values);
    stored.lock.lock(stored.values.data(), static_cast<std::size_t>(stored.values.bytes()));
  }
  window.free.record(stream);
  window.free.hold(copies_);
  CUDA_CHECK(cudaMemcpyAsync(stored.values.data(), arena + of.window,
                             static_cast<std::size_t>(stored.values.bytes()),
                             cudaMemcpyDeviceToHost, copies_.get()));
  window.stored.record(copies_);
  window.filled.record(copies_);  // it stands where it was made
}

template <typename T>
void OutOfCoreFactors<T>::fetch(std::size_t part, T* arena) {
  Window& window = window_of(part);
  if (window.part == part) return;
  const FrontPart& of = layout_.parts[part];
  const UntouchedArray<T>& values = stored_[part].values;
  window.free.hold(copies_);
  CUDA_CHECK(cudaMemcpyAsync(arena + of.window, values.data(),
                             static_cast<std::size_t>(values.bytes()), cudaMemcpyHostToDevice,
                             copies_.get()));
  window.filled.record(copies_);
  window.part = part;
}

template <typename T>
void OutOfCoreFactors<T>::acquire(std::size_t part, std::size_t next, T* arena,
                                  cudaStream_t stream) {
  fetch(part, arena);
  window_of(part).filled.hold(stream);
  if (next < layout_.parts.size()) fetch(next, arena);
}

template <typename T>
void OutOfCoreFactors<T>::release(std::size_t part, cudaStream_t stream) {
  window_of(part).free.record(stream);
}

SPSOLVE_INSTANTIATE(class OutOfCoreFactors)

}  // namespace spsolve::cuda::sparse
