#include "cuda/core/sum_of_lanes.cuh"
#include "cuda/sparse/sweeps/published.cuh"
#include "cuda/sparse/sweeps/small_wide_sweep_kernels.hpp"
#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 128;
constexpr int warps = threads / warp_size;

/// Rows of a small front that a lane has.
constexpr int own_rows = small_front / warp_size;

/// Pivots whose sums over rows are taken together.
constexpr int some = 8;

/// A warp's vectors: the rows of its front.
template <typename T, int most>
using Rows = T[small_front][most];

template <typename T>
__device__ const T* lower_of(const Sweep<T>& sweep, const FrontPlace& place) {
  return sweep.factors + (sweep.transposed ? place.upper : place.lower);
}
template <typename T>
__device__ const T* upper_of(const Sweep<T>& sweep, const FrontPlace& place) {
  return sweep.factors + (sweep.transposed ? place.lower : place.upper);
}

/// What children hand up to a row beyond which all lanes add it up: a hub of a graph has tens of
/// thousands of children.
constexpr unsigned long_row = 64;

/// sum <- sum + rows begin, begin + step, ... before `end` of what is handed up.
template <typename T, int most>
__device__ void add_handed_up(const Sweep<T>& sweep, unsigned begin, unsigned end, unsigned step,
                              T (&sum)[most]) {
  const int columns = sweep.columns;
  for (unsigned e = begin; e < end; e += step) {
    T* from = sweep.passed_up + sweep.taken[e] * Index{columns};
#pragma unroll
    for (int c = 0; c < most; ++c) {
      if (c < columns) sum[c] += published(from + c);
    }
  }
}

/// rows <- x of the pivots, and what children hand up.
template <typename T, int most>
__device__ void take_in(const Sweep<T>& sweep, const FrontPlace& place, Rows<T, most>& rows) {
  const int lane = threadIdx.x % warp_size, columns = sweep.columns;
  const int count = place.pivots + place.border;
  for (int first = 0; first < count; first += warp_size) {
    const int r = first + lane;
    const Index row = place.first_row() + r;
    const unsigned begin = r < count ? sweep.taken_starts[row] : 0;
    const unsigned end = r < count ? sweep.taken_starts[row + 1] : 0;
    const bool is_long = end - begin > long_row;
    T sum[most] = {};
    if (r < place.pivots) {
#pragma unroll
      for (int c = 0; c < most; ++c) {
        if (c < columns) sum[c] = sweep.b[(place.first + r) * Index{columns} + c];
      }
    }
    if (!is_long) add_handed_up(sweep, begin, end, 1, sum);
    __syncwarp();
    for (unsigned left = __ballot_sync(whole_warp, is_long); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      T part[most] = {};
      add_handed_up(sweep, __shfl_sync(whole_warp, begin, owner) + lane,
                    __shfl_sync(whole_warp, end, owner), warp_size, part);
      __syncwarp();
#pragma unroll
      for (int c = 0; c < most; ++c) {
        const T all = __shfl_sync(whole_warp, sum_of_group<warp_size>(part[c]), 0);
        if (lane == owner) sum[c] += all;
      }
    }
    if (r < count) {
#pragma unroll
      for (int c = 0; c < most; ++c) rows[r][c] = sum[c];
    }
  }
  __syncwarp();
}

/// sums of this lane's rows begin + lane, ... of F times the vectors in `rows`.
template <typename T, int most>
__device__ void multiply(const T* f, int ld, int begin, int end, int pivots,
                         const Rows<T, most>& rows, T (&sums)[own_rows][most]) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int q = 0; q < own_rows; ++q) {
    const int r = begin + lane + q * warp_size;
    if (r >= end) continue;
#pragma unroll 8
    for (int j = 0; j < pivots; ++j) {
      const T value = f[r + j * ld];
#pragma unroll
      for (int c = 0; c < most; ++c) sums[q][c] += value * rows[j][c];
    }
  }
}

template <typename T, int most>
__device__ void forward(const Sweep<T>& sweep, const FrontPlace& place, Rows<T, most>& rows) {
  const int lane = threadIdx.x % warp_size, columns = sweep.columns;
  const int p = place.pivots, n = p + place.border;
  const T* f = lower_of(sweep, place);
  take_in(sweep, place, rows);
  T solved[own_rows][most] = {};
  multiply(f, place.ld, 0, p, p, rows, solved);
  __syncwarp();
#pragma unroll
  for (int q = 0; q < own_rows; ++q) {
    const int r = lane + q * warp_size;
    if (r >= p) continue;
#pragma unroll
    for (int c = 0; c < most; ++c) {
      rows[r][c] = solved[q][c];
      if (c < columns) publish(sweep.x + (place.first + r) * Index{columns} + c, solved[q][c]);
    }
  }
  __syncwarp();
  if (place.border == 0) return;
  T sums[own_rows][most] = {};
  multiply(f, place.ld, p, n, p, rows, sums);
#pragma unroll
  for (int q = 0; q < own_rows; ++q) {
    const int r = p + lane + q * warp_size;
    if (r >= n) continue;
    T* to = sweep.passed_up + (place.border_begin + r - p) * columns;
#pragma unroll
    for (int c = 0; c < most; ++c) {
      if (c < columns) publish(to + c, rows[r][c] - sums[q][c]);
    }
  }
}

/// to[j] <- sum over rows begin <= r < end of F(r, j) rows[r], or what of(j, c, sum) makes of it.
template <typename T, int most, typename Of>
__device__ void multiply_transposed(const T* f, int ld, int begin, int end, int pivots, int columns,
                                    const Rows<T, most>& rows, const Of& of) {
  const int lane = threadIdx.x % warp_size;
  for (int j = 0; j < pivots; j += some) {
    T values[own_rows][some];
#pragma unroll
    for (int q = 0; q < own_rows; ++q) {
      const int r = begin + lane + q * warp_size;
#pragma unroll
      for (int k = 0; k < some; ++k) {
        values[q][k] = r < end && j + k < pivots ? f[r + (j + k) * ld] : T(0);
      }
    }
#pragma unroll
    for (int c = 0; c < most; ++c) {
      if (c >= columns) break;
      T sums[some] = {};
#pragma unroll
      for (int q = 0; q < own_rows; ++q) {
        const int r = begin + lane + q * warp_size;
        const T x = r < end ? rows[r][c] : T(0);
#pragma unroll
        for (int k = 0; k < some; ++k) sums[k] += values[q][k] * x;
      }
      const T sum = sum_of_lanes(sums);
      const int own = j + sum_of_this_lane<some>();
      if (has_own_sum<some>() && own < pivots) of(own, c, sum);
    }
  }
}

template <typename T, int most>
__device__ void backward(const Sweep<T>& sweep, const FrontPlace& place, Rows<T, most>& rows) {
  const int lane = threadIdx.x % warp_size, columns = sweep.columns;
  const int p = place.pivots, n = p + place.border;
  const T* f = upper_of(sweep, place);
  for (int r = lane; r < n; r += warp_size) {
    const int row = r < p ? place.first + r : sweep.border[place.border_begin + r - p];
#pragma unroll
    for (int c = 0; c < most; ++c) {
      const Index at = row * Index{columns} + c;
      rows[r][c] = c >= columns ? T(0) : r < p ? sweep.b[at] : published(sweep.x + at);
    }
  }
  __syncwarp();
  multiply_transposed<T, most>(f, place.ld, p, n, p, columns, rows,
                               [&](int j, int c, T sum) { rows[j][c] -= sum; });
  __syncwarp();
  multiply_transposed<T, most>(f, place.ld, 0, p, p, columns, rows, [&](int j, int c, T sum) {
    publish(sweep.x + (place.first + j) * Index{columns} + c, sum);
  });
  __syncwarp();
}

/// Warps take fronts in turn, all warps at once: those that a front waits for are taken before it.
template <typename T, int most>
__global__ void __launch_bounds__(threads)
    small_sweep_kernel(Sweep<T> sweep, const int* list, int count, bool goes_up) {
  __shared__ Rows<T, most> all[warps];
  Rows<T, most>& rows = all[threadIdx.x / warp_size];
  const int all_warps = static_cast<int>(gridDim.x) * warps;
  for (int i = static_cast<int>(thread_index() / warp_size); i < count; i += all_warps) {
    const int s = list[goes_up ? i : count - 1 - i];
    const FrontPlace place = sweep.places[s];
    if (goes_up) {
      forward<T, most>(sweep, place, rows);
    } else {
      backward<T, most>(sweep, place, rows);
    }
    __syncwarp();
  }
}

template <typename T, int most>
void launch(const Sweep<T>& sweep, const int* list, Index count, bool goes_up,
            cudaStream_t stream) {
  const auto kernel = small_sweep_kernel<T, most>;
  kernel<<<blocks_at_once(kernel, threads, (count + warps - 1) / warps), threads, 0, stream>>>(
      sweep, list, static_cast<int>(count), goes_up);
  check_launch("small_sweep");
}

template <typename T>
void run(const Sweep<T>& sweep, const int* list, Index count, bool goes_up, cudaStream_t stream) {
  if (count == 0) return;
  if (sweep.columns == 1) return launch<T, 1>(sweep, list, count, goes_up, stream);
  if (sweep.columns <= 4) return launch<T, 4>(sweep, list, count, goes_up, stream);
  sweep_small_wide(goes_up, sweep, list, count, stream);
}

}  // namespace

template <typename T>
void sweep_small_forward(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream) {
  run(sweep, list, count, true, stream);
}

template <typename T>
void sweep_small_backward(const Sweep<T>& sweep, const int* list, Index count,
                          cudaStream_t stream) {
  run(sweep, list, count, false, stream);
}

template void sweep_small_forward(const Sweep<float>&, const int*, Index, cudaStream_t);
template void sweep_small_forward(const Sweep<double>&, const int*, Index, cudaStream_t);
template void sweep_small_backward(const Sweep<float>&, const int*, Index, cudaStream_t);
template void sweep_small_backward(const Sweep<double>&, const int*, Index, cudaStream_t);

}  // namespace spsolve::cuda
