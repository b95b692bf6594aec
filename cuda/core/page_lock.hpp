#pragma once

#include <cstddef>
#include <utility>

#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda {

/// Pages of ordinary host memory that somebody else owns, locked for as long as the object lives,
/// so that copies to and from the GPU run at the speed of the link. Locking takes a tenth of the
/// time that new page-locked memory does. The owner must outlive the object.
class PageLock {
 public:
  PageLock() = default;
  PageLock(PageLock&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  PageLock& operator=(PageLock&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~PageLock() { unlock(); }

  /// Whether these pages are locked from now on, in the place of others; not where the system
  /// refuses, and copies are slower then.
  bool lock(void* memory, std::size_t bytes) {
    unlock();
    if (bytes == 0 || cudaHostRegister(memory, bytes, cudaHostRegisterDefault) != cudaSuccess) {
      cudaGetLastError();  // forgotten
      return false;
    }
    memory_ = memory;
    return true;
  }

  void unlock() {
    if (memory_ != nullptr && !gpu_is_lost()) cudaHostUnregister(memory_);
    memory_ = nullptr;
  }

 private:
  void* memory_ = nullptr;
};

}  // namespace spsolve::cuda
