#include "core/blas/column_blas.hpp"
#include "core/blas/complex_vectors.hpp"

namespace spsolve::inline core::column_blas {

namespace {

// Triangles of tens of columns, as the fronts of sparse matrices have them, are where libraries are
// far from what their products reach: for 256 rows on 8, 32, 64 and 128 columns OpenBLAS 0.3.21
// does 5, 13, 19 and 25 GFLOP/s on a core where its dgemm does 47, what is here 20, 38, 45 and 45.

using complex_vectors::Multiplicand, complex_vectors::Register;
using short_vectors::load, short_vectors::store;

#if defined(__FMA__)
constexpr bool is_worth_it = short_vectors::register_bytes >= 32;
#else
constexpr bool is_worth_it = false;
#endif
// Columns that are solved at once, and half of their rows, fill half of the registers.
constexpr Index block = short_vectors::register_bytes / 8;

/// Columns of a triangle that is solved without products.
template <typename T>
constexpr Index most_columns = is_complex<T> ? 32 : 64;
/// Rows that are worth it. The BLAS has no short way for few rows of complex numbers.
template <typename T>
constexpr Index fewest_rows = is_complex<T> ? 2 : 8;

template <typename T>
constexpr int lanes = complex_vectors::in_register<T>;

/// Rows that are solved at once.
template <typename T>
constexpr Index strip = 2 * lanes<T>;

/// 1 / z; of complex numbers by Smith's quotients, which neither over- nor underflow.
template <typename T>
T inverse(const T& z) {
  if constexpr (is_complex<T>) {
    const Real<T> re = z.real(), im = z.imag();
    if (std::abs(re) >= std::abs(im)) {
      const Real<T> part = im / re, whole = re + im * part;
      return T(1 / whole, -part / whole);
    }
    const Real<T> part = re / im, whole = re * part + im;
    return T(part / whole, -1 / whole);
  } else {
    return T(1) / z;
  }
}

/// An upper triangle u(i, k) = a[i * row_step + k * column_step] of n <= most_columns columns, or
/// its conjugate: blocks of columns, row by row down to each block's last one, the diagonal
/// inverted.
template <typename T>
class PackedTriangle {
 public:
  PackedTriangle(Index n, const T* a, Index row_step, Index column_step, bool unit, bool conjugate)
      : n_(n) {
    T* to = values_;
    for (Index first = 0; first < n; first += block) {
      for (Index i = 0; i < first + block; ++i) {
        for (Index k = first; k < first + block; ++k) {
          if (i < k && k < n) {
            *to++ = mirrored(conjugate, a[i * row_step + k * column_step]);
          } else if (i == k) {
            *to++ = unit || k >= n
                        ? T(1)
                        : inverse(mirrored(conjugate, a[i * row_step + k * column_step]));
          } else {
            *to++ = T(0);
          }
        }
      }
    }
  }

  /// X <- X U^-1 for a strip of rows, column k at x + k * step.
  void solve(T* x, Index step) const {
    const T* u = values_;
    Index first = 0;
    for (; first + block <= n_; first += block) u = solve_block(first, block, u, x, step);
    if (first < n_) solve_block(first, n_ - first, u, x, step);
  }

 private:
  /// Columns first ... first + count - 1, those before them being done.
  static const T* solve_block(Index first, Index count, const T* u, T* x, Index step) {
    using V = Register<T>;
    V top[block], bottom[block];
    T* columns = x + first * step;
#pragma GCC unroll 8
    for (Index j = 0; j < block; ++j) {
      top[j] = bottom[j] = V{};
      if (j < count) {
        top[j] = load<V>(columns + j * step);
        bottom[j] = load<V>(columns + j * step + lanes<T>);
      }
    }
    for (Index k = 0; k < first; ++k, u += block) {
      const Multiplicand<T> above(load<V>(x + k * step)), below(load<V>(x + k * step + lanes<T>));
#pragma GCC unroll 8
      for (Index j = 0; j < block; ++j) {
        above.subtract_from(top[j], u[j]);
        below.subtract_from(bottom[j], u[j]);
      }
    }
#pragma GCC unroll 8
    for (Index k = 0; k < block; ++k, u += block) {
      top[k] = Multiplicand<T>(top[k]).times(u[k]);
      bottom[k] = Multiplicand<T>(bottom[k]).times(u[k]);
      const Multiplicand<T> above(top[k]), below(bottom[k]);
#pragma GCC unroll 8
      for (Index j = k + 1; j < block; ++j) {
        above.subtract_from(top[j], u[j]);
        below.subtract_from(bottom[j], u[j]);
      }
    }
#pragma GCC unroll 8
    for (Index j = 0; j < block; ++j) {
      if (j < count) {
        auto* to = reinterpret_cast<Real<T>*>(columns + j * step);
        store(to, top[j]);
        store(to + lanes<Real<T>>, bottom[j]);
      }
    }
    return u;
  }

  static constexpr Index blocks = most_columns<T> / block;

  Index n_;
  alignas(64) T values_[block * block * blocks * (blocks + 1) / 2];
};

/// A triangle of n columns and what it is solved with: `count` rows of B on its right, or columns
/// on its left.
template <typename T>
struct Solve {
  CBLAS_SIDE side;
  Triangle t;
  Index n, count;
  const T* a;
  Index lda;
  T* b;
  Index ldb;

  bool on_right() const { return side == CblasRight; }
  bool transposed() const { return t.op != CblasNoTrans; }
  bool conjugate() const { return t.op == CblasConjTrans; }
  bool is_upper() const { return (t.part == CblasUpper) != transposed(); }  // of op(A)
  /// Whether the first of the unknowns is known first.
  bool forward() const { return is_upper() == on_right(); }

  /// The solve for unknowns first ... first + size - 1 alone.
  Solve part(Index first, Index size) const {
    return {side, t, size, count, a + first * (1 + lda), lda, b + first * (on_right() ? ldb : 1),
            ldb};
  }
};

/// For triangles of few columns; strips of rows that are not there whole, and those on the left,
/// are copied.
template <typename T>
void solve_few_columns(const Solve<T>& s) {
  constexpr Index rows = strip<T>;
  const bool forward = s.forward();
  // u(i, k) is op(A)(i, k) on the right, op(A)(k, i) on the left, counted from the end if backward.
  const bool as_it_is = s.transposed() != s.on_right();
  const Index last = s.n - 1, sign = forward ? 1 : -1;
  const PackedTriangle<T> triangle(s.n, forward ? s.a : s.a + last * (1 + s.lda),
                                   sign * (as_it_is ? 1 : s.lda), sign * (as_it_is ? s.lda : 1),
                                   s.t.diagonal == CblasUnit, s.conjugate());
  const auto solve = [&](T* x, Index step) {
    triangle.solve(forward ? x : x + last * step, sign * step);
  };
  const Index row_step = s.on_right() ? 1 : s.ldb, column_step = s.on_right() ? s.ldb : 1;
  alignas(64) T copy[most_columns<T> * rows];
  for (Index first = 0; first < s.count; first += rows) {
    const Index count = std::min(rows, s.count - first);
    T* b = s.b + first * row_step;
    if (s.on_right() && count == rows) {
      solve(b, column_step);
      continue;
    }
    if (count < rows) std::fill_n(copy, s.n * rows, T(0));
    for (Index r = 0; r < count; ++r) {
      for (Index k = 0; k < s.n; ++k) copy[k * rows + r] = b[r * row_step + k * column_step];
    }
    solve(copy, rows);
    for (Index r = 0; r < count; ++r) {
      for (Index k = 0; k < s.n; ++k) b[r * row_step + k * column_step] = copy[k * rows + r];
    }
  }
}

/// Subtracts the part of the unknowns of `done` from the right-hand sides of `left`.
template <typename T>
void subtract_known(const Solve<T>& done, const Solve<T>& left, const T* between) {
  if (!done.on_right()) {
    return multiply<T>(done.t.op, left.n, left.count, done.n, -1, between, done.lda, done.b,
                       done.ldb, 1, left.b, left.ldb);
  }
  if (done.transposed()) {
    return multiply_transposed<T>(left.count, left.n, done.n, -1, done.b, done.ldb, between,
                                  done.lda, 1, left.b, left.ldb, done.t.op);
  }
  multiply<T>(CblasNoTrans, left.count, left.n, done.n, -1, done.b, done.ldb, between, done.lda, 1,
              left.b, left.ldb);
}

template <typename T>
void solve_by_halves(const Solve<T>& s) {
  if (s.n <= most_columns<T>) return solve_few_columns(s);
  const Index half = (s.n / 2 + block - 1) / block * block;
  const Solve<T> first = s.part(0, half), second = s.part(half, s.n - half);
  const T* between = s.a + half * (s.t.part == CblasUpper ? s.lda : 1);
  const Solve<T>&before = s.forward() ? first : second, &after = s.forward() ? second : first;
  solve_by_halves(before);
  subtract_known(before, after, between);
  solve_by_halves(after);
}

}  // namespace

template <typename T>
void solve_triangle(CBLAS_SIDE side, Triangle t, Index m, Index n, const T* a, Index lda, T* b,
                    Index ldb) {
  const bool right = side == CblasRight;
  if constexpr (is_worth_it) {
    if ((right ? m : n) >= fewest_rows<T>) {
      return solve_by_halves<T>({side, t, right ? n : m, right ? m : n, a, lda, b, ldb});
    }
  }
  typed_blas::trsm(CblasColMajor, side, t, m, n, a, lda, b, ldb);
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_triangle)

}  // namespace spsolve::core::column_blas
