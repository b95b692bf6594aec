#pragma once

// The rows of a leaf that a thread block has, between memory and shared memory.

#include "cuda/dense/panel/cluster.cuh"
#include "cuda/dense/panel/leaf_rows.cuh"

namespace spsolve::cuda::inline dense {

/// Rows of a leaf that a thread keeps in registers, and the most threads of a block.
inline constexpr int thread_rows = 2;
inline constexpr int most_threads = block_rows / thread_rows;
inline constexpr int most_warps = most_threads / warp_size;

/// From row to row of a tile: no bank conflicts among lanes that read 16 bytes of a row each.
template <typename T>
inline constexpr int tile_pitch = leaf_width + static_cast<int>(16 / sizeof(T));

/// Rows of leaf_width values in shared memory, thread_rows for each thread of the block; a warp
/// moves those of its threads.
template <typename T>
class LeafTiles {
 public:
  __device__ explicit LeafTiles(T* tiles)
      : lane_(static_cast<int>(threadIdx.x) % warp_size), tiles_(tiles) {}

  /// Row r of this thread counts from the block's first one.
  static __device__ int place_in_block(int r) {
    return static_cast<int>(threadIdx.x + r * blockDim.x);
  }
  __device__ T* tile(int r, int lane) const {
    return tiles_ + (place_in_block(r) - lane_ + lane) * tile_pitch<T>;
  }
  __device__ T* tile(int r) const { return tile(r, lane_); }

  /// The row at this place of the block.
  __device__ T* row(int place) const { return tiles_ + place * tile_pitch<T>; }

  /// The rows with these numbers, -1 for none, into the tiles. `aligned`: rows and their lengths
  /// are multiples of 16 bytes.
  __device__ void copy_rows_in(const T* a, Index stride, const int (&rows)[thread_rows], int width,
                               bool aligned) const {
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
      if (aligned) {
        const int chunk = lane_ % row_chunks;
#pragma unroll 8
        for (int k = 0; k < warp_size; k += chunk_rows) {
          const int row = k + lane_ / row_chunks;
          const int from = __shfl_sync(whole_warp, rows[r], row);
          if (from >= 0 && chunk * chunk_values < width) {
            copy_async(shared_address(tile(r, row) + chunk * chunk_values),
                       a + static_cast<Index>(from) * stride + chunk * chunk_values);
          }
        }
      } else {
#pragma unroll 8
        for (int k = 0; k < warp_size; ++k) {
          const int from = __shfl_sync(whole_warp, rows[r], k);
          if (from >= 0 && lane_ < width) {
            tile(r, k)[lane_] = a[static_cast<Index>(from) * stride + lane_];
          }
        }
      }
    }
    commit_copies();
    wait_for_copies<0>();
    __syncwarp();
  }

  /// The tiles back to their rows.
  __device__ void copy_rows_out(T* a, Index stride, const int (&rows)[thread_rows], int width,
                                bool aligned) const {
    __syncwarp();
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
      if (aligned) {
        const int chunk = lane_ % row_chunks;
#pragma unroll 1
        for (int base = 0; base < warp_size; base += 8 * chunk_rows) {
          uint4 values[8];
#pragma unroll
          for (int k = 0; k < 8; ++k) {
            const int row = base + k * chunk_rows + lane_ / row_chunks;
            if (base + k * chunk_rows < warp_size) {
              values[k] = *reinterpret_cast<const uint4*>(tile(r, row) + chunk * chunk_values);
            }
          }
#pragma unroll
          for (int k = 0; k < 8; ++k) {
            if (base + k * chunk_rows >= warp_size) continue;
            const int row = base + k * chunk_rows + lane_ / row_chunks;
            const int to = __shfl_sync(whole_warp, rows[r], row);
            if (to >= 0 && chunk * chunk_values < width) {
              *reinterpret_cast<uint4*>(a + static_cast<Index>(to) * stride +
                                        chunk * chunk_values) = values[k];
            }
          }
        }
      } else {
#pragma unroll 8
        for (int k = 0; k < warp_size; ++k) {
          const int to = __shfl_sync(whole_warp, rows[r], k);
          if (to >= 0 && lane_ < width) {
            a[static_cast<Index>(to) * stride + lane_] = tile(r, k)[lane_];
          }
        }
      }
    }
  }

 private:
  // Pieces of 16 bytes of a row, and rows that a warp moves at once.
  static constexpr int row_chunks = leaf_width * sizeof(T) / sizeof(uint4);
  static constexpr int chunk_values = sizeof(uint4) / sizeof(T);
  static constexpr int chunk_rows = warp_size / row_chunks;

  int lane_;
  T* tiles_;
};

}  // namespace spsolve::cuda::dense
