#include "cuda/core/staged_upload.hpp"

#include <algorithm>
#include <cstring>

namespace spsolve::cuda::inline core {

namespace {

constexpr std::size_t buffer_size = std::size_t{4} << 20;
constexpr std::size_t piece_size = std::size_t{1} << 17;  // that a thread copies at a time

void copy_by_threads(const std::byte* from, std::size_t size, std::byte* to) {
  const auto pieces = static_cast<Index>((size + piece_size - 1) / piece_size);
#pragma omp parallel for schedule(static) if (pieces > 1)
  for (Index i = 0; i < pieces; ++i) {
    const std::size_t begin = static_cast<std::size_t>(i) * piece_size;
    std::memcpy(to + begin, from + begin, std::min(piece_size, size - begin));
  }
}

}  // namespace

void StagedUpload::copy_bytes(const std::byte* host, std::size_t size, std::byte* to,
                              cudaStream_t stream) {
  for (int turn = 0; size > 0; turn = 1 - turn) {
    Buffer& buffer = buffers_[turn];
    const std::size_t count = std::min(size, buffer_size);
    buffer.left.wait();
    buffer.bytes.grow(static_cast<Index>(count));
    copy_by_threads(host, count, buffer.bytes.data());
    CUDA_CHECK(cudaMemcpyAsync(to, buffer.bytes.data(), count, cudaMemcpyHostToDevice, stream));
    buffer.left.record(stream);
    host += count;
    to += count;
    size -= count;
  }
}

}  // namespace spsolve::cuda::core
