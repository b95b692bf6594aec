#include "cuda/dense/streams/dense_streams.hpp"

#include "core/tuning.hpp"
#include "cuda/dense/streams/narrow_stream.hpp"
#include "cuda/dense/streams/row_kernels.hpp"

namespace spsolve::cuda::inline dense {

DenseStreams::DenseStreams()
    : beside(make_narrow_stream(gpu_tuning.panel_processors)),
      update_blas(make_cublas()),
      panel_blas(make_cublas()),
      exchange_blas(make_cublas()),
      beside_blas(make_cublas()) {
  CUDA_CHECK(cublasSetStream(update_blas.get(), updates.get()));
  CUDA_CHECK(cublasSetStream(panel_blas.get(), panels.get()));
  CUDA_CHECK(cublasSetStream(exchange_blas.get(), exchanges.get()));
  if (beside) CUDA_CHECK(cublasSetStream(beside_blas.get(), beside->get()));
}

template <typename T>
void fill_dense_rows(const CsrView<double>& sparse, DeviceArray<T>& rows, Index stride,
                     cudaStream_t stream) {
  if (rows.size() > 0) {
    CUDA_CHECK(cudaMemsetAsync(rows.data(), 0, static_cast<std::size_t>(rows.bytes()), stream));
  }
  scatter_nonzeros(sparse.row_offsets, sparse.column_indices, sparse.values, sparse.rows,
                   rows.data(), stride, stream);
  wait_for(stream);
}

template <typename T>
void fill_dense_rows(const Csr<double>& sparse, DeviceArray<T>& rows, Index stride,
                     cudaStream_t stream) {
  const DeviceArray<Index> offsets(sparse.row_offsets);
  const DeviceArray<LocalIndex> columns(sparse.column_indices);
  const DeviceArray<double> values(sparse.values);
  fill_dense_rows(CsrView<double>{sparse.rows, sparse.columns, sparse.nonzeros(), offsets.data(),
                                  columns.data(), values.data()},
                  rows, stride, stream);
}

template <typename T>
void download_rows(std::span<T> host, const T* rows, Index stride, Index count, Index columns) {
  if (count == 0 || columns == 0) return;
  const auto width = static_cast<std::size_t>(columns) * sizeof(T);
  CUDA_CHECK(cudaMemcpy2D(host.data(), width, rows, static_cast<std::size_t>(stride) * sizeof(T),
                          width, static_cast<std::size_t>(count), cudaMemcpyDeviceToHost));
}

template <typename T>
void upload_rows(T* rows, Index stride, std::span<const T> host, Index count, Index columns) {
  if (count == 0 || columns == 0) return;
  const auto width = static_cast<std::size_t>(columns) * sizeof(T);
  CUDA_CHECK(cudaMemcpy2D(rows, static_cast<std::size_t>(stride) * sizeof(T), host.data(), width,
                          width, static_cast<std::size_t>(count), cudaMemcpyHostToDevice));
  // The last piece may still be on its way, as in DeviceArray::upload().
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

SPSOLVE_INSTANTIATE_FUNCTION(download_rows)
SPSOLVE_INSTANTIATE_FUNCTION(upload_rows)
#define SPSOLVE_FOR(T)                                                                         \
  template void fill_dense_rows(const CsrView<double>&, DeviceArray<T>&, Index, cudaStream_t); \
  template void fill_dense_rows(const Csr<double>&, DeviceArray<T>&, Index, cudaStream_t);
SPSOLVE_FOR_SCALARS(SPSOLVE_FOR)

}  // namespace spsolve::cuda::dense
