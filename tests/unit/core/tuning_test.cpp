#include "core/tuning.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/schema.hpp"
#include "dense/lu/panel_width.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

/// "host NAME" and "gpu NAME" of the members that the header declares.
std::set<std::string> declared() {
  std::ifstream header(test::source_folder() / "lib/core/tuning.hpp");
  const std::regex structure("^struct (Host|Gpu)Tuning \\{.*"),
      member("^  (\\w+) (\\w+)(\\[.*\\])? = .*");
  std::set<std::string> names;
  std::smatch found;
  std::string kind;
  for (std::string line; std::getline(header, line);) {
    if (std::regex_match(line, found, structure)) kind = found[1] == "Host" ? "host" : "gpu";
    if (std::regex_match(line, found, member)) names.insert(kind + " " + found[2].str());
  }
  return names;
}

TEST(Tuning, TheTableHasEveryNumberOfTheHeader) {
  std::istringstream table(tuning_table());
  std::set<std::string> names;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string kind, name, value;
    words >> kind >> name >> value;
    EXPECT_FALSE(value.empty()) << line;
    EXPECT_TRUE(names.insert(kind + " " + name).second) << line;
  }
  EXPECT_GT(names.size(), 60u);
  EXPECT_EQ(names, declared());
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
    const Index on_gpus = ranks == 1 ? gpu_tuning.wide_panel : gpu_tuning.shared_wide_panel;
    EXPECT_EQ(last, memory == MemoryKind::host ? host_tuning.most_panel : on_gpus);
  }
  EXPECT_EQ(panel_width(2499, MemoryKind::gpu, 2), 64);
  EXPECT_EQ(panel_width(2500, MemoryKind::gpu, 2), 128);
  EXPECT_EQ(panel_width(20000, MemoryKind::gpu, 2), 512);
  EXPECT_EQ(panel_width(39999, MemoryKind::gpu, 2), 512);
  EXPECT_EQ(panel_width(40000, MemoryKind::gpu, 2), 1152);
  EXPECT_EQ(panel_width(100, MemoryKind::host, 1), 16);
}

}  // namespace
}  // namespace spsolve
