// spbench's direct solvers of complex systems.

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/sparse/sparse_bench.hpp"
#include "helpers/error_of.hpp"
#include "helpers/reference.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::bench {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view complex_banner = "%%MatrixMarket matrix coordinate complex ";

/// A system of a file with these lines.
SparseSystem complex_system_of(std::string_view symmetry, std::string_view lines) {
  const test::TemporaryFolder folder;
  const auto file = folder.write(
      "a.mtx", std::string(complex_banner) + std::string(symmetry) + "\n" + std::string(lines));
  return load_sparse_system(file.string());
}

std::vector<Row> measured_rows(SparseSystem& system, const std::vector<SparseCandidate>& candidates,
                               const SystemsInTurn& systems = {}) {
  SoloTeam team;
  return sample_sparse(team, system, candidates, 1, systems, [](const std::string&) {});
}

TEST(ComplexBench, KindsOfMatricesAreFound) {
  const SparseSystem symmetric = load_sparse_system("zhelm2d:5"),
                     hermitian = load_sparse_system("magnetic2d:5"),
                     general = load_sparse_system("zconvdiff2d:5"),
                     real = load_sparse_system("convdiff3d:3");
  for (const SparseSystem* system : {&symmetric, &hermitian, &general}) {
    EXPECT_TRUE(system->is_complex());
    EXPECT_TRUE(system->symmetric_pattern);
    EXPECT_EQ(system->order, 25);
    EXPECT_EQ(system->rows(), 50);
    EXPECT_EQ(system->matrix.rows, 50);
    EXPECT_EQ(system->nonzeros(), 5 * 25 - 4 * 5);
  }
  const auto facts = [](const SystemKind& kind) {
    return std::vector<bool>{kind.symmetric, kind.hermitian, kind.maybe_definite, kind.conjugates};
  };
  EXPECT_THAT(facts(symmetric), ElementsAre(true, false, false, true));
  EXPECT_THAT(facts(hermitian), ElementsAre(false, true, true, false));
  EXPECT_THAT(facts(general), ElementsAre(false, false, false, false));
  EXPECT_THAT(facts(real), ElementsAre(false, false, false, false));
  EXPECT_EQ(real.rows(), 27);
  EXPECT_TRUE(has_conjugate_rows(symmetric.matrix));
  EXPECT_FALSE(
      complex_system_of("hermitian", "2 2 3\n1 1 1 0\n2 1 3 4\n2 2 -1 0\n").maybe_definite);
}

TEST(ComplexBench, ALaplacianOfAComplexMatrixIsReal) {
  const SparseSystem system = load_sparse_system("laplacian:magnetic2d:4");
  EXPECT_FALSE(system.is_complex());
  EXPECT_EQ(system.order, 16);
  EXPECT_TRUE(system.maybe_definite);
}

TEST(ComplexBench, LibrariesGetNumbersInPairs) {
  // 1+2i, 0, 3-4i; 5i, 6, 0; -7, 0, 0
  const SparseSystem system =
      complex_system_of("general", "3 3 5\n1 1 1 2\n1 3 3 -4\n2 1 0 5\n2 2 6 0\n3 1 -7 0\n");
  using Triangle = TakenRows::Triangle;
  const PeerRows<std::int64_t> all(system.matrix, {}, system.parts);
  EXPECT_THAT(all.offsets, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(all.columns, ElementsAre(0, 2, 0, 1, 0));
  EXPECT_THAT(all.values, ElementsAre(1, 2, 3, -4, 0, 5, 6, 0, -7, 0));
  IntRows upper(system.matrix, {.part = Triangle::upper, .base = 1, .diagonal = true},
                system.parts);
  EXPECT_THAT(upper.offsets, ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(upper.columns, ElementsAre(1, 3, 2, 3));
  EXPECT_THAT(upper.values, ElementsAre(1, 2, 3, -4, 6, 0, 0, 0));
  std::vector<double> doubled = system.matrix.values;
  for (double& value : doubled) value *= 2;
  upper.set_values(doubled);
  EXPECT_THAT(upper.values, ElementsAre(2, 4, 6, -8, 12, 0, 0, 0));
  const IntRows lower(system.matrix, {.part = Triangle::lower, .conjugated = true}, system.parts);
  EXPECT_THAT(lower.columns, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(lower.values, ElementsAre(1, -2, 0, -5, 6, 0, -7, 0));
}

TEST(ComplexBench, ErrorsAreThoseOfModuli) {
  // (3 + 4i) x = b for x = 1, but x has an imaginary part of 1e-3: r = -1e-3 i (3 + 4i). It is
  // complex symmetric: the second row has the opposite sign.
  const SparseSystem system = complex_system_of("general", "1 1 1\n1 1 3 4\n");
  SoloTeam team;
  Judge judge(team, {2, 1}, system.matrix, system.parts);
  Dense<double> b(2, 1), x(2, 1);
  b.values = {3, -4};
  x.values = {1, 1e-3};
  Row row;
  const Judge::Sizes sizes = judge.judge(b, x, row);
  const double modulus = std::hypot(1, 1e-3), error = 5e-3 / (5 * modulus + 5);
  EXPECT_NEAR(row.number("backward_error"), error, 1e-12);
  EXPECT_NEAR(row.number("componentwise_error"), error, 1e-12);
  EXPECT_NEAR(sizes.residual, 1e-3, 1e-12);
  x.values = {std::nan(""), 0};
  judge.judge(b, x, row);
  EXPECT_TRUE(std::isinf(row.number("backward_error")));
  EXPECT_TRUE(std::isinf(row.number("componentwise_error")));
}

TEST(ComplexBench, OwnMethodsAndPeersSolveEveryKind) {
  SoloTeam team;
  SparsePlan plan;
  plan.methods = {Method::automatic, Method::sparse_lu, Method::sparse_ldlt, Method::lu};
  for (const SparsePeer& peer : sparse_peers()) {
    // MUMPS starts MPI, which the tests of the command line do.
    if (peer.name != "mumps") plan.peers.push_back(&peer);
  }
  struct Expected {
    const char* name;
    std::vector<std::string> refuse;
    std::string factors;  // of pardiso
  };
  for (const auto& [name, refuse, factors] :
       {Expected{"zhelm2d:9", {"cholmod", "pardiso_pattern"}, "LDL^T"},
        Expected{"zcircuit2d:9", {"cholmod", "pardiso_pattern"}, "LDL^T"},
        Expected{"magnetic2d:9", {"pardiso_pattern"}, "LL^T"},
        Expected{"magnetic3d:4", {"pardiso_pattern"}, "LL^T"},
        Expected{"zconvdiff2d:9", {"sparse_ldlt", "cholmod"}, "LU"}}) {
    SparseSystem system = load_sparse_system(name);
    for (const Row& row : measured_rows(system, sparse_candidates(plan, team), {3, {}})) {
      SCOPED_TRACE(row.name + " on " + name);
      const auto peer = std::ranges::find(plan.peers, row.name, &SparsePeer::name);
      if (peer != plan.peers.end() && !(*peer)->missing().empty()) continue;
      if (!row.refused.empty()) {
        EXPECT_THAT(refuse, testing::Contains(row.name)) << row.refused;
        continue;
      }
      EXPECT_THAT(refuse, testing::Not(testing::Contains(row.name)));
      EXPECT_LT(row.number("backward_error"), 1e-14);
      EXPECT_LT(row.number("componentwise_error"), 1e-12);
      EXPECT_EQ(row.cell("n"), system.order);
      EXPECT_EQ(row.cell("nonzeros"), system.nonzeros());
      EXPECT_GE(row.number("factor_nonzeros"), static_cast<double>(system.order));
      if (row.name == "pardiso") {
        EXPECT_EQ(row.cell("factors"), factors);
      }
    }
  }
}

TEST(ComplexBench, AnIndefiniteHermitianMatrixIsFoundOut) {
  // [2, 3i; -3i, 2] has the eigenvalues 5 and -1.
  SparseSystem system = complex_system_of("hermitian", "2 2 3\n1 1 2 0\n2 1 0 -3\n2 2 2 0\n");
  EXPECT_TRUE(system.maybe_definite);
  SoloTeam team;
  SparsePlan plan;
  plan.methods = {Method::sparse_ldlt};
  plan.peers = peers_of(sparse_peers(), {"pardiso"});
  const auto rows = measured_rows(system, sparse_candidates(plan, team));
  EXPECT_EQ(rows[0].cell("factors"), "LDL^H");
  EXPECT_LT(rows[0].number("backward_error"), 1e-15);
  if (!rows[1].refused.empty()) GTEST_SKIP() << rows[1].refused;
  EXPECT_EQ(rows[1].cell("factors"), "LDL^H");
  EXPECT_LT(rows[1].number("backward_error"), 1e-15);
  EXPECT_FALSE(system.maybe_definite);
}

TEST(ComplexBench, NamedSystemsMayBeOfAnotherKind) {
  const test::TemporaryFolder folder;
  const auto of = [&](const char* name, double of_mirror) {
    return folder
        .write(name, std::string(complex_banner) + "general\n2 2 4\n1 1 4 1\n1 2 1 2\n2 1 1 " +
                         std::to_string(of_mirror) + "\n2 2 3 -5\n")
        .string();
  };
  const std::string symmetric = of("s.mtx", 2), general = of("g.mtx", 7);
  SoloTeam team;
  SparsePlan plan;
  plan.methods = {Method::sparse_lu, Method::lu};
  for (const auto& [first, second] :
       {std::pair(symmetric, general), std::pair(general, symmetric)}) {
    SparseSystem system = load_sparse_system(first);
    EXPECT_EQ(system.conjugates, first == symmetric);
    for (const Row& row :
         measured_rows(system, sparse_candidates(plan, team), {2, {second, first}})) {
      EXPECT_EQ(row.refused, "");
      EXPECT_LT(row.number("backward_error"), 1e-15);
    }
  }
  SparseSystem system = load_sparse_system(symmetric);
  const auto rows = measured_rows(system, sparse_candidates(plan, team), {1, {"grid2d:2"}});
  EXPECT_THAT(rows[0].refused, HasSubstr("is complex, and the other is real"));
}

}  // namespace
}  // namespace spsolve::bench
