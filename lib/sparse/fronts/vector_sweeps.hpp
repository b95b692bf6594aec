#pragma once

#include "core/types.hpp"

namespace spsolve::vector_sweeps {

// Sweeps of one vector through a front's triangle and what lies below it, four columns at a time:
// the front is read once, in the order in which it lies in memory, and the vector a quarter as
// often. A call of the BLAS costs more than a small front. Matrices are column-major: element
// (i, j) is a[i + j * ld].

inline constexpr Index group = 4;

/// y <- y - A x for A of m x n.
template <typename T>
void subtract(Index m, Index n, const T* a, Index ld, const T* x, T* y) {
  Index j = 0;
  for (; j + group <= n; j += group) {
    const T* c0 = a + j * ld;
    const T *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    const T x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
#pragma omp simd
    for (Index i = 0; i < m; ++i) {
      y[i] -= (c0[i] * x0 + c1[i] * x1) + (c2[i] * x2 + c3[i] * x3);
    }
  }
  for (; j < n; ++j) {
    const T* column = a + j * ld;
    const T factor = x[j];
#pragma omp simd
    for (Index i = 0; i < m; ++i) y[i] -= factor * column[i];
  }
}

/// x <- x - A^T y for A of m x n.
template <typename T>
void subtract_transposed(Index m, Index n, const T* a, Index ld, const T* y, T* x) {
  Index j = 0;
  for (; j + group <= n; j += group) {
    const T* c0 = a + j * ld;
    const T *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (Index i = 0; i < m; ++i) {
      s0 += c0[i] * y[i];
      s1 += c1[i] * y[i];
      s2 += c2[i] * y[i];
      s3 += c3[i] * y[i];
    }
    x[j] -= s0;
    x[j + 1] -= s1;
    x[j + 2] -= s2;
    x[j + 3] -= s3;
  }
  for (; j < n; ++j) {
    const T* column = a + j * ld;
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < m; ++i) sum += column[i] * y[i];
    x[j] -= sum;
  }
}

/// Z <- L^-1 Z down the first n of h rows, and what they take from the h - n rows below:
/// z = (z1, z2), z1 <- L11^-1 z1, z2 <- z2 - L21 z1.
template <typename T>
void forward_lower(bool unit, Index h, Index n, const T* l, Index ld, T* z) {
  for (Index k = 0; k < n; k += group) {
    const Index w = n - k < group ? n - k : group;
    for (Index j = k; j < k + w; ++j) {
      const T* column = l + j * ld;
      if (!unit) z[j] /= column[j];
      for (Index i = j + 1; i < k + w; ++i) z[i] -= column[i] * z[j];
    }
    subtract(h - k - w, w, l + k + w + k * ld, ld, z + k, z + k + w);
  }
}

/// z1 <- L11^-T (z1 - L21^T z2) for z of h values, z1 the first n of them.
template <typename T>
void backward_lower(bool unit, Index h, Index n, const T* l, Index ld, T* z) {
  for (Index k = (n - 1) / group * group; k >= 0; k -= group) {
    const Index w = n - k < group ? n - k : group;
    subtract_transposed(h - k - w, w, l + k + w + k * ld, ld, z + k + w, z + k);
    for (Index j = k + w; j-- > k;) {
      const T* column = l + j * ld;
      for (Index i = j + 1; i < k + w; ++i) z[j] -= column[i] * z[i];
      if (!unit) z[j] /= column[j];
    }
  }
}

/// z <- U^-1 z for the n x n upper triangle u.
template <typename T>
void backward_upper(Index n, const T* u, Index ld, T* z) {
  for (Index k = (n - 1) / group * group; k >= 0; k -= group) {
    const Index w = n - k < group ? n - k : group;
    for (Index j = k + w; j-- > k;) {
      const T* column = u + j * ld;
      z[j] /= column[j];
      for (Index i = k; i < j; ++i) z[i] -= column[i] * z[j];
    }
    subtract(k, w, u + k * ld, ld, z + k, z);
  }
}

/// z <- U^-T z for the n x n upper triangle u.
template <typename T>
void forward_upper(Index n, const T* u, Index ld, T* z) {
  for (Index k = 0; k < n; k += group) {
    const Index w = n - k < group ? n - k : group;
    subtract_transposed(k, w, u + k * ld, ld, z, z + k);
    for (Index j = k; j < k + w; ++j) {
      const T* column = u + j * ld;
      for (Index i = k; i < j; ++i) z[j] -= column[i] * z[i];
      z[j] /= column[j];
    }
  }
}

}  // namespace spsolve::vector_sweeps
