#pragma once

#include "apps/bench/sparse/sparse_bench.hpp"
#include "apps/bench/spbench.hpp"

namespace spsolve {

/// The options of `spbench eliminate --matrix`.
struct SparseOptions {
  BenchOptions files;  ///< matrices: each maybe several, with commas between
  std::vector<std::string> peers{"all"};
  bench::SparsePlan plan;
};

/// The names in `matrices`, those in one word with commas between taken apart. Throws Error(input)
/// where a file or generator is not known.
std::vector<std::string> matrix_names(const std::vector<std::string>& matrices);

/// Samples, prints a table a matrix and the summary, and writes the files. Collective.
void run_sparse_bench(const SparseOptions& options, const bench::Environment& environment,
                      Team& team);

}  // namespace spsolve
