#include "task/begin.hpp"

#include <algorithm>
#include <filesystem>

#include <omp.h>

#include "config/schema.hpp"
#include "core/blas/blas.hpp"
#include "io/dense_source.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/special_file.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
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

void check_result_columns(const std::filesystem::path& file, Index columns) {
  if (file.empty()) return;
  if (const std::string problem = array_file_problem(file, columns); !problem.empty()) {
    throw Error(ExitCode::input, problem);
  }
}

int take_threads(const Config& config, Team& team) {
  const int threads =
      choose_threads(config.threads, team.ranks_on_host(), config.device == DeviceChoice::cuda);
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
  report.threads = take_threads(config, team);
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

Csr<double> load_rotated(const Config::Matrix& config) {
  Csr<double> matrix = load_matrix(config.name());
  return config.rotate_rows == 0 ? std::move(matrix) : rotate_rows(matrix, config.rotate_rows);
}

Csr<double> read_matrix(const Config& config, Team& team, PhaseTimes& times, TaskReport& report,
                        const std::function<void(const Csr<double>&)>& read_more) {
  Csr<double> matrix = times.measure("read", [&] {
    return together(team, [&] {
      Csr<double> whole;
      if (team.rank() != 0) return whole;
      whole = load_rotated(config.matrix);
      if (!config.output.html.empty()) report.patterns.matrix = pattern_of(whole);
      read_more(whole);
      return whole;
    });
  });
  report.rows = broadcast_value(team, matrix.rows, 0);
  report.columns = broadcast_value(team, matrix.columns, 0);
  report.nonzeros = broadcast_value(team, matrix.nonzeros(), 0);
  report.has_sizes = true;
  return matrix;
}

}  // namespace spsolve::task
