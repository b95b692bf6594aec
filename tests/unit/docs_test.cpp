// The README and the guides say the same as the tables and the sources, and whatever they point to
// is there.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/schema.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate/generate.hpp"
#include "report/report_fields.hpp"

namespace spsolve {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& name) {
  std::ifstream file(test::source_folder() / name);
  EXPECT_TRUE(file) << name << " cannot be read";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The pages that people read, relative to the sources.
std::vector<fs::path> pages() {
  std::vector<fs::path> found{"README.md", "CONTRIBUTING.md", "configs/README.md",
                              "slurm/README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(test::source_folder() / "docs")) {
    if (entry.path().extension() != ".md") continue;
    found.push_back(entry.path().lexically_relative(test::source_folder()));
  }
  return found;
}

/// The first groups of all matches, line by line, outside of blocks of code.
std::vector<std::string> found_in(const std::string& text, const std::regex& expression) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (code) continue;
    for (std::sregex_iterator it(line.begin(), line.end(), expression), end; it != end; ++it) {
      found.push_back((*it)[1]);
    }
  }
  return found;
}

/// The anchors of a page's headings, as web pages of Markdown make them.
std::vector<std::string> anchors_of(const std::string& text) {
  std::vector<std::string> anchors = found_in(text, std::regex("^#+ (.*)"));
  for (std::string& anchor : anchors) {
    std::erase_if(anchor, [](unsigned char c) { return !std::isalnum(c) && c != ' ' && c != '-'; });
    std::ranges::replace(anchor, ' ', '-');
    std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) { return std::tolower(c); });
  }
  return anchors;
}

void expect_in(const fs::path& page, const std::string& table) {
  EXPECT_NE(text_of(page).find(table), std::string::npos)
      << page << " is out of date; it must hold:\n"
      << table;
}

TEST(Guides, HoldTheTables) {
  expect_in("docs/configuration.md", reference_markdown());
  expect_in("docs/configuration.md", generator_markdown());
  expect_in("docs/report.md", report_markdown());
}

TEST(Guides, TellEveryMethod) {
  const Option* method = find_option("solve.method");
  ASSERT_NE(method, nullptr);
  for (const std::string_view word : method->words) {
    const std::string row = "| `" + std::string(word) + "` |";
    EXPECT_NE(text_of("README.md").find(row), std::string::npos) << row;
    EXPECT_NE(text_of("docs/methods.md").find(row), std::string::npos) << row;
  }
}

TEST(Guides, TheReadmeIsShortAndLeadsToEveryPage) {
  const std::string readme = text_of("README.md");
  EXPECT_LE(std::ranges::count(readme, '\n'), 150);
  const std::string figures = text_of("docs/performance.md");
  for (const fs::path& page : pages()) {
    if (page == "README.md") continue;
    const bool of_figures = page.parent_path() == "docs/measured";
    const std::string link = of_figures
                                 ? fmt::format("({}", page.lexically_relative("docs").string())
                                 : fmt::format("({})", page.string());
    EXPECT_NE((of_figures ? figures : readme).find(link), std::string::npos) << page;
  }
}

TEST(Guides, LinksLeadSomewhere) {
  for (const fs::path& page : pages()) {
    const std::string text = text_of(page);
    for (const std::string& link : found_in(text, std::regex(R"(\]\(([^)]*)\))"))) {
      SCOPED_TRACE(page.string() + ": " + link);
      const std::size_t hash = std::min(link.find('#'), link.size());
      const fs::path target =
          hash == 0 ? page : (page.parent_path() / link.substr(0, hash)).lexically_normal();
      ASSERT_TRUE(fs::exists(test::source_folder() / target));
      if (hash == link.size()) continue;
      const std::vector<std::string> anchors = anchors_of(text_of(target));
      EXPECT_NE(std::ranges::find(anchors, link.substr(hash + 1)), anchors.end());
    }
  }
}

TEST(Guides, PathsThatTheyNameAreThere) {
  const std::regex path(
      R"(`((?:apps|cmake|configs|cuda|docs|lib|mpi|packaging|slurm|tests|\.ci)/[\w./-]*)`)");
  int count = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& named : found_in(text_of(page), path)) {
      EXPECT_TRUE(fs::exists(test::source_folder() / named)) << page << ": " << named;
      ++count;
    }
  }
  EXPECT_GT(count, 40);
}

TEST(Guides, ClassesOfTheArchitectureAreWhereItSays) {
  const std::regex row(R"(^\| `(\w+` \| `[\w./]+)` \|)");
  const std::vector<std::string> rows = found_in(text_of("docs/architecture.md"), row);
  EXPECT_GT(rows.size(), 15u);
  for (const std::string& found : rows) {
    const std::string name = found.substr(0, found.find('`'));
    const std::string header = found.substr(found.rfind('`') + 1);
    EXPECT_TRUE(std::regex_search(text_of(header), std::regex("(class|struct) " + name + "\\b")))
        << header << " does not declare " << name;
  }
}

}  // namespace
}  // namespace spsolve
