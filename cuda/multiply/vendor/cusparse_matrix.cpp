#include "cuda/multiply/vendor/cusparse_matrix.hpp"

#include <complex>
#include <limits>

#include "core/error.hpp"
#include "cuda/core/stream.hpp"
#include "matrix/formats/sliced_ellpack.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int slice_rows = 32;

std::vector<LocalIndex> narrow(const std::vector<Index>& offsets) {
  if (offsets.back() > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::resources, "cuSPARSE is given 32-bit offsets here, {} elements are too many",
         offsets.back());
  }
  return {offsets.begin(), offsets.end()};
}

}  // namespace

template <typename T>
CusparseMatrix<T> CusparseMatrix<T>::csr(const Csr<T>& matrix) {
  return {matrix.rows,
          matrix.columns,
          matrix.nonzeros(),
          0,
          DeviceArray<LocalIndex>(narrow(matrix.row_offsets)),
          DeviceArray<LocalIndex>(matrix.column_indices),
          DeviceArray<T>(matrix.values),
          {}};
}

template <typename T>
CusparseMatrix<T> CusparseMatrix<T>::sell(const Csr<T>& matrix) {
  auto host = SlicedEllpack<T>::from_csr(matrix, {.chunk = slice_rows, .sigma = 1});
  for (Index k = 0; k < host.chunks(); ++k) {  // cuSPARSE marks padding by the column -1
    for (Index r = 0; r < slice_rows; ++r) {
      const Index row = k * slice_rows + r;
      const Index length = row < host.rows ? host.row_lengths[row] : 0;
      for (Index j = length; j < host.chunk_width(k); ++j) {
        host.column_indices[host.chunk_offsets[k] + j * slice_rows + r] = -1;
      }
    }
  }
  return {matrix.rows,
          matrix.columns,
          matrix.nonzeros(),
          slice_rows,
          DeviceArray<LocalIndex>(narrow(host.chunk_offsets)),
          DeviceArray<LocalIndex>(host.column_indices),
          DeviceArray<T>(host.values),
          {}};
}

template <typename T>
SparseDescriptor CusparseMatrix<T>::descriptor() {
  cusparseSpMatDescr_t made = nullptr;
  if (slice == 0) {
    CUDA_CHECK(cusparseCreateCsr(&made, rows, columns, nonzeros, offsets.data(),
                                 column_indices.data(), values.data(), CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, value_type<T>));
  } else {
    CUDA_CHECK(cusparseCreateSlicedEll(&made, rows, columns, nonzeros, values.size(), slice,
                                       offsets.data(), column_indices.data(), values.data(),
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, value_type<T>));
  }
  return SparseDescriptor(made);
}

template <typename T>
void CusparseMatrix<T>::multiply_empty(T* y, Index k) const {
  if (rows == 0) return;
  CUDA_CHECK(
      cudaMemsetAsync(y, 0, static_cast<std::size_t>(rows * k) * sizeof(T), current_stream()));
}

SPSOLVE_INSTANTIATE(struct CusparseMatrix)

// Of complex numbers rows alone.
#define SPSOLVE_COMPLEX_ROWS(C)                                     \
  template CusparseMatrix<C> CusparseMatrix<C>::csr(const Csr<C>&); \
  template SparseDescriptor CusparseMatrix<C>::descriptor();        \
  template void CusparseMatrix<C>::multiply_empty(C*, Index) const;
SPSOLVE_COMPLEX_ROWS(std::complex<float>)
SPSOLVE_COMPLEX_ROWS(std::complex<double>)
#undef SPSOLVE_COMPLEX_ROWS

}  // namespace spsolve::cuda::multiply
