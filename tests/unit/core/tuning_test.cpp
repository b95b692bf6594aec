#include "core/tuning.hpp"

#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/schema.hpp"
#include "dense/lu/panel_width.hpp"

namespace spsolve {
namespace {

TEST(Tuning, TheTableNamesKindAndNumberInEveryLine) {
  std::istringstream table(tuning_table());
  int lines = 0;
  for (std::string line; std::getline(table, line); ++lines) {
    std::istringstream words(line);
    std::string kind, name, value;
    words >> kind >> name >> value;
    EXPECT_TRUE(kind == "host" || kind == "gpu") << line;
    EXPECT_FALSE(name.empty() || value.empty()) << line;
  }
  EXPECT_GT(lines, 20);
  EXPECT_NE(tuning_table().find(fmt::format("{}", gpu_tuning.least_order_for_all)),
            std::string::npos);
}

TEST(Tuning, HelpQuotesTheNumbersThatDecide) {
  const auto help = [](std::string_view key) { return find_option(key)->help; };
  EXPECT_NE(help("solve.ranks").find(fmt::format("below order {}", gpu_tuning.least_order_for_all)),
            std::string_view::npos);
  EXPECT_NE(help("solve.precision").find(fmt::format("order {}", gpu_tuning.least_mixed_order)),
            std::string_view::npos);
}

TEST(Tuning, PanelsGrowWithTheOrder) {
  for (const auto& [memory, ranks] : {std::pair{MemoryKind::host, 1}, std::pair{MemoryKind::gpu, 1},
                                      std::pair{MemoryKind::gpu, 4}}) {
    Index last = 0;
    // A whole matrix is one panel up to one_panel_order.
    for (Index order = 2049; order < 200000; order += 37) {
      const Index width = panel_width(order, memory, ranks);
      EXPECT_GE(width, last) << order;
      last = width;
    }
    EXPECT_EQ(last, memory == MemoryKind::host ? host_tuning.most_panel : gpu_tuning.wide_panel);
  }
  EXPECT_EQ(panel_width(2499, MemoryKind::gpu, 2), 64);
  EXPECT_EQ(panel_width(2500, MemoryKind::gpu, 2), 128);
  EXPECT_EQ(panel_width(20000, MemoryKind::gpu, 2), 512);
  EXPECT_EQ(panel_width(40000, MemoryKind::gpu, 2), 1024);
  EXPECT_EQ(panel_width(100, MemoryKind::host, 1), 16);
}

}  // namespace
}  // namespace spsolve
