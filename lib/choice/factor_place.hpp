#pragma once

#include <cstddef>

#include "choice/solver_table.hpp"
#include "matrix/csr.hpp"
#include "sparse/analysis/analysis.hpp"

namespace spsolve::inline choice {

/// Finds what the elimination of an analysed `matrix` by this process' threads is bounded by: all
/// in memory; with less side by side, where that does not fit beside the matrix and some copies of
/// it; or with its factors on disk, if they may be. `kind`: which takes the most memory of those
/// that may be made, with values of so many bytes. analysis.stack_bound and estimate.memory tell.
void place_factors(const SolverOptions& options, const Csr<double>& matrix, Factorization kind,
                   std::size_t value_bytes, bool may_use_disk, SparseAnalysis& analysis,
                   FactorizationEstimate& estimate);

/// What the analysed system would take with factors on disk, by a process alone on a host; its
/// analysis is here.
FactorMemory memory_on_disk(const SolverQuestion& question);

}  // namespace spsolve::choice
