#pragma once

#include <memory>

#include "distribute/scatter.hpp"
#include "eliminate/equilibrate.hpp"
#include "eliminate/mixed.hpp"
#include "eliminate/refine.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve::test {

struct Solved {
  PivotStatistics pivots;
  std::vector<std::string> notes;
  std::optional<MixedOutcome> mixed;
  Refinement refinement;
  Dense<double> x;
};

/// An eliminated matrix on all ranks, and the band of its rows that residuals are computed from.
struct EliminatedSystem {
  MpiTeam team;
  HostBands dense{team};
  RowBands bands;
  Csr<double> rows;
  Eliminated eliminated;
};

/// The way of the application: rank 0 has the matrix, everybody gets rows to eliminate. The result
/// stays where it is: what it solves with refers to its team.
inline std::unique_ptr<EliminatedSystem> eliminate_in_team(const Csr<double>& matrix,
                                                           const EliminationChoice& choice,
                                                           AutoSwitch equilibrate = AutoSwitch::off,
                                                           const Dense<double>& b = {}) {
  auto system = std::make_unique<EliminatedSystem>();
  MpiTeam& team = system->team;
  system->bands = {matrix.rows, team.size()};
  const Csr<double>& whole = team.rank() == 0 ? matrix : Csr<double>{};
  system->rows = scatter_rows(team, system->bands, whole);
  Csr<double> dealt = deals_in_cycles(choice, team.size())
                          ? scatter_rows(team, cyclic_rows(choice, matrix.rows, team.size()), whole)
                          : system->rows;
  Equilibration scaling =
      equilibration_of(team, system->bands, system->rows, equilibrate, choice.precision);
  dealt = scaled_rows(scaling, choice, team, std::move(dealt));
  Progress progress("test", 0, Progress::Show::off);
  Eliminated eliminated =
      prepare_system(team, system->dense, system->bands, system->rows, scaling,
                     std::make_shared<const Csr<double>>(std::move(dealt)), choice,
                     b.rows > 0 ? b : Dense<double>(matrix.rows, 1, 1.0))(progress);
  system->eliminated = undo_scaling(std::move(eliminated), std::move(scaling));
  return system;
}

/// The same up to x, refined by at most `sweeps` sweeps.
inline Solved solve_in_team(const Csr<double>& matrix, const Dense<double>& b,
                            const EliminationChoice& choice, int sweeps = 0,
                            AutoSwitch equilibrate = AutoSwitch::off) {
  const auto system = eliminate_in_team(matrix, choice, equilibrate, b);
  const Eliminated& eliminated = system->eliminated;
  Solved solved{eliminated.pivots, eliminated.notes, eliminated.mixed, {}, b};
  eliminated.solve(solved.x);
  solved.refinement =
      refine(system->team, system->bands, system->rows, b, eliminated.solve, sweeps, solved.x);
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
