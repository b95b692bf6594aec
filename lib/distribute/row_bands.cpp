#include "distribute/row_bands.hpp"

namespace spsolve {

NonzeroProfile profile_of(std::span<const Index> row_offsets) {
  NonzeroProfile profile;
  profile.rows = static_cast<Index>(row_offsets.size()) - 1;
  profile.step = NonzeroProfile::step_for(profile.rows);
  for (Index row = 0; row < profile.rows; row += profile.step) {
    profile.nonzeros_before.push_back(row_offsets[row]);
  }
  profile.nonzeros_before.push_back(row_offsets.back());
  return profile;
}

RowBands bands_by_nonzeros(const NonzeroProfile& profile, int ranks) {
  const std::vector<Index>& before = profile.nonzeros_before;
  const Index all = before.back();
  RowBands bands{profile.rows, ranks};
  if (all == 0) return bands;
  bands.borders.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (int rank = 1; rank < ranks; ++rank) {
    // rank / ranks of all, without a product beyond 64 bits
    const Index aim = all / ranks * rank + all % ranks * rank / ranks;
    auto place = std::lower_bound(before.begin(), before.end(), aim);
    if (place != before.begin() && aim - *(place - 1) < *place - aim) --place;
    const Index row = std::min<Index>((place - before.begin()) * profile.step, profile.rows);
    bands.borders[rank] = std::max(row, bands.borders[rank - 1]);
  }
  bands.borders.back() = profile.rows;
  return bands;
}

RowBands broadcast_bands(Team& team, RowBands bands, int root) {
  bands.rows = broadcast_value(team, bands.rows, root);
  bands.ranks = broadcast_value(team, bands.ranks, root);
  bands.borders.resize(broadcast_value(team, bands.borders.size(), root));
  broadcast(team, std::span<Index>(bands.borders), root);
  return bands;
}

double imbalance(const NonzeroProfile& profile, const RowBands& bands) {
  const std::vector<Index>& before = profile.nonzeros_before;
  const Index all = before.back();
  if (all == 0) return 1;
  const auto nonzeros_before = [&](Index row) {
    return row == profile.rows ? all : before[row / profile.step];
  };
  Index most = 0;
  for (int rank = 0; rank < bands.ranks; ++rank) {
    const Range band = bands.band(rank);
    most = std::max(most, nonzeros_before(band.last) - nonzeros_before(band.first));
  }
  return static_cast<double>(most) * bands.ranks / static_cast<double>(all);
}

}  // namespace spsolve
