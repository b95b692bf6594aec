#include "cuda/sparse/sweeps/published.cuh"
#include "cuda/sparse/sweeps/small_wide_sweep_kernels.hpp"
#include "cuda/sparse/sweeps/sweep_tasks.cuh"

namespace spsolve::cuda {

namespace {

constexpr int threads = 64;
constexpr int warps = threads / warp_size;

/// What children hand up to a row beyond which all lanes of its column add it up.
constexpr unsigned long_row = 64;

/// A warp's vectors: the rows of its front, and what becomes of its pivots.
template <typename T, int width>
struct Space {
  T rows[small_front][width];
  T pivots[small_front][width];
};

/// A lane's column, and the rows that it has: every `count`-th from its group's number on.
template <int width>
struct LaneOfColumn {
  static constexpr int count = warp_size / width;
  int column = static_cast<int>(threadIdx.x) % width;
  int group = static_cast<int>(threadIdx.x) % warp_size / width;
};

/// A front's pivots and rows, the columns of vectors, and whether a lane's is one of these.
struct Sizes {
  int pivots, rows, columns;
  bool has_column;
};

template <typename T>
__device__ Sizes sizes_of(const Sweep<T>& sweep, const FrontPlace& place, int column) {
  return {place.pivots, place.pivots + place.border, sweep.columns, column < sweep.columns};
}

/// The sum of what is handed up to rows begin, begin + step, ... before `end`, for a lane's column;
/// loads of several go side by side.
template <typename T>
__device__ T handed_up(const Sweep<T>& sweep, unsigned begin, unsigned end, unsigned step,
                       int column) {
  constexpr int batch = 4;
  T sum = 0;
  for (unsigned e = begin; e < end; e += batch * step) {
    T* places[batch];
    T values[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const unsigned at = e + i * step;
      places[i] =
          at < end ? sweep.passed_up + sweep.taken[at] * Index{sweep.columns} + column : nullptr;
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      values[i] = places[i] != nullptr
                      ? PublishedPlace<T>(*places[i]).load(::cuda::memory_order_relaxed)
                      : T(0);
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      if (is_missing(values[i])) values[i] = published(places[i]);
      sum += values[i];
    }
  }
  return sum;
}

/// rows <- b of the pivots, and what children hand up.
template <typename T, int width>
__device__ void take_in(const Sweep<T>& sweep, const FrontPlace& place, Space<T, width>& space) {
  using Lane = LaneOfColumn<width>;
  const Lane lane;
  const auto [p, n, columns, has_column] = sizes_of(sweep, place, lane.column);
  const unsigned* const starts = sweep.taken_starts + place.first_row();
  bool any_long = false;
  for (int r = lane.group; r < n; r += Lane::count) {
    const unsigned begin = starts[r], end = starts[r + 1];
    const bool is_long = end - begin > long_row;
    any_long |= is_long;
    T sum = 0;
    if (has_column) {
      if (r < p) sum = sweep.b[(place.first + r) * Index{columns} + lane.column];
      if (!is_long) sum += handed_up(sweep, begin, end, 1, lane.column);
    }
    space.rows[r][lane.column] = sum;
  }
  __syncwarp();
  if (!__any_sync(whole_warp, any_long)) return;
  for (int r = 0; r < n; ++r) {
    const unsigned begin = starts[r], end = starts[r + 1];
    if (end - begin <= long_row) continue;
    T sum = has_column ? handed_up(sweep, begin + lane.group, end, Lane::count, lane.column) : T(0);
    __syncwarp();
#pragma unroll
    for (int distance = width; distance < warp_size; distance *= 2) {
      sum += __shfl_xor_sync(whole_warp, sum, distance);
    }
    if (lane.group == 0) space.rows[r][lane.column] += sum;
  }
  __syncwarp();
}

/// sum over 0 <= k < count of f[k step] z[k][column]
template <typename T, int width>
__device__ T product(const T* f, Index step, int count, const T (*z)[width], int column) {
  T sum = 0;
#pragma unroll 8
  for (int k = 0; k < count; ++k) sum += __ldg(f + k * step) * z[k][column];
  return sum;
}

template <typename T, int width>
__device__ void forward(const Sweep<T>& sweep, const SweepFront<T>& front, Space<T, width>& space) {
  const FrontPlace& place = front.place;
  using Lane = LaneOfColumn<width>;
  const Lane lane;
  const auto [p, n, columns, has_column] = sizes_of(sweep, place, lane.column);
  take_in(sweep, place, space);
  for (int r = lane.group; r < p; r += Lane::count) {
    const T solved = product<T, width>(front.lower + r, place.ld, p, space.rows, lane.column);
    space.pivots[r][lane.column] = solved;
    if (has_column) publish(sweep.x + (place.first + r) * Index{columns} + lane.column, solved);
  }
  __syncwarp();
  if (place.border == 0) return;
  for (int r = p + lane.group; r < n; r += Lane::count) {
    const T sum = product<T, width>(front.lower + r, place.ld, p, space.pivots, lane.column);
    if (!has_column) continue;
    publish(sweep.passed_up + (place.border_begin + r - p) * columns + lane.column,
            space.rows[r][lane.column] - sum);
  }
}

template <typename T, int width>
__device__ void backward(const Sweep<T>& sweep, const SweepFront<T>& front,
                         Space<T, width>& space) {
  const FrontPlace& place = front.place;
  using Lane = LaneOfColumn<width>;
  const Lane lane;
  const auto [p, n, columns, has_column] = sizes_of(sweep, place, lane.column);
  for (int r = lane.group; r < n; r += Lane::count) {
    const int row = r < p ? place.first + r : sweep.border[place.border_begin + r - p];
    const Index at = row * Index{columns} + lane.column;
    space.rows[r][lane.column] = !has_column ? T(0) : r < p ? sweep.b[at] : published(sweep.x + at);
  }
  __syncwarp();
  for (int j = lane.group; j < p; j += Lane::count) {
    const T* const column = front.upper + j * Index{place.ld};
    space.pivots[j][lane.column] =
        space.rows[j][lane.column] -
        product<T, width>(column + p, 1, n - p, space.rows + p, lane.column);
  }
  __syncwarp();
  for (int j = lane.group; j < p; j += Lane::count) {
    const T* const column = front.upper + j * Index{place.ld};
    const T x = product<T, width>(column, 1, p, space.pivots, lane.column);
    if (has_column) publish(sweep.x + (place.first + j) * Index{columns} + lane.column, x);
  }
}

/// Warps take fronts in turn, all warps at once: those that a front waits for are taken before it.
template <typename T, int width>
__global__ void __launch_bounds__(threads)
    small_wide_sweep_kernel(Sweep<T> sweep, const int* list, int count, bool goes_up) {
  __shared__ Space<T, width> all[warps];
  Space<T, width>& space = all[threadIdx.x / warp_size];
  const int all_warps = static_cast<int>(gridDim.x) * warps;
  for (int i = static_cast<int>(thread_index() / warp_size); i < count; i += all_warps) {
    const SweepFront<T> front(sweep, list[goes_up ? i : count - 1 - i]);
    goes_up ? forward(sweep, front, space) : backward(sweep, front, space);
    __syncwarp();
  }
}

template <typename T, int width>
void launch(bool forward, const Sweep<T>& sweep, const int* list, Index count,
            cudaStream_t stream) {
  const auto kernel = small_wide_sweep_kernel<T, width>;
  kernel<<<blocks_at_once(kernel, threads, (count + warps - 1) / warps), threads, 0, stream>>>(
      sweep, list, static_cast<int>(count), forward);
  check_launch("small_wide_sweep");
}

}  // namespace

template <typename T>
void sweep_small_wide(bool forward, const Sweep<T>& sweep, const int* list, Index count,
                      cudaStream_t stream) {
  if (sweep.columns <= 8) return launch<T, 8>(forward, sweep, list, count, stream);
  launch<T, most_sweep_columns>(forward, sweep, list, count, stream);
}

template void sweep_small_wide(bool, const Sweep<float>&, const int*, Index, cudaStream_t);
template void sweep_small_wide(bool, const Sweep<double>&, const int*, Index, cudaStream_t);

}  // namespace spsolve::cuda
