#pragma once

#include <algorithm>

#include "sparse/kernels/lanes.hpp"

namespace spsolve::inline sparse::vector_sweeps {

// Sweeps of one vector through a front's triangle and what lies below it, eight columns at a time:
// the front is read once, in the order in which it lies in memory, the vector an eighth as often,
// and what eight pivots do to each other stays in the processor's registers. A call of the BLAS
// costs more than a small front. Matrices are column-major: element (i, j) is a[i + j * ld].
//
// Fronts are short, and the rest of a column after its last whole vector costs more than the
// vectors. Where ends are padded, whole vectors are taken to the end: up to `padding` values after
// y are read and written, which must be 0 where y is only read, and as many after the last column
// are read, which must be there and finite.

enum class Ends { exact, padded };

/// Values that must lie after padded arrays.
template <typename T>
inline constexpr Index padding = lanes;

namespace detail {

// Ends that are not padded are rare, and functions of their own: inlined into all loops they take
// the compiler three times as long.
template <typename T>
[[gnu::noinline]] Lanes<T> load_part(const T* from, Index left) {
  return load(from, left);
}
template <typename T>
[[gnu::noinline]] void store_part(const Lanes<T>& v, T* to, Index left) {
  store<T>(v, to, left);
}

template <Ends ends, typename T>
Lanes<T> load_end(const T* from, Index left) {
  if (ends == Ends::padded || left >= lanes) return load(from);
  return load_part(from, left);
}

template <Ends ends, typename T>
void store_end(const Lanes<T>& v, T* to, Index left) {
  if (ends == Ends::padded || left >= lanes) return store<T>(v, to);
  store_part<T>(v, to, left);
}

/// The first of the last up to eight of n columns; negative where there are none.
constexpr Index last_group(Index n) {
  return (n + lanes - 1) / lanes * lanes - lanes;
}

/// Calls work with the `width` of 1 ... 8 columns: a constant, but for fewer than eight with exact
/// ends, which are of large fronts, whose last columns hardly count.
template <Ends ends, typename Work>
void with_width(Index width, const Work& work) {
  if constexpr (ends == Ends::exact) {
    return width == lanes ? work(std::integral_constant<int, lanes>{})
                          : work(static_cast<int>(width));
  }
  switch (width) {
    case 8:
      return work(std::integral_constant<int, 8>{});
    case 7:
      return work(std::integral_constant<int, 7>{});
    case 6:
      return work(std::integral_constant<int, 6>{});
    case 5:
      return work(std::integral_constant<int, 5>{});
    case 4:
      return work(std::integral_constant<int, 4>{});
    case 3:
      return work(std::integral_constant<int, 3>{});
    case 2:
      return work(std::integral_constant<int, 2>{});
    default:
      return work(std::integral_constant<int, 1>{});
  }
}

/// Calls work with 0 ... width - 1, constants where the width is one.
template <typename Width, typename Work>
void for_columns(Width width, const Work& work) {
  if constexpr (std::is_same_v<Width, int>) {
    for (int j = 0; j < width; ++j) work(j);
  } else {
    unrolled<width>(work);
  }
}

/// Calls work with width - 1 ... 0 likewise.
template <typename Width, typename Work>
void for_columns_down(Width width, const Work& work) {
  if constexpr (std::is_same_v<Width, int>) {
    for (int j = width - 1; j >= 0; --j) work(j);
  } else {
    unrolled_down<width>(work);
  }
}

/// y <- y - sum over j < width of column j times x_j in every lane of factors[j].
template <Ends ends, typename Width, typename T>
void subtract_columns(Width width, Index m, const T* a, Index ld, const Lanes<T>* factors, T* y) {
  for (Index i = 0; i < m; i += lanes) {
    Lanes<T> even = load_end<ends>(y + i, m - i), odd{};
    for_columns(width, [&](auto j) {
      (j % 2 == 0 ? even : odd) -= load_end<ends>(a + i + j * ld, m - i) * factors[j];
    });
    store_end<ends, T>(even + odd, y + i, m - i);
  }
}

/// The sums over i of column j times y, in lane j < width; 0 in the others.
template <Ends ends, typename Width, typename T>
Lanes<T> column_sums(Width width, Index m, const T* a, Index ld, const T* y) {
  Lanes<T> all[lanes] = {};
  for (Index i = 0; i < m; i += lanes) {
    const Lanes<T> v = load_end<ends>(y + i, m - i);
    for_columns(width, [&](auto j) { all[j] += load_end<ends>(a + i + j * ld, m - i) * v; });
  }
  return sums_of(all);
}

/// 1 / a_jj in lane j < width, 1 in the others; 1 everywhere for a unit diagonal.
template <typename Width, typename T>
Lanes<T> inverse_diagonal(Width width, bool unit, const T* a, Index ld) {
  Lanes<T> d = in_all_lanes(T(1));
  if (unit) return d;
  for_columns(width, [&](auto j) { set_lane(d, j, a[j + j * ld]); });
  return inverse_of(d);
}

}  // namespace detail

/// y <- y - A x for A of m x n.
template <Ends ends, typename T>
[[gnu::flatten]] void subtract(Index m, Index n, const T* a, Index ld, const T* x, T* y) {
  for (Index j = 0; j < n; j += lanes) {
    detail::with_width<ends>(std::min(lanes, n - j), [&](auto width) {
      Lanes<T> factors[lanes];
      detail::for_columns(width, [&](auto k) { factors[k] = in_all_lanes(x[j + k]); });
      detail::subtract_columns<ends>(width, m, a + j * ld, ld, factors, y);
    });
  }
}

/// x <- x - A^T y for A of m x n.
template <Ends ends, typename T>
[[gnu::flatten]] void subtract_transposed(Index m, Index n, const T* a, Index ld, const T* y,
                                          T* x) {
  for (Index j = 0; j < n; j += lanes) {
    detail::with_width<ends>(std::min(lanes, n - j), [&](auto width) {
      const Lanes<T> sums = detail::column_sums<ends>(width, m, a + j * ld, ld, y);
      detail::for_columns(width, [&](auto k) { x[j + k] -= lane<T>(sums, k); });
    });
  }
}

/// Z <- L^-1 Z down the first n of h rows, and what they take from the h - n rows below:
/// z = (z1, z2), z1 <- L11^-1 z1, z2 <- z2 - L21 z1.
template <Ends ends, typename T>
[[gnu::flatten]] void forward_lower(bool unit, Index h, Index n, const T* l, Index ld, T* z) {
  for (Index k = 0; k < n; k += lanes) {
    const T* a = l + k + k * ld;
    detail::with_width<ends>(std::min(lanes, n - k), [&](auto width) {
      Lanes<T> v = detail::load_end<ends>(z + k, h - k), found[lanes];
      const Lanes<T> inverse = detail::inverse_diagonal(width, unit, a, ld);
      detail::for_columns(width, [&](auto j) {
        found[j] = repeated(j, v);
        if (!unit) found[j] *= repeated(j, inverse);
        v -= above(j, detail::load_end<ends>(a + j * ld, h - k)) * found[j];
      });
      if (!unit) v *= inverse;
      detail::store_end<ends, T>(v, z + k, h - k);
      if (h - k > lanes) {
        detail::subtract_columns<ends>(width, h - k - lanes, a + lanes, ld, found, z + k + lanes);
      }
    });
  }
}

/// z1 <- L11^-T (z1 - L21^T z2) for z of h values, z1 the first n of them.
template <Ends ends, typename T>
[[gnu::flatten]] void backward_lower(bool unit, Index h, Index n, const T* l, Index ld, T* z) {
  for (Index k = detail::last_group(n); k >= 0; k -= lanes) {
    const T* a = l + k + k * ld;
    detail::with_width<ends>(std::min(lanes, n - k), [&](auto width) {
      Lanes<T> v = detail::load_end<ends>(z + k, h - k), rows[lanes] = {};
      if (h - k > lanes) {
        v -= detail::column_sums<ends>(width, h - k - lanes, a + lanes, ld, z + k + lanes);
      }
      const Lanes<T> inverse = detail::inverse_diagonal(width, unit, a, ld);
      detail::for_columns(width,
                          [&](auto j) { rows[j] = detail::load_end<ends>(a + j * ld, h - k); });
      transpose(rows);  // lane j of row i: l_ij
      unrolled_down<lanes>([&](auto i) {
        Lanes<T> of_row = repeated(i, v);
        if (!unit) of_row *= repeated(i, inverse);
        v -= below(i, rows[i]) * of_row;
      });
      if (!unit) v *= inverse;
      detail::store_end<ends, T>(v, z + k, h - k);
    });
  }
}

/// z <- U^-1 z for the n x n upper triangle u; z itself is never padded.
template <Ends ends, typename T>
[[gnu::flatten]] void backward_upper(Index n, const T* u, Index ld, T* z) {
  for (Index k = detail::last_group(n); k >= 0; k -= lanes) {
    const T* a = u + k + k * ld;
    detail::with_width<ends>(std::min(lanes, n - k), [&](auto width) {
      Lanes<T> v = load(z + k, width), found[lanes];
      const Lanes<T> inverse = detail::inverse_diagonal(width, false, a, ld);
      detail::for_columns_down(width, [&](auto j) {
        found[j] = repeated(j, v) * repeated(j, inverse);
        v -= below(j, detail::load_end<ends>(a + j * ld, n - k)) * found[j];
      });
      store<T>(v * inverse, z + k, width);
      detail::subtract_columns<Ends::padded>(width, k, a - k, ld, found, z);
    });
  }
}

/// z <- U^-T z likewise.
template <Ends ends, typename T>
[[gnu::flatten]] void forward_upper(Index n, const T* u, Index ld, T* z) {
  for (Index k = 0; k < n; k += lanes) {
    const T* a = u + k + k * ld;
    detail::with_width<ends>(std::min(lanes, n - k), [&](auto width) {
      Lanes<T> v = load(z + k, width), rows[lanes] = {};
      v -= detail::column_sums<Ends::padded>(width, k, a - k, ld, z);
      const Lanes<T> inverse = detail::inverse_diagonal(width, false, a, ld);
      detail::for_columns(width,
                          [&](auto j) { rows[j] = detail::load_end<ends>(a + j * ld, n - k); });
      transpose(rows);  // lane j of row i: u_ij
      detail::for_columns(
          width, [&](auto i) { v -= above(i, rows[i]) * (repeated(i, v) * repeated(i, inverse)); });
      store<T>(v * inverse, z + k, width);
    });
  }
}

}  // namespace spsolve::sparse::vector_sweeps
