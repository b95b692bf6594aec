#include "cuda/eliminate/band_streams.hpp"

#include "cuda/eliminate/band_kernels.hpp"

namespace spsolve::cuda {

BandStreams::BandStreams() : update_blas(make_cublas()), panel_blas(make_cublas()) {
  CUDA_CHECK(cublasSetStream(update_blas.get(), updates.get()));
  CUDA_CHECK(cublasSetStream(panel_blas.get(), panels.get()));
}

template <typename T>
void fill_dense_rows(const Csr<double>& sparse, DeviceArray<T>& rows, Index stride,
                     cudaStream_t stream) {
  const DeviceArray<Index> offsets(sparse.row_offsets);
  const DeviceArray<LocalIndex> columns(sparse.column_indices);
  const DeviceArray<double> values(sparse.values);
  if (rows.size() > 0) {
    CUDA_CHECK(cudaMemsetAsync(rows.data(), 0, static_cast<std::size_t>(rows.bytes()), stream));
  }
  scatter_nonzeros(offsets.data(), columns.data(), values.data(), sparse.rows, rows.data(), stride,
                   stream);
  wait_for(stream);
}

template void fill_dense_rows(const Csr<double>&, DeviceArray<float>&, Index, cudaStream_t);
template void fill_dense_rows(const Csr<double>&, DeviceArray<double>&, Index, cudaStream_t);

}  // namespace spsolve::cuda
