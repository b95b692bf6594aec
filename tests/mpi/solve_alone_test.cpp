#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/loader.hpp"
#include "dense/host_device.hpp"
#include "mpi/mpi_team.hpp"
#include "task/begin.hpp"
#include "task/solve/solve.hpp"

namespace spsolve {
namespace {

/// Dense rows in host memory that say to lie on a GPU.
class PretendedGpu final : public ComputeDevice {
 public:
  explicit PretendedGpu(Team& team) : host_(team) {}
  MemoryKind memory() const override { return MemoryKind::gpu; }
  std::string device() const override { return "pretended"; }
  std::string transport() const override { return host_.transport(); }
  Team& row_team() override { return host_.row_team(); }
  Team& pivot_team() override { return host_.row_team(); }
  Team& candidate_team() override { return host_.row_team(); }
  PerScalar per_scalar() override { return host_.per_scalar(); }

 private:
  HostDevice host_;
};

/// One for each rank.
Gpus pretended_gpus(const Team& team) {
  Gpus gpus;
  gpus.look = [ranks = team.size()] {
    FoundGpus found{"", {}};
    for (int rank = 0; rank < ranks; ++rank) {
      found.visible.push_back({"pretended", std::to_string(rank)});
    }
    return found;
  };
  gpus.use = [](int) {};
  gpus.free_memory = [] { return std::int64_t{1} << 40; };
  gpus.arrays = [] { return GpuArrays{}; };
  gpus.dense_bytes = [](const EliminationChoice&, Index, Index, int, Index) {
    return std::int64_t{1};
  };
  gpus.dense = [](Team& of_rows, Transport) { return std::make_unique<PretendedGpu>(of_rows); };
  return gpus;
}

Config on_gpus(std::string_view more) {
  return parse_config(fmt::format("matrix: random_dense:60\ndevice: cuda\n{}", more), "c.yaml");
}

class SolveAlone : public testing::Test {
 protected:
  MpiTeam team;
};

TEST_F(SolveAlone, OneGpuTakesASmallSystem) {
  SolveReport report;
  run_solve(on_gpus("output: {progress: off}"), team, pretended_gpus(team), report);
  EXPECT_EQ(report.status, "solved");
  if (team.rank() != 0) return;
  EXPECT_EQ(report.ranks, 1);
  const bool told = std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.find("solved this system alone") != std::string::npos;
  });
  EXPECT_EQ(told, team.size() > 1);
}

TEST_F(SolveAlone, AllTakeItWhereTheyAreAskedTo) {
  const Config config = on_gpus("solve: {ranks: all}\noutput: {progress: off}");
  SolveReport report;
  run_solve(config, team, pretended_gpus(team), report);
  EXPECT_EQ(report.status, "solved");
  EXPECT_EQ(report.ranks, team.size());
}

TEST_F(SolveAlone, AMethodThatIsNamedIsThatOfAllRanks) {
  for (const char* method : {"gauss", "gauss_jordan", "lu"}) {
    const Config config =
        on_gpus(fmt::format("solve: {{method: {}}}\noutput: {{progress: off}}", method));
    SolveReport report;
    run_solve(config, team, pretended_gpus(team), report);
    EXPECT_EQ(report.status, "solved");
    EXPECT_EQ(report.ranks, team.size());
    EXPECT_EQ(report.method, method);
  }
}

TEST_F(SolveAlone, AFailureIsEverybodys) {
  const Config config =
      parse_config("matrix: not_there.mtx\ndevice: cuda\noutput: {progress: off}", "c.yaml");
  SolveReport report;
  begin_report(config, team, {}, report);
  EXPECT_THROW(run_solve(config, team, pretended_gpus(team), report), Error);
  EXPECT_EQ(report.matrix, "not_there.mtx");
  EXPECT_FALSE(report.has_sizes);
}

TEST_F(SolveAlone, ThePlanIsThatOfRankZero) {
  MemoryPlan plan;
  const MemoryCheck check = plan_solve(on_gpus(""), team, pretended_gpus(team), plan);
  EXPECT_TRUE(check.fits);
  EXPECT_EQ(check.ranks.size(), team.rank() == 0 ? 1u : 0u);
}

}  // namespace
}  // namespace spsolve
