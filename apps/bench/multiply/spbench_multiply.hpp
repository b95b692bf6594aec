#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/bench/spbench.hpp"
#include "core/types.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve {

/// The options of spbench multiply.
struct MultiplyOptions {
  BenchOptions common;
  std::vector<std::string> kernels{"all"};
  std::vector<Index> columns{1, 3, 4, 8, 12, 16, 32, 64};
  std::vector<std::string> precisions{"double"};
  std::string device = "auto";
  std::string baseline;
  int rounds = 1;
  int width = 0;
  Index seed = 1;
  int triad_mebibytes = 0;
  std::string bands = "auto";
  std::string transport = "auto";
  bool in_bands = false;
  bool share_gpus = false;
  bool no_check = false;
};

/// The kernels of the devices that the user wants: host, cuda (`of_gpus`), or auto for both.
std::vector<Kernel> table_of(std::string_view device, std::span<const Kernel> of_gpus);

/// The rows of the table that the user named, in that order; the baseline is always among them.
/// Where there is no GPU its kernels are left out, unless one is named that only a GPU has: that
/// will be refused.
std::vector<const Kernel*> chosen_kernels(const MultiplyOptions& options,
                                          std::span<const Kernel> table, bool has_gpu);

/// Samples products in bands over the ranks of the team. Rank 0 prints and writes. Collective.
void run_distributed_bench(const MultiplyOptions& options, const bench::Environment& environment,
                           Team& team);

}  // namespace spsolve
