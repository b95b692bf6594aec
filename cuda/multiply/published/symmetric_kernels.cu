#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/symmetric_kernels.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 256;

template <bool atomic, typename T>
__device__ void add_to(T* y, T value) {
  if constexpr (atomic) {
    atomicAdd(y, value);
  } else {
    *y += value;
  }
}

template <bool atomic, typename T>
__global__ void multiply_slots(SymmetricView<T> a, Index first_slot, Index slots, const T* x, T* y,
                               Index columns) {
  for (Index e = thread_index(); e < slots * columns; e += thread_count()) {
    const Index slot = first_slot + e / columns, c = e % columns;
    const Index i = a.permutation == nullptr ? slot : a.permutation[slot];
    const T x_i = x[i * columns + c];
    T sum{};
    for (Index n = 0; n < a.width; ++n) {
      const Index place = slot + n * a.padded_rows;
      const Index j = a.column_indices[place];
      if (j < 0) break;
      const T value = a.values[place];
      sum += value * x[j * columns + c];
      if (j < i) add_to<atomic>(y + j * columns + c, value * x_i);
    }
    add_to<atomic>(y + i * columns + c, sum);
  }
}

template <typename T>
void set_zero(T* y, Index count) {
  CUDA_CHECK(cudaMemsetAsync(y, 0, static_cast<std::size_t>(count) * sizeof(T), current_stream()));
}

}  // namespace

template <typename T>
void symmetric_atomic(const SymmetricView<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  set_zero(y, a.rows * columns);
  multiply_slots<true><<<grid_for(a.rows * columns, block), block, 0, current_stream()>>>(
      a, 0, a.rows, x, y, columns);
  check_launch("symmetric_atomic");
}

template <typename T>
void symmetric_colored(const DeviceColored<T>& a, const T* x, T* y, Index columns) {
  const SymmetricView<T> view = a.matrix.view();
  if (view.rows == 0) return;
  set_zero(y, view.rows * columns);
  for (std::size_t color = 0; color + 1 < a.color_offsets.size(); ++color) {
    const Index first = a.color_offsets[color], slots = a.color_offsets[color + 1] - first;
    if (slots == 0) continue;
    multiply_slots<false><<<grid_for(slots * columns, block), block, 0, current_stream()>>>(
        view, first, slots, x, y, columns);
  }
  check_launch("symmetric_colored");
}

SPSOLVE_INSTANTIATE_FUNCTION(symmetric_atomic)
SPSOLVE_INSTANTIATE_FUNCTION(symmetric_colored)

}  // namespace spsolve::cuda::multiply
