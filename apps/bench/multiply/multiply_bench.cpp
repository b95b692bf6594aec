#include "apps/bench/multiply/multiply_bench.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <new>

#include <omp.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "multiply/cost.hpp"
#include "multiply/published/csr_kernels.hpp"

namespace spsolve::bench {

template <typename T>
Workload<T> make_workload(const Csr<T>& matrix, const MatrixFacts& facts, Index k, Index seed,
                          bool check) {
  Workload<T> work{matrix, facts, Dense<T>(matrix.columns, k), {}};
  const Dense<double> x = random_multivector(matrix.columns, k, seed);
  std::copy(x.values.begin(), x.values.end(), work.x.values.begin());
  if (check) {
    work.reference = Dense<T>(matrix.rows, k);
    csr_serial(work.matrix, work.x.values.data(), work.reference.values.data(), k);
  }
  return work;
}

namespace {

/// A kernel's product of one workload, ready for rounds of measuring.
template <typename T>
class Entrant {
 public:
  /// Converts the matrix. A failure of that is a refusal.
  Entrant(const Kernel& kernel, Device& device, const Workload<T>& work, int threads, int width)
      : device_(device), work_(work), threads_(threads) {
    const Index k = work.x.columns;
    refused_ = kernel.refuse(work.facts, k, sizeof(T));
    if (!refused_.empty()) return;
    attempt([&] {
      const Timer timer;
      product_ =
          prepare<T>(kernel, work.matrix,
                     {.columns = k, .threads = threads, .width = width, .room_behind = true});
      sample_.convert_seconds = timer.seconds();
    });
  }

  /// One round; the first compares Y with the reference.
  void measure(const SamplingOptions& options) {
    if (!refused_.empty()) return;
    attempt([&] {
      const Index k = work_.x.columns;
      Dense<T> y(work_.matrix.rows, k, std::numeric_limits<T>::quiet_NaN());
      const bool first = sample_.product.samples.empty();
      sample_.product.add(device_.run(*product_, work_.x, y, options));
      if (!first || work_.reference.columns == 0) return;
      sample_.errors = compare_products(work_.matrix, work_.x.values.data(),
                                        work_.reference.values.data(), y.values.data(), k);
    });
  }

  SampleOrRefusal result() {
    if (!refused_.empty()) return {std::nullopt, refused_};
    sample_.format_bytes = product_->bytes();
    sample_.detail = product_->detail();
    return {sample_, ""};
  }

 private:
  template <typename Work>
  void attempt(const Work& work) {
    if (threads_ > 0) omp_set_num_threads(threads_);
    try {
      work();
    } catch (const std::bad_alloc&) {
      refused_ = "the converted matrix does not fit into memory";
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
      refused_ = error.what();
    }
    if (!refused_.empty()) product_.reset();
  }

  Device& device_;
  const Workload<T>& work_;
  int threads_;
  std::unique_ptr<KernelProduct<T>> product_;
  KernelSample sample_;
  std::string refused_;
};

}  // namespace

template <typename T>
SampleOrRefusal sample_kernel(const Kernel& kernel, Device& device, const Workload<T>& work,
                              int threads, const SamplingOptions& options, int width) {
  Entrant<T> entrant(kernel, device, work, threads, width);
  entrant.measure(options);
  return entrant.result();
}

double MultiplyRow::gflops() const {
  return product_flops(facts.nonzeros, k) / result.sample->product.seconds.median / 1e9;
}

double MultiplyRow::floor_bytes() const {
  return product_floor_bytes(facts.rows, facts.columns, facts.nonzeros, k, value_bytes(precision));
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

/// The rows of one K, not measured yet; those of kernels without a device are refused.
std::vector<MultiplyRow> rows_of(const MultiplyRow& labelled, Index k, const MultiplyPlan& plan,
                                 std::span<Device* const> devices) {
  const std::vector<int> no_threads{0};
  std::vector<MultiplyRow> rows;
  for (const Kernel* kernel : plan.kernels) {
    Device* const device = find_device(devices, kernel->device);
    const bool threaded = device != nullptr && device->has_threads();
    for (const int threads : threaded ? plan.threads : no_threads) {
      MultiplyRow& row = rows.emplace_back(labelled);
      row.kernel = *kernel;
      row.k = k;
      row.threads = threads;
      row.width = plan.width;
      if (device != nullptr) {
        row.device = device->name();
        row.triad_bandwidth = device->bandwidth(threads);
      } else {
        row.device = name(kernel->device);
        row.result.refused = fmt::format("there is no {} device here", row.device);
      }
    }
  }
  return rows;
}

template <typename T>
void sample_precision(const MultiplyRow& labelled, const Csr<T>& matrix, const MultiplyPlan& plan,
                      std::span<Device* const> devices,
                      const std::function<void(const MultiplyRow&)>& on_row,
                      std::vector<MultiplyRow>& rows) {
  for (const Index k : plan.columns) {
    const Workload<T> work = make_workload(matrix, labelled.facts, k, plan.seed, plan.check);
    std::vector<MultiplyRow> now = rows_of(labelled, k, plan, devices);
    // Entrants that take turns are in memory together.
    const std::size_t together = plan.rounds > 1 ? now.size() : 1;
    for (std::size_t first = 0; first < now.size(); first += together) {
      const std::span group(now.data() + first, together);
      std::vector<std::optional<Entrant<T>>> entrants(together);
      for (std::size_t i = 0; i < together; ++i) {
        Device* const device = find_device(devices, group[i].kernel.device);
        if (device == nullptr) continue;
        entrants[i].emplace(group[i].kernel, *device, work, group[i].threads, plan.width);
      }
      for (int round = 0; round < plan.rounds; ++round) {
        for (auto& entrant : entrants) {
          if (entrant) entrant->measure(plan.sampling);
        }
      }
      for (std::size_t i = 0; i < together; ++i) {
        if (entrants[i]) group[i].result = entrants[i]->result();
        on_row(group[i]);
      }
    }
    std::move(now.begin(), now.end(), std::back_inserter(rows));
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

template Workload<float> make_workload(const Csr<float>&, const MatrixFacts&, Index, Index, bool);
template Workload<double> make_workload(const Csr<double>&, const MatrixFacts&, Index, Index, bool);
template SampleOrRefusal sample_kernel(const Kernel&, Device&, const Workload<float>&, int,
                                       const SamplingOptions&, int);
template SampleOrRefusal sample_kernel(const Kernel&, Device&, const Workload<double>&, int,
                                       const SamplingOptions&, int);

}  // namespace spsolve::bench
