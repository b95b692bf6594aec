#include "apps/bench/sparse/sparse_bench.hpp"

#include <cmath>
#include <optional>

#include <malloc.h>
#include <omp.h>

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

void keep_worst(Row& row, const Quality& quality) {
  row.keep_most("backward_error", quality.backward_error);
  row.keep_most("componentwise_error", quality.componentwise_error);
}

/// Keeps the most of the bytes by which all ranks' memory grew.
void keep_peak(Turn& turn, const MemoryGrowth& growth) {
  std::int64_t bytes = 0;
  for (const std::int64_t peak : all_gather(turn.team, growth.peak().value_or(-1))) {
    if (peak < 0) return;
    bytes += peak;
  }
  turn.row.keep_most("peak_bytes", bytes);
}

void set_figures(Row& row, const FactorFigures& figures) {
  row["factors"] = text_or_null(figures.kind);
  row["factor_nonzeros"] = cell_of(figures.nonzeros);
  row["flops"] = cell_of(figures.flops);
  if (!figures.gpu) return;
  row["launches"] = figures.gpu->launches;
  if (!figures.flops) return;
  row["small_share"] = figures.gpu->small_flops / *figures.flops;
  row["library_share"] = figures.gpu->library_flops / *figures.flops;
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
void run_once(Turn& turn, const SparseCandidate& candidate, const SparseSystem& system,
              Judge* judge, int systems) {
  omp_set_num_threads(candidate.threads);
  blas::set_threads(candidate.threads);
  malloc_trim(0);  // what others have freed is not to serve this one
  const MemoryGrowth growth;
  const std::int64_t free_before = candidate.free_gpu_memory ? candidate.free_gpu_memory() : 0;
  const std::unique_ptr<SparseContender> contender = candidate.make(system);
  const Dense<double> none(0, 1), none_of_many(0, many_columns);
  const Dense<double>& one = judge == nullptr ? none : judge->one;
  const Dense<double>& many = judge == nullptr ? none_of_many : judge->many;
  turn.time("analyse_s", [&] { contender->analyse(); });
  turn.time("factor_s", [&] { contender->factor(); });
  contender->set_values(judge == nullptr ? std::span<const double>() : judge->doubled);
  turn.time("refactor_s", [&] { contender->factor(); });
  contender->set_right_hand_sides(one);
  turn.time("solve_s", [&] { contender->solve(); });
  const Dense<double> x = contender->solution();
  contender->set_right_hand_sides(many);
  turn.time("solve16_s", [&] { contender->solve(); });
  keep_peak(turn, growth);
  if (candidate.free_gpu_memory) {
    turn.row.keep_most("gpu_bytes", free_before - candidate.free_gpu_memory());
  }
  const Dense<double> x_of_many = contender->solution();
  if (judge != nullptr) {
    keep_worst(turn.row, judge->measured(one, x));
    keep_worst(turn.row, judge->measured(many, x_of_many));
  }
  const auto latest = [&](std::string_view phase) {
    return turn.row.samples.find(phase)->second.back();
  };
  turn.add("total_s", latest("analyse_s") + latest("factor_s") + latest("solve_s"));
  if (systems > 0) {
    turn.add("sequence_s", latest("analyse_s") + run_sequence(*contender, judge, one, systems));
    const Dense<double> last = contender->solution();
    if (judge != nullptr) keep_worst(turn.row, judge->measured(one, last));
  }
  set_figures(turn.row, contender->figures());
}

/// One turn of a candidate; once more without the hope that the matrix is definite where that is
/// shown wrong; every rank that takes part meets that.
void run_as_it_is(Turn& turn, const SparseCandidate& candidate, SparseSystem& system, Judge* judge,
                  int systems) {
  const Row before = turn.row;
  const auto run = [&] {
    system.maybe_definite = broadcast_value(turn.team, system.maybe_definite, 0);
    together(turn.team, [&] {
      const std::string reason = candidate.refuse(system);
      if (!reason.empty()) fail(ExitCode::input, "{}", reason);
    });
    run_once(turn, candidate, system, judge, systems);
  };
  try {
    run();
  } catch (const NotDefinite&) {
    system.maybe_definite = false;
    turn.row = before;
    run();
  }
}

/// The labels of a candidate's row.
Row label(const SparseCandidate& candidate, const SparseSystem& system, Index nonzeros, int ranks,
          int systems) {
  Row row;
  row.name = candidate.name + (ranks > 1 ? fmt::format(" on {} ranks", ranks) : "");
  row.peer = candidate.peer;
  row.cells = {{"matrix", system.name},        {"n", system.order},
               {"nonzeros", nonzeros},         {"contender", candidate.name},
               {"threads", candidate.threads}, {"ranks", ranks},
               {"systems", systems},           {"samples", 0}};
  return row;
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

std::vector<Row> sample_sparse(Team& team, SparseSystem& system,
                               const std::vector<SparseCandidate>& candidates, int samples,
                               int systems, const std::function<void(const std::string&)>& tell) {
  system.order = broadcast_value(team, system.order, 0);
  system.symmetric = broadcast_value(team, system.symmetric, 0);
  std::optional<Judge> judge;
  if (team.rank() == 0) judge.emplace(system);
  std::vector<Contender> contenders;
  for (const SparseCandidate& candidate : candidates) {
    const int ranks = candidate.all_ranks ? team.size() : 1;
    contenders.push_back({label(candidate, system, system.matrix.nonzeros(), ranks, systems),
                          candidate.all_ranks, [&, systems](Turn& turn) {
                            run_as_it_is(turn, candidate, system, judge ? &*judge : nullptr,
                                         systems);
                          }});
  }
  Rules rules;
  rules.where = system.name;
  rules.rounds = samples;
  rules.tell = tell;
  std::vector<Row> rows = compete(team, std::move(contenders), rules);
  if (team.rank() != 0) return {};
  for (Row& row : rows) {
    if (!row.measured()) continue;
    row["min_total_s"] = row.statistics("total_s").min;
    row["gflops"] = number_or_null(row.number("flops") / row.number("factor_s") / 1e9);
    row["peak_gb"] = number_or_null(1e-9 * row.number("peak_bytes"));
  }
  compare_sparse(rows);
  return rows;
}

void compare_sparse(std::span<Row> rows) {
  constexpr double wrong = 1e-8, no_time = 1e-6;
  for (const std::string phase :
       {"analyse", "factor", "refactor", "solve", "solve16", "total", "sequence"}) {
    const std::string seconds = phase + "_s";
    compare(rows, seconds, phase + "_speedup", [&](const Row& own, const Row& other) {
      // A phase that a contender does not have takes no time.
      return other.peer && other.number("backward_error") <= wrong && own.number(seconds) > no_time;
    });
  }
}

}  // namespace spsolve::bench
