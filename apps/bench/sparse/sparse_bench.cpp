#include "apps/bench/sparse/sparse_bench.hpp"

#include <cmath>
#include <optional>

#include <malloc.h>
#include <omp.h>

#include "apps/bench/sparse/idle_wait.hpp"
#include "apps/bench/sparse/own_sparse.hpp"
#include "core/blas/blas.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "io/matrix_source.hpp"
#include "matrix/multivector.hpp"
#include "matrix/symmetry.hpp"
#include "plan/reading_room.hpp"
#include "process/system.hpp"
#include "solve/trust/refine.hpp"
#include "sparse/dissection/graph.hpp"

namespace spsolve::bench {

namespace {

/// The result of one run of a candidate.
struct SparseRun {
  double seconds[sparse_phases] = {};
  FactorFigures figures;
  std::int64_t peak_bytes = -1;
  std::optional<std::int64_t> gpu_bytes;
  Quality quality;
};

/// The judge that measures solutions of 2 A x = b, on rank 0.
struct Judge {
  explicit Judge(const SparseSystem& system)
      : one(random_multivector(system.order, 1, 1)),
        many(random_multivector(system.order, many_columns, 2)) {
    Csr<double> rows = system.matrix;
    for (double& value : rows.values) value *= 2;
    doubled = rows.values;
    // D 2 A D for D near the identity: definite where A is, and with pivots of its own.
    const auto d = [](Index i) { return 1 + 0.01 * static_cast<double>(i % 7); };
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        // The factor first: of a symmetric matrix it stays one, bit for bit.
        changed.push_back(d(i) * d(rows.column_indices[k]) * rows.values[k]);
      }
    }
    matrix.emplace(team, RowLayout{system.order, 1}, std::move(rows));
  }

  Quality measured(const Dense<double>& b_rows, const Dense<double>& x_rows) {
    const std::unique_ptr<Vectors> b = matrix->vectors(b_rows.columns);
    const std::unique_ptr<Vectors> x = b->similar(b_rows.columns);
    const std::unique_ptr<Vectors> residual = b->similar(b_rows.columns);
    set_own_rows(*b, b_rows);
    set_own_rows(*x, x_rows);
    return measure(*matrix, *b, *x, *residual);
  }

  SoloTeam team;
  Dense<double> one, many;
  std::vector<double> doubled, changed;
  std::optional<SystemMatrix> matrix;
};

void keep_worst(Quality& worst, const Quality& other) {
  worst.backward_error = std::max(worst.backward_error, other.backward_error);
  worst.componentwise_error = std::max(worst.componentwise_error, other.componentwise_error);
}

/// Eliminates and solves so many systems of the pattern, the last of them 2 A x = b; the seconds
/// that it takes, but for numbers that are carried in.
double run_sequence(SparseContender& contender, const Judge* judge, const Dense<double>& b,
                    int systems) {
  const std::span<const double> none;
  contender.set_right_hand_sides(b);
  double seconds = 0;
  for (int left = systems; left > 0; --left) {
    const bool last = left % 2 == 1;
    contender.set_values(judge == nullptr ? none : last ? judge->doubled : judge->changed);
    const Timer timer;
    contender.factor();
    contender.solve();
    seconds += timer.seconds();
  }
  return seconds;
}

/// `judge` is null on ranks that only help.
SparseRun run_once(const SparseCandidate& candidate, const SparseSystem& system, Judge* judge,
                   int systems) {
  omp_set_num_threads(candidate.threads);
  blas::set_threads(candidate.threads);
  malloc_trim(0);  // what others have freed is not to serve this one
  const MemoryGrowth growth;
  SparseRun run;
  const auto timed = [&](SparsePhase phase, auto&& work) {
    const Timer timer;
    work();
    run.seconds[static_cast<int>(phase)] = timer.seconds();
  };
  const std::int64_t free_before = candidate.free_gpu_memory ? candidate.free_gpu_memory() : 0;
  const std::unique_ptr<SparseContender> contender = candidate.make(system);
  timed(SparsePhase::analyse, [&] { contender->analyse(); });
  timed(SparsePhase::factor, [&] { contender->factor(); });
  contender->set_values(judge == nullptr ? std::span<const double>() : judge->doubled);
  timed(SparsePhase::refactor, [&] { contender->factor(); });
  const Dense<double> none(0, 1), none_of_many(0, many_columns);
  const Dense<double>& one = judge == nullptr ? none : judge->one;
  const Dense<double>& many = judge == nullptr ? none_of_many : judge->many;
  contender->set_right_hand_sides(one);
  timed(SparsePhase::solve, [&] { contender->solve(); });
  const Dense<double> x = contender->solution();
  contender->set_right_hand_sides(many);
  timed(SparsePhase::solve_many, [&] { contender->solve(); });
  run.peak_bytes = growth.peak().value_or(-1);
  if (candidate.free_gpu_memory) run.gpu_bytes = free_before - candidate.free_gpu_memory();
  const Dense<double> x_of_many = contender->solution();
  if (judge != nullptr) {
    run.quality = judge->measured(one, x);
    keep_worst(run.quality, judge->measured(many, x_of_many));
  }
  if (systems > 0) {
    run.seconds[static_cast<int>(SparsePhase::sequence)] =
        run.seconds[static_cast<int>(SparsePhase::analyse)] +
        run_sequence(*contender, judge, one, systems);
    const Dense<double> last = contender->solution();
    if (judge != nullptr) keep_worst(run.quality, judge->measured(one, last));
  }
  for (const SparsePhase phase : {SparsePhase::analyse, SparsePhase::factor, SparsePhase::solve}) {
    run.seconds[static_cast<int>(SparsePhase::total)] += run.seconds[static_cast<int>(phase)];
  }
  run.figures = contender->figures();
  return run;
}

/// Throws what the candidate refuses the system with.
void ask(const SparseCandidate& candidate, const SparseSystem& system) {
  const std::string reason = candidate.refuse(system);
  if (!reason.empty()) fail(ExitCode::input, "{}", reason);
}

/// run_once(), and once more without the hope that the matrix is definite where that is shown
/// wrong; every rank that takes part meets that.
SparseRun run_as_it_is(const SparseCandidate& candidate, SparseSystem& system, Judge* judge,
                       int systems) {
  try {
    return run_once(candidate, system, judge, systems);
  } catch (const NotDefinite&) {
    system.maybe_definite = false;
    ask(candidate, system);
    return run_once(candidate, system, judge, systems);
  }
}

void sum_up(SparseRow& row, const std::vector<SparseRun>& runs) {
  for (int phase = 0; phase < sparse_phases; ++phase) {
    std::vector<double> seconds;
    for (const SparseRun& run : runs) seconds.push_back(run.seconds[phase]);
    row.seconds[phase] = statistics_of(seconds);
  }
  Quality worst;
  for (const SparseRun& run : runs) {
    keep_worst(worst, run.quality);
    if (run.peak_bytes >= 0) row.peak_bytes = std::max(row.peak_bytes.value_or(0), run.peak_bytes);
    if (run.gpu_bytes) row.gpu_bytes = std::max(row.gpu_bytes.value_or(0), *run.gpu_bytes);
  }
  row.backward_error = worst.backward_error;
  row.componentwise_error = worst.componentwise_error;
  row.figures = runs.back().figures;
}

/// One turn of a candidate on all ranks. Collective.
std::optional<SparseRun> take_turn(Team& team, SparseSystem& system,
                                   const SparseCandidate& candidate, Judge* judge, int systems,
                                   std::string& refused) {
  wait_idly(team);
  if (broadcast_value(team, refused.empty() ? 0 : 1, 0) != 0) return {};
  system.maybe_definite = broadcast_value(team, system.maybe_definite, 0);
  const bool takes_part = team.rank() == 0 || candidate.all_ranks;
  std::optional<SparseRun> run;
  std::string why;
  if (takes_part) {
    try {
      if (candidate.all_ranks) {
        together(team, [&] { ask(candidate, system); });
      } else {
        ask(candidate, system);
      }
      run = run_as_it_is(candidate, system, judge, systems);
    } catch (...) {
      why = current_failure().message;
    }
  }
  wait_idly(team);
  if (candidate.all_ranks) {
    const auto peaks = all_gather(team, run ? run->peak_bytes : std::int64_t{-1});
    if (run) run->peak_bytes = 0;
    for (const std::int64_t peak : peaks) {
      if (run) run->peak_bytes = peak < 0 || run->peak_bytes < 0 ? -1 : run->peak_bytes + peak;
    }
  }
  refused = why;
  return run;
}

constexpr std::string_view laplacian = "laplacian:";

/// The name of a file or generator after "laplacian:".
std::string source_of(const std::string& name) {
  return name.starts_with(laplacian) ? name.substr(laplacian.size()) : name;
}

Csr<double> laplacian_of(const Csr<double>& matrix) {
  const Graph graph = graph_of(matrix.row_offsets, matrix.column_indices);
  Csr<double> made;
  made.rows = made.columns = matrix.rows;
  for (LocalIndex i = 0; i < graph.size(); ++i) {
    const auto edges = graph.of(i);
    const auto above = std::ranges::lower_bound(edges, i);
    auto& columns = made.column_indices;
    columns.insert(columns.end(), edges.begin(), above);
    made.values.resize(columns.size(), -1.0);
    columns.push_back(i);
    made.values.push_back(1 + static_cast<double>(edges.size()));
    columns.insert(columns.end(), above, edges.end());
    made.values.resize(columns.size(), -1.0);
    made.row_offsets.push_back(static_cast<Index>(columns.size()));
  }
  return made;
}

}  // namespace

std::vector<SparseCandidate> sparse_candidates(const SparsePlan& plan, Team& team) {
  std::vector<SparseCandidate> candidates;
  const int ranks = team.size();
  const bool alone = plan.alone || ranks == 1;
  for (const Method method : plan.methods) {
    SolverOptions options = plan.options;
    options.method = method;
    const auto add = [&](int threads, Team* all) {
      if (all != nullptr) options.ranks = SolvingRanks::all;
      candidates.push_back({std::string(name(method)), false, threads, all != nullptr,
                            [](const SparseSystem&) { return std::string(); },
                            [options, device = plan.device, all](const SparseSystem& system) {
                              return make_own(system, options, device, all);
                            },
                            plan.device.free_memory});
    };
    if (alone) add(plan.threads, nullptr);
    if (ranks > 1) add(std::max(1, plan.threads / ranks), &team);
  }
  const auto add = [&](const SparsePeer& peer, const PeerTeam& of) {
    candidates.push_back({std::string(peer.name), true, of.threads, of.all_ranks,
                          [&peer](const SparseSystem& system) {
                            const std::string why = peer.missing();
                            return why.empty() ? peer.refuse(system) : why;
                          },
                          [&peer, of](const SparseSystem& system) { return peer.make(system, of); },
                          plan.device.free_memory});
  };
  for (const SparsePeer* const peer : plan.peers) {
    if (alone) add(*peer, {plan.threads, false});
    if (peer->over_ranks && ranks > 1) add(*peer, {std::max(1, plan.threads / ranks), true});
  }
  return candidates;
}

MatrixShape describe_sparse_system(const std::string& name) {
  const MatrixShape shape = describe_matrix(source_of(name));
  if (shape.rows != shape.columns) {
    fail(ExitCode::input, "'{}' is {} x {}: only square matrices are eliminated", name, shape.rows,
         shape.columns);
  }
  return shape;
}

SparseSystem load_sparse_system(const std::string& name) {
  SparseSystem system;
  system.name = name;
  describe_sparse_system(name);
  // Memory for the analysis of its pattern, its transpose, and b, x and residuals.
  Csr<double> matrix = load_within_memory(source_of(name), {150, 60});
  system.order = matrix.rows;
  if (name.starts_with(laplacian)) matrix = laplacian_of(matrix);
  const SymmetryFacts facts = symmetry_of(matrix);
  system.symmetric = facts.symmetric;
  system.maybe_definite = facts.symmetric && facts.positive_diagonal;
  system.matrix = std::move(matrix);
  return system;
}

std::vector<SparseRow> sample_sparse(Team& team, SparseSystem& system,
                                     const std::vector<SparseCandidate>& candidates, int samples,
                                     const std::function<void(const std::string&)>& tell,
                                     int systems) {
  system.order = broadcast_value(team, system.order, 0);
  system.symmetric = broadcast_value(team, system.symmetric, 0);
  std::optional<Judge> judge;
  if (team.rank() == 0) judge.emplace(system);
  std::vector<std::vector<SparseRun>> runs(candidates.size());
  std::vector<std::string> refused(candidates.size());
  for (int round = 0; round < samples; ++round) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const auto run =
          take_turn(team, system, candidates[k], judge ? &*judge : nullptr, systems, refused[k]);
      if (!run) continue;
      runs[k].push_back(*run);
      if (team.rank() != 0) continue;
      const auto seconds = [&](SparsePhase phase) { return run->seconds[static_cast<int>(phase)]; };
      tell(fmt::format("{} on {}, {} of {}: analyse {:.3f}, factor {:.3f}, solve {:.4f} s",
                       candidates[k].name, system.name, round + 1, samples,
                       seconds(SparsePhase::analyse), seconds(SparsePhase::factor),
                       seconds(SparsePhase::solve)));
    }
  }
  std::vector<SparseRow> rows;
  if (team.rank() != 0) return rows;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    SparseRow row;
    row.matrix = system.name;
    row.order = system.order;
    row.nonzeros = system.matrix.nonzeros();
    row.contender = candidates[k].name;
    row.peer = candidates[k].peer;
    row.threads = candidates[k].threads;
    row.ranks = candidates[k].all_ranks ? team.size() : 1;
    row.systems = systems;
    row.refused = refused[k];
    if (row.refused.empty()) sum_up(row, runs[k]);
    rows.push_back(std::move(row));
  }
  compare(rows);
  return rows;
}

void compare(std::span<SparseRow> rows) {
  constexpr double wrong = 1e-8, no_time = 1e-6;
  for (int phase = 0; phase < sparse_phases; ++phase) {
    std::optional<double> best;
    for (const SparseRow& row : rows) {
      if (!row.peer || !row.refused.empty() || !(row.backward_error <= wrong)) continue;
      const double seconds = row.seconds[phase].median;
      if (!best || seconds < *best) best = seconds;
    }
    for (SparseRow& row : rows) {
      row.speedup[phase].reset();
      // A phase that a contender does not have takes no time.
      const double seconds = row.seconds[phase].median;
      if (best && row.refused.empty() && seconds > no_time) row.speedup[phase] = *best / seconds;
    }
  }
}

}  // namespace spsolve::bench
