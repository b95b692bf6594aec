#include "sparse/fronts/front.hpp"

#include <cmath>
#include <vector>

#include "core/blas/column_blas.hpp"
#include "matrix/complex_numbers.hpp"
#include "sparse/fronts/panels.hpp"

namespace spsolve::inline sparse {

using namespace column_blas;

template <typename T>
void swap_rows(Index columns, T* a, Index ld, const LocalIndex* swaps, Index count) {
  for (Index j = 0; j < columns; ++j) {
    T* column = a + j * ld;
    for (Index k = 0; k < count; ++k) std::swap(column[k], column[swaps[k]]);
  }
}

namespace {

// Measured on families of meshes and circuits (spbench eliminate): wide enough for products, narrow
// enough that what is done column by column stays cheap.
constexpr Index panel_width = 128;

/// Rows of a tile: few enough tiles that what the BLAS copies for each stays cheap.
constexpr Index piece_of(Index rows) {
  return std::max<Index>(256, (rows / 8 + 63) / 64 * 64);
}

constexpr Index columns_of_piece = 128;

/// Whether real products of this size are sooner done by plain loops than by a call of the BLAS.
constexpr bool is_small(Index m, Index n, Index k) {
  return k <= 3 || m * n * k <= 2048;
}

/// to <- to - A u for A of so many columns and u(i) = u[i * step], or the conjugates of these.
template <typename T>
void subtract_columns(Index rows, Index columns, const T* a, Index ld, const T* u, Index step,
                      bool conjugate, T* to) {
  if constexpr (is_complex<T>) {
    complex_products::subtract(rows, 1, columns, a, ld, conjugate ? CblasConjTrans : CblasTrans, u,
                               step, true, to, 0);
  } else {
    for (Index i = 0; i < columns; ++i) {
      const T factor = u[i * step];
      const T* column = a + i * ld;
      for (Index r = 0; r < rows; ++r) to[r] -= factor * column[r];
    }
  }
}

/// Index of the first row of the panel without a positive pivot, or -1.
template <typename T>
Index factor_diagonal(Index n, T* a, Index ld) {
  if (n <= 8) {
    for (Index k = 0; k < n; ++k) {
      T* column = a + k * ld;
      subtract_columns(n - k, k, a + k, ld, a + k, ld, true, column + k);
      const Real<T> pivot = real_part(column[k]);
      if (!(pivot > 0) || !is_finite(column[k])) return k;
      const Real<T> root = std::sqrt(pivot);
      column[k] = root;
      for (Index r = k + 1; r < n; ++r) column[r] /= root;
    }
    return -1;
  }
  const Index h = n <= 16 ? 8 : (n / 2 + 7) / 8 * 8;
  if (const Index failed = factor_diagonal(h, a, ld); failed >= 0) return failed;
  solve_triangle(CblasRight, lower_adjoint, n - h, h, a, ld, a + h, ld);
  multiply_transposed<T>(n - h, n - h, h, -1, a + h, ld, a + h, ld, 1, a + h + h * ld, ld,
                         CblasConjTrans);
  const Index failed = factor_diagonal(n - h, a + h + h * ld, ld);
  return failed < 0 ? failed : failed + h;
}

/// Columns 0 ... p - 1 of rows that hang on a p x p triangle, for few columns: B <- B U^-1 for the
/// upper triangle u(i, k) = triangle[i * row_step + k * column_step], or the conjugates of these.
template <bool conjugate = false, typename T>
void solve_few(Index rows, Index p, const T* triangle, Index row_step, Index column_step, bool unit,
               T* b, Index ld) {
  for (Index k = 0; k < p; ++k) {
    T* column = b + k * ld;
    subtract_columns(rows, k, b, ld, triangle + k * column_step, row_step, conjugate, column);
    if (unit) continue;
    const T inverse = T(1) / mirrored(conjugate, triangle[k * row_step + k * column_step]);
    for (Index r = 0; r < rows; ++r) column[r] *= inverse;
  }
}

constexpr bool few(Index p) {
  return p <= 4;
}

void count_cholesky_pivots(const auto* lower, Index first, Index end, Index ld,
                           PivotCounts& counts) {
  for (Index k = first; k < end; ++k) {
    const double root = static_cast<double>(real_part(lower[k + k * ld]));
    counts.include(root * root);
  }
}

/// The unblocked part of LU: n x w with pivots from its rows; swaps as LAPACK's ipiv, from 0.
template <typename T>
void factor_few_columns(Index n, Index w, T* a, Index ld, const PivotRule& rule, LocalIndex* swaps,
                        PivotCounts& counts) {
  for (Index k = 0; k < w; ++k) {
    T* column = a + k * ld;
    Index best = k;
    Real<T> largest = pivot_size(column[k]);
    for (Index r = k + 1; r < n; ++r) {
      const Real<T> size = pivot_size(column[r]);
      if (size > largest) {
        largest = size;
        best = r;
      }
    }
    // A pivot off the diagonal costs nothing, but what is on it was matched to be large.
    if (pivot_size(column[k]) >= largest / 2) best = k;
    swaps[k] = static_cast<LocalIndex>(best);
    if (best != k) {
      ++counts.swaps;
      for (Index j = 0; j < w; ++j) std::swap(a[k + j * ld], a[best + j * ld]);
    }
    T& pivot = column[k];
    Real<T> of_pivot = modulus(pivot);
    if (static_cast<double>(of_pivot) < rule.least) {
      of_pivot = static_cast<Real<T>>(rule.least);
      pivot = with_magnitude(pivot, of_pivot);
      ++counts.perturbed;
    }
    if (!(of_pivot > 0) || !is_finite(pivot)) {
      if (counts.failed < 0) counts.failed = k;
      return;
    }
    counts.include(static_cast<double>(of_pivot));
    const T inverse = T(1) / pivot;
    if (is_finite(inverse)) {
      for (Index r = k + 1; r < n; ++r) column[r] *= inverse;
    } else {
      for (Index r = k + 1; r < n; ++r) column[r] /= pivot;
    }
    if constexpr (is_complex<T>) {
      complex_products::subtract(n - k - 1, w - k - 1, 1, column + k + 1, ld, CblasNoTrans,
                                 column + k + ld, ld, true, column + k + 1 + ld, ld);
      continue;
    }
    for (Index j = k + 1; j < w; ++j) {
      const T factor = a[k + j * ld];
      if (factor == T(0)) continue;
      T* other = a + j * ld;
      for (Index r = k + 1; r < n; ++r) other[r] -= factor * column[r];
    }
  }
}

/// LU of n x w by halves (Toledo 1997).
template <typename T>
void factor_columns(Index n, Index w, T* a, Index ld, const PivotRule& rule, LocalIndex* swaps,
                    PivotCounts& counts) {
  if (w <= 8) return factor_few_columns(n, w, a, ld, rule, swaps, counts);
  const Index h = w <= 16 ? 8 : (w / 2 + 7) / 8 * 8;
  factor_columns(n, h, a, ld, rule, swaps, counts);
  if (counts.failed >= 0) return;
  T* right = a + h * ld;
  swap_rows(w - h, right, ld, swaps, h);
  solve_triangle(CblasLeft, unit_lower, h, w - h, a, ld, right, ld);
  multiply<T>(CblasNoTrans, n - h, w - h, h, -1, a + h, ld, right, ld, 1, right + h, ld);
  factor_columns(n - h, w - h, right + h, ld, rule, swaps + h, counts);
  if (counts.failed >= 0) {
    counts.failed += h;
    return;
  }
  swap_rows(h, a + h, ld, swaps + h, w - h);
  for (Index k = h; k < w; ++k) swaps[k] += static_cast<LocalIndex>(h);
}

/// LU of the p x p block, panels of columns and products over tiles.
template <typename T>
void factor_square(Index p, T* a, Index ld, const PivotRule& rule, const Tiles& tiles,
                   LocalIndex* swaps, PivotCounts& counts) {
  if (p <= 2 * panel_width) return factor_columns(p, p, a, ld, rule, swaps, counts);
  for (Index k = 0; k < p; k += panel_width) {
    const Index w = std::min(panel_width, p - k);
    T* panel = a + k + k * ld;
    factor_columns(p - k, w, panel, ld, rule, swaps + k, counts);
    if (counts.failed >= 0) {
      counts.failed += k;
      return;
    }
    swap_rows(k, a + k, ld, swaps + k, w);
    tiles.run_pieces(k + w, p, columns_of_piece, [&](Index from, Index to) {
      T* columns = a + k + from * ld;
      swap_rows(to - from, columns, ld, swaps + k, w);
      solve_triangle(CblasLeft, unit_lower, w, to - from, panel, ld, columns, ld);
      multiply<T>(CblasNoTrans, p - k - w, to - from, w, -1, panel + w, ld, columns, ld, 1,
                  columns + w, ld);
    });
    for (Index i = k; i < k + w; ++i) swaps[i] += static_cast<LocalIndex>(k);
    tiles.tell(2 * pivot_flops(p, 0, k, k + w));
  }
}

/// C <- - L W^T for L of m x p and W of n x p, or - L W^H.
template <typename T>
void subtract_into(Index m, Index n, Index p, const T* l, Index ldl, const T* w, Index ldw, T* c,
                   Index ldc, bool adjoint) {
  if (is_complex<T> || !is_small(m, n, p)) {
    return multiply_transposed<T>(m, n, p, -1, l, ldl, w, ldw, 0, c, ldc,
                                  adjoint ? CblasConjTrans : CblasTrans);
  }
  for (Index j = 0; j < n; ++j) {
    T* column = c + j * ldc;
    const T first = w[j];
    for (Index i = 0; i < m; ++i) column[i] = -first * l[i];
    for (Index k = 1; k < p; ++k) {
      const T factor = w[j + k * ldw];
      const T* multipliers = l + k * ldl;
      for (Index i = 0; i < m; ++i) column[i] -= factor * multipliers[i];
    }
  }
}

}  // namespace

void PivotCounts::add(const PivotCounts& other) {
  perturbed += other.perturbed;
  swaps += other.swaps;
  negative += other.negative;
  pairs += other.pairs;
  if (other.largest > 0) {
    smallest = largest == 0 ? other.smallest : std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
  }
  largest_multiplier = std::max(largest_multiplier, other.largest_multiplier);
}

template <typename T>
void eliminate_cholesky(const Front<T>& front, const Tiles& tiles, PivotCounts& counts) {
  const Index p = front.pivots, height = front.height(), ld = height;
  T* a = front.lower;
  for (Index k = 0; k < p; k += panel_width) {
    const Index w = std::min(panel_width, p - k);
    T* diagonal = a + k + k * ld;
    const auto subtract_known = [&](Index rows, const T* from, T* to) {
      if (k == 0) return;
      multiply_transposed<T>(rows, w, k, -1, from, ld, a + k, ld, 1, to, ld, CblasConjTrans);
    };
    subtract_known(w, a + k, diagonal);
    if (const Index failed = factor_diagonal(w, diagonal, ld); failed >= 0) {
      counts.failed = k + failed;
      return;
    }
    tiles.run_pieces(k + w, height, piece_of(height - k - w), [&](Index from, Index to) {
      T* rows = a + from + k * ld;
      subtract_known(to - from, a + from, rows);
      if (few(w)) {
        solve_few<true>(to - from, w, diagonal, ld, Index{1}, false, rows, ld);
      } else {
        solve_triangle(CblasRight, lower_adjoint, to - from, w, diagonal, ld, rows, ld);
      }
    });
    tiles.tell(pivot_flops(p, front.border, k, k + w));
  }
  count_cholesky_pivots(a, 0, p, ld, counts);
}

template <typename T>
void eliminate_lu(const Front<T>& front, const PivotRule& rule, const Tiles& tiles,
                  LocalIndex* rows, PivotCounts& counts) {
  const Index p = front.pivots, m = front.border, ld = front.height();
  T* a = front.lower;
  PivotCounts own;
  factor_square(p, a, ld, rule, tiles, rows, own);
  if (own.failed >= 0) {
    counts.failed = own.failed;
    return;
  }
  const Index piece = piece_of(m);
  std::vector<Real<T>> multipliers((m + piece - 1) / piece);
  tiles.run_pieces(0, m, piece, [&](Index from, Index to) {
    T* below = a + p + from;
    T* right = front.upper + from;
    if (own.swaps > 0) {
      for (Index k = 0; k < p; ++k) {
        if (rows[k] == k) continue;
        std::swap_ranges(right + k * m, right + k * m + (to - from), right + rows[k] * m);
      }
    }
    if (few(p)) {
      solve_few(to - from, p, a, Index{1}, ld, false, below, ld);
      solve_few(to - from, p, a, ld, Index{1}, true, right, m);
    } else {
      solve_triangle(CblasRight, upper, to - from, p, a, ld, below, ld);
      solve_triangle(CblasRight, unit_lower_transposed, to - from, p, a, ld, right, m);
    }
    multipliers[from / piece] = largest_size(to - from, p, below, ld);
  });
  for (const Real<T> value : multipliers) {
    own.largest_multiplier = std::max(own.largest_multiplier, static_cast<double>(value));
  }
  // Turns swaps in their order into the row of each pivot.
  if (own.swaps > 0) {
    std::vector<LocalIndex> row(p);
    for (Index k = 0; k < p; ++k) row[k] = static_cast<LocalIndex>(k);
    for (Index k = 0; k < p; ++k) std::swap(row[k], row[rows[k]]);
    std::copy(row.begin(), row.end(), rows);
  }
  counts.add(own);
}

template <typename T>
void update_border(Factorization kind, const Front<T>& front, const T* off_diagonal, Index begin,
                   Index end, T* scratch) {
  const Index p = front.pivots, m = front.border, ld = front.height();
  const Index count = end - begin;
  if (kind == Factorization::lu) {
    return subtract_into<T>(m, count, p, front.lower + p, ld, front.upper + begin, m,
                            front.contribution + begin * m, m, false);
  }
  const BorderBlock block(m, true);
  const T* l = front.lower + p + begin;
  T* c = front.contribution + block.column_start(begin) + begin;
  const Index rows = m - begin, ldc = block.leading(begin / block.width() * block.width());
  if (kind == Factorization::cholesky) {
    return subtract_into<T>(rows, count, p, l, ld, l, ld, c, ldc, true);
  }
  const bool hermitian = is_hermitian(kind);
  multiply_by_d(hermitian, count, p, l, ld, front.lower, ld, off_diagonal, scratch);
  subtract_into<T>(rows, count, p, l, ld, scratch, count, c, ldc, hermitian);
}

template <typename T>
void factor_cholesky_panel(Index height, Index w, T* a, Index ld, PivotCounts& counts) {
  if (const Index failed = factor_diagonal(w, a, ld); failed >= 0) {
    counts.failed = failed;
    return;
  }
  solve_triangle(CblasRight, lower_adjoint, height - w, w, a, ld, a + w, ld);
  count_cholesky_pivots(a, 0, w, ld, counts);
}

template <typename T>
void factor_lu_panel(Index summed, Index height, Index w, T* a, Index ld, const PivotRule& rule,
                     LocalIndex* swaps, PivotCounts& counts) {
  factor_columns(summed, w, a, ld, rule, swaps, counts);
  if (counts.failed >= 0 || height == summed) return;
  T* below = a + summed;
  solve_triangle(CblasRight, upper, height - summed, w, a, ld, below, ld);
  counts.largest_multiplier = std::max(
      counts.largest_multiplier, static_cast<double>(largest_size(height - summed, w, below, ld)));
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(swap_rows)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(factor_cholesky_panel)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(factor_lu_panel)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(eliminate_cholesky)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(eliminate_lu)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(update_border)

}  // namespace spsolve::sparse
