#include "dense/lu/panel_pivots.hpp"

#include <algorithm>
#include <numeric>

#include "core/extremes.hpp"
#include "dense/lu/small_lu.hpp"

namespace spsolve::inline dense {

namespace {

/// The rows that a rank offers, for all: their count, then place and row of each.
std::vector<Index> gather_candidates(Team& team, const std::vector<Index>& places,
                                     const std::vector<Index>& rows_here, Index width) {
  std::vector<Index> mine(static_cast<std::size_t>(1 + 2 * width));
  auto next = mine.begin();
  *next++ = static_cast<Index>(places.size());
  for (const Index place : places) {
    *next++ = place;
    *next++ = rows_here[place];
  }
  std::vector<Index> all(mine.size() * static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// The numbers in A of elected rows, of which each rank knows its own.
void number_rows(Team& team, const std::vector<Index>& rows_here, PanelPivots& panel_pivots) {
  std::vector<Index> mine(panel_pivots.owner.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (panel_pivots.owner[i] == team.rank()) mine[i] = rows_here[panel_pivots.place[i]];
  }
  std::vector<Index> all(mine.size() * static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  panel_pivots.row.resize(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    panel_pivots.row[i] = all[static_cast<std::size_t>(panel_pivots.owner[i]) * mine.size() + i];
  }
}

}  // namespace

template <typename T>
PanelPivots best_candidates(Team& team, Team& candidate_team, BlockedRows<T>& rows,
                            Index first_active, Range panel, const std::vector<Index>& rows_here) {
  const Index width = panel.size();
  const Candidates<T> own_candidates = rows.best_candidates(first_active, panel, team.size());
  candidate_team.all_gather_bytes(std::as_bytes(own_candidates.mine),
                                  std::as_writable_bytes(own_candidates.all));

  const std::vector<Index> gathered =
      gather_candidates(team, own_candidates.places, rows_here, width);
  PanelPivots candidates;
  std::vector<Index> counts;
  for (int rank = 0; rank < team.size(); ++rank) {
    const Index* next_candidate = gathered.data() + rank * (1 + 2 * width);
    counts.push_back(*next_candidate++);
    for (Index i = 0; i < counts.back(); ++i) {
      candidates.owner.push_back(rank);
      candidates.place.push_back(*next_candidate++);
      candidates.row.push_back(*next_candidate++);
    }
  }
  rows.start_merge(width, width, own_candidates.all, counts);
  return candidates;
}

template <typename T>
PanelPivots all_candidates(Team& candidate_team, BlockedRows<T>& rows,
                           std::span<const Range> active, int rank, Range panel) {
  PanelPivots candidates;
  std::vector<Index> counts;
  for (const Range& places : active) {
    const int owner = static_cast<int>(std::ssize(counts));
    counts.push_back(places.size());
    candidates.owner.insert(candidates.owner.end(), static_cast<std::size_t>(places.size()), owner);
    for (Index place = places.first; place < places.last; ++place)
      candidates.place.push_back(place);
  }
  const Index most = *std::ranges::max_element(counts);
  const Candidates<T> own_candidates =
      rows.all_candidates(active[rank].first, panel, most, static_cast<int>(active.size()));
  candidate_team.all_gather_bytes(std::as_bytes(own_candidates.mine),
                                  std::as_writable_bytes(own_candidates.all));
  rows.start_merge(panel.size(), most, own_candidates.all, counts);
  return candidates;
}

template <typename T>
PanelPivots merge_candidates(const PanelPivots& candidates, Team& team, BlockedRows<T>& rows,
                             Range panel, const std::vector<Index>& rows_here) {
  std::vector<Index> order(candidates.owner.size());
  std::iota(order.begin(), order.end(), Index{0});
  rows.finish_merge(panel.size(), order);
  PanelPivots winners;
  for (Index i = 0; i < panel.size(); ++i) {
    winners.owner.push_back(candidates.owner[order[i]]);
    winners.place.push_back(candidates.place[order[i]]);
    if (!candidates.row.empty()) winners.row.push_back(candidates.row[order[i]]);
  }
  if (candidates.row.empty()) number_rows(team, rows_here, winners);
  return winners;
}

template <typename T>
PanelPivots pivots_by_columns(Team& team, BlockedRows<T>& rows, Index first_active, Range panel,
                              const std::vector<Index>& rows_here) {
  struct Best {
    double magnitude = -1;
    Index row = -1;
    Index place = -1;
  };
  const Index width = panel.size();
  std::vector<T> values = rows.read({first_active, rows.height()}, panel);
  std::vector<Index> places(values.size() / static_cast<std::size_t>(width));
  std::iota(places.begin(), places.end(), first_active);

  std::vector<T> factors(static_cast<std::size_t>(width * width));
  PanelPivots winners;
  for (Index j = 0; j < width; ++j) {
    Best mine;
    Index mine_at = -1;
    for (Index i = 0; i < static_cast<Index>(places.size()); ++i) {
      const double magnitude = infinite_if_nan(pivot_size(values[i * width + j]));
      const Index row = rows_here[places[i]];
      if (magnitude > mine.magnitude || (magnitude == mine.magnitude && row < mine.row)) {
        mine = {magnitude, row, places[i]};
        mine_at = i;
      }
    }
    int owner = 0;
    Best best;
    const std::vector<Best> all = all_gather(team, mine);
    for (int rank = 0; rank < team.size(); ++rank) {
      const Best& theirs = all[rank];
      if (theirs.magnitude > best.magnitude ||
          (theirs.magnitude == best.magnitude && theirs.row < best.row)) {
        best = theirs;
        owner = rank;
      }
    }
    winners.owner.push_back(owner);
    winners.place.push_back(best.place);
    winners.row.push_back(best.row);
    T* pivot_row = factors.data() + j * width;
    if (owner == team.rank()) {
      // The row leaves the ones that are still eliminated; the last one takes its place.
      std::copy_n(values.data() + mine_at * width, width, pivot_row);
      std::copy_n(values.end() - width, width, values.begin() + mine_at * width);
      values.resize(values.size() - static_cast<std::size_t>(width));
      places[mine_at] = places.back();
      places.pop_back();
    }
    broadcast(team, std::span<T>(pivot_row, width), owner);
    if (pivot_row[j] == T{}) continue;  // the caller finds the zero pivot in the factors
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < static_cast<Index>(places.size()); ++i) {
      T* row = values.data() + i * width;
      const T multiplier = row[j] /= pivot_row[j];
      for (Index c = j + 1; c < width; ++c) row[c] -= multiplier * pivot_row[c];
    }
  }
  rows.set_factors(panel, factors);
  return winners;
}

template <typename T>
PanelPivots pivots_in_order(Team& team, BlockedRows<T>& rows, Index first_active, Range panel,
                            int owner) {
  const Index width = panel.size();
  PanelPivots winners;
  winners.owner.assign(static_cast<std::size_t>(width), owner);
  std::vector<T> factors(static_cast<std::size_t>(width * width));
  for (Index i = 0; i < width; ++i) {
    winners.place.push_back(first_active + i);
    winners.row.push_back(panel.first + i);
  }
  if (owner == team.rank()) {
    const std::vector<T> values = rows.read({first_active, first_active + width}, panel);
    std::copy_n(values.begin(), width * width, factors.begin());
  }
  broadcast(team, std::span<T>(factors), owner);
  factor_small<T>(width, width, factors, false, {});
  rows.set_factors(panel, factors);
  return winners;
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(best_candidates)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(all_candidates)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(merge_candidates)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(pivots_by_columns)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(pivots_in_order)

}  // namespace spsolve::dense
