#include "dense/state/fill_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace spsolve::inline dense {

namespace {

constexpr std::size_t cache_line = 64;

}  // namespace

template <typename T>
void RawArray<T>::Free::operator()(T* memory) const {
  std::free(memory);
}

template <typename T>
RawArray<T>::RawArray(Index size) {
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
  const std::size_t whole_lines = (bytes + cache_line - 1) / cache_line * cache_line;
  values_.reset(static_cast<T*>(std::aligned_alloc(cache_line, std::max(whole_lines, cache_line))));
  if (values_ == nullptr) throw std::bad_alloc();
}

template <typename T>
Index padded_stride(Index columns) {
  constexpr Index step = cache_line / sizeof(T);
  const Index stride = (columns + step - 1) / step * step;
  return stride * static_cast<Index>(sizeof(T)) % 4096 == 0 ? stride + step : stride;
}

template <typename T>
void fill_dense_rows(const ScaledRows& sparse, T* rows, Index stride) {
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < sparse.rows.rows; i += rows_of_row<T>) {
    T* row = rows + i / rows_of_row<T> * stride;
    std::fill_n(row, stride, T{});
    for (Index k = sparse.rows.row_offsets[i]; k < sparse.rows.row_offsets[i + 1]; ++k) {
      const LocalIndex column = sparse.rows.column_indices[k];
      const auto value = static_cast<Real<T>>(sparse.value(i, k));
      if constexpr (is_complex<T>) {
        // re a_ij and -im a_ij, of which each row of real parts has all.
        T& entry = row[column / complex_parts];
        column % complex_parts == 0 ? entry.real(value) : entry.imag(0 - value);
      } else {
        row[column] = value;
      }
    }
  }
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class RawArray)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(padded_stride)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(fill_dense_rows)

}  // namespace spsolve::dense
