#include <algorithm>

#include "cuda/core/programmatic_launch.cuh"
#include "cuda/sparse/fronts/contribution_block.cuh"
#include "cuda/sparse/fronts/element_sum.cuh"
#include "cuda/sparse/fronts/front_kernels.hpp"
#include "cuda/sparse/pivots/diagonal_block.cuh"
#include "cuda/sparse/pivots/multiplier.cuh"

namespace spsolve::cuda::inline sparse {

namespace {

/// A front in shared memory, (p + m) x (p + m), column-major. Symmetric fronts have the lower
/// triangle before pivots are eliminated.
template <typename T>
struct SharedFront {
  T* values;
  int stride;
  int pivots, rows;

  __device__ T& at(int row, int column) const { return values[column * stride + row]; }
};

template <Factorization kind, typename T>
__device__ void read_front(const FrontLayout& layout, const T* arena, const SharedFront<T>& front) {
  const int p = front.pivots, n = front.rows;
  for (int i = threadIdx.x; i < n * (n - p); i += blockDim.x) front.at(i % n, p + i / n) = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n * p; i += blockDim.x) {
    const int row = i % n, column = i / n;
    front.at(row, column) = arena[layout.lower + i];
    if (kind == Factorization::lu && row >= p) front.at(column, row) = arena[layout.upper + i];
  }
  __syncthreads();
}

/// Adds the contribution blocks of children, in their order. Lanes look at 32 children at a time,
/// and threads load their first element of a few before they add one: each is three trips to memory
/// away.
template <Factorization kind, typename T>
__device__ void add_children(const DeviceFronts<T>& fronts, const FrontLayout& layout,
                             const SharedFront<T>& front) {
  constexpr int batch = 4;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int child_end = layout.child_end - layout.elementwise_children;
  for (int base = layout.child_begin; base < child_end; base += warp_size) {
    const int count = min(warp_size, child_end - base);
    ContributionBlock own = {};
    if (lane < count) own = ContributionBlock(fronts.layouts[fronts.children[base + lane]]);
    for (int first = 0; first < count; first += batch) {
      ContributionBlock child[batch];
      T values[batch];
      int rows[batch], columns[batch];  // in the parent; -1 where there is nothing
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        child[b] = own.of_lane(min(first + b, count - 1));
        const int m = child[b].size, e = static_cast<int>(threadIdx.x);
        const int r = m == 0 ? 0 : e % m, c = m == 0 ? 0 : e / m;
        rows[b] = -1;
        if (first + b >= count || e >= m * m || (kind != Factorization::lu && r < c)) continue;
        const int* const in_parent = fronts.in_parent + child[b].border_begin;
        rows[b] = in_parent[r];
        columns[b] = in_parent[c];
        values[b] = fronts.arena[child[b].begin + r + c * child[b].ld];
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        if (first + b >= count) break;
        if (rows[b] >= 0) front.at(rows[b], columns[b]) += values[b];
        const int m = child[b].size;
        const int* const in_parent = fronts.in_parent + child[b].border_begin;
        const T* const block = fronts.arena + child[b].begin;
        for (int e = threadIdx.x + blockDim.x; e < m * m; e += blockDim.x) {
          const int r = e % m, c = e / m;
          if (kind != Factorization::lu && r < c) continue;
          front.at(in_parent[r], in_parent[c]) += block[r + c * child[b].ld];
        }
        __syncthreads();
      }
    }
  }
}

/// Adds the contribution blocks of many small children: some lanes to an element.
template <typename T>
__device__ void add_elementwise(const DeviceFronts<T>& fronts, const FrontLayout& layout,
                                const SharedFront<T>& front) {
  constexpr int lanes = 8;
  const int teams = static_cast<int>(blockDim.x) / lanes;
  const int team = static_cast<int>(threadIdx.x) / lanes;
  // Whole warps take part in the sums of groups of lanes.
  for (int base = layout.elementwise_begin; base < layout.elementwise_end; base += teams) {
    const int i = base + team;
    const AssembledElement element =
        i < layout.elementwise_end ? fronts.elementwise[i] : AssembledElement{0, 0, 0};
    const T sum = element_sum<lanes>(fronts, element);
    if (threadIdx.x % lanes == 0 && i < layout.elementwise_end) front.values[element.place] += sum;
  }
  __syncthreads();
}

/// L21 = F21 U^-1 or the like, and U12 = L^-1 P F12, in their places; a warp a row of L21 and a
/// column of U12. Hands back the largest multiplier that this thread has made.
template <Factorization kind, typename T, int side>
__device__ Real<T> eliminate_border(const DiagonalBlock<T, side>& block,
                                    const SharedFront<T>& front) {
  constexpr int parts = (side + warp_size - 1) / warp_size;
  const int p = front.pivots, n = front.rows;
  const int lane = threadIdx.x % warp_size, warps = blockDim.x / warp_size;
  Real<T> most = 0;
  for (int r = p + static_cast<int>(threadIdx.x) / warp_size; r < n; r += warps) {
    T left[parts], right[parts];
#pragma unroll
    for (int q = 0; q < parts; ++q) {
      const int j = lane + q * warp_size;
      left[q] = right[q] = 0;
      if (j >= p) continue;
      for (int k = 0; k < p; ++k) {
        const T f = front.at(r, k);
        const T l = block.lower[k * block.stride + j];
        if constexpr (kind == Factorization::cholesky) {
          left[q] += f * l;
        } else {
          left[q] += f * block.upper[k * block.stride + j];
          right[q] += (kind == Factorization::lu ? front.at(k, r) : f) * l;
        }
      }
    }
    __syncwarp();
#pragma unroll
    for (int q = 0; q < parts; ++q) {
      const int j = lane + q * warp_size;
      if (j >= p) continue;
      front.at(r, j) = left[q];
      front.at(j, r) = kind == Factorization::cholesky ? left[q] : right[q];
      most = fmax(most, magnitude(left[q]));
    }
  }
  __syncthreads();
  return most;
}

/// F22 <- F22 - L21 U12.
template <Factorization kind, typename T>
__device__ void update_border(const SharedFront<T>& front) {
  const int p = front.pivots, m = front.rows - p;
  for (int e = threadIdx.x; e < m * m; e += blockDim.x) {
    const int r = p + e % m, c = p + e / m;
    if (kind != Factorization::lu && r < c) continue;
    T sum = 0;
    for (int k = 0; k < p; ++k) sum += front.at(r, k) * front.at(k, c);
    front.at(r, c) -= sum;
  }
  __syncthreads();
}

template <Factorization kind, typename T, int side>
__device__ void write_front(const FrontLayout& layout, const DiagonalBlock<T, side>& block,
                            const SharedFront<T>& front, T* arena) {
  const int p = front.pivots, n = front.rows, m = n - p;
  for (int i = threadIdx.x; i < n * p; i += blockDim.x) {
    const int row = i % n, column = i / n;
    arena[layout.lower + i] =
        row < p ? block.lower[column * block.stride + row] : front.at(row, column);
    if (kind != Factorization::cholesky) {
      arena[layout.upper + i] =
          row < p ? block.upper[column * block.stride + row] : front.at(column, row);
    }
  }
  for (int e = threadIdx.x; e < m * m; e += blockDim.x) {
    const int r = e % m, c = e / m;
    if (kind != Factorization::lu && r < c) continue;
    arena[layout.contribution + e] = front.at(p + r, p + c);
  }
}

template <Factorization kind, typename T, int side>
__global__ void eliminate_small_kernel(DeviceFronts<T> fronts, const int* list) {
  extern __shared__ __align__(16) unsigned char raw[];
  auto& block = *reinterpret_cast<DiagonalBlock<T, side>*>(raw);
  const FrontLayout layout = fronts.layouts[list[blockIdx.x]];
  const int p = layout.pivots, n = p + layout.border;
  const SharedFront<T> front{reinterpret_cast<T*>(raw + sizeof(block)), small_front_stride(n), p,
                             n};
  read_front<kind>(layout, fronts.arena, front);  // which no other launch in turn writes
  trigger_and_wait();
  add_children<kind>(fronts, layout, front);
  if (layout.elementwise_begin < layout.elementwise_end) add_elementwise(fronts, layout, front);
  fill<kind>(block, p, [&](int row, int column) { return front.at(row, column); });
  invert<kind>(block, p, SmallPivots<T>{fronts.least, fronts.raised}, layout.first, fronts.tally);
  const Real<T> most = eliminate_border<kind>(block, front);
  update_border<kind>(front);
  write_front<kind>(layout, block, front, fronts.arena);
  if constexpr (kind != Factorization::cholesky) {
    count_multiplier(most, &fronts.tally->largest_multiplier);
  }
}

template <Factorization kind, typename T, int side>
void launch(const DeviceFronts<T>& fronts, const int* list, Index count, int rows, bool follows,
            cudaStream_t stream) {
  const int bytes = static_cast<int>(sizeof(DiagonalBlock<T, side>) +
                                     sizeof(T) * small_front_stride(rows) * rows);
  // Where there are processors enough for all, a front takes as long as its longest thread.
  constexpr int most_threads = 256;
  const int enough = side == pivot_block ? 4 * side : std::max(2 * side, 2 * rows);
  const int threads = count <= processors_of_gpu ? most_threads : enough;
  CUDA_CHECK(cudaFuncSetAttribute(eliminate_small_kernel<kind, T, side>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  launch_programmatic(eliminate_small_kernel<kind, T, side>, dim3(static_cast<unsigned>(count)),
                      threads, bytes, follows, stream, fronts, list);
  check_launch("eliminate_small");
}

template <Factorization kind, typename T>
void launch_side(const DeviceFronts<T>& fronts, const int* list, Index count, int rows, int side,
                 bool follows, cudaStream_t stream) {
  if (side == 16) return launch<kind, T, 16>(fronts, list, count, rows, follows, stream);
  if (side == 32) return launch<kind, T, 32>(fronts, list, count, rows, follows, stream);
  launch<kind, T, 64>(fronts, list, count, rows, follows, stream);
}

}  // namespace

template <typename T>
void eliminate_small(Factorization kind, const DeviceFronts<T>& fronts, const int* list,
                     Index count, int rows, int side, bool follows, cudaStream_t stream) {
  if (count == 0) return;
  switch (kind) {
    case Factorization::cholesky:
      return launch_side<Factorization::cholesky>(fronts, list, count, rows, side, follows, stream);
    case Factorization::ldlt:
    case Factorization::ldlh:  // numbers are real here
      return launch_side<Factorization::ldlt>(fronts, list, count, rows, side, follows, stream);
    case Factorization::lu:
      return launch_side<Factorization::lu>(fronts, list, count, rows, side, follows, stream);
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(eliminate_small)

}  // namespace spsolve::cuda::sparse
