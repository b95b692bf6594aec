#include "sparse/layout/device_layout.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "sparse/layout/front_leveling.hpp"

namespace spsolve {
namespace {

struct Block {
  Index begin, end;
  int from, until;  ///< levels
};

/// The blocks that lie in the arena as long as they are needed.
std::vector<Block> blocks_of(const DeviceLayout& all, Factorization kind) {
  std::vector<int> level(all.fronts.size());
  for (int l = 0; l < all.levels(); ++l) {
    for (Index i = all.level_starts[l]; i < all.level_starts[l + 1]; ++i)
      level[all.by_level[i]] = l;
  }
  std::vector<Block> blocks;
  std::vector<const FrontPart*> part_of(all.levels());
  for (const FrontPart& part : all.parts) {
    for (int l = part.first_level; l < part.end_level; ++l) part_of[l] = &part;
  }
  for (std::size_t s = 0; s < all.fronts.size(); ++s) {
    const FrontLayout& front = all.fronts[s];
    const Index size = front.panel_elements();
    const FrontPart& part = *part_of[level[s]];
    EXPECT_GE(front.lower, part.window);
    EXPECT_LE(front.upper + size, part.window + part.elements);
    // From one part to the next factors are on their way from the GPU.
    const int until = all.streams() ? part.end_level - 1 : all.levels();
    blocks.push_back({front.lower, front.lower + size, part.first_level, until});
    if (kind == Factorization::cholesky) {
      EXPECT_EQ(front.upper, front.lower);
    } else {
      blocks.push_back({front.upper, front.upper + size, part.first_level, until});
    }
    if (front.parent < 0) continue;
    EXPECT_GT(level[front.parent], level[s]);
    const Index passed = static_cast<Index>(front.ld_contribution) * front.border;
    const bool early = all.assembles_early && front.early;
    blocks.push_back({front.contribution, front.contribution + passed, level[s],
                      early ? level[s] : level[front.parent]});
  }
  return blocks;
}

void expect_apart(const DeviceLayout& all, Factorization kind) {
  std::vector<Block> blocks = blocks_of(all, kind);
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.begin < b.begin; });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_LE(blocks[i].end, all.elements);
    for (std::size_t j = i + 1; j < blocks.size() && blocks[j].begin < blocks[i].end; ++j) {
      const bool at_once = blocks[i].from <= blocks[j].until && blocks[j].from <= blocks[i].until;
      EXPECT_FALSE(at_once) << blocks[i].begin << " and " << blocks[j].begin;
    }
  }
}

TEST(DeviceLayout, AreApartAsLongAsTheyAreNeeded) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = test::analysis_of(matrix, kind);
    for (const int panel_columns : {widest_panel, pivot_block}) {
      const DeviceLayout all =
          lay_out_fronts(analysis->fronts, kind, std::numeric_limits<Index>::max(), panel_columns);
      EXPECT_FALSE(all.streams());
      EXPECT_EQ(all.window_elements, all.factor_elements);
      expect_apart(all, kind);
    }
  });
}

FrontLayout front_of(int pivots, int border, int panel_columns) {
  FrontLayout front;
  front.pivots = pivots;
  front.border = border;
  front.border_row = aligned(pivots);
  front.ld = front.border_row + aligned(border);
  front.panel_columns = panel_columns;
  return front;
}

TEST(FrontLayout, OfOnePanelHasAllColumnsOfAllRows) {
  for (const int panel_columns : {1024, FrontLayout().panel_columns}) {
    const FrontLayout front = front_of(1024, 333, panel_columns);
    EXPECT_EQ(front.panel_elements(), Index{front.ld} * 1024);
    EXPECT_EQ(front.panel_end(0), 1024);
    for (const int column : {0, 1, 63, 64, 1000, 1023}) {
      EXPECT_EQ(front.panel_begin(column), 0);
      EXPECT_EQ(front.place(front.row_of(1024 + 7), column), 1024 + 7 + column * Index{front.ld});
    }
  }
}

TEST(FrontLayout, OfManyPanelsHasEveryPlaceOnce) {
  for (const int pivots : {1, 64, 65, 128, 200, 257, 320}) {
    for (const int border : {0, 1, 90}) {
      for (const int w : {64, 128}) {
        SCOPED_TRACE(testing::Message() << pivots << " pivots, border " << border << ", w " << w);
        const FrontLayout front = front_of(pivots, border, w);
        Index next = 0;  // columns follow each other, each with the rows from its panel's first on
        for (int column = 0; column < pivots; ++column) {
          const int first = column / w * w;
          EXPECT_EQ(front.panel_begin(column), first);
          EXPECT_EQ(front.panel_end(column), std::min(pivots, first + w));
          EXPECT_EQ(front.panel_of(column).ld, front.ld - first);
          ASSERT_EQ(front.place(first, column), next);
          next = front.place(front.ld - 1, column) + 1;
          ASSERT_EQ(next, front.place(first, column) + front.ld - first);
        }
        EXPECT_EQ(front.panel_elements(), next);
        const Index p = pivots, m = front.ld - front.border_row, gap = front.border_row - p;
        EXPECT_LE(next, p * p / 2 + p * (m + gap) + p * w / 2 + p);
        for (int k = 0; k < pivots; k += w) {
          EXPECT_EQ(front.place(k, k) % front_alignment, 0);
          EXPECT_EQ(front.panel_of(k).ld % front_alignment, 0);
        }
      }
    }
  }
}

TEST(FrontLayout, OfALargeCoreTakesLittleMoreThanItsFactors) {
  const FrontLayout front = front_of(56000, 0, widest_panel);
  const double least = 56000.0 * 56000.0;
  EXPECT_LT(static_cast<double>(factor_elements(Factorization::lu, front)), 1.02 * least);
  EXPECT_LT(static_cast<double>(factor_elements(Factorization::cholesky, front)), 0.51 * least);
}

TEST(DeviceLayout, TakeTurnsInTwoWindowsWhereThereIsLittleRoom) {
  const auto analysis = test::analysis_of(generate_matrix("grid3d:14"), Factorization::lu);
  for (const Factorization kind :
       {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
    const DeviceLayout whole = lay_out_fronts(analysis->fronts, kind);
    const DeviceLayout least = lay_out_fronts(analysis->fronts, kind, 0);
    const Index stack = least.elements - least.window_elements;
    for (const Index room : {whole.factor_elements * 9 / 10, whole.factor_elements / 2, Index{0}}) {
      const DeviceLayout all = lay_out_fronts(analysis->fronts, kind, stack + room);
      EXPECT_TRUE(all.streams());
      EXPECT_EQ(all.elements - all.window_elements, stack);
      EXPECT_EQ(all.factor_elements, whole.factor_elements);
      Index elements = 0;
      int level = 0;
      for (std::size_t p = 0; p < all.parts.size(); ++p) {
        const FrontPart& part = all.parts[p];
        EXPECT_EQ(part.first_level, level);
        EXPECT_EQ(part.window, static_cast<Index>(p % 2) * all.window_elements / 2);
        EXPECT_LE(part.elements, all.window_elements / 2);
        level = part.end_level;
        elements += part.elements;
      }
      EXPECT_EQ(level, all.levels());
      EXPECT_EQ(elements, all.factor_elements);
      const GpuFactorMemory memory = gpu_factor_memory(analysis->fronts, kind, 1000, 900);
      EXPECT_GE(all.window_elements * static_cast<std::int64_t>(sizeof(double)),
                2 * memory.largest_level);
      if (room >= all.window_elements) {
        EXPECT_LE(all.elements, stack + room);
      }
      expect_apart(all, kind);
    }
  }
}

TEST(DeviceLayout, TakeLargeFrontsOneAfterAnotherBeforeFactorsLeaveTheGpu) {
  const auto analysis = test::analysis_of(generate_matrix("grid3d:24"), Factorization::lu);
  const Factorization kind = Factorization::cholesky;
  const DeviceLayout whole = lay_out_fronts(analysis->fronts, kind);
  const DeviceLayout all = lay_out_fronts(analysis->fronts, kind, whole.elements - 1);
  EXPECT_FALSE(all.streams());
  EXPECT_LT(all.elements, whole.elements);
  EXPECT_EQ(all.low_levels, whole.low_levels);
  EXPECT_EQ(all.level_starts[all.low_levels], whole.level_starts[whole.low_levels]);
  EXPECT_GT(all.levels(), whole.levels());
  expect_apart(all, kind);
  const DeviceLayout least = lay_out_fronts(analysis->fronts, kind, 0);
  const Index stack = whole.elements - whole.factor_elements;
  EXPECT_LT(least.elements - least.window_elements, stack / 2);
}

TEST(DeviceLayout, BroadBlocksThatWaitForOneRootAreTakenEarly) {
  const Factorization kind = Factorization::lu;
  const auto analysis = test::analysis_of(generate_matrix("network:8000:2000"), kind);
  const DeviceLayout whole = lay_out_fronts(analysis->fronts, kind);
  const DeviceLayout in_turn = lay_out_fronts(analysis->fronts, kind, whole.elements - 1);
  const DeviceLayout streaming = lay_out_fronts(analysis->fronts, kind, 0);
  EXPECT_FALSE(in_turn.streams());
  EXPECT_TRUE(streaming.streams());
  EXPECT_FALSE(streaming.assembles_early);
  std::vector<std::vector<LocalIndex>> orders;
  for (const DeviceLayout* all : {&whole, &in_turn, &streaming}) {
    expect_apart(*all, kind);
    const auto root = std::ranges::max_element(all->fronts, {}, &FrontLayout::pivots);
    EXPECT_EQ(root->border, 0);
    ASSERT_GT(root->early_children, 2);
    const auto first = all->elementwise.children.begin() + root->child_begin;
    orders.emplace_back(first, first + root->early_children);
    for (const LocalIndex child : orders.back()) EXPECT_TRUE(all->fronts[child].early);
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_EQ(orders[0], orders[2]);
  // One after another, in that order, each of their blocks is there alone.
  Index early = 0, all = in_turn.elements - in_turn.window_elements;
  std::vector<int> levels;
  for (const LocalIndex child : orders[1]) {
    early += in_turn.fronts[child].contribution_elements();
    const auto at = std::ranges::find(in_turn.by_level, child) - in_turn.by_level.begin();
    levels.push_back(static_cast<int>(std::ranges::upper_bound(in_turn.level_starts, at) -
                                      in_turn.level_starts.begin()));
  }
  EXPECT_TRUE(std::ranges::is_sorted(levels));
  EXPECT_LT(all, early);
  // Nothing is early where blocks are less than the root's factors, or as high as they are wide.
  for (const char* const other : {"grid3d:16", "circuit:5000", "kkt:5000"}) {
    const auto of = test::analysis_of(generate_matrix(other), kind);
    for (const FrontLayout& front : lay_out_fronts(of->fronts, kind).fronts) {
      EXPECT_FALSE(front.early) << other;
    }
  }
}

/// Parents come after all their children, all levels have a front, and those of small fronts alone
/// are first.
void expect_in_order(const std::vector<FrontLayout>& fronts, const std::vector<int>& level,
                     int low_levels) {
  std::vector<int> at(*std::max_element(level.begin(), level.end()) + 1, 0);
  for (std::size_t s = 0; s < fronts.size(); ++s) {
    ++at[level[s]];
    if (level[s] < low_levels) {
      EXPECT_TRUE(fronts[s].is_small());
    }
    if (fronts[s].parent >= 0) {
      EXPECT_GT(level[fronts[s].parent], level[s]);
    }
  }
  EXPECT_EQ(std::count(at.begin(), at.end(), 0), 0);
}

TEST(FrontLeveling, OfAnyForestHasChildrenFirstAndLargeFrontsAlone) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = test::analysis_of(matrix, kind);
    const std::vector<FrontLayout> fronts = lay_out_fronts(analysis->fronts, kind).fronts;
    if (fronts.empty()) return;
    const FrontLeveling leveling(fronts);
    for (int rows = leveling.most_rows() + 1; rows > 8; rows = rows * 2 / 3) {
      const std::vector<int> level = leveling.levels(rows);
      expect_in_order(fronts, level, leveling.low_levels());
      for (std::size_t s = 0; s < fronts.size(); ++s) {
        if (level[s] < leveling.low_levels() || fronts[s].rows() < rows) continue;
        EXPECT_EQ(std::count(level.begin(), level.end(), level[s]), 1);
      }
    }
  });
}

/// A tree of fronts of 100 pivots by parents, children before them, and borders.
std::vector<FrontLayout> tree_of(const std::vector<int>& parents, const std::vector<int>& borders) {
  std::vector<FrontLayout> fronts;
  for (std::size_t s = 0; s < parents.size(); ++s) {
    fronts.push_back(front_of(100, borders[s], widest_panel));
    fronts.back().ld_contribution = aligned(borders[s]);
    fronts.back().parent = parents[s];
  }
  return fronts;
}

TEST(FrontLeveling, TakesFirstWhatLeavesLeastBehindIt) {
  // Front 6 has the children 1 (after 0, which is tall), 4 (after 2 and 3), and 5.
  const std::vector<FrontLayout> fronts =
      tree_of({1, 6, 4, 4, 6, 6, -1}, {200, 100, 300, 300, 100, 50, 0});
  const FrontLeveling leveling(fronts);
  EXPECT_EQ(leveling.levels(), (std::vector<int>{0, 1, 0, 0, 1, 1, 2}));
  EXPECT_EQ(leveling.large_fronts(250), 6);
  // Of 2 and 3 with their parent most goes again, then of 0 and 1; 5 is no large one, but alone.
  EXPECT_EQ(leveling.levels(190), (std::vector<int>{3, 4, 0, 1, 2, 5, 6}));
}

TEST(GpuFactorMemory, IsThatOfTheLargestStackThatFits) {
  const auto analysis = test::analysis_of(generate_matrix("grid3d:70"), Factorization::lu);
  const Index entries = std::ssize(analysis->entries.entries);
  const GpuFactorMemory memory =
      gpu_factor_memory(analysis->fronts, Factorization::lu, analysis->nonzeros, entries);
  ASSERT_GT(memory.factors + memory.stack, std::int64_t{1} << 32);
  ASSERT_GT(memory.smaller_stacks[0], 0);
  EXPECT_LT(memory.smaller_stacks[0], memory.stack);
  const std::int64_t beside = memory.lists + most_sweep_columns * memory.column;
  constexpr auto value = static_cast<std::int64_t>(sizeof(double));
  for (const std::int64_t stack : memory.smaller_stacks) {
    if (stack == 0) break;
    const GpuFactorMemory planned = memory.within(beside + memory.factors + stack);
    EXPECT_EQ(planned.factors, memory.factors);
    EXPECT_EQ(planned.stack, stack);
    const DeviceLayout all =
        lay_out_fronts(analysis->fronts, Factorization::lu, (memory.factors + stack) / value);
    EXPECT_FALSE(all.streams());
    EXPECT_EQ(all.elements * value, planned.factors + planned.stack);
  }
  const GpuFactorMemory little = memory.within(beside + memory.factors / 2);
  EXPECT_LT(little.factors, memory.factors);
}

TEST(DeviceLayout, AlignLargeFronts) {
  const Csr<double> matrix = generate_matrix("grid3d:14");
  const auto analysis = test::analysis_of(matrix, Factorization::lu);
  Index large = 0;
  for (const FrontLayout& front : lay_out_fronts(analysis->fronts, Factorization::lu).fronts) {
    if (front.is_small()) {
      EXPECT_EQ(front.ld, front.pivots + front.border);
      continue;
    }
    ++large;
    for (const Index place : {front.lower, front.upper, front.contribution})
      EXPECT_EQ(place % 4, 0);
    for (const int size : {front.ld, front.ld_contribution, front.border_row})
      EXPECT_EQ(size % 4, 0);
    EXPECT_GE(front.border_row, front.pivots);
    EXPECT_GE(front.ld, front.border_row + front.border);
  }
  EXPECT_GT(large, 0);
}

TEST(DeviceLayout, SubtreesOfSmallFrontsComeFirst) {
  const auto analysis = test::analysis_of(generate_matrix("grid2d:120"), Factorization::cholesky);
  const DeviceLayout all = lay_out_fronts(analysis->fronts, Factorization::cholesky);
  ASSERT_GT(all.low_levels, 0);
  ASSERT_LT(all.low_levels, all.levels());
  const Index low = all.level_starts[all.low_levels];
  for (Index i = 0; i < static_cast<Index>(all.by_level.size()); ++i) {
    const FrontLayout& front = all.fronts[all.by_level[i]];
    bool all_small = true;
    for (LocalIndex s = analysis->fronts.first_of_subtree[all.by_level[i]]; s <= all.by_level[i];
         ++s) {
      all_small = all_small && all.fronts[s].is_small();
    }
    EXPECT_EQ(i < low, all_small) << front.first;
  }
}

// As many levels as fronts: with work for every pair of levels this test takes minutes.
TEST(DeviceLayout, OfALongChainAreFoundOneAfterAnother) {
  const auto analysis =
      test::analysis_of(generate_matrix("tridiagonal:2000000"), Factorization::cholesky);
  const DeviceLayout all = lay_out_fronts(analysis->fronts, Factorization::cholesky);
  ASSERT_GT(all.levels(), 100000);
  // A front and its parent are there at once, and no more.
  EXPECT_LE(all.elements - all.factor_elements, 16);
}

TEST(DeviceLayout, TakeNoMoreThanIsPlanned) {
  const auto analysis = test::analysis_of(generate_matrix("grid3d:12"), Factorization::lu);
  const DeviceLayout all = lay_out_fronts(analysis->fronts, Factorization::lu);
  const GpuFactorMemory memory = gpu_factor_memory(analysis->fronts, Factorization::lu, 1000, 900);
  EXPECT_EQ(memory.factors + memory.stack,
            all.elements * static_cast<std::int64_t>(sizeof(double)));
  EXPECT_GT(memory.lists, 0);
}

TEST(ElementwiseAssembly, AreTheSmallOnesOfLargeAndSmallFrontsEachElementOnce) {
  for (const Factorization kind : {Factorization::cholesky, Factorization::lu}) {
    const auto analysis = test::analysis_of(test::hubs(), kind);
    const Fronts& fronts = analysis->fronts;
    const DeviceLayout all = lay_out_fronts(fronts, kind);
    bool of_large = false, of_small = false;
    for (LocalIndex s = 0; s < fronts.size(); ++s) {
      const FrontLayout& front = all.fronts[s];
      if (front.elementwise_children == 0) {
        EXPECT_EQ(front.elementwise_begin, front.elementwise_end);
        continue;
      }
      (front.is_small() ? of_small : of_large) = true;
      Index expected = 0;
      for (int c = front.child_end - front.elementwise_children; c < front.child_end; ++c) {
        const Index m = all.fronts[all.elementwise.children[c]].border;
        expected += kind == Factorization::lu ? m * m : m * (m + 1) / 2;
      }
      Index found = 0;
      std::set<Index> places, sources;
      for (int g = front.elementwise_begin; g < front.elementwise_end; ++g) {
        const AssembledElement& element = all.elementwise.elements[g];
        EXPECT_TRUE(places.insert(element.place).second);
        found += element.end - element.begin;
        for (Index k = element.begin; k < element.end; ++k) {
          EXPECT_TRUE(sources.insert(all.elementwise.sources[k]).second) << "added twice";
        }
      }
      EXPECT_EQ(found, expected);
    }
    EXPECT_TRUE(of_large && of_small);
    EXPECT_LE(static_cast<std::int64_t>(all.elementwise.elements.size() * sizeof(AssembledElement) +
                                        all.elementwise.sources.size() * sizeof(Index)),
              elementwise_assembly_bytes(fronts));
  }
}

}  // namespace
}  // namespace spsolve
