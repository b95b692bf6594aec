#include "apps/bench/eliminate_bench.hpp"

#include <algorithm>
#include <cmath>

#include "apps/bench/sparse/candidate.hpp"
#include "core/blas/blas.hpp"
#include "core/timer.hpp"
#include "dense/dense_inverse.hpp"
#include "dense/host_device.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "solve/trust/one_norm.hpp"

namespace spsolve::bench {

namespace {

constexpr Column columns[] = {
    {"n", "order of the system", "{}", "n"},
    {"device", "host or cuda", "{}", "device"},
    {"method", "elimination, or the peer that is compared", "{}", "method"},
    {"pivoting", "where pivots are looked for", "{}", "pivoting"},
    {"precision", "of the elimination", "{}", "precision"},
    {"factors", "float or double: what x was solved with, of mixed precision; null: not told", "{}",
     "factors"},
    {"shift", "sqrt(n / 3) times this was added to the diagonal", "{}", "shift"},
    {"block", "columns of a panel; null where there is none", "{}", "block"},
    {"threads", "threads", "{}", "threads"},
    {"ranks", "processes that share the matrix, each with a GPU of its own; of cusolver_mg, GPUs",
     "{}", "ranks"},
    {"transport", "how rows travel between the ranks' GPUs"},
    {"samples", "rounds"},
    {"eliminate_s", "seconds of the elimination: median (null for peers that do not tell)",
     "{:.4f}", "eliminate s"},
    {"total_s", "seconds through the solution: median", "{:.4f}", "total s"},
    {"min_s", "the shortest total", "{:.4f}", "shortest s"},
    {"gflops", "2/3 n^3 / total_s, 10^9 a second", "{:.1f}", "GFLOP/s"},
    {"gflops_per_rank", "gflops / ranks", "{:.1f}", "a rank"},
    {"gemm_gflops",
     "rate of a large matrix product in double in the same run, on one rank's device: their mean"},
    {"of_gemm", "gflops_per_rank / gemm_gflops", "{:.2f}", "of gemm"},
    {"speedup", "median over the rounds of the first peer's total / own total of the same round",
     "{:.2f}", "over peer"},
    {"panel_s", "of lu: seconds of panels, median; on a GPU concurrent with the update", "{:.4f}",
     "panel s"},
    {"exchange_s",
     "of lu: seconds of rows changing places, and ranks; on a GPU concurrent with the update, "
     "median",
     "{:.4f}", "exchange s"},
    {"update_s", "of lu: seconds of products, on the host of rows of U, too, median", "{:.4f}",
     "update s"},
    {"wait_s", "of lu: seconds without an update (on the host, exchange or panel), median",
     "{:.4f}", "wait s"},
    {"steps", "steps of refinement in mixed precision, the most of the rounds", "{}", "steps"},
    {"condition", "estimate of ||A|| ||A^-1||, infinity norms, first round (--condition)", "{:.1e}",
     "condition"},
    {"backward_error",
     "normwise, without refinement but that of mixed precision, the worst of the "
     "rounds",
     "{:.1e}", "backward error"},
};

}  // namespace

/// The random system of one round.
struct HostSystem {
  HostSystem(Index order, Index of_round, double shift)
      : seed(of_round),
        judge(team, {order, 1}, matrix(order, of_round, shift)),
        b(random_multivector(order, 1, of_round)) {}

  static Csr<double> matrix(Index order, Index seed, double shift) {
    Csr<double> rows = generate_matrix(fmt::format("random_dense:{}:seed={}", order, seed));
    for (Index i = 0; i < order; ++i) {
      rows.values[i * (order + 1)] += shifted_diagonal(shift, order);
    }
    return rows;
  }

  Index seed;
  SoloTeam team;
  Judge judge;
  Dense<double> b;
};

namespace {

void run_ours(Turn& turn, HostSystem& system, const EliminationChoice& choice, bool condition) {
  SystemMatrix& matrix = system.judge.matrix();
  spsolve::HostDevice memory(system.team);
  const std::unique_ptr<Inverse> inverse = make_dense_inverse(system.team, memory, choice);
  const Equilibration unscaled;
  inverse->prepare(matrix, unscaled);
  const std::unique_ptr<Vectors> b = matrix.vectors(1), x = matrix.vectors(1);
  set_own_rows(*b, system.b);
  time_elimination(*inverse, *b, *x, Timer{}, turn);
  system.judge.judge(system.b, own_rows(*x), turn.row);
  if (!condition) return;
  turn.row["condition"] = estimated_condition(matrix, *inverse, matrix.infinity_norm(unscaled));
}

void run_lapack(Turn& turn, HostSystem& system) {
  const Index n = system.b.rows;
  const std::vector<double>& values = system.judge.matrix().local_rows().values;
  // LAPACK takes columns, and these rows are full: the transpose is made outside the measurement.
  std::vector<double> a(static_cast<std::size_t>(n * n));
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) a[j * n + i] = values[i * n + j];
  }
  Dense<double> x = system.b;
  turn.time("total_s", [&] { blas::solve_system(n, 1, a.data(), x.values.data()); });
  system.judge.judge(system.b, x, turn.row);
}

}  // namespace

double shifted_diagonal(double shift, Index order) {
  return shift * std::sqrt(static_cast<double>(order) / 3);
}

void time_elimination(Inverse& inverse, const Vectors& b, Vectors& x, const Timer& begun,
                      Turn& turn) {
  Progress silent("", 0, Progress::Show::off);
  const std::unique_ptr<Vectors> first = inverse.eliminate({silent, nullptr, &b});
  const double eliminated = begun.seconds();
  if (first != nullptr) {
    copy(*first, x);
  } else {
    inverse.apply(b, x);
  }
  const double total = begun.seconds();
  turn.add("eliminate_s", eliminated);
  turn.add("total_s", total);
  const InverseFacts& facts = inverse.facts();
  if (facts.seconds) {
    turn.row.samples["panel_s"].push_back(facts.seconds->panel);
    turn.row.samples["exchange_s"].push_back(facts.seconds->exchange);
    turn.row.samples["update_s"].push_back(facts.seconds->update);
    turn.row.samples["wait_s"].push_back(facts.seconds->wait);
  }
  if (facts.mixed) set_mixed(turn.row, facts.mixed->steps, facts.mixed->fell_back);
}

void set_mixed(Row& row, int steps, bool fell_back) {
  row.keep_most("steps", steps);
  const std::string_view in_double = name(Precision::float64);
  if (row.cell("factors") != in_double) {
    row["factors"] = fell_back ? in_double : name(Precision::float32);
  }
}

double estimated_condition(SystemMatrix& matrix, Inverse& inverse, double norm) {
  std::unique_ptr<Vectors> ones = matrix.vectors(1);
  ones->fill(1);
  Transposed transposed(inverse);
  return norm * estimate_one_norms(std::move(ones), transposed).front();
}

Columns elimination_columns() {
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

std::vector<Contender> own_contenders(
    const EliminationPlan& plan, Index order, MemoryKind memory, int ranks,
    const std::function<std::function<void(Turn&)>(const EliminationChoice&)>& turn_of) {
  std::vector<Contender> contenders;
  for (const Method method : plan.methods) {
    for (const Precision precision : plan.precisions) {
      for (const Index block : plan.blocks) {
        const EliminationChoice choice =
            choose_elimination(options_for(plan, method, precision, block), order, ranks, memory);
        const bool blocked = choice.method == Method::lu;
        Row row;
        row.name = fmt::format("{} in {}", name(choice.method), name(precision));
        row.cells = {{"device", memory == MemoryKind::gpu ? "cuda" : "host"},
                     {"ranks", ranks},
                     {"transport", "none"},
                     {"method", name(choice.method)},
                     {"pivoting", name(choice.pivoting)},
                     {"precision", name(precision)}};
        if (choice.precision != precision) row["factors"] = name(choice.precision);
        if (blocked && choice.block > 0) row["block"] = choice.block;
        contenders.push_back({std::move(row), true, turn_of(choice)});
        if (!blocked) break;
      }
    }
  }
  return contenders;
}

Contender dense_peer(const std::string& device, const std::string& method, Precision precision,
                     std::function<void(Turn&)> turn) {
  Row row;
  row.name = method;
  row.peer = true;
  row.cells = {{"device", device},
               {"ranks", 1},
               {"transport", "none"},
               {"method", method},
               {"pivoting", name(Pivoting::partial)},
               {"precision", name(precision)}};
  return {std::move(row), true, std::move(turn)};
}

HostSystem& HostContest::system(Index order, Index seed, double shift) {
  if (latest_ == nullptr || latest_->seed != seed || latest_->b.rows != order) {
    latest_.reset();
    latest_ = std::make_shared<HostSystem>(order, seed, shift);
  }
  return *latest_;
}

std::vector<Contender> HostContest::contenders(const EliminationPlan& plan, Index order) {
  use_threads(plan.threads);
  auto contenders =
      own_contenders(plan, order, MemoryKind::host, 1, [&](const EliminationChoice& choice) {
        return [this, order, plan, choice](Turn& turn) {
          const bool condition = plan.condition && turn.round == 1;
          run_ours(turn, system(order, turn.round, plan.shift), choice, condition);
        };
      });
  if (plan.peers) {
    contenders.push_back(dense_peer("host", "dgesv", Precision::float64,
                                    [this, order, shift = plan.shift](Turn& turn) {
                                      run_lapack(turn, system(order, turn.round, shift));
                                    }));
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

namespace {

/// The median over the rounds of the peer's seconds / own seconds.
double speedup_over(const Row& peer, const Row& own) {
  std::vector<double> ratios = peer.samples.at("total_s");
  const std::vector<double>& seconds = own.samples.at("total_s");
  for (std::size_t round = 0; round < seconds.size(); ++round) ratios[round] /= seconds[round];
  return statistics_of(ratios).median;
}

void set_rates(Row& row, Index order, double gemm) {
  const auto n = static_cast<double>(order);
  const double rate = 2.0 / 3.0 * n * n * n / row.number("total_s") / 1e9;
  row["min_s"] = row.statistics("total_s").min;
  row["gflops"] = rate;
  row["gflops_per_rank"] = rate / row.number("ranks");
  row["gemm_gflops"] = gemm;
  row["of_gemm"] = row.number("gflops_per_rank") / gemm;
}

}  // namespace

std::vector<Row> sample_eliminations(Team& team, EliminationContest& contest,
                                     const EliminationPlan& plan) {
  double gemm = 0;
  std::vector<Row> all;
  for (const Index order : plan.orders) {
    Rules rules;
    rules.where = fmt::format("n = {}", order);
    rules.rounds = plan.samples;
    rules.strict = true;
    rules.each_round = [&] { gemm = std::max(gemm, contest.gemm_gflops()); };
    std::vector<Contender> contenders = contest.contenders(plan, order);
    for (Contender& contender : contenders) {
      contender.row["n"] = order;
      contender.row["threads"] = plan.threads;
      contender.row["shift"] = plan.shift;
    }
    std::vector<Row> rows = compete(team, std::move(contenders), rules);
    const auto peer = std::ranges::find(rows, true, &Row::peer);
    for (Row& row : rows) {
      set_rates(row, order, gemm);
      if (peer != rows.end() && &*peer != &row) row["speedup"] = speedup_over(*peer, row);
    }
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace spsolve::bench
