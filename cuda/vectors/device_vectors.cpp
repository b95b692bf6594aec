#include "cuda/vectors/device_vectors.hpp"

#include <algorithm>
#include <functional>

#include "cuda/core/stream.hpp"
#include "cuda/dense/products/device_blas.hpp"
#include "cuda/distribute/gpu_links.hpp"
#include "cuda/vectors/complex_kernels.hpp"
#include "cuda/vectors/device_coefficients.hpp"
#include "cuda/vectors/reduction_kernels.hpp"
#include "cuda/vectors/reduction_memory.hpp"
#include "cuda/vectors/sign_kernels.hpp"
#include "cuda/vectors/vector_kernels.hpp"

namespace spsolve::cuda::inline vectors {

namespace {

DeviceCoefficients& on_device(Coefficients& all) {
  return dynamic_cast<DeviceCoefficients&>(all);
}
const DeviceCoefficients& on_device(const Coefficients& all) {
  return dynamic_cast<const DeviceCoefficients&>(all);
}

}  // namespace

double* row_on_device(const ToRow& to) {
  return on_device(to.all).row(to.row);
}

DeviceVectors& on_device(Vectors& x) {
  return dynamic_cast<DeviceVectors&>(x);
}
const DeviceVectors& on_device(const Vectors& x) {
  return dynamic_cast<const DeviceVectors&>(x);
}

DeviceVectors::DeviceVectors(Team& team, const RowLayout& layout, Index columns, GpuLinks* links)
    : DeviceVectors(team, layout, columns, links, std::make_shared<ReductionMemory>()) {}

DeviceVectors::DeviceVectors(Team& team, const RowLayout& layout, Index columns, GpuLinks* links,
                             std::shared_ptr<ReductionMemory> reductions)
    : Vectors(team, layout, columns),
      links_(links),
      values_(height() * columns),
      reductions_(std::move(reductions)) {
  fill(0);
}

DeviceVectors::~DeviceVectors() = default;

std::unique_ptr<Vectors> DeviceVectors::similar(Index columns) const {
  return std::unique_ptr<Vectors>(
      new DeviceVectors(team(), layout(), columns, links_, reductions_));
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

void DeviceVectors::fill_random(Index seed) {
  cuda::fill_random(data(), size(), own().first * columns(), seed, current_stream());
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

void DeviceVectors::add_product(double own, const Vectors& y, std::span<const double> f) {
  if (size() == 0) return;
  const DeviceVectors& other = on_device(y);
  if (own == 0) {
    fill(0);
  } else if (own != 1) {
    scale_columns(std::vector<double>(static_cast<std::size_t>(columns()), own));
  }
  if (f.empty()) return;
  // X <- X - Y (-F)
  std::vector<double> negative(f.begin(), f.end());
  for (double& value : negative) value = -value;
  const cudaStream_t stream = current_stream();
  double* const factors = reductions_->results(static_cast<Index>(f.size()));
  CUDA_CHECK(cudaMemcpyAsync(factors, negative.data(), negative.size() * sizeof(double),
                             cudaMemcpyHostToDevice, stream));
  subtract_product(reductions_->blas(stream), height(), columns(), other.columns(), other.data(),
                   other.columns(), factors, columns(), data(), columns());
  wait_for(stream);  // for the factors, which lie on this stack
}

void DeviceVectors::scale_columns(std::span<const double> factors) {
  cuda::scale_columns(factors, data(), height(), current_stream());
}

void DeviceVectors::scale_rows(const Vectors& d) {
  cuda::scale_rows(on_device(d).data(), data(), height(), columns(), current_stream());
}

void DeviceVectors::take_largest(const Vectors& y, const Vectors& z) {
  largest_of_rows(on_device(y).data(), on_device(z).data(), height(), y.columns(), data(),
                  current_stream());
}

void DeviceVectors::gather(Vectors& all) const {
  const bool linked = links_ != nullptr && &links_->team() == &team();
  if (!linked || links_->nccl() == nullptr) return Vectors::gather(all);
  DeviceVectors& whole = on_device(all);
  const cudaStream_t stream = current_stream();
  const int ranks = layout().ranks;
  Index longest = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    longest = std::max(longest, layout().band(rank).size() * columns());
  }
  whole.gathered_.grow(longest * (ranks + 1));
  double* const mine = whole.gathered_.data() + longest * ranks;
  const auto copy = [&](double* to, const double* from, Index count) {
    if (count == 0) return;
    CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(double),
                               cudaMemcpyDeviceToDevice, stream));
  };
  copy(mine, data(), size());
  const auto part = [](double* of, Index count) {
    return std::as_writable_bytes(std::span(of, static_cast<std::size_t>(count)));
  };
  links_->nccl()->all_gather(part(mine, longest), part(whole.gathered_.data(), longest * ranks),
                             stream);
  for (int rank = 0; rank < ranks; ++rank) {
    const Range band = layout().band(rank);
    copy(whole.data() + band.first * columns(), whole.gathered_.data() + rank * longest,
         band.size() * columns());
  }
}

template <typename Reduce>
void DeviceVectors::reduce(std::span<double> to, const Reduce& reduce) const {
  if (size() == 0) {
    std::ranges::fill(to, 0.0);
    return;
  }
  reductions_->make_room(height(), columns());
  reduce(reductions_->room(), reductions_->results());
  std::ranges::copy(reductions_->fetch(columns(), current_stream()), to.begin());
}

void DeviceVectors::own_dots(const Vectors& y, std::span<double> sums) const {
  const DeviceVectors& other = on_device(y);
  reduce(sums, [&](const ReductionRoom& room, double* results) {
    column_dots(data(), other.data(), height(), columns(), room, results, current_stream());
  });
}

void DeviceVectors::own_dots_with_each(List ys, std::span<double> sums) const {
  if (size() == 0 || ys.empty()) {
    std::ranges::fill(sums, 0.0);
    return;
  }
  reductions_->make_room(height(), columns());
  double* to = reductions_->results(static_cast<Index>(sums.size()));
  for (const auto& y : ys) {
    column_dots(data(), on_device(*y).data(), height(), columns(), reductions_->room(), to,
                current_stream());
    to += columns();
  }
  std::ranges::copy(reductions_->fetch(static_cast<Index>(sums.size()), current_stream()),
                    sums.begin());
}

void DeviceVectors::own_products(const Vectors& y, std::span<double> sums) const {
  std::ranges::fill(sums, 0.0);
  const DeviceVectors& other = on_device(y);
  if (size() == 0 || other.size() == 0) return;
  const cudaStream_t stream = current_stream();
  const auto count = static_cast<Index>(sums.size());
  double* const results = reductions_->results(count);
  cuda::fill(results, count, 0, stream);
  subtract_transposed_product(reductions_->blas(stream), columns(), other.columns(), height(),
                              data(), columns(), other.data(), other.columns(), results,
                              other.columns());
  std::ranges::transform(reductions_->fetch(count, stream), sums.begin(), std::negate());
}

void DeviceVectors::own_maxima(std::span<double> largest) const {
  reduce(largest, [&](const ReductionRoom& room, double* results) {
    column_maxima(data(), height(), columns(), room, results, current_stream());
  });
}

void DeviceVectors::own_rows_from_first(std::span<const double> magnitudes,
                                        std::span<double> left) const {
  reduce(left, [&](const ReductionRoom& room, double* results) {
    rows_from_first(magnitudes, data(), height(), room, results, current_stream());
  });
}

void DeviceVectors::own_take_signs(const Vectors& y, std::span<double> sums,
                                   std::span<double> changes) {
  std::ranges::fill(sums, 0.0);
  std::ranges::fill(changes, 0.0);
  if (size() == 0) return;
  reductions_->make_room(height(), 2 * columns());
  double* const results = reductions_->results();
  take_signs(on_device(y).data(), data(), height(), columns(), reductions_->room(), results,
             results + columns(), current_stream());
  const std::span<const double> both = reductions_->fetch(2 * columns(), current_stream());
  std::copy_n(both.begin(), columns(), sums.begin());
  std::copy_n(both.begin() + columns(), columns(), changes.begin());
}

void DeviceVectors::combine(std::span<const Complex> own, std::span<const Complex> factors,
                            const Vectors& y) {
  combine_complex(own, factors, on_device(y).data(), data(), pairs(), current_stream());
}

void DeviceVectors::add_multiples(std::span<const Complex> factors, const Vectors& y) {
  combine(std::vector<Complex>(factors.size(), 1.0), factors, y);
}

void DeviceVectors::add_multiples_of_each(std::span<const Complex> factors, List ys) {
  const auto k = static_cast<std::size_t>(columns());
  for (std::size_t j = 0; j < ys.size(); ++j) add_multiples(factors.subspan(j * k, k), *ys[j]);
}

void DeviceVectors::scale_columns(std::span<const Complex> factors) {
  combine_complex(factors, std::vector<Complex>(factors.size()), nullptr, data(), pairs(),
                  current_stream());
}

template <typename Sum>
void DeviceVectors::reduce_complex(std::size_t count, std::span<Complex> to, const Sum& sum) const {
  if (size() == 0 || count == 0) {
    std::ranges::fill(to, Complex(0));
    return;
  }
  reductions_->make_room_for(reduction_chunks(pairs(), columns()), 2 * columns());
  double* const results = reductions_->results(2 * columns() * static_cast<Index>(count));
  for (std::size_t j = 0; j < count; ++j) {
    sum(j, reductions_->room(), results + 2 * columns() * static_cast<Index>(j));
  }
  const std::span<const double> parts =
      reductions_->fetch(2 * columns() * static_cast<Index>(count), current_stream());
  // Real parts of all columns, then imaginary ones.
  const auto k = static_cast<std::size_t>(columns());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t re = i / k * 2 * k + i % k;
    to[i] = {parts[re], parts[re + k]};
  }
}

void DeviceVectors::own_dots(const Vectors& y, std::span<Complex> sums) const {
  reduce_complex(1, sums, [&](std::size_t, const ReductionRoom& room, double* results) {
    complex_column_dots(true, data(), on_device(y).data(), pairs(), columns(), room, results,
                        current_stream());
  });
}

void DeviceVectors::own_dots_with_each(List ys, std::span<Complex> sums) const {
  reduce_complex(ys.size(), sums, [&](std::size_t j, const ReductionRoom& room, double* results) {
    complex_column_dots(true, data(), on_device(*ys[j]).data(), pairs(), columns(), room, results,
                        current_stream());
  });
}

void DeviceVectors::own_bilinear(const Vectors& y, std::span<Complex> sums) const {
  reduce_complex(1, sums, [&](std::size_t, const ReductionRoom& room, double* results) {
    complex_column_dots(false, data(), on_device(y).data(), pairs(), columns(), room, results,
                        current_stream());
  });
}

std::unique_ptr<Coefficients> DeviceVectors::coefficients(int rows) const {
  return std::make_unique<DeviceCoefficients>(rows, columns(), team(), links_);
}

void DeviceVectors::own_dots(const Vectors& y, const ToRow& sums) const {
  double* const to = row_on_device(sums);
  if (size() == 0) return cuda::fill(to, columns(), 0, current_stream());
  reductions_->make_room(height(), columns());
  column_dots(data(), on_device(y).data(), height(), columns(), reductions_->room(), to,
              current_stream());
}

void DeviceVectors::own_subtract(std::span<const double> wanted, Quotient t, const Vectors& y,
                                 const ToRow& largest, const ToRow* squares) {
  DeviceCoefficients& all = on_device(largest.all);
  double* const maxima = all.row(largest.row);
  double* const sums = squares == nullptr ? nullptr : row_on_device(*squares);
  if (size() == 0) {
    for (double* const to : {maxima, sums}) {
      if (to != nullptr) cuda::fill(to, columns(), 0, current_stream());
    }
    return;
  }
  reductions_->make_room(height(), 2 * columns());
  subtract_multiples(wanted, all.view(t), on_device(y).data(), data(), height(),
                     reductions_->room(), maxima, sums, current_stream());
}

void DeviceVectors::step_and_turn(std::span<const double> wanted, const Coefficients& all,
                                  Quotient s, Vectors& x, Quotient t, const Vectors& y) {
  const DeviceCoefficients& here = on_device(all);
  cuda::step_and_turn(wanted, {here.view(s), on_device(x).data()},
                      {here.view(t), on_device(y).data()}, data(), height(), current_stream());
}

}  // namespace spsolve::cuda::vectors
