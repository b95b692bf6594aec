// lu over several GPUs: the random rows of a benchmark, and whole systems.

#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "apps/bench/gpu/gpu_system.hpp"
#include "apps/bench/gpu/random_rows.hpp"
#include "apps/bench/gpu/stored_matrix.hpp"
#include "cuda/dense/device_blocked_rows.hpp"
#include "cuda/device/gpu_device.hpp"
#include "dense/dense_inverse.hpp"
#include "gpu_mpi/gpu_team_test.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::cuda {
namespace {

class GpuTeamLu : public GpuTeamTest {
 protected:
  void SetUp() override {
    GpuTeamTest::SetUp();
    if (!IsSkipped()) streams.emplace();
  }

  /// The ways that rows can travel here.
  std::vector<Transport> transports() {
    std::vector<Transport> ways{Transport::pinned};
    Transports best(team, Transport::automatic);
    if (best.make_team(streams->updates)->transport() != pinned_transport) {
      ways.push_back(Transport::automatic);
    }
    return ways;
  }

  Dense<double> solve(ComputeDevice& memory, const Csr<double>& matrix, const Dense<double>& b,
                      const EliminationChoice& choice) {
    test::EliminatedSystem system(team, memory, matrix, choice);
    system.eliminate();
    return system.solve(b);
  }

  /// The solution of a random system, and where the time went.
  std::pair<Dense<double>, std::optional<LuSeconds>> solve_random(RankStreams& ranks,
                                                                  const GpuSystem& system,
                                                                  Index block) {
    RandomRows memory(team, ranks, system, nullptr);
    RandomMatrix matrix(team, system.order, nullptr);
    const Equilibration unscaled;
    const std::unique_ptr<Inverse> inverse =
        make_dense_inverse(team, memory, test::lu(Pivoting::tournament, block));
    inverse->prepare(matrix, unscaled);
    Progress progress("test", 0, Progress::Show::off);
    inverse->eliminate({progress});
    const std::unique_ptr<Vectors> b = test::vectors_of(matrix, system.right_hand_side());
    const std::unique_ptr<Vectors> x = matrix.vectors(1);
    inverse->apply(*b, *x);
    return {test::whole(*x), inverse->facts().seconds};
  }

  std::optional<DenseStreams> streams;
};

template <typename T>
void expect_rows_of_generator(Team& team, DenseStreams& streams) {
  for (const Index n : {1, 3, 130, 700}) {
    const Csr<double> matrix = generate_matrix(fmt::format("random_dense:{}:seed=7", n));
    for (const Index block : {16, 64}) {
      const std::vector<Index> rows =
          RowLayout::cyclic(n, team.size(), block).global_rows(team.rank());
      const auto height = static_cast<Index>(rows.size());
      DeviceBlockedRows<T> dense(streams, height, n, block, team.size() == 1);
      dense.fill_random(random_dense_key(7), 2.5, rows);
      const std::vector<T> values = dense.read({0, height}, {0, n});
      ASSERT_EQ(values.size(), rows.size() * static_cast<std::size_t>(n));
      Index differing = 0;
      for (Index i = 0; i < height; ++i) {
        for (Index j = 0; j < n; ++j) {
          const double shift = rows[i] == j ? 2.5 : 0;
          const auto expected = static_cast<T>(matrix.values[rows[i] * n + j] + shift);
          if (values[i * n + j] != expected) ++differing;
        }
      }
      EXPECT_EQ(differing, 0) << n << " by " << block;
    }
  }
}

TEST_F(GpuTeamLu, RandomRowsAreThoseOfTheGenerator) {
  expect_rows_of_generator<double>(team, *streams);
  expect_rows_of_generator<float>(team, *streams);
}

TEST_F(GpuTeamLu, BackwardErrorOfARandomSystemIsThatOfItsMatrix) {
  for (const Index n : {1, 2, 61, 300}) {
    const GpuSystem system{n, 3, 1.5};
    Csr<double> matrix = generate_matrix(fmt::format("random_dense:{}:seed=3", n));
    for (Index i = 0; i < n; ++i) matrix.values[i * (n + 1)] += 1.5;
    const Dense<double> x = random_multivector(n, 1, 9);
    const double expected = test::backward_error(matrix, system.right_hand_side(), x);
    EXPECT_NEAR(system.backward_error(team, x), expected, 1e-12 * expected) << n;
  }
}

TEST_F(GpuTeamLu, RandomRowsAreSolved) {
  for (const Transport transport : transports()) {
    RankStreams ranks(team, transport);
    const GpuSystem system{500, 2, 0};
    const auto [x, seconds] = solve_random(ranks, system, 64);
    EXPECT_LE(system.backward_error(team, x), 1e-13) << name(transport);
    ASSERT_TRUE(seconds) << name(transport);
    EXPECT_GT(seconds->update, 0) << name(transport);
    EXPECT_GT(seconds->panel, 0) << name(transport);
  }
}

// Large enough for steps that wait for their updates, not for the next panel.
TEST_F(GpuTeamLu, SameBitsFromRunToRunWhereUpdatesTakeLonger) {
  RankStreams ranks(team, Transport::automatic);
  const GpuSystem system{26000, 5, 0};
  const Dense<double> x = solve_random(ranks, system, 512).first;
  EXPECT_LE(system.backward_error(team, x), 1e-13);
  EXPECT_EQ(solve_random(ranks, system, 512).first.values, x.values);
}

TEST_F(GpuTeamLu, MatchesLapackForEverySizeAndBlock) {
  for (const Transport transport : transports()) {
    const auto memory = gpu_device(team, transport);
    for (const Index n : {1, 5, 33, 127, 333}) {
      const Csr<double> matrix = test::sparse(random_multivector(n, n, n));
      const Dense<double> b = random_multivector(n, 3, n + 1);
      const double largest = test::error_bound(matrix, b);
      for (const Index block : {7, 64, 256}) {
        if (n > 200 && block < 32) continue;
        for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
          if (pivoting == Pivoting::partial && block != 64) continue;
          const Dense<double> x = solve(*memory, matrix, b, test::lu(pivoting, std::min(block, n)));
          EXPECT_LE(test::backward_error(matrix, b, x), largest)
              << n << " by " << block << ", " << name(transport);
        }
      }
    }
  }
}

TEST_F(GpuTeamLu, SameBitsFromRunToRunAndByEveryTransport) {
  std::map<std::string, std::vector<double>> first;  // by system
  for (const Transport transport : transports()) {
    const auto memory = gpu_device(team, transport);
    for (const test::System& system : test::difficult_systems(190)) {
      const Dense<double> b = test::multiply(system.matrix, random_multivector(190, 1, 6));
      for (int run = 0; run < 2; ++run) {
        const Dense<double> x =
            solve(*memory, system.matrix, b, test::lu(Pivoting::tournament, 24));
        const auto& expected = first.try_emplace(system.name, x.values).first->second;
        EXPECT_EQ(x.values, expected) << system.name << ", " << name(transport);
      }
    }
  }
}

TEST_F(GpuTeamLu, TournamentIsAsGoodAsPartialPivotingOnDifficultSystems) {
  const auto memory = gpu_device(team, Transport::pinned);
  for (const test::System& system : test::difficult_systems(300)) {
    const Dense<double> b = test::multiply(system.matrix, random_multivector(300, 1, 5));
    for (const Index block : {33, 64}) {
      const double of_partial = test::backward_error(
          system.matrix, b, solve(*memory, system.matrix, b, test::lu(Pivoting::partial, block)));
      const double of_tournament = test::backward_error(
          system.matrix, b,
          solve(*memory, system.matrix, b, test::lu(Pivoting::tournament, block)));
      EXPECT_LE(of_tournament, 10 * std::max(of_partial, unit_roundoff))
          << system.name << " by " << block;
    }
  }
}

TEST_F(GpuTeamLu, WithoutPivotingAndInFloat) {
  const auto memory = gpu_device(team, Transport::pinned);
  const Index n = 260;
  Dense<double> dense = random_multivector(n, n, 3);
  for (Index i = 0; i < n; ++i) dense(i, i) += static_cast<double>(n);
  const Csr<double> matrix = test::sparse(dense);
  const Dense<double> b = random_multivector(n, 2, 4);
  for (const Index block : {5, 32, 64}) {
    const Dense<double> x = solve(*memory, matrix, b, test::lu(Pivoting::none, block));
    EXPECT_LE(test::backward_error(matrix, b, x), test::error_bound(matrix, b)) << block;
    const Dense<double> y =
        solve(*memory, matrix, b, test::lu(Pivoting::tournament, block, Precision::float32));
    EXPECT_LE(test::backward_error(matrix, b, y), 1e-6) << block;
  }
}

}  // namespace
}  // namespace spsolve::cuda
