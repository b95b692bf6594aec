#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/bench/contest.hpp"
#include "apps/bench/peers/peers.hpp"
#include "config/config.hpp"
#include "solve/operators/system_matrix.hpp"
#include "solve/trust/refine.hpp"

namespace spsolve::bench {

/// Sets the threads of OpenMP and of the BLAS.
void use_threads(int threads);

/// Somebody who solves sparse systems, by all ranks or rank 0 alone.
template <typename System, typename Solver>
struct Candidate {
  std::string name;
  bool peer = false;
  int threads = 1;  ///< of each rank
  bool all_ranks = false;
  /// Collective where all_ranks. An error that it throws is a refusal.
  std::function<std::unique_ptr<Solver>(const System& system)> make;
  std::optional<Method> method{};                   ///< of an own one
  std::function<std::int64_t()> free_gpu_memory{};  ///< of rank 0's GPU, where it works on GPUs

  /// Its row, but for labels of the system.
  Row row(int ranks) const {
    Row made;
    made.name = name;
    made.peer = peer;
    made.cells = {{"contender", name},
                  {"threads", threads},
                  {"ranks", all_ranks ? ranks : 1},
                  {"samples", 0}};
    return made;
  }

  /// Gives it its threads, and makes the solver.
  std::unique_ptr<Solver> begin(const System& system) const {
    use_threads(threads);
    return make(system);
  }
};

/// The candidate that a peer is with so many threads.
template <typename System, typename Solver>
Candidate<System, Solver> candidate_of(const Peer<System, Solver>& peer, const PeerTeam& team) {
  return {std::string(peer.name), true, team.threads, team.all_ranks,
          [&peer, team](const System& system) { return peer.made_for(system, team); }};
}

/// Measures solutions of a system whose rows lie in bands over the ranks of a team. Collective.
class Judge {
 public:
  /// `parts`: rows to a row of A, whose errors are those of moduli.
  Judge(Team& team, const RowLayout& bands, Csr<double> rows, Index parts = 1);

  /// Keeps the worst errors in the row: of own rows of b and x. Hands back the largest
  /// ||b - A x|| / ||b|| and max |x_ic|.
  struct Sizes {
    double residual = 0, x = 0;
  };
  Sizes judge(const Dense<double>& own_b, const Dense<double>& own_x, Row& row);

  SystemMatrix& matrix() { return matrix_; }

 private:
  /// The errors of x by the moduli of complex numbers, where r = b - A x.
  Quality by_moduli(const Dense<double>& own_b, const Dense<double>& own_x,
                    const Dense<double>& own_r);

  std::optional<SystemMatrix> moduli_;  ///< |a_ij| of a complex A
  SystemMatrix matrix_;
};

}  // namespace spsolve::bench
