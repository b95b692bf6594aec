#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/csr_kernels.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 256;
constexpr int sub_block = 128;
constexpr int sub_blocks = 4;

/// One column of the rows [first_row, last_row) by `threads` threads of this block, of which this
/// one is number `thread`. `products` is their part of shared memory, `x` the column of X,
/// y[row * columns] the column's element of Y. Where not `active` it only keeps step: all threads
/// of the block must call it together, with the same rows.
template <int threads, typename T>
__device__ void multiply_row_block(const CsrView<T>& a, Index first_row, Index last_row, const T* x,
                                   T* y, Index columns, T* products, int thread, bool active) {
  const Index start = a.row_offsets[first_row], end = a.row_offsets[last_row];
  if (last_row - first_row > 1) {  // CSR-Stream
    if (active) {
      for (Index k = start + thread; k < end; k += threads) {
        products[k - start] = a.values[k] * x[a.column_indices[k]];
      }
    }
    __syncthreads();
    if (active) {
      for (Index row = first_row + thread; row < last_row; row += threads) {
        T sum{};
        for (Index k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
          sum += products[k - start];
        }
        y[row * columns] = sum;
      }
    }
  } else {  // CSR-Vector
    T sum{};
    if (active) {
      for (Index k = start + thread; k < end; k += threads) {
        sum += a.values[k] * x[a.column_indices[k]];
      }
    }
    products[thread] = sum;
    for (int half = threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (thread < half) products[thread] += products[thread + half];
    }
    if (active && thread == 0) y[first_row * columns] = products[0];
  }
  __syncthreads();  // before the next products
}

template <typename T>
__global__ void adaptive(CsrView<T> a, const Index* row_blocks, Index count, const T* x_transposed,
                         T* y, Index columns) {
  __shared__ T products[row_block_entries];
  for (Index id = blockIdx.x; id < count * columns; id += gridDim.x) {
    const Index b = id / columns, c = id % columns;
    multiply_row_block<block>(a, row_blocks[b], row_blocks[b + 1], x_transposed + c * a.columns,
                              y + c, columns, products, threadIdx.x, true);
  }
}

template <typename T>
__global__ void adaptive_subblocks(CsrView<T> a, const Index* row_blocks, Index count,
                                   const T* x_transposed, T* y, Index columns) {
  __shared__ T products[sub_blocks][row_block_entries];
  const int own = threadIdx.x / sub_block, thread = threadIdx.x % sub_block;
  for (Index b = blockIdx.x; b < count; b += gridDim.x) {
    for (Index first = 0; first < columns; first += sub_blocks) {
      const Index c = first + own;
      multiply_row_block<sub_block>(a, row_blocks[b], row_blocks[b + 1],
                                    x_transposed + c * a.columns, y + c, columns, products[own],
                                    thread, c < columns);
    }
  }
}

}  // namespace

template <typename T>
void csr_adaptive(const AdaptiveCsr<T>& a, const T* x_transposed, T* y, Index columns) {
  if (a.blocks() == 0) return;
  adaptive<<<grid_for(a.blocks() * columns, 1), block, 0, current_stream()>>>(
      a.csr.view(), a.row_blocks.data(), a.blocks(), x_transposed, y, columns);
  check_launch("csr_adaptive");
}

template <typename T>
void csr_adaptive_subblocks(const AdaptiveCsr<T>& a, const T* x_transposed, T* y, Index columns) {
  if (a.blocks() == 0) return;
  adaptive_subblocks<<<grid_for(a.blocks(), 1), sub_block * sub_blocks, 0, current_stream()>>>(
      a.csr.view(), a.row_blocks.data(), a.blocks(), x_transposed, y, columns);
  check_launch("csr_adaptive_subblocks");
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_adaptive)
SPSOLVE_INSTANTIATE_FUNCTION(csr_adaptive_subblocks)

}  // namespace spsolve::cuda::multiply
