#pragma once

// The definitions of grouped_lanes.hpp. A translation unit per type includes it: there are many
// kernels.

#include <algorithm>

#include "cuda/core/launch.cuh"
#include "cuda/core/nvtx.hpp"
#include "cuda/core/packed.cuh"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/core/tiles/async_copy.cuh"
#include "cuda/multiply/fast/groups/grouped_lanes.hpp"

namespace spsolve::cuda::inline multiply {

namespace lanes {

inline constexpr int step = static_cast<int>(lane_step);

/// Threads of a block for groups of `rows` rows; 0: for all sizes in one launch.
constexpr int block_for(int rows) {
  return rows > 1 ? 256 : 128;
}

/// Blocks of a multiprocessor at least. A bound on the registers for groups costs more by their
/// spills than more blocks gain.
constexpr int blocks_for(int rows) {
  return rows > 1 ? 1 : 6;
}

inline constexpr LocalIndex column_bits = 0x7fffffff;

template <typename T>
struct LaneView {
  Index items;
  const LaneItem* item;
  const LocalIndex* destinations;
  const LocalIndex* columns;
  const T* values;
};

/// Stages of shared memory of one item: `depth` times the columns and values of stage_columns
/// columns, filled by asynchronous copies ahead of their use. A stage is an odd number of 16-byte
/// places long, so that the items of a warp begin in different banks.
template <int rows, int width, int count, typename T>
struct Stages {
  /// More where there is much work on a column, so that lanes wait for each other less often.
  static constexpr bool much_work = rows > 1 && count > full_pack<T>;
  static constexpr int stage_columns = much_work && width >= 8 ? 4 * step : 2 * step;
  static constexpr int depth = width <= 8 ? 2 : 4;
  static constexpr int column_bytes = stage_columns * static_cast<int>(sizeof(LocalIndex));
  static constexpr int value_bytes = stage_columns * rows * static_cast<int>(sizeof(T));
  static constexpr int column_places = column_bytes / 16;
  static constexpr int places = (column_bytes + value_bytes) / 16;
  static constexpr int bytes = (places | 1) * 16;
  /// Bytes of a block of so many threads.
  static constexpr int block_bytes(int threads) { return threads / width * depth * bytes; }
};

/// Where X and Y begin for the columns of one pass, and sums of pieces likewise.
template <typename T>
struct Pass {
  const T* __restrict__ x;
  T* __restrict__ y;
  T* __restrict__ sums_of_pieces;
  int columns;       ///< all
  int pass_columns;  ///< of this pass
  bool y_packed;     ///< rows of Y are aligned to 16 bytes
};

/// Block `block_id` of those that work on `a`. A lane has `count` columns of the pass: packs of
/// neighbouring ones, `width` packs apart, where `packed` (then pass_columns is a multiple of a
/// pack and rows of X are aligned), else single ones.
template <int rows, int width, int count, bool packed, typename T>
__device__ void walk(const LaneView<T>& a, Index block_id, const Pass<T>& pass) {
  using S = Stages<rows, width, count, T>;
  constexpr int pack = packed ? full_pack<T> : 1;
  constexpr int packs = count / pack;
  // Rows of X under way at a time.
  constexpr int in_flight = count == full_pack<T> ? S::stage_columns : step;
  extern __shared__ __align__(16) unsigned char all_stages[];
  const Index id = (block_id * blockDim.x + threadIdx.x) / width;
  const int place = static_cast<int>(threadIdx.x % width);
  const LaneItem item = id < a.items ? a.item[id] : LaneItem{0, 0, 0};
  const int stored = (item.columns + step - 1) / step * step;  // with padding
  unsigned char* const stages = all_stages + threadIdx.x / width * (S::depth * S::bytes);
  const LocalIndex* const item_columns = a.columns + item.first;
  const T* const item_values = a.values + item.first * rows;

  // Lanes fill a stage together: its columns, then its values, 16 bytes at a time; the rest of the
  // last one with zeros.
  const auto fill = [&](int stage) {
    const int first = stage * S::stage_columns;
    const int left = stored - first;
    unsigned char* const to = stages + stage % S::depth * S::bytes;
    if (left > 0) {
#pragma unroll
      for (int p = 0; p < S::places; p += width) {
        const int own = p + place;
        if (own < S::column_places) {
          const bool zero = own * 4 >= left;
          copy_async(shared_address(to + own * 16), item_columns + (zero ? 0 : first + own * 4),
                     zero ? 0 : 16);
        } else if (own < S::places) {
          const int v = (own - S::column_places) * full_pack<T>;
          const bool zero = v >= left * rows;
          copy_async(shared_address(to + own * 16), item_values + (zero ? 0 : first * rows + v),
                     zero ? 0 : 16);
        }
      }
    }
    commit_copies();
  };

  // All lanes of a warp take part in as many stages as its longest item has.
  const int longest = width == warp_size ? stored : __reduce_max_sync(whole_warp, stored);
#pragma unroll
  for (int stage = 0; stage < S::depth - 1; ++stage) fill(stage);
  wait_for_previous_launch();
  const LocalIndex* destination = a.destinations + item.first_group;
  const int lane_first = place * pack;
  const T* const from = pass.x + lane_first;
  T sums[rows][packs][pack]{};
  for (int first = 0, stage = 0; first < longest; first += S::stage_columns, ++stage) {
    fill(stage + S::depth - 1);
    wait_for_copies<S::depth - 1>();
    __syncwarp();
    const unsigned char* const here = stages + stage % S::depth * S::bytes;
    const auto* const stage_columns = reinterpret_cast<const LocalIndex*>(here);
    const T* const stage_values = reinterpret_cast<const T*>(here + S::column_bytes);
#pragma unroll
    for (int part = 0; part < S::stage_columns; part += in_flight) {
      const int left = item.columns - first - part;
      if (left <= 0) break;
      LocalIndex marked[in_flight];
      T loaded[in_flight][packs][pack];
#pragma unroll
      for (int u = 0; u < in_flight; u += 4) {
        const int4 four = *reinterpret_cast<const int4*>(stage_columns + part + u);
        marked[u] = four.x;
        marked[u + 1] = four.y;
        marked[u + 2] = four.z;
        marked[u + 3] = four.w;
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        const T* const row = from + static_cast<Index>(marked[u] & column_bits) * pass.columns;
#pragma unroll
        for (int v = 0; v < packs; ++v) {
          if (u < left && lane_first + v * width * pack < pass.pass_columns) {
            load_columns<pack, packed>(row + v * width * pack, loaded[u][v]);
          } else {
#pragma unroll
            for (int c = 0; c < pack; ++c) loaded[u][v][c] = T{};
          }
        }
      }
      T values[step * rows];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        if (u % step == 0) {
#pragma unroll
          for (int e = 0; e < step * rows; e += full_pack<T>) {
            const auto several = *reinterpret_cast<const Packed<T, full_pack<T>>*>(
                stage_values + (part + u) * rows + e);
#pragma unroll
            for (int c = 0; c < full_pack<T>; ++c) values[e + c] = several.elements[c];
          }
        }
#pragma unroll
        for (int q = 0; q < rows; ++q) {
#pragma unroll
          for (int v = 0; v < packs; ++v) {
#pragma unroll
            for (int c = 0; c < pack; ++c) {
              sums[q][v][c] += values[u % step * rows + q] * loaded[u][v][c];
            }
          }
        }
        if (marked[u] >= 0) continue;
        // The end of a group. Padding is not marked.
        const Index row = *destination++;
        T* const to = (row >= 0 ? pass.y + row * pass.columns
                                : pass.sums_of_pieces + (-1 - row) * pass.columns) +
                      lane_first;
#pragma unroll
        for (int q = 0; q < rows; ++q) {
#pragma unroll
          for (int v = 0; v < packs; ++v) {
            if (lane_first + v * width * pack < pass.pass_columns) {
              store_columns<pack>(to + q * pass.columns + v * width * pack, sums[q][v],
                                  pass.y_packed);
            }
#pragma unroll
            for (int c = 0; c < pack; ++c) sums[q][v][c] = T{};
          }
        }
      }
    }
    __syncwarp();  // before the stage is filled again
  }
}

template <int rows, int width, int count, bool packed, typename T>
__global__ void __launch_bounds__(block_for(rows), blocks_for(rows))
    one_size(LaneView<T> a, Pass<T> pass) {
  walk<rows, width, count, packed>(a, blockIdx.x, pass);
  trigger_next_launch();
}

/// Groups of r rows at [r - 1], by blocks[r - 1] blocks each, in this order.
template <typename T>
struct AllViews {
  LaneView<T> groups[most_rows_in_group];
  Index blocks[most_rows_in_group];
};

/// One launch for all: a launch each would cost a small matrix more than its product.
template <int width, int count, bool packed, typename T>
__global__ void __launch_bounds__(block_for(0), blocks_for(0))
    all_sizes(AllViews<T> all, Pass<T> pass) {
  Index id = blockIdx.x;
  const auto take = [&]<int rows>() {
    const Index blocks = all.blocks[rows - 1];
    if (id >= 0 && id < blocks) {
      walk<rows, width, count, packed>(all.groups[rows - 1], id, pass);
    }
    id -= blocks;
  };
  take.template operator()<1>();
  take.template operator()<2>();
  take.template operator()<3>();
  take.template operator()<4>();
  trigger_next_launch();
}

/// Launches `kernel`, which may want more shared memory than the usual 48 KiB.
template <typename Views, typename T>
void launch(void (*kernel)(Views, Pass<T>), Index blocks, int block, int bytes, const Views& views,
            const Pass<T>& pass) {
  constexpr int usual = 48 << 10;
  if (bytes > usual) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  }
  launch_programmatic(kernel, grid_for(blocks, 1), block, bytes, true, current_stream(), views,
                      pass);
}

template <int width, int count, bool packed, typename T>
void launch_lanes(const GroupedLanes<T>& a, const Pass<T>& pass) {
  AllViews<T> all{};
  Index blocks = 0;
  int bytes = 0, sizes = 0;
  for_each_group_size([&]<int rows>() {
    const LaneGroups<T>& part = a.groups[rows - 1];
    const Index items = part.items.size();
    if (items == 0) return;
    all.groups[rows - 1] = {items, part.items.data(), part.destinations.data(), part.columns.data(),
                            part.values.data()};
    blocks += all.blocks[rows - 1] = grid_for(items, block_for(0) / width);
    bytes = std::max(bytes, Stages<rows, width, count, T>::block_bytes(block_for(0)));
    ++sizes;
  });
  if (sizes > 1) {
    launch(all_sizes<width, count, packed, T>, blocks, block_for(0), bytes, all, pass);
    return;
  }
  for_each_group_size([&]<int rows>() {
    if (all.blocks[rows - 1] == 0) return;
    constexpr int block = block_for(rows);
    launch(one_size<rows, width, count, packed, T>,
           grid_for(all.groups[rows - 1].items, block / width), block,
           Stages<rows, width, count, T>::block_bytes(block), all.groups[rows - 1], pass);
  });
}

/// Calls launch.template operator()<width, count>() for lanes of one pack as long as that is better
/// or enough, else of two; at most 16 lanes.
template <typename T, typename Launch>
void with_lanes(Index columns, bool spread, Launch launch) {
  constexpr int pack = full_pack<T>;
  const Index packs = (columns + pack - 1) / pack;
  if (packs <= 4) {
    launch.template operator()<4, pack>();
  } else if (packs <= 8 && spread) {
    launch.template operator()<8, pack>();
  } else if (packs <= 8) {
    launch.template operator()<4, 2 * pack>();
  } else if (packs <= 16) {
    launch.template operator()<8, 2 * pack>();
  } else {
    launch.template operator()<16, 2 * pack>();
  }
}

}  // namespace lanes

template <typename T>
void grouped_lanes(GroupedLanes<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  const NvtxRange range("grouped_lanes");
  a.cut.sums.grow(a.cut.count * columns);
  constexpr Index most = 32 * full_pack<T>;
  for (Index c = 0; c < columns; c += most) {
    const Index left = std::min(most, columns - c);
    const lanes::Pass<T> pass{x + c,
                              y + c,
                              a.cut.count == 0 ? nullptr : a.cut.sums.data() + c,
                              static_cast<int>(columns),
                              static_cast<int>(left),
                              rows_aligned(y, columns, 16)};
    lanes::with_lanes<T>(left, a.spread, [&]<int width, int count>() {
      if (rows_aligned(x, columns, 16)) {
        lanes::launch_lanes<width, count, true>(a, pass);
      } else {
        lanes::launch_lanes<width, count, false>(a, pass);
      }
    });
  }
  add_pieces(a.cut, y, columns);
  clear_rows(a.empty_rows, y, columns);
}

}  // namespace spsolve::cuda::multiply
