#include "task/begin.hpp"

#include <algorithm>
#include <filesystem>

#include <omp.h>

#include "config/schema.hpp"
#include "core/blas/blas.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/special_file.hpp"
#include "matrix/convert.hpp"
#include "matrix/real_form.hpp"
#include "plan/blas_threads.hpp"
#include "process/log.hpp"
#include "process/system.hpp"

namespace spsolve::inline task {

std::vector<std::filesystem::path> result_files(const Config& config) {
  const bool solves = config.task == Task::solve;
  return {solves ? config.output.solution : config.output.product, config.output.report,
          config.output.html, solves ? config.checkpoint.systems : ""};
}

void begin_report(const Config& config, const Team& team, const Versions& versions,
                  TaskReport& report) {
  report.matrix = config.matrix.name();
  const bool solves = config.task == Task::solve;
  report.precision = name(solves ? config.solve.precision : config.multiply.precision);
  report.ranks = team.size();
  report.versions = versions;
  for (const auto& file : {solves ? config.output.solution : config.output.product,
                           config.output.report, config.output.html}) {
    if (!file.empty()) report.files.push_back(file.string());
  }
  report.configuration = config;
}

void check_result_columns(const std::filesystem::path& file, const DenseShape& result) {
  if (file.empty()) return;
  if (const std::string problem = array_file_problem(file, result); !problem.empty()) {
    throw Error(ExitCode::input, problem);
  }
}

int take_threads(const Config& config, Team& team, int most) {
  const int threads = choose_threads(config.threads, team.ranks_on_host(),
                                     config.device == DeviceChoice::cuda, most);
  together(team, [&] { require_threads(threads); });
  omp_set_num_threads(threads);
  together(team, [&] { set_blas_threads(threads); });
  return threads;
}

void begin_task(const Config& config, Team& team, TaskReport& report) {
  together(team, [&] {
    // Better before the work than after it.
    if (team.rank() == 0) std::ranges::for_each(result_files(config), io::require_folder_of);
  });
  report.blas = blas::library();
  log_detail("BLAS: " + report.blas);
}

void note_plan(const MemoryPlan& plan, TaskReport& report) {
  report.planned_memory = plan.resident + plan.peak();
  report.gpu_memory.planned = plan.gpu_peak();
}

void refuse_what_does_not_fit(const MemoryPlan& plan, const MemoryCheck& check,
                              TaskReport& report) {
  note_plan(plan, report);
  if (check.fits) return;
  fail_everywhere(ExitCode::resources, "{}: this task does not fit into memory; {}\n{}",
                  report.matrix, check.remedy, to_text(plan, check));
}

LoadedMatrix load_rotated(const Config& config) {
  LoadedMatrix matrix = load_real_form(config.matrix.name());
  if (const Index by = matrix.parts * config.matrix.rotate_rows; by != 0) {
    matrix.rows = rotate_rows(matrix.rows, by);
  }
  if (matrix.parts > 1 && config.task == Task::solve) {
    matrix.symmetry = complex_symmetry_of(matrix.rows);
    matrix.conjugates = matrix.symmetry.wants_conjugate_rows() && !is_krylov(config.solve.method);
    if (matrix.conjugates) conjugate_rows(matrix.rows);
  }
  return matrix;
}

LoadedMatrix read_matrix(const Config& config, Team& team, PhaseTimes& times, TaskReport& report,
                         const std::function<void(const Csr<double>&)>& read_more) {
  LoadedMatrix matrix = times.measure("read", [&] {
    return together(team, [&] {
      LoadedMatrix whole;
      if (team.rank() != 0) return whole;
      whole = load_rotated(config);
      if (whole.parts > 1 && config.task == Task::solve) report.kind = whole.symmetry.word();
      if (!config.output.html.empty()) {
        report.patterns.matrix = pattern_of(whole.parts == 1 ? whole.rows : parts_of(whole.rows).s);
      }
      read_more(whole.rows);
      return whole;
    });
  });
  const Csr<double>& rows = matrix.rows;
  report.note_sizes(broadcast_value(team,
                                    MatrixShape{.rows = rows.rows,
                                                .columns = rows.columns,
                                                .nonzeros = rows.nonzeros(),
                                                .parts = matrix.parts},
                                    0));
  report.kind = broadcast_text(team, report.kind, 0);
  matrix.parts = broadcast_value(team, matrix.parts, 0);
  matrix.conjugates = broadcast_value(team, matrix.conjugates, 0);
  return matrix;
}

}  // namespace spsolve::task
