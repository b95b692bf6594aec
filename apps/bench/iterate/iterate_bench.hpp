#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bench/contest.hpp"
#include "apps/bench/iterate/own_iteration.hpp"
#include "apps/bench/peers/iterative_peers.hpp"
#include "solve/operators/options.hpp"
#include "team/team.hpp"

namespace spsolve::bench {

/// Something that can be timed.
struct IterationCandidate {
  std::string name;
  bool peer = false;
  std::string device = "host";
  int threads = 1;
  std::optional<Method> method;  ///< none: a peer
  std::function<std::unique_ptr<IterativeContender>(const IterativeSystem& system)> make;
};

/// The measurements that are asked for. The systems have their own tolerances.
struct IterationPlan {
  std::vector<Method> methods{Method::cg};
  std::vector<Preconditioner> preconditioners{Preconditioner::automatic};
  std::vector<const IterativePeer*> peers;
  SolverOptions options;
  OwnDevice device;
  int threads = 1;
};

/// Every method with every preconditioner; then the peers.
std::vector<IterationCandidate> iteration_candidates(const IterationPlan& plan, Team& team);

/// The matrix of that name, a file or a generator, and right-hand sides that are uniform in [-1,
/// 1). Throws Error(input) where it is not square. Collective.
IterativeSystem load_iterative_system(const std::string& name, Index columns, double tolerance,
                                      Team& team);

/// Bytes that a step of a method must move for a matrix of n rows and z non-zeros, without its
/// preconditioner: 12 z + 4 n for A and 16 n K for what a product takes and gives, once or twice,
/// and the multivectors that its recurrences read and write once each, 8 n K bytes. Nothing for
/// methods whose steps are of different lengths, or whose peers' are not known.
std::optional<double> floor_bytes(Method method, Index order, Index nonzeros, Index columns);

/// Times all candidates on `system`: a round that does not count, in which the size of x becomes
/// known, then `samples` in each of which every one is made, sets up and solves, one after another.
/// `triad`: bytes a second that all ranks together moved in the same run; 0: not told. Rows are the
/// same on every rank. Collective.
std::vector<Row> sample_iterations(Team& team, IterativeSystem& system,
                                   const std::vector<IterationCandidate>& candidates, int samples,
                                   double triad);

/// Fills in the milliseconds of a step and, for own methods, the least time of one, as a fraction
/// of that.
void set_steps(Row& row);

/// Fills in the speed-ups of rows of the same matrix, over those peers among them that converged.
void compare_iterations(std::span<Row> rows);

/// The columns of `spbench iterate`.
Columns iteration_columns();

}  // namespace spsolve::bench
