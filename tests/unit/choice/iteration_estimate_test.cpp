#include "choice/iteration_estimate.hpp"

#include <gtest/gtest.h>

#include "choice/factorization_estimate.hpp"
#include "core/tuning.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

FactorizationEstimate estimate_of(const char* spec, const SolverOptions& options = {},
                                  bool may_iterate = true) {
  SoloTeam team;
  return analyse_pattern(team, generate_matrix(spec), options, MemoryKind::host, {},
                         {.may_iterate = may_iterate})
      .estimate;
}

TEST(IterationEstimate, IsMadeForWhatFillsInAndConvergesSoon) {
  for (const auto& [spec, method] : std::initializer_list<std::pair<const char*, Method>>{
           {"cage:600", Method::bicgstab},
           {"cage:3000", Method::bicgstab},
           {"grid3d:12", Method::cg},
           {"grid3d:24", Method::cg},
           {"grid3d27:12:1", Method::cg},
           // Too few neighbours, too slow, no diagonal.
           {"grid2d:50", Method::automatic},
           {"tridiagonal:2000", Method::automatic},
           {"convdiff3d:12", Method::automatic},
           {"aniso3d:14", Method::automatic},
           {"elastic3d:6", Method::automatic},
           {"helmholtz2d:40", Method::automatic},
           {"circuit:2000", Method::automatic},
           {"kkt:2000", Method::automatic}}) {
    const FactorizationEstimate estimate = estimate_of(spec);
    EXPECT_EQ(name(estimate.iteration.method), name(method)) << spec;
    // One of the two.
    EXPECT_NE(estimate.analysed, estimate.iteration.made()) << spec;
    if (!estimate.iteration.made()) continue;
    EXPECT_GT(estimate.iteration.steps, 10) << spec;
    EXPECT_GT(estimate.iteration.seconds, 0) << spec;
  }
}

TEST(IterationEstimate, IsNotMadeWhereMoreIsWantedOrSomethingIsSaidOfHow) {
  const auto is_made = [](const auto& change, bool may_iterate = true) {
    SolverOptions options;
    change(options);
    return estimate_of("cage:900", options, may_iterate).iteration.made();
  };
  const auto nothing = [](SolverOptions&) {};
  EXPECT_TRUE(is_made(nothing));
  EXPECT_FALSE(is_made(nothing, false));
  EXPECT_TRUE(is_made([](SolverOptions& options) { options.condition = false; }));
  EXPECT_FALSE(is_made([](SolverOptions& options) { options.method = Method::sparse_lu; }));
  EXPECT_FALSE(is_made([](SolverOptions& options) { options.precision = Precision::mixed; }));
  EXPECT_FALSE(is_made([](SolverOptions& options) { options.ordering = Ordering::amd; }));
  EXPECT_FALSE(is_made([](SolverOptions& options) { options.ranks = SolvingRanks::all; }));
  EXPECT_FALSE(is_made([](SolverOptions& options) { options.equilibrate = AutoSwitch::on; }));
  EXPECT_FALSE(
      is_made([](SolverOptions& options) { options.preconditioner = Preconditioner::jacobi; }));
}

TEST(IterationEstimate, IsMadeForNegativeMatricesLikewise) {
  Csr<double> matrix = generate_matrix("grid3d:24");
  for (double& value : matrix.values) value = -value;
  SoloTeam team;
  const IterationEstimate iteration =
      analyse_pattern(team, matrix, {}, MemoryKind::host, {}, {.may_iterate = true})
          .estimate.iteration;
  const IterationEstimate positive = estimate_of("grid3d:24").iteration;
  EXPECT_TRUE(iteration.negative);
  EXPECT_FALSE(positive.negative);
  EXPECT_EQ(name(iteration.method), name(Method::cg));
  EXPECT_EQ(iteration.seconds, positive.seconds);
}

TEST(IterationEstimate, LeavesDefiniteMatricesToCgAlone) {
  // Positive definite no more, as a diagonal entry says.
  Csr<double> matrix = generate_matrix("grid3d:12");
  for (Index k = matrix.row_offsets[700]; k < matrix.row_offsets[701]; ++k) {
    if (matrix.column_indices[k] == 700) matrix.values[k] = -6;
  }
  SoloTeam team;
  const FactorizationEstimate estimate =
      analyse_pattern(team, matrix, {}, MemoryKind::host, {}, {.may_iterate = true}).estimate;
  EXPECT_FALSE(estimate.iteration.made());
  EXPECT_TRUE(estimate.analysed);
}

TEST(WidthOfGraph, IsThatOfTheWidestLevel) {
  EXPECT_EQ(width_of_graph(generate_matrix("tridiagonal:50")), 1);
  EXPECT_EQ(width_of_graph(generate_matrix("grid2d:20")), 20);
  // The largest level of x + y + z = s with 0 <= x, y, z < 5.
  EXPECT_EQ(width_of_graph(generate_matrix("grid3d:5")), 19);
  EXPECT_EQ(width_of_graph(generate_matrix("random_dense:9")), 8);
  EXPECT_EQ(width_of_graph(Csr<double>{}), 0);
}

TEST(IterationEstimate, OnAGpuIsMadeForLargeEllipticOrElasticMatrices) {
  SoloTeam team;
  const auto estimated = [&](const char* spec, bool elastic, const SolverOptions& options = {}) {
    return analyse_pattern(team, generate_matrix(spec), options, MemoryKind::gpu, {},
                           {.may_iterate = true, .elastic = elastic})
        .estimate.iteration;
  };
  for (const char* spec : {"grid3d:50", "grid2d:320"}) {
    const IterationEstimate iteration = estimated(spec, false);
    EXPECT_EQ(iteration.method, Method::cg) << spec;
    EXPECT_EQ(iteration.steps, host_tuning.steps_of_trial);
    EXPECT_FALSE(iteration.negative);
  }
  EXPECT_EQ(estimated("elastic3d:32", true).method, Method::cg);
  EXPECT_FALSE(estimated("elastic3d:20", true).made());  // small
  EXPECT_FALSE(estimated("grid3d:40", false).made());
  EXPECT_FALSE(estimated("helmholtz2d:320", false).made());
  EXPECT_FALSE(estimated("convdiff3d:50", true).made());
  SolverOptions options;
  options.ordering = Ordering::amd;
  EXPECT_FALSE(estimated("grid3d:50", false, options).made());
}

}  // namespace
}  // namespace spsolve
