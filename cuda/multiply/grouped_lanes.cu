#include <algorithm>

#include "cuda/core/nvtx.hpp"
#include "cuda/multiply/grouped_lanes.hpp"
#include "cuda/multiply/launch.cuh"
#include "cuda/multiply/packed.cuh"
#include "cuda/multiply/width.hpp"

namespace spsolve::cuda {

namespace {

constexpr int block = 256;
constexpr int step = static_cast<int>(lane_step);
constexpr LocalIndex column_bits = 0x7fffffff;

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
template <int rows, int width, typename T>
struct Stages {
  static constexpr int stage_columns = 8;
  static constexpr int depth = width <= 8 ? 2 : 4;
  static constexpr int column_bytes = stage_columns * static_cast<int>(sizeof(LocalIndex));
  static constexpr int value_bytes = stage_columns * rows * static_cast<int>(sizeof(T));
  static constexpr int column_places = column_bytes / 16;
  static constexpr int places = (column_bytes + value_bytes) / 16;
  static constexpr int bytes = (places | 1) * 16;
  static constexpr int block_bytes = block / width * depth * bytes;
};

/// Starts to copy 16 bytes to shared memory, past the L1 cache.
__device__ inline void copy_ahead(void* to, const void* from) {
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}

/// Ends a group of copies; waits until at most `pending` groups of this thread are under way.
__device__ inline void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int pending>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// x and y point to the first of `pass_columns` of all `columns` columns, `sums_of_pieces`
/// likewise. A lane has `count` of them: packs of neighbouring ones, `width` packs apart, where
/// `packed` (then pass_columns is a multiple of a pack and rows of X are aligned), else single
/// ones.
template <int rows, int width, int count, bool packed, typename T>
__global__ void __launch_bounds__(block)
    lanes_kernel(LaneView<T> a, const T* __restrict__ x, T* __restrict__ y,
                 T* __restrict__ sums_of_pieces, Index columns, int pass_columns, bool y_packed) {
  using S = Stages<rows, width, T>;
  constexpr int pack = packed ? full_pack<T> : 1;
  constexpr int packs = count / pack;
  extern __shared__ __align__(16) unsigned char all_stages[];
  const Index id = thread_index() / width;
  const int place = static_cast<int>(threadIdx.x % width);
  const LaneItem item = id < a.items ? a.item[id] : LaneItem{0, 0, 0};
  const int stored = (item.columns + step - 1) / step * step;  // with padding
  unsigned char* const stages = all_stages + threadIdx.x / width * (S::depth * S::bytes);
  const LocalIndex* const item_columns = a.columns + item.first;
  const T* const item_values = a.values + item.first * rows;

  // Lanes fill a stage together: its columns, then its values, 16 bytes at a time.
  const auto fill = [&](int stage) {
    const int first = stage * S::stage_columns;
    unsigned char* const to = stages + stage % S::depth * S::bytes;
    const int left = stored - first;
#pragma unroll
    for (int p = 0; p < S::places; p += width) {
      const int own = p + place;
      if (own < S::column_places) {
        if (own * 4 < left) copy_ahead(to + own * 16, item_columns + first + own * 4);
      } else if (own < S::places) {
        const int v = (own - S::column_places) * full_pack<T>;
        if (v < left * rows) copy_ahead(to + own * 16, item_values + first * rows + v);
      }
    }
    commit_copies();
  };

  // All lanes of a warp take part in as many stages as its longest item has.
  const int longest = width == warp_size ? stored : __reduce_max_sync(whole_warp, stored);
#pragma unroll
  for (int stage = 0; stage < S::depth - 1; ++stage) fill(stage);
  const LocalIndex* destination = a.destinations + item.first_group;
  const int lane_first = place * pack;
  const T* const from = x + lane_first;
  T sums[rows][packs][pack]{};
  for (int first = 0, stage = 0; first < longest; first += S::stage_columns, ++stage) {
    fill(stage + S::depth - 1);
    wait_for_copies<S::depth - 1>();
    __syncwarp();
    const unsigned char* const here = stages + stage % S::depth * S::bytes;
    const auto* const stage_columns = reinterpret_cast<const int4*>(here);
    const T* const stage_values = reinterpret_cast<const T*>(here + S::column_bytes);
#pragma unroll
    for (int part = 0; part < S::stage_columns / step; ++part) {
      const int left = item.columns - first - part * step;
      if (left <= 0) break;
      const int4 four = stage_columns[part];
      const LocalIndex marked[step]{four.x, four.y, four.z, four.w};
      T loaded[step][packs][pack];
#pragma unroll
      for (int u = 0; u < step; ++u) {
        const T* const row = from + (marked[u] & column_bits) * columns;
#pragma unroll
        for (int v = 0; v < packs; ++v) {
          if (u < left && lane_first + v * width * pack < pass_columns) {
            load_columns<pack, packed>(row + v * width * pack, loaded[u][v]);
          } else {
#pragma unroll
            for (int c = 0; c < pack; ++c) loaded[u][v][c] = T{};
          }
        }
      }
      T values[step * rows];
#pragma unroll
      for (int e = 0; e < step * rows; e += full_pack<T>) {
        const auto several = *reinterpret_cast<const Packed<T, full_pack<T>>*>(
            stage_values + part * step * rows + e);
#pragma unroll
        for (int c = 0; c < full_pack<T>; ++c) values[e + c] = several.elements[c];
      }
#pragma unroll
      for (int u = 0; u < step; ++u) {
#pragma unroll
        for (int q = 0; q < rows; ++q) {
#pragma unroll
          for (int v = 0; v < packs; ++v) {
#pragma unroll
            for (int c = 0; c < pack; ++c) {
              sums[q][v][c] += values[u * rows + q] * loaded[u][v][c];
            }
          }
        }
        if (marked[u] >= 0) continue;
        // The end of a group. Padding is not marked.
        const Index row = *destination++;
        T* const to =
            (row >= 0 ? y + row * columns : sums_of_pieces + (-1 - row) * columns) + lane_first;
#pragma unroll
        for (int q = 0; q < rows; ++q) {
#pragma unroll
          for (int v = 0; v < packs; ++v) {
            if (lane_first + v * width * pack < pass_columns) {
              store_columns<pack>(to + q * columns + v * width * pack, sums[q][v], y_packed);
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

/// What a launch needs beside the groups.
template <typename T>
struct Pass {
  const T* x;
  T* y;
  T* sums_of_pieces;
  Index columns;
  int pass_columns;
  bool packed, y_packed;
};

/// Lets the kernel have more shared memory than the usual 48 KiB, where it asks for that.
template <typename Kernel>
void allow_shared_memory(Kernel* kernel, int bytes) {
  constexpr int usual = 48 << 10;
  if (bytes <= usual) return;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

template <int width, int count, typename T>
void launch_lanes(const GroupedLanes<T>& a, const Pass<T>& pass) {
  for_each_group_size([&]<int rows>() {
    const LaneGroups<T>& part = a.groups[rows - 1];
    const Index items = part.items.size();
    if (items == 0) return;
    const LaneView<T> view{items, part.items.data(), part.destinations.data(), part.columns.data(),
                           part.values.data()};
    const auto kernel = pass.packed ? lanes_kernel<rows, width, count, true, T>
                                    : lanes_kernel<rows, width, count, false, T>;
    constexpr int bytes = Stages<rows, width, T>::block_bytes;
    allow_shared_memory(kernel, bytes);
    kernel<<<grid_for(items, block / width), block, bytes, current_stream()>>>(
        view, pass.x, pass.y, pass.sums_of_pieces, pass.columns, pass.pass_columns, pass.y_packed);
    check_launch("grouped_lanes");
  });
}

/// Lanes per item where the caller leaves it open: two packs to a lane, as far as that goes.
template <typename T>
int usual_width(Index columns) {
  const Index packs = (columns + full_pack<T> - 1) / full_pack<T>;
  return packs <= 8 ? 4 : packs <= 16 ? 8 : packs <= 32 ? 16 : 32;
}

}  // namespace

template <typename T>
void grouped_lanes(GroupedLanes<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  const NvtxRange range("grouped_lanes");
  a.cut.sums.grow(a.cut.count * columns);
  constexpr int pack = full_pack<T>;
  const int lanes = a.width == 0 ? usual_width<T>(columns) : a.width;
  with_width<4, 8, 16, 32>("grouped_lanes", lanes, 0, [&](auto width) {
    constexpr int most = width() * pack * 2;
    for (Index c = 0; c < columns; c += most) {
      const int left = static_cast<int>(std::min<Index>(most, columns - c));
      const Pass<T> pass{x + c,
                         y + c,
                         a.cut.count == 0 ? nullptr : a.cut.sums.data() + c,
                         columns,
                         left,
                         rows_aligned(x, columns, 16),
                         rows_aligned(y, columns, 16)};
      if (left <= width() * pack) {
        launch_lanes<width(), pack>(a, pass);
      } else {
        launch_lanes<width(), 2 * pack>(a, pass);
      }
    }
  });
  add_pieces(a.cut, y, columns);
  clear_rows(a.empty_rows, y, columns);
}

template void grouped_lanes(GroupedLanes<float>&, const float*, float*, Index);
template void grouped_lanes(GroupedLanes<double>&, const double*, double*, Index);

}  // namespace spsolve::cuda
