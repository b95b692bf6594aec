#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/contest.hpp"
#include "apps/bench/device.hpp"
#include "apps/bench/sampling.hpp"
#include "config/config.hpp"
#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "multiply/compare.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::bench {

/// The columns of `spbench multiply`.
Columns multiply_columns();

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
  int width = 0;  ///< KernelOptions.width; 0: the kernels' defaults
  Index seed = 1;
  bool check = true;  ///< whether results are compared with the serial product
  BandsChoice bands = BandsChoice::automatic;  ///< of products over several ranks
};

/// Measures every kernel of the plan on one matrix, for every precision, K and thread count, X
/// uniform in [-1, 1). `devices` are searched for each kernel's; kernels without one are refused,
/// as are those that refuse the matrix, or for which memory does not suffice. Y is full of nans
/// before, so that an element left out is seen.
std::vector<Row> sample_matrix(const std::string& name, const Csr<double>& matrix,
                               const MultiplyPlan& plan, std::span<Device* const> devices);

/// Sets the cells of the largest, mean and scaled error, and what bounds it.
void set_errors(Row& row, const ProductErrors& errors);

/// Sets baseline, speedup and of_fastest. Rows compare within one matrix, precision and K; the
/// baseline is the row of the kernel `baseline` with as many threads, for other devices than the
/// host the fastest of its rows with the most threads.
void compare_rows(std::span<Row> rows, std::string_view baseline);

}  // namespace spsolve::bench
