#include "bench/multiply_bench.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include <omp.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "multiply/cost.hpp"
#include "multiply/csr_kernels.hpp"

namespace spsolve::bench {

template <typename T>
Workload<T> make_workload(const Csr<T>& matrix, const MatrixFacts& facts, Index k, Index seed) {
  Workload<T> work{matrix, facts, Dense<T>(matrix.columns, k), Dense<T>(matrix.rows, k)};
  const Dense<double> x = random_multivector(matrix.columns, k, seed);
  std::copy(x.values.begin(), x.values.end(), work.x.values.begin());
  csr_serial(work.matrix, work.x.values.data(), work.reference.values.data(), k);
  return work;
}

template <typename T>
SampleOrRefusal sample_kernel(const Kernel& kernel, Device& device, const Workload<T>& work,
                              int threads, const SamplingOptions& options, int width) {
  const Index k = work.x.columns;
  if (std::string reason = kernel.refuse(work.facts, k, sizeof(T)); !reason.empty()) {
    return {std::nullopt, std::move(reason)};
  }
  if (threads > 0) omp_set_num_threads(threads);
  KernelSample result;
  try {
    const Timer timer;
    const auto product = prepare<T>(kernel, work.matrix, KernelOptions{k, threads, width});
    result.convert_seconds = timer.seconds();
    Dense<T> y(work.matrix.rows, k, std::numeric_limits<T>::quiet_NaN());
    result.product = device.run(*product, work.x, y, options);
    result.format_bytes = product->bytes();
    result.detail = product->detail();
    result.errors = compare_products(work.matrix, work.x.values.data(),
                                     work.reference.values.data(), y.values.data(), k);
  } catch (const std::bad_alloc&) {
    return {std::nullopt, "the converted matrix does not fit into memory"};
  } catch (const Error& error) {
    if (error.code() == ExitCode::internal) throw;
    return {std::nullopt, error.what()};
  }
  return {result, ""};
}

double MultiplyRow::gflops() const {
  return product_flops(facts.nonzeros, k) / result.sample->product.seconds.median / 1e9;
}

double MultiplyRow::floor_bytes() const {
  return product_floor_bytes(facts.rows, facts.columns, facts.nonzeros, k,
                             precision == Precision::float32 ? sizeof(float) : sizeof(double));
}

double MultiplyRow::bytes_per_second() const {
  return floor_bytes() / result.sample->product.seconds.median;
}

namespace {

Device* find_device(std::span<Device* const> devices, KernelDevice kind) {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](auto* d) { return d->kind() == kind; });
  return found == devices.end() ? nullptr : *found;
}

template <typename T>
void sample_precision(const MultiplyRow& labelled, const Csr<T>& matrix, const MultiplyPlan& plan,
                      std::span<Device* const> devices,
                      const std::function<void(const MultiplyRow&)>& on_row,
                      std::vector<MultiplyRow>& rows) {
  const std::vector<int> no_threads{0};
  for (const Index k : plan.columns) {
    const Workload<T> work = make_workload(matrix, labelled.facts, k, plan.seed);
    for (const Kernel* kernel : plan.kernels) {
      Device* const device = find_device(devices, kernel->device);
      const bool threaded = device != nullptr && device->has_threads();
      for (const int threads : threaded ? plan.threads : no_threads) {
        MultiplyRow row = labelled;
        row.kernel = *kernel;
        row.k = k;
        row.threads = threads;
        row.width = plan.width;
        if (device == nullptr) {
          row.device = name(kernel->device);
          row.result.refused = fmt::format("there is no {} device here", row.device);
        } else {
          row.device = device->name();
          row.triad_bandwidth = device->bandwidth(threads);
          row.result = sample_kernel(*kernel, *device, work, threads, plan.sampling, plan.width);
        }
        on_row(row);
        rows.push_back(std::move(row));
      }
    }
  }
}

}  // namespace

std::vector<MultiplyRow> sample_matrix(const std::string& name, const Csr<double>& matrix,
                                       const MultiplyPlan& plan, std::span<Device* const> devices,
                                       const std::function<void(const MultiplyRow&)>& on_row) {
  MultiplyRow labelled;
  labelled.matrix = name;
  labelled.facts = facts_of(matrix);
  std::vector<MultiplyRow> rows;
  for (const Precision precision : plan.precisions) {
    labelled.precision = precision;
    if (precision == Precision::float32) {
      sample_precision(labelled, csr_cast<float>(matrix), plan, devices, on_row, rows);
    } else {
      sample_precision(labelled, matrix, plan, devices, on_row, rows);
    }
  }
  return rows;
}

void compare_rows(std::span<MultiplyRow> rows, std::string_view baseline) {
  const auto seconds = [](const MultiplyRow& row) {
    return row.result.sample->product.seconds.median;
  };
  for (MultiplyRow& row : rows) {
    if (!row.result.sample) continue;
    double fastest = seconds(row);
    const MultiplyRow* base = nullptr;
    for (const MultiplyRow& other : rows) {
      if (!other.result.sample || other.matrix != row.matrix || other.precision != row.precision ||
          other.k != row.k)
        continue;
      fastest = std::min(fastest, seconds(other));
      if (other.kernel.name != baseline) continue;
      const bool compares = row.threads == 0 ? base == nullptr || other.threads > base->threads
                                             : other.threads == row.threads;
      if (compares) base = &other;
    }
    row.of_fastest = fastest / seconds(row);
    if (base == nullptr) continue;
    row.baseline = baseline;
    row.speedup = seconds(*base) / seconds(row);
  }
}

template Workload<float> make_workload(const Csr<float>&, const MatrixFacts&, Index, Index);
template Workload<double> make_workload(const Csr<double>&, const MatrixFacts&, Index, Index);
template SampleOrRefusal sample_kernel(const Kernel&, Device&, const Workload<float>&, int,
                                       const SamplingOptions&, int);
template SampleOrRefusal sample_kernel(const Kernel&, Device&, const Workload<double>&, int,
                                       const SamplingOptions&, int);

}  // namespace spsolve::bench
