#include "choice/factor_place.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "io/files/scratch_file.hpp"
#include "process/system.hpp"

namespace spsolve::inline choice {

namespace {

/// The folder of a file with factors.
std::string factors_folder_of(const SolverOptions& options) {
  if (!options.factors_folder.empty()) return options.factors_folder;
  const char* const variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != 0 ? variable : ".";
}

/// Bytes that are needed beside fronts, their factors and their stack.
std::int64_t bytes_of_others(std::int64_t analysis, Index rows, Index nonzeros,
                             std::size_t value_bytes) {
  return analysis + 3 * csr_bytes(rows, nonzeros, value_bytes);
}

/// What is left beside these.
std::int64_t most_beside(std::int64_t others) {
  return std::min(available_memory(), left_under_process_limit()) - others;
}

}  // namespace

void place_factors(const SolverOptions& options, const Csr<double>& matrix, Factorization kind,
                   std::size_t value_bytes, bool may_use_disk, SparseAnalysis& analysis,
                   FactorizationEstimate& estimate) {
  const Fronts& fronts = analysis.fronts;
  const std::size_t taken_bytes =
      options.precision == Precision::float64 ? value_bytes : value_bytes / 2;
  const std::int64_t others =
      bytes_of_others(analysis.bytes(), matrix.rows, matrix.nonzeros(), value_bytes);
  const std::int64_t most = most_beside(others);
  const auto within = [&](const std::string& folder) {
    return bound_within(fronts, kind, estimate.threads, taken_bytes, most, folder);
  };
  BoundedMemory taken = within("");
  const bool wants_disk = options.factors == FactorPlace::disk;
  const bool may_want = options.factors == FactorPlace::automatic && !taken.fits;
  if (may_use_disk && (wants_disk || may_want)) {
    const std::string folder = factors_folder_of(options);
    BoundedMemory on_disk = within(folder);
    // They have the addresses that they would have in memory.
    const bool has_room = on_disk.memory.on_disk <= io::free_bytes_of_folder(folder) &&
                          on_disk.memory.on_disk <= left_under_process_limit() - others;
    if (wants_disk || (on_disk.fits && has_room)) taken = std::move(on_disk);
  }
  // Memory is told of factors in double.
  if (taken_bytes != value_bytes) {
    taken.memory =
        factor_memory(fronts, kind, factor_schedule(fronts, kind, estimate.threads, taken.bound),
                      value_bytes, !taken.bound.factors_folder.empty());
  }
  estimate.memory = taken.memory;
  analysis.stack_bound = std::move(taken.bound);
}

FactorMemory memory_on_disk(const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const std::size_t value_bytes = (estimate.complex ? 2 : 1) * sizeof(double);
  const std::int64_t most = most_beside(bytes_of_others(
      estimate.analysis_bytes, question.shape.rows, question.shape.nonzeros, value_bytes));
  const Factorization kind =
      estimate.kind == Factorization::cholesky ? Factorization::ldlt : estimate.kind;
  return bound_within(question.pattern_analysis.analysis->fronts, kind, estimate.threads,
                      value_bytes, most, factors_folder_of(question.options))
      .memory;
}

}  // namespace spsolve::choice
