#include "sparse/sweeps/row_products.hpp"

#include "core/blas/complex_vectors.hpp"
#include "sparse/kernels/vector_sweeps.hpp"

namespace spsolve::inline sparse::row_products {

using vector_sweeps::Ends;

namespace {

// A call of the BLAS costs more than what a small front does with a few columns. Complex numbers
// are multiplied by complex_products, whatever their count.

bool is_small(Index entries) {
  constexpr Index most_in_loops = 96;
  return entries <= most_in_loops;
}

bool is_small(column_blas::Triangle t, Index w, Index columns) {
  constexpr Index most_of_unit = 32, most = 12, few_columns = 8;
  return w <= (t.diagonal == CblasUnit || columns < few_columns ? most_of_unit : most);
}

/// Targets first ... first + count - 1 of subtract_few(), their sums in registers.
template <int count, typename Columns, typename T>
void subtract_group(Index sources, Columns columns, const T* a, Index step, Index source_step,
                    const T* from, T* to) {
  if constexpr (std::is_same_v<Columns, FixedColumns>) {
    using vector_sweeps::lanes, vector_sweeps::load, vector_sweeps::store;
    constexpr int vectors = FixedColumns::value / lanes;
    vector_sweeps::Lanes<T> sums[count][vectors];
#pragma GCC unroll 8
    for (int r = 0; r < count; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) sums[r][v] = load(to + r * columns + v * lanes);
    }
    for (Index k = 0; k < sources; ++k) {
      vector_sweeps::Lanes<T> source[vectors];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) source[v] = load(from + k * columns + v * lanes);
#pragma GCC unroll 8
      for (int r = 0; r < count; ++r) {
        const T factor = a[r * step + k * source_step];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sums[r][v] -= factor * source[v];
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < count; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) store<T>(sums[r][v], to + r * columns + v * lanes);
    }
  } else {
    for (Index k = 0; k < sources; ++k) {
      for (int r = 0; r < count; ++r) {
        const T factor = a[r * step + k * source_step];
        for (Index c = 0; c < columns; ++c) to[r * columns + c] -= factor * from[k * columns + c];
      }
    }
  }
}

/// Rows r of `to` less the sums over k of a[r * step + k * source_step] times rows k of `from`.
template <typename Columns, typename T>
void subtract_few(Index targets, Index sources, Columns columns, const T* a, Index step,
                  Index source_step, const T* from, T* to) {
  constexpr Index group = 4;
  Index r = 0;
  for (; r + group <= targets; r += group) {
    subtract_group<group>(sources, columns, a + r * step, step, source_step, from,
                          to + r * columns);
  }
  for (; r < targets; ++r) {
    subtract_group<1>(sources, columns, a + r * step, step, source_step, from, to + r * columns);
  }
}

template <typename Columns, typename T>
void solve_few(column_blas::Triangle t, Index w, Columns columns, const T* a, Index ld, T* z) {
  const bool transposed = t.op == CblasTrans, upper = (t.part == CblasUpper) != transposed;
  const Index step = transposed ? ld : 1, source_step = transposed ? 1 : ld;
  for (Index i = 0; i < w; ++i) {
    const Index k = upper ? w - 1 - i : i, first = upper ? k + 1 : 0;
    T* row = z + k * columns;
    subtract_group<1>(i, columns, a + k * step + first * source_step, step, source_step,
                      z + first * columns, row);
    if (t.diagonal == CblasUnit) continue;
    const T inverse = T(1) / a[k + k * ld];
    for (Index c = 0; c < columns; ++c) row[c] *= inverse;
  }
}

constexpr Index most_rows = 8;  // of complex numbers that are solved at once

/// `count` rows of `reals` parts, `row_step` numbers from one to the next, by a lower triangle
/// l(j, k) = a[j * step + k * source_step]; the inverses of its diagonal, or none of a unit one.
template <int reals, typename T>
void solve_strip(Index count, const T* a, Index step, Index source_step, const T* inverses, T* z,
                 Index row_step) {
  using V = complex_vectors::Parts<T, reals>;
  using complex_vectors::Multiplicand, vector_sweeps::unrolled;
  const auto parts_of = [&](Index row) { return reinterpret_cast<Real<T>*>(z + row * row_step); };
  V rows[most_rows];
  unrolled<most_rows>([&](auto j) {
    if (j < count) rows[j] = short_vectors::load<V>(parts_of(j));
  });
  unrolled<most_rows>([&](auto k) {
    if (k >= count) return;
    if (inverses != nullptr) rows[k] = Multiplicand<T, V>(rows[k]).times(inverses[k]);
    const Multiplicand<T, V> known(rows[k]);
    unrolled<most_rows - 1 - k>([&](auto i) {
      constexpr Index j = k + 1 + i;
      if (j < count) known.subtract_from(rows[j], a[j * step + k * source_step]);
    });
  });
  unrolled<most_rows>([&](auto j) {
    if (j < count) short_vectors::store(parts_of(j), rows[j]);
  });
}

/// Solves for all columns, in strips of `reals` parts and, of what is left, of half as many.
template <int reals, typename T>
void solve_strips(Index count, Index columns, const T* a, Index step, Index source_step,
                  const T* inverses, T* z, Index row_step) {
  constexpr Index width = reals / 2;
  Index c = 0;
  for (; c + width <= columns; c += width) {
    solve_strip<reals>(count, a, step, source_step, inverses, z + c, row_step);
  }
  if constexpr (width > 1) {
    if (c == columns) return;
    solve_strips<width>(count, columns - c, a, step, source_step, inverses, z + c, row_step);
  }
}

/// Complex rows, some at a time, all that is known before them taken off at once.
template <typename T>
void solve_complex(column_blas::Triangle t, Index w, Index columns, const T* a, Index ld, T* z) {
  constexpr int reals = short_vectors::register_bytes / static_cast<int>(sizeof(Real<T>));
  const bool transposed = t.op == CblasTrans, upper = (t.part == CblasUpper) != transposed;
  const Index step = transposed ? ld : 1, source_step = transposed ? 1 : ld;
  for (Index done = 0; done < w; done += most_rows) {
    const Index count = std::min(most_rows, w - done), first = upper ? w - done - count : done;
    const Index known = upper ? first + count : 0;
    complex_products::subtract(
        columns, count, done, z + known * columns, columns, transposed ? CblasNoTrans : CblasTrans,
        a + first * step + known * source_step, ld, true, z + first * columns, columns);
    // An upper triangle is a lower one that is read from its end.
    const Index sign = upper ? -1 : 1, begin = upper ? first + count - 1 : first;
    const T* const corner = a + begin * (1 + ld);
    T inverses[most_rows];
    const bool unit = t.diagonal == CblasUnit;
    for (Index k = 0; !unit && k < count; ++k) inverses[k] = T(1) / corner[sign * k * (1 + ld)];
    solve_strips<reals>(count, columns, corner, sign * step, sign * source_step,
                        unit ? nullptr : inverses, z + begin * columns, sign * columns);
  }
}

}  // namespace

template <typename T>
void solve_rows(column_blas::Triangle t, Index w, Index columns, const T* a, Index ld, T* z) {
  if constexpr (is_complex<T>) {
    if (columns > 1 && complex_products::are_worth_it(columns, w, w)) {
      return solve_complex(t, w, columns, a, ld, z);
    }
  } else if (columns > 1 && is_small(t, w, columns)) {
    return with_columns(columns, [&](auto known) { solve_few(t, w, known, a, ld, z); });
  }
  if (columns > 1) {
    return column_blas::solve_triangle(CblasRight, flipped(t), columns, w, a, ld, z, columns);
  }
  const bool transposed = t.op == CblasTrans, unit = t.diagonal == CblasUnit;
  if (t.part == CblasUpper) {
    transposed ? vector_sweeps::forward_upper<Ends::exact>(w, a, ld, z)
               : vector_sweeps::backward_upper<Ends::exact>(w, a, ld, z);
  } else {
    transposed ? vector_sweeps::backward_lower<Ends::exact>(unit, w, w, a, ld, z)
               : vector_sweeps::forward_lower<Ends::exact>(unit, w, w, a, ld, z);
  }
}

template <typename T>
void subtract_product(Index m, Index w, Index columns, const T* a, Index ld, const T* z, T* b) {
  if (m == 0) return;
  if (columns == 1) return vector_sweeps::subtract<Ends::exact>(m, w, a, ld, z, b);
  if constexpr (!is_complex<T>) {
    if (is_small(m * w)) {
      return with_columns(columns,
                          [&](auto known) { subtract_few(m, w, known, a, Index{1}, ld, z, b); });
    }
  }
  column_blas::multiply_transposed<T>(columns, m, w, -1, z, columns, a, ld, 1, b, columns);
}

template <typename T>
void subtract_transposed_product(Index m, Index w, Index columns, const T* a, Index ld, const T* b,
                                 T* z) {
  if (m == 0) return;
  if (columns == 1) return vector_sweeps::subtract_transposed<Ends::exact>(m, w, a, ld, b, z);
  if constexpr (!is_complex<T>) {
    if (is_small(m * w)) {
      return with_columns(columns,
                          [&](auto known) { subtract_few(w, m, known, a, ld, Index{1}, b, z); });
    }
  }
  column_blas::multiply<T>(CblasNoTrans, columns, w, m, -1, b, columns, a, ld, 1, z, columns);
}

template <typename T>
void divide_by_d(bool hermitian, Index w, const T* diagonal, Index ld, const T* off_diagonal,
                 Index columns, T* z) {
  for (Index k = 0; k < w; ++k) {
    const T d = diagonal[k + k * ld];
    T* first = z + k * columns;
    if (off_diagonal[k] == T(0)) {
      if (is_complex<T> && columns > 1) {
        const T inverse = T(1) / d;
        for (Index c = 0; c < columns; ++c) first[c] *= inverse;
      } else {
        for (Index c = 0; c < columns; ++c) first[c] /= d;
      }
      continue;
    }
    T* second = first + columns;
    const Wide<T> x = d, y = off_diagonal[k], v = diagonal[k + 1 + (k + 1) * ld];
    const Wide<T> across = mirrored(hermitian, y), determinant = x * v - y * across;
    for (Index c = 0; c < columns; ++c) {
      const Wide<T> upper = first[c], lower = second[c];
      first[c] = static_cast<T>((v * upper - across * lower) / determinant);
      second[c] = static_cast<T>((x * lower - y * upper) / determinant);
    }
    ++k;
  }
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(divide_by_d)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_rows)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(subtract_product)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(subtract_transposed_product)

}  // namespace spsolve::sparse::row_products
