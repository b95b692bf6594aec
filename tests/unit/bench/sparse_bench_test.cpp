#include "apps/bench/sparse/sparse_bench.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/bench/sparse/own_solvers.hpp"
#include "helpers/error_of.hpp"
#include "helpers/reference.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::bench {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// Solves by LAPACK, and notes in what order it is called.
class Recorded final : public SparseContender {
 public:
  Recorded(const SparseSystem& system, std::string& calls)
      : matrix_(system.matrix), definite_(system.maybe_definite), calls_(calls) {}

  void analyse() override { calls_ += 'a'; }
  void factor() override {
    calls_ += 'f';
    if (definite_) throw NotDefinite("a pivot is negative");
  }
  void set_values(std::span<const double> values) override {
    calls_ += 'v';
    matrix_.values.assign(values.begin(), values.end());
  }
  void set_right_hand_sides(const Dense<double>& b) override { b_ = b; }
  void solve() override {
    calls_ += b_.columns == 1 ? 's' : 'm';
    x_ = test::lapack_solve(matrix_, b_);
  }
  Dense<double> solution() const override { return x_; }
  FactorFigures figures() const override { return {"LU", 12.0, 34.0}; }

 private:
  Csr<double> matrix_;
  bool definite_;
  std::string& calls_;
  Dense<double> b_, x_;
};

SparseCandidate recorded(std::string name, std::string& calls, std::string refusal = "") {
  return {std::move(name), true, 1, false,
          [refusal, &calls](const SparseSystem& system) -> std::unique_ptr<SparseContender> {
            if (!refusal.empty()) fail(ExitCode::input, "{}", refusal);
            return std::make_unique<Recorded>(system, calls);
          }};
}

Row row(std::string matrix, std::string contender, bool peer, double seconds) {
  Row made;
  made.name = contender;
  made.peer = peer;
  made.cells = {{"matrix", matrix}, {"contender", contender}, {"threads", 1}, {"ranks", 1}};
  made["backward_error"] = 0.0;
  for (const char* phase : {"analyse_s", "factor_s", "total_s"}) made.samples[phase] = {seconds};
  made.settle();
  return made;
}

double total_speedup(const Row& row) {
  const double speedup = row.number("total_speedup");
  return std::isnan(speedup) ? -1 : speedup;
}

/// The rows of a contest that says nothing.
std::vector<Row> sampled(SparseSystem& system, const std::vector<SparseCandidate>& candidates,
                         int samples, int systems = 0) {
  SoloTeam team;
  return sample_sparse(team, system, candidates, samples, {systems, {}}, [](const std::string&) {});
}

TEST(SparseBench, EveryRoundRunsAllPhasesOfAllInTurns) {
  SoloTeam team;
  SparseSystem system = load_sparse_system("convdiff3d:3");
  std::string calls;
  std::vector<std::string> lines;
  const auto rows = sample_sparse(team, system, {recorded("one", calls), recorded("two", calls)}, 3,
                                  {}, [&](const std::string& line) { lines.push_back(line); });
  std::string expected;
  for (int run = 0; run < 6; ++run) expected += "afvfsm";
  EXPECT_EQ(calls, expected);
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_THAT(lines[2], HasSubstr("two on convdiff3d:3, 2 of 3: analyse_s "));
  for (const Row& row : rows) {
    EXPECT_EQ(row.refused, "");
    EXPECT_EQ(row.cell("n"), 27);
    EXPECT_EQ(row.cell("nonzeros"), system.matrix.nonzeros());
    EXPECT_EQ(row.cell("samples"), 3);
    // The solutions are of the values that were set last.
    EXPECT_LT(row.number("backward_error"), 1e-14);
    EXPECT_LT(row.number("componentwise_error"), 1e-12);
    EXPECT_EQ(row.cell("factor_nonzeros"), 12.0);
  }
}

TEST(SparseBench, ASequenceOfSystemsIsAnalysedOnce) {
  SparseSystem system = load_sparse_system("convdiff3d:3");
  for (const int systems : {1, 4}) {
    std::string calls, expected = "afvfsm";
    const auto rows = sampled(system, {recorded("one", calls)}, 1, systems);
    for (int k = 0; k < systems; ++k) expected += "vfs";
    EXPECT_EQ(calls, expected);
    EXPECT_EQ(rows[0].cell("systems"), systems);
    EXPECT_LT(rows[0].number("backward_error"), 1e-14);  // of the last of them, too
    EXPECT_GT(rows[0].number("sequence_s"), 0);
  }
}

TEST(SparseBench, SystemsAreNamedOrCounted) {
  EXPECT_EQ(systems_in_turn({"12"}).count, 12);
  EXPECT_TRUE(systems_in_turn({"12"}).names.empty());
  const SystemsInTurn named = systems_in_turn({"a.mtx", "kkt:9:8..11:seed=2", "../b..c"});
  EXPECT_THAT(named.names, ElementsAre("a.mtx", "kkt:9:8:seed=2", "kkt:9:9:seed=2",
                                       "kkt:9:10:seed=2", "kkt:9:11:seed=2", "../b..c"));
  EXPECT_EQ(named.count, 6);
  EXPECT_THAT(error_of([] { systems_in_turn({"x:9..8"}); }), HasSubstr("x:9..8"));
  EXPECT_THAT(error_of([] { systems_in_turn({"100001"}); }), HasSubstr("100000 at most"));
  EXPECT_THAT(error_of([] { systems_in_turn({"x:0..999999"}); }), HasSubstr("100000 at most"));
}

TEST(SparseBench, NamedSystemsAreSolvedOneAfterAnother) {
  SparseSystem system = load_sparse_system("ipm_control:1:1");
  SoloTeam team;
  std::string calls;
  const auto sampled_on = [&](const std::vector<std::string>& words) {
    return sample_sparse(team, system, {recorded("one", calls)}, 1, systems_in_turn(words),
                         [](const std::string&) {});
  };
  const auto rows = sampled_on({"ipm_control:1:2..4"});
  EXPECT_EQ(calls, "afvfsmvfsvfsvfs");
  EXPECT_EQ(rows[0].refused, "");
  EXPECT_EQ(rows[0].cell("systems"), 3);
  EXPECT_LT(rows[0].number("backward_error"), 1e-14);
  EXPECT_GT(rows[0].number("sequence_factor_s"), 0);
  EXPECT_THAT(sampled_on({"grid2d:3"})[0].refused, HasSubstr("another pattern"));
}

TEST(SparseBench, AnIndefiniteMatrixIsTriedAgainWithoutCholesky) {
  SparseSystem system = load_sparse_system("grid2d:3");
  EXPECT_TRUE(system.maybe_definite);
  std::string calls;
  const auto rows = sampled(system, {recorded("one", calls)}, 1);
  EXPECT_EQ(calls, "afafvfsm");
  EXPECT_FALSE(system.maybe_definite);
  EXPECT_EQ(rows[0].refused, "");
}

TEST(SparseBench, WhatRefusesIsNamedAndTriedOnce) {
  SparseSystem system = load_sparse_system("convdiff3d:2");
  std::string calls, other;
  SparseCandidate failing = recorded("three", other);
  int tries = 0;
  failing.make = [&](const SparseSystem&) -> std::unique_ptr<SparseContender> {
    ++tries;
    fail(ExitCode::resources, "there is no room");
  };
  const auto rows = sampled(
      system, {recorded("one", other, "it does not like it"), recorded("two", calls), failing}, 2);
  EXPECT_EQ(rows[0].refused, "it does not like it");
  EXPECT_EQ(rows[1].refused, "");
  EXPECT_EQ(rows[2].refused, "there is no room");
  EXPECT_EQ(other, "");
  EXPECT_EQ(tries, 1);
  const auto json = to_json(sparse_columns(), rows);
  EXPECT_TRUE(json[0]["factor_s"].is_null());
  EXPECT_TRUE(json[0]["gflops"].is_null());
  EXPECT_EQ(json[0]["refused"], "it does not like it");
  EXPECT_TRUE(json[1]["factor_s"].is_number());
  EXPECT_TRUE(json[1]["refused"].is_null());
  EXPECT_EQ(json[1]["factors"], "LU");
}

TEST(SparseBench, OwnMethodsHaveAllPhases) {
  SoloTeam team;
  for (const char* name : {"convdiff3d:3", "kkt:50", "circuit:70"}) {
    SparseSystem system = load_sparse_system(name);
    SparsePlan plan;
    plan.methods = {Method::sparse_lu, Method::gauss_jordan};
    const auto rows = sampled(system, sparse_candidates(plan, team), 1);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].cell("contender"), "sparse_lu");
    EXPECT_EQ(rows[0].cell("factors"), "LU");
    EXPECT_LT(rows[0].number("factor_nonzeros"), rows[1].number("factor_nonzeros"));
    EXPECT_EQ(rows[1].cell("contender"), "gauss_jordan");
    EXPECT_EQ(rows[1].cell("factors"), "gauss_jordan");
    for (const Row& row : rows) {
      EXPECT_EQ(row.refused, "");
      EXPECT_LT(row.number("backward_error"), 1e-12) << name;
      EXPECT_EQ(total_speedup(row), -1);
    }
  }
}

TEST(SparseBench, OwnMethodsRefuseWhatTheyDoNotDoOrDoesNotFit) {
  const SparseSystem small = load_sparse_system("grid2d:3");
  SolverOptions options;
  options.method = Method::lu;
  options.pivoting = Pivoting::complete;
  EXPECT_THAT(error_of([&] { make_own(small, options)->analyse(); }),
              HasSubstr("solve.pivoting=complete"));
  const SparseSystem large = load_sparse_system("tridiagonal:1000000");
  options.pivoting = Pivoting::automatic;
  EXPECT_THAT(error_of([&] { make_own(large, options)->analyse(); }, ExitCode::resources),
              HasSubstr("TiB"));
}

TEST(SparseBench, ComparesWithTheBestPeerThatIsRight) {
  std::vector<Row> rows{row("a", "own", false, 2), row("a", "p", true, 4), row("a", "q", true, 1),
                        row("a", "r", true, 8)};
  rows[2]["backward_error"] = 1e-3;
  rows[3].refused = "it does not like it";
  compare_sparse(rows);
  EXPECT_EQ(total_speedup(rows[0]), 2);
  EXPECT_EQ(total_speedup(rows[1]), 1);
  EXPECT_EQ(total_speedup(rows[2]), 4);
  EXPECT_EQ(total_speedup(rows[3]), -1);
  // A phase without time has no speed-up, and where no peer is right there is none at all.
  rows[0]["analyse_s"] = 0.0;
  compare_sparse(rows);
  EXPECT_TRUE(rows[0].cell("analyse_speedup").is_null());
  rows[1]["backward_error"] = std::nan("");
  compare_sparse(rows);
  EXPECT_EQ(total_speedup(rows[0]), -1);
}

TEST(SparseBench, SummariesAreGeometricMeans) {
  std::vector<Row> rows{row("a", "own", false, 2), row("a", "p", true, 4),
                        row("b", "own", false, 4), row("b", "p", true, 2),
                        row("c", "own", false, 1), row("c", "p", true, 1)};
  rows[5].refused = "it does not like it";
  for (std::size_t k = 0; k < rows.size(); k += 2) {
    compare_sparse(std::span(rows).subspan(k, 2));
  }
  const auto summaries = summaries_of(rows);
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_EQ(summaries[0].cell("contender"), "own");
  EXPECT_EQ(summaries[0].cell("matrices"), 2);
  EXPECT_DOUBLE_EQ(summaries[0].number("total_speedup"), 1);  // of 2 and 1/2
  EXPECT_EQ(summaries[0].number("least_total_speedup"), 0.5);
  EXPECT_EQ(summaries[1].cell("contender"), "p");
  EXPECT_EQ(summaries[1].number("total_speedup"), 1);
}

TEST(OwnSparse, DoesNotTryAgainWhatFailed) {
  SparseSystem system = load_sparse_system("helmholtz2d:30");
  std::vector<double> definite = system.matrix.values;
  for (double& value : definite) value = value > 0 ? 10 : value;
  const auto first = make_own(system, {});
  first->analyse();
  first->factor();
  EXPECT_EQ(first->figures().kind, "LDL^T") << "L L^T fails";
  first->set_values(definite);
  first->factor();
  EXPECT_EQ(first->figures().kind, "LDL^T");
  system.matrix.values = definite;
  const auto fresh = make_own(system, {});
  fresh->analyse();
  fresh->factor();
  EXPECT_EQ(fresh->figures().kind, "LL^T");
  const Dense<double> b = random_multivector(system.order, 1, 1);
  std::vector<double> x[2];
  for (int i = 0; i < 2; ++i) {
    SparseContender& contender = i == 0 ? *first : *fresh;
    contender.set_right_hand_sides(b);
    contender.solve();
    x[i] = contender.solution().values;
  }
  for (std::size_t i = 0; i < x[0].size(); ++i) EXPECT_NEAR(x[0][i], x[1][i], 1e-14);
}

TEST(SparseBench, LaplaciansOfPatterns) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("p.mtx",
                                 "%%MatrixMarket matrix coordinate pattern symmetric\n"
                                 "4 4 4\n2 1\n3 1\n3 3\n4 1\n");
  const auto one_way = folder.write("o.mtx",
                                    "%%MatrixMarket matrix coordinate real general\n"
                                    "4 4 5\n1 2 7\n3 1 7\n3 3 7\n4 1 7\n1 4 7\n");
  for (const auto& file : {path, one_way}) {
    const SparseSystem system = load_sparse_system("laplacian:" + file.string());
    EXPECT_THAT(test::dense(system.matrix).values,
                ElementsAre(4, -1, -1, -1, -1, 2, 0, 0, -1, 0, 2, 0, -1, 0, 0, 2));
    EXPECT_TRUE(system.symmetric);
    EXPECT_TRUE(system.maybe_definite);
  }
  EXPECT_THAT(error_of([] { load_sparse_system("random_sparse:3:4:2"); }),
              HasSubstr("only square matrices"));
  EXPECT_FALSE(load_sparse_system("kkt:30").maybe_definite);
  EXPECT_TRUE(load_sparse_system("kkt:30").symmetric);
  EXPECT_FALSE(load_sparse_system("circuit:30").symmetric);
}

TEST(SparsePeers, AreFoundByTheirNames) {
  const auto names = [](const std::vector<std::string>& words) {
    std::vector<std::string> found;
    for (const SparsePeer* const peer : peers_of(sparse_peers(), words))
      found.emplace_back(peer->name);
    return found;
  };
  EXPECT_THAT(names({"mumps", "cholmod", "mumps"}), ElementsAre("mumps", "cholmod"));
  EXPECT_THAT(names({}), ElementsAre());
  EXPECT_EQ(error_of([&] { names({"umfpak"}); }),
            "there is no peer 'umfpak'; all and cholmod, umfpack, mumps, pardiso, pardiso_pattern, "
            "cudss, "
            "cudss_lu are known; did "
            "you mean 'umfpack'?");
  for (const SparsePeer* const peer : peers_of(sparse_peers(), {"all"}))
    EXPECT_EQ(peer->missing(), "");
}

TEST(SparsePeers, SolveWhatTheyTake) {
  SoloTeam team;
  SparsePlan plan;
  plan.methods = {};
  for (const SparsePeer& peer : sparse_peers()) {
    // MUMPS starts MPI, which the tests over ranks and of the command line do.
    if (peer.name != "mumps") plan.peers.push_back(&peer);
  }
  for (const char* name : {"elastic3d:2", "convdiff3d:4", "kkt:60", "helmholtz2d:9", "cage:40"}) {
    SparseSystem system = load_sparse_system(name);
    for (const Row& row : sampled(system, sparse_candidates(plan, team), 1)) {
      SCOPED_TRACE(row.name + " on " + name);
      if (!row.refused.empty()) continue;
      EXPECT_LT(row.number("backward_error"), 1e-13);
      EXPECT_GT(row.number("factor_nonzeros"), static_cast<double>(system.order));
    }
    // That helmholtz2d is indefinite is found out.
    EXPECT_EQ(system.maybe_definite,
              system.name == "elastic3d:2" ||
                  (system.name == "helmholtz2d:9" && !cholmod_peer.missing().empty() &&
                   !pardiso_peer.missing().empty()));
  }
}

}  // namespace
}  // namespace spsolve::bench
