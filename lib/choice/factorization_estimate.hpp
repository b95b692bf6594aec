#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "choice/iteration_estimate.hpp"
#include "matrix/csr.hpp"
#include "matrix/symmetry.hpp"
#include "plan/memory_plan.hpp"
#include "process/progress.hpp"
#include "solve/operators/options.hpp"
#include "sparse/analysis/analysis.hpp"
#include "sparse/layout/device_layout.hpp"
#include "team/team.hpp"

namespace spsolve::inline choice {

/// The forecast of a sparse elimination by the analysis of its pattern, the same on every rank.
struct FactorizationEstimate {
  bool analysed = false;  ///< there is an analysis, of the factorisation `kind`
  bool complex = false;   ///< it is of the moduli of a complex A, eliminated in complex numbers
  bool elliptic = false;  ///< symmetric, and looks like a discrete elliptic operator
  bool hubs = false;      ///< an elliptic one of which levels of multigrid fill
  /// The Krylov method of a singular matrix whose null space was named; automatic of others.
  Method of_singular = Method::automatic;
  /// The estimate of an iteration, which is tried before anything is analysed; with one, nothing
  /// is.
  IterationEstimate iteration;
  Factorization kind = Factorization::lu;
  SymmetryFacts facts;
  bool conjugated = false;  ///< it is that of a complex A = A^T, see conjugate_rows()
  MirrorPair asymmetry;     ///< why there is no factorisation `kind`, which wants symmetry
  Ordering ordering = Ordering::automatic;
  double flops = 0;              ///< of real numbers
  Index factor_entries = 0;      ///< of `complex` two numbers each
  double gpu_path = 0;           ///< longest_path_on_gpu()
  FactorMemory memory;           ///< with factors in double
  GpuFactorMemory gpu_memory;    ///< of kind, likewise
  bool scales = false;           ///< whether scaled values are eliminated
  bool matched = false;          ///< whether rows were matched with columns by their values
  std::int64_t value_bytes = 0;  ///< of values that are, where they are not the matrix' own
  std::int64_t analysis_bytes = 0;
  double analysis_seconds = 0;
  Index numbers() const { return (complex ? 2 : 1) * factor_entries; }
  int threads = 1;          ///< of the rank that eliminates
  Index systems = 1;        ///< of this pattern that are expected
  bool over_ranks = false;  ///< on hosts all ranks eliminate
  bool over_gpus = false;   ///< on GPUs all do
};

/// The factorisation that a sparse method stands for.
constexpr Factorization factorization_of(Method method) {
  if (method == Method::sparse_cholesky) return Factorization::cholesky;
  return method == Method::sparse_ldlt ? Factorization::ldlt : Factorization::lu;
}

/// The estimate in lines of text for a plan, where it would be eliminated.
std::string to_text(const FactorizationEstimate& estimate, MemoryKind memory);

/// The cost of each ordering for a matrix, as a table: seconds of the ordering, entries of the
/// factor L, flops of L L^T (L U takes twice as many), predicted seconds. Square matrices.
std::string ordering_table(const Csr<double>& matrix);

/// Adds to rank 0's plan the memory for the analysis of a matrix of that shape, about 200 bytes a
/// row and 40 a non-zero: graph, order, tree and fronts on the way.
void plan_pattern_analysis(MemoryPlan& plan, const MatrixShape& shape, int rank);

/// The findings about rank 0's matrix, with its analysis where one was made.
struct PatternAnalysis {
  FactorizationEstimate estimate;
  std::shared_ptr<const SparseAnalysis> analysis;  ///< on rank 0 alone
  /// estimate.over_ranks: what each of `ranks` ranks takes for factors in double; and with
  /// estimate.over_gpus each rank's GPU.
  std::vector<FactorMemory> of_ranks;
  std::vector<GpuFactorMemory> of_gpus;
  std::filesystem::path cached_in;  ///< on rank 0: its file in AnalysisCache::folder
  std::string note;  ///< on rank 0: why solve.analysis_file could not be written, or ""
};

/// Where an analysis is kept for the runs that go on with its matrix: in a folder, under a name
/// that tells of the matrix. Nothing is kept where solve.analysis_file is named.
struct AnalysisCache {
  std::filesystem::path folder;  ///< empty: nowhere
  bool reads = true;             ///< whether what is there is used
};

/// Further facts of a system: whether `auto` may iterate it without an analysis, and how it may be
/// eliminated.
struct SystemHints {
  /// Whether it may, where estimate_iteration() or estimate_iteration_on_gpu() estimates that it
  /// pays, as for one right-hand side of each of `systems`, in double, with nothing said of how.
  bool may_iterate = false;
  bool elastic = false;  ///< coordinates of its nodes are known
  /// Its matrix is the real form of a complex one, which is eliminated in complex numbers where it
  /// is by a sparse method.
  bool complex = false;
  bool may_use_disk = false;     ///< factors may be on disk: of a rank alone, without checkpoints
  Index systems = 1;             ///< of this pattern that are expected
  bool eliminates = false;       ///< it is analysed however large it is, as an iteration failed
  Progress* progress = nullptr;  ///< rank 0's, told of its analysis as it goes on
};

/// Analyses rank 0's `whole` for the method that `options` ask for, by their ordering and with
/// their analysis file; for `auto` for the first of sparse_cholesky, sparse_ldlt and sparse_lu that
/// the matrix allows, unless it is so small or so full that it is made dense. Over ranks for
/// SolvingRanks::all, and else where least_flops_over_ranks of host_tuning, or of gpu_tuning, are
/// to be done, or gpu_tuning.least_bytes_over_ranks to be kept, and A is one block. Other ranks
/// pass an empty matrix. A matrix that looks elliptic and has host_tuning.least_order_for_iteration
/// rows `auto` leaves to iteration, without an analysis, which would take longer. Throws on every
/// rank what read_order(), load_analysis() and analyse_sparse() throw on rank 0.
/// Collective. With `kept` the analysis is read from there, or written; where it cannot be, the log
/// says so. `memory`: where it is to be eliminated, if that is known.
PatternAnalysis analyse_pattern(Team& team, const Csr<double>& whole, const SolverOptions& options,
                                MemoryKind memory = MemoryKind::host,
                                const AnalysisCache& cache = {}, const SystemHints& hints = {});

}  // namespace spsolve::choice
