// Eliminations in GPU memory that stop at a checkpoint and go on, on GPUs and on the host.

#include "cuda/dense/columnwise/run_kernels.hpp"
#include "cuda/device/gpu_device.hpp"
#include "dense/host_device.hpp"
#include "dense/lu/panel_width.hpp"
#include "gpu_mpi/gpu_team_test.hpp"
#include "helpers/checkpoint_runs.hpp"

namespace spsolve::cuda {
namespace {

using namespace test::checkpoints;

class GpuCheckpoints : public GpuTeamTest {
 protected:
  void SetUp() override {
    GpuTeamTest::SetUp();
    if (IsSkipped()) return;
    on_gpus =
        gpu_device(team, Transport::pinned);  // the way that ranks with one GPU together can go
  }

  Ran run_on(ComputeDevice& memory, const System& system, const Case& c, Index stop) {
    return run(team, memory, system, c.choice, c.equilibrate, folder->path(), stop);
  }

  /// Where GPUs stop: one alone, after a run of columns; several, in the end where each eliminates
  /// for itself.
  Index boundary_on_gpus(const Case& c, Index step, Index n) const {
    const bool shares_rest =
        team.size() > 1 && c.choice.method == Method::lu && c.choice.pivoting != Pivoting::none;
    if (shares_rest && step > rest_begins(n, c.choice.block)) return n;
    const bool runs = team.size() == 1 && c.choice.method != Method::lu &&
                      c.choice.pivoting != Pivoting::complete;
    if (!runs) return boundary(c, step, n);
    constexpr Index run = longest_column_run;
    return std::min((step + run - 1) / run * run, n);
  }

  std::optional<SharedFolder> folder{std::in_place, team};
  std::unique_ptr<ComputeDevice> on_gpus;
  HostDevice on_host{team};
};

TEST_F(GpuCheckpoints, SameRanksGiveTheSameBits) {
  for (const Case& c : cases()) {
    const Index n = 130;
    const System system = system_for(c, n);
    const Ran undisturbed = run_on(*on_gpus, system, c, never);
    for (const Index stop : {Index{1}, Index{70}, n}) {
      const std::string where = fmt::format("{}, stopped at {}", print(c), stop);
      EXPECT_FALSE(run_on(*on_gpus, system, c, stop).x) << where;
      const Ran ran = run_on(*on_gpus, system, c, never);
      EXPECT_EQ(ran.checkpoints.resumed_step, boundary_on_gpus(c, stop, n)) << where;
      expect_same(ran, undisturbed, where);
    }
  }
}

TEST_F(GpuCheckpoints, WidePanelsGiveTheSameBits) {
  const Case c{{Method::lu, Pivoting::tournament, Precision::float64, 128}};
  const System system = system_for(c, 1000);
  const Ran undisturbed = run_on(*on_gpus, system, c, never);
  for (const Index stop : {200, 700}) EXPECT_FALSE(run_on(*on_gpus, system, c, stop).x);
  expect_same(run_on(*on_gpus, system, c, never), undisturbed, "wide panels");
}

TEST_F(GpuCheckpoints, TheHostGoesOnWhereAGpuStoppedAndBack) {
  for (const Case& c : cases()) {
    const System system = system_for(c, 130);
    for (const bool from_gpu : {true, false}) {
      ComputeDevice& first = from_gpu ? *on_gpus : static_cast<ComputeDevice&>(on_host);
      ComputeDevice& then = from_gpu ? static_cast<ComputeDevice&>(on_host) : *on_gpus;
      EXPECT_FALSE(run_on(first, system, c, 70).x) << print(c);
      const Ran ran = run_on(then, system, c, never);
      EXPECT_EQ(ran.checkpoints.resumed_step,
                from_gpu ? boundary_on_gpus(c, 70, 130) : boundary(c, 70, 130))
          << print(c);
      ASSERT_TRUE(ran.x) << print(c);
      EXPECT_LE(test::backward_error(system.matrix, system.b, *ran.x), bound(system, c))
          << print(c);
    }
  }
}

}  // namespace
}  // namespace spsolve::cuda
