#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/csr_kernels.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 512;

/// *p, read again wherever it stands: where a kernel is to read what the published one reads, the
/// compiler must not keep it in a register.
__device__ Index reread(const Index* p) {
  Index value;
  asm volatile("ld.global.s64 %0, [%1];" : "=l"(value) : "l"(p));
  return value;
}

// 1 and 2 read where a row ends before each of its elements, 3 once; 1 also reads and writes y.

template <typename T>
__global__ void scalar_1(CsrView<T> a, const T* x, T* y, Index columns) {
  for (Index e = thread_index(); e < a.rows * columns; e += thread_count()) {
    const Index row = e / columns, c = e % columns;
    y[e] = T{};
    for (Index k = a.row_offsets[row]; k < reread(a.row_offsets + row + 1); ++k) {
      y[e] += a.values[k] * x[a.column_indices[k] * columns + c];
    }
  }
}

template <typename T>
__global__ void scalar_2(CsrView<T> a, const T* x, T* y, Index columns) {
  for (Index e = thread_index(); e < a.rows * columns; e += thread_count()) {
    const Index row = e / columns, c = e % columns;
    T sum{};
    for (Index k = a.row_offsets[row]; k < reread(a.row_offsets + row + 1); ++k) {
      sum += a.values[k] * x[a.column_indices[k] * columns + c];
    }
    y[e] = sum;
  }
}

template <typename T>
__global__ void scalar_3(CsrView<T> a, const T* x, T* y, Index columns) {
  for (Index e = thread_index(); e < a.rows * columns; e += thread_count()) {
    const Index row = e / columns, c = e % columns;
    const Index start = a.row_offsets[row], end = a.row_offsets[row + 1];
    T sum{};
    for (Index k = start; k < end; ++k) {
      sum += a.values[k] * x[a.column_indices[k] * columns + c];
    }
    y[e] = sum;
  }
}

}  // namespace

template <typename T>
void csr_scalar_1(const CsrView<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  scalar_1<<<grid_for(a.rows * columns, block), block, 0, current_stream()>>>(a, x, y, columns);
  check_launch("csr_scalar_1");
}

template <typename T>
void csr_scalar_2(const CsrView<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  scalar_2<<<grid_for(a.rows * columns, block), block, 0, current_stream()>>>(a, x, y, columns);
  check_launch("csr_scalar_2");
}

template <typename T>
void csr_scalar_3(const CsrView<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  scalar_3<<<grid_for(a.rows * columns, block), block, 0, current_stream()>>>(a, x, y, columns);
  check_launch("csr_scalar_3");
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_scalar_1)
SPSOLVE_INSTANTIATE_FUNCTION(csr_scalar_2)
SPSOLVE_INSTANTIATE_FUNCTION(csr_scalar_3)

}  // namespace spsolve::cuda::multiply
