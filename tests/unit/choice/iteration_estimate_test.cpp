#include "choice/iteration_estimate.hpp"

#include <algorithm>
#include <random>
#include <vector>

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

/// The Laplacian + identity of a graph that grows by preferential attachment, and after it that of
/// a path with `shift` in the place of the identity; hubs are its first rows.
Csr<double> laplacian_with_hubs(LocalIndex n, LocalIndex path = 0, double shift = 1) {
  constexpr int ties = 4;
  std::vector<std::vector<LocalIndex>> neighbours(n + path);
  std::vector<LocalIndex> ends;
  std::mt19937 random(7);
  const auto tie = [&](LocalIndex i, LocalIndex j) {
    if (i == j || std::ranges::count(neighbours[i], j) > 0) return;
    neighbours[i].push_back(j);
    neighbours[j].push_back(i);
    ends.insert(ends.end(), {i, j});
  };
  for (LocalIndex i = 1; i < n; ++i) {
    tie(i, i - 1);
    for (int k = 1; k < ties; ++k) tie(i, ends[random() % ends.size()]);
  }
  for (LocalIndex i = n + 1; i < n + path; ++i) tie(i, i - 1);
  Csr<double> matrix;
  matrix.rows = matrix.columns = n + path;
  matrix.row_offsets = {0};
  for (LocalIndex i = 0; i < n + path; ++i) {
    auto& columns = neighbours[i];
    const auto degree = static_cast<double>(columns.size());
    columns.push_back(i);
    std::ranges::sort(columns);
    for (const LocalIndex j : columns) {
      matrix.column_indices.push_back(j);
      matrix.values.push_back(j == i ? degree + (i < n ? 1 : shift) : -1);
    }
    matrix.row_offsets.push_back(std::ssize(matrix.values));
  }
  return matrix;
}

TEST(IterationEstimate, OfGraphsWithHubsIsMadeWithTheDiagonalForAnySystems) {
  SoloTeam team;
  const Csr<double> hubs = laplacian_with_hubs(3000);
  EXPECT_TRUE(has_hubs(hubs));
  for (const char* spec : {"grid2d:30", "grid3d:12", "grid3d27:8:1", "circuit:2000", "kkt:2000"}) {
    EXPECT_FALSE(has_hubs(generate_matrix(spec))) << spec;
  }
  double seconds = 0;
  for (const Index systems : {1, 10, 100}) {
    const FactorizationEstimate estimate =
        analyse_pattern(team, hubs, {}, MemoryKind::host, {},
                        {.may_iterate = true, .systems = systems})
            .estimate;
    EXPECT_FALSE(estimate.analysed);
    EXPECT_EQ(name(estimate.iteration.method), name(Method::cg));
    EXPECT_EQ(estimate.iteration.preconditioner, Preconditioner::jacobi);
    EXPECT_LE(estimate.iteration.steps, host_tuning.steps_of_trial);
    if (seconds > 0) {
      EXPECT_EQ(estimate.iteration.seconds, seconds);  // of each
    }
    seconds = estimate.iteration.seconds;
    // Solids are iterated once alone.
    EXPECT_EQ(analyse_pattern(team, generate_matrix("grid3d:12"), {}, MemoryKind::host, {},
                              {.may_iterate = true, .systems = systems})
                  .estimate.iteration.made(),
              systems == 1);
  }
  // Trees have hubs, and hardly fill in.
  EXPECT_FALSE(has_hubs(generate_matrix("power_law:3000:1")));
}

TEST(IterationEstimate, IsFollowedByAnAnalysisWhereItFails) {
  // What looks elliptic and is not analysed is, where an iteration failed.
  SoloTeam team;
  const FactorizationEstimate estimate = analyse_pattern(team, laplacian_with_hubs(3000), {},
                                                         MemoryKind::host, {}, {.eliminates = true})
                                             .estimate;
  EXPECT_TRUE(estimate.analysed);
  EXPECT_TRUE(estimate.elliptic);
  EXPECT_TRUE(estimate.hubs);
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
