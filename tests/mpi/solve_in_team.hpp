#pragma once

#include "distribute/scatter.hpp"
#include "eliminate/eliminate.hpp"
#include "eliminate/refine.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve::test {

struct Solved {
  PivotStatistics pivots;
  std::vector<std::string> notes;
  Refinement refinement;
  Dense<double> x;
};

/// The way of the application: rank 0 has the matrix, everybody ends up with x.
inline Solved solve_in_team(const Csr<double>& matrix, const Dense<double>& b,
                            const EliminationChoice& choice, int sweeps = 0) {
  MpiTeam team;
  const RowBands bands{matrix.rows, team.size()};
  const Csr<double>& whole = team.rank() == 0 ? matrix : Csr<double>{};
  const Csr<double> rows = scatter_rows(team, bands, whole);
  const Csr<double> dealt =
      deals_in_cycles(choice, team.size())
          ? scatter_rows(team, cyclic_rows(choice, matrix.rows, team.size()), whole)
          : rows;
  Progress progress("test", 0, Progress::Show::off);
  const Eliminated eliminated = prepare_elimination(team, matrix.rows, dealt, choice)(progress);
  Solved solved{eliminated.pivots, eliminated.notes, {}, b};
  eliminated.solve(solved.x);
  solved.refinement = refine(team, bands, rows, b, eliminated.solve, sweeps, solved.x);
  return solved;
}

/// The text of the Error that `work` throws; the test fails where it throws none.
template <typename Work>
std::string error_of(Work&& work, ExitCode expected) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected);
    EXPECT_EQ(error.scope(), Scope::every_rank);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace spsolve::test
