#include "apps/bench/eliminate_bench.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <omp.h>

#include "core/blas/blas.hpp"
#include "core/timer.hpp"
#include "dense/dense_inverse.hpp"
#include "dense/host_device.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "solve/trust/one_norm.hpp"
#include "solve/trust/refine.hpp"

namespace spsolve::bench {

namespace {

Cell part(const EliminationRow& row, double LuSeconds::*which) {
  return row.seconds ? Cell((*row.seconds).*which) : Cell();
}

const Column<EliminationRow> columns[] = {
    {"n", "order of the system", "{}", "n", [](const auto& row) { return Cell(row.order); }},
    {"device", "host or cuda", "{}", "device", [](const auto& row) { return Cell(row.device); }},
    {"method", "elimination, or the peer that is compared", "{}", "method",
     [](const auto& row) { return Cell(row.method); }},
    {"pivoting", "where pivots are looked for", "{}", "pivoting",
     [](const auto& row) { return Cell(row.pivoting); }},
    {"precision", "of the elimination", "{}", "precision",
     [](const auto& row) { return Cell(row.precision); }},
    {"factors", "float or double: what x was solved with, of mixed precision; null: not told", "{}",
     "factors", [](const auto& row) { return row.factors.empty() ? Cell() : Cell(row.factors); }},
    {"shift", "sqrt(n / 3) times this was added to the diagonal", "{}", "shift",
     [](const auto& row) { return Cell(row.shift); }},
    {"block", "columns of a panel; null where there is none", "{}", "block",
     [](const auto& row) { return row.block > 0 ? Cell(row.block) : Cell(); }},
    {"threads", "threads", "{}", "threads", [](const auto& row) { return Cell(row.threads); }},
    {"ranks", "processes that share the matrix, each with a GPU of its own; of cusolver_mg, GPUs",
     "{}", "ranks", [](const auto& row) { return Cell(row.ranks); }},
    {"transport", "how rows travel between the ranks' GPUs", "", "",
     [](const auto& row) { return Cell(row.transport); }},
    {"samples", "rounds", "", "", [](const auto& row) { return Cell(row.total.count); }},
    {"eliminate_s", "seconds of the elimination: median (null for peers that do not tell)",
     "{:.4f}", "eliminate s",
     [](const auto& row) { return row.eliminate.count > 0 ? Cell(row.eliminate.median) : Cell(); }},
    {"total_s", "seconds through the solution: median", "{:.4f}", "total s",
     [](const auto& row) { return Cell(row.total.median); }},
    {"min_s", "the shortest total", "{:.4f}", "shortest s",
     [](const auto& row) { return Cell(row.total.min); }},
    {"gflops", "2/3 n^3 / total_s, 10^9 a second", "{:.1f}", "GFLOP/s",
     [](const auto& row) { return Cell(row.gflops()); }},
    {"gflops_per_rank", "gflops / ranks", "{:.1f}", "a rank",
     [](const auto& row) { return Cell(row.gflops_per_rank()); }},
    {"gemm_gflops",
     "rate of a large matrix product in double in the same run, on one rank's device: their mean",
     "", "", [](const auto& row) { return Cell(row.gemm_gflops); }},
    {"of_gemm", "gflops_per_rank / gemm_gflops", "{:.2f}", "of gemm",
     [](const auto& row) { return Cell(row.gflops_per_rank() / row.gemm_gflops); }},
    {"speedup", "median over the rounds of the first peer's total / own total of the same round",
     "{:.2f}", "over peer",
     [](const auto& row) { return row.speedup ? Cell(*row.speedup) : Cell(); }},
    {"panel_s", "of lu: seconds of panels, median; on a GPU concurrent with the update", "{:.4f}",
     "panel s", [](const auto& row) { return part(row, &LuSeconds::panel); }},
    {"exchange_s",
     "of lu: seconds of rows changing places, and ranks; on a GPU concurrent with the update, "
     "median",
     "{:.4f}", "exchange s", [](const auto& row) { return part(row, &LuSeconds::exchange); }},
    {"update_s", "of lu: seconds of products, on the host of rows of U, too, median", "{:.4f}",
     "update s", [](const auto& row) { return part(row, &LuSeconds::update); }},
    {"wait_s", "of lu: seconds without an update (on the host, exchange or panel), median",
     "{:.4f}", "wait s", [](const auto& row) { return part(row, &LuSeconds::wait); }},
    {"steps", "steps of refinement in mixed precision, the most of the rounds", "{}", "steps",
     [](const auto& row) { return row.steps ? Cell(Index{*row.steps}) : Cell(); }},
    {"condition", "estimate of ||A|| ||A^-1||, infinity norms, first round (--condition)", "{:.1e}",
     "condition", [](const auto& row) { return row.condition ? Cell(*row.condition) : Cell(); }},
    {"backward_error",
     "normwise, without refinement but that of mixed precision, the worst of the "
     "rounds",
     "{:.1e}", "backward error", [](const auto& row) { return Cell(row.backward_error); }},
};

constexpr std::string_view peer_name = "dgesv";

/// The median over the rounds of the peer's seconds / own seconds.
double speedup_over(const std::vector<BenchRun>& peer, const std::vector<BenchRun>& own) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < own.size(); ++round) {
    ratios.push_back(peer[round].total / own[round].total);
  }
  return statistics_of(ratios).median;
}

/// The rounds of one contender.
void sum_up(EliminationRow& row, const std::vector<BenchRun>& runs) {
  std::vector<double> eliminate, total, panel, exchange, update, wait;
  for (const BenchRun& run : runs) {
    if (run.eliminate > 0) eliminate.push_back(run.eliminate);
    total.push_back(run.total);
    row.backward_error = std::max(row.backward_error, run.backward_error);
    if (run.steps) row.steps = std::max(row.steps.value_or(0), *run.steps);
    if (run.condition) row.condition = run.condition;
    // One round in double is worth knowing of.
    if (row.factors != name(Precision::float64)) row.factors = run.factors;
    if (!run.seconds) continue;
    panel.push_back(run.seconds->panel);
    exchange.push_back(run.seconds->exchange);
    update.push_back(run.seconds->update);
    wait.push_back(run.seconds->wait);
  }
  row.eliminate = statistics_of(eliminate);
  row.total = statistics_of(total);
  if (panel.empty()) return;
  row.seconds = {statistics_of(panel).median, statistics_of(exchange).median,
                 statistics_of(update).median, statistics_of(wait).median};
}

}  // namespace

/// A random system in the forms that eliminations and peers take.
struct HostSystem {
  Index seed;
  double shift;
  std::unique_ptr<SoloTeam> team;
  std::unique_ptr<SystemMatrix> matrix;
  std::unique_ptr<Vectors> b;
};

namespace {

double backward_error(const HostSystem& system, const Vectors& x) {
  const std::unique_ptr<Vectors> residual = x.similar(x.columns());
  return measure(*system.matrix, *system.b, x, *residual).backward_error;
}

BenchRun run_ours(const HostSystem& system, const EliminationChoice& choice, bool condition) {
  spsolve::HostDevice memory(*system.team);
  const std::unique_ptr<Inverse> inverse = make_dense_inverse(*system.team, memory, choice);
  const Equilibration unscaled;
  inverse->prepare(*system.matrix, unscaled);
  const std::unique_ptr<Vectors> x = system.matrix->vectors(1);
  BenchRun run;
  time_elimination(*inverse, *system.b, *x, Timer{}, run);
  run.backward_error = backward_error(system, *x);
  if (condition) {
    run.condition =
        estimated_condition(*system.matrix, *inverse, system.matrix->infinity_norm(unscaled));
  }
  return run;
}

BenchRun run_lapack(const HostSystem& system) {
  const Index n = system.matrix->order();
  const std::vector<double>& values = system.matrix->local_rows().values;
  // LAPACK takes columns, and these rows are full: the transpose is made outside the measurement.
  std::vector<double> a(static_cast<std::size_t>(n * n));
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) a[j * n + i] = values[i * n + j];
  }
  Dense<double> solution = own_rows(*system.b);
  BenchRun run;
  const Timer timer;
  blas::solve_system(n, 1, a.data(), solution.values.data());
  run.total = timer.seconds();
  const std::unique_ptr<Vectors> x = system.matrix->vectors(1);
  set_own_rows(*x, solution);
  run.backward_error = backward_error(system, *x);
  return run;
}

}  // namespace

double shifted_diagonal(double shift, Index order) {
  return shift * std::sqrt(static_cast<double>(order) / 3);
}

void time_elimination(Inverse& inverse, const Vectors& b, Vectors& x, const Timer& begun,
                      BenchRun& run) {
  Progress silent("", 0, Progress::Show::off);
  const std::unique_ptr<Vectors> first = inverse.eliminate({silent, nullptr, &b});
  run.eliminate = begun.seconds();
  if (first != nullptr) {
    copy(*first, x);
  } else {
    inverse.apply(b, x);
  }
  run.total = begun.seconds();
  const InverseFacts& facts = inverse.facts();
  run.seconds = facts.seconds;
  if (!facts.mixed) return;
  run.steps = facts.mixed->steps;
  run.factors = name(facts.mixed->fell_back ? Precision::float64 : Precision::float32);
}

double estimated_condition(SystemMatrix& matrix, Inverse& inverse, double norm) {
  std::unique_ptr<Vectors> ones = matrix.vectors(1);
  ones->fill(1);
  Transposed transposed(inverse);
  return norm * estimate_one_norms(std::move(ones), transposed).front();
}

double EliminationRow::gflops() const {
  const auto n = static_cast<double>(order);
  return 2.0 / 3.0 * n * n * n / total.median / 1e9;
}

std::span<const Column<EliminationRow>> elimination_columns() {
  return columns;
}

namespace {

SolverOptions options_for(const EliminationPlan& plan, Method method, Precision precision,
                          Index block) {
  SolverOptions options;
  options.method = method;
  options.pivoting = plan.pivoting;
  options.precision = precision;
  options.block = block;
  options.refinement = 0;
  return options;
}

}  // namespace

std::vector<EliminationContender> own_contenders(const EliminationPlan& plan, Index order,
                                                 MemoryKind memory,
                                                 std::vector<EliminationChoice>& choices,
                                                 int ranks) {
  std::vector<EliminationContender> contenders;
  for (const Method method : plan.methods) {
    for (const Precision precision : plan.precisions) {
      for (const Index block : plan.blocks) {
        choices.push_back(
            choose_elimination(options_for(plan, method, precision, block), order, ranks, memory));
        EliminationRow row;
        row.device = memory == MemoryKind::gpu ? "cuda" : "host";
        row.ranks = ranks;
        row.method = name(choices.back().method);
        row.pivoting = name(choices.back().pivoting);
        row.precision = name(precision);
        if (choices.back().precision != precision) row.factors = name(choices.back().precision);
        const bool blocked = choices.back().method == Method::lu;
        row.block = blocked ? choices.back().block : 0;
        contenders.push_back({std::move(row), false, {}});
        if (!blocked) break;
      }
    }
  }
  return contenders;
}

std::shared_ptr<const HostSystem> HostContest::system(Index order, Index seed, double shift) {
  if (latest_ == nullptr || latest_->seed != seed || latest_->matrix->order() != order ||
      latest_->shift != shift) {
    latest_.reset();
    Csr<double> rows = generate_matrix(fmt::format("random_dense:{}:seed={}", order, seed));
    for (Index i = 0; i < order; ++i)
      rows.values[i * (order + 1)] += shifted_diagonal(shift, order);
    HostSystem made{seed, shift, std::make_unique<SoloTeam>(), nullptr, nullptr};
    made.matrix = std::make_unique<SystemMatrix>(*made.team, RowLayout{order, 1}, std::move(rows));
    made.b = made.matrix->vectors(1);
    set_own_rows(*made.b, random_multivector(order, 1, seed));
    latest_ = std::make_shared<const HostSystem>(std::move(made));
  }
  return latest_;
}

std::vector<EliminationContender> HostContest::contenders(const EliminationPlan& plan,
                                                          Index order) {
  omp_set_num_threads(plan.threads);
  blas::set_threads(plan.threads);
  std::vector<EliminationChoice> choices;
  auto contenders = own_contenders(plan, order, MemoryKind::host, choices);
  for (std::size_t k = 0; k < contenders.size(); ++k) {
    contenders[k].run = [this, order, plan, choice = choices[k]](Index seed) {
      return run_ours(*system(order, seed, plan.shift), choice, plan.condition && seed == 1);
    };
  }
  if (plan.peers) {
    EliminationContender peer;
    peer.peer = true;
    peer.row.device = "host";
    peer.row.method = peer_name;
    peer.row.pivoting = name(Pivoting::partial);
    peer.row.precision = name(Precision::float64);
    peer.run = [this, order, shift = plan.shift](Index seed) {
      return run_lapack(*system(order, seed, shift));
    };
    contenders.push_back(std::move(peer));
  }
  return contenders;
}

double HostContest::gemm_gflops() {
  constexpr Index n = 2048;
  static const Dense<double> a = random_multivector(n, n, 1), b = random_multivector(n, n, 2);
  Dense<double> c(n, n);
  const Timer timer;
  blas::subtract_product(n, n, n, a.values.data(), n, b.values.data(), n, c.values.data(), n);
  return 2.0 * n * n * n / timer.seconds() / 1e9;
}

std::vector<EliminationRow> sample_eliminations(EliminationContest& contest,
                                                const EliminationPlan& plan) {
  double gemm = 0;
  std::vector<EliminationRow> rows;
  for (const Index order : plan.orders) {
    std::vector<EliminationContender> contenders = contest.contenders(plan, order);
    std::vector<std::vector<BenchRun>> runs(contenders.size());
    for (int round = 0; round < plan.samples; ++round) {
      gemm = std::max(gemm, contest.gemm_gflops());
      for (std::size_t k = 0; k < contenders.size(); ++k) {
        runs[k].push_back(contenders[k].run(round + 1));
      }
    }
    const auto peer = std::ranges::find(contenders, true, &EliminationContender::peer);
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      EliminationRow& row = contenders[k].row;
      row.order = order;
      row.threads = plan.threads;
      row.shift = plan.shift;
      row.gemm_gflops = gemm;
      sum_up(row, runs[k]);
      if (peer != contenders.end() && &*peer != &contenders[k]) {
        row.speedup = speedup_over(runs[peer - contenders.begin()], runs[k]);
      }
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace spsolve::bench
