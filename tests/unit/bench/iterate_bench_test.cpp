#include "apps/bench/iterate/iterate_bench.hpp"

#include <gtest/gtest.h>

#include "apps/bench/peers/peers.hpp"

namespace spsolve::bench {
namespace {

Row row_of(bool peer, double set_up, double solve, bool converged = true) {
  Row row;
  row.peer = peer;
  row.cells = {{"matrix", "grid2d:9"}, {"converged", converged}, {"steps", 4}};
  row.samples = {{"setup_s", {set_up}}, {"solve_s", {solve}}, {"total_s", {set_up + solve}}};
  row.settle();
  return row;
}

TEST(IterateBench, ComparesWithTheBestPeerOfEachPhaseThatConverged) {
  std::vector<Row> rows{row_of(false, 2, 8), row_of(true, 1, 30), row_of(true, 4, 16),
                        row_of(true, 0.1, 0.1, false), row_of(false, 1, 1, false)};
  rows.push_back(row_of(true, 0.01, 0.01));
  rows.back()["matrix"] = "grid2d:10";
  rows.push_back(row_of(true, 0.01, 0.01));
  rows.back().refused = std::string("it does not");
  compare_iterations(rows);
  EXPECT_EQ(rows[0].number("speedup_setup"), 0.5);
  EXPECT_EQ(rows[0].number("speedup_solve"), 2);
  EXPECT_EQ(rows[0].number("speedup_total"), 2);
  for (std::size_t k = 1; k < rows.size(); ++k) {
    EXPECT_TRUE(rows[k].cell("speedup_total").is_null()) << k;
  }
}

TEST(IterateBench, TheFloorIsThatOfAAndTheVectors) {
  // A: 12 z + 4 n; a product's vectors: 2 of 8 n K; those of cg's recurrences: 9 of them.
  EXPECT_EQ(floor_bytes(Method::cg, 100, 460, 1), 12 * 460 + 4 * 100 + 11 * 8 * 100);
  EXPECT_EQ(floor_bytes(Method::cg, 100, 460, 3), 12 * 460 + 4 * 100 + 11 * 24 * 100);
  EXPECT_GT(*floor_bytes(Method::bicgstab, 100, 460, 1), *floor_bytes(Method::minres, 100, 460, 1));
  EXPECT_FALSE(floor_bytes(Method::gmres, 100, 460, 1));
  Row row = row_of(false, 1, 8);
  set_steps(row);
  EXPECT_EQ(row.number("step_ms"), 2000);
  EXPECT_TRUE(row.cell("of_floor").is_null());
  row["floor_bytes"] = 1e9;
  set_steps(row);
  EXPECT_TRUE(row.cell("of_floor").is_null());
  row["triad_gb_s"] = 1;
  set_steps(row);
  EXPECT_EQ(row.number("of_floor"), 0.5);
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
