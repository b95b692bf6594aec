#include "eliminate/lu.hpp"

#include "eliminate/lu_alone.hpp"
#include "eliminate/lu_team.hpp"

namespace spsolve {

template <typename T>
LuFactors<T> factor_lu(Team& team, Team& rows, Team& candidates, const CyclicRows& layout,
                       BlockedBand<T>& band, Pivoting pivoting, Progress& progress,
                       Checkpoints* checkpoints) {
  if (team.size() == 1) {
    return factor_alone(team, layout, band, pivoting, progress, checkpoints);
  }
  return factor_in_team(team, rows, candidates, layout, band, pivoting, progress, checkpoints);
}

template LuFactors<float> factor_lu(Team&, Team&, Team&, const CyclicRows&, BlockedBand<float>&,
                                    Pivoting, Progress&, Checkpoints*);
template LuFactors<double> factor_lu(Team&, Team&, Team&, const CyclicRows&, BlockedBand<double>&,
                                     Pivoting, Progress&, Checkpoints*);

}  // namespace spsolve
