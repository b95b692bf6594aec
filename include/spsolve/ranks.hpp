#pragma once

#include <memory>

namespace spsolve {

inline namespace team {
class Team;
}

/// The processes that work on one system. A value: copies stand for the same processes. Those of an
/// MPI communicator come from <spsolve/mpi.hpp>.
class Ranks {
 public:
  /// This process alone.
  Ranks();

  int rank() const;  ///< of this process, from 0
  int size() const;

  /// The messages of the library between them, for its own use.
  Team& team() const { return *team_; }
  explicit Ranks(std::shared_ptr<Team> team) : team_(std::move(team)) {}

 private:
  std::shared_ptr<Team> team_;
};

}  // namespace spsolve
