#include "vectors/products/kernel_rows.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/over_blocks.hpp"
#include "core/timer.hpp"
#include "core/untouched_array.hpp"

namespace spsolve::inline vectors {

template <typename T>
KernelParts<T>::KernelParts(SplitRows<T>&& split, const Kernel& kernel, const Kernel& plain,
                            const KernelOptions& options, int rank, bool alone)
    : boundary_rows(std::move(split.boundary_rows)) {
  const auto facts_of_rows = [&](const Csr<T>& rows) {
    return facts_for(kernel, rows, options.columns);
  };
  const auto refusal = [&](const MatrixFacts& facts) {
    return kernel.refuse(facts, options.columns, sizeof(T));
  };
  const MatrixFacts facts = facts_of_rows(split.interior);
  if (const std::string reason = refusal(facts); !reason.empty()) {
    fail(ExitCode::input, "multiply.kernel={} does not take this matrix: {}{}; use another kernel",
         kernel.name, reason,
         alone ? ""
               : fmt::format(" (the diagonal block of {} x {} that rank {} holds)",
                             split.interior.rows, split.interior.columns, rank));
  }
  const auto rounds = [&](const MatrixFacts& of) {
    return kernel.reads_lower_triangle() && of.mirrors == Mirrors::round;
  };
  rounds_mirrors = rounds(facts);
  interior = prepare<T>(kernel, split.interior, options);
  if (boundary_rows.empty()) return;
  // The boundary is of no such triangle, even if its columns happen to match.
  const MatrixFacts of_boundary = facts_of_rows(split.boundary);
  const bool takes = refusal(of_boundary).empty() && !rounds(of_boundary);
  if (!takes) boundary_kernel = plain.name;
  boundary = prepare<T>(takes ? kernel : plain, split.boundary, options);
}

template <typename T>
std::int64_t KernelParts<T>::bytes() const {
  return interior->bytes() + (boundary == nullptr ? 0 : boundary->bytes());
}

template <typename T>
std::string KernelParts<T>::detail() const {
  std::string text = interior->detail();
  if (rounds_mirrors) text += fmt::format("{}{}", text.empty() ? "" : "; ", lower_for_both);
  const std::string of_boundary = boundary == nullptr ? "" : boundary->detail();
  if (!of_boundary.empty() || !boundary_kernel.empty()) {
    text += fmt::format("{}boundary: {}", text.empty() ? "" : "; ",
                        of_boundary.empty() ? boundary_kernel : of_boundary);
  }
  return text;
}

namespace {

template <typename T>
class HostKernelRows final : public LocalProduct<T> {
 public:
  explicit HostKernelRows(KernelParts<T>&& parts) : parts_(std::move(parts)) {}

  void multiply(HaloCarrier& carrier, const T* x, T* y, Index columns) override {
    times_ = {};
    const T* const halo = bring(carrier, x, columns);
    const Timer multiplying;
    parts_.interior->multiply(x, y, columns);
    times_.interior = multiplying.seconds();
    const Timer waiting;
    carrier.wait();
    times_.wait = waiting.seconds();
    if (parts_.boundary != nullptr) {
      const Timer adding;
      add_boundary(halo, y, columns);
      times_.boundary = adding.seconds();
    }
    carrier.release();
  }

  ProductTimes finish() override { return times_; }
  std::string detail() const override { return parts_.detail(); }

 private:
  void add_boundary(const T* halo, T* y, Index columns) {
    const Index rows = std::ssize(parts_.boundary_rows);
    if (sums_.size() != rows * columns) sums_ = UntouchedArray<T>(rows * columns);
    parts_.boundary->multiply(halo, sums_.data(), columns);
#pragma omp parallel for schedule(static) if (worth_threads(rows * columns))
    for (Index i = 0; i < rows; ++i) {
      T* const to = y + parts_.boundary_rows[i] * columns;
      const T* const from = sums_.data() + i * columns;
      for (Index c = 0; c < columns; ++c) to[c] += from[c];
    }
  }

  KernelParts<T> parts_;
  UntouchedArray<T> sums_;
  ProductTimes times_;
};

}  // namespace

template <typename T>
std::unique_ptr<LocalProduct<T>> host_kernel_rows(KernelParts<T>&& parts) {
  return std::make_unique<HostKernelRows<T>>(std::move(parts));
}

SPSOLVE_INSTANTIATE(struct KernelParts)
SPSOLVE_INSTANTIATE_FUNCTION(host_kernel_rows)

}  // namespace spsolve::vectors
