#include "team/gpu_binding.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "mpi/mpi_team.hpp"

namespace spsolve::test {
namespace {

std::vector<GpuName> gpus(int count) {
  std::vector<GpuName> all;
  for (int k = 0; k < count; ++k) all.push_back({"model", fmt::format("GPU-{:036}", k)});
  return all;
}

std::string error_of_binding(Team& team, const std::vector<GpuName>& visible) {
  try {
    bind_gpu(team, visible, "no driver", false);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    EXPECT_EQ(error.scope(), Scope::every_rank);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(BindGpu, EachRankOfAHostGetsItsOwn) {
  MpiTeam team;
  EXPECT_EQ(bind_gpu(team, gpus(team.size()), "", false), team.rank());
  EXPECT_EQ(bind_gpu(team, gpus(team.size() + 3), "", false), team.rank());
}

TEST(BindGpu, ABatchSystemMayShowEachRankOne) {
  MpiTeam team;
  const std::vector<GpuName> mine{gpus(team.size())[team.rank()]};
  EXPECT_EQ(bind_gpu(team, mine, "", false), 0);
}

TEST(BindGpu, SharingIsRefusedUnlessAskedFor) {
  MpiTeam team;
  if (team.size() == 1) return;
  const std::string text = error_of_binding(team, gpus(team.size() - 1));
  for (const std::string& words :
       {fmt::format("ranks 0 and {} would share the GPU {}", team.size() - 1, gpus(1)[0].uuid),
        std::string("share_gpus: true"), std::string("--gpus-per-task=1")}) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
  EXPECT_EQ(bind_gpu(team, gpus(team.size() - 1), "", true), team.rank() % (team.size() - 1));
}

TEST(BindGpu, ARankWithoutOneEndsAll) {
  MpiTeam team;
  const bool last = team.rank() == team.size() - 1;
  const std::string text =
      error_of_binding(team, last ? std::vector<GpuName>{} : gpus(team.size()));
  EXPECT_NE(text.find("there is no GPU here: no driver; use device=host"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace spsolve::test
