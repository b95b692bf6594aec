// Solves with A and A^T in which no rank has more of b and x than its own rows.

#include "helpers/solve_in_bands.hpp"

#include "dense/host_device.hpp"
#include "helpers/piecewise_rows.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve {
namespace {

TEST(SolveInBands, EveryMethod) {
  MpiTeam team;
  HostDevice memory(team);
  for (const EliminationChoice& choice : test::choices_in_bands(Precision::float64)) {
    for (const Index n : {1, 2, 7, 40, 101}) test::expect_solved_in_bands(team, memory, n, choice);
  }
}

TEST(SolveInBands, InFloat) {
  MpiTeam team;
  HostDevice memory(team);
  for (const EliminationChoice& choice : test::choices_in_bands(Precision::float32)) {
    for (const Index n : {3, 50}) test::expect_solved_in_bands(team, memory, n, choice, 2e-3);
  }
}

TEST(SolveInBands, InComplexNumbers) {
  MpiTeam team;
  HostDevice memory(team);
  for (const auto& [precision, bound] :
       {std::pair{Precision::float64, 0.0}, std::pair{Precision::float32, 2e-3}}) {
    for (const EliminationChoice& choice : test::choices_in_bands(precision, true)) {
      for (const Index n : {1, 2, 7, 40}) {
        test::expect_solved_in_bands(team, memory, n, choice, bound);
      }
    }
  }
}

TEST(SolveInBands, PieceByPiece) {
  MpiTeam team;
  test::PiecewiseMemory memory(team);
  for (const Pivoting pivoting : {Pivoting::none, Pivoting::partial, Pivoting::tournament}) {
    for (const Index block : {5, 16}) {
      const EliminationChoice choice{Method::lu, pivoting, Precision::float64, block};
      test::expect_solved_in_bands(team, memory, 77, choice);
    }
  }
}

}  // namespace
}  // namespace spsolve
