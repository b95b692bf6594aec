#include "cuda/vectors/device_coefficients.hpp"

#include <algorithm>

#include "cuda/vectors/reduction_kernels.hpp"
#include "cuda/vectors/vector_kernels.hpp"

namespace spsolve::cuda::inline vectors {

DeviceCoefficients::DeviceCoefficients(int rows, Index columns, Team& team, GpuLinks* links)
    : Coefficients(rows, columns),
      alone_(team.size() == 1),
      links_(!alone_ && links != nullptr && &links->team() == &team ? links : nullptr),
      values_(size()),
      host_(slots * size()) {
  cuda::fill(values_.data(), size(), 0, current_stream());
}

void DeviceCoefficients::send() {
  const int slot = static_cast<int>(sent_++ % slots);
  if (size() > 0) {
    CUDA_CHECK(cudaMemcpyAsync(host_.data() + slot * size(), values_.data(),
                               static_cast<std::size_t>(size()) * sizeof(double),
                               cudaMemcpyDeviceToHost, current_stream()));
  }
  there_[slot].record(current_stream());
}

Dense<double> DeviceCoefficients::take() {
  const int slot = static_cast<int>(taken_++ % slots);
  there_[slot].wait();
  Dense<double> values(rows(), columns());
  std::copy_n(host_.data() + slot * size(), size(), values.values.begin());
  return values;
}

void DeviceCoefficients::read(int number, std::span<double> values) const {
  copy_and_wait(values.data(), row(number), cudaMemcpyDeviceToHost);
}

void DeviceCoefficients::write(int number, std::span<const double> values) {
  copy_and_wait(row(number), values.data(), cudaMemcpyHostToDevice);
}

void DeviceCoefficients::reduce_over_ranks(Team& team, std::span<const SharedRow> shared) {
  if (alone_ || shared.empty() || columns() == 0) return;
  if (!stays_there()) return Coefficients::reduce_over_ranks(team, shared);
  // Sends from the first of these rows to the last one: rows between travel with them.
  const auto [first, last] = std::ranges::minmax(shared, {}, &SharedRow::row);
  const Index count = (last.row - first.row + 1) * columns();
  of_ranks_.grow(count * team.size());
  links_->nccl()->all_gather(
      std::as_bytes(std::span(row(first.row), static_cast<std::size_t>(count))),
      std::as_writable_bytes(
          std::span(of_ranks_.data(), static_cast<std::size_t>(count * team.size()))),
      current_stream());
  for (const SharedRow& one : shared) {
    reduce_ranks(of_ranks_.data() + (one.row - first.row) * columns(), team.size(), count,
                 columns(), one.how == Reduction::maximum, row(one.row), current_stream());
  }
}

void DeviceCoefficients::copy_and_wait(double* to, const double* from, cudaMemcpyKind kind) const {
  if (columns() == 0) return;
  const auto bytes = static_cast<std::size_t>(columns()) * sizeof(double);
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, current_stream()));
  wait_for(current_stream());
}

}  // namespace spsolve::cuda::vectors
