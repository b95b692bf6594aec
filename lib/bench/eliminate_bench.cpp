#include "bench/eliminate_bench.hpp"

#include <algorithm>

#include <omp.h>

#include "config/config.hpp"
#include "core/blas.hpp"
#include "core/timer.hpp"
#include "eliminate/eliminate.hpp"
#include "eliminate/refine.hpp"
#include "matrix/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::bench {

namespace {

const Column<EliminationRow> columns[] = {
    {"n", "order of the system", "{}", "n", [](const auto& row) { return Cell(row.order); }},
    {"device", "host or cuda", "{}", "device", [](const auto& row) { return Cell(row.device); }},
    {"method", "elimination, or the peer that is compared", "{}", "method",
     [](const auto& row) { return Cell(row.method); }},
    {"pivoting", "where pivots are looked for", "{}", "pivoting",
     [](const auto& row) { return Cell(row.pivoting); }},
    {"precision", "of the elimination", "{}", "precision",
     [](const auto& row) { return Cell(row.precision); }},
    {"block", "columns of a panel; null where there is none", "{}", "block",
     [](const auto& row) { return row.block > 0 ? Cell(row.block) : Cell(); }},
    {"threads", "threads", "{}", "threads", [](const auto& row) { return Cell(row.threads); }},
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
    {"gemm_gflops", "rate of a large matrix product in double in the same run", "", "",
     [](const auto& row) { return Cell(row.gemm_gflops); }},
    {"of_gemm", "gflops / gemm_gflops", "{:.2f}", "of gemm",
     [](const auto& row) { return Cell(row.gflops() / row.gemm_gflops); }},
    {"speedup", "median over the rounds of the first peer's total / own total of the same round",
     "{:.2f}", "over peer",
     [](const auto& row) { return row.speedup ? Cell(*row.speedup) : Cell(); }},
    {"backward_error", "normwise, without refinement, the worst of the rounds", "{:.1e}",
     "backward error", [](const auto& row) { return Cell(row.backward_error); }},
};

constexpr std::string_view peer_name = "dgesv";

/// The median over the rounds of the peer's seconds / own seconds.
double speedup_over(const std::vector<double>& peer, const std::vector<double>& own) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < own.size(); ++round) {
    ratios.push_back(peer[round] / own[round]);
  }
  return statistics_of(ratios).median;
}

}  // namespace

/// A random system in the forms that eliminations and peers take.
struct HostSystem {
  Index seed;
  Csr<double> matrix;
  Dense<double> b;
};

namespace {

double backward_error(const HostSystem& system, const Dense<double>& x) {
  SoloTeam team;
  Dense<double> residual(x.rows, x.columns);
  return measure(team, RowBands{x.rows, 1}, system.matrix, system.b, x, residual).backward_error;
}

EliminationRun run_ours(const HostSystem& system, const EliminationChoice& choice) {
  SoloTeam team;
  const PreparedElimination prepared =
      prepare_elimination(team, system.matrix.rows, system.matrix, choice);
  Progress progress("", 0, Progress::Show::off);
  Dense<double> x = system.b;
  EliminationRun run;
  const Timer timer;
  const Eliminated eliminated = prepared(progress);
  run.eliminate = timer.seconds();
  eliminated.solve(x);
  run.total = timer.seconds();
  run.backward_error = backward_error(system, x);
  return run;
}

EliminationRun run_lapack(const HostSystem& system) {
  const Index n = system.matrix.rows;
  // LAPACK takes columns, and these rows are full: the transpose is made outside the measurement.
  std::vector<double> a(static_cast<std::size_t>(n * n));
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) a[j * n + i] = system.matrix.values[i * n + j];
  }
  Dense<double> x = system.b;
  EliminationRun run;
  const Timer timer;
  blas::solve_system(n, 1, a.data(), x.values.data());
  run.total = timer.seconds();
  run.backward_error = backward_error(system, x);
  return run;
}

}  // namespace

double EliminationRow::gflops() const {
  const auto n = static_cast<double>(order);
  return 2.0 / 3.0 * n * n * n / total.median / 1e9;
}

std::span<const Column<EliminationRow>> elimination_columns() {
  return columns;
}

std::vector<EliminationContender> own_contenders(const EliminationPlan& plan, Index order,
                                                 BandMemory memory,
                                                 std::vector<EliminationChoice>& choices) {
  std::vector<EliminationContender> contenders;
  for (const Method method : plan.methods) {
    for (const Index block : plan.blocks) {
      choices.push_back(
          choose_elimination(method, plan.pivoting, plan.precision, block, order, 1, memory));
      EliminationRow row;
      row.device = memory == BandMemory::gpu ? "cuda" : "host";
      row.method = name(choices.back().method);
      row.pivoting = name(choices.back().pivoting);
      row.precision = name(plan.precision);
      const bool blocked = choices.back().method == Method::lu;
      row.block = blocked ? choices.back().block : 0;
      contenders.push_back({std::move(row), false, {}});
      if (!blocked) break;
    }
  }
  return contenders;
}

std::shared_ptr<const HostSystem> HostContest::system(Index order, Index seed) {
  if (latest_ == nullptr || latest_->seed != seed || latest_->matrix.rows != order) {
    latest_.reset();
    latest_ = std::make_shared<const HostSystem>(
        HostSystem{seed, generate_matrix(fmt::format("random_dense:{}:seed={}", order, seed)),
                   random_multivector(order, 1, seed)});
  }
  return latest_;
}

std::vector<EliminationContender> HostContest::contenders(const EliminationPlan& plan,
                                                          Index order) {
  omp_set_num_threads(plan.threads);
  blas::set_threads(plan.threads);
  std::vector<EliminationChoice> choices;
  auto contenders = own_contenders(plan, order, BandMemory::host, choices);
  for (std::size_t k = 0; k < contenders.size(); ++k) {
    contenders[k].run = [this, order, choice = choices[k]](Index seed) {
      return run_ours(*system(order, seed), choice);
    };
  }
  if (plan.peers) {
    EliminationContender peer;
    peer.peer = true;
    peer.row.device = "host";
    peer.row.method = peer_name;
    peer.row.pivoting = name(Pivoting::partial);
    peer.row.precision = name(Precision::float64);
    peer.run = [this, order](Index seed) { return run_lapack(*system(order, seed)); };
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
    std::vector<std::vector<double>> eliminate(contenders.size()), total(contenders.size());
    for (int round = 0; round < plan.samples; ++round) {
      gemm = std::max(gemm, contest.gemm_gflops());
      for (std::size_t k = 0; k < contenders.size(); ++k) {
        const EliminationRun run = contenders[k].run(round + 1);
        if (run.eliminate > 0) eliminate[k].push_back(run.eliminate);
        total[k].push_back(run.total);
        double& worst = contenders[k].row.backward_error;
        worst = std::max(worst, run.backward_error);
      }
    }
    const auto peer = std::ranges::find(contenders, true, &EliminationContender::peer);
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      EliminationRow& row = contenders[k].row;
      row.order = order;
      row.threads = plan.threads;
      row.gemm_gflops = gemm;
      row.eliminate = statistics_of(eliminate[k]);
      row.total = statistics_of(total[k]);
      if (peer != contenders.end() && &*peer != &contenders[k]) {
        row.speedup = speedup_over(total[peer - contenders.begin()], total[k]);
      }
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace spsolve::bench
