#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "cuda/core/cuda_check.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline core {

/// Pages of ordinary host memory that somebody else owns, locked for as long as the object lives,
/// so that copies to and from the GPU run at the speed of the link. Locking takes a tenth of the
/// time that new page-locked memory does.
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
    if (memory_ != nullptr && !gpu_is_left()) cudaHostUnregister(memory_);
    memory_ = nullptr;
  }

 private:
  void* memory_ = nullptr;
};

/// Uploads from one and the same host memory: its pages are locked from the first one on, where
/// there are enough of them.
class RepeatedUpload {
 public:
  /// to <- from on `stream`; `from` must stay as it is until that is done.
  template <typename T>
  void run(std::span<const T> from, T* to, cudaStream_t stream) {
    constexpr std::size_t worth_locking = std::size_t{1} << 18;
    if (!tried_ && from.size_bytes() >= worth_locking) {
      // Nothing is ever written through this pointer: to lock pages is no change of them.
      lock_.lock(const_cast<T*>(from.data()), from.size_bytes());
      tried_ = true;
    }
    CUDA_CHECK(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream));
  }

 private:
  PageLock lock_;
  bool tried_ = false;  // the system may refuse
};

/// Copies of arrays in ordinary memory, which are done when these return; the pages of large ones
/// are locked meanwhile.
template <typename T>
void upload_once(std::span<const T> from, T* to, cudaStream_t stream) {
  RepeatedUpload upload;
  upload.run(from, to, stream);
  wait_for(stream);
}
template <typename T>
void download_once(const T* from, std::span<T> to, cudaStream_t stream) {
  constexpr std::size_t worth_locking = std::size_t{1} << 18;
  PageLock lock;
  if (to.size_bytes() >= worth_locking) lock.lock(to.data(), to.size_bytes());
  CUDA_CHECK(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream));
  wait_for(stream);
}

}  // namespace spsolve::cuda::core
