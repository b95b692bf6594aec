#include "sparse/sweeps/front_sweeps.hpp"

#include <algorithm>

#include "sparse/kernels/vector_sweeps.hpp"
#include "sparse/sweeps/row_products.hpp"

namespace spsolve::inline sparse {

using namespace column_blas;
using namespace row_products;
using vector_sweeps::Ends;

namespace {

constexpr Index block = 256;  // of a large front's triangle
constexpr Index rows_of_piece = 512;
constexpr Index columns_of_piece = 32;

template <typename T>
void copy_row(Index columns, const T* from, T* to) {
  for (Index c = 0; c < columns; ++c) to[c] = from[c];
}

/// to <- from / pivot: the sweep of a front that is one pivot, as many of a diagonal matrix are.
template <typename T>
void divide_row(Index columns, const T* from, T pivot, T* to) {
  for (Index c = 0; c < columns; ++c) to[c] = from[c] / pivot;
}

}  // namespace

template <typename T>
FrontSweeps<T>::FrontSweeps(Factorization kind, bool transposed, bool divides)
    : kind_(kind),
      transposed_(transposed && kind == Factorization::lu),
      divides_(divides && has_d(kind)),
      triangles_(sweep_triangles(kind, transposed)) {}

template <typename T>
void FrontSweeps<T>::forward_one(const FactoredFront<T>& f, const FrontRows<T>& rows, T* x,
                                 T* z) const {
  const Index e = f.pivots, m = f.border;
  const LocalIndex* in = transposed_ ? f.columns : f.rows;
  const LocalIndex* out = transposed_ ? f.rows : f.columns;
  const LocalIndex* border = transposed_ ? f.border_columns : f.border_rows;
  T* t = z + e;
  for (Index k = 0; k < e; ++k) z[k] = rows.b[in[k]];
  for (Index i = 0; i < m; ++i) t[i] = *rows.at(border[i], 1);
  if (transposed_) {
    vector_sweeps::forward_upper<Ends::padded>(e, f.lower, f.ld, z);
    vector_sweeps::subtract<Ends::padded>(m, e, f.upper, f.ldu, z, t);
  } else {
    vector_sweeps::forward_lower<Ends::padded>(kind_ != Factorization::cholesky, e + m, e, f.lower,
                                               f.ld, z);
  }
  if (divides_) divide_by_d(is_hermitian(kind_), e, f.lower, f.ld, f.off_diagonal, 1, z);
  for (Index k = 0; k < e; ++k) x[out[k]] = z[k];
  for (Index i = 0; i < m; ++i) *rows.at(border[i], 1) = t[i];
}

template <typename T>
void FrontSweeps<T>::backward_one(const FactoredFront<T>& f, T* x, T* z) const {
  const Index e = f.pivots, m = f.border;
  const LocalIndex* out = transposed_ ? f.rows : f.columns;
  const LocalIndex* border = transposed_ ? f.border_rows : f.border_columns;
  T* t = z + e;
  for (Index k = 0; k < e; ++k) z[k] = x[out[k]];
  for (Index i = 0; i < m; ++i) t[i] = x[border[i]];
  std::fill_n(t + m, vector_sweeps::padding<T>, T(0));
  if (triangles_.second.op == CblasNoTrans) {  // U itself, of LU: not a transpose
    vector_sweeps::subtract_transposed<Ends::padded>(m, e, f.upper, f.ldu, t, z);
    vector_sweeps::backward_upper<Ends::padded>(e, f.lower, f.ld, z);
  } else {
    vector_sweeps::backward_lower<Ends::padded>(kind_ != Factorization::cholesky, e + m, e, f.lower,
                                                f.ld, z);
  }
  for (Index k = 0; k < e; ++k) x[out[k]] = z[k];
}

template <typename T>
void FrontSweeps<T>::forward(const FactoredFront<T>& f, const Tiles* shared, Index columns,
                             const FrontRows<T>& rows, T* x, T* z) const {
  if (f.pivots == 1 && f.border == 0) {
    const LocalIndex in = transposed_ ? f.columns[0] : f.rows[0];
    const LocalIndex out = transposed_ ? f.rows[0] : f.columns[0];
    const bool divides = divides_ || triangles_.first.diagonal != CblasUnit;
    return divide_row(columns, rows.b + in * columns, divides ? f.lower[0] : T(1),
                      x + out * columns);
  }
  if (columns == 1 && shared == nullptr) return forward_one(f, rows, x, z);
  const Index e = f.pivots, m = f.border;
  const LocalIndex* in = transposed_ ? f.columns : f.rows;
  const LocalIndex* out = transposed_ ? f.rows : f.columns;
  const LocalIndex* border = transposed_ ? f.border_columns : f.border_rows;
  T* t = z + e * columns;
  for (Index k = 0; k < e; ++k) copy_row(columns, rows.b + in[k] * columns, z + k * columns);
  std::fill(t, t + m * columns, T(0));
  const Tiles tiles = shared != nullptr ? *shared : Tiles(1);
  for (Index k = 0; k < e; k += block) {
    const Index w = std::min(block, e - k);
    const T* diagonal = f.lower + k + k * f.ld;
    solve_rows(triangles_.first, w, columns, diagonal, f.ld, z + k * columns);
    if (!transposed_) {  // the rest of the triangle and the border lie below each other
      tiles.run_pieces(k + w, e + m, rows_of_piece, [&](Index from, Index to) {
        subtract_product(to - from, w, columns, f.lower + from + k * f.ld, f.ld, z + k * columns,
                         z + from * columns);
      });
      continue;
    }
    tiles.run_pieces(k + w, e, rows_of_piece, [&](Index from, Index to) {
      subtract_transposed_product(w, to - from, columns, f.lower + k + from * f.ld, f.ld,
                                  z + k * columns, z + from * columns);
    });
    tiles.run_pieces(0, m, rows_of_piece, [&](Index from, Index to) {
      subtract_product(to - from, w, columns, f.upper + from + k * f.ldu, f.ldu, z + k * columns,
                       t + from * columns);
    });
  }
  if (divides_) divide_by_d(is_hermitian(kind_), e, f.lower, f.ld, f.off_diagonal, columns, z);
  for (Index k = 0; k < e; ++k) copy_row(columns, z + k * columns, x + out[k] * columns);
  for (Index i = 0; i < m; ++i) {
    T* target = rows.at(border[i], columns);
    for (Index c = 0; c < columns; ++c) target[c] += t[i * columns + c];
  }
}

template <typename T>
void FrontSweeps<T>::diagonal(const FactoredFront<T>& f, Index columns, T* x, T* z) const {
  if (!has_d(kind_)) return;
  const Index e = f.pivots;
  for (Index k = 0; k < e; ++k) copy_row(columns, x + f.columns[k] * columns, z + k * columns);
  divide_by_d(is_hermitian(kind_), e, f.lower, f.ld, f.off_diagonal, columns, z);
  for (Index k = 0; k < e; ++k) copy_row(columns, z + k * columns, x + f.columns[k] * columns);
}

template <typename T>
void FrontSweeps<T>::backward(const FactoredFront<T>& f, const Tiles* shared, Index columns, T* x,
                              T* z) const {
  if (f.pivots == 1 && f.border == 0) {
    T* row = x + (transposed_ ? f.rows[0] : f.columns[0]) * columns;
    if (triangles_.second.diagonal != CblasUnit) divide_row(columns, row, f.lower[0], row);
    return;
  }
  if (columns == 1 && shared == nullptr) return backward_one(f, x, z);
  const Index e = f.pivots, m = f.border;
  const LocalIndex* out = transposed_ ? f.rows : f.columns;
  const LocalIndex* border = transposed_ ? f.border_rows : f.border_columns;
  T* t = z + e * columns;
  const bool by_columns = triangles_.second.op == CblasNoTrans;  // U itself, of LU: not a transpose
  for (Index k = 0; k < e; ++k) copy_row(columns, x + out[k] * columns, z + k * columns);
  for (Index i = 0; i < m; ++i) copy_row(columns, x + border[i] * columns, t + i * columns);
  const Tiles tiles = shared != nullptr ? *shared : Tiles(1);
  for (Index k = (e - 1) / block * block; k >= 0; k -= block) {
    const Index w = std::min(block, e - k), after = k + w;
    tiles.run_pieces(k, after, columns_of_piece, [&](Index from, Index to) {
      T* own = z + from * columns;
      if (!by_columns) {  // L11 and L21 lie below each other
        return subtract_transposed_product(e + m - after, to - from, columns,
                                           f.lower + after + from * f.ld, f.ld, z + after * columns,
                                           own);
      }
      subtract_transposed_product(m, to - from, columns, f.upper + from * f.ldu, f.ldu, t, own);
      subtract_product(to - from, e - after, columns, f.lower + from + after * f.ld, f.ld,
                       z + after * columns, own);
    });
    solve_rows(triangles_.second, w, columns, f.lower + k + k * f.ld, f.ld, z + k * columns);
  }
  for (Index k = 0; k < e; ++k) copy_row(columns, z + k * columns, x + out[k] * columns);
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class FrontSweeps)

}  // namespace spsolve::sparse
