#include "task/solve.hpp"

#include <algorithm>
#include <memory>

#include <omp.h>

#include "config/schema.hpp"
#include "core/system.hpp"
#include "distribute/scatter.hpp"
#include "eliminate/columnwise.hpp"
#include "eliminate/host_band.hpp"
#include "io/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "task/right_hand_side.hpp"

namespace spsolve {

namespace {

/// Backward errors above these say that x does not solve the system; see ExitCode.
double largest_trusted_error(Precision precision) {
  return precision == Precision::float32 ? 1e-5 : 1e-10;
}

void check_device(DeviceChoice wanted) {
  if (wanted != DeviceChoice::cuda) return;
  fail_everywhere(ExitCode::resources,
                  "device=cuda, but elimination has no GPU part in this version; use device=host "
                  "or device=auto");
}

Method choose_method(Method wanted) {
  return wanted == Method::automatic ? Method::gauss : wanted;
}

double elimination_flops(Index order) {
  const auto n = static_cast<double>(order);
  return 2.0 / 3.0 * n * n * n;
}

Progress::Show show_progress(const Team& team, ProgressChoice wanted) {
  if (team.rank() != 0 || wanted == ProgressChoice::off) return Progress::Show::off;
  return show_for(stderr);
}

MatrixShape square_shape(const Config& config) {
  MatrixShape shape = describe_matrix(config.matrix.name());
  if (shape.rows != shape.columns) {
    fail(ExitCode::input, "{}: the matrix is {} x {}; task: solve needs a square one",
         config.matrix.name(), shape.rows, shape.columns);
  }
  return shape;
}

/// What elimination and refinement leave for the report.
struct Outcome {
  Elimination elimination;
  Refinement refinement;
};

/// Eliminates in T, solves and refines in double.
template <typename T>
Outcome eliminate_and_solve(const Config& config, Team& team, const RowBands& bands,
                            const Csr<double>& rows, const Dense<double>& b, PhaseTimes& times,
                            Dense<double>& x) {
  Outcome outcome;
  const auto band = times.measure("eliminate", [&] {
    auto dense = together(
        team, [&] { return std::make_unique<HostBand<T>>(rows, bands.band(team.rank()).first); });
    Progress progress("eliminating", elimination_flops(bands.rows),
                      show_progress(team, config.output.progress));
    outcome.elimination = eliminate_columnwise<T>(
        team, bands, *dense, choose_method(config.solve.method), config.solve.pivoting, progress);
    return dense;
  });
  const auto solve_in_place = [&](Dense<double>& y) {
    if constexpr (std::is_same_v<T, double>) {
      solve(team, bands, *band, outcome.elimination, y);
    } else {
      Dense<T> reduced(y.rows, y.columns);
      std::copy(y.values.begin(), y.values.end(), reduced.values.begin());
      solve(team, bands, *band, outcome.elimination, reduced);
      std::copy(reduced.values.begin(), reduced.values.end(), y.values.begin());
    }
  };
  times.measure("gather", [&] {
    x = b;
    solve_in_place(x);
  });
  outcome.refinement = times.measure("check", [&] {
    return refine(team, bands, rows, b, solve_in_place, config.solve.refinement, x);
  });
  return outcome;
}

/// What a reader of the report should know before using x.
std::vector<std::string> warnings(const SolveReport& report, Precision precision) {
  std::vector<std::string> words;
  if (report.status != "solved") {
    words.push_back(
        fmt::format("the backward error is above {:.0e}: x does not solve this system; try "
                    "solve.pivoting=complete, more solve.refinement{}",
                    largest_trusted_error(precision),
                    precision == Precision::float32 ? ", or solve.precision=double" : ""));
  }
  const double roundoff = precision == Precision::float32 ? 0x1p-24 : unit_roundoff;
  if (report.rows > 0 &&
      report.smallest_pivot <= static_cast<double>(report.rows) * roundoff * report.largest_pivot) {
    words.push_back(fmt::format(
        "pivots range over {:.0e}: the matrix is badly scaled, or singular to working precision; "
        "x may have few correct digits although its backward error is small",
        report.largest_pivot / report.smallest_pivot));
  }
  if (report.pivot_growth > 1e6) {
    words.push_back(
        fmt::format("entries grew by {:.0e} during elimination; "
                    "solve.pivoting=complete grows least",
                    report.pivot_growth));
  }
  return words;
}

}  // namespace

MemoryCheck plan_solve(const Config& config, Team& team, MemoryPlan& plan) {
  MatrixShape shape{};
  together(team, [&] {
    if (team.rank() == 0) shape = square_shape(config);
  });
  shape = broadcast_value(team, shape, 0);
  plan = plan_elimination(shape, RowBands{shape.rows, team.size()}, team.rank(),
                          config.solve.precision, config.right_hand_side.columns);
  return check_memory(team, plan, config.solve.precision);
}

SolveReport run_solve(const Config& config, Team& team, const nlohmann::ordered_json& versions) {
  check_device(config.device);
  const Timer total;
  PhaseTimes times;
  SolveReport report;
  report.threads = choose_threads(config.threads, team.ranks_on_host());
  omp_set_num_threads(report.threads);

  MemoryPlan plan;
  if (const MemoryCheck check = plan_solve(config, team, plan); !check.fits) {
    fail_everywhere(ExitCode::resources, "this task does not fit into memory; {}\n{}", check.remedy,
                    to_text(plan, check));
  }

  // file.mtx -> Coo -> Csr, on rank 0
  Dense<double> b;
  Csr<double> whole = times.measure("read", [&] {
    return together(team, [&] {
      Csr<double> matrix;
      if (team.rank() != 0) return matrix;
      matrix = load_matrix(config.matrix.name());
      if (config.matrix.rotate_rows != 0) matrix = rotate_rows(matrix, config.matrix.rotate_rows);
      b = right_hand_side(config.right_hand_side, matrix);
      return matrix;
    });
  });
  report.rows = broadcast_value(team, whole.rows, 0);
  report.columns = report.rows;
  report.nonzeros = broadcast_value(team, whole.nonzeros(), 0);

  // -> a band of rows per rank; right-hand sides whole on every rank
  const RowBands bands{report.rows, team.size()};
  const Csr<double> rows = times.measure("scatter", [&] {
    share_multivector(team, b);
    return scatter_rows(team, bands, std::move(whole));
  });

  // -> dense band -> pivots, updates -> x -> refined against the sparse A
  Dense<double> x;
  const Outcome outcome = config.solve.precision == Precision::float32
                              ? eliminate_and_solve<float>(config, team, bands, rows, b, times, x)
                              : eliminate_and_solve<double>(config, team, bands, rows, b, times, x);

  times.measure("write", [&] {
    together(team, [&] {
      if (team.rank() != 0 || config.output.solution.empty()) return;
      write_matrix_market(config.output.solution, x,
                          fmt::format("solution x of A x = b, A = {}", config.matrix.name()));
    });
  });
  times.add("total", total.seconds());

  report.refinement = outcome.refinement;
  const double error = outcome.refinement.after.backward_error;
  report.status =
      error <= largest_trusted_error(config.solve.precision) ? "solved" : "not trustworthy";
  report.matrix = config.matrix.name();
  report.right_hand_sides = b.columns;
  report.method = name(choose_method(config.solve.method));
  report.pivoting = name(config.solve.pivoting);
  report.precision = name(config.solve.precision);
  report.device = "host";
  report.pivot_growth = outcome.elimination.growth;
  report.smallest_pivot = outcome.elimination.smallest_pivot;
  report.largest_pivot = outcome.elimination.largest_pivot;
  report.add_run(team, times);
  report.gflops = elimination_flops(report.rows) / report.longest("eliminate") / 1e9;
  if (solution_is_ones(config.right_hand_side)) {
    double sum = 0;
    for (const double value : x.values) sum += (value - 1) * (value - 1);
    report.l2_error = sum;
  }
  report.notes = warnings(report, config.solve.precision);
  report.versions = versions;
  report.configuration = to_json(config);
  return report;
}

}  // namespace spsolve
