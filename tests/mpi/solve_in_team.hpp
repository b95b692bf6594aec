#pragma once

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "dense/host_device.hpp"
#include "helpers/error_of.hpp"
#include "helpers/systems_in_bands.hpp"
#include "mpi/mpi_team.hpp"
#include "solve/trust/refine.hpp"
#include "system/system_solver.hpp"

namespace spsolve::test {

/// All ranks, and dense rows in host memory.
struct HostRanks {
  MpiTeam team;
  HostDevice memory{team};
};

/// An eliminated system of all ranks, in host memory.
struct SystemInTeam : HostRanks, EliminatedSystem {
  SystemInTeam(const Csr<double>& matrix, const EliminationChoice& choice, AutoSwitch equilibrate)
      : EliminatedSystem(team, memory, matrix, choice, equilibrate) {}
};

/// A solver of `whole` again and again, as options.method says.
inline SystemSolver solver_in_team(HostRanks& ranks, const Csr<double>& whole,
                                   const SolverOptions& options) {
  SolverQuestion question;
  question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
  question.ranks = ranks.team.size();
  question.options = options;
  std::unique_ptr<SystemMatrix> matrix(new SystemMatrix(matrix_in_bands(ranks.team, whole)));
  const auto row = std::ranges::find(solver_table(), options.method, &SolverRow::method);
  return {std::move(matrix), *row, question, ranks.memory};
}

struct Solved {
  PivotStatistics pivots;
  std::vector<std::string> notes;
  std::optional<MixedOutcome> mixed;
  Refinement refinement;
  Dense<double> x;
};

/// The way of the application: rank 0 has the matrix, everybody gets rows to eliminate. `b`: the
/// right-hand sides that are known, if it has columns.
inline std::unique_ptr<SystemInTeam> eliminate_in_team(const Csr<double>& matrix,
                                                       const EliminationChoice& choice,
                                                       AutoSwitch equilibrate = AutoSwitch::off,
                                                       const Dense<double>& b = {}) {
  auto system = std::make_unique<SystemInTeam>(matrix, choice, equilibrate);
  system->eliminate(b);
  return system;
}

/// Solves so up to x, refined by at most `sweeps` sweeps.
inline Solved solve_in_team(const Csr<double>& matrix, const Dense<double>& b,
                            const EliminationChoice& choice, int sweeps = 0,
                            AutoSwitch equilibrate = AutoSwitch::off) {
  const auto system = eliminate_in_team(matrix, choice, equilibrate, b);
  const auto right = vectors_of(system->matrix(), b);
  const auto x = system->matrix().vectors(b.columns);
  system->inverse().apply(*right, *x);
  const InverseFacts& facts = system->facts();
  Refinement refinement =
      refine(system->matrix(), *right, system->inverse(), {.most_sweeps = sweeps}, *x);
  return {facts.pivots, facts.notes, facts.mixed, std::move(refinement), whole(*x)};
}

/// error_of() of an Error that all ranks know of.
template <typename Work>
std::string error_on_every_rank(const Work& work, ExitCode expected) {
  return error_of(work, expected, Scope::every_rank);
}

}  // namespace spsolve::test
