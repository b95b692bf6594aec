#include "cuda/core/launch.cuh"
#include "cuda/core/nvtx.hpp"
#include "cuda/multiply/fast/groups/group_view.cuh"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 128;

/// One column of X and Y, at c * columns. A thread per group of `rows` rows, and a warp per slice.
/// The values that a lane adds to `rows` neighbouring columns go through shared memory, so that the
/// lanes of a warp then add to neighbouring elements of y: the unknowns of a node side by side make
/// a third as many accesses of the L2 cache.
template <int rows, typename T, typename Column>
__global__ void __launch_bounds__(block)
    symmetric_kernel(GroupView<T, Column> a, const T* __restrict__ x, T* __restrict__ y,
                     Index columns) {
  static_assert(SlicedGroups<T>::slice == warp_size);
  constexpr int turns = rows == 1 ? 4 : 2;  // of `rows` columns each, loaded at a time
  constexpr int at_once = turns * rows;
  constexpr LocalIndex nowhere = -1;
  __shared__ T all_sums[block * rows];
  __shared__ LocalIndex all_targets[block * rows];
  const int lane = threadIdx.x % warp_size;
  T* const sums = all_sums + (threadIdx.x - lane) * rows;
  LocalIndex* const targets = all_targets + (threadIdx.x - lane) * rows;
  for (Index first_slot = thread_index() - lane; first_slot < a.count;
       first_slot += thread_count()) {
    const Index slot = first_slot + lane;
    const bool used = slot < a.count;
    const Index start = a.slice_offsets[first_slot / warp_size];
    const LocalIndex first_row = used ? a.rows[slot] : 0;
    const LocalIndex length = used ? a.lengths[slot] : 0;
    const LocalIndex base = sizeof(Column) == 2 ? first_row : 0;
    const Column* indices = a.columns + start + lane;
    const T* values = a.values + start * rows + lane;
    T own[rows], sum[rows]{};
#pragma unroll
    for (int q = 0; q < rows; ++q) own[q] = used ? __ldg(x + (first_row + q) * columns) : T{};
    // The first group of a slice is its longest.
    const LocalIndex longest = __shfl_sync(whole_warp, length, 0);
    for (LocalIndex j = 0; j < longest; j += at_once) {
      LocalIndex column[at_once];
      T value[at_once][rows], loaded[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const bool active = j + u < length;
        column[u] = active ? base + __ldcs(indices + warp_size * u) : nowhere;
#pragma unroll
        for (int q = 0; q < rows; ++q) {
          value[u][q] = active ? __ldcs(values + warp_size * (rows * u + q)) : T{};
        }
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        loaded[u] = column[u] == nowhere ? T{} : __ldg(x + column[u] * columns);
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        T to_column = value[u][0] * own[0];
        sum[0] += value[u][0] * loaded[u];
#pragma unroll
        for (int q = 1; q < rows; ++q) {
          to_column += value[u][q] * own[q];
          sum[q] += value[u][q] * loaded[u];
        }
        const LocalIndex target = column[u] < first_row ? column[u] : nowhere;
        if constexpr (rows == 1) {
          if (target != nowhere) atomicAdd(y + target * columns, to_column);
        } else {
          sums[lane * rows + u % rows] = to_column;
          targets[lane * rows + u % rows] = target;
          if (u % rows == rows - 1) {
            __syncwarp();
#pragma unroll
            for (int k = 0; k < rows; ++k) {
              const LocalIndex other = targets[k * warp_size + lane];
              if (other != nowhere) {
                atomicAdd(y + other * columns, sums[k * warp_size + lane]);
              }
            }
            __syncwarp();
          }
        }
      }
      indices += warp_size * at_once;
      values += warp_size * rows * at_once;
    }
    if (!used) continue;
#pragma unroll
    for (int q = 0; q < rows; ++q) atomicAdd(y + (first_row + q) * columns, sum[q]);
  }
}

}  // namespace

template <typename T>
void symmetric_groups(SymmetricGroups<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  const NvtxRange range("symmetric_groups");
  CUDA_CHECK(cudaMemsetAsync(y, 0, static_cast<std::size_t>(a.rows * columns) * sizeof(T),
                             current_stream()));
  for (Index c = 0; c < columns; ++c) {
    for_each_group_size([&]<int rows>() {
      with_view(a.groups[rows - 1], [&](const auto& view) {
        symmetric_kernel<rows><<<grid_for(view.count, block), block, 0, current_stream()>>>(
            view, x + c, y + c, columns);
        check_launch("symmetric_groups");
      });
    });
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(symmetric_groups)

}  // namespace spsolve::cuda::multiply
