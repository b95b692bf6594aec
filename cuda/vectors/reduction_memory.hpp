#pragma once

#include <span>

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/vectors/reduction_kernels.hpp"

namespace spsolve::cuda::inline vectors {

/// Memory that sums and maxima over the rows of height x K arrays need in addition to them: partial
/// results, and a way for the K results to reach the host. It grows, and is used for one reduction
/// after another.
class ReductionMemory {
 public:
  /// For the rows of so many columns.
  void make_room(Index height, Index columns) {
    make_room_for(reduction_chunks(height, columns), columns);
  }
  /// For so many rows of partial results.
  void make_room_for(Index chunks, Index columns) {
    partials_.grow(chunks * columns);
    if (tickets_.size() < reduction_tickets(columns)) {
      tickets_.grow(reduction_tickets(columns));
      CUDA_CHECK(cudaMemset(tickets_.data(), 0, static_cast<std::size_t>(tickets_.bytes())));
      CUDA_CHECK(cudaStreamSynchronize(nullptr));
    }
    results_.grow(columns);
    host_.grow(columns);
  }
  ReductionRoom room() { return {partials_.data(), tickets_.data()}; }
  double* results() { return results_.data(); }

  /// For products of multivectors: the library, on `stream`, and `count` numbers in GPU memory.
  const CublasHandle& blas(cudaStream_t stream) {
    if (blas_ == nullptr) blas_ = make_cublas();
    CUDA_CHECK(cublasSetStream(blas_.get(), stream));
    return blas_;
  }
  double* results(Index count) {
    results_.grow(count);
    host_.grow(count);
    return results_.data();
  }

  /// The first `count` results once `stream` has them; until the next reduction.
  std::span<const double> fetch(Index count, cudaStream_t stream) {
    const auto size = static_cast<std::size_t>(count);
    CUDA_CHECK(cudaMemcpyAsync(host_.data(), results_.data(), size * sizeof(double),
                               cudaMemcpyDeviceToHost, stream));
    wait_for(stream);
    return {host_.data(), size};
  }

 private:
  DeviceArray<double> partials_, results_;
  DeviceArray<unsigned> tickets_;
  PinnedArray<double> host_;
  CublasHandle blas_;
};

}  // namespace spsolve::cuda::vectors
