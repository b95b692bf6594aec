#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <vector>

#include "config/config.hpp"
#include "io/dense_source.hpp"
#include "io/matrix_source.hpp"
#include "matrix/csr.hpp"
#include "plan/memory_plan.hpp"
#include "process/phase_times.hpp"
#include "report/report.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

// How every task begins.

/// Notes in `report` what is known before a task has begun.
void begin_report(const Config& config, const Team& team, const Versions& versions,
                  TaskReport& report);

/// The files that the task writes, "" for none.
std::vector<std::filesystem::path> result_files(const Config& config);

/// Sets this rank's threads: starts them once, as OpenMP would end the process where the system
/// gives no more, and has the BLAS map their buffers where the process may not map what it likes.
/// Throws Error(resources) where it may not, or they cannot be started. If nobody says how many,
/// `most` at most. Collective.
int take_threads(const Config& config, Team& team, int most = std::numeric_limits<int>::max());

/// Throws Error(input) where results of so many columns, or complex ones, cannot be written to the
/// file that is named for them.
void check_result_columns(const std::filesystem::path& file, const DenseShape& result);

/// Sets this rank's threads and notes them in `report`.
void begin_task(const Config& config, Team& team, TaskReport& report);

/// Notes in `report` what this rank is planned to need.
void note_plan(const MemoryPlan& plan, TaskReport& report);

/// note_plan(). Throws on every rank, with the plan and what to do, where `check`
/// found that the task does not fit into memory.
void refuse_what_does_not_fit(const MemoryPlan& plan, const MemoryCheck& check, TaskReport& report);

/// The matrix that `config` names, or its real form, its rows rotated as asked. That of a complex
/// symmetric one is made symmetric for a system, unless a Krylov method is named: it has
/// eigenvalues of both signs.
LoadedMatrix load_rotated(const Config& config);

/// Phase "read": the matrix that `config` names, its rows rotated as asked, on rank 0; an empty one
/// elsewhere; of a complex one the real form. `read_more`, on rank 0, reads what belongs to it. Its
/// size goes into `report` on every rank. Throws the same Error on every rank. Collective.
LoadedMatrix read_matrix(const Config& config, Team& team, PhaseTimes& times, TaskReport& report,
                         const std::function<void(const Csr<double>&)>& read_more);

}  // namespace spsolve::task
