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

/// The columns and values of one step, the same for all lanes of an item.
template <int rows, typename T>
struct Step {
  LocalIndex columns[step];
  T values[step * rows];

  __device__ void load(const LocalIndex* from_columns, const T* from_values) {
    const int4 loaded = __ldg(reinterpret_cast<const int4*>(from_columns));
    columns[0] = loaded.x;
    columns[1] = loaded.y;
    columns[2] = loaded.z;
    columns[3] = loaded.w;
    load_columns<step * rows, true>(from_values, values);
  }
};

/// x and y point to the first of `pass_columns` of all `columns` columns, `sums_of_pieces`
/// likewise. A lane has `count` of them: packs of neighbouring ones, `width` packs apart, where
/// `packed` (then pass_columns is a multiple of a pack and rows of X are aligned), else single
/// ones.
template <int rows, int width, int count, bool packed, typename T>
__global__ void __launch_bounds__(block)
    lanes_kernel(LaneView<T> a, const T* __restrict__ x, T* __restrict__ y,
                 T* __restrict__ sums_of_pieces, Index columns, int pass_columns, bool y_packed) {
  constexpr int pack = packed ? full_pack<T> : 1;
  constexpr int packs = count / pack;
  const Index id = thread_index() / width;
  if (id >= a.items) return;
  const int place = static_cast<int>(threadIdx.x % width) * pack;
  const LaneItem item = a.item[id];
  const LocalIndex* next_columns = a.columns + item.first;
  const T* next_values = a.values + item.first * rows;
  const LocalIndex* destination = a.destinations + item.first_group;
  const T* const from = x + place;
  T sums[rows][packs][pack]{};
  Step<rows, T> next;
  next.load(next_columns, next_values);
  for (LocalIndex left = item.columns; left > 0; left -= step) {
    const Step<rows, T> now = next;
    if (left > step) {
      next_columns += step;
      next_values += step * rows;
      next.load(next_columns, next_values);
    }
    T loaded[step][packs][pack];
#pragma unroll
    for (int u = 0; u < step; ++u) {
      const T* const row = from + (now.columns[u] & column_bits) * columns;
#pragma unroll
      for (int v = 0; v < packs; ++v) {
        if (u < left && place + v * width * pack < pass_columns) {
          load_columns<pack, packed>(row + v * width * pack, loaded[u][v]);
        } else {
#pragma unroll
          for (int c = 0; c < pack; ++c) loaded[u][v][c] = T{};
        }
      }
    }
#pragma unroll
    for (int u = 0; u < step; ++u) {
#pragma unroll
      for (int q = 0; q < rows; ++q) {
#pragma unroll
        for (int v = 0; v < packs; ++v) {
#pragma unroll
          for (int c = 0; c < pack; ++c) {
            sums[q][v][c] += now.values[u * rows + q] * loaded[u][v][c];
          }
        }
      }
      if (now.columns[u] >= 0) continue;
      // The end of a group. Padding is not marked.
      const Index row = *destination++;
      T* const to = (row >= 0 ? y + row * columns : sums_of_pieces + (-1 - row) * columns) + place;
#pragma unroll
      for (int q = 0; q < rows; ++q) {
#pragma unroll
        for (int v = 0; v < packs; ++v) {
          if (place + v * width * pack < pass_columns) {
            store_columns<pack>(to + q * columns + v * width * pack, sums[q][v], y_packed);
          }
#pragma unroll
          for (int c = 0; c < pack; ++c) sums[q][v][c] = T{};
        }
      }
    }
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
    kernel<<<grid_for(items, block / width), block, 0, current_stream()>>>(
        view, pass.x, pass.y, pass.sums_of_pieces, pass.columns, pass.pass_columns, pass.y_packed);
    check_launch("grouped_lanes");
  });
}

/// Lanes per item where the caller leaves it open: two packs to a lane from 16 lanes on.
template <typename T>
int usual_width(Index columns) {
  const Index packs = (columns + full_pack<T> - 1) / full_pack<T>;
  return packs <= 4 ? 4 : packs <= 8 ? 8 : packs <= 32 ? 16 : 32;
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
