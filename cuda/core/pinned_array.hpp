#pragma once

#include <cstddef>
#include <utility>

#include "core/types.hpp"
#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda::inline core {

/// `bytes` of page-locked host memory, uninitialised. Locking takes a millisecond, however little
/// it is for: small pieces are cells of one block that the process keeps. Throws Error(resources)
/// where memory does not suffice.
void* allocate_pinned(std::size_t bytes);

/// Gives back what allocate_pinned(bytes) gave, once no copy is under way to or from it; null is
/// nothing.
void free_pinned(void* memory, std::size_t bytes) noexcept;

/// An array in page-locked host memory, owned and moved, never copied: copies between it and the
/// GPU can be concurrent with other work. Its elements are uninitialised. Throws Error(resources)
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
  ~PinnedArray() { free_pinned(data_, size_in_bytes()); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  Index size() const { return size_; }

  /// Makes room for at least `size` elements; where that needs another array, the old one's
  /// contents are lost.
  void grow(Index size) {
    if (size <= size_) return;
    free_pinned(std::exchange(data_, nullptr), size_in_bytes());
    size_ = 0;
    data_ = static_cast<T*>(allocate_pinned(static_cast<std::size_t>(size) * sizeof(T)));
    size_ = size;
  }

 private:
  std::size_t size_in_bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  T* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace spsolve::cuda::core
