#pragma once

#include <memory>

#include "cuda/dense/streams/dense_streams.hpp"
#include "cuda/team/transports.hpp"
#include "team/team.hpp"

namespace spsolve::cuda::inline dense {

/// How a rank's GPU works, and how rows travel to the others' on each of its streams.
struct RankStreams {
  /// See Transports. Collective.
  RankStreams(Team& team, Transport transport)
      : row_team(Transports(team, transport).make_team(streams.updates)),
        pivot_team(row_team->on(streams.exchanges)),
        candidate_team(row_team->beside(streams.panels)) {}

  DenseStreams streams;
  std::unique_ptr<GpuTeam> row_team, pivot_team, candidate_team;  // see ComputeDevice
};

}  // namespace spsolve::cuda::dense
