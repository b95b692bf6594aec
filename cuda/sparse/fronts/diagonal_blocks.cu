#include "cuda/core/programmatic_launch.cuh"
#include "cuda/sparse/fronts/front_kernels.hpp"
#include "cuda/sparse/pivots/diagonal_block.cuh"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 4 * pivot_block;

template <Factorization kind, typename T>
__global__ void __launch_bounds__(threads)
    invert_blocks_kernel(DeviceFronts<T> fronts, const int* list, int number) {
  extern __shared__ __align__(16) unsigned char raw[];
  auto& block = *reinterpret_cast<DiagonalBlock<T, pivot_block>*>(raw);
  const FrontLayout front = fronts.layouts[list[blockIdx.x]];
  const int begin = number * pivot_block;
  const int n = min(pivot_block, front.pivots - begin);
  const Index ld = front.panel_of(begin).ld;
  T* const lower = fronts.arena + front.lower + front.place(begin, begin);
  trigger_and_wait();
  fill<kind>(block, n, [&](int row, int column) { return lower[row + column * ld]; });
  invert<kind>(block, n, SmallPivots<T>{fronts.least, fronts.raised}, front.first + begin,
               fronts.tally);
  T* const upper = fronts.arena + front.upper + front.place(begin, begin);
  for (int i = threadIdx.x; i < pivot_block * pivot_block; i += threads) {
    const int row = i % pivot_block, column = i / pivot_block;
    if (row >= n || column >= n) continue;
    lower[row + column * ld] = block.at(row, column);
    if (kind != Factorization::cholesky) {
      upper[row + column * ld] = block.upper[column * block.stride + row];
    }
  }
}

template <Factorization kind, typename T>
void launch(const DeviceFronts<T>& fronts, const int* list, Index count, int block,
            cudaStream_t stream) {
  constexpr int bytes = sizeof(DiagonalBlock<T, pivot_block>);
  CUDA_CHECK(cudaFuncSetAttribute(invert_blocks_kernel<kind, T>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  launch_programmatic(invert_blocks_kernel<kind, T>, dim3(static_cast<unsigned>(count)), threads,
                      bytes, true, stream, fronts, list, block);
  check_launch("invert_blocks");
}

}  // namespace

template <typename T>
void invert_blocks(Factorization kind, const DeviceFronts<T>& fronts, const int* list, Index count,
                   int block, cudaStream_t stream) {
  if (count == 0) return;
  switch (kind) {
    case Factorization::cholesky:
      return launch<Factorization::cholesky>(fronts, list, count, block, stream);
    case Factorization::ldlt:
    case Factorization::ldlh:  // numbers are real here
      return launch<Factorization::ldlt>(fronts, list, count, block, stream);
    case Factorization::lu:
      return launch<Factorization::lu>(fronts, list, count, block, stream);
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(invert_blocks)

}  // namespace spsolve::cuda::sparse
