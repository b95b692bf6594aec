#include "core/blas/complex_products.hpp"

#include <complex>

#include "core/blas/complex_vectors.hpp"

namespace spsolve::inline core::complex_products {

namespace {

// Tiles of two registers of rows and eight columns: C's stay in registers, A's come as they lie in
// memory, B's are handed to every lane. Fronts of sparse matrices are small: OpenBLAS 0.3.21 does
// 10, 18, 35 and 49 GFLOP/s on a core for 6 x 6 x 2, 10 x 10 x 3, 20 x 20 x 8 and 256 x 128 x 128,
// what is here 20, 36, 50 and 54; from 256 on a side it is faster.

using complex_vectors::swapped, complex_vectors::signs_of_turn;
using short_vectors::load, short_vectors::store;

constexpr bool is_wide = short_vectors::register_bytes >= 32;
constexpr Index most_columns = is_wide ? 8 : 4;  // of a tile

/// Matrices as their parts: steps are those from part to part. Entries of a row of op(B) lie next
/// to each other if it is transposed, else those of a column.
template <typename R, bool transposed>
struct Product {
  Index k;
  const R* a;
  Index lda;
  const R* b;
  Index ldb;
  bool conjugate, add;
  R* c;
  Index ldc;

  /// One tile of `vectors` vectors of `width` parts in each of its columns. Where it has few sums,
  /// each is that of several, which need not wait for each other.
  template <int vectors, int width, int columns>
  void tile(Index row) const {
    using V = short_vectors::Vector<R, width>;
    constexpr int chains = vectors * columns >= 8 ? 1 : vectors * columns >= 4 ? 2 : 4;
    V sums[chains][columns][vectors] = {};
    const V signs = signs_of_turn<V>(conjugate);
    const R *left = a + row, *right[columns];
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) right[j] = transposed ? b + 2 * j : b + j * ldb;
    const Index step = transposed ? ldb : 2;
    Index at = 0;  // in B
    const auto add_product = [&](int first, int second) __attribute__((always_inline)) {
      V value[vectors], turned[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        value[v] = load<V>(left + v * width);
        turned[v] = swapped(value[v]) * signs;
      }
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        const R re = right[transposed ? 0 : j][at + (transposed ? 2 * j : 0)],
                im = right[transposed ? 0 : j][at + (transposed ? 2 * j : 0) + 1];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) {
          sums[first][j][v] -= value[v] * re;
          sums[second][j][v] -= turned[v] * im;
        }
      }
      left += lda;
      at += step;
    };
    Index p = 0;
    if constexpr (chains == 4) {
      for (; p + 2 <= k; p += 2) {
        add_product(0, 1);
        add_product(2, 3);
      }
    }
    for (; p < k; ++p) add_product(0, chains > 1 ? 1 : 0);
    R* const to = c + row;
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        V sum = sums[0][j][v];
        if constexpr (chains > 1) sum += sums[1][j][v];
        if constexpr (chains > 2) sum += sums[2][j][v] + sums[3][j][v];
        R* const at_c = to + j * ldc + v * width;
        store(at_c, add ? load<V>(at_c) + sum : sum);
      }
    }
  }

  /// The next columns, `parts` parts of each; goes on to those after them.
  template <int columns>
  void take_columns(Index parts) {
    constexpr int width = short_vectors::register_bytes / static_cast<int>(sizeof(R));
    Index row = 0;
    for (; row + 2 * width <= parts; row += 2 * width) tile<2, width, columns>(row);
    take_rest<width, columns>(row, parts);
    b += columns * (transposed ? 2 : ldb);
    c += columns * ldc;
  }

  /// Fewer rows than two vectors have.
  template <int width, int columns>
  void take_rest(Index row, Index parts) const {
    if (row + width <= parts) {
      tile<1, width, columns>(row);
      row += width;
    }
    if constexpr (width > 2) take_rest<width / 2, columns>(row, parts);
  }

  void run(Index m, Index n) {
    for (; n >= most_columns; n -= most_columns) take_columns<most_columns>(2 * m);
    if (most_columns > 4 && n >= 4) {
      take_columns<4>(2 * m);
      n -= 4;
    }
    if (n == 3) take_columns<3>(2 * m);
    if (n == 2) take_columns<2>(2 * m);
    if (n == 1) take_columns<1>(2 * m);
  }
};

}  // namespace

bool are_worth_it(Index m, Index n, Index k) {
  constexpr Index most = is_wide ? 128 * 128 * 128 : 256, few_rows = 32;
  return m * n * k <= most || (is_wide && m <= few_rows);
}

template <typename T>
void subtract(Index m, Index n, Index k, const T* a, Index lda, CBLAS_TRANSPOSE op, const T* b,
              Index ldb, bool add, T* c, Index ldc) {
  using R = Real<T>;
  const auto run = [&](auto product) { product.run(m, n); };
  const auto* left = reinterpret_cast<const R*>(a);
  const auto* right = reinterpret_cast<const R*>(b);
  auto* to = reinterpret_cast<R*>(c);
  if (op == CblasNoTrans) {
    run(Product<R, false>{k, left, 2 * lda, right, 2 * ldb, false, add, to, 2 * ldc});
  } else {
    run(Product<R, true>{k, left, 2 * lda, right, 2 * ldb, op == CblasConjTrans, add, to, 2 * ldc});
  }
}

template void subtract(Index, Index, Index, const std::complex<float>*, Index, CBLAS_TRANSPOSE,
                       const std::complex<float>*, Index, bool, std::complex<float>*, Index);
template void subtract(Index, Index, Index, const std::complex<double>*, Index, CBLAS_TRANSPOSE,
                       const std::complex<double>*, Index, bool, std::complex<double>*, Index);

}  // namespace spsolve::core::complex_products
