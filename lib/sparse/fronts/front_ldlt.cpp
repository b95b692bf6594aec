#include <algorithm>
#include <tuple>
#include <vector>

#include "core/blas/column_blas.hpp"
#include "matrix/complex_numbers.hpp"
#include "sparse/fronts/front.hpp"
#include "sparse/fronts/panels.hpp"
#include "sparse/fronts/pivot_pair.hpp"

namespace spsolve::inline sparse {

using namespace column_blas;

namespace {

constexpr Index block_width = widest_ldlt_panel;
constexpr Index rows_of_piece = 256;
constexpr Index columns_of_piece = 128;

/// Swaps rows and columns i < j of a symmetric or Hermitian w x w matrix, of which the lower
/// triangle is there.
template <typename T>
void swap_symmetric(bool hermitian, Index w, T* a, Index ld, Index i, Index j) {
  for (Index k = 0; k < i; ++k) std::swap(a[i + k * ld], a[j + k * ld]);
  std::swap(a[i + i * ld], a[j + j * ld]);
  for (Index k = i + 1; k < j; ++k) std::swap(a[k + i * ld], a[j + k * ld]);
  if (is_complex<T> && hermitian) {
    for (Index k = i + 1; k <= j; ++k) a[k + i * ld] = conj(a[k + i * ld]);
    for (Index k = i + 1; k < j; ++k) a[j + k * ld] = conj(a[j + k * ld]);
  }
  for (Index k = j + 1; k < w; ++k) std::swap(a[k + i * ld], a[k + j * ld]);
}

/// The largest magnitude of column k of a symmetric matrix in rows from `from` on but for k.
template <typename T>
std::pair<Real<T>, Index> largest_of(Index w, const T* a, Index ld, Index from, Index k) {
  Real<T> largest = 0;
  Index where = from;
  const auto see = [&](T value, Index row) {
    if (pivot_size(value) > largest) {
      largest = pivot_size(value);
      where = row;
    }
  };
  for (Index j = from; j < k; ++j) see(a[k + j * ld], j);
  for (Index i = k + 1; i < w; ++i) see(a[i + k * ld], i);
  return {largest, where};
}

/// Bunch and Kaufman's partial pivoting on a w x w block, column by column.
template <typename T>
class DiagonalBlock {
 public:
  DiagonalBlock(Index w, T* a, Index ld, const PivotRule& rule, LocalIndex* rows, T* off_diagonal,
                PivotCounts& counts)
      : w_(w), a_(a), ld_(ld), rule_(rule), rows_(rows), off_(off_diagonal), counts_(counts) {}

  void factor() {
    for (Index k = 0; k < w_; ++k) {
      rows_[k] = static_cast<LocalIndex>(k);
      off_[k] = T(0);
    }
    for (Index k = 0; k < w_;) {
      if (choose(k)) {
        eliminate_pair(k);
        k += 2;
      } else {
        eliminate_one(k);
        k += 1;
      }
      if (counts_.failed >= 0) return;
    }
  }

 private:
  T& at(Index i, Index j) { return a_[i + j * ld_]; }

  void move(Index i, Index j) {
    if (i == j) return;
    swap_symmetric(rule_.hermitian, w_, a_, ld_, std::min(i, j), std::max(i, j));
    std::swap(rows_[i], rows_[j]);
    ++counts_.swaps;
  }

  /// Brings the pivot of step k to its place; whether it is one of two rows.
  bool choose(Index k) {
    constexpr double alpha = 0.6403882032022076;  // (1 + sqrt(17)) / 8
    const auto [lambda, r] = largest_of(w_, a_, ld_, k, k);
    const double diagonal = pivot_size(at(k, k)), below = lambda;
    if (below == 0 || diagonal >= alpha * below) return false;
    const double sigma = largest_of(w_, a_, ld_, k, r).first;
    if (diagonal * sigma >= alpha * below * below) return false;
    if (pivot_size(at(r, r)) >= alpha * sigma) {
      move(k, r);
      return false;
    }
    move(k + 1, r);
    return true;
  }

  void eliminate_one(Index k) {
    T& d = at(k, k) = on_diagonal(rule_.hermitian, at(k, k));
    Real<T> size = modulus(d);
    if (static_cast<double>(size) < rule_.least) {
      size = static_cast<Real<T>>(rule_.least);
      d = with_magnitude(d, size);
      ++counts_.perturbed;
    }
    if (!(size > 0) || !is_finite(d)) {
      counts_.failed = k;
      return;
    }
    counts_.include(size);
    if (real_part(d) < 0) ++counts_.negative;
    for (Index j = k + 1; j < w_; ++j) {
      const T factor = mirrored(rule_.hermitian, at(j, k) / d);
      for (Index i = j; i < w_; ++i) at(i, j) -= factor * at(i, k);
    }
    for (Index i = k + 1; i < w_; ++i) at(i, k) /= d;
  }

  void eliminate_pair(Index k) {
    const PivotPair<T> pair(rule_.hermitian, at(k, k), at(k + 1, k), at(k + 1, k + 1));
    if (!pair.is_regular()) {
      counts_.failed = k;
      return;
    }
    pair.count(counts_);
    at(k, k) = on_diagonal(rule_.hermitian, at(k, k));
    at(k + 1, k + 1) = on_diagonal(rule_.hermitian, at(k + 1, k + 1));
    for (Index j = k + 2; j < w_; ++j) {
      auto [u, v] = pair.divide(at(j, k), at(j, k + 1));
      u = mirrored(rule_.hermitian, u);
      v = mirrored(rule_.hermitian, v);
      for (Index i = j; i < w_; ++i) at(i, j) -= at(i, k) * u + at(i, k + 1) * v;
    }
    for (Index i = k + 2; i < w_; ++i) {
      std::tie(at(i, k), at(i, k + 1)) = pair.divide(at(i, k), at(i, k + 1));
    }
    off_[k] = at(k + 1, k);
    at(k + 1, k) = T(0);
  }

  Index w_;
  T* a_;
  Index ld_;
  const PivotRule& rule_;
  LocalIndex* rows_;
  T* off_;
  PivotCounts& counts_;
};

/// W <- W D^-1 for rows of L D, column-major.
template <typename T>
void divide_by_d(bool hermitian, Index rows, Index w, const T* diagonal, Index ldd,
                 const T* off_diagonal, T* b, Index ld) {
  for (Index k = 0; k < w; ++k) {
    T* first = b + k * ld;
    if (off_diagonal[k] == T(0)) {
      const T inverse = T(1) / diagonal[k + k * ldd];
      for (Index i = 0; i < rows; ++i) first[i] *= inverse;
      continue;
    }
    T* second = first + ld;
    const Wide<T> x = diagonal[k + k * ldd], y = off_diagonal[k],
                  z = diagonal[k + 1 + (k + 1) * ldd];
    const Wide<T> across = mirrored(hermitian, y), determinant = x * z - y * across;
    const T a = static_cast<T>(z / determinant), c = static_cast<T>(x / determinant);
    const T below = static_cast<T>(-y / determinant), above = static_cast<T>(-across / determinant);
    for (Index i = 0; i < rows; ++i) {
      const T u = first[i], v = second[i];
      first[i] = a * u + below * v;
      second[i] = above * u + c * v;
    }
    ++k;
  }
}

/// Columns of at most `rows_of_piece` rows put into the order of `rows`, cycle by cycle.
template <typename T>
void permute_columns(Index count, Index w, const LocalIndex* rows, T* b, Index ld) {
  T first[rows_of_piece];
  bool moved[block_width] = {};
  for (Index start = 0; start < w; ++start) {
    if (moved[start] || rows[start] == start) continue;
    std::copy_n(b + start * ld, count, first);
    Index k = start;
    for (; rows[k] != start; k = rows[k]) {
      std::copy_n(b + rows[k] * ld, count, b + k * ld);
      moved[k] = true;
    }
    std::copy_n(first, count, b + k * ld);
    moved[k] = true;
  }
}

}  // namespace

template <typename T>
void permute_rows(Index columns, Index w, const LocalIndex* rows, T* b, Index ld) {
  T copy[block_width];
  for (Index j = 0; j < columns; ++j) {
    std::copy_n(b + j * ld, w, copy);
    for (Index k = 0; k < w; ++k) b[k + j * ld] = copy[rows[k]];
  }
}

template <typename T>
void multiply_by_d(bool hermitian, Index count, Index w, const T* l, Index ld, const T* diagonal,
                   Index ldd, const T* off_diagonal, T* product) {
  for (Index k = 0; k < w; ++k) {
    T* column = product + k * count;
    const T* own = l + k * ld;
    const T d = diagonal[k + k * ldd];
    for (Index i = 0; i < count; ++i) column[i] = d * own[i];
    if (off_diagonal[k] != T(0)) {
      const T* next = own + ld;
      for (Index i = 0; i < count; ++i) column[i] += off_diagonal[k] * next[i];
    }
    if (k > 0 && off_diagonal[k - 1] != T(0)) {
      const T* previous = own - ld;
      const T across = mirrored(hermitian, off_diagonal[k - 1]);
      for (Index i = 0; i < count; ++i) column[i] += across * previous[i];
    }
  }
}

Index scratch_of_pivots(Index pivots, Index height) {
  return pivots > block_width ? (height - block_width) * block_width : 0;
}

template <typename T>
void eliminate_ldlt(const Front<T>& front, const PivotRule& rule, const Tiles& tiles,
                    LocalIndex* rows, T* off_diagonal, T* scratch, PivotCounts& counts) {
  const Index p = front.pivots, height = front.height(), ld = height;
  T* a = front.lower;
  const Triangle other = rule.hermitian ? unit_lower_adjoint : unit_lower_transposed;
  const CBLAS_TRANSPOSE op = rule.hermitian ? CblasConjTrans : CblasTrans;
  std::vector<Real<T>> multipliers((height + rows_of_piece - 1) / rows_of_piece);
  for (Index k = 0; k < p; k += block_width) {
    const Index w = std::min(block_width, p - k), below = k + w;
    T* diagonal = a + k + k * ld;
    PivotCounts own;
    DiagonalBlock<T>(w, diagonal, ld, rule, rows + k, off_diagonal + k, own).factor();
    if (own.failed >= 0) {
      counts.failed = k + own.failed;
      return;
    }
    if (own.swaps > 0) permute_rows(k, w, rows + k, a + k, ld);
    const Index left = height - below;
    const bool more = below < p;
    T* products = scratch;  // L D below the block, for the columns to its right
    tiles.run_pieces(below, height, rows_of_piece, [&](Index from, Index to) {
      T* b = a + from + k * ld;
      if (own.swaps > 0) permute_columns(to - from, w, rows + k, b, ld);
      solve_triangle(CblasRight, other, to - from, w, diagonal, ld, b, ld);
      if (more) {
        for (Index j = 0; j < w; ++j) {
          std::copy_n(b + j * ld, to - from, products + from - below + j * left);
        }
      }
      divide_by_d(rule.hermitian, to - from, w, diagonal, ld, off_diagonal + k, b, ld);
      Real<T>& largest = multipliers[(from - below) / rows_of_piece];
      largest = std::max(largest, largest_size(to - from, w, b, ld));
    });
    tiles.run_pieces(below, p, columns_of_piece, [&](Index from, Index to) {
      multiply_transposed<T>(height - from, to - from, w, -1, a + from + k * ld, ld,
                             products + from - below, left, 1, a + from + from * ld, ld, op);
    });
    for (Index i = k; i < below; ++i) rows[i] += static_cast<LocalIndex>(k);
    counts.add(own);
    tiles.tell(pivot_flops(p, front.border, k, below));
  }
  for (const Real<T> value : multipliers) {
    counts.largest_multiplier = std::max(counts.largest_multiplier, static_cast<double>(value));
  }
}

template <typename T>
void factor_ldlt_panel(Index height, Index w, T* a, Index ld, const PivotRule& rule,
                       LocalIndex* rows, T* off_diagonal, PivotCounts& counts) {
  DiagonalBlock<T>(w, a, ld, rule, rows, off_diagonal, counts).factor();
  if (counts.failed >= 0) return;
  Real<T> largest = 0;
  const Triangle other = rule.hermitian ? unit_lower_adjoint : unit_lower_transposed;
  Tiles(1).run_pieces(w, height, rows_of_piece, [&](Index from, Index to) {
    T* b = a + from;
    if (counts.swaps > 0) permute_columns(to - from, w, rows, b, ld);
    solve_triangle(CblasRight, other, to - from, w, a, ld, b, ld);
    divide_by_d(rule.hermitian, to - from, w, a, ld, off_diagonal, b, ld);
    largest = std::max(largest, largest_size(to - from, w, b, ld));
  });
  counts.largest_multiplier = std::max(counts.largest_multiplier, static_cast<double>(largest));
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(permute_rows)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(multiply_by_d)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(factor_ldlt_panel)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(eliminate_ldlt)

}  // namespace spsolve::sparse
