#include "dense/lu/lu.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "dense/host_device.hpp"
#include "helpers/piecewise_rows.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "solve_in_team.hpp"

namespace spsolve {
namespace {

using test::backward_error;
using test::error_of;
using test::solve_in_team;
using test::Solved;
using test::sparse;

TEST(Lu, MatchesLapackForEverySizeAndBlock) {
  for (const Index n : {1, 2, 3, 5, 8, 16, 17, 31, 64, 100, 127, 200, 301}) {
    const Csr<double> matrix = sparse(random_multivector(n, n, n));
    const Dense<double> b = random_multivector(n, 3, n + 1);
    const double largest = test::error_bound(matrix, b);
    for (const Index block : {1, 2, 7, 16, 33, 128, 400}) {
      for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
        const Solved solved = solve_in_team(matrix, b, test::lu(pivoting, std::min(block, n)));
        EXPECT_LE(backward_error(matrix, b, solved.x), largest) << n << " by " << block;
        EXPECT_TRUE(solved.notes.empty());
      }
    }
  }
}

/// The worst backward error of two right-hand sides of a system.
double error_piece_by_piece(const Dense<double>& dense, const EliminationChoice& choice,
                            double* bound) {
  MpiTeam team;
  test::PiecewiseMemory memory(team);
  const Index n = dense.rows;
  const Csr<double> matrix = sparse(dense);
  const Dense<double> b = random_multivector(n, 2, n + 1);
  test::EliminatedSystem system(team, memory, matrix, choice);
  system.eliminate();
  *bound = test::error_bound(matrix, b);
  return backward_error(matrix, b, system.solve(b));
}
double error_piece_by_piece(Index n, const EliminationChoice& choice, double* bound) {
  return error_piece_by_piece(random_multivector(n, n, n), choice, bound);
}

// Ranks have very different numbers of rows left then: not all of them are offered.
TEST(Lu, PivotsOfOneRankFirst) {
  const Index n = 60, block = 5;
  const int ranks = MpiTeam().size();
  Dense<double> dense = random_multivector(n, n, 8);
  for (Index i = 0; i < n; ++i) {
    if (i / block % ranks != 0) continue;
    for (Index j = 0; j < n; ++j) dense(i, j) *= 100;
  }
  double bound = 0;
  const double error = error_piece_by_piece(dense, test::lu(Pivoting::tournament, block), &bound);
  EXPECT_LE(error, bound);
}

TEST(Lu, PieceByPiece) {
  for (const Index n : {1, 9, 10, 11, 64, 101}) {
    for (const Index block : {1, 5, 10}) {
      for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
        double bound = 0;
        const auto choice = test::lu(pivoting, std::min(block, n));
        EXPECT_LE(error_piece_by_piece(n, choice, &bound), bound) << n << " by " << block;
      }
    }
  }
}

TEST(Lu, WidePanelsAreHalvedWhereStepsWaitForThem) {
  double bound = 0;
  for (const Index n : {1100, 1600}) {
    for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::none}) {
      if (pivoting == Pivoting::none && n > 1100) continue;
      const auto choice = test::lu(pivoting, 1024);
      const double error = error_piece_by_piece(n, choice, &bound);
      // Without pivoting random matrices lose some digits.
      EXPECT_LE(error, pivoting == Pivoting::none ? 1e6 * bound : bound) << n;
    }
  }
}

TEST(Lu, WithoutPivoting) {
  for (const Index n : {1, 6, 40, 150}) {
    Dense<double> dense = random_multivector(n, n, 3);
    for (Index i = 0; i < n; ++i) dense(i, i) += static_cast<double>(n);
    const Csr<double> matrix = sparse(dense);
    const Dense<double> b = random_multivector(n, 2, 4);
    for (const Index block : {1, 5, 16, 64}) {
      const Solved solved = solve_in_team(matrix, b, test::lu(Pivoting::none, std::min(block, n)));
      EXPECT_LE(backward_error(matrix, b, solved.x), test::error_bound(matrix, b))
          << n << " by " << block;
    }
  }
}

TEST(Lu, FloatIsRefinedToDouble) {
  const Index n = 150;
  const Csr<double> matrix = sparse(random_multivector(n, n, 8));
  const Dense<double> b = random_multivector(n, 2, 9);
  const Solved plain =
      solve_in_team(matrix, b, test::lu(Pivoting::tournament, 24, Precision::float32));
  EXPECT_GT(backward_error(matrix, b, plain.x), 1e-12) << "this was not done in float";
  EXPECT_LE(backward_error(matrix, b, plain.x), 1e-5);
  const Solved refined =
      solve_in_team(matrix, b, test::lu(Pivoting::tournament, 24, Precision::float32), 12);
  EXPECT_LE(backward_error(matrix, b, refined.x), 4 * unit_roundoff);
}

TEST(Lu, TournamentIsAsGoodAsPartialPivotingOnDifficultSystems) {
  for (const Index n : {9, 46, 120}) {
    for (const test::System& system : test::difficult_systems(n)) {
      const Dense<double> b = test::multiply(system.matrix, random_multivector(n, 1, 5));
      for (const Index wanted : {4, 7, 16, 48, 128}) {
        const Index block = std::min(wanted, n);
        const std::string where = fmt::format("{}, {} by {}", system.name, n, block);
        const Solved partial = solve_in_team(system.matrix, b, test::lu(Pivoting::partial, block));
        const Solved tournament =
            solve_in_team(system.matrix, b, test::lu(Pivoting::tournament, block));
        const double of_partial = backward_error(system.matrix, b, partial.x);
        EXPECT_LE(backward_error(system.matrix, b, tournament.x),
                  10 * std::max(of_partial, unit_roundoff))
            << where;
        if (system.name == "gfpp") {
          EXPECT_GE(partial.pivots.growth, std::ldexp(1.0, static_cast<int>(n) - 2)) << where;
        } else {
          EXPECT_LE(of_partial, test::error_bound(system.matrix, b)) << where;
        }
      }
    }
  }
}

TEST(Lu, RealSystemsAgainstLapackAndPartialPivoting) {
  // Zeros on the diagonal, bad scaling, conditions up to 1e25.
  test::for_real_matrices(
      {"west0067.mtx", "west0479.mtx", "west0497.mtx", "impcol_d.mtx", "bp_800.mtx", "662_bus.mtx",
       "gre_343.mtx", "mhda416.mtx", "nos7.mtx", "oscil_dcop_27.mtx", "cavity03.mtx", "str_0.mtx"},
      [](const std::string& name, const Csr<double>& matrix) {
        const Dense<double> b = random_multivector(matrix.rows, 1, 2);
        const double largest = test::error_bound(matrix, b);
        for (const Index block : {32, 50}) {
          const Solved partial = solve_in_team(matrix, b, test::lu(Pivoting::partial, block));
          const Solved tournament = solve_in_team(matrix, b, test::lu(Pivoting::tournament, block));
          const double of_partial = backward_error(matrix, b, partial.x);
          const double of_tournament = backward_error(matrix, b, tournament.x);
          EXPECT_LE(of_partial, largest) << name << " by " << block;
          EXPECT_LE(of_tournament, largest) << name << " by " << block;
          EXPECT_LE(of_tournament, 10 * std::max(of_partial, unit_roundoff))
              << name << " by " << block;
        }
        return true;
      });
}

TEST(Lu, SameBitsFromRunToRunOnDifficultSystems) {
  for (const test::System& system : test::difficult_systems(75)) {
    const Dense<double> b = test::multiply(system.matrix, random_multivector(75, 2, 6));
    const auto solve_once = [&] {
      return solve_in_team(system.matrix, b, test::lu(Pivoting::tournament, 13), 3,
                           AutoSwitch::automatic);
    };
    const Solved first = solve_once();
    const Solved second = solve_once();
    EXPECT_EQ(first.x.values, second.x.values) << system.name;
    EXPECT_EQ(first.refinement.sweeps, second.refinement.sweeps) << system.name;
  }
}

TEST(Lu, AgreesWithTheReferenceOnGrowthAndPivots) {
  const Index n = 90;
  const Csr<double> matrix = sparse(random_multivector(n, n, 21));
  const Dense<double> b = random_multivector(n, 1, 22);
  MpiTeam team;
  const Solved reference =
      solve_in_team(matrix, b, {Method::gauss, Pivoting::partial, Precision::float64});
  const auto expect_the_same = [&](ComputeDevice& memory) {
    test::EliminatedSystem blocked(team, memory, matrix, test::lu(Pivoting::partial, 16));
    blocked.eliminate();
    const PivotStatistics& pivots = blocked.facts().pivots;
    EXPECT_NEAR(pivots.growth, reference.pivots.growth, 1e-9);
    EXPECT_NEAR(pivots.smallest_pivot, reference.pivots.smallest_pivot, 1e-9);
    EXPECT_NEAR(pivots.largest_pivot, reference.pivots.largest_pivot, 1e-9);
    EXPECT_EQ(pivots.largest_entry, reference.pivots.largest_entry);
  };
  HostDevice whole(team);
  expect_the_same(whole);
  test::PiecewiseMemory piecewise(team);
  expect_the_same(piecewise);
}

// The largest u_ij and pivot are the last ones, which every rank eliminates for itself.
TEST(Lu, GrowthOfTheRest) {
  const Index n = 60;
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) {
    dense(i, n - 1) = dense(i, i) = 1;
    for (Index j = 0; j < i; ++j) dense(i, j) = -0.9;
  }
  MpiTeam team;
  test::PiecewiseMemory memory(team);
  for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial, Pivoting::none}) {
    test::EliminatedSystem system(team, memory, sparse(dense), test::lu(pivoting, 5));
    system.eliminate();
    const PivotStatistics& pivots = system.facts().pivots;
    const double last = std::pow(1.9, n - 1);
    EXPECT_NEAR(pivots.growth, last, 1e-13 * last);
    EXPECT_NEAR(pivots.largest_pivot, last, 1e-13 * last);
    EXPECT_EQ(pivots.smallest_pivot, 1);
  }
}

TEST(Lu, SameBitsFromRunToRun) {
  const Csr<double> matrix = sparse(random_multivector(130, 130, 31));
  const Dense<double> b = random_multivector(130, 2, 32);
  for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
    const Solved first = solve_in_team(matrix, b, test::lu(pivoting, 16));
    const Solved second = solve_in_team(matrix, b, test::lu(pivoting, 16));
    EXPECT_EQ(first.x.values, second.x.values);
  }
}

TEST(Lu, NamesTheStepOfASingularMatrix) {
  Dense<double> dense(40, 40);
  for (Index i = 0; i < 40; ++i) dense(i, i) = 4;
  dense(22, 22) = 0;
  for (const Pivoting pivoting : {Pivoting::none, Pivoting::partial, Pivoting::tournament}) {
    const std::string text = test::error_on_every_rank(
        [&] { solve_in_team(sparse(dense), Dense<double>(40, 1), test::lu(pivoting, 8)); },
        ExitCode::not_trustworthy);
    EXPECT_NE(text.find("step 23 of 40"), std::string::npos) << text;
  }
  // The part that every rank eliminates for itself begins at column 27.
  dense(22, 22) = 4;
  dense(33, 33) = 0;
  MpiTeam team;
  test::PiecewiseMemory memory(team);
  const auto eliminate = [&] {
    test::EliminatedSystem(team, memory, sparse(dense), test::lu(Pivoting::tournament, 8))
        .eliminate();
  };
  const std::string text = test::error_on_every_rank(eliminate, ExitCode::not_trustworthy);
  EXPECT_NE(text.find("step 34 of 40"), std::string::npos) << text;
}

TEST(Lu, NamesOverflow) {
  Dense<double> dense(30, 30);
  for (Index i = 0; i < 30; ++i) dense(i, i) = 1;
  dense(0, 0) = 1e-300;
  dense(0, 20) = dense(20, 0) = 1e300;
  const std::string text = test::error_on_every_rank(
      [&] { solve_in_team(sparse(dense), Dense<double>(30, 1), test::lu(Pivoting::none, 8)); },
      ExitCode::not_trustworthy);
  EXPECT_NE(text.find("not a finite number"), std::string::npos) << text;
}

TEST(ChooseElimination, FillsInWhatIsAutomatic) {
  SolverOptions options;
  const auto choose = [&](Method method, Pivoting pivoting, int ranks) {
    options.method = method;
    options.pivoting = pivoting;
    return choose_elimination(options, 1000, ranks);
  };
  EXPECT_EQ(choose(Method::automatic, Pivoting::automatic, 2).method, Method::lu);
  EXPECT_EQ(choose(Method::automatic, Pivoting::automatic, 2).pivoting, Pivoting::tournament);
  EXPECT_EQ(choose(Method::automatic, Pivoting::automatic, 1).pivoting, Pivoting::partial);
  EXPECT_EQ(choose(Method::automatic, Pivoting::complete, 1).method, Method::gauss);
  EXPECT_EQ(choose(Method::gauss, Pivoting::automatic, 3).pivoting, Pivoting::partial);
  options = {};
  options.block = 64;
  EXPECT_EQ(choose_elimination(options, 5, 2).block, 5);
  EXPECT_EQ(choose_elimination(options, 500, 2).block, 64);
  EXPECT_THROW(choose(Method::lu, Pivoting::complete, 1), Error);
  EXPECT_THROW(choose(Method::gauss, Pivoting::tournament, 1), Error);
}

}  // namespace
}  // namespace spsolve
