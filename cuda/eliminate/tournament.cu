#include "cuda/eliminate/leaf_rows.cuh"

namespace spsolve::cuda {

namespace {

/// A thread has two rows.
constexpr int pair_threads = block_rows / 2;
constexpr int pair_warps = pair_threads / warp_size;

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

}  // namespace

Index candidate_count(Index rows) {
  // 32 of 512 rows a round, and a last round of one block.
  return rows / 8 + 16 * leaf_width;
}

Index counter_count(Index rows) {
  return rows / block_rows + 64;
}

template <typename T>
void elect_by_tournament(const T* a, Index stride, Index rows, int width, int column,
                         const ElectionSpace& space, Leaf<T>* leaf, int* swaps, PanelReport* report,
                         cudaStream_t stream) {
  static const cudaError_t allowed =
      cudaFuncSetAttribute(tournament<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(election_bytes<T>));
  CUDA_CHECK(allowed);
  tournament<T><<<grid_for(rows, block_rows), pair_threads, election_bytes<T>, stream>>>(
      a, stride, static_cast<int>(rows), width, column, space.candidates, space.counters, leaf,
      swaps, report);
  check_launch("tournament");
}

template void elect_by_tournament(const float*, Index, Index, int, int, const ElectionSpace&,
                                  Leaf<float>*, int*, PanelReport*, cudaStream_t);
template void elect_by_tournament(const double*, Index, Index, int, int, const ElectionSpace&,
                                  Leaf<double>*, int*, PanelReport*, cudaStream_t);

}  // namespace spsolve::cuda
