#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "cuda/core/cuda_check.hpp"
#include "cuda/core/device_memory.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline core {

/// An array in the memory of the current GPU, owned and moved, never copied. Its elements are
/// uninitialised until something is uploaded. Throws Error(resources) where memory does not
/// suffice.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(Index size) { grow(size); }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(static_cast<Index>(host.size())) {
    upload(host);
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(std::span<const T>(host)) {}

  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { free_device(data_, size_in_bytes()); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  Index size() const { return size_; }
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

  /// Makes room for at least `size` elements; where that needs another array, the old one's
  /// contents are lost.
  void grow(Index size) {
    if (size <= size_) return;
    free_device(std::exchange(data_, nullptr), size_in_bytes());
    size_ = 0;
    data_ = static_cast<T*>(allocate_device(static_cast<std::size_t>(size) * sizeof(T)));
    size_ = size;
  }

  /// Copies `host` to the front, which must have room for it; it is there when this returns.
  void upload(std::span<const T> host) {
    if (host.empty()) return;
    CUDA_CHECK(cudaMemcpy(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
    // The call may return while the last piece is still on its way from a staging buffer, and
    // streams without ties to the default one would not wait for that.
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
  }

  /// Copies as many elements from the front as `host` has; waits for all that was launched before.
  void download(std::span<T> host) const {
    if (host.empty()) return;
    CUDA_CHECK(cudaMemcpy(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost));
  }

  /// Element i, when all that was launched on `stream` before is done.
  T brought(Index i, cudaStream_t stream) const {
    T value;
    CUDA_CHECK(cudaMemcpyAsync(&value, data_ + i, sizeof(T), cudaMemcpyDeviceToHost, stream));
    wait_for(stream);
    return value;
  }

 private:
  std::size_t size_in_bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  T* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace spsolve::cuda::core
