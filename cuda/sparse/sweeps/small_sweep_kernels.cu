#include <cuda_pipeline.h>

#include "cuda/sparse/sweeps/contribution_sums.cuh"
#include "cuda/sparse/sweeps/sweep_tasks.cuh"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 64;
constexpr int warps = threads / warp_size;

/// Columns that a warp takes at a time where a front is too large for more.
constexpr int few_columns = 8;

/// A warp's shared memory: the vectors in the rows of its front, its pivots' apart, and its factors
/// where there is room for them. A front has two to ten pivots mostly, and it waits for trips to
/// memory, one after the other: its place, then all that this names at once.
template <typename T>
struct WarpSpace {
  static constexpr int size = small_front * 2 * few_columns;

  T elements[size];
  ContributionSumSpace<T, warp_size, small_front> contribution_sums;
};

/// From one column of factors to the next in shared memory: lanes that read a row of them, or a
/// column, are in different banks.
__device__ inline int stride_of(const FrontLayout& layout) {
  return layout.ld | 1;
}

/// Whether a front's factors have room next to its vectors of `width` columns.
template <typename T>
__device__ bool has_room_for_factors(const FrontLayout& layout, int width) {
  return stride_of(layout) * layout.pivots + (2 * layout.pivots + layout.border) * width <=
         WarpSpace<T>::size;
}

/// A warp's work with one front for `width` columns of vectors from `first_column` on. A lane has a
/// column, and every `groups`-th row from its group's number on: what is handed on from one row is
/// one line of memory. `staged`: the factors are brought to shared memory, in one trip and before
/// anything is waited for.
template <typename T, int width, bool staged>
class SmallFront {
 public:
  __device__ SmallFront(const Sweep<T>& sweep, const SweepFront<T>& front, WarpSpace<T>& space,
                        int first_column)
      : sweep_(sweep),
        layout_(front.layout),
        space_(space),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        column_(lane_ % width),
        group_(lane_ / width),
        outside_(first_column + column_),
        has_column_(outside_ < sweep.columns),
        rows_(layout_.pivots + layout_.border),
        stride_(staged ? stride_of(layout_) : layout_.ld) {}

  __device__ void forward(const T* lower) {
    const int p = layout_.pivots;
    const T* const f = factors(lower);
    load_starts(sweep_, layout_.first_row(), rows_, lane_, space_.contribution_sums);
    load_pivots();
    for (int r = p + group_; r < rows_; r += groups) row(r) = 0;
    there();
    add_contributions<width>(
        sweep_, rows_, lane_, outside_, space_.contribution_sums,
        [&](int r) -> T& { return row(r); }, [] { __syncwarp(); });
    for (int r = group_; r < p; r += groups) {
      const T solved = product(f + r, stride_, p, rows());
      pivot(r) = solved;
      if (has_column_) publish(of_row(sweep_.x, layout_.first + r), solved);
    }
    __syncwarp();
    for (int r = p + group_; r < rows_; r += groups) {
      const T sum = product(f + r, stride_, p, pivots());
      if (has_column_)
        publish(of_row(sweep_.contribution, layout_.border_begin + r - p), row(r) - sum);
    }
    __syncwarp();
  }

  __device__ void backward(const T* upper) {
    const int p = layout_.pivots;
    const T* const f = factors(upper);
    load_pivots();
    load_border();
    there();
    for (int j = group_; j < p; j += groups) {
      pivot(j) =
          row(j) - product(f + j * stride_ + p, 1, layout_.border, rows() + p * Index{width});
    }
    __syncwarp();
    for (int j = group_; j < p; j += groups) {
      const T x = product(f + j * stride_, 1, p, pivots());
      if (has_column_) publish(of_row(sweep_.x, layout_.first + j), x);
    }
    __syncwarp();
  }

 private:
  static constexpr int groups = warp_size / width;
  static constexpr int batch = 8;

  __device__ T* rows() const { return space_.elements; }
  __device__ T* pivots() const { return space_.elements + rows_ * width; }
  __device__ T& row(int r) const { return rows()[r * width + column_]; }
  __device__ T& pivot(int r) const { return pivots()[r * width + column_]; }
  template <typename Any>
  __device__ Any* of_row(Any* all, Index number) const {
    return all + number * sweep_.columns + outside_;
  }

  /// Where the factors are to be read, once there() has been called.
  __device__ const T* factors(const T* from) const {
    if constexpr (!staged) return from;
    T* const to = pivots() + layout_.pivots * width;
    for (int j = 0; j < layout_.pivots; ++j) {
      for (int r = lane_; r < rows_; r += warp_size) {
        __pipeline_memcpy_async(to + r + j * stride_, from + r + j * layout_.ld, sizeof(T));
      }
    }
    __pipeline_commit();
    return to;
  }
  /// All lanes see the values that were put to shared memory.
  __device__ void there() const {
    if constexpr (staged) __pipeline_wait_prior(0);
    __syncwarp();
  }

  /// rows <- b of the pivots
  __device__ void load_pivots() const {
#pragma unroll 4
    for (int r = group_; r < layout_.pivots; r += groups) {
      row(r) = has_column_ ? __ldg(of_row(sweep_.b, layout_.first + r)) : T(0);
    }
  }

  /// rows <- x of the border, as soon as it is there
  __device__ void load_border() const {
    const int* const border = sweep_.border + layout_.border_begin;
    for (int first = group_; first < layout_.border; first += batch * groups) {
      T* places[batch];
      T values[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const int r = first + i * groups;
        places[i] = r < layout_.border && has_column_ ? of_row(sweep_.x, border[r]) : nullptr;
      }
      take_published(places, values);
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const int r = first + i * groups;
        if (r < layout_.border) row(layout_.pivots + r) = values[i];
      }
    }
  }

  /// sum over 0 <= k < count of f[k step] z(k, own column)
  __device__ T product(const T* f, int step, int count, const T* z) const {
    constexpr int at_once = staged ? 4 : 8;
    T sum = 0;
    for (int first = 0; first < count; first += at_once) {
      T values[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        values[i] = first + i < count ? f[(first + i) * step] : T(0);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (first + i < count) sum += values[i] * z[(first + i) * width + column_];
      }
    }
    return sum;
  }

  const Sweep<T>& sweep_;
  const FrontLayout& layout_;
  WarpSpace<T>& space_;
  int lane_, column_, group_;
  int outside_;  ///< the lane's column outside
  bool has_column_;
  int rows_;
  int stride_;  ///< of the factors
};

template <bool goes_up, int width, bool staged, typename T>
__device__ void work(const Sweep<T>& sweep, const SweepFront<T>& front, WarpSpace<T>& space,
                     int first_column) {
  SmallFront<T, width, staged> small(sweep, front, space, first_column);
  if constexpr (goes_up) {
    small.forward(front.lower);
  } else {
    small.backward(front.upper);
  }
}

/// Warps take fronts in turn, all warps at once: those that a front waits for are taken before it.
template <bool goes_up, typename T, int width>
__global__ void __launch_bounds__(threads)
    small_sweep_kernel(Sweep<T> sweep, const int* list, int count) {
  __shared__ WarpSpace<T> all[warps];
  WarpSpace<T>& space = all[threadIdx.x / warp_size];
  constexpr int few = width < few_columns ? width : few_columns;
  const int all_warps = static_cast<int>(gridDim.x) * warps;
  for (int i = static_cast<int>(thread_index() / warp_size); i < count; i += all_warps) {
    const SweepFront<T> front(sweep, list[goes_up ? i : count - 1 - i]);
    if (has_room_for_factors<T>(front.layout, width)) {
      work<goes_up, width, true>(sweep, front, space, 0);
      continue;
    }
    for (int first = 0; first < sweep.columns; first += few) {
      if (has_room_for_factors<T>(front.layout, few)) {
        work<goes_up, few, true>(sweep, front, space, first);
      } else {
        work<goes_up, few, false>(sweep, front, space, first);
      }
    }
  }
}

template <bool goes_up, int width, typename T>
void launch(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream) {
  const auto kernel = small_sweep_kernel<goes_up, T, width>;
  kernel<<<blocks_at_once(kernel, threads, (count + warps - 1) / warps), threads, 0, stream>>>(
      sweep, list, static_cast<int>(count));
  check_launch("small_sweep");
}

template <bool goes_up, typename T>
void run(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream) {
  if (count == 0) return;
  if (sweep.columns == 1) return launch<goes_up, 1>(sweep, list, count, stream);
  if (sweep.columns <= 4) return launch<goes_up, 4>(sweep, list, count, stream);
  if (sweep.columns <= few_columns) {
    return launch<goes_up, few_columns>(sweep, list, count, stream);
  }
  launch<goes_up, most_sweep_columns>(sweep, list, count, stream);
}

}  // namespace

template <typename T>
void sweep_small_forward(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream) {
  run<true>(sweep, list, count, stream);
}

template <typename T>
void sweep_small_backward(const Sweep<T>& sweep, const int* list, Index count,
                          cudaStream_t stream) {
  run<false>(sweep, list, count, stream);
}

SPSOLVE_INSTANTIATE_FUNCTION(sweep_small_forward)
SPSOLVE_INSTANTIATE_FUNCTION(sweep_small_backward)

}  // namespace spsolve::cuda::sparse
