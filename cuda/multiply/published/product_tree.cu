#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/product_tree.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 512;

template <typename T>
__global__ void form_products(CsrView<T> a, const T* x, T* products, Index columns, Index c) {
  for (Index k = thread_index(); k < a.nonzeros; k += thread_count()) {
    products[k] = a.values[k] * x[a.column_indices[k] * columns + c];
  }
}

/// One level of the trees of all rows. Places that are read, at odd multiples of `step`, are not
/// written.
template <typename T>
__global__ void add_pairs(const LocalIndex* places, Index nonzeros, Index step, T* products) {
  for (Index k = thread_index(); k < nonzeros; k += thread_count()) {
    const Index place = places[k];
    if (place % (2 * step) != 0 || k + step >= nonzeros) continue;
    const bool same_row = places[k + step] == place + step;
    if (same_row) products[k] += products[k + step];
  }
}

template <typename T>
__global__ void take_sums(CsrView<T> a, const T* products, T* y, Index columns, Index c) {
  for (Index row = thread_index(); row < a.rows; row += thread_count()) {
    const Index first = a.row_offsets[row];
    y[row * columns + c] = first < a.row_offsets[row + 1] ? products[first] : T{};
  }
}

}  // namespace

template <typename T>
void csr_product_tree(TreeCsr<T>& a, const T* x, T* y, Index columns) {
  const CsrView<T> csr = a.csr.view();
  if (csr.rows == 0) return;
  const cudaStream_t stream = current_stream();
  const unsigned grid = grid_for(csr.nonzeros, block);
  T* const products = a.products.data();
  for (Index c = 0; c < columns; ++c) {
    form_products<<<grid, block, 0, stream>>>(csr, x, products, columns, c);
    for (Index step = 1; step < a.longest_row; step *= 2) {
      add_pairs<<<grid, block, 0, stream>>>(a.places.data(), csr.nonzeros, step, products);
    }
    take_sums<<<grid_for(csr.rows, block), block, 0, stream>>>(csr, products, y, columns, c);
    check_launch("csr_product_tree");
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_product_tree)

}  // namespace spsolve::cuda::multiply
