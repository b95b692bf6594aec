#include "sparse/analysis/promise.hpp"

#include <gtest/gtest.h>

#include "core/tuning.hpp"
#include "matrix/generate/generate.hpp"
#include "sparse/analysis/outlook.hpp"

namespace spsolve {
namespace {

SparseOutlook outlook_of(const char* spec, const SolverOptions& options = {},
                         bool may_promise = true) {
  SoloTeam team;
  return study_sparsity(team, generate_matrix(spec), options, MemoryKind::host, {},
                        {.may_promise = may_promise})
      .outlook;
}

TEST(IterationPromise, IsMadeForWhatFillsInAndConvergesSoon) {
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
    const SparseOutlook outlook = outlook_of(spec);
    EXPECT_EQ(name(outlook.promise.method), name(method)) << spec;
    // One of the two.
    EXPECT_NE(outlook.analysed, outlook.promise.made()) << spec;
    if (!outlook.promise.made()) continue;
    EXPECT_GT(outlook.promise.steps, 10) << spec;
    EXPECT_GT(outlook.promise.seconds, 0) << spec;
  }
}

TEST(IterationPromise, IsNotMadeWhereMoreIsWantedOrSomethingIsSaidOfHow) {
  const auto is_made = [](const auto& change, bool may_promise = true) {
    SolverOptions options;
    change(options);
    return outlook_of("cage:900", options, may_promise).promise.made();
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

TEST(IterationPromise, IsMadeForNegativeMatricesLikewise) {
  Csr<double> matrix = generate_matrix("grid3d:24");
  for (double& value : matrix.values) value = -value;
  SoloTeam team;
  const IterationPromise promise =
      study_sparsity(team, matrix, {}, MemoryKind::host, {}, {.may_promise = true}).outlook.promise;
  const IterationPromise positive = outlook_of("grid3d:24").promise;
  EXPECT_TRUE(promise.negative);
  EXPECT_FALSE(positive.negative);
  EXPECT_EQ(name(promise.method), name(Method::cg));
  EXPECT_EQ(promise.seconds, positive.seconds);
}

TEST(IterationPromise, LeavesDefiniteMatricesToCgAlone) {
  // Positive definite no more, as a diagonal entry says.
  Csr<double> matrix = generate_matrix("grid3d:12");
  for (Index k = matrix.row_offsets[700]; k < matrix.row_offsets[701]; ++k) {
    if (matrix.column_indices[k] == 700) matrix.values[k] = -6;
  }
  SoloTeam team;
  const SparseOutlook outlook =
      study_sparsity(team, matrix, {}, MemoryKind::host, {}, {.may_promise = true}).outlook;
  EXPECT_FALSE(outlook.promise.made());
  EXPECT_TRUE(outlook.analysed);
}

TEST(WidthOfGraph, IsThatOfTheWidestLevel) {
  EXPECT_EQ(width_of_graph(generate_matrix("tridiagonal:50")), 1);
  EXPECT_EQ(width_of_graph(generate_matrix("grid2d:20")), 20);
  // The largest level of x + y + z = s with 0 <= x, y, z < 5.
  EXPECT_EQ(width_of_graph(generate_matrix("grid3d:5")), 19);
  EXPECT_EQ(width_of_graph(generate_matrix("random_dense:9")), 8);
  EXPECT_EQ(width_of_graph(Csr<double>{}), 0);
}

TEST(IterationPromise, OnAGpuIsMadeForLargeEllipticOrElasticMatrices) {
  SoloTeam team;
  const auto promised = [&](const char* spec, bool elastic, const SolverOptions& options = {}) {
    return study_sparsity(team, generate_matrix(spec), options, MemoryKind::gpu, {},
                          {.may_promise = true, .elastic = elastic})
        .outlook.promise;
  };
  for (const char* spec : {"grid3d:50", "grid2d:320"}) {
    const IterationPromise promise = promised(spec, false);
    EXPECT_EQ(promise.method, Method::cg) << spec;
    EXPECT_EQ(promise.steps, host_tuning.steps_of_trial);
    EXPECT_FALSE(promise.negative);
  }
  EXPECT_EQ(promised("elastic3d:32", true).method, Method::cg);
  EXPECT_FALSE(promised("elastic3d:20", true).made());  // small
  EXPECT_FALSE(promised("grid3d:40", false).made());
  EXPECT_FALSE(promised("helmholtz2d:320", false).made());
  EXPECT_FALSE(promised("convdiff3d:50", true).made());
  SolverOptions options;
  options.ordering = Ordering::amd;
  EXPECT_FALSE(promised("grid3d:50", false, options).made());
}

}  // namespace
}  // namespace spsolve
