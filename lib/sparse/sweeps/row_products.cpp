#include "sparse/sweeps/row_products.hpp"

#include "sparse/sweeps/vector_sweeps.hpp"

namespace spsolve::row_products {

using vector_sweeps::Ends;

template <typename T>
void solve_rows(column_blas::Triangle t, Index w, Index columns, const T* a, Index ld, T* z) {
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
  column_blas::multiply_transposed<T>(columns, m, w, -1, z, columns, a, ld, 1, b, columns);
}

template <typename T>
void subtract_transposed_product(Index m, Index w, Index columns, const T* a, Index ld, const T* b,
                                 T* z) {
  if (m == 0) return;
  if (columns == 1) return vector_sweeps::subtract_transposed<Ends::exact>(m, w, a, ld, b, z);
  column_blas::multiply<T>(false, columns, w, m, -1, b, columns, a, ld, 1, z, columns);
}

template void solve_rows(column_blas::Triangle, Index, Index, const float*, Index, float*);
template void subtract_product(Index, Index, Index, const float*, Index, const float*, float*);
template void subtract_transposed_product(Index, Index, Index, const float*, Index, const float*,
                                          float*);
template void solve_rows(column_blas::Triangle, Index, Index, const double*, Index, double*);
template void subtract_product(Index, Index, Index, const double*, Index, const double*, double*);
template void subtract_transposed_product(Index, Index, Index, const double*, Index, const double*,
                                          double*);

}  // namespace spsolve::row_products
