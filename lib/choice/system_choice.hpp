#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "choice/alternatives.hpp"
#include "choice/gpus.hpp"
#include "choice/solver_table.hpp"
#include "config/config.hpp"
#include "plan/memory_plan.hpp"
#include "process/progress.hpp"
#include "report/report.hpp"
#include "team/team.hpp"

namespace spsolve::inline choice {

/// Whether `config` leaves room for sparse elimination of a matrix of that shape, so that it is to
/// be read before anything is decided.
bool may_be_sparse(const Config& config, const MatrixShape& shape);

/// The first key among options that are for real systems only and ask for something, or "".
std::string_view real_only_key(const SolverOptions& options);

/// Whether rank 0 solves alone a system of the order that `order` finds out: on GPUs, messages
/// between them take longer than the whole elimination of a small system on one. A method that is
/// named is that of all ranks, as it was asked for. Collective.
bool solves_alone(const Config& config, Team& team, const Gpus& gpus,
                  const std::function<Index()>& order);

/// The remedy that does without rank 0 having the whole matrix: an iteration whose ranks have their
/// rows, and one whose ranks read them.
Remedy iterated_by_own_rows(const Config& config, const SystemShape& shape, std::int64_t resident);
Remedy iterated_in_bands(const Config& config, const SystemShape& shape, std::int64_t resident);

/// The analysis of rank 0's matrix for methods that might take the place of the one that is named.
/// Collective.
PatternAnalysis analyse_for_remedies(const Config& config, Team& team, const Csr<double>& whole);

/// analyse_for_remedies() of a system that was not analysed, as it is to be made dense; nothing
/// where rank 0 cannot read it. Collective.
using LateAnalysis = std::function<PatternAnalysis()>;

/// How a system is solved, for the application and the library's interface alike: facts of A, found
/// once; with them the device, and the cost of every row of the solver table; a plan of the memory;
/// and the row that is chosen. Its functions are called in this order, all of them collective; the
/// configuration, the team and the GPUs are those of its user.
class SystemChoice {
 public:
  SystemChoice(const Config& config, const SystemShape& shape, Team& team, const Gpus& gpus);

  /// Says that rows lie in these bands, not in those of equal height.
  void take_bands(const RowLayout& bands) {
    question_.bands = std::make_shared<const RowLayout>(bands);
  }

  /// Analyses the pattern of rank 0's `whole` for sparse elimination, where the configuration
  /// leaves room for it: for a system that is solved once perhaps with the finding that it is
  /// better iterated at once; but not where hosts or GPUs may do it, which have a long way to their
  /// start. `elastic`: coordinates of its nodes are known. Rank 0's `progress` is told of steps.
  void analyse(const Csr<double>& whole, bool elastic, const AnalysisCache& cache = {},
               Progress* progress = nullptr);

  /// Takes over what analyse() of another choice about this matrix found.
  void take(PatternAnalysis analysis) { question_.pattern_analysis = std::move(analysis); }

  /// Whether GPUs solve and rank 0's is left to do it alone, with room for it, as the others would
  /// save less than it takes to start and to deal out (gpu_tuning.seconds_to_share): for
  /// ranks=auto, by a sparse method or an iteration that `auto` takes. `resident` as in plan().
  bool leaves_to_one_gpu(std::int64_t resident) const;

  /// The device that solves, hosts or GPUs: those that are asked for, or for device=auto GPUs where
  /// each rank can have one and that is predicted to be sooner done. Noted in `report`. Throws as
  /// take_gpu().
  std::unique_ptr<ComputeDevice> place(TaskReport& report);

  /// Places the system for plan() alone, where GPUs are asked for also without one. Returns the
  /// bytes free on this rank's GPU.
  std::optional<std::int64_t> place_for_plan();

  /// Plans the memory of the method that is chosen, where this process held `resident` bytes before
  /// it read anything, and `gpu_available` are free on this rank's GPU: `plan` is set to this
  /// rank's. If `auto` would eliminate and that does not fit, a Krylov method that suits the matrix
  /// takes its place, if it fits, and note() says so. Where nothing fits, the remedy names a sparse
  /// method, then a Krylov method, then other ways, as far as they fit; `late_analysis` is asked
  /// for the facts that they need.
  MemoryCheck plan(std::int64_t resident, std::optional<std::int64_t> gpu_available,
                   MemoryPlan& plan, const LateAnalysis& late_analysis);

  /// The rows of the solver table that would do, in lines of text, where `check` is of plan().
  std::string alternatives(std::int64_t resident, const MemoryCheck& check) const;

  const SolverQuestion& question() const { return question_; }
  const SolverRow& row() const { return choose_solver(question_); }
  const std::string& note() const { return note_; }  ///< of plan(), or ""

  /// A function that looks once more, before a matrix is eliminated in double where float, or an
  /// iteration, did not do, whether that fits.
  BeforeDouble check_in_double() const;

 private:
  /// Whether a rank sees a GPU. Looks for them. Collective.
  bool has_gpu() const;

  /// Whether hosts are predicted to be done before the driver of GPUs and their libraries are
  /// there, so that none is to be looked for.
  bool is_done_before_gpus_start() const;

  /// Whether GPUs solve; why not, `report` notes.
  bool takes_gpus(TaskReport& report) const;

  const Config& config_;
  const SystemShape shape_;
  Team& team_;
  const Gpus& gpus_;
  SolverQuestion question_;
  std::string note_;
};

}  // namespace spsolve::choice
