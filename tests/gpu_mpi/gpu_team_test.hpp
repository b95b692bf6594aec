#pragma once

#include <gtest/gtest.h>

#include "cuda/core/device_info.hpp"
#include "mpi/mpi_team.hpp"
#include "team/team.hpp"

namespace spsolve::cuda {

/// Ranks with GPUs: one each where there are enough, shared where not. Skips with the reason where
/// a rank sees none.
class GpuTeamTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = why_no_gpu();
    if (all_sum(team, reason.empty() ? 0 : 1) > 0) {
      GTEST_SKIP() << "no GPU here: " << (reason.empty() ? "another rank sees none" : reason);
    }
    set_current_device(team.rank_on_host() % static_cast<int>(devices().size()));
  }

  MpiTeam team;
};

}  // namespace spsolve::cuda
