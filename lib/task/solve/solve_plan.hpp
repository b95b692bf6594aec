#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "config/config.hpp"
#include "plan/memory_plan.hpp"
#include "report/report.hpp"
#include "system/solver_table.hpp"
#include "task/gpus.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

/// A square matrix, and the right-hand sides that come with it.
struct SystemShape {
  MatrixShape matrix;
  Index right_hand_sides = 1;
  Index null_vectors = 0;                         ///< of a null space that is named
  int threads = 1;                                ///< of rank 0
  std::optional<ReadingTogether> reads_together;  ///< how, where rank 0 does not deal out
};

/// The question of `config` to the solver table, for a shape that is known: on GPUs where `gpu`
/// says how many bytes dense rows take there.
SolverQuestion question_for(const Config& config, const SystemShape& shape, int ranks,
                            const GpuDenseBytes& gpu, PatternAnalysis pattern_analysis = {});

/// The memory where a system is eliminated for certain, or else that of hosts.
MemoryKind memory_asked_for(const Config& config);

/// The analysis of the pattern of rank 0's `whole` for sparse elimination, where `config` leaves
/// room for it. Collective.
PatternAnalysis analyse_pattern_for(const Config& config, Team& team, const Csr<double>& whole,
                                    const AnalysisCache& cache = {});

/// Whether `config` leaves room for sparse elimination, so that the matrix is to be read before
/// anything is decided.
bool may_be_sparse(const Config& config);

/// Whether a system that was analysed is eliminated on hosts though there are GPUs, of which `gpu`
/// says how many bytes dense rows take there: where device=auto leaves the choice, and that is
/// predicted to be sooner done.
bool stays_on_hosts(const Config& config, const SystemShape& shape,
                    const PatternAnalysis& pattern_analysis, int ranks, const GpuDenseBytes& gpu);

/// The device of an elimination, a host or GPUs. Notes the device in `report`. Collective.
std::unique_ptr<ComputeDevice> place_system(const Config& config, const SystemShape& shape,
                                            const PatternAnalysis& pattern_analysis, Team& team,
                                            const Gpus& gpus, TaskReport& report);

/// The parts of a system whose rows are rotated once they are read (matrix.rotate_rows).
struct Rotated {
  bool matrix = false, right_hand_sides = false;
};
Rotated rotated_by(const Config& config);

/// The remedy that does without rank 0 reading the whole matrix: an iteration whose ranks read
/// their rows.
Remedy iterated_in_bands(const Config& config, const SystemShape& shape, std::int64_t resident);

/// The analysis of the pattern, for a system that was not analysed as it is to be made dense;
/// nothing where rank 0 cannot read it. Collective.
using LateAnalysis = std::function<PatternAnalysis()>;

/// plan_solve() for such a question, where this process held `resident` bytes before it read
/// anything, and `gpu_available` are free on this rank's GPU. Where it does not fit, the remedy
/// names a sparse method, then a Krylov method, then other ways, as far as they fit;
/// `late_analysis` is asked for the facts that they need. Collective.
MemoryCheck plan_question(const SolverQuestion& question, Rotated rotated, std::int64_t resident,
                          Team& team, MemoryPlan& plan, std::optional<std::int64_t> gpu_available,
                          const LateAnalysis& late_analysis = {});

/// plan_question(); but if `auto` would eliminate and that does not fit, the check of the Krylov
/// method that suits the matrix, if that fits: the question then asks for it, and `note` says so.
/// Collective.
MemoryCheck plan_what_fits(SolverQuestion& question, Rotated rotated, std::int64_t resident,
                           Team& team, MemoryPlan& plan, std::optional<std::int64_t> gpu_available,
                           std::string& note, const LateAnalysis& late_analysis = {});

/// A function that looks once more, before a matrix is eliminated in double where float did not do,
/// whether that fits. `team` and `gpus` must outlive it.
BeforeDouble check_in_double(const SolverQuestion& question, Team& team, const Gpus& gpus);

}  // namespace spsolve::task
