// How the values of DeviceBlockedRows come, and are looked at.

#include "cuda/dense/device_blocked_rows.hpp"

namespace spsolve::cuda {

template <typename T>
void DeviceBlockedRows<T>::fill(const Csr<double>& sparse) {
  fill_dense_rows(sparse, values_, stride_, streams_.updates.get());
  taken_in();
}

template <typename T>
void DeviceBlockedRows<T>::fill(const CsrView<double>& sparse) {
  fill_dense_rows(sparse, values_, stride_, streams_.updates.get());
  taken_in();
}

template <typename T>
void DeviceBlockedRows<T>::fill_random(std::uint64_t key, double diagonal,
                                       const std::vector<Index>& row_numbers) {
  const DeviceArray<Index> rows(row_numbers);
  cuda::fill_random(key, diagonal, rows.data(), height(), order(), values_.data(), stride_,
                    streams_.updates.get());
  taken_in();
}

template <typename T>
void DeviceBlockedRows<T>::fill(const double* dense, Index stride) {
  convert_rows(dense, stride, height(), order(), values_.data(), stride_, streams_.updates.get());
  taken_in();
}

template <typename T>
void DeviceBlockedRows<T>::taken_in() {
  if (update_.splits()) update_.restart(largest_in({0, height()}, {0, order()}));
  streams_.updates.wait();
}

template <typename T>
std::vector<T> DeviceBlockedRows<T>::read(Range rows, Range columns) const {
  std::vector<T> values(static_cast<std::size_t>(rows.size() * columns.size()));
  streams_.updates.wait();
  streams_.panels.wait();
  download_rows(std::span(values), at(rows.first, columns.first), stride_, rows.size(),
                columns.size());
  return values;
}

template <typename T>
void DeviceBlockedRows<T>::write_rows(Index first, std::span<const T> values) {
  streams_.updates.wait();
  upload_rows(at(first, 0), stride_, values, std::ssize(values) / order(), order());
}

template <typename T>
double DeviceBlockedRows<T>::largest_in(Range rows, Range columns, bool upper) const {
  constexpr auto size = sizeof(unsigned long long);
  const cudaStream_t stream = streams_.updates.get();
  CUDA_CHECK(cudaMemsetAsync(largest_.data(), 0, size, stream));
  find_largest(at(rows.first, columns.first), stride_, rows.size(), columns.size(), upper,
               largest_.data(), stream);
  CUDA_CHECK(cudaMemcpyAsync(largest_heard_.data(), largest_.data(), size, cudaMemcpyDeviceToHost,
                             stream));
  streams_.updates.wait();
  return magnitude_of_key(*largest_heard_.data(), T{});
}

template <typename T>
std::vector<T> DeviceBlockedRows<T>::diagonal() const {
  std::vector<T> values(static_cast<std::size_t>(std::min(height(), order())));
  streams_.updates.wait();
  streams_.panels.wait();
  if (values.empty()) return values;
  CUDA_CHECK(cudaMemcpy2D(values.data(), sizeof(T), values_.data(),
                          static_cast<std::size_t>(stride_ + 1) * sizeof(T), sizeof(T),
                          values.size(), cudaMemcpyDeviceToHost));
  return values;
}

#define SPSOLVE_INSTANTIATE(T)                                                \
  template void DeviceBlockedRows<T>::taken_in();                             \
  template void DeviceBlockedRows<T>::fill(const Csr<double>&);               \
  template void DeviceBlockedRows<T>::fill(const CsrView<double>&);           \
  template void DeviceBlockedRows<T>::fill(const double*, Index);             \
  template void DeviceBlockedRows<T>::fill_random(std::uint64_t, double,      \
                                                  const std::vector<Index>&); \
  template std::vector<T> DeviceBlockedRows<T>::read(Range, Range) const;     \
  template void DeviceBlockedRows<T>::write_rows(Index, std::span<const T>);  \
  template double DeviceBlockedRows<T>::largest_in(Range, Range, bool) const; \
  template std::vector<T> DeviceBlockedRows<T>::diagonal() const;
SPSOLVE_INSTANTIATE(float)
SPSOLVE_INSTANTIATE(double)
#undef SPSOLVE_INSTANTIATE

}  // namespace spsolve::cuda
