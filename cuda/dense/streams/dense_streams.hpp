#pragma once

#include <memory>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/multiply/storage/device_csr.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda::inline dense {

/// The streams and library handles that dense rows on this rank's GPU work with: updates on one;
/// the next panel concurrently on another that goes first; pivot rows, as they change places and
/// ranks and are solved for, on a third that goes between.
struct DenseStreams {
  DenseStreams();

  Stream updates{Stream::Order::alone};
  Stream panels{Stream::Order::alone_and_first};
  Stream exchanges{Stream::Order::alone_and_before};
  std::unique_ptr<Stream> beside;  // for updates that leave processors to a panel; may be null
  CublasHandle update_blas;
  CublasHandle panel_blas;
  CublasHandle exchange_blas;
  CublasHandle beside_blas;
};

/// The leading dimension of dense rows in GPU memory: a multiple of 128 bytes.
template <typename T>
constexpr Index device_stride(Index columns) {
  constexpr Index step = 128 / static_cast<Index>(sizeof(T));
  return (columns + step - 1) / step * step;
}

/// The dense form of `sparse`, from GPU or host memory, in rows of `stride` values, zeros included.
/// Returns when it is there.
template <typename T>
void fill_dense_rows(const CsrView<double>& sparse, DeviceArray<T>& rows, Index stride,
                     cudaStream_t stream);
template <typename T>
void fill_dense_rows(const Csr<double>& sparse, DeviceArray<T>& rows, Index stride,
                     cudaStream_t stream);

/// Rows of `columns` values each, row-major without gaps in host memory, from and to rows of
/// `stride` values in GPU memory. They return when it is done, and wait for nothing that streams
/// do.
template <typename T>
void download_rows(std::span<T> host, const T* rows, Index stride, Index count, Index columns);
template <typename T>
void upload_rows(T* rows, Index stride, std::span<const T> host, Index count, Index columns);

/// to(i, :) <- from(i, :) for `rows` rows of `columns` values in GPU memory, in order with
/// `stream`.
template <typename T>
void copy_rows(T* to, Index to_stride, const T* from, Index from_stride, Index rows, Index columns,
               const Stream& stream) {
  if (rows == 0 || columns == 0) return;
  CUDA_CHECK(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_stride) * sizeof(T), from,
                               static_cast<std::size_t>(from_stride) * sizeof(T),
                               static_cast<std::size_t>(columns) * sizeof(T),
                               static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice,
                               stream.get()));
}

}  // namespace spsolve::cuda::dense
