#include "spsolve/ranks.hpp"

#include "team/team.hpp"

namespace spsolve {

Ranks::Ranks() : team_(std::make_shared<SoloTeam>()) {}

int Ranks::rank() const {
  return team_->rank();
}
int Ranks::size() const {
  return team_->size();
}

}  // namespace spsolve
