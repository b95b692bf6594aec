#include "cuda/multiply/published/product_tree.hpp"
#include "matrix/formats/ellpack.hpp"

namespace spsolve::cuda::inline multiply {

template <typename T>
TreeCsr<T> TreeCsr<T>::from_csr(const Csr<T>& matrix, const KernelOptions& options) {
  std::vector<LocalIndex> places(matrix.column_indices.size());
  for (Index i = 0; i < matrix.rows; ++i) {
    // At most `columns` elements in a row, which fits.
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      places[k] = static_cast<LocalIndex>(k - matrix.row_offsets[i]);
    }
  }
  return {DeviceCsr<T>::from_csr(matrix, options), DeviceArray<LocalIndex>(places),
          DeviceArray<T>(matrix.nonzeros()), spsolve::longest_row(matrix)};
}

SPSOLVE_INSTANTIATE(struct TreeCsr)

}  // namespace spsolve::cuda::multiply
