#include <cuda_fp16.h>

#include "cuda/core/launch.cuh"
#include "cuda/dense/split_precision/split_kernels.hpp"

namespace spsolve::cuda::inline dense {

namespace {

constexpr int threads = 128;

__global__ void split(const float* a, Index stride, Index rows, Index columns, float scale,
                      SplitPlaces places) {
  const Index j = thread_index();
  if (j >= columns) return;
  for (Index i = blockIdx.y; i < rows; i += gridDim.y) {
    const float value = scale * a[i * stride + j];
    const __half high = __float2half_rn(value);
    const __half low = __float2half_rn(value - __half2float(high));
    const Index place = i * places.stride + j;
    places.high[place] = places.high_again[place] = __half_as_ushort(high);
    places.low[place] = __half_as_ushort(low);
  }
}

}  // namespace

void split_into_half_precision(const float* a, Index stride, Index rows, Index columns, float scale,
                               const SplitPlaces& places, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid(grid_for(columns, threads),
                  static_cast<unsigned>(std::clamp<Index>(rows, 1, 65535)));
  split<<<grid, threads, 0, stream>>>(a, stride, rows, columns, scale, places);
  check_launch("split_into_half_precision");
}

}  // namespace spsolve::cuda::dense
