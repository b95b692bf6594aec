#include "apps/bench/gpu/gpu_contest.hpp"

#include <algorithm>
#include <optional>

#include "apps/bench/gpu/cusolver_mg.hpp"
#include "apps/bench/gpu/cusolver_peers.hpp"
#include "apps/bench/gpu/gpu_system.hpp"
#include "apps/bench/gpu/random_rows.hpp"
#include "apps/bench/gpu/random_system.hpp"
#include "apps/bench/gpu/stored_matrix.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/dense/device_blocked_rows.hpp"
#include "cuda/device/gpu_device.hpp"
#include "dense/dense_inverse.hpp"
#include "matrix/multivector.hpp"
#include "plan/memory_plan.hpp"

namespace spsolve::cuda {

namespace {

/// Bytes of GPU memory that an elimination of a random system takes on `rank`.
std::int64_t bytes_for(const EliminationChoice& choice, Index order, int rank, int ranks,
                       bool condition) {
  const Index height = dense_layout(choice, order, ranks).height(rank);
  const bool mixed = choice.precision == Precision::mixed;
  std::int64_t band = device_dense_bytes(choice, height, order, ranks, 1);
  if (mixed && choice.method == Method::lu) {
    band = std::max(band,
                    DeviceBlockedRows<float>::bytes(height, order, choice.block, ranks, 1, true));
  }
  return band + (mixed || condition ? StoredMatrix::bytes(order, rank, ranks) : 0);
}

/// Throws Error(resources) on every rank where the GPU of one has too little memory left.
void refuse_what_does_not_fit(Team& team, const EliminationChoice& choice, Index order,
                              bool condition) {
  const auto free = all_gather(team, free_device_memory());
  for (int rank = 0; rank < team.size(); ++rank) {
    const std::int64_t needed = bytes_for(choice, order, rank, team.size(), condition);
    if (needed <= free[rank]) continue;
    fail_everywhere(ExitCode::resources,
                    "n = {} in {} takes {} of GPU memory on rank {} of {}, and {} are free there; "
                    "start more ranks, each with a GPU of its own, or sample a smaller --n",
                    order, name(choice.precision), readable_bytes(needed), rank, team.size(),
                    readable_bytes(free[rank]));
  }
}

/// Solves and measures; in mixed precision the time begins with the matrix in double, so that its
/// conversion (on several ranks, its being made once more in float) and its norm count. Collective.
void run_ours(bench::Turn& turn, RankStreams& ranks, const GpuSystem& system,
              const EliminationChoice& choice, bool condition) {
  Team& team = turn.team;
  refuse_what_does_not_fit(team, choice, system.order, condition);
  const bool mixed = choice.precision == Precision::mixed;
  std::optional<StoredMatrix> stored;
  if (mixed) stored.emplace(ranks.streams, team, system);
  RandomRows memory(team, ranks, system, stored ? stored->values() : nullptr);
  RandomMatrix matrix(team, system.order, stored ? &*stored : nullptr);
  const std::unique_ptr<Vectors> b = matrix.vectors(1), x = matrix.vectors(1);
  set_own_rows(*b, random_multivector(b->height(), 1, system.seed, b->own().first));
  const Equilibration unscaled;
  const std::unique_ptr<Inverse> inverse = make_dense_inverse(team, memory, choice);
  if (!mixed) inverse->prepare(matrix, unscaled);
  wait_for_device();
  wait_for_all(team);
  const Timer timer;
  if (mixed) inverse->prepare(matrix, unscaled);
  bench::time_elimination(*inverse, *b, *x, timer, turn);
  turn.row.keep_most("backward_error", system.backward_error(*x));
  if (condition) {
    if (!stored) stored.emplace(ranks.streams, team, system);
    turn.row["condition"] = bench::estimated_condition(matrix, *inverse, stored->norm());
  }
}

class GpuContest final : public bench::EliminationContest {
 public:
  GpuContest(Team& team, Transport transport) : team_(team), ranks_(team, transport) {}

  std::vector<bench::Contender> contenders(const bench::EliminationPlan& plan,
                                           Index order) override {
    const double diagonal = bench::shifted_diagonal(plan.shift, order);
    auto all = bench::own_contenders(
        plan, order, MemoryKind::gpu, team_.size(), [&](const EliminationChoice& choice) {
          return [=, this, condition = plan.condition](bench::Turn& turn) {
            run_ours(turn, ranks_, {order, turn.round, diagonal}, choice,
                     condition && turn.round == 1);
          };
        });
    for (bench::Contender& own : all) {
      if (team_.size() > 1) own.row["transport"] = ranks_.row_team->transport();
    }
    if (!plan.peers) return all;
    if (team_.size() == 1) {
      for (auto& peer : cusolver_peers(order, diagonal)) all.push_back(std::move(peer));
    } else if (const auto mg = cusolver_mg()) {
      all.push_back(CusolverMg::contender(mg, order, diagonal));
    }
    return all;
  }

  double gemm_gflops() override {
    constexpr Index n = 8192;
    struct Matrices {
      DeviceArray<double> a{n * n}, b{n * n}, c{n * n};
    };
    auto [a, b, c] = together(team_, [] { return Matrices(); });
    for (auto* matrix : {&a, &b, &c}) {
      fill_random_columns(1, 0, n, 0, n, matrix->data(), n, nullptr);
    }
    const double one = 1;
    double best = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {
      wait_for_device();
      const Timer timer;
      CUDA_CHECK(cublasDgemm_64(ranks_.streams.update_blas.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n,
                                &one, a.data(), n, b.data(), n, &one, c.data(), n));
      wait_for_device();
      best = std::max(best, 2.0 * n * n * n / timer.seconds() / 1e9);
    }
    return all_sum(team_, best) / team_.size();
  }

 private:
  std::shared_ptr<CusolverMg> cusolver_mg() {
    if (!mg_) mg_ = CusolverMg::find(team_);
    return *mg_;
  }

  Team& team_;
  RankStreams ranks_;
  std::optional<std::shared_ptr<CusolverMg>> mg_;  // null where it can't be used
};

}  // namespace

std::unique_ptr<bench::EliminationContest> gpu_contest(Team& team, Transport transport) {
  return std::make_unique<GpuContest>(team, transport);
}

}  // namespace spsolve::cuda
