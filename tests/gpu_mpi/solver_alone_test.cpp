// A Solver over GPUs of several ranks that leaves a small system to rank 0.

#include <spsolve/mpi.hpp>
#include <spsolve/spsolve.hpp>

#include "gpu_mpi/gpu_team_test.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda {
namespace {

class SolverAlone : public GpuTeamTest {};

TEST_F(SolverAlone, RankZeroHasAllRows) {
  const Ranks ranks = ranks_of(MPI_COMM_WORLD);
  const bool first = ranks.rank() == 0;
  const Matrix a = first ? Matrix::load("random_dense:60") : Matrix();
  Options options;
  options.device = Device::cuda;
  options.share_gpus = true;
  for (const SolvingRanks wanted : {SolvingRanks::automatic, SolvingRanks::all}) {
    options.ranks = wanted;
    const bool alone = ranks.size() > 1 && wanted == SolvingRanks::automatic;
    EXPECT_EQ(plan_solver(a, options, ranks).device, "cuda");
    Solver solver(a, options, ranks);
    EXPECT_EQ(solver.order(), 60);
    EXPECT_EQ(solver.report().method, "lu");
    if (alone) {
      EXPECT_EQ(solver.own().size(), first ? 60 : 0);
    }
    const Solution solution = solver.solve(Dense<double>(solver.own().size(), 2, 1.0));
    EXPECT_TRUE(solution.solved);
    EXPECT_LT(solution.backward_error, 1e-14);
    EXPECT_TRUE(solution.condition.has_value());
    EXPECT_EQ(solution.x.rows, solver.own().size());
    EXPECT_THROW(solver.solve(Dense<double>(solver.own().size() + 1, 1, 1.0)), Error);
    if (!alone) continue;
    solver.set_values(first ? a.csr().values : std::vector<double>());
    EXPECT_TRUE(solver.solve(Dense<double>(solver.own().size(), 1, 1.0)).solved);
  }
}

}  // namespace
}  // namespace spsolve::cuda
