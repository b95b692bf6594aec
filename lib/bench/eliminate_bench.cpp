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
    {"gemm_gflops", "rate of a 2048 x 2048 x 2048 product in the same run", "", "",
     [](const auto& row) { return Cell(row.gemm_gflops); }},
    {"of_gemm", "gflops / gemm_gflops", "{:.2f}", "of gemm",
     [](const auto& row) { return Cell(row.gflops() / row.gemm_gflops); }},
    {"speedup", "median over the rounds of dgesv's total / own total of the same round", "{:.2f}",
     "over dgesv", [](const auto& row) { return row.speedup ? Cell(*row.speedup) : Cell(); }},
    {"backward_error", "normwise, of the first solution", "{:.1e}", "backward error",
     [](const auto& row) { return Cell(row.backward_error); }},
};

constexpr std::string_view peer_name = "dgesv";

/// A random system in the forms that eliminations and peers take.
struct System {
  Csr<double> matrix;
  Dense<double> b;
};

/// A row with the seconds of each round.
struct Contender {
  EliminationRow row;
  EliminationChoice choice;
  bool peer = false;
  std::vector<double> eliminate, total;
};

double backward_error(const System& system, const Dense<double>& x) {
  SoloTeam team;
  Dense<double> residual(x.rows, x.columns);
  return measure(team, RowBands{x.rows, 1}, system.matrix, system.b, x, residual).backward_error;
}

void run_ours(const System& system, Contender& contender) {
  SoloTeam team;
  const PreparedElimination prepared =
      prepare_elimination(team, system.matrix.rows, system.matrix, contender.choice);
  Progress progress("", 0, Progress::Show::off);
  Dense<double> x = system.b;
  const Timer timer;
  const Eliminated eliminated = prepared(progress);
  contender.eliminate.push_back(timer.seconds());
  eliminated.solve(x);
  contender.total.push_back(timer.seconds());
  contender.row.backward_error = std::max(contender.row.backward_error, backward_error(system, x));
}

void run_peer(const System& system, Contender& contender) {
  const Index n = system.matrix.rows;
  // LAPACK takes columns, and these rows are full: the transpose is made outside the measurement.
  std::vector<double> a(static_cast<std::size_t>(n * n));
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) a[j * n + i] = system.matrix.values[i * n + j];
  }
  Dense<double> x = system.b;
  const Timer timer;
  blas::solve_system(n, 1, a.data(), x.values.data());
  contender.total.push_back(timer.seconds());
  contender.row.backward_error = std::max(contender.row.backward_error, backward_error(system, x));
}

/// The rate of C <- C - A B, 2 n^3 / seconds: the best of all calls.
class GemmRate {
 public:
  void measure() {
    const Timer timer;
    blas::subtract_product(n, n, n, a_.values.data(), n, b_.values.data(), n, c_.values.data(), n);
    best_ = std::max(best_, 2.0 * n * n * n / timer.seconds() / 1e9);
  }
  double gflops() const { return best_; }

 private:
  static constexpr Index n = 2048;
  Dense<double> a_ = random_multivector(n, n, 1);
  Dense<double> b_ = random_multivector(n, n, 2);
  Dense<double> c_{n, n};
  double best_ = 0;
};

std::vector<Contender> contenders_for(const EliminationPlan& plan, Index order) {
  std::vector<Contender> contenders;
  for (const Method method : plan.methods) {
    for (const Index block : plan.blocks) {
      Contender contender;
      contender.choice =
          choose_elimination(method, Pivoting::automatic, plan.precision, block, order, 1);
      contender.row.method = name(contender.choice.method);
      contender.row.pivoting = name(contender.choice.pivoting);
      contender.row.precision = name(plan.precision);
      const bool blocked = contender.choice.method == Method::lu;
      contender.row.block = blocked ? contender.choice.block : 0;
      contenders.push_back(std::move(contender));
      if (!blocked) break;
    }
  }
  if (plan.peers) {
    Contender peer;
    peer.peer = true;
    peer.row.method = peer_name;
    peer.row.pivoting = name(Pivoting::partial);
    peer.row.precision = name(Precision::float64);
    contenders.push_back(std::move(peer));
  }
  return contenders;
}

/// The median over the rounds of the peer's seconds / own seconds.
double speedup_over(const std::vector<double>& peer, const std::vector<double>& own) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < own.size(); ++round) {
    ratios.push_back(peer[round] / own[round]);
  }
  return statistics_of(ratios).median;
}

}  // namespace

double EliminationRow::gflops() const {
  const auto n = static_cast<double>(order);
  return 2.0 / 3.0 * n * n * n / total.median / 1e9;
}

std::span<const Column<EliminationRow>> elimination_columns() {
  return columns;
}

std::vector<EliminationRow> sample_eliminations(const EliminationPlan& plan) {
  omp_set_num_threads(plan.threads);
  blas::set_threads(plan.threads);
  GemmRate gemm;
  std::vector<EliminationRow> rows;
  for (const Index order : plan.orders) {
    std::vector<Contender> contenders = contenders_for(plan, order);
    for (int round = 0; round < plan.samples; ++round) {
      gemm.measure();
      const System system{generate_matrix(fmt::format("random_dense:{}:seed={}", order, round + 1)),
                          random_multivector(order, 1, round + 1)};
      for (Contender& contender : contenders) {
        contender.peer ? run_peer(system, contender) : run_ours(system, contender);
      }
    }
    for (Contender& contender : contenders) {
      EliminationRow& row = contender.row;
      row.order = order;
      row.threads = plan.threads;
      row.gemm_gflops = gemm.gflops();
      row.eliminate = statistics_of(contender.eliminate);
      row.total = statistics_of(contender.total);
      if (plan.peers && !contender.peer) {
        row.speedup = speedup_over(contenders.back().total, contender.total);
      }
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace spsolve::bench
