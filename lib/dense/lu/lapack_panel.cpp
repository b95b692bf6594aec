#include "dense/lu/lapack_panel.hpp"

#include <algorithm>

#include "core/blas/blas.hpp"

namespace spsolve::inline dense {

namespace {

/// Rows that one thread copies at a time: a tile of rows and columns stays in the first cache.
constexpr Index tile = 32;

}  // namespace

template <typename T>
void copy_panel(const T* panel, Index stride, Index rows, Index width, T* columns) {
#pragma omp parallel for schedule(static)
  for (Index top = 0; top < rows; top += tile) {
    const Index bottom = std::min(top + tile, rows);
    for (Index j = 0; j < width; ++j) {
      T* column = columns + j * rows;
      for (Index i = top; i < bottom; ++i) column[i] = panel[i * stride + j];
    }
  }
}

template <typename T>
Index factor_panel_by_lapack(T* panel, Index stride, Index rows, Index width, T* columns,
                             std::span<int> swaps) {
  copy_panel(panel, stride, rows, width, columns);
  blas::factor_columns(rows, width, columns, rows, swaps.data());
#pragma omp parallel for schedule(static)
  for (Index top = 0; top < rows; top += tile) {
    const Index bottom = std::min(top + tile, rows);
    for (Index i = top; i < bottom; ++i) {
      for (Index j = 0; j < width; ++j) panel[i * stride + j] = columns[j * rows + i];
    }
  }
  return bad_pivot(columns, rows + 1, std::min(rows, width));
}

template <typename T>
Index bad_pivot(const T* pivots, Index step, Index count) {
  for (Index i = 0; i < count; ++i) {
    if (const T pivot = pivots[i * step]; pivot == T{} || !is_finite(pivot)) return i;
  }
  return -1;
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(copy_panel)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(factor_panel_by_lapack)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(bad_pivot)

}  // namespace spsolve::dense
