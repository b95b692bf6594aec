#pragma once

#include <cstddef>
#include <span>

#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline core {

/// Copies from ordinary host memory to the current GPU at the speed of the link: piece by piece
/// through two page-locked buffers, which all threads fill. Locking the pages of all that is copied
/// would take longer than the copy.
class StagedUpload {
 public:
  /// `to` in GPU memory has room for all of `host`. In order with `stream`; `host` may be changed
  /// when this returns.
  template <typename T>
  void copy(std::span<const T> host, T* to, cudaStream_t stream) {
    copy_bytes(reinterpret_cast<const std::byte*>(host.data()), host.size_bytes(),
               reinterpret_cast<std::byte*>(to), stream);
  }

 private:
  void copy_bytes(const std::byte* host, std::size_t size, std::byte* to, cudaStream_t stream);

  struct Buffer {
    PinnedArray<std::byte> bytes;
    Event left;  // when its last piece was copied
  };
  Buffer buffers_[2];
};

}  // namespace spsolve::cuda::core
