#include "cuda/vectors/device_vectors.hpp"

#include <algorithm>

#include "cuda/core/stream.hpp"
#include "cuda/vectors/reduction_memory.hpp"
#include "cuda/vectors/vector_kernels.hpp"

namespace spsolve::cuda {

DeviceVectors& on_device(Vectors& x) {
  return dynamic_cast<DeviceVectors&>(x);
}
const DeviceVectors& on_device(const Vectors& x) {
  return dynamic_cast<const DeviceVectors&>(x);
}

DeviceVectors::DeviceVectors(Team& team, const RowLayout& layout, Index columns)
    : DeviceVectors(team, layout, columns, std::make_shared<ReductionMemory>()) {}

DeviceVectors::DeviceVectors(Team& team, const RowLayout& layout, Index columns,
                             std::shared_ptr<ReductionMemory> reductions)
    : Vectors(team, layout, columns),
      values_(height() * columns),
      reductions_(std::move(reductions)) {
  fill(0);
}

DeviceVectors::~DeviceVectors() = default;

std::unique_ptr<Vectors> DeviceVectors::similar(Index columns) const {
  return std::unique_ptr<Vectors>(new DeviceVectors(team(), layout(), columns, reductions_));
}

void DeviceVectors::write_rows(Range rows, std::span<const double> values) {
  if (rows.size() * columns() == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(data() + rows.first * columns(), values.data(),
                             static_cast<std::size_t>(rows.size() * columns()) * sizeof(double),
                             cudaMemcpyHostToDevice, current_stream()));
  wait_for(current_stream());
}

void DeviceVectors::read_rows(Range rows, std::span<double> values) const {
  if (rows.size() * columns() == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(values.data(), data() + rows.first * columns(),
                             static_cast<std::size_t>(rows.size() * columns()) * sizeof(double),
                             cudaMemcpyDeviceToHost, current_stream()));
  wait_for(current_stream());
}

void DeviceVectors::fill(double value) {
  cuda::fill(data(), size(), value, current_stream());
}

void DeviceVectors::copy_columns(const Vectors& y, Index from, Index to, Index count) {
  const DeviceVectors& other = on_device(y);
  if (height() * count == 0) return;
  if (count == columns() && count == other.columns()) {
    CUDA_CHECK(cudaMemcpyAsync(data(), other.data(),
                               static_cast<std::size_t>(size()) * sizeof(double),
                               cudaMemcpyDeviceToDevice, current_stream()));
    return;
  }
  cuda::copy_columns(other.data() + from, other.columns(), data() + to, columns(), height(), count,
                     current_stream());
}

void DeviceVectors::add_multiples(std::span<const double> factors, const Vectors& y) {
  cuda::add_multiples(factors, on_device(y).data(), data(), height(), current_stream());
}

void DeviceVectors::combine(std::span<const double> own, std::span<const double> factors,
                            const Vectors& y) {
  cuda::combine(own, factors, on_device(y).data(), data(), height(), current_stream());
}

void DeviceVectors::add_scaled_rows(double own, double factor, const Vectors& d, const Vectors& y) {
  cuda::add_scaled_rows(own, factor, on_device(d).data(), on_device(y).data(), data(), height(),
                        columns(), current_stream());
}

void DeviceVectors::scale_columns(std::span<const double> factors) {
  cuda::scale_columns(factors, data(), height(), current_stream());
}

void DeviceVectors::scale_rows(const Vectors& d) {
  cuda::scale_rows(on_device(d).data(), data(), height(), columns(), current_stream());
}

template <typename Reduce>
void DeviceVectors::reduce(std::span<double> to, const Reduce& reduce) const {
  if (size() == 0) {
    std::ranges::fill(to, 0.0);
    return;
  }
  reductions_->make_room(height(), columns());
  reduce(reductions_->partials(), reductions_->results());
  std::ranges::copy(reductions_->fetch(columns(), current_stream()), to.begin());
}

void DeviceVectors::own_dots(const Vectors& y, std::span<double> sums) const {
  const DeviceVectors& other = on_device(y);
  reduce(sums, [&](double* partials, double* results) {
    column_dots(data(), other.data(), height(), columns(), partials, results, current_stream());
  });
}

void DeviceVectors::own_maxima(std::span<double> largest) const {
  reduce(largest, [&](double* partials, double* results) {
    column_maxima(data(), height(), columns(), partials, results, current_stream());
  });
}

}  // namespace spsolve::cuda
