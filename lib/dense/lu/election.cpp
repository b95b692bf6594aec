#include "dense/lu/election.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dense/lu/small_lu.hpp"

namespace spsolve {

namespace {

/// The rows that a rank offers, for all: their count, then place and row of each.
std::vector<Index> gather_offers(Team& team, const std::vector<Index>& places,
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
void number_rows(Team& team, const std::vector<Index>& rows_here, Election& election) {
  std::vector<Index> mine(election.owner.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (election.owner[i] == team.rank()) mine[i] = rows_here[election.place[i]];
  }
  std::vector<Index> all(mine.size() * static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  election.row.resize(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    election.row[i] = all[static_cast<std::size_t>(election.owner[i]) * mine.size() + i];
  }
}

}  // namespace

template <typename T>
Election offer_best(Team& team, Team& candidate_team, BlockedRows<T>& rows, Index first_active,
                    Range panel, const std::vector<Index>& rows_here) {
  const Index width = panel.size();
  const Candidates<T> offered = rows.offer_best(first_active, panel, team.size());
  candidate_team.all_gather_bytes(std::as_bytes(offered.mine), std::as_writable_bytes(offered.all));

  const std::vector<Index> offers = gather_offers(team, offered.places, rows_here, width);
  Election stack;
  std::vector<Index> counts;
  for (int rank = 0; rank < team.size(); ++rank) {
    const Index* offer = offers.data() + rank * (1 + 2 * width);
    counts.push_back(*offer++);
    for (Index i = 0; i < counts.back(); ++i) {
      stack.owner.push_back(rank);
      stack.place.push_back(*offer++);
      stack.row.push_back(*offer++);
    }
  }
  rows.start_stack(width, width, offered.all, counts);
  return stack;
}

template <typename T>
Election offer_all(Team& candidate_team, BlockedRows<T>& rows, std::span<const Range> active,
                   int rank, Range panel) {
  Election stack;
  std::vector<Index> counts;
  for (const Range& places : active) {
    const int owner = static_cast<int>(std::ssize(counts));
    counts.push_back(places.size());
    stack.owner.insert(stack.owner.end(), static_cast<std::size_t>(places.size()), owner);
    for (Index place = places.first; place < places.last; ++place) stack.place.push_back(place);
  }
  const Index most = *std::ranges::max_element(counts);
  const Candidates<T> offered =
      rows.offer_all(active[rank].first, panel, most, static_cast<int>(active.size()));
  candidate_team.all_gather_bytes(std::as_bytes(offered.mine), std::as_writable_bytes(offered.all));
  rows.start_stack(panel.size(), most, offered.all, counts);
  return stack;
}

template <typename T>
Election elect_from(const Election& stack, Team& team, BlockedRows<T>& rows, Range panel,
                    const std::vector<Index>& rows_here) {
  std::vector<Index> order(stack.owner.size());
  std::iota(order.begin(), order.end(), Index{0});
  rows.finish_stack(panel.size(), order);
  Election elected;
  for (Index i = 0; i < panel.size(); ++i) {
    elected.owner.push_back(stack.owner[order[i]]);
    elected.place.push_back(stack.place[order[i]]);
    if (!stack.row.empty()) elected.row.push_back(stack.row[order[i]]);
  }
  if (stack.row.empty()) number_rows(team, rows_here, elected);
  return elected;
}

template <typename T>
Election elect_by_columns(Team& team, BlockedRows<T>& rows, Index first_active, Range panel,
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
  Election elected;
  for (Index j = 0; j < width; ++j) {
    Best mine;
    Index mine_at = -1;
    for (Index i = 0; i < static_cast<Index>(places.size()); ++i) {
      const double size = std::abs(static_cast<double>(values[i * width + j]));
      const double magnitude = std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
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
    elected.owner.push_back(owner);
    elected.place.push_back(best.place);
    elected.row.push_back(best.row);
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
  return elected;
}

template <typename T>
Election take_in_order(Team& team, BlockedRows<T>& rows, Index first_active, Range panel,
                       int owner) {
  const Index width = panel.size();
  Election elected;
  elected.owner.assign(static_cast<std::size_t>(width), owner);
  std::vector<T> factors(static_cast<std::size_t>(width * width));
  for (Index i = 0; i < width; ++i) {
    elected.place.push_back(first_active + i);
    elected.row.push_back(panel.first + i);
  }
  if (owner == team.rank()) {
    const std::vector<T> values = rows.read({first_active, first_active + width}, panel);
    std::copy_n(values.begin(), width * width, factors.begin());
  }
  broadcast(team, std::span<T>(factors), owner);
  factor_small<T>(width, width, factors, false, {});
  rows.set_factors(panel, factors);
  return elected;
}

#define SPSOLVE_INSTANTIATE(T)                                                             \
  template Election offer_best(Team&, Team&, BlockedRows<T>&, Index, Range,                \
                               const std::vector<Index>&);                                 \
  template Election offer_all(Team&, BlockedRows<T>&, std::span<const Range>, int, Range); \
  template Election elect_from(const Election&, Team&, BlockedRows<T>&, Range,             \
                               const std::vector<Index>&);                                 \
  template Election elect_by_columns(Team&, BlockedRows<T>&, Index, Range,                 \
                                     const std::vector<Index>&);                           \
  template Election take_in_order(Team&, BlockedRows<T>&, Index, Range, int);
SPSOLVE_INSTANTIATE(float)
SPSOLVE_INSTANTIATE(double)
#undef SPSOLVE_INSTANTIATE

}  // namespace spsolve
