#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/bench/sparse/candidate.hpp"
#include "apps/bench/sparse/own_solvers.hpp"
#include "apps/bench/sparse/sparse_systems.hpp"
#include "solve/operators/options.hpp"
#include "team/team.hpp"

namespace spsolve::bench {

using SparseCandidate = Candidate<SparseSystem, SparseContender>;

struct SparsePlan {
  std::vector<Method> methods{Method::automatic};
  std::vector<const SparsePeer*> peers;
  SolverOptions options;  ///< of the methods
  OwnDevice device;       ///< likewise
  int threads = 1;        ///< of one process; those of a rank where `ranks` share the work
  SystemsInTurn systems;  ///< of the same pattern
  bool alone = true;      ///< of several ranks: whether one process alone is measured, too
};

/// The methods, each in one process and on all ranks with threads / ranks each; then the peers, in
/// one process, and on all ranks where they can.
std::vector<SparseCandidate> sparse_candidates(const SparsePlan& plan, Team& team);

/// Times all candidates on `system` (of rank 0), in turns. Each time: analyse A, eliminate it,
/// eliminate 2 A, and solve 2 A x = b for one column and many_columns; then eliminate the values of
/// each of `systems` and solve for one column: those that are named, or others in turns with 2 A.
/// Who works in one process does so on rank 0, and the others sleep. Rows are rank 0's. Collective.
std::vector<Row> sample_sparse(
    Team& team, SparseSystem& system, const std::vector<SparseCandidate>& candidates, int samples,
    const SystemsInTurn& systems = {},
    const std::function<void(const std::string&)>& tell = Rules::tell_on_stderr);

/// Fills in the speed-ups of rows of the same matrix, over those peers among them whose backward
/// error is at most 1e-8: a wrong x is no time to beat.
void compare_sparse(std::span<Row> rows);

/// The speed-ups of each contender over the matrices that it and a peer were measured on, in the
/// order of the rows: geometric means, and the worst matrix'.
std::vector<Row> summaries_of(std::span<const Row> rows);

/// The columns of `spbench eliminate --matrix`, and of its last table.
Columns sparse_columns();
Columns sparse_summary_columns();

}  // namespace spsolve::bench
