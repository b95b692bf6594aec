#pragma once

#include <cstring>

#include "core/types.hpp"

namespace spsolve::vector_sweeps {

// Sweeps of one vector through a front's triangle and what lies below it, four columns at a time:
// the front is read once, in the order in which it lies in memory, and the vector a quarter as
// often. A call of the BLAS costs more than a small front. Matrices are column-major: element
// (i, j) is a[i + j * ld].

//
// Fronts are short, and what is left of a column behind its last whole vector costs more than the
// vectors. Where ends are padded, whole vectors are taken to the end: up to `padding` values behind
// a column are read, which are the next column's or must be there and finite, and as many behind y
// are read and written, which must be 0 where y is only read.

inline constexpr Index group = 4;

enum class Ends { exact, padded };

inline constexpr Index vector_bytes = 64;

/// Values that must lie behind what is padded.
template <typename T>
inline constexpr Index padding = vector_bytes / sizeof(T);

/// A vector of the processor, or two.
template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;

template <typename T>
void load(const T* from, Vector<T>& to) {
  std::memcpy(&to, from, sizeof(to));
}

template <typename T>
void store(const Vector<T>& from, T* to) {
  std::memcpy(to, &from, sizeof(from));
}

template <typename T>
T sum_of(const Vector<T>& v) {
  T halves[padding<T>];
  for (Index i = 0; i < padding<T>; ++i) halves[i] = v[i];
  for (Index h = padding<T> / 2; h > 0; h /= 2) {
    for (Index i = 0; i < h; ++i) halves[i] += halves[i + h];
  }
  return halves[0];
}

/// y <- y - A x for A of m x n.
template <Ends ends, typename T>
void subtract(Index m, Index n, const T* a, Index ld, const T* x, T* y) {
  Index j = 0;
  for (; j + group <= n; j += group) {
    const T* c0 = a + j * ld;
    const T *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    const T x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
    if constexpr (ends == Ends::padded) {
      for (Index i = 0; i < m; i += padding<T>) {
        Vector<T> sum, v0, v1, v2, v3;
        load(y + i, sum);
        load(c0 + i, v0);
        load(c1 + i, v1);
        load(c2 + i, v2);
        load(c3 + i, v3);
        sum -= (v0 * x0 + v1 * x1) + (v2 * x2 + v3 * x3);
        store(sum, y + i);
      }
    } else {
#pragma omp simd simdlen(4)
      for (Index i = 0; i < m; ++i) {
        y[i] -= (c0[i] * x0 + c1[i] * x1) + (c2[i] * x2 + c3[i] * x3);
      }
    }
  }
  for (; j < n; ++j) {
    const T* column = a + j * ld;
    const T factor = x[j];
    if constexpr (ends == Ends::padded) {
      for (Index i = 0; i < m; i += padding<T>) {
        Vector<T> sum, v;
        load(y + i, sum);
        load(column + i, v);
        sum -= v * factor;
        store(sum, y + i);
      }
    } else {
#pragma omp simd simdlen(4)
      for (Index i = 0; i < m; ++i) y[i] -= factor * column[i];
    }
  }
}

/// x <- x - A^T y for A of m x n.
template <Ends ends, typename T>
void subtract_transposed(Index m, Index n, const T* a, Index ld, const T* y, T* x) {
  Index j = 0;
  for (; j + group <= n; j += group) {
    const T* c0 = a + j * ld;
    const T *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    if constexpr (ends == Ends::padded) {
      Vector<T> v0{}, v1{}, v2{}, v3{};
      for (Index i = 0; i < m; i += padding<T>) {
        Vector<T> v, a0, a1, a2, a3;
        load(y + i, v);
        load(c0 + i, a0);
        load(c1 + i, a1);
        load(c2 + i, a2);
        load(c3 + i, a3);
        v0 += a0 * v;
        v1 += a1 * v;
        v2 += a2 * v;
        v3 += a3 * v;
      }
      s0 = sum_of<T>(v0), s1 = sum_of<T>(v1), s2 = sum_of<T>(v2), s3 = sum_of<T>(v3);
    } else {
#pragma omp simd simdlen(4) reduction(+ : s0, s1, s2, s3)
      for (Index i = 0; i < m; ++i) {
        s0 += c0[i] * y[i];
        s1 += c1[i] * y[i];
        s2 += c2[i] * y[i];
        s3 += c3[i] * y[i];
      }
    }
    x[j] -= s0;
    x[j + 1] -= s1;
    x[j + 2] -= s2;
    x[j + 3] -= s3;
  }
  for (; j < n; ++j) {
    const T* column = a + j * ld;
    T sum = 0;
    if constexpr (ends == Ends::padded) {
      Vector<T> all{};
      for (Index i = 0; i < m; i += padding<T>) {
        Vector<T> v, own;
        load(y + i, v);
        load(column + i, own);
        all += own * v;
      }
      sum = sum_of<T>(all);
    } else {
#pragma omp simd simdlen(4) reduction(+ : sum)
      for (Index i = 0; i < m; ++i) sum += column[i] * y[i];
    }
    x[j] -= sum;
  }
}

/// Z <- L^-1 Z down the first n of h rows, and what they take from the h - n rows below:
/// z = (z1, z2), z1 <- L11^-1 z1, z2 <- z2 - L21 z1.
template <Ends ends, typename T>
void forward_lower(bool unit, Index h, Index n, const T* l, Index ld, T* z) {
  Index k = 0;
  for (; k + group <= n; k += group) {
    const T* c0 = l + k + k * ld;
    const T *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    T z0 = z[k], z1 = z[k + 1], z2 = z[k + 2], z3 = z[k + 3];
    if (!unit) z0 *= 1 / c0[0];  // divisions wait for no z
    z1 -= c0[1] * z0;
    if (!unit) z1 *= 1 / c1[1];
    z2 -= c0[2] * z0 + c1[2] * z1;
    if (!unit) z2 *= 1 / c2[2];
    z3 -= c0[3] * z0 + c1[3] * z1 + c2[3] * z2;
    if (!unit) z3 *= 1 / c3[3];
    z[k] = z0;
    z[k + 1] = z1;
    z[k + 2] = z2;
    z[k + 3] = z3;
    subtract<ends>(h - k - group, group, c0 + group, ld, z + k, z + k + group);
  }
  for (; k < n; ++k) {
    const T* column = l + k * ld;
    if (!unit) z[k] *= 1 / column[k];
    subtract<ends>(h - k - 1, 1, column + k + 1, ld, z + k, z + k + 1);
  }
}

/// z1 <- L11^-T (z1 - L21^T z2) for z of h values, z1 the first n of them.
template <Ends ends, typename T>
void backward_lower(bool unit, Index h, Index n, const T* l, Index ld, T* z) {
  Index k = n;
  for (; k % group != 0; --k) {
    const T* column = l + (k - 1) * ld;
    subtract_transposed<ends>(h - k, 1, column + k, ld, z + k, z + k - 1);
    if (!unit) z[k - 1] *= 1 / column[k - 1];
  }
  for (k -= group; k >= 0; k -= group) {
    const T* c0 = l + k + k * ld;
    const T *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    subtract_transposed<ends>(h - k - group, group, c0 + group, ld, z + k + group, z + k);
    T z0 = z[k], z1 = z[k + 1], z2 = z[k + 2], z3 = z[k + 3];
    if (!unit) z3 *= 1 / c3[3];
    z2 -= c2[3] * z3;
    if (!unit) z2 *= 1 / c2[2];
    z1 -= c1[2] * z2 + c1[3] * z3;
    if (!unit) z1 *= 1 / c1[1];
    z0 -= c0[1] * z1 + c0[2] * z2 + c0[3] * z3;
    if (!unit) z0 *= 1 / c0[0];
    z[k] = z0;
    z[k + 1] = z1;
    z[k + 2] = z2;
    z[k + 3] = z3;
  }
}

/// z <- U^-1 z for the n x n upper triangle u.
template <typename T>
void backward_upper(Index n, const T* u, Index ld, T* z) {
  for (Index k = (n - 1) / group * group; k >= 0; k -= group) {
    const Index w = n - k < group ? n - k : group;
    for (Index j = k + w; j-- > k;) {
      const T* column = u + j * ld;
      z[j] *= 1 / column[j];
      for (Index i = k; i < j; ++i) z[i] -= column[i] * z[j];
    }
    subtract<Ends::exact>(k, w, u + k * ld, ld, z + k, z);
  }
}

/// z <- U^-T z for the n x n upper triangle u.
template <typename T>
void forward_upper(Index n, const T* u, Index ld, T* z) {
  for (Index k = 0; k < n; k += group) {
    const Index w = n - k < group ? n - k : group;
    subtract_transposed<Ends::exact>(k, w, u + k * ld, ld, z, z + k);
    for (Index j = k; j < k + w; ++j) {
      const T* column = u + j * ld;
      for (Index i = k; i < j; ++i) z[j] -= column[i] * z[i];
      z[j] *= 1 / column[j];
    }
  }
}

}  // namespace spsolve::vector_sweeps
