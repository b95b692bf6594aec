#include "multiply/published/ellpack_kernels.hpp"

namespace spsolve::inline multiply {

namespace {

/// Where the elements of a row begin, and how many there are to sum.
template <typename T>
Index start_of(const Ellpack<T>& a, Index i) {
  return i * a.width;
}
template <typename T>
Index start_of(const UnpaddedEllpack<T>& a, Index i) {
  return a.row_starts[i];
}
template <typename T>
Index length_of(const Ellpack<T>& a, Index) {
  return a.width;
}
template <typename T>
Index length_of(const UnpaddedEllpack<T>& a, Index i) {
  return a.row_lengths[i];
}

/// sum over j of a_ij x_j, where x_j is at x[j * stride].
template <typename Format, typename T>
inline T row_product(const Format& a, Index i, const T* x, Index stride) {
  const Index start = start_of(a, i);
  const Index length = length_of(a, i);
  T sum{};
  for (Index j = 0; j < length; ++j) {
    sum += a.values[start + j] * x[a.column_indices[start + j] * stride];
  }
  return sum;
}

template <typename Format, typename T>
void multiply_serial(const Format& a, const T* x, T* y, Index columns) {
  for (Index i = 0; i < a.rows; ++i) {
    for (Index c = 0; c < columns; ++c) {
      y[i * columns + c] = row_product(a, i, x + c, columns);
    }
  }
}

template <typename Format, typename T>
void multiply_transposed(const Format& a, const T* x, T* y, Index columns, int threads,
                         std::vector<T>& scratch) {
  scratch.resize(a.columns * columns);
  T* const transposed = scratch.data();
#pragma omp parallel num_threads(host_threads(threads))
  {
#pragma omp for schedule(static)
    for (Index j = 0; j < a.columns; ++j) {
      for (Index c = 0; c < columns; ++c) transposed[c * a.columns + j] = x[j * columns + c];
    }
#pragma omp for collapse(2) schedule(static)
    for (Index i = 0; i < a.rows; ++i) {
      for (Index c = 0; c < columns; ++c) {
        y[i * columns + c] = row_product(a, i, transposed + c * a.columns, 1);
      }
    }
  }
}

}  // namespace

template <typename T>
void ellpack_serial(const Ellpack<T>& a, const T* x, T* y, Index columns) {
  multiply_serial(a, x, y, columns);
}

template <typename T>
void ellpack_unpadded_serial(const UnpaddedEllpack<T>& a, const T* x, T* y, Index columns) {
  multiply_serial(a, x, y, columns);
}

template <typename T>
void ellpack_openmp(const Ellpack<T>& a, const T* x, T* y, Index columns, int threads,
                    std::vector<T>& scratch) {
  multiply_transposed(a, x, y, columns, threads, scratch);
}

template <typename T>
void ellpack_unpadded_openmp(const UnpaddedEllpack<T>& a, const T* x, T* y, Index columns,
                             int threads, std::vector<T>& scratch) {
  multiply_transposed(a, x, y, columns, threads, scratch);
}

SPSOLVE_INSTANTIATE_FUNCTION(ellpack_serial)
SPSOLVE_INSTANTIATE_FUNCTION(ellpack_unpadded_serial)
SPSOLVE_INSTANTIATE_FUNCTION(ellpack_openmp)
SPSOLVE_INSTANTIATE_FUNCTION(ellpack_unpadded_openmp)

}  // namespace spsolve::multiply
