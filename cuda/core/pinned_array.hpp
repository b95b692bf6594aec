#pragma once

#include <utility>

#include "core/types.hpp"
#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda {

/// An array in page-locked host memory, owned and moved, never copied: what copies to and from the
/// GPU can go on beside other work with. Its elements are uninitialised. Throws Error(resources)
/// where memory does not suffice.
template <typename T>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(Index size) { grow(size); }
  PinnedArray(PinnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedArray() {
    if (!gpu_is_lost()) cudaFreeHost(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  Index size() const { return size_; }

  /// Makes room for at least `size` elements; where that needs another array, the old one's
  /// contents are lost.
  void grow(Index size) {
    if (size <= size_) return;
    CUDA_CHECK(cudaFreeHost(std::exchange(data_, nullptr)));
    size_ = 0;
    void* memory = nullptr;
    CUDA_CHECK(cudaMallocHost(&memory, static_cast<std::size_t>(size) * sizeof(T)));
    data_ = static_cast<T*>(memory);
    size_ = size;
  }

 private:
  T* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace spsolve::cuda
