#include <algorithm>
#include <limits>
#include <new>
#include <optional>

#include <fmt/format.h>

#include "apps/bench/multiply/multiply_bench.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "multiply/published/csr_kernels.hpp"
#include "process/system.hpp"

namespace spsolve::bench {

namespace {

/// The work of all kernels of one matrix, type and K: Y = A X, and the serial product to compare
/// with.
template <typename T>
struct Workload {
  Workload(const Csr<T>& a, const MatrixFacts& of_a, Index k, const MultiplyPlan& plan)
      : matrix(a), facts(of_a), x(a.columns, k) {
    const Dense<double> random = random_multivector(a.columns, k, plan.seed);
    std::copy(random.values.begin(), random.values.end(), x.values.begin());
    if (!plan.check) return;
    reference = Dense<T>(matrix.rows, k);
    csr_serial(matrix, x.values.data(), reference.values.data(), k);
  }

  const Csr<T>& matrix;
  MatrixFacts facts;
  Dense<T> x;          ///< columns x K
  Dense<T> reference;  ///< A X by csr_serial in T; empty where results are not checked
};

template <typename T>
class WholeProduct final : public SampledProduct {
 public:
  WholeProduct(const Kernel& kernel, Device* device, std::shared_ptr<const Workload<T>> work,
               int threads, int width)
      : kernel_(kernel),
        device_(device),
        work_(std::move(work)),
        options_{
            .columns = work_->x.columns, .threads = threads, .width = width, .room_behind = true} {}

  void prepare(Row& row) override {
    if (device_ == nullptr) {
      fail(ExitCode::input, "there is no {} device here", name(kernel_.device));
    }
    const std::string refused = kernel_.refuse(work_->facts, options_.columns, sizeof(T));
    if (!refused.empty()) fail(ExitCode::input, "{}", refused);
    const Timer timer;
    try {
      product_ = spsolve::prepare<T>(kernel_, work_->matrix, options_);
    } catch (const std::bad_alloc&) {
      fail(ExitCode::resources, "the converted matrix does not fit into memory");
    }
    row["convert_s"] = timer.seconds();
    row["format_bytes"] = product_->bytes();
    row["detail"] = text_or_null(product_->detail());
  }

  std::int64_t bytes() const override { return product_->bytes(); }

  Sampled run(const SamplingOptions& options) override {
    y_ = Dense<T>(work_->matrix.rows, options_.columns, std::numeric_limits<T>::quiet_NaN());
    return device_->run(*product_, work_->x, y_, options);
  }

  void note(Row& row, bool checks) override {
    if (checks) {
      set_errors(row, compare_products(work_->matrix, work_->x.values.data(),
                                       work_->reference.values.data(), y_.values.data(),
                                       options_.columns));
    }
    y_ = {};
  }

 private:
  const Kernel& kernel_;
  Device* device_;
  std::shared_ptr<const Workload<T>> work_;
  KernelOptions options_;
  std::unique_ptr<KernelProduct<T>> product_;
  Dense<T> y_;
};

Device* find_device(std::span<Device* const> devices, KernelDevice kind) {
  const auto found = std::ranges::find(devices, kind, &Device::kind);
  return found == devices.end() ? nullptr : *found;
}

template <typename T>
std::vector<ProductContender> contenders_of(const Row& labels, const MatrixFacts& facts,
                                            const Csr<T>& matrix, Index k, const MultiplyPlan& plan,
                                            std::span<Device* const> devices) {
  const auto work = std::make_shared<const Workload<T>>(matrix, facts, k, plan);
  std::vector<ProductContender> all;
  for (const Kernel* kernel : plan.kernels) {
    Device* const device = find_device(devices, kernel->device);
    const bool threaded = device != nullptr && device->has_threads();
    for (const int threads : threaded ? plan.threads : std::vector<int>{0}) {
      Row row = label_product(
          labels, *kernel, sizeof(T) == sizeof(float) ? Precision::float32 : Precision::float64, k);
      row["device"] = device != nullptr ? device->name() : std::string(name(kernel->device));
      if (threads > 0) row["threads"] = threads;
      const double triad = device != nullptr ? device->bandwidth(threads) : 0;
      if (triad > 0) row["triad_gbs"] = triad / 1e9;
      all.push_back(
          {std::move(row), threads, kernel->device,
           std::make_unique<WholeProduct<T>>(*kernel, device, work, threads, plan.width)});
    }
  }
  return all;
}

}  // namespace

ProductCase whole_case(const std::string& name, const Csr<double>& matrix, const MultiplyPlan& plan,
                       std::span<Device* const> devices) {
  const MatrixFacts facts = facts_of(matrix);
  Row labels;
  labels.name = name;
  labels.cells = {{"matrix", name},
                  {"rows", facts.rows},
                  {"columns", facts.columns},
                  {"nonzeros", facts.nonzeros},
                  {"longest_row", facts.longest_row},
                  {"symmetric", facts.symmetric},
                  {"ranks", 1}};
  if (plan.width > 0) labels["width"] = plan.width;
  const auto in_float = std::make_shared<std::optional<Csr<float>>>();
  const auto contenders = [=, &matrix, &plan](Precision precision, Index k) {
    if (precision == Precision::float64) {
      return contenders_of(labels, facts, matrix, k, plan, devices);
    }
    if (!*in_float) *in_float = csr_cast<float>(matrix);
    return contenders_of(labels, facts, **in_float, k, plan, devices);
  };
  return {labels, contenders, [devices](KernelDevice kind) {
            const Device* const device = find_device(devices, kind);
            return device == nullptr ? 0 : device->free_memory();
          }};
}

}  // namespace spsolve::bench
