#include "multiply/published/symmetric_kernels.hpp"

#include <algorithm>

#include <omp.h>

#include "matrix/formats/colouring.hpp"
#include "multiply/published/sleeping_barrier.hpp"

namespace spsolve::inline multiply {

namespace {

/// y <- y + value, for all threads to see where `atomic`.
template <bool atomic, typename T>
inline void add_to(T& y, T value) {
  if constexpr (atomic) {
#pragma omp atomic
    y += value;
  } else {
    y += value;
  }
}

/// Adds what the elements of one slot contribute to Y.
template <bool atomic, typename T>
inline void multiply_slot(const SymmetricEllpack<T>& a, Index slot, const T* x, T* y,
                          Index columns) {
  const Index i = a.row_of(slot);
  for (Index c = 0; c < columns; ++c) {
    const T x_i = x[i * columns + c];
    T sum{};
    for (Index k = slot; k < a.padded_rows * a.width; k += a.padded_rows) {
      const Index j = a.column_indices[k];
      if (j < 0) break;
      sum += a.values[k] * x[j * columns + c];
      if (j < i) add_to<atomic>(y[j * columns + c], a.values[k] * x_i);
    }
    add_to<atomic>(y[i * columns + c], sum);
  }
}

}  // namespace

template <typename T>
ColoredEllpackStorage<T> ColoredEllpackStorage<T>::from_csr(const Csr<T>& csr,
                                                            const KernelOptions& options) {
  Colouring colouring = colour_rows(csr);
  return {SymmetricEllpack<T>::from_csr(csr, colouring.permutation),
          std::move(colouring.color_offsets), options.threads};
}

template <typename T>
std::int64_t ColoredEllpackStorage<T>::bytes() const {
  return matrix.bytes() + static_cast<std::int64_t>(color_offsets.size() * sizeof(Index));
}

template <typename T>
void symmetric_atomic(const SymmetricEllpack<T>& a, const T* x, T* y, Index columns, int threads) {
#pragma omp parallel num_threads(host_threads(threads))
  {
#pragma omp for schedule(static)
    for (Index i = 0; i < a.rows * columns; ++i) y[i] = T{};
#pragma omp for schedule(static)
    for (Index slot = 0; slot < a.rows; ++slot) multiply_slot<true>(a, slot, x, y, columns);
  }
}

template <typename T>
void symmetric_colored(const SymmetricEllpack<T>& a, std::span<const Index> color_offsets,
                       const T* x, T* y, Index columns, int threads) {
  SleepingBarrier barrier;  // there may be thousands of colours
#pragma omp parallel num_threads(host_threads(threads))
  {
    const int team = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (Index i = 0; i < a.rows * columns; ++i) y[i] = T{};
    for (std::size_t color = 0; color + 1 < color_offsets.size(); ++color) {
      barrier.wait(team);
#pragma omp for schedule(static) nowait
      for (Index slot = color_offsets[color]; slot < color_offsets[color + 1]; ++slot) {
        multiply_slot<false>(a, slot, x, y, columns);
      }
    }
  }
}

SPSOLVE_INSTANTIATE(struct ColoredEllpackStorage)
SPSOLVE_INSTANTIATE_FUNCTION(symmetric_atomic)
SPSOLVE_INSTANTIATE_FUNCTION(symmetric_colored)

}  // namespace spsolve::multiply
