#include "distribute/halo/halo_plan.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace spsolve::inline distribute {

namespace {

constexpr Index most_local = std::numeric_limits<LocalIndex>::max();

/// counts[from * size + to]: rows of X that rank `to` needs of rank `from`.
std::vector<Index> gather_needs(Team& team, const std::vector<HaloPlan::NeighbourRows>& receives) {
  const auto size = static_cast<std::size_t>(team.size());
  std::vector<Index> mine(size, 0), all(size * size);
  for (const HaloPlan::NeighbourRows& part : receives) mine[part.rank] = part.count;
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace

bool sends_ranges_only(const HaloPlan& plan) {
  return std::ranges::all_of(plan.sends, [&](const HaloPlan::NeighbourRows& part) {
    const auto rows = std::span(plan.rows_to_send).subspan(part.first, part.count);
    return rows.back() - rows.front() == part.count - 1;  // they are ascending
  });
}

HaloPlan make_halo_plan(Team& team, const RowLayout& bands, const std::vector<Index>& needed) {
  HaloPlan plan;
  plan.bands = bands;
  plan.own = bands.band(team.rank());
  together(team, [&] {
    for (const Index row : needed) {
      if (plan.own.contains(row)) continue;
      const int owner = bands.owner(row);
      if (plan.receives.empty() || plan.receives.back().rank != owner) {
        plan.receives.push_back({owner, plan.halo_rows(), 0});
      }
      ++plan.receives.back().count;
      plan.halo.push_back(row);
    }
    if (plan.own.size() > most_local || plan.halo_rows() > most_local) {
      fail(ExitCode::resources,
           "a band of {} rows of X with {} of other ranks is more than one rank can number; use "
           "more ranks",
           plan.own.size(), plan.halo_rows());
    }
  });

  const std::vector<Index> needs = gather_needs(team, plan.receives);
  Index first = 0;
  for (int rank = 0; rank < team.size(); ++rank) {
    // The number of rows that rank `rank` needs of this one.
    const Index count = needs[static_cast<std::size_t>(rank * team.size() + team.rank())];
    if (count == 0) continue;
    plan.sends.push_back({rank, first, count});
    first += count;
  }

  std::vector<Index> wanted(static_cast<std::size_t>(first));
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (const HaloPlan::NeighbourRows& part : plan.receives) {
    outgoing.push_back({part.rank, std::as_bytes(std::span(plan.halo.data() + part.first,
                                                           static_cast<std::size_t>(part.count)))});
  }
  for (const HaloPlan::NeighbourRows& part : plan.sends) {
    incoming.push_back(
        {part.rank, std::as_writable_bytes(std::span(wanted.data() + part.first,
                                                     static_cast<std::size_t>(part.count)))});
  }
  const auto requests = team.messages(outgoing, incoming);
  requests->start();
  requests->wait();
  plan.rows_to_send.reserve(wanted.size());
  for (const Index row : wanted) {
    plan.rows_to_send.push_back(static_cast<LocalIndex>(row - plan.own.first));
  }
  return plan;
}

}  // namespace spsolve::distribute
