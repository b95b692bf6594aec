#pragma once

#include <memory>
#include <span>
#include <vector>

#include "distribute/halo/halo_plan.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// The messages of a plan for K columns, by the team: from `outgoing`, sent rows x K, to the
/// neighbours, and from them into `incoming`, halo rows x K. The spans are not read or written
/// here.
template <typename T>
std::unique_ptr<Messages> halo_messages(Team& team, const HaloPlan& plan,
                                        std::span<const T> outgoing, std::span<T> incoming,
                                        Index columns) {
  const auto part_of = [&](auto whole, const HaloPlan::NeighbourRows& part) {
    return whole.subspan(static_cast<std::size_t>(part.first * columns),
                         static_cast<std::size_t>(part.count * columns));
  };
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  for (const HaloPlan::NeighbourRows& part : plan.sends) {
    sends.push_back({part.rank, std::as_bytes(part_of(outgoing, part))});
  }
  for (const HaloPlan::NeighbourRows& part : plan.receives) {
    receives.push_back({part.rank, std::as_writable_bytes(part_of(incoming, part))});
  }
  return team.messages(sends, receives);
}

}  // namespace spsolve::distribute
