#include "api/planned_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <omp.h>

#include "api/gpus.hpp"
#include "api/matrix_of_arrays.hpp"
#include "choice/gpu_memory.hpp"
#include "config/schema.hpp"
#include "core/plain_text.hpp"
#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "krylov/null_space.hpp"
#include "matrix/real_form.hpp"
#include "plan/blas_threads.hpp"
#include "process/system.hpp"

namespace spsolve {

SolvingTeam::SolvingTeam(const Matrix& a, const Options& options, Ranks of)
    : ranks(std::move(of)),
      gpus(find_gpus(options.device)),
      order(broadcast_value(ranks.team(), a.rows(), 0)),
      parts(broadcast_value(ranks.team(), a.is_complex() ? complex_parts : Index{1}, 0)),
      conjugates(broadcast_value(ranks.team(), a.conjugates(), 0)) {
  config.solve = options;
  config.device = options.device;
  config.share_gpus = options.share_gpus;
  require_ranks_of(a, ranks);
  // Rows that are handed over stay where they are.
  if (a.bands() == nullptr &&
      solves_alone(config, ranks.team(), gpus, [this] { return parts * order; })) {
    alone = std::make_unique<SoloTeam>();
  }
  if (all_sum(ranks.team(), options.on_step ? 1 : 0) > 0) {
    watch = std::make_shared<UsersWatch>(options.on_step, alone != nullptr ? Ranks() : ranks);
  }
}

void SolvingTeam::share(SetUpReport& report) {
  if (alone == nullptr) return;
  for (std::string* word : {&report.method, &report.pivoting, &report.device, &report.ordering,
                            &report.preconditioner}) {
    share(*word);
  }
  share(report.equilibrated);
  for (double* size :
       {&report.pivot_growth, &report.smallest_pivot, &report.largest_pivot, &report.seconds}) {
    share(*size);
  }
  share(report.factor_entries);
  share(report.flops);
  share(report.perturbed_pivots);
  share(report.negative_pivots);
  share(report.notes);
}

void SolvingTeam::share(std::optional<Inertia>& inertia) {
  if (alone == nullptr) return;
  bool told = inertia.has_value();
  share(told);
  if (!told) return;
  if (!inertia) inertia.emplace();
  share(inertia->certainty);
  for (Index* count : {&inertia->positive, &inertia->negative, &inertia->zero}) share(*count);
  auto rows = static_cast<Index>(inertia->rows.size());
  share(rows);
  inertia->rows.resize(rows);
  broadcast(ranks.team(), std::span(inertia->rows), 0);
  share(inertia->doubt);
}

void SolvingTeam::share(SolverPlan& plan) {
  if (alone == nullptr) return;
  for (std::string* word : {&plan.method, &plan.device, &plan.ordering, &plan.remedy, &plan.text}) {
    share(*word);
  }
  share(plan.factor_entries);
  for (double* number : {&plan.flops, &plan.seconds}) share(*number);
  share(plan.fits);
}

void SolvingTeam::share(Solution& solution) {
  if (alone == nullptr) return;
  share(solution.solved);
  share(solution.sweeps);
  share(solution.steps);
  share(solution.seconds);
  auto history = static_cast<Index>(solution.history.size());
  share(history);
  solution.history.resize(history);
  broadcast(ranks.team(), std::span(solution.history), 0);
  for (double* error : {&solution.backward_error, &solution.componentwise_error,
                        &solution.forward_error_bound, &solution.forward_error_estimate}) {
    share(*error);
  }
  for (auto* condition : {&solution.condition, &solution.componentwise_condition}) {
    share(*condition);
  }
  share(solution.notes);
}

namespace {

void require_positive(std::string_view name, Index number) {
  if (number < 1) fail(ExitCode::input, "{} must be 1 at least, not {}", name, number);
}

/// Refuses numbers, other than defaults, that a configuration could not have.
void require_in_range(const Config& config) {
  const Config defaults;
  for (const Option& option : options()) {
    if (option.type != OptionType::integer && option.type != OptionType::number) continue;
    const std::string text = option.get(config);
    if (text == option.get(defaults)) continue;
    const std::string problem = option_problem(option, text);
    if (!problem.empty()) throw Error(ExitCode::input, problem);
  }
}

}  // namespace

PlannedSystem::PlannedSystem(const Matrix& a, const Options& options, SolvingTeam& by)
    : gpus(by.gpus), config(by.config) {
  Team& team = by.team();
  together(team, [&] {
    require_whole_name("Options::coordinates", options.coordinates);
    require_whole_name("Options::initial_guess", options.initial_guess);
    require_whole_name("Options::ordering_file", options.ordering_file);
    require_whole_name("Options::analysis_file", options.analysis_file);
    require_whole_name("Options::factors_folder", options.factors_folder);
    require_in_range(config);
    require_positive("Options::right_hand_sides", options.right_hand_sides);
    require_positive("Options::systems", options.systems);
    require_threads(omp_get_max_threads());
    set_blas_threads(omp_get_max_threads());
  });
  shape.matrix.parts = by.parts;
  find_shape(a, options, team);
  find_nodes(a, options, team);
  choice.emplace(config, shape, team, gpus);
  if (a.bands() != nullptr) choice->take_bands(a.bands()->rows);
  Progress analysing("analysing", 0, Progress::Show::off);
  analysing.watch_by(by.watch);
  analysing.done_by_all(0, 0, 0);
  choice->analyse(a.bands() != nullptr ? gathered(a, team) : a.csr(), coordinates.dimensions > 0,
                  {}, &analysing);
  note(choice->question().pattern_analysis.note);
  memory = choice->place(noted);
  check = choice->plan(resident_memory(), on_gpu() ? free_gpu_memory(gpus) : std::nullopt, plan,
                       [&] { return analysis_for_remedies(a, team); });
  note(choice->note());
}

void PlannedSystem::find_shape(const Matrix& a, const Options& options, Team& team) {
  const Index parts = shape.matrix.parts;
  const std::array<Index, 5> mine{parts * a.rows(), parts * a.columns(),
                                  parts * parts * a.nonzeros(), options.right_hand_sides,
                                  options.systems};
  const auto [rows, columns, nonzeros, right_hand_sides, systems] = broadcast_value(team, mine, 0);
  if (rows != columns) {
    fail_everywhere(
        ExitCode::input,
        "the matrix is {} x {}; a Solver needs a square one (least squares: A^T A x = A^T b "
        "is square)",
        rows / shape.matrix.parts, columns / shape.matrix.parts);
  }
  if (const std::string_view key = real_only_key(options); shape.matrix.is_complex()) {
    const bool has_arrays = options.node_coordinates.columns > 0 || options.first_guess.columns > 0;
    if (!key.empty() || has_arrays) {
      fail_everywhere(ExitCode::input,
                      "{} for real systems, and the matrix is complex; leave it out, or solve the "
                      "real form",
                      has_arrays ? "coordinates and first guesses are" : fmt::format("{} is", key));
    }
  }
  shape.matrix.rows = shape.matrix.columns = rows;
  shape.matrix.nonzeros = nonzeros;
  shape.right_hand_sides = right_hand_sides;
  shape.is_solved_once = right_hand_sides == 1 && systems == 1;
  shape.systems = systems;
  const Index vectors = together(team, [&, order = shape.matrix.rows] {
    return team.rank() == 0 ? null_vectors(options, order) : Index{0};
  });
  shape.null_vectors = broadcast_value(team, vectors, 0);
  shape.threads = broadcast_value(team, omp_get_max_threads(), 0);
  if (a.bands() != nullptr && !may_be_sparse(config, shape.matrix)) {
    shape.reads_together = ReadingTogether{};
  }
}

MemoryCheck PlannedSystem::check_gathering(Team& team, MemoryPlan& mine) const {
  const PlanFor plans = [&](int rank, int) {
    MemoryPlan gathers;
    plan_gathering(gathers, shape.matrix, rank);
    plan_pattern_analysis(gathers, shape.matrix, rank);
    gathers.resident = resident_memory();
    return gathers;
  };
  mine = plans(team.rank(), team.size());
  return check_memory(team, mine, plans, {iterated_by_own_rows(config, shape, resident_memory())});
}

Csr<double> PlannedSystem::gathered(const Matrix& a, Team& team) const {
  if (!may_be_sparse(config, shape.matrix)) return {};
  MemoryPlan mine;
  const MemoryCheck fits = check_gathering(team, mine);
  if (!fits.fits) {
    fail_everywhere(ExitCode::resources,
                    "rank 0 has no memory for all rows of this matrix, which its analysis for "
                    "sparse elimination takes; {}\n{}",
                    fits.remedy, to_text(mine, fits));
  }
  const RowLayout& bands = a.bands()->rows;
  return redistribute_rows(team, bands, a.csr(), RowLayout::on_first_rank(bands.rows, bands.ranks));
}

PatternAnalysis PlannedSystem::analysis_for_remedies(const Matrix& a, Team& team) const {
  if (a.bands() == nullptr) return analyse_for_remedies(config, team, a.csr());
  MemoryPlan untold;
  if (!check_gathering(team, untold).fits) return {};
  const RowLayout& bands = a.bands()->rows;
  return analyse_for_remedies(
      config, team,
      redistribute_rows(team, bands, a.csr(), RowLayout::on_first_rank(bands.rows, bands.ranks)));
}

void PlannedSystem::find_nodes(const Matrix& a, const Options& options, Team& team) {
  const auto& given = options.node_coordinates;
  const Index rows = shape.matrix.rows;
  const Index dimensions = together(team, [&] {
    if (team.rank() != 0 || given.columns == 0) return Index{0};
    require_coordinates("Options::node_coordinates", given.rows, given.columns, rows);
    if (!std::ranges::all_of(given.values, [](double x) { return std::isfinite(x); })) {
      fail(ExitCode::input, "Options::node_coordinates: a number is not finite");
    }
    return given.columns;
  });
  coordinates.dimensions = broadcast_value(team, dimensions, 0);
  if (coordinates.dimensions > 0) {
    places = &given;
  } else {
    coordinates = find_coordinates(team, options.coordinates, a.generator(), rows);
  }
}

std::unique_ptr<SystemMatrix> PlannedSystem::deal_out(const Matrix& a, Team& team) const {
  const bool takes = is_krylov(choice->row().method) && coordinates.dimensions > 0;
  const Index d = takes ? coordinates.dimensions : shape.matrix.parts;
  RowLayout bands = bands_of_nodes(shape.matrix.rows, team.size(), d);
  if (a.bands() != nullptr) {
    bands = a.bands()->rows;
    for (int rank = 1; takes && rank < team.size(); ++rank) {
      if (const Index row = bands.band(rank).first; row % d != 0) {
        fail_everywhere(ExitCode::input,
                        "the rows of rank {} begin with row {}, counted from 0, in the middle of a "
                        "node of {} unknowns: with coordinates ranks have whole nodes",
                        rank, row, d);
      }
    }
  }
  auto matrix =
      std::make_unique<SystemMatrix>(team, bands, rows_in_bands(a, team, bands), memory->vectors());
  if (!takes) return matrix;
  if (places == nullptr) {
    read_coordinates(coordinates, *matrix);
  } else {
    matrix->set_coordinates(scatter_rows(team, layout_of_nodes(bands, d), *places));
  }
  return matrix;
}

}  // namespace spsolve
