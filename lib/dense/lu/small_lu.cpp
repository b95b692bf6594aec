#include "dense/lu/small_lu.hpp"

#include <algorithm>
#include <utility>

#include "core/extremes.hpp"

namespace spsolve::inline dense {

namespace {

constexpr Index block = 16;

template <typename T>
Index find_pivot(Index rows, Index width, const T* a, Index j) {
  const auto size = [&](Index i) { return infinite_if_nan(pivot_size(a[i * width + j])); };
  Index best = j;
  for (Index i = j + 1; i < rows; ++i) {
    if (size(i) > size(best)) best = i;
  }
  return best;
}

/// target_c <- target_c - sum over p of l_p U_pc for c < count; U has `depth` rows.
template <typename T>
void subtract_rows(T* __restrict target, const T* l, const T* __restrict u, Index width,
                   Index depth, Index count) {
  for (Index p = 0; p + 4 <= depth; p += 4) {
    const T l0 = l[p], l1 = l[p + 1], l2 = l[p + 2], l3 = l[p + 3];
    const T* u0 = u + p * width;
    const T* u1 = u0 + width;
    const T* u2 = u1 + width;
    const T* u3 = u2 + width;
#pragma omp simd
    for (Index c = 0; c < count; ++c) {
      target[c] -= l0 * u0[c] + l1 * u1[c] + (l2 * u2[c] + l3 * u3[c]);
    }
  }
  for (Index p = depth / 4 * 4; p < depth; ++p) {
    const T lp = l[p];
    const T* up = u + p * width;
#pragma omp simd
    for (Index c = 0; c < count; ++c) target[c] -= lp * up[c];
  }
}

}  // namespace

template <typename T>
void factor_small(Index rows, Index width, std::span<T> a, bool pivoting, std::span<Index> order) {
  const auto row = [&](Index i) { return a.data() + i * width; };
  for (Index first = 0; first < width; first += block) {
    const Index last = std::min(first + block, width);
    // The block's columns, one by one.
    for (Index j = first; j < last; ++j) {
      if (const Index pivot = pivoting ? find_pivot(rows, width, a.data(), j) : j; pivot != j) {
        std::swap_ranges(row(j), row(j) + width, row(pivot));
        std::swap(order[j], order[pivot]);
      }
      const T value = row(j)[j];
      for (Index i = j + 1; i < rows; ++i) {
        if (value == T{}) {
          row(i)[j] = T{};
          continue;
        }
        const T l = row(i)[j] /= value;
        for (Index c = j + 1; c < last; ++c) row(i)[c] -= l * row(j)[c];
      }
    }
    // The block's rows of U, and what is right of the block below them.
    for (Index i = first + 1; i < rows; ++i) {
      subtract_rows(row(i) + last, row(i) + first, row(first) + last, width,
                    std::min(i, last) - first, width - last);
    }
  }
}

template <typename T>
void solve_small_transposed(Triangle triangle, Index width, const T* a, Index stride, T* x,
                            Index columns) {
  const auto subtract = [&](Index to, T factor, Index from) {
    for (Index c = 0; c < columns; ++c) x[to * columns + c] -= factor * x[from * columns + c];
  };
  if (triangle == Triangle::upper) {
    for (Index i = 0; i < width; ++i) {
      const T* const row = a + i * stride;
      for (Index c = 0; c < columns; ++c) x[i * columns + c] /= row[i];
      for (Index k = i + 1; k < width; ++k) subtract(k, row[k], i);
    }
    return;
  }
  for (Index i = width; i-- > 0;) {
    for (Index k = 0; k < i; ++k) subtract(k, a[i * stride + k], i);
  }
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(factor_small)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_small_transposed)

}  // namespace spsolve::dense
