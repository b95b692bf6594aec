#include "spsolve/ranks.hpp"

#include "api/c_objects.hpp"
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

int spsolve_ranks_rank(const spsolve_ranks* ranks) {
  return ranks != nullptr ? ranks->ranks.rank() : 0;
}
int spsolve_ranks_size(const spsolve_ranks* ranks) {
  return ranks != nullptr ? ranks->ranks.size() : 1;
}
void spsolve_ranks_free(spsolve_ranks* ranks) {
  delete ranks;
}
