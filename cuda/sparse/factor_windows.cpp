#include "cuda/sparse/factor_windows.hpp"

namespace spsolve::cuda {

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
FactorWindows<T>::FactorWindows(const FrontPlaces& places)
    : places_(places), kept_(places.parts.size()), copies_(Stream::Order::alone) {
  for (Window& window : windows_) window.part = none;
}

template <typename T>
FactorWindows<T>::~FactorWindows() {
  // Copies that are under way need the memory that goes now.
  if (!gpu_is_left()) cudaStreamSynchronize(copies_.get());
}

template <typename T>
std::int64_t FactorWindows<T>::host_bytes() const {
  return places_.factor_elements * static_cast<std::int64_t>(sizeof(T));
}

template <typename T>
void FactorWindows<T>::open(std::size_t part, cudaStream_t stream) {
  Window& window = window_of(part);
  window.kept.hold(stream);
  window.filled.hold(stream);
  window.part = part;
}

template <typename T>
void FactorWindows<T>::keep(std::size_t part, const T* arena, cudaStream_t stream) {
  const FrontPart& of = places_.parts[part];
  Window& window = window_of(part);
  Kept& kept = kept_[part];
  if (kept.values.size() == 0) {
    kept.values = UntouchedArray<T>(of.elements);
    touch(kept.values);
    kept.lock.lock(kept.values.data(), static_cast<std::size_t>(kept.values.bytes()));
  }
  window.free.record(stream);
  window.free.hold(copies_);
  CUDA_CHECK(cudaMemcpyAsync(kept.values.data(), arena + of.window,
                             static_cast<std::size_t>(kept.values.bytes()), cudaMemcpyDeviceToHost,
                             copies_.get()));
  window.kept.record(copies_);
  window.filled.record(copies_);  // it stands where it was made
}

template <typename T>
void FactorWindows<T>::fetch(std::size_t part, T* arena) {
  Window& window = window_of(part);
  if (window.part == part) return;
  const FrontPart& of = places_.parts[part];
  const UntouchedArray<T>& values = kept_[part].values;
  window.free.hold(copies_);
  CUDA_CHECK(cudaMemcpyAsync(arena + of.window, values.data(),
                             static_cast<std::size_t>(values.bytes()), cudaMemcpyHostToDevice,
                             copies_.get()));
  window.filled.record(copies_);
  window.part = part;
}

template <typename T>
void FactorWindows<T>::bring(std::size_t part, std::size_t next, T* arena, cudaStream_t stream) {
  fetch(part, arena);
  window_of(part).filled.hold(stream);
  if (next < places_.parts.size()) fetch(next, arena);
}

template <typename T>
void FactorWindows<T>::leave(std::size_t part, cudaStream_t stream) {
  window_of(part).free.record(stream);
}

template class FactorWindows<float>;
template class FactorWindows<double>;

}  // namespace spsolve::cuda
