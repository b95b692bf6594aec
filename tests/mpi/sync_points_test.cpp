#include "sparse/ranks/sync_points.hpp"

#include <gtest/gtest.h>

#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "mpi/mpi_team.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve {
namespace {

TEST(SyncPoints, AreInOneOrderOnAllRanks) {
  MpiTeam team;
  for (const char* spec : {"grid3d:14", "grid2d:60", "tridiagonal:3000", "circuit:3000"}) {
    for (const double flops : {0.0, 1e5, 2e10}) {
      SCOPED_TRACE(fmt::format("{}, {} flops", spec, flops));
      const auto analysis = test::analysis_of(generate_matrix(spec), Factorization::lu,
                                              Ordering::nested_dissection, false);
      const TreePartition tree =
          deal_analysis(team, team.rank() == 0 ? analysis : nullptr, Factorization::lu,
                        SharingRule::of(Factorization::lu, MemoryKind::host));
      const SyncPoints sync_points(team, tree, {flops, 4, 50});
      EXPECT_GE(sync_points.rounds(), 4);
      EXPECT_LE(sync_points.rounds(), 50);
      // Own fronts first: as many rounds as their part of what comes before the fronts of all.
      double own = 0;
      int before = sync_points.after(0);
      EXPECT_TRUE(before == 0 || tree.own().size() == 0);
      for (LocalIndex s = 0; s < tree.own().size(); ++s) {
        own += front_flops(tree.own(), s, false);
        EXPECT_GE(sync_points.after(own), before);
        before = sync_points.after(own);
      }
      // Then shared ones, each after as many sync points on all of its ranks.
      double all = own;
      for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
        const std::vector<int> of_ranks = all_gather(team, sync_points.before(s));
        EXPECT_EQ(of_ranks, std::vector<int>(of_ranks.size(), of_ranks.front()));
        EXPECT_FALSE(sync_points.within(s, 0));
        EXPECT_FALSE(sync_points.within(s, tree.blocks(s).pivot_blocks()));
        if (!tree.teams[s].holds(tree.rank)) continue;
        EXPECT_GE(sync_points.before(s), before);
        before = sync_points.before(s);
        if (tree.depth[s] == 0) {
          EXPECT_GE(before, sync_points.rounds());
        } else {
          EXPECT_LE(before, sync_points.rounds());
        }
        all += sync_points.flops_of(s);
      }
      EXPECT_GE(sync_points.last(), std::max(before, sync_points.rounds()));
      EXPECT_EQ(all_gather(team, sync_points.last()),
                std::vector<int>(static_cast<std::size_t>(team.size()), sync_points.last()));
      EXPECT_NEAR(all, sync_points.flops(), 1e-9 * all);
    }
  }
}

}  // namespace
}  // namespace spsolve
