#include "dense/lu/lu.hpp"

#include <gtest/gtest.h>

#include "cuda/dense/device_blocked_rows.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "dense/lu/host_blocked_rows.hpp"
#include "gpu_test.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

namespace spsolve::cuda {
namespace {

struct Solved {
  Dense<double> x;
  Dense<double> y;  ///< of A^T y = b
  PivotStatistics pivots;
  int redone = 0;
};

template <typename T = double>
Solved solve_on_gpu(const Csr<double>& matrix, const Dense<double>& b, Pivoting pivoting,
                    Index block) {
  SoloTeam team;
  DenseStreams streams;
  const Index n = matrix.rows;
  const RowLayout layout = RowLayout::cyclic(n, 1, std::min(block, n));
  DeviceBlockedRows<T> rows(streams, n, n, layout.block, true);
  rows.fill(matrix);
  Progress progress("test", 0, Progress::Show::off);
  const LuFactors<T> factors = factor_lu<T>(team, team, team, layout, rows, pivoting, progress);
  Solved solved{{}, {}, factors.pivots, factors.redone_panels};
  DeviceVectors x(team, RowLayout{n, 1}, b.columns), right(team, RowLayout{n, 1}, b.columns);
  set_own_rows(right, b);
  rows.solution().solve_whole(false, right, x);
  solved.x = own_rows(x);
  rows.solution().solve_whole(true, right, right);
  solved.y = own_rows(right);
  return solved;
}

class GpuLu : public GpuTest {};

TEST_F(GpuLu, SolvesWithTheTranspose) {
  for (const Index n : {1, 2, 5, 31, 64, 127, 700}) {
    const Csr<double> matrix = test::sparse(random_multivector(n, n, n));
    const Csr<double> transposed = transpose(matrix);
    // Passes of one, two and four columns, and more of them than go by passes.
    for (const Index columns : {1, 2, 4, 7, 9}) {
      const Dense<double> b = random_multivector(n, columns, n + 1);
      for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
        const Solved solved = solve_on_gpu(matrix, b, pivoting, 64);
        EXPECT_LE(test::backward_error(transposed, b, solved.y), test::error_bound(transposed, b))
            << n << ", " << columns << " columns";
        EXPECT_LE(test::backward_error(matrix, b, solved.x), test::error_bound(matrix, b))
            << n << ", " << columns << " columns";
      }
    }
  }
}

TEST_F(GpuLu, MatchesLapackForEverySizeAndBlock) {
  for (const Index n : {1, 2, 3, 5, 17, 31, 32, 33, 64, 100, 127, 200, 301, 700, 1100}) {
    const Csr<double> matrix = test::sparse(random_multivector(n, n, n));
    const Dense<double> b = random_multivector(n, 3, n + 1);
    const double largest = test::error_bound(matrix, b);
    for (const Index block : {1, 7, 32, 33, 64, 96, 128, 200, 256, 512}) {
      for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
        const Solved solved = solve_on_gpu(matrix, b, pivoting, block);
        EXPECT_LE(test::backward_error(matrix, b, solved.x), largest) << n << " by " << block;
        EXPECT_EQ(solved.redone, 0);
      }
      if (n > 300 && block < 32) break;
    }
  }
}

TEST_F(GpuLu, TallPanelsPlayThreeRounds) {
  const Index n = 9000;
  const Csr<double> matrix = generate_matrix("random_dense:9000");
  const Dense<double> b = random_multivector(n, 1, 3);
  const Solved solved = solve_on_gpu(matrix, b, Pivoting::tournament, 256);
  EXPECT_LE(test::backward_error(matrix, b, solved.x), 1e-13);
  EXPECT_EQ(solved.redone, 0);
}

TEST_F(GpuLu, PanelsTooTallForPartialPivotingGoByTheHost) {
  const Index height = 70000, width = 48;
  Dense<double> dense = random_multivector(height, width, 5);
  // Beyond the exponents of a tournament's pivots, so that it is done again. The pivot of 1e-308
  // has an inverse, by which some libraries multiply.
  for (Index i = 0; i < height; ++i) dense(i, 20) *= 3e-309;
  const Csr<double> matrix = test::sparse(dense);
  const Range panel{0, width};
  HostBlockedRows<double> host(matrix, width, true);
  const std::vector<Index> theirs = host.factor_panel(panel, Pivoting::partial).swaps;
  const auto expected = host.read({0, height}, panel);
  DenseStreams streams;
  for (const Pivoting pivoting : {Pivoting::partial, Pivoting::tournament}) {
    DeviceBlockedRows<double> rows(streams, height, width, width, true);
    rows.fill(matrix);
    rows.begin_panel(0, panel, pivoting);
    const PanelOutcome outcome = rows.factor_panel(panel, pivoting);
    EXPECT_EQ(outcome.redone, pivoting == Pivoting::tournament);
    EXPECT_EQ(outcome.bad_column, -1);
    EXPECT_EQ(outcome.swaps, theirs);
    EXPECT_EQ(rows.read({0, height}, panel), expected);
  }
}

TEST_F(GpuLu, WithoutPivoting) {
  for (const Index n : {1, 6, 40, 150, 333}) {
    Dense<double> dense = random_multivector(n, n, 3);
    for (Index i = 0; i < n; ++i) dense(i, i) += static_cast<double>(n);
    const Csr<double> matrix = test::sparse(dense);
    const Dense<double> b = random_multivector(n, 2, 4);
    for (const Index block : {5, 32, 64, 100}) {
      const Solved solved = solve_on_gpu(matrix, b, Pivoting::none, block);
      EXPECT_LE(test::backward_error(matrix, b, solved.x), test::error_bound(matrix, b))
          << n << " " << block;
    }
  }
}

TEST_F(GpuLu, DifficultSystems) {
  for (const test::System& system : test::difficult_systems(700)) {
    const Dense<double> b = test::multiply(system.matrix, random_multivector(700, 1, 5));
    for (const Index block : {64, 256}) {
      const Solved partial = solve_on_gpu(system.matrix, b, Pivoting::partial, block);
      const Solved tournament = solve_on_gpu(system.matrix, b, Pivoting::tournament, block);
      const double of_partial = test::backward_error(system.matrix, b, partial.x);
      EXPECT_LE(test::backward_error(system.matrix, b, tournament.x),
                10 * std::max(of_partial, unit_roundoff))
          << system.name << " by " << block;
    }
  }
}

TEST_F(GpuLu, TrianglesOfLargeInversesAreSubstitutedFor) {
  // L U for l_ij = -0.9: entries of the inverses of its triangles grow by 1.9 from row to row, and
  // U after a panel is as small as these are large.
  const Index n = 600;
  Dense<double> dense(n, n), upper = random_multivector(n, n, 7);
  for (Index i = 0; i < n; ++i) upper(i, i) = 2;
  std::vector<double> above(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double u = j < i ? 0.0 : upper(i, j);
      dense(i, j) = u - 0.9 * above[j];
      above[j] += u;
    }
  }
  const Csr<double> matrix = test::sparse(dense);
  const Dense<double> b = random_multivector(n, 1, 8);
  const double by_substitution =
      test::backward_error(matrix, b, solve_on_gpu(matrix, b, Pivoting::partial, 32).x);
  for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
    const Solved solved = solve_on_gpu(matrix, b, pivoting, 256);
    EXPECT_LE(test::backward_error(matrix, b, solved.x),
              10 * std::max(by_substitution, unit_roundoff));
  }
}

TEST_F(GpuLu, RealSystems) {
  test::for_real_matrices({"west0497.mtx", "impcol_d.mtx", "bp_800.mtx", "662_bus.mtx"},
                          [](const std::string&, const Csr<double>& matrix) {
                            const Dense<double> b = random_multivector(matrix.rows, 1, 2);
                            const Solved solved = solve_on_gpu(matrix, b, Pivoting::tournament, 64);
                            EXPECT_LE(test::backward_error(matrix, b, solved.x),
                                      test::error_bound(matrix, b));
                            return true;
                          });
}

TEST_F(GpuLu, SameBitsFromRunToRun) {
  const Csr<double> matrix = test::sparse(random_multivector(1300, 1300, 31));
  const Dense<double> b = random_multivector(1300, 2, 32);
  for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
    EXPECT_EQ(solve_on_gpu(matrix, b, pivoting, 64).x.values,
              solve_on_gpu(matrix, b, pivoting, 64).x.values);
  }
}

TEST_F(GpuLu, SameBitsFromRunToRunInManyPieces) {
  const Csr<double> matrix = test::sparse(random_multivector(1300, 1300, 41));
  const Dense<double> b = random_multivector(1300, 1, 42);
  const auto x = solve_on_gpu(matrix, b, Pivoting::tournament, 16).x;
  EXPECT_LE(test::backward_error(matrix, b, x), test::error_bound(matrix, b));
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(solve_on_gpu(matrix, b, Pivoting::tournament, 16).x.values, x.values);
  }
}

TEST_F(GpuLu, PartialPivotsAreThoseOfTheHost) {
  const Csr<double> matrix = test::sparse(random_multivector(600, 600, 12));
  SoloTeam team;
  Progress progress("test", 0, Progress::Show::off);
  const RowLayout layout = RowLayout::cyclic(600, 1, 64);
  DenseStreams streams;
  DeviceBlockedRows<double> rows(streams, 600, 600, 64, true);
  rows.fill(matrix);
  const auto ours = factor_lu<double>(team, team, team, layout, rows, Pivoting::partial, progress);
  HostBlockedRows<double> host(matrix, 64, true);
  const auto theirs =
      factor_lu<double>(team, team, team, layout, host, Pivoting::partial, progress);
  EXPECT_EQ(ours.order, theirs.order);
  EXPECT_NEAR(ours.pivots.growth, theirs.pivots.growth, 1e-9);
  EXPECT_NEAR(ours.pivots.smallest_pivot, theirs.pivots.smallest_pivot, 1e-9);
  EXPECT_EQ(ours.pivots.largest_entry, theirs.pivots.largest_entry);
}

TEST_F(GpuLu, InFloat) {
  const Csr<double> matrix = test::sparse(random_multivector(500, 500, 8));
  const Dense<double> b = random_multivector(500, 2, 9);
  const Solved solved = solve_on_gpu<float>(matrix, b, Pivoting::tournament, 64);
  EXPECT_LE(test::backward_error(matrix, b, solved.x), 1e-5);
  EXPECT_GT(test::backward_error(matrix, b, solved.x), 1e-12) << "this was not done in float";
}

TEST_F(GpuLu, NamesTheStepOfASingularMatrix) {
  Dense<double> dense(140, 140);
  for (Index i = 0; i < 140; ++i) dense(i, i) = 4;
  dense(122, 122) = 0;
  for (const Pivoting pivoting : {Pivoting::none, Pivoting::partial, Pivoting::tournament}) {
    try {
      solve_on_gpu(test::sparse(dense), Dense<double>(140, 1), pivoting, 64);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::not_trustworthy);
      EXPECT_NE(std::string(error.what()).find("step 123 of 140"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace spsolve::cuda
