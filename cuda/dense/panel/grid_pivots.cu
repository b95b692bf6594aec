#include <cooperative_groups.h>

#include "cuda/dense/panel/leaf_rows.cuh"

namespace spsolve::cuda::inline dense {

namespace {

/// A thread has one row.
constexpr int block_warps = block_rows / warp_size;

template <typename T>
struct alignas(16) WarpCandidate {
  T row[leaf_width];
  T inverse;
  T unused;
};

/// The words that the blocks of a grid show each other in one step; two sets, used in turns.
template <typename T>
struct GridSlot {
  WarpCandidate<T> candidate;
  unsigned long long key;
  unsigned long long unused;
};

template <typename T>
__global__ void __launch_bounds__(block_rows)
    partial_pivoting(const T* a, Index stride, int rows, int width, int column, GridSlot<T>* slots,
                     int* pivots, Leaf<T>* leaf, int* swaps, PanelReport* report) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory) + threadIdx.x / warp_size * tile_size;
  __shared__ unsigned long long keys[block_warps];
  __shared__ WarpCandidate<T> pivot_row;
  __shared__ int pivot_block;
  const auto grid = cooperative_groups::this_grid();
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const int place = static_cast<int>(blockIdx.x) * block_rows + static_cast<int>(threadIdx.x);
  bool active = place < rows;
  T row[leaf_width];
  load_rows(a, stride, active ? place : -1, width, tile, row);
  int step = -1;
#pragma unroll
  for (int j = 0; j < leaf_width; ++j) {
    if (j >= width) break;
    GridSlot<T>* const board = slots + (j % 2) * gridDim.x;
    unsigned long long best = 0;
    const int winner = lane_of_largest(active ? magnitude_key(row[j]) : 0, best);
    if (lane == winner) keys[warp] = best;
    __syncthreads();
    const int best_warp = lane_of_largest(lane < block_warps ? keys[lane] : 0, best);
    const bool is_candidate = warp == best_warp && lane == winner;
    if (is_candidate) {
      GridSlot<T>& slot = board[blockIdx.x];
#pragma unroll
      for (int c = 0; c < leaf_width; ++c) slot.candidate.row[c] = row[c];
      slot.candidate.inverse = row[j] == T{} ? T{} : T{1} / row[j];
      slot.key = best;
    }
    grid.sync();
    if (warp == 0) {
      // The first block of the largest key, each lane looking at every 32nd.
      unsigned long long largest = 0;
      int at = 0;
      for (int b = lane; b < static_cast<int>(gridDim.x); b += warp_size) {
        const unsigned long long key = __ldcg(&board[b].key);
        if (key > largest) {
          largest = key;
          at = b;
        }
      }
      lane_of_largest(largest, best);
      const unsigned who = largest == best ? static_cast<unsigned>(at) : 0xffffffffu;
      const int block = static_cast<int>(__reduce_min_sync(whole_warp, who));
      pivot_row.row[lane] = __ldcg(&board[block].candidate.row[lane]);
      if (lane == 0) {
        pivot_row.inverse = __ldcg(&board[block].candidate.inverse);
        pivot_block = block;
      }
    }
    __syncthreads();
    if (is_candidate && pivot_block == static_cast<int>(blockIdx.x)) {
      step = j;
      active = false;
    }
    if (active) {
      const T multiplier = row[j] * pivot_row.inverse;
      row[j] = multiplier;
#pragma unroll
      for (int c = j + 1; c < leaf_width; ++c) row[c] -= multiplier * pivot_row.row[c];
    }
    __syncthreads();
  }
  if (step >= 0) {
    pivots[step] = place;
    write_pivot(row, step, column, leaf, report);
  }
  grid.sync();
  if (blockIdx.x == 0 && warp == 0) {
    write_moves(lane < width ? __ldcg(pivots + lane) : -1, width, leaf, swaps);
  }
}

/// One warp: a lane holds a row.
template <typename T>
__global__ void in_order(const T* a, Index stride, int width, int column, Leaf<T>* leaf, int* swaps,
                         PanelReport* report) {
  __shared__ T tile[tile_size];
  const int lane = threadIdx.x;
  T row[leaf_width];
  load_rows(a, stride, lane < width ? lane : -1, width, tile, row);
#pragma unroll
  for (int j = 0; j < leaf_width; ++j) {
    if (j >= width) break;
    const T pivot = __shfl_sync(whole_warp, row[j], j);
    const T multiplier = pivot == T{} ? T{} : row[j] / pivot;
    if (lane > j) row[j] = multiplier;
#pragma unroll
    for (int c = j + 1; c < leaf_width; ++c) {
      const T above = __shfl_sync(whole_warp, row[c], j);
      if (lane > j) row[c] -= multiplier * above;
    }
  }
  if (lane < width) write_pivot(row, lane, column, leaf, report);
  write_moves(lane < width ? lane : -1, width, leaf, swaps);
}

int blocks_of(Index rows) {
  return static_cast<int>(grid_for(rows, block_rows));
}

}  // namespace

Index grid_slot_bytes(Index rows) {
  return 2 * blocks_of(rows) * static_cast<Index>(sizeof(GridSlot<double>));
}

template <typename T>
Index largest_partial_height() {
  static const Index rows = [] {
    const auto bytes = sizeof(T) * block_warps * tile_size;
    CUDA_CHECK(cudaFuncSetAttribute(
        partial_pivoting<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    int device = 0, processors = 0, blocks = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, partial_pivoting<T>,
                                                             block_rows, bytes));
    return static_cast<Index>(processors) * blocks * block_rows;
  }();
  return rows;
}

template <typename T>
void pivots_by_columns(const T* a, Index stride, Index rows, int width, int column,
                       const PivotSearchSpace& space, Leaf<T>* leaf, int* swaps,
                       PanelReport* report, cudaStream_t stream) {
  int height = static_cast<int>(rows);
  auto* slots = static_cast<GridSlot<T>*>(space.grid_slots);
  int* pivots = space.candidates;
  void* arguments[] = {&a,     &stride, &height, &width, &column,
                       &slots, &pivots, &leaf,   &swaps, &report};
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&partial_pivoting<T>),
                                         dim3(blocks_of(rows)), dim3(block_rows), arguments,
                                         sizeof(T) * block_warps * tile_size, stream));
}

template <typename T>
void pivots_in_order(const T* a, Index stride, int width, int column, Leaf<T>* leaf, int* swaps,
                     PanelReport* report, cudaStream_t stream) {
  in_order<T><<<1, warp_size, 0, stream>>>(a, stride, width, column, leaf, swaps, report);
  check_launch("in_order");
}

SPSOLVE_INSTANTIATE_FUNCTION(pivots_by_columns)
SPSOLVE_INSTANTIATE_FUNCTION(largest_partial_height)
SPSOLVE_INSTANTIATE_FUNCTION(pivots_in_order)

}  // namespace spsolve::cuda::dense
