#include "task/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "checkpoint/checkpoints.hpp"
#include "config/schema.hpp"
#include "core/signals.hpp"
#include "core/system.hpp"
#include "distribute/scatter.hpp"
#include "eliminate/condition.hpp"
#include "eliminate/eliminate.hpp"
#include "eliminate/equilibrate.hpp"
#include "eliminate/mixed.hpp"
#include "eliminate/problem.hpp"
#include "io/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "task/backend.hpp"
#include "task/begin.hpp"
#include "task/gpu_memory.hpp"
#include "task/right_hand_side.hpp"
#include "task/solve_plan.hpp"

namespace spsolve {

namespace {

/// Backward errors above these say that x does not solve the system; see ExitCode.
double largest_trusted_error(Precision precision) {
  return precision == Precision::float32 ? 1e-5 : 1e-12;
}

double elimination_flops(Index order) {
  const auto n = static_cast<double>(order);
  return 2.0 / 3.0 * n * n * n;
}

/// Those of this run, where another one began.
double flops_here(const SolveReport& report) {
  const double flops = elimination_flops(report.rows);
  if (!report.checkpoint || !report.checkpoint->resumed_step) return flops;
  const double left = static_cast<double>(report.rows - *report.checkpoint->resumed_step) /
                      static_cast<double>(report.rows);
  return flops * left * left * left;
}

/// The time that checkpoints took, as phases of their own, and what is to be said of them.
void tell_apart(const Checkpoints& checkpoints, PhaseTimes& times, SolveReport& report) {
  const CheckpointStatistics& statistics = checkpoints.statistics();
  times.add("eliminate", -statistics.seconds - statistics.resume_seconds);
  times.add("resume", statistics.resume_seconds);
  times.add("checkpoint", statistics.seconds);
  report.notes.insert(report.notes.end(), statistics.notes.begin(), statistics.notes.end());
  report.checkpoint = statistics;
}

Progress::Show show_progress(const Team& team, AutoSwitch wanted) {
  if (team.rank() != 0 || wanted == AutoSwitch::off) return Progress::Show::off;
  return show_for(stderr);
}

MatrixShape square_shape(const Config& config) {
  MatrixShape shape = describe_matrix(config.matrix.name());
  if (shape.rows != shape.columns) {
    fail(ExitCode::input, "{}: the matrix is {} x {}; task: solve needs a square one",
         config.matrix.name(), shape.rows, shape.columns);
  }
  constexpr Index most_rows = Index{1} << 29;  // the bytes of all elements stay below 2^63
  if (shape.rows > most_rows) {
    fail(ExitCode::resources,
         "{}: the matrix has {} rows, and task: solve, which makes it dense, handles at most {}",
         config.matrix.name(), shape.rows, most_rows);
  }
  return shape;
}

/// The shape of the system, on every rank.
SystemShape shape_for_all(const Config& config, Team& team) {
  SystemShape shape{};
  together(team, [&] {
    if (team.rank() != 0) return;
    shape = {square_shape(config), columns_of_b(config.right_hand_side)};
  });
  return broadcast_value(team, shape, 0);
}

/// Phase "condition": condition numbers, where they are wanted and the factors are fit for it.
void estimate_trust(const Config& config, Team& team, const RowBands& bands,
                    const Csr<double>& rows, const Dense<double>& b, const Dense<double>& x,
                    const Eliminated& eliminated, PhaseTimes& times, SolveReport& report) {
  // Factors that are worse than this say nothing about A.
  constexpr double largest_error = 1e-3;
  const double error = report.refinement.before.backward_error;
  if (!config.solve.condition) return;
  if (!eliminated.solve_transposed) {
    report.notes.push_back("no condition estimate: this elimination cannot solve with A^T");
  } else if (error > largest_error) {
    report.notes.push_back(
        fmt::format("no condition estimate: the factors are too inaccurate for it (backward error "
                    "{:.1e} before refinement)",
                    error));
  } else {
    report.condition = times.measure("condition", [&] {
      return estimate_condition(team, bands, rows, b, x, eliminated.solve,
                                eliminated.solve_transposed);
    });
    report.condition->by_float = config.solve.precision == Precision::float32 ||
                                 (eliminated.mixed && !eliminated.mixed->fell_back);
    // Where A may as well be singular, steps that shrink prove nothing.
    if (report.condition->singular_to_working_precision() ||
        report.condition->beyond_the_factors()) {
      report.refinement.forward_error = std::numeric_limits<double>::infinity();
    }
  }
}

/// What the condition means for x; nothing where few digits are at stake.
std::string condition_warning(const Condition& condition) {
  constexpr double noteworthy = 1e8;  // half of the digits of double
  constexpr int digits = 16;
  const double componentwise = condition.componentwise;
  if (condition.beyond_the_factors()) {
    return fmt::format(
        "the system is ill-conditioned (condition number {:.0e} by components or more, which "
        "factors "
        "in float can't tell from that of a singular matrix): x has a small residual, but its "
        "digits "
        "are not certain; solve.precision=double tells how many are",
        componentwise);
  }
  if (componentwise < noteworthy) return {};
  if (condition.singular_to_working_precision()) {
    return fmt::format(
        "the matrix is singular to working precision (condition number about {:.0e} by "
        "components): changes of A and b in their last digit change the first digit of x; x has a "
        "small residual, but none of its digits is certain",
        componentwise);
  }
  const int lost = static_cast<int>(std::ceil(std::log10(componentwise)));
  return fmt::format(
      "the system is ill-conditioned (condition number about {:.0e} by components): changes of A "
      "and b in their last digit change x by up to {:.0e} of its norm, so that about {} of its {} "
      "digits are lost unless A and b are exact",
      componentwise, componentwise * unit_roundoff, std::min(lost, digits), digits);
}

/// What a reader of the report should know before using x.
std::vector<std::string> warnings(const SolveReport& report, Precision precision) {
  std::vector<std::string> words;
  if (report.status != "solved") {
    words.push_back(
        fmt::format("the backward error is above {:.0e}: x does not solve this system; try {}"
                    "solve.pivoting=complete{}",
                    largest_trusted_error(precision),
                    report.method == name(Method::gauss_jordan)
                        ? "solve.method=lu (gauss_jordan is less stable where U is "
                          "ill-conditioned) or "
                        : "",
                    precision == Precision::float32 ? ", or solve.precision=double" : ""));
  }
  const double roundoff = precision == Precision::float32 ? 0x1p-24 : unit_roundoff;
  if (report.condition) {
    if (std::string text = condition_warning(*report.condition); !text.empty()) {
      words.push_back(std::move(text));
    }
  } else if (report.rows > 0 && report.smallest_pivot <= static_cast<double>(report.rows) *
                                                             roundoff * report.largest_pivot) {
    words.push_back(fmt::format(
        "pivots range over {:.0e}: the matrix is badly scaled, or singular to working precision; "
        "x may have few correct digits although its backward error is small",
        report.largest_pivot / report.smallest_pivot));
  }
  if (report.pivot_growth > 1e6) {
    words.push_back(
        fmt::format("entries grew by {:.0e} during elimination; "
                    "solve.method=gauss with solve.pivoting=complete grows least",
                    report.pivot_growth));
  }
  return words;
}

/// plan_solve() with all ranks of the team.
MemoryCheck plan_over(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan) {
  const SystemShape shape = shape_for_all(config, team);
  TaskReport ignored;
  if (!wants_gpu_bands(config, shape.matrix.rows, team, gpus, ignored)) {
    return plan_shape(config, shape, team, plan, {}, {});
  }
  if (!gpus.band_bytes) fail_everywhere(ExitCode::resources, "device=cuda: {}", gpus.why_none);
  return plan_shape(config, shape, team, plan, gpus.band_bytes,
                    free_memory_of_own_gpu(config, team, gpus));
}

/// run_solve() with all ranks of the team.
void solve_over(const Config& config, Team& team, const Gpus& gpus, SolveReport& report) {
  const Timer total;
  const bool keeps = !config.checkpoint.directory.empty();
  std::optional<SignalRequests> requests;  // as long as the run: they never end it
  if (keeps)
    requests.emplace(std::initializer_list<int>{SIGUSR1}, std::initializer_list<int>{SIGUSR2});
  PhaseTimes times;
  begin_task(config, team, report);
  const SystemShape shape = shape_for_all(config, team);
  const std::unique_ptr<BandFactory> dense = times.measure(
      "device", [&] { return choose_bands(config, shape.matrix.rows, team, gpus, report); });
  report.transport = dense->transport();

  MemoryPlan plan;
  const bool on_gpu = dense->memory() == BandMemory::gpu;
  const GpuMemoryWatch on_its_gpu(gpus, on_gpu);
  const MemoryCheck memory = plan_shape(
      config, shape, team, plan, on_gpu ? gpus.band_bytes : GpuBandBytes{}, on_its_gpu.available());
  refuse_what_does_not_fit(plan, memory, report);

  // file.mtx -> Coo -> Csr, on rank 0
  Dense<double> b;
  Csr<double> whole = read_matrix(config, team, times, report, [&](const Csr<double>& matrix) {
    b = right_hand_side(config.right_hand_side, matrix);
  });

  // -> a band of rows per rank; right-hand sides whole on every rank
  const RowBands bands{report.rows, team.size()};
  const EliminationChoice choice = choice_for(config, report.rows, team.size(), dense->memory());
  const bool cyclic = deals_in_cycles(choice, team.size());
  Csr<double> dealt;  // the rows to eliminate, where they differ from the band
  const Csr<double> rows = times.measure("scatter", [&] {
    share_multivector(team, b);
    if (cyclic) {
      dealt = scatter_rows(team, cyclic_rows(choice, report.rows, team.size()), whole);
    }
    return scatter_rows(team, bands, std::move(whole));
  });

  // -> equilibrated dense band
  Equilibration scaling;
  std::optional<Checkpoints> checkpoints;
  PreparedElimination prepared = times.measure("prepare", [&] {
    scaling = equilibration_of(team, bands, rows, config.solve.equilibrate, config.solve.precision);
    report.equilibrated = scaling.scales();
    if (keeps) {
      checkpoints.emplace(team, config.checkpoint, problem_of(team, bands, rows, scaling, choice),
                          total);
    }
    if (scaling.scales()) {
      dealt = together(team, [&] {
        return scaled_rows(scaling, choice, team, cyclic ? std::move(dealt) : rows);
      });
    }
    return prepare_system(team, *dense, bands, rows, scaling,
                          cyclic || scaling.scales()
                              ? std::make_shared<const Csr<double>>(std::move(dealt))
                              : borrowed(rows),
                          choice, b, checkpoints ? &*checkpoints : nullptr,
                          check_in_double(config, shape, team, *dense, gpus));
  });

  // -> pivots, updates
  const Eliminated eliminated = times.measure("eliminate", [&] {
    Progress progress("eliminating", elimination_flops(report.rows),
                      show_progress(team, config.output.progress));
    std::optional<SignalRequests> end;
    if (keeps)
      end.emplace(std::initializer_list<int>{}, std::initializer_list<int>{SIGINT, SIGTERM});
    return undo_scaling(prepared(progress), std::move(scaling));
  });
  prepared = nullptr;
  if (checkpoints) tell_apart(*checkpoints, times, report);

  // -> x -> refined against the sparse A
  Dense<double> x;
  times.measure("gather", [&] {
    x = b;
    eliminated.solve(x);
  });
  report.refinement = times.measure("check", [&] {
    return refine(team, bands, rows, b, eliminated.solve, config.solve.refinement, x);
  });

  estimate_trust(config, team, bands, rows, b, x, eliminated, times, report);

  times.measure("write", [&] {
    together(team, [&] {
      if (team.rank() != 0 || config.output.solution.empty()) return;
      write_matrix_market(config.output.solution, x,
                          fmt::format("solution x of A x = b, A = {}", config.matrix.name()));
    });
  });
  const double error = report.refinement.after.backward_error;
  report.status =
      error <= largest_trusted_error(config.solve.precision) ? "solved" : "not trustworthy";
  if (checkpoints && report.status == "solved") checkpoints->remove();
  times.add("total", total.seconds());

  report.right_hand_sides = b.columns;
  report.method = name(choice.method);
  report.pivoting = name(choice.pivoting);
  report.mixed = eliminated.mixed;
  report.pivot_growth = eliminated.pivots.growth;
  report.smallest_pivot = eliminated.pivots.smallest_pivot;
  report.largest_pivot = eliminated.pivots.largest_pivot;
  on_its_gpu.note(report);
  report.add_run(team, times);
  report.gflops = flops_here(report) / report.longest("eliminate") / 1e9;
  if (report.checkpoint) {
    report.checkpoint_share = report.longest("checkpoint") / report.longest("total");
  }
  if (solution_is_ones(config.right_hand_side)) {
    double sum = 0;
    for (const double value : x.values) sum += (value - 1) * (value - 1);
    report.l2_error = sum;
  }
  report.notes.insert(report.notes.end(), eliminated.notes.begin(), eliminated.notes.end());
  if (choice.precision != config.solve.precision) {
    report.notes.push_back(
        fmt::format("eliminated in double: at order {} float factors would save no time on a GPU",
                    report.rows));
  }
  for (std::string& note : warnings(report, config.solve.precision)) {
    report.notes.push_back(std::move(note));
  }
}

/// Whether rank 0 solves alone: on GPUs, messages between them take longer than the whole
/// elimination of a small system on one.
bool solves_alone(const Config& config, Team& team, const Gpus& gpus) {
  constexpr Index least_order_for_all = 20000;
  if (team.size() == 1 || config.solve.ranks == SolvingRanks::all) return false;
  const Index order = shape_for_all(config, team).matrix.rows;
  TaskReport ignored;
  return order < least_order_for_all && wants_gpu_bands(config, order, team, gpus, ignored);
}

}  // namespace

MemoryCheck plan_solve(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan) {
  if (!solves_alone(config, team, gpus)) return plan_over(config, team, gpus, plan);
  MemoryCheck check = together(team, [&] {
    SoloTeam alone;
    return team.rank() == 0 ? plan_over(config, alone, gpus, plan) : MemoryCheck{};
  });
  check.fits = broadcast_value(team, check.fits, 0);
  return check;
}

void run_solve(const Config& config, Team& team, const nlohmann::ordered_json& versions,
               const Gpus& gpus, SolveReport& report) {
  begin_report(config, team, versions, report);
  if (!solves_alone(config, team, gpus)) return solve_over(config, team, gpus, report);
  together(team, [&] {
    SoloTeam alone;
    if (team.rank() == 0) solve_over(config, alone, gpus, report);
  });
  report.notes.push_back(
      fmt::format("rank 0 solved this system alone, while the other {} waited: one GPU is sooner "
                  "done with {} unknowns than several; solve.ranks=all takes all",
                  team.size() - 1, report.rows));
  report.status = broadcast_text(team, report.status, 0);
}

}  // namespace spsolve
