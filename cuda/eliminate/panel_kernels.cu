#include <cooperative_groups.h>

#include "cuda/eliminate/magnitude.cuh"
#include "cuda/eliminate/panel_kernels.hpp"
#include "cuda/multiply/launch.cuh"

namespace spsolve::cuda {

namespace {

/// Rows of a block of the tournament, two to a thread; and of the other elections, one to a thread.
constexpr int block_rows = 512;
constexpr int pair_threads = block_rows / 2;
constexpr int pair_warps = pair_threads / warp_size;
constexpr int block_warps = block_rows / warp_size;

/// Threads of the kernel that moves rows, one column each.
constexpr int move_threads = 64;

/// Threads of the kernels that form multipliers, one row each.
constexpr int multiplier_rows = 128;

/// Threads of the kernel that solves with small triangles, four to a column.
constexpr int triangle_threads = 128;

/// The place of a row in its tile: padded, so that lanes that read one row each meet different
/// banks.
constexpr int tile_stride = leaf_width + 1;
constexpr int tile_size = warp_size * tile_stride;

template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

/// Two neighbours of a row in shared memory by one load; c is even.
template <typename T>
__device__ Pair<T> pair_at(const T* row, int c) {
  return *reinterpret_cast<const Pair<T>*>(row + c);
}

template <typename T>
struct alignas(16) WarpOffer {
  T row[leaf_width];
  T inverse;
  T unused;
};

/// What the warps of a block show each other in one step; two of them, used in turns.
template <typename T>
struct StepBoard {
  WarpOffer<T> offers[pair_warps];
  unsigned keys[pair_warps];
};

/// 1 / x to an ulp or two without a branch for the usual x; 0 for 0.
__device__ inline double quick_inverse(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = fma(fma(-x, y, 1.0), y, y);
  y = fma(fma(-x, y, 1.0), y, y);
  if (fabs(x) < 0x1p-1020 || fabs(x) > 0x1p+1020) y = x == 0 ? 0 : 1 / x;
  return y;
}
__device__ inline float quick_inverse(float x) {
  return x == 0 ? 0 : 1 / x;
}

/// Row `mine` of each lane, columns [0, width), into registers: the warp reads one row after
/// another, a lane a column, through its tile in shared memory. Rows below 0 are zero.
template <typename T>
__device__ void load_rows(const T* a, Index stride, int mine, int width, T* tile,
                          T (&row)[leaf_width]) {
  const int lane = threadIdx.x % warp_size;
  T value[warp_size];
#pragma unroll
  for (int r = 0; r < warp_size; ++r) {
    const int from = __shfl_sync(whole_warp, mine, r);
    value[r] = from >= 0 && lane < width ? a[static_cast<Index>(from) * stride + lane] : T{};
  }
#pragma unroll
  for (int r = 0; r < warp_size; ++r) tile[r * tile_stride + lane] = value[r];
  __syncwarp();
#pragma unroll
  for (int c = 0; c < leaf_width; ++c) row[c] = tile[lane * tile_stride + c];
  __syncwarp();
}

/// The way back, for the rows [first, first + 32) that are below `rows`.
template <typename T>
__device__ void store_rows(T* a, Index stride, Index first, Index rows, int width, T* tile,
                           const T (&row)[leaf_width]) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int c = 0; c < leaf_width; ++c) tile[lane * tile_stride + c] = row[c];
  __syncwarp();
#pragma unroll
  for (int r = 0; r < warp_size; ++r) {
    if (first + r < rows && lane < width) {
      a[(first + r) * stride + lane] = tile[r * tile_stride + lane];
    }
  }
  __syncwarp();
}

/// Two rows in a thread, and in which step each became the pivot: -1, not yet.
template <typename T>
struct RowPair {
  T first[leaf_width];
  T second[leaf_width];
  bool first_active;
  bool second_active;
  int first_step = -1;
  int second_step = -1;
};

/// Column j of a block's elimination and all behind it. The pivot is the largest of the column to
/// 16 bits: magnitudes and lanes share a word, so that one reduction finds both.
template <int j, typename T>
__device__ void eliminate_columns(RowPair<T>& rows, int steps, StepBoard<T>* boards) {
  if constexpr (j < leaf_width) {
    if (j >= steps) return;
    StepBoard<T>& board = boards[j % 2];
    const int lane = threadIdx.x % warp_size;
    const int warp = threadIdx.x / warp_size;
    const unsigned of_first = rows.first_active ? magnitude_word(rows.first[j]) + 32u : 0;
    const unsigned of_second = rows.second_active ? magnitude_word(rows.second[j]) + 32u : 0;
    const bool offers_second = of_second > of_first;
    const unsigned mine = max(of_first, of_second);
    const T inverse = quick_inverse(offers_second ? rows.second[j] : rows.first[j]);
    const unsigned best =
        __reduce_max_sync(whole_warp, mine == 0 ? 0 : (mine & ~31u) | (31u - lane));
    const bool offers = lane == 31 - static_cast<int>(best & 31u);
    if (offers) {
      WarpOffer<T>& offer = board.offers[warp];
      offer.inverse = inverse;
      if (offers_second) {
#pragma unroll
        for (int c = j / 2 * 2; c < leaf_width; c += 2) {
          *reinterpret_cast<Pair<T>*>(offer.row + c) = {rows.second[c], rows.second[c + 1]};
        }
      } else {
#pragma unroll
        for (int c = j / 2 * 2; c < leaf_width; c += 2) {
          *reinterpret_cast<Pair<T>*>(offer.row + c) = {rows.first[c], rows.first[c + 1]};
        }
      }
      board.keys[warp] = best == 0 ? 0 : (best & ~31u) | (31u - warp);
    }
    __syncthreads();
    const unsigned winner = __reduce_max_sync(whole_warp, lane < pair_warps ? board.keys[lane] : 0);
    const int best_warp = 31 - static_cast<int>(winner & 31u);
    if (offers && warp == best_warp) {
      if (offers_second) {
        rows.second_step = j;
        rows.second_active = false;
      } else {
        rows.first_step = j;
        rows.first_active = false;
      }
    }
    const WarpOffer<T>& pivot = board.offers[best_warp];
    const T first = rows.first_active ? rows.first[j] * pivot.inverse : T{};
    const T second = rows.second_active ? rows.second[j] * pivot.inverse : T{};
    if (rows.first_active) rows.first[j] = first;
    if (rows.second_active) rows.second[j] = second;
#pragma unroll
    for (int c = (j + 1) / 2 * 2; c < leaf_width; c += 2) {
      const Pair<T> values = pair_at(pivot.row, c);
      if (c > j) {
        rows.first[c] -= first * values.x;
        rows.second[c] -= second * values.x;
      }
      rows.first[c + 1] -= first * values.y;
      rows.second[c + 1] -= second * values.y;
    }
    eliminate_columns<j + 1>(rows, steps, boards);
  }
}

/// Writes what one warp knows of the finished election: `pivot` of lane i is the row of pivot i.
template <typename T>
__device__ void write_moves(int pivot, int width, Leaf<T>* leaf, int* swaps) {
  const int lane = threadIdx.x;
  const int original = pivot;
  int content = lane;      // the row that stands at place `lane` of the top
  int to = -1, from = -1;  // the place that step `lane` emptied, and the row that went there
  int swap = -1;
  for (int i = 0; i < width; ++i) {
    const int place = __shfl_sync(whole_warp, pivot, i);
    const int displaced = __shfl_sync(whole_warp, content, i);
    if (lane == i) swap = place;
    if (place >= width) {
      if (to == place) to = -1;
      if (lane == i) {
        to = place;
        from = displaced;
      }
    } else if (lane == place) {
      content = displaced;
    }
    if (lane > i && pivot == i) pivot = place;
  }
  const bool mine = lane < width;
  if (mine) swaps[lane] = swap;
  leaf->moves_to[lane] = mine ? lane : -1;
  leaf->moves_from[lane] = mine ? original : 0;
  leaf->moves_to[leaf_width + lane] = mine ? to : -1;
  leaf->moves_from[leaf_width + lane] = from < 0 ? 0 : from;
}

/// A pivot row into the leaf, and into the report where it can't be used.
template <typename T>
__device__ void write_pivot(const T (&row)[leaf_width], int step, int column, Leaf<T>* leaf,
                            PanelReport* report) {
#pragma unroll
  for (int c = 0; c < leaf_width; ++c) {
    leaf->factors[step * leaf_width + c] = row[c];
    if (c == step && (row[c] == T{} || !isfinite(row[c]))) {
      atomicMin(&report->first_bad, column + step);
    }
  }
}

template <typename T>
constexpr std::size_t election_bytes = sizeof(StepBoard<T>) * 2 + sizeof(T) * pair_warps* tile_size;

template <typename T>
__global__ void __launch_bounds__(pair_threads)
    tournament(const T* a, Index stride, int rows, int width, int column, int* candidates,
               int* counters, Leaf<T>* leaf, int* swaps, PanelReport* report) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const boards = reinterpret_cast<StepBoard<T>*>(memory);
  T* const tile =
      reinterpret_cast<T*>(memory + 2 * sizeof(StepBoard<T>)) + threadIdx.x / warp_size * tile_size;
  __shared__ int pivots[leaf_width];
  __shared__ bool last;

  const int group_blocks = block_rows / width;  // blocks whose winners fit into the next one
  const int* list = nullptr;                    // the rows of this round; none: all of them
  int count = rows;                             // how many
  int share = block_rows;                       // rows to a block
  int blocks = gridDim.x;
  int block = blockIdx.x;
  const int thread = threadIdx.x;
  while (true) {
    const auto row_at = [&](int within) {
      const int place = block * share + within;
      if (within >= share || place >= count) return -1;
      return list == nullptr ? place : __ldcg(list + place);
    };
    const int first_row = row_at(thread);
    const int second_row = row_at(thread + pair_threads);
    RowPair<T> pair;
    load_rows(a, stride, first_row, width, tile, pair.first);
    load_rows(a, stride, second_row, width, tile, pair.second);
    pair.first_active = first_row >= 0;
    pair.second_active = second_row >= 0;
    eliminate_columns<0>(pair, min(width, count - block * share), boards);

    if (blocks == 1) {
      if (pair.first_step >= 0) {
        pivots[pair.first_step] = first_row;
        write_pivot(pair.first, pair.first_step, column, leaf, report);
      }
      if (pair.second_step >= 0) {
        pivots[pair.second_step] = second_row;
        write_pivot(pair.second, pair.second_step, column, leaf, report);
      }
      __syncthreads();
      if (thread < warp_size) {
        write_moves(thread < width ? pivots[thread] : -1, width, leaf, swaps);
      }
      return;
    }

    if (pair.first_step >= 0) candidates[block * width + pair.first_step] = first_row;
    if (pair.second_step >= 0) candidates[block * width + pair.second_step] = second_row;
    __threadfence();
    __syncthreads();
    const int group = block / group_blocks;
    if (thread == 0) {
      const int members = min(group_blocks, blocks - group * group_blocks);
      last = atomicAdd(counters + group, 1) == members - 1;
      if (last) counters[group] = 0;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    // Only the last block of a round may offer fewer rows than columns: lists have no gaps.
    const int offered = (blocks - 1) * width + min(width, count - (blocks - 1) * share);
    list = candidates;
    candidates += blocks * width;
    counters += (blocks + group_blocks - 1) / group_blocks;
    count = offered;
    share = group_blocks * width;
    blocks = (blocks + group_blocks - 1) / group_blocks;
    block = group;
  }
}

/// What the blocks of a grid show each other in one step; two sets, used in turns.
template <typename T>
struct GridSlot {
  WarpOffer<T> offer;
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
  __shared__ WarpOffer<T> pivot_row;
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
    const bool offers = warp == best_warp && lane == winner;
    if (offers) {
      GridSlot<T>& slot = board[blockIdx.x];
#pragma unroll
      for (int c = 0; c < leaf_width; ++c) slot.offer.row[c] = row[c];
      slot.offer.inverse = row[j] == T{} ? T{} : T{1} / row[j];
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
      pivot_row.row[lane] = __ldcg(&board[block].offer.row[lane]);
      if (lane == 0) {
        pivot_row.inverse = __ldcg(&board[block].offer.inverse);
        pivot_block = block;
      }
    }
    __syncthreads();
    if (offers && pivot_block == static_cast<int>(blockIdx.x)) {
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

/// A thread a column.
template <typename T>
__global__ void __launch_bounds__(move_threads)
    move_rows(T* a, Index stride, Index columns, Index column, int width, int next,
              const Leaf<T>* leaf) {
  __shared__ int to[2 * leaf_width], from[2 * leaf_width];
  __shared__ T factors[leaf_width * leaf_width];
  for (int k = threadIdx.x; k < 2 * leaf_width; k += blockDim.x) {
    to[k] = leaf->moves_to[k];
    from[k] = leaf->moves_from[k];
  }
#pragma unroll
  for (int k = 0; k < leaf_width * leaf_width; k += move_threads) {
    factors[k + threadIdx.x] = leaf->factors[k + threadIdx.x];
  }
  __syncthreads();
  const Index j = thread_index();
  if (j >= columns) return;
  T top[leaf_width], displaced[leaf_width];
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    top[k] = to[k] >= 0 ? a[from[k] * stride + j] : T{};
    displaced[k] = to[leaf_width + k] >= 0 ? a[from[leaf_width + k] * stride + j] : T{};
  }
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    if (to[leaf_width + k] >= 0) a[to[leaf_width + k] * stride + j] = displaced[k];
  }
  const Index inside = j - column;
  if (inside >= 0 && inside < width) {
    for (int k = 0; k < width; ++k) a[k * stride + j] = factors[k * leaf_width + inside];
    return;
  }
  if (inside >= width && inside < width + next) {
#pragma unroll
    for (int k = 0; k < leaf_width; ++k) {
#pragma unroll
      for (int i = k + 1; i < leaf_width; ++i) {
        if (i < width) top[i] -= factors[i * leaf_width + k] * top[k];
      }
    }
  }
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    if (k < width) a[k * stride + j] = top[k];
  }
}

template <typename T>
constexpr std::size_t multiplier_bytes = sizeof(T) * (2 * leaf_width * leaf_width +
                                                      multiplier_rows / warp_size * tile_size);

template <typename T>
__global__ void __launch_bounds__(multiplier_rows)
    form_multipliers(T* a, Index stride, Index rows, int width, int next, const Leaf<T>* leaf,
                     PanelReport* report) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const upper = reinterpret_cast<T*>(memory);     // U, its diagonal inverted
  T* const right = upper + leaf_width * leaf_width;  // U12
  T* const tile = right + leaf_width * leaf_width + threadIdx.x / warp_size * tile_size;
#pragma unroll
  for (int base = 0; base < leaf_width * leaf_width; base += multiplier_rows) {
    const int k = base + static_cast<int>(threadIdx.x);
    const int i = k / leaf_width, j = k % leaf_width;
    const T value = leaf->factors[k];
    upper[k] = i != j || value == T{} || i >= width ? value : T{1} / value;
    right[k] = i < width && j < next ? a[(i - width) * stride + width + j] : T{};
  }
  __syncthreads();
  const int lane = threadIdx.x % warp_size;
  const Index first = thread_index() - lane;
  const Index mine = first + lane;
  const int index = mine < rows ? static_cast<int>(mine) : -1;
  T row[leaf_width];
  load_rows(a, stride, index, width, tile, row);
  T largest{};
#pragma unroll
  for (int j = 0; j < leaf_width; ++j) {
    if (j < width) {
      row[j] *= upper[j * leaf_width + j];
#pragma unroll
      for (int c = (j + 1) / 2 * 2; c < leaf_width; c += 2) {
        const Pair<T> values = pair_at(upper + j * leaf_width, c);
        if (c > j) row[c] -= row[j] * values.x;
        row[c + 1] -= row[j] * values.y;
      }
    }
  }
  unsigned long long key = 0;
#pragma unroll
  for (int j = 0; j < leaf_width; ++j) {
    if (j < width) key = max(key, magnitude_key(row[j]));
  }
  unsigned long long best = 0;
  lane_of_largest(mine < rows ? key : 0, best);
  if (lane == 0 && best > 0) atomicMax(&report->largest_multiplier, best);
  store_rows(a, stride, first, rows, width, tile, row);
  if (next == 0) return;
  T behind[leaf_width];
  load_rows(a + width, stride, index, next, tile, behind);
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    if (k < width) {
#pragma unroll
      for (int c = 0; c < leaf_width; c += 2) {
        const Pair<T> values = pair_at(right + k * leaf_width, c);
        behind[c] -= row[k] * values.x;
        behind[c + 1] -= row[k] * values.y;
      }
    }
  }
  store_rows(a + width, stride, first, rows, next, tile, behind);
}

/// Four lanes a column, lane q of them with the rows i = q mod 4.
template <typename T>
__global__ void __launch_bounds__(triangle_threads)
    solve_lower(int width, Index columns, const T* l, Index l_stride, T* b, Index b_stride) {
  constexpr int lanes = 4;
  constexpr int own = small_triangle / lanes;
  __shared__ T lower[small_triangle * (small_triangle + 1)];  // column after column of L
#pragma unroll 8
  for (int base = 0; base < small_triangle * small_triangle; base += triangle_threads) {
    const int k = base + static_cast<int>(threadIdx.x);
    const int i = k / small_triangle, j = k % small_triangle;
    lower[j * (small_triangle + 1) + i] = i < width && j < i ? l[i * l_stride + j] : T{};
  }
  __syncthreads();
  const int q = threadIdx.x % lanes;
  const Index j = thread_index() / lanes;
  const bool valid = j < columns;
  T x[own];
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int i = r * lanes + q;
    x[r] = valid && i < width ? b[i * b_stride + j] : T{};
  }
#pragma unroll
  for (int k = 0; k < small_triangle; ++k) {
    if (k >= width) break;
    const T known = __shfl_sync(whole_warp, x[k / lanes], k % lanes, lanes);
    // L is zero on and above the diagonal: rows that are final stay as they are.
#pragma unroll
    for (int r = k / lanes; r < own; ++r) {
      x[r] -= lower[k * (small_triangle + 1) + r * lanes + q] * known;
    }
  }
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int i = r * lanes + q;
    if (valid && i < width) b[i * b_stride + j] = x[r];
  }
}

int blocks_of(Index rows) {
  return static_cast<int>(grid_for(rows, block_rows));
}

}  // namespace

Index candidate_count(Index rows) {
  // 32 of 512 rows a round, and a last round of one block.
  return rows / 8 + 16 * leaf_width;
}

Index counter_count(Index rows) {
  return rows / block_rows + 64;
}

Index grid_slot_bytes(Index rows) {
  return 2 * blocks_of(rows) * static_cast<Index>(sizeof(GridSlot<double>));
}

template <typename T>
void elect_by_tournament(const T* a, Index stride, Index rows, int width, int column,
                         const ElectionSpace& space, Leaf<T>* leaf, int* swaps, PanelReport* report,
                         cudaStream_t stream) {
  static const cudaError_t allowed =
      cudaFuncSetAttribute(tournament<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(election_bytes<T>));
  CUDA_CHECK(allowed);
  tournament<T><<<blocks_of(rows), pair_threads, election_bytes<T>, stream>>>(
      a, stride, static_cast<int>(rows), width, column, space.candidates, space.counters, leaf,
      swaps, report);
  check_launch("tournament");
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
void elect_by_columns(const T* a, Index stride, Index rows, int width, int column,
                      const ElectionSpace& space, Leaf<T>* leaf, int* swaps, PanelReport* report,
                      cudaStream_t stream) {
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
void take_in_order(const T* a, Index stride, int width, int column, Leaf<T>* leaf, int* swaps,
                   PanelReport* report, cudaStream_t stream) {
  in_order<T><<<1, warp_size, 0, stream>>>(a, stride, width, column, leaf, swaps, report);
  check_launch("in_order");
}

template <typename T>
void move_leaf_rows(T* a, Index stride, Index columns, Index column, int width, int next,
                    const Leaf<T>* leaf, cudaStream_t stream) {
  move_rows<T><<<grid_for(columns, move_threads), move_threads, 0, stream>>>(
      a, stride, columns, column, width, next, leaf);
  check_launch("move_rows");
}

template <typename T>
void form_leaf_multipliers(T* a, Index stride, Index rows, int width, int next, const Leaf<T>* leaf,
                           PanelReport* report, cudaStream_t stream) {
  if (rows == 0) return;
  static const cudaError_t allowed =
      cudaFuncSetAttribute(form_multipliers<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(multiplier_bytes<T>));
  CUDA_CHECK(allowed);
  form_multipliers<T>
      <<<grid_for(rows, multiplier_rows), multiplier_rows, multiplier_bytes<T>, stream>>>(
          a, stride, rows, width, next, leaf, report);
  check_launch("form_multipliers");
}

template <typename T>
void solve_unit_lower_small(int width, Index columns, const T* l, Index l_stride, T* b,
                            Index b_stride, cudaStream_t stream) {
  solve_lower<T><<<grid_for(4 * columns, triangle_threads), triangle_threads, 0, stream>>>(
      width, columns, l, l_stride, b, b_stride);
  check_launch("solve_lower");
}

#define SPSOLVE_INSTANTIATE(T)                                                                     \
  template void elect_by_tournament(const T*, Index, Index, int, int, const ElectionSpace&,        \
                                    Leaf<T>*, int*, PanelReport*, cudaStream_t);                   \
  template void elect_by_columns(const T*, Index, Index, int, int, const ElectionSpace&, Leaf<T>*, \
                                 int*, PanelReport*, cudaStream_t);                                \
  template Index largest_partial_height<T>();                                                      \
  template void take_in_order(const T*, Index, int, int, Leaf<T>*, int*, PanelReport*,             \
                              cudaStream_t);                                                       \
  template void move_leaf_rows(T*, Index, Index, Index, int, int, const Leaf<T>*, cudaStream_t);   \
  template void form_leaf_multipliers(T*, Index, Index, int, int, const Leaf<T>*, PanelReport*,    \
                                      cudaStream_t);                                               \
  template void solve_unit_lower_small(int, Index, const T*, Index, T*, Index, cudaStream_t);
SPSOLVE_INSTANTIATE(float)
SPSOLVE_INSTANTIATE(double)
#undef SPSOLVE_INSTANTIATE

}  // namespace spsolve::cuda
