#include "cuda/eliminate/solutions.hpp"

#include <utility>

#include "cuda/eliminate/device_blas.hpp"

namespace spsolve::cuda {

template <typename T>
void Solutions<T>::solve(Triangle triangle, const T* a, Index n, std::span<T> x, Index columns) {
  x_.grow(static_cast<Index>(x.size()));
  x_.upload(x);
  if (columns == 1) {
    c_.grow(static_cast<Index>(x.size()));
    solve_triangle(triangle, n, a, stride_, static_cast<const T*>(x_.data()), c_.data(),
                   ticket_.data(), streams_.updates.get());
    std::swap(x_, c_);
  } else if (triangle == Triangle::upper) {
    solve_upper(streams_.update_blas, n, columns, a, stride_, x_.data(), columns);
  } else {
    solve_unit_lower(streams_.update_blas, n, columns, a, stride_, x_.data(), columns);
  }
  streams_.updates.wait();
  x_.download(x);
}

template <typename T>
void Solutions<T>::subtract_transposed_product(Index rows, const T* a, std::span<const T> x,
                                               std::span<T> c, Index columns) {
  if (rows == 0) return;
  x_.grow(static_cast<Index>(x.size()));
  c_.grow(static_cast<Index>(c.size()));
  x_.upload(x);
  c_.upload(c);
  cuda::subtract_transposed_product(streams_.update_blas, static_cast<Index>(c.size()) / columns,
                                    columns, rows, a, stride_, static_cast<const T*>(x_.data()),
                                    columns, c_.data(), columns);
  streams_.updates.wait();
  c_.download(c);
}

template class Solutions<float>;
template class Solutions<double>;

}  // namespace spsolve::cuda
