#include "multiply/fast/sliced_kernels.hpp"

#include <algorithm>

namespace spsolve::inline multiply {

namespace {

/// Columns first_column ... first_column + width - 1 of the rows of chunk k. Where `fixed_chunk` is
/// positive it is the number of rows of a chunk.
template <int fixed_chunk, int width, typename T>
inline void multiply_chunk(const SlicedEllpack<T>& a, Index k, const T* x, T* y, Index columns,
                           Index first_column) {
  constexpr int most = fixed_chunk > 0 ? fixed_chunk : SlicedEllpack<T>::largest_chunk;
  const int chunk = fixed_chunk > 0 ? fixed_chunk : a.chunk;
  T sums[width][most];
  for (int c = 0; c < width; ++c) std::fill_n(sums[c], chunk, T{});
  for (Index place = a.chunk_offsets[k]; place < a.chunk_offsets[k + 1]; place += chunk) {
    const T* const values = a.values.data() + place;
    const LocalIndex* const indices = a.column_indices.data() + place;
#pragma omp simd
    for (int r = 0; r < chunk; ++r) {
      const Index from = indices[r] * columns + first_column;
      for (int c = 0; c < width; ++c) sums[c][r] += values[r] * x[from + c];
    }
  }
  const Index rows = std::min<Index>(chunk, a.rows - k * chunk);
  for (Index r = 0; r < rows; ++r) {
    T* const y_row = y + a.permutation[k * chunk + r] * columns + first_column;
    for (int c = 0; c < width; ++c) y_row[c] = sums[c][r];
  }
}

template <int fixed_chunk, typename T>
void multiply_chunks(const SlicedEllpack<T>& a, const T* x, T* y, Index columns, int threads) {
#pragma omp parallel for schedule(static) num_threads(host_threads(threads))
  for (Index k = 0; k < a.chunks(); ++k) {
    Index c = 0;
    for (; c + 4 <= columns; c += 4) multiply_chunk<fixed_chunk, 4>(a, k, x, y, columns, c);
    for (; c < columns; ++c) multiply_chunk<fixed_chunk, 1>(a, k, x, y, columns, c);
  }
}

}  // namespace

template <typename T>
void sliced_ellpack(const SlicedEllpack<T>& a, const T* x, T* y, Index columns, int threads) {
  switch (a.chunk) {
    case 4:
      return multiply_chunks<4>(a, x, y, columns, threads);
    case 8:
      return multiply_chunks<8>(a, x, y, columns, threads);
    case 16:
      return multiply_chunks<16>(a, x, y, columns, threads);
    case 32:
      return multiply_chunks<32>(a, x, y, columns, threads);
    default:
      return multiply_chunks<0>(a, x, y, columns, threads);
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(sliced_ellpack)

}  // namespace spsolve::multiply
