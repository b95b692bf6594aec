#include "distribute/layout/row_layout.hpp"

namespace spsolve::inline distribute {

RowLayout bands_of_heights(Team& team, Index own) {
  RowLayout bands{0, team.size(), {0}};
  for (const Index height : all_gather(team, own)) bands.borders.push_back(bands.rows += height);
  return bands;
}

RowLayout bands_of_nodes(Index rows, int ranks, Index size) {
  RowLayout bands{rows, ranks};
  bool whole = true;
  for (int rank = 1; rank < ranks; ++rank) whole = whole && bands.band(rank).first % size == 0;
  if (whole) return bands;
  const RowLayout nodes{rows / size, ranks};
  for (int rank = 0; rank < ranks; ++rank) bands.borders.push_back(nodes.band(rank).first * size);
  bands.borders.push_back(rows);
  return bands;
}

RowLayout layout_of_nodes(const RowLayout& rows, Index size) {
  RowLayout nodes{rows.rows / size, rows.ranks};
  for (int rank = 0; rank < rows.ranks; ++rank) {
    nodes.borders.push_back(rows.band(rank).first / size);
  }
  nodes.borders.push_back(nodes.rows);
  return nodes;
}

RowLayout layout_of_rows(const RowLayout& nodes, Index size) {
  RowLayout rows{nodes.rows * size, nodes.ranks};
  for (int rank = 0; rank < nodes.ranks; ++rank) {
    rows.borders.push_back(nodes.band(rank).first * size);
  }
  rows.borders.push_back(rows.rows);
  return rows;
}

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

RowLayout bands_by_nonzeros(const NonzeroProfile& profile, int ranks) {
  const std::vector<Index>& before = profile.nonzeros_before;
  const Index all = before.back();
  RowLayout bands{profile.rows, ranks};
  if (all == 0) return bands;
  bands.borders.assign(static_cast<std::size_t>(ranks) + 1, 0);
  const Index together = rows_together(profile.rows, ranks);
  for (int rank = 1; rank < ranks; ++rank) {
    // rank / ranks of all, without a product beyond 64 bits
    const Index aim = all / ranks * rank + all % ranks * rank / ranks;
    auto place = std::lower_bound(before.begin(), before.end(), aim);
    if (place != before.begin() && aim - *(place - 1) < *place - aim) --place;
    const Index there = (place - before.begin()) * profile.step;
    const Index row = std::min((there + together / 2) / together * together, profile.rows);
    bands.borders[rank] = std::max(row, bands.borders[rank - 1]);
  }
  bands.borders.back() = profile.rows;
  return bands;
}

double imbalance(const NonzeroProfile& profile, const RowLayout& bands) {
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

RowLayout choose_bands(BandsChoice choice, const NonzeroProfile& profile, int ranks) {
  constexpr double worthwhile = 1.05;
  const RowLayout equal{profile.rows, ranks};
  if (choice == BandsChoice::rows) return equal;
  if (choice == BandsChoice::automatic && imbalance(profile, equal) <= worthwhile) return equal;
  return bands_by_nonzeros(profile, ranks);
}

RowLayout choose_bands(Team& team, BandsChoice choice, const NonzeroProfile& profile) {
  RowLayout bands = together(team, [&] {
    return team.rank() == 0 ? choose_bands(choice, profile, team.size()) : RowLayout{};
  });
  bands.ranks = team.size();
  bands.rows = broadcast_value(team, bands.rows, 0);
  bands.borders.resize(broadcast_value(team, bands.borders.size(), 0));
  broadcast(team, std::span<Index>(bands.borders), 0);
  return bands;
}

RowLayout bands_of_x(const RowLayout& bands, Index columns) {
  return bands.rows == columns ? bands : RowLayout{columns, bands.ranks};
}

}  // namespace spsolve::distribute
