#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "choice/factorization_estimate.hpp"
#include "dense/dense_plan.hpp"
#include "dense/mixed_inverse.hpp"
#include "device/compute_device.hpp"
#include "matrix/shape.hpp"
#include "plan/memory_plan.hpp"
#include "solve/inverse.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline choice {

/// A system as far as it is known, and where it would be solved.
struct SolverQuestion {
  MatrixShape shape;  ///< square
  Index right_hand_sides = 1;
  SolverOptions options;
  int ranks = 1;
  /// The bands of these ranks; null: of equal height, as for other numbers of ranks.
  std::shared_ptr<const RowLayout> bands = {};
  int threads = 1;  ///< of rank 0
  MemoryKind memory = MemoryKind::host;
  GpuDenseBytes gpu;  ///< what dense rows take on a GPU; empty on hosts
  /// Bytes free on a GPU, where that is known.
  std::int64_t gpu_memory = std::numeric_limits<std::int64_t>::max();
  /// How ranks read, where it is not rank 0 that does.
  std::optional<ReadingTogether> reads_together;
  bool wants_checkpoints = false;  ///< whether checkpoints are wanted
  Index null_vectors = 0;          ///< of a null space that is named
  bool guesses = false;            ///< whether there is a first guess of the solution
  bool rows_repeat = false;        ///< rows of A are of few types, of which products take no copy
  /// The method is an iteration in the place of eliminations that did not fit into memory.
  bool short_of_memory = false;
  PatternAnalysis pattern_analysis;  ///< what the analysis of the pattern came to
};

/// The findings of a method of the table before it takes any memory.
struct SolverAnalysis {
  double flops = 0;    ///< of the elimination, over all ranks
  double seconds = 0;  ///< predicted, as a rough model of today's processors and GPUs has it
};

/// Predicted seconds of solves with factors of so many entries, and of what vouches for x: where
/// question.memory is.
double predicted_solve_seconds(const SolverQuestion& question, double factor_entries);

/// How many of the rows `rank` has.
Index rows_of_rank(const SolverQuestion& question, int rank);

/// A method of solving A x = b. `auto`, the words of solve.method, the help on methods, the plan,
/// spbench and the table-driven tests read these rows.
struct SolverRow {
  Method method;
  std::string_view sentence;  ///< what it is, for help

  /// Why it does not do what is asked for, in a sentence without a full stop; or "".
  std::string (*refuse)(const SolverQuestion& question);

  SolverAnalysis (*analyse)(const SolverQuestion& question);

  /// Adds the memory that it takes on `rank` in addition to the system's matrix and vectors.
  void (*plan)(const SolverQuestion& question, int rank, MemoryPlan& plan);

  /// The memory of the elimination that takes its place should mixed precision fail, as a plan of
  /// its own.
  MemoryPlan (*plan_in_double)(const SolverQuestion& question, int rank);

  /// Makes the inverse.
  std::unique_ptr<Inverse> (*make)(Team& team, ComputeDevice& memory,
                                   const SolverQuestion& question, BeforeDouble before_double);

  /// How it does it, for reports: method and pivoting as they were chosen, and the precision where
  /// it is another one than was asked for.
  EliminationChoice (*choice)(const SolverQuestion& question);
};

/// All methods, in the order in which equals are taken.
std::span<const SolverRow> solver_table();

/// The row of the method that is asked for; for `auto` the one that is predicted to be soonest done
/// of those that do what is asked for. Throws Error(input) on every rank where none does, or the
/// named one does not.
const SolverRow& choose_solver(const SolverQuestion& question);

/// The phases of a plan from the elimination on: what is alive in one of them on a host, is not in
/// the others, unless it is planned there as well. GPUs are planned as if all were at once.
std::span<const char* const> solving_phases(const SolverQuestion& question);

/// The memory plan of rank `rank` of question.ranks for a whole solve with that row, from the file
/// to the condition estimate.
MemoryPlan plan_system(const SolverRow& row, const SolverQuestion& question, int rank);

/// The table as `spsolve --help methods` shows it.
std::string solver_help();

}  // namespace spsolve::choice
