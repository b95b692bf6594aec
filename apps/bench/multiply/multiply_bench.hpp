#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bench/device.hpp"
#include "apps/bench/sampling.hpp"
#include "apps/bench/table.hpp"
#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "multiply/compare.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::bench {

/// The work of all kernels of one matrix, type and K: Y = A X, and the serial product to compare
/// with. The matrix must outlive it.
template <typename T>
struct Workload {
  const Csr<T>& matrix;
  MatrixFacts facts;
  Dense<T> x;          ///< columns x K
  Dense<T> reference;  ///< A X by csr_serial in T; empty where results are not checked
};

/// X uniform in [-1, 1) by `seed`, rounded to T; without a reference where `check` is false.
template <typename T>
Workload<T> make_workload(const Csr<T>& matrix, const MatrixFacts& facts, Index k, Index seed,
                          bool check = true);

/// The measurements of one kernel, in all its rounds.
struct KernelSample {
  Sampled product;                      ///< seconds of one product
  double convert_seconds = 0;           ///< from CSR to the kernel's format, once
  std::int64_t format_bytes = 0;        ///< of the converted matrix
  std::string detail;                   ///< what the kernel chose
  std::optional<ProductErrors> errors;  ///< against the reference
};

/// A sample, or one sentence of why there is none.
struct SampleOrRefusal {
  std::optional<KernelSample> sample;
  std::string refused;
};

/// Converts, warms up and measures `kernel` once with `threads` threads (host) and its
/// parameter `width` (0: its default), and compares its Y with the reference. Y is full of nans
/// before, so that an element left out is seen. A kernel that refuses the matrix, or for which
/// memory does not suffice, is a refusal.
template <typename T>
SampleOrRefusal sample_kernel(const Kernel& kernel, Device& device, const Workload<T>& work,
                              int threads, const SamplingOptions& options, int width = 0);

/// One row of results.
struct MultiplyRow {
  std::string matrix;
  MatrixFacts facts;
  Kernel kernel;
  std::string device;
  Precision precision = Precision::float64;
  Index k = 1;
  int threads = 1;             ///< 0 for a device without threads of the host
  int width = 0;               ///< the kernel's parameter as asked for; 0: its default
  double triad_bandwidth = 0;  ///< Device::bandwidth() with as many threads; 0: not measured
  SampleOrRefusal result;
  std::string baseline;              ///< the kernel that speedup refers to
  std::optional<double> speedup;     ///< seconds of the baseline / own seconds
  std::optional<double> of_fastest;  ///< seconds of the fastest row of this K / own seconds

  double gflops() const;            ///< 2 nnz K / median seconds / 1e9
  double floor_bytes() const;       ///< product_floor_bytes()
  double bytes_per_second() const;  ///< floor_bytes / median seconds
};

/// The columns of `spbench multiply`.
std::span<const Column<MultiplyRow>> multiply_columns();

/// The measurements to make.
struct MultiplyPlan {
  std::vector<const Kernel*> kernels;
  std::vector<Index> columns{1, 3, 4, 8, 12, 16, 32, 64};
  std::vector<int> threads{1};
  std::vector<Precision> precisions{Precision::float64};
  SamplingOptions sampling;
  /// How often the kernels take turns, with sampling.samples each time. With more than one, the
  /// formats of all of them are in memory at once, and a machine whose speed drifts is fair.
  int rounds = 1;
  int width = 0;  ///< KernelOptions.width
  Index seed = 1;
  bool check = true;  ///< whether results are compared with the serial product
};

/// Measures every kernel of the plan on one matrix, for every precision, K and thread count.
/// `devices` are searched for each kernel's; kernels without one are refused. `on_row` is called
/// after each row.
std::vector<MultiplyRow> sample_matrix(const std::string& name, const Csr<double>& matrix,
                                       const MultiplyPlan& plan, std::span<Device* const> devices,
                                       const std::function<void(const MultiplyRow&)>& on_row);

/// Sets baseline, speedup and of_fastest. Rows compare within one matrix, precision and K; the
/// baseline is the row of the kernel `baseline` with as many threads, for other devices than the
/// host that with
/// the most.
void compare_rows(std::span<MultiplyRow> rows, std::string_view baseline);

}  // namespace spsolve::bench
