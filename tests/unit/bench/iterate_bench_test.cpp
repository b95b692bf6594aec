#include "apps/bench/iterate/iterate_bench.hpp"

#include <gtest/gtest.h>

namespace spsolve::bench {
namespace {

IterationRow row_of(bool peer, double set_up, double solve, bool converged = true) {
  IterationRow row;
  row.matrix = std::string("grid2d:9");
  row.peer = peer;
  row.figures.converged = converged;
  row.figures.steps = 4;
  const auto once = [](double seconds) { return statistics_of(std::vector<double>{seconds}); };
  row.set_up = once(set_up);
  row.solve = once(solve);
  row.total = once(set_up + solve);
  return row;
}

TEST(IterateBench, ComparesWithTheBestPeerOfEachPhaseThatConverged) {
  std::vector<IterationRow> rows{row_of(false, 2, 8), row_of(true, 1, 30), row_of(true, 4, 16),
                                 row_of(true, 0.1, 0.1, false), row_of(false, 1, 1, false)};
  rows.push_back(row_of(true, 0.01, 0.01));
  rows.back().matrix = std::string("grid2d:10");
  rows.push_back(row_of(true, 0.01, 0.01));
  rows.back().refused = std::string("it does not");
  compare(rows);
  EXPECT_EQ(rows[0].speedup_set_up, 0.5);
  EXPECT_EQ(rows[0].speedup_solve, 2);
  EXPECT_EQ(rows[0].speedup_total, 2);
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_FALSE(rows[k].speedup_total) << k;
  EXPECT_EQ(rows[0].step(), 2);
}

TEST(IterateBench, TheFloorIsThatOfAAndTheVectors) {
  // A: 12 z + 4 n; a product's vectors: 2 of 8 n K; those of cg's recurrences: 9 of them.
  EXPECT_EQ(floor_bytes(Method::cg, 100, 460, 1), 12 * 460 + 4 * 100 + 11 * 8 * 100);
  EXPECT_EQ(floor_bytes(Method::cg, 100, 460, 3), 12 * 460 + 4 * 100 + 11 * 24 * 100);
  EXPECT_GT(*floor_bytes(Method::bicgstab, 100, 460, 1), *floor_bytes(Method::minres, 100, 460, 1));
  EXPECT_FALSE(floor_bytes(Method::gmres, 100, 460, 1));
  IterationRow row = row_of(false, 1, 8);
  EXPECT_FALSE(row.of_floor());
  row.floor_bytes = 1e9;
  EXPECT_FALSE(row.of_floor());
  row.triad = 1e9;
  EXPECT_EQ(row.of_floor(), 0.5);
}

TEST(IterateBench, PeersHaveWordsAndSayWhyTheyAreNotHere) {
  std::vector<std::string> names;
  for (const IterativePeer& peer : iterative_peers()) {
    names.emplace_back(peer.name);
    EXPECT_FALSE(peer.sentence.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"hypre", "petsc"}));
}

}  // namespace
}  // namespace spsolve::bench
