#pragma once

#include <memory>
#include <string>

#include "core/team.hpp"
#include "cuda/eliminate/band_streams.hpp"
#include "cuda/team/gpu_team.hpp"

namespace spsolve::cuda {

/// How a rank's GPU works, and how rows travel to the others' on each of its streams.
struct RankStreams {
  /// `transport` as in make_gpu_team(). Collective.
  RankStreams(Team& team, const std::string& transport)
      : rows(make_gpu_team(team, streams.updates, transport)),
        pivot_rows(rows->on(streams.exchanges)),
        candidates(rows->beside(streams.panels)) {}

  BandStreams streams;
  std::unique_ptr<GpuTeam> rows, pivot_rows, candidates;
};

}  // namespace spsolve::cuda
