#pragma once

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multiply {

/// A Csr whose every non-zero knows its place in its row, and room for its product.
template <typename T>
struct TreeCsr {
  DeviceCsr<T> csr;
  DeviceArray<LocalIndex> places;  ///< non-zero k is number places[k] of its row, from 0
  DeviceArray<T> products;         ///< one per non-zero
  Index longest_row = 0;

  static TreeCsr from_csr(const Csr<T>& matrix, const KernelOptions& options);
  std::int64_t bytes() const { return csr.bytes() + places.bytes() + products.bytes(); }
};

/// Y = A X, a column of X after another, on the current stream (Figini 2023). One thread per
/// non-zero forms its product p_k = a_k x_j; then, for s = 1, 2, 4, ..., every non-zero whose place
/// in its row is a multiple of 2 s adds the product s further on, where that is of the same row; at
/// the end the row's first product is y_i. Each s is a launch of its own, so that a row may cross
/// any number of blocks; there are log2(longest row) of them per column.
template <typename T>
void csr_product_tree(TreeCsr<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
