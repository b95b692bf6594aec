#include "cuda/vectors/products/foreign_rows.hpp"

#include "cuda/core/cuda_check.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/vectors/device_vectors.hpp"

namespace spsolve::cuda::inline vectors {

void take_rows(Vectors& rows, std::span<const double> from) {
  CUDA_CHECK(cudaMemcpyAsync(on_device(rows).data(), from.data(), from.size_bytes(),
                             cudaMemcpyDefault, current_stream()));
  wait_for(current_stream());
}

void give_rows(const Vectors& rows, std::span<double> to) {
  CUDA_CHECK(cudaMemcpyAsync(to.data(), on_device(rows).data(), to.size_bytes(), cudaMemcpyDefault,
                             current_stream()));
  wait_for(current_stream());
}

}  // namespace spsolve::cuda::vectors
