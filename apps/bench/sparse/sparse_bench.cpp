#include "apps/bench/sparse/sparse_bench.hpp"

#include <cmath>
#include <optional>

#include <malloc.h>

#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "core/timer.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "process/system.hpp"

namespace spsolve::bench {

namespace {

constexpr Column sparse_table[] = {
    {"matrix", "file or generator; laplacian:NAME is the Laplacian + identity of its graph"},
    {"n", "order of the system"},
    {"nonzeros", "stored entries of the matrix, complex ones counted once"},
    {"contender", "method of the solver table, or peer", "{}", "contender"},
    {"peer", "whether it is another house's"},
    {"factors",
     "LL^T (LL^H of complex A), LDL^T, LDL^H or LU; of methods that make A dense, the one "
     "that was chosen",
     "{}", "factors"},
    {"threads", "threads of each rank", "{}", "threads"},
    {"ranks", "processes that share the work", "{}", "ranks"},
    {"samples", "rounds"},
    {"analyse_s", "seconds of ordering and planning: median", "{:.4f}", "analyse s"},
    {"factor_s", "seconds of the elimination: median", "{:.4f}", "factor s"},
    {"refactor_s", "seconds of the elimination of other values of the same pattern: median",
     "{:.4f}", "refactor s"},
    {"solve_s", "seconds of one right-hand side, without refinement: median", "{:.4f}", "solve s"},
    {"solve16_s", "seconds of 16 right-hand sides at once: median", "{:.4f}", "16 columns s"},
    {"total_s", "analyse_s + factor_s + solve_s of the same round: median", "{:.4f}", "total s"},
    {"min_total_s", "the shortest total"},
    {"systems", "of the pattern that sequence_s is of (--systems)"},
    {"sequence_s",
     "seconds to analyse once and to eliminate and solve so many systems, one after another: "
     "median",
     "{:.3f}", "systems s"},
    {"sequence_factor_s", "seconds of all eliminations among them: median", "{:.3f}",
     "their new values s"},
    {"sequence_solve_s", "seconds of all solutions among them: median", "{:.3f}",
     "their solutions s"},
    {"factor_nonzeros", "of the factors, by the contender's own count", "{:.3g}", "non-zeros"},
    {"flops", "of the elimination, by the contender's own count", "{:.3g}", "flops"},
    {"gflops", "flops / factor_s, 10^9 a second", "{:.1f}", "GFLOP/s"},
    {"peak_bytes", "by which the ranks' resident memory grew at most, A's copy included"},
    {"peak_gb", "peak_bytes / 10^9", "{:.3f}", "peak GB"},
    {"gpu_bytes", "of rank 0's GPU that it holds once it has solved (--device cuda)"},
    {"launches", "of the GPU for one elimination, of own sparse methods on one GPU", "{}",
     "launches"},
    {"small_share", "of flops, in small fronts, each whole in a thread block, likewise"},
    {"library_share", "of flops, in large products by cuBLAS; the rest is in batches of tiles"},
    {"backward_error", "normwise, by moduli, without refinement, the worst of rounds and columns",
     "{:.0e}", "backward error"},
    {"componentwise_error", "backward error by components, likewise"},
    {"analyse_speedup",
     "the shortest analyse_s of a peer with a backward error up to 1e-8 / own; null for no time"},
    {"factor_speedup", "the same for factor_s", "{:.2f}", "factor: over best peer"},
    {"refactor_speedup", "for refactor_s"},
    {"solve_speedup", "for solve_s", "{:.2f}", "solve"},
    {"solve16_speedup", "for solve16_s"},
    {"total_speedup", "for total_s", "{:.2f}", "total"},
    {"sequence_speedup", "for sequence_s", "{:.2f}", "systems"},
    {"refused", "why it was not measured"},
};

constexpr Column summary_columns[] = {
    {"contender", "method of the solver table, or peer", "{}", "over the best peer"},
    {"threads", "threads of each rank", "{}", "threads"},
    {"ranks", "processes that share the work", "{}", "ranks"},
    {"matrices", "that it and a peer were measured on", "{}", "matrices"},
    {"factor_speedup", "geometric mean over the matrices", "{:.2f}", "factor"},
    {"refactor_speedup", "likewise", "{:.2f}", "refactor"},
    {"solve_speedup", "likewise", "{:.2f}", "solve"},
    {"solve16_speedup", "likewise", "{:.2f}", "16 columns"},
    {"total_speedup", "likewise", "{:.2f}", "total"},
    {"least_factor_speedup", "of all matrices", "{:.2f}", "least factor"},
    {"least_solve_speedup", "of all matrices", "{:.2f}", "least solve"},
    {"least_total_speedup", "of all matrices", "{:.2f}", "least total"},
};

/// The systems that rank 0 asks of all: A x = b, and others of its pattern.
struct Trials {
  explicit Trials(const SparseSystem& system)
      : one(random_multivector(system.rows(), 1, 1)),
        many(random_multivector(system.rows(), many_columns, 2)),
        doubled(system.matrix.values),
        judge(alone, RowLayout{system.rows(), 1}, twice(system.matrix), system.parts) {
    for (double& value : doubled) value *= 2;
    // D 2 A D for D near the identity: definite where A is, and with pivots of its own.
    const auto d = [parts = system.parts](Index i) {
      return 1 + 0.01 * static_cast<double>(i / parts % 7);
    };
    const Csr<double>& a = system.matrix;
    for (Index i = 0; i < a.rows; ++i) {
      for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
        // The factor first: of a symmetric matrix it stays one, bit for bit.
        changed.push_back(d(i) * d(a.column_indices[k]) * doubled[k]);
      }
    }
  }

  static Csr<double> twice(Csr<double> a) {
    for (double& value : a.values) value *= 2;
    return a;
  }

  SoloTeam alone;
  Dense<double> one, many;
  std::vector<double> doubled, changed;
  Judge judge;  ///< of 2 A x = b
};

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

/// A contest on one system. Ranks that only help have no trials.
struct SparseContest {
  SparseSystem& system;
  std::optional<Trials> trials;
  const SystemsInTurn& systems;

  std::span<const double> values(std::vector<double> Trials::*which) const {
    return trials ? std::span<const double>((*trials).*which) : std::span<const double>();
  }

  Dense<double> right_hand_sides(Dense<double> Trials::*which, Index columns) const {
    return trials ? (*trials).*which : Dense<double>(0, columns);
  }

  /// Keeps the errors of what was solved last.
  void judge(const SparseContender& contender, const Dense<double>& b, Row& row) {
    const Dense<double> x = contender.solution();
    if (trials) trials->judge.judge(b, x, row);
  }

  void run(Turn& turn, const SparseCandidate& candidate);
  void run_sequence(Turn& turn, SparseContender& contender, const Dense<double>& b);
  Csr<double> named(int number) const;
};

/// The matrix of a system that is named, on rank 0.
Csr<double> SparseContest::named(int number) const {
  if (!trials) return {};
  const std::string& name = systems.names[number];
  SparseSystem other = load_sparse_system(name);
  const Csr<double>& a = system.matrix;
  if (other.parts != system.parts) {
    fail(ExitCode::input, "--systems: one of {} and {} is complex, and the other is real", name,
         system.name);
  }
  if (other.conjugates != system.conjugates) conjugate_rows(other.matrix);
  if (other.matrix.row_offsets != a.row_offsets ||
      other.matrix.column_indices != a.column_indices) {
    fail(ExitCode::input, "--systems: {} has another pattern than {}", name, system.name);
  }
  return std::move(other.matrix);
}

/// Eliminates and solves the systems of the pattern, the last of those without names 2 A x = b; its
/// seconds are without those in which numbers are carried in.
void SparseContest::run_sequence(Turn& turn, SparseContender& contender, const Dense<double>& b) {
  contender.set_right_hand_sides(b);
  double of_factors = 0, of_solutions = 0;
  for (int left = systems.count; left > 0; --left) {
    Csr<double> other;
    if (systems.names.empty()) {
      contender.set_values(values(left % 2 == 1 ? &Trials::doubled : &Trials::changed));
    } else {
      other = together(turn.team, [&] { return named(systems.count - left); });
      contender.set_values(other.values);
    }
    Timer timer;
    contender.factor();
    of_factors += timer.seconds();
    timer = {};
    contender.solve();
    of_solutions += timer.seconds();
    if (systems.names.empty()) continue;
    const Dense<double> x = contender.solution();
    if (trials) {
      Judge(trials->alone, RowLayout{system.rows(), 1}, std::move(other), system.parts)
          .judge(b, x, turn.row);
    }
  }
  turn.add("sequence_factor_s", of_factors);
  turn.add("sequence_solve_s", of_solutions);
  turn.add("sequence_s", turn.latest("analyse_s") + of_factors + of_solutions);
}

/// All phases of one turn.
void SparseContest::run(Turn& turn, const SparseCandidate& candidate) {
  malloc_trim(0);  // what others have freed is not to serve this one
  const MemoryGrowth growth;
  const std::int64_t free_before = candidate.free_gpu_memory ? candidate.free_gpu_memory() : 0;
  const std::unique_ptr<SparseContender> contender = candidate.begin(system);
  const Dense<double> one = right_hand_sides(&Trials::one, 1);
  const Dense<double> many = right_hand_sides(&Trials::many, many_columns);
  turn.time("analyse_s", [&] { contender->analyse(); });
  turn.time("factor_s", [&] { contender->factor(); });
  contender->set_values(values(&Trials::doubled));
  turn.time("refactor_s", [&] { contender->factor(); });
  contender->set_right_hand_sides(one);
  turn.time("solve_s", [&] { contender->solve(); });
  judge(*contender, one, turn.row);
  contender->set_right_hand_sides(many);
  turn.time("solve16_s", [&] { contender->solve(); });
  keep_peak(turn, growth);
  if (candidate.free_gpu_memory) {
    turn.row.keep_most("gpu_bytes", free_before - candidate.free_gpu_memory());
  }
  judge(*contender, many, turn.row);
  turn.add("total_s", turn.latest("analyse_s") + turn.latest("factor_s") + turn.latest("solve_s"));
  if (systems.count > 0) {
    run_sequence(turn, *contender, one);
    if (systems.names.empty()) judge(*contender, one, turn.row);
  }
  set_figures(turn.row, contender->figures());
}

/// One turn of a candidate; once more without the hope that the matrix is definite where that is
/// shown wrong; every rank that takes part meets that.
void run_as_it_is(Turn& turn, const SparseCandidate& candidate, SparseContest& contest) {
  bool& maybe_definite = contest.system.maybe_definite;
  maybe_definite = broadcast_value(turn.team, maybe_definite, 0);
  const Row before = turn.row;
  try {
    contest.run(turn, candidate);
  } catch (const NotDefinite&) {
    maybe_definite = false;
    turn.row = before;
    contest.run(turn, candidate);
  }
}

}  // namespace

std::vector<SparseCandidate> sparse_candidates(const SparsePlan& plan, Team& team) {
  static SoloTeam solo;
  std::vector<SparseCandidate> candidates;
  const int ranks = team.size(), threads_of_all = std::max(1, plan.threads / ranks);
  const bool alone = plan.alone || ranks == 1;
  for (const Method method : plan.methods) {
    SolverOptions options = plan.options;
    options.method = method;
    const auto add = [&](int threads, Team* all) {
      if (all != nullptr) options.ranks = SolvingRanks::all;
      const auto make = [options, device = plan.device, systems = std::max(1, plan.systems.count),
                         all](const SparseSystem& system) {
        return make_own(system, options, device, systems, all);
      };
      candidates.push_back(
          {std::string(name(method)), false, threads, all != nullptr, make, method});
    };
    if (alone) add(plan.threads, nullptr);
    if (ranks > 1) add(threads_of_all, &team);
  }
  for (const SparsePeer* const peer : plan.peers) {
    if (alone) candidates.push_back(candidate_of(*peer, {solo, plan.threads, false}));
    if (peer->over_ranks && ranks > 1) {
      candidates.push_back(candidate_of(*peer, {team, threads_of_all, true}));
    }
  }
  for (SparseCandidate& one : candidates) one.free_gpu_memory = plan.device.free_memory;
  return candidates;
}

std::vector<Row> sample_sparse(Team& team, SparseSystem& system,
                               const std::vector<SparseCandidate>& candidates, int samples,
                               const SystemsInTurn& systems,
                               const std::function<void(const std::string&)>& tell) {
  SystemKind& kind = system;
  kind = broadcast_value(team, kind, 0);
  const RowNames names(system.parts);
  SparseContest contest{system, std::nullopt, systems};
  if (team.rank() == 0) contest.trials.emplace(system);
  std::vector<Contender> contenders;
  for (const SparseCandidate& candidate : candidates) {
    Row row = candidate.row(team.size());
    if (row.number("ranks") > 1) row.name += fmt::format(" on {} ranks", team.size());
    row["matrix"] = system.name;
    row["n"] = system.order;
    row["nonzeros"] = system.nonzeros();
    row["systems"] = systems.count;
    contenders.push_back({std::move(row), candidate.all_ranks,
                          [&](Turn& turn) { run_as_it_is(turn, candidate, contest); }});
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

Columns sparse_columns() {
  return sparse_table;
}

Columns sparse_summary_columns() {
  return summary_columns;
}

std::vector<Row> summaries_of(std::span<const Row> rows) {
  std::vector<Row> summaries;
  for (const Row& row : rows) {
    if (row.cell("total_speedup").is_null()) continue;
    const auto of_row = [&](const Row& summary) {
      return summary.name == row.name && summary.cell("threads") == row.cell("threads");
    };
    auto summary = std::ranges::find_if(summaries, of_row);
    if (summary == summaries.end()) {
      Row made;
      made.name = row.name;
      for (const char* label : {"contender", "threads", "ranks"}) made[label] = row.cell(label);
      summary = summaries.insert(summaries.end(), std::move(made));
    }
    for (const Column& column : sparse_table) {
      const double speedup = row.number(column.name);
      if (!column.name.ends_with("_speedup") || std::isnan(speedup)) continue;
      summary->samples[std::string(column.name)].push_back(speedup);
    }
  }
  for (Row& summary : summaries) {
    summary["matrices"] = summary.samples["total_speedup"].size();
    for (const auto& [column, speedups] : summary.samples) {
      double logarithms = 0;
      for (const double speedup : speedups) logarithms += std::log(speedup);
      summary[column] = std::exp(logarithms / static_cast<double>(speedups.size()));
      summary["least_" + column] = summary.statistics(column).min;
    }
  }
  return summaries;
}

}  // namespace spsolve::bench
