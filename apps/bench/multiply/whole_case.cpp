#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "apps/bench/multiply/mkl_product.hpp"
#include "apps/bench/multiply/multiply_bench.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "multiply/published/csr_kernels.hpp"
#include "process/system.hpp"

namespace spsolve::bench {

namespace {

/// The kernels of complex numbers that take real forms, quickly; of hosts and of GPUs.
constexpr std::string_view of_complex_numbers[] = {
    "complex_rows",  "csr_balanced",     "csr_sorted",    "csr_grouped",
    "sliced_rows",   "symmetric_halves", "csr_row_split", "grouped_slices",
    "grouped_lanes", "row_types",        "auto"};

/// Those of libraries, which are given complex numbers.
constexpr std::string_view of_libraries[] = {"mkl",
                                             "cusparse_csr_spmv_1",
                                             "cusparse_csr_spmv_2",
                                             "cusparse_csr_spmm_1",
                                             "cusparse_csr_spmm_2",
                                             "cusparse_csr_spmm_3"};

bool is_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::count(names, name) > 0;
}

/// Rows of n x 2K numbers: where `pairs` of complex ones, else of real and imaginary parts in turn,
/// from the other order.
template <typename T>
Dense<T> reordered(const Dense<T>& from, Index k, bool pairs) {
  Dense<T> to(pairs ? from.rows / 2 : 2 * from.rows, pairs ? 2 * k : k);
  for (std::size_t at = 0; at < from.values.size(); at += 2 * k) {
    for (Index c = 0; c < k; ++c) {
      for (Index part = 0; part < 2; ++part) {
        const std::size_t in_turn = at + part * k + c, paired = at + 2 * c + part;
        to.values[pairs ? paired : in_turn] = from.values[pairs ? in_turn : paired];
      }
    }
  }
  return to;
}

/// The work of all kernels of one matrix, type and K: Y = A X, and the serial product to compare
/// with.
template <typename T>
struct Workload {
  Workload(const Csr<T>& a, const MatrixFacts& of_a, Index parts_of_a, Index k,
           const MultiplyPlan& plan)
      : matrix(a), facts(of_a), parts(parts_of_a), x(a.columns, k) {
    const Dense<double> random = random_multivector(a.columns, k, plan.seed);
    std::copy(random.values.begin(), random.values.end(), x.values.begin());
    if (parts > 1) pairs = reordered(x, k, true);
    if (!plan.check) return;
    reference = Dense<T>(matrix.rows, k);
    csr_serial(matrix, x.values.data(), reference.values.data(), k);
  }

  const Csr<T>& matrix;
  MatrixFacts facts;
  Index parts;
  Dense<T> x;          ///< columns x K
  Dense<T> pairs;      ///< of complex numbers, where these are
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
        options_{.columns = work_->x.columns,
                 .threads = threads,
                 .width = width,
                 .room_behind = true,
                 .in_pairs = work_->parts > 1 && is_of(of_libraries, kernel.name)} {}

  void prepare(Row& row) override {
    if (device_ == nullptr) {
      fail(ExitCode::input, "there is no {} device here", name(kernel_.device));
    }
    if (work_->parts > 1 && !options_.in_pairs && !is_of(of_complex_numbers, kernel_.name)) {
      fail(ExitCode::input, "{} has no form for complex numbers", kernel_.name);
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
    row["detail"] =
        text_or_null(rounds_mirrors() ? std::string(lower_for_both) : product_->detail());
  }

  std::int64_t bytes() const override { return product_->bytes(); }

  Sampled run(const SamplingOptions& options) override {
    const Dense<T>& x = options_.in_pairs ? work_->pairs : work_->x;
    const Index rows = work_->matrix.rows / (options_.in_pairs ? work_->parts : 1);
    y_ = Dense<T>(rows, x.columns, std::numeric_limits<T>::quiet_NaN());
    return device_->run(*product_, x, y_, options);
  }

  void note(Row& row, bool checks) override {
    if (checks) {
      if (options_.in_pairs) y_ = reordered(y_, options_.columns, false);
      const MirroredBlock all;
      set_errors(row, compare_products(work_->matrix, work_->x.values.data(),
                                       work_->reference.values.data(), y_.values.data(),
                                       options_.columns, rounds_mirrors() ? &all : nullptr));
    }
    y_ = {};
  }

 private:
  bool rounds_mirrors() const {
    return kernel_.reads_lower_triangle() && work_->facts.mirrors == Mirrors::round;
  }

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

/// A matrix, or its real form, in double and in float, with what kernels ask of it.
struct CaseMatrix {
  CaseMatrix(const Csr<double>& a, Index parts_of_a) : in_double(a), parts(parts_of_a) {}

  const Csr<double>& in_double;
  Index parts;
  MatrixFacts facts = facts_of(in_double);
  std::optional<Csr<float>> in_float{};

  template <typename T>
  const Csr<T>& as() {
    if constexpr (std::is_same_v<T, double>) {
      return in_double;
    } else {
      if (!in_float) in_float = csr_cast<float>(in_double);
      return *in_float;
    }
  }

  void label(Row& row) const {
    row["rows"] = facts.rows / parts;
    row["columns"] = facts.columns / parts;
    row["nonzeros"] = facts.nonzeros / (parts * parts);
    row["longest_row"] = facts.longest_row / parts;
  }
};

template <typename T>
std::vector<ProductContender> contenders_of(const Row& labels, CaseMatrix& matrix,
                                            ProductNumbers numbers, Index k,
                                            const MultiplyPlan& plan,
                                            std::span<Device* const> devices) {
  const auto work =
      std::make_shared<const Workload<T>>(matrix.as<T>(), matrix.facts, matrix.parts, k, plan);
  std::vector<ProductContender> all;
  for (const Kernel* kernel : plan.kernels) {
    Device* const device = find_device(devices, kernel->device);
    const bool threaded = device != nullptr && device->has_threads();
    for (const int threads : threaded ? plan.threads : std::vector<int>{0}) {
      Row row = label_product(labels, *kernel, numbers, k);
      matrix.label(row);
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

/// The real form of (1 + i / 2) A.
Csr<double> with_imaginary_parts(const Csr<double>& matrix) {
  Csr<double> half = matrix;
  for (double& value : half.values) value /= 2;
  return real_form(matrix, half);
}

}  // namespace

ProductCase whole_case(const std::string& name, const Csr<double>& matrix, const MultiplyPlan& plan,
                       std::span<Device* const> devices, Index parts) {
  const auto given = std::make_shared<CaseMatrix>(matrix, parts);
  Row labels;
  labels.name = name;
  labels.cells = {
      {"matrix", name}, {"symmetric", given->facts.mirrors == Mirrors::equal}, {"ranks", 1}};
  given->label(labels);
  if (plan.width > 0) labels["width"] = plan.width;
  struct MadeComplex {
    Csr<double> form;
    CaseMatrix matrix{form, complex_parts};
  };
  const auto made = std::make_shared<std::unique_ptr<MadeComplex>>();
  const auto contenders = [=, &matrix, &plan](ProductNumbers numbers, Index k) {
    const bool makes = parts_of(numbers) > given->parts;
    if (makes && *made == nullptr) {
      made->reset(new MadeComplex{with_imaginary_parts(matrix)});
    }
    CaseMatrix& all = makes ? (*made)->matrix : *given;
    return with_scalar(precision_of(numbers), [&]<typename T>(T) {
      return contenders_of<T>(labels, all, numbers, k, plan, devices);
    });
  };
  return {labels, contenders, [devices](KernelDevice kind) {
            const Device* const device = find_device(devices, kind);
            return device == nullptr ? 0 : device->free_memory();
          }};
}

}  // namespace spsolve::bench
