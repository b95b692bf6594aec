// Solves with A and A^T on GPUs in which no rank has more of b and x than its own rows.

#include "helpers/solve_in_bands.hpp"

#include "cuda/device/gpu_device.hpp"
#include "gpu_mpi/gpu_team_test.hpp"

namespace spsolve::cuda {
namespace {

class GpuSolveInBands : public GpuTeamTest {};

TEST_F(GpuSolveInBands, EveryMethod) {
  const auto memory = gpu_device(team, Transport::pinned);
  for (EliminationChoice choice : test::choices_in_bands(Precision::float64)) {
    for (const Index n : {1, 2, 7, 40, 101, 300}) {
      choice.block = std::min<Index>(n, 32);
      test::expect_solved_in_bands(team, *memory, n, choice);
    }
  }
}

TEST_F(GpuSolveInBands, InFloat) {
  const auto memory = gpu_device(team, Transport::pinned);
  for (const EliminationChoice& choice : test::choices_in_bands(Precision::float32)) {
    for (const Index n : {8, 50}) test::expect_solved_in_bands(team, *memory, n, choice, 2e-3);
  }
}

}  // namespace
}  // namespace spsolve::cuda
