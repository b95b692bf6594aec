#include <algorithm>
#include <complex>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/fronts/factor_memory.hpp"

namespace spsolve {
namespace {

constexpr StackBound small_fronts{0, 300, 0, 0};

StackBound small_fronts_within(Index entries) {
  return {entries, small_fronts.least_direct, small_fronts.direct_share, 0};
}

std::shared_ptr<const SparseAnalysis> bounded(const SparseAnalysis& analysis,
                                              const StackBound& bound) {
  auto result = std::make_shared<SparseAnalysis>(analysis);
  result->stack_bound = bound;
  return result;
}

const char* const specs[] = {"grid2d:70", "grid3d:12", "convdiff3d:12", "network:3000:200"};

TEST(StackBound, FrontsThatUpdateAncestorsDirectlyFactorAsOthersDo) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = test::analysis_of(matrix, kind);
    test::WholeElimination<double> elimination(bounded(*analysis, {0, 10, 0, 0}));
    const PivotCounts counts = elimination.factor(kind, matrix.values);
    ASSERT_EQ(counts.failed, -1);
    for (const bool transposed : {false, true}) {
      EXPECT_LT(test::error_of_solve(matrix, elimination, transposed, 2),
                counts.perturbed > 0 ? 1e-4 : 1e-11);
    }
  });
}

TEST(StackBound, NeitherThreadsNorBoundsChangeBits) {
  const int threads = omp_get_max_threads();
  for (const char* spec : specs) {
    const Csr<double> matrix = generate_matrix(spec);
    const Dense<double> b = test::right_hand_sides(matrix.rows, 2);
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(matrix).symmetric) continue;
      const auto analysis = test::analysis_of(matrix, kind, Ordering::amd);
      std::vector<double> first;
      for (const int count : {1, 2, 4}) {
        omp_set_num_threads(count);
        for (const Index entries : {0, 1, 5000}) {
          StackBound bound = small_fronts;
          bound.entries = entries;
          test::WholeElimination<double> elimination(bounded(*analysis, bound));
          elimination.factor(kind, matrix.values);
          elimination.factor(kind, matrix.values);  // in the memory of the first
          const std::vector<double> x = test::solved(elimination, false, b).values;
          if (first.empty()) first = x;
          EXPECT_EQ(x, first) << spec << ", " << count << " threads, " << entries << " entries";
        }
      }
    }
  }
  omp_set_num_threads(threads);
}

TEST(StackBound, LessSideBySideTakesLessMemory) {
  for (const char* spec : specs) {
    const auto analysis =
        test::analysis_of(generate_matrix(spec), Factorization::lu, Ordering::amd);
    const auto stack = [&](Index entries) {
      const Schedule schedule =
          factor_schedule(analysis->fronts, Factorization::lu, 4, small_fronts_within(entries));
      return factor_memory(analysis->fronts, Factorization::lu, schedule, 8).stack;
    };
    EXPECT_LT(stack(1), stack(StackBound::none_direct)) << spec;
    EXPECT_LE(stack(1), stack(20000)) << spec;
  }
}

TEST(StackBound, IsAsWideAsMemoryAllows) {
  const auto analysis = test::analysis_of(generate_matrix("grid3d:26"), Factorization::lu);
  const auto bytes = [&](const StackBound& bound) {
    const Schedule schedule = factor_schedule(analysis->fronts, Factorization::lu, 4, bound);
    return factor_memory(analysis->fronts, Factorization::lu, schedule, 8).bytes();
  };
  const auto within = [&](std::int64_t most) {
    const BoundedMemory found = bound_within(analysis->fronts, Factorization::lu, 4, 8, most);
    EXPECT_EQ(found.fits, found.memory.bytes() <= most);
    return found.bound;
  };
  const std::int64_t widest = bytes({}), least = bytes({1});
  ASSERT_LT(least, widest);
  EXPECT_EQ(within(widest).entries, 0);
  EXPECT_LE(bytes(within(0)), least);
  for (const std::int64_t most : {widest - 1, (least + widest) / 2, least}) {
    EXPECT_LE(bytes(within(most)), most);
  }
}

TEST(StackBound, NoBlocksThatWaitOverlap) {
  for (const char* spec : specs) {
    const auto analysis =
        test::analysis_of(generate_matrix(spec), Factorization::lu, Ordering::amd);
    const Fronts& fronts = analysis->fronts;
    for (const Index entries : {1, 3000, 100000}) {
      const Schedule schedule =
          factor_schedule(fronts, Factorization::lu, 4, small_fronts_within(entries));
      const StackLayout layout = stack_layout(fronts, Factorization::lu, schedule);
      std::vector<LocalIndex> live;
      std::vector<int> made(fronts.size(), 0);
      const auto make = [&](LocalIndex s) {
        ++made[s];
        if (layout.place[s] < 0) return;
        const Index begin = layout.place[s];
        const Index end = begin + border_block(fronts, s, Factorization::lu).size();
        EXPECT_LE(end, layout.size);
        for (const LocalIndex other : live) {
          const Index from = layout.place[other];
          const Index to = from + border_block(fronts, other, Factorization::lu).size();
          EXPECT_TRUE(to <= begin || end <= from) << spec << ": " << s << ", " << other;
        }
        live.push_back(s);
      };
      Schedule::Round before;
      for (const Schedule::Round& round : schedule.rounds) {
        for (std::size_t i = before.subtrees_end; i < round.subtrees_end; ++i) {
          make(schedule.subtrees[i]);
        }
        for (std::size_t i = before.subtrees_end; i < round.subtrees_end; ++i) {
          for (const LocalIndex other : live) {
            if (layout.area[i] < 0) continue;
            const Index from = layout.place[other];
            const Index to = from + border_block(fronts, other, Factorization::lu).size();
            EXPECT_TRUE(to <= layout.area[i] || layout.area[i] + layout.area_size[i] <= from);
          }
        }
        for (std::size_t i = before.steps_end; i < round.steps_end; ++i) {
          const LocalIndex s = schedule.steps[i];
          if (made[s] == 0) {
            for (const LocalIndex child : fronts.children_of(s)) EXPECT_EQ(made[child], 1);
            make(s);
            for (const LocalIndex child : fronts.children_of(s)) std::erase(live, child);
          }
          if (schedule.adds_to_ancestors(fronts, s)) std::erase(live, s);
        }
        before = round;
      }
      EXPECT_EQ(before.subtrees_end, schedule.subtrees.size());
      EXPECT_EQ(before.steps_end, schedule.steps.size());
      EXPECT_TRUE(std::ranges::none_of(live, [&](LocalIndex s) { return fronts.parent[s] != -1; }));
    }
  }
}

TEST(StackBound, AreasOfARoundServeAllItsSubtrees) {
  const auto analysis =
      test::analysis_of(generate_matrix("grid3d:14"), Factorization::lu, Ordering::amd);
  for (const int threads : {2, 3, 8}) {
    const Schedule schedule =
        factor_schedule(analysis->fronts, Factorization::lu, threads, small_fronts_within(1 << 20));
    const StackLayout layout = stack_layout(analysis->fronts, Factorization::lu, schedule);
    std::size_t begin = 0;
    for (const Schedule::Round& round : schedule.rounds) {
      // The i-th area is large enough for the i-th subtree, and each for all that have none.
      for (std::size_t i = begin; i < round.subtrees_end; ++i) {
        if (layout.area[i] < 0) continue;
        const Index size = layout.area_size[i];
        EXPECT_GE(size, layout.stack_size[i]);
        if (i + 1 < round.subtrees_end && layout.area[i + 1] >= 0) {
          EXPECT_LE(layout.area[i] + size, layout.area[i + 1]);
        }
        EXPECT_LE(layout.area[i] + size, layout.size);
        for (std::size_t later = begin + threads; later < round.subtrees_end; ++later) {
          EXPECT_GE(size, layout.stack_size[later]);
          EXPECT_EQ(layout.area[later], -1);
        }
      }
      begin = round.subtrees_end;
    }
  }
}

}  // namespace
}  // namespace spsolve
