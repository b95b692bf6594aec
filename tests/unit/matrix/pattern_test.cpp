#include "matrix/pattern.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "matrix/generate/generate.hpp"
#include "matrix/structure.hpp"
#include "report/page/html_report.hpp"
#include "report/page/svg.hpp"

namespace spsolve {
namespace {

Index sum(const std::vector<Index>& values) {
  return std::accumulate(values.begin(), values.end(), Index{0});
}

TEST(Pattern, OfASmallMatrixIsTheMatrix) {
  const Pattern pattern = pattern_of(generate_matrix("tridiagonal:4"));
  EXPECT_EQ(pattern.cells_down, 4);
  EXPECT_EQ(pattern.cells_across, 4);
  EXPECT_EQ(pattern.counts, (std::vector<Index>{1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(pattern.row_length_histogram, (std::vector<Index>{0, 0, 4}));
}

TEST(Pattern, CountsEveryNonzeroOnce) {
  for (const char* const spec :
       {"grid2d:50", "random_sparse:1000:30:4", "random_sparse:30:1000:40", "random_dense:97"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const Pattern pattern = pattern_of(matrix, 96);
    EXPECT_EQ(sum(pattern.counts), matrix.nonzeros());
    EXPECT_EQ(sum(pattern.row_length_histogram), matrix.rows);
    EXPECT_EQ(pattern.row_length_histogram, analyse(matrix).row_length_histogram);
    EXPECT_LE(std::max(pattern.cells_down, pattern.cells_across), 96);
    EXPECT_EQ(pattern.counts.size(), pattern.cells_down * pattern.cells_across);
  }
}

TEST(Pattern, CellsAreThoseOfTheDefinition) {
  const Csr<double> matrix = generate_matrix("random_sparse:23:11:3");
  const Pattern pattern = pattern_of(matrix, 7);
  ASSERT_EQ(pattern.cells_down, 7);
  ASSERT_EQ(pattern.cells_across, 3);
  std::vector<Index> expected(21, 0);
  for (Index i = 0; i < 23; ++i) {
    for (const Index j : matrix.row_columns(i)) ++expected[i * 7 / 23 * 3 + j * 3 / 11];
  }
  EXPECT_EQ(pattern.counts, expected);
}

TEST(Pattern, OfAMatrixInAnotherOrder) {
  const Csr<double> matrix = generate_matrix("random_sparse:23:11:3");
  std::vector<LocalIndex> rows, columns;
  for (LocalIndex i = 0; i < 23; ++i) rows.push_back((5 * i + 3) % 23);
  for (LocalIndex j = 0; j < 11; ++j) columns.push_back(10 - j);
  for (const Index cells : {7, 96}) {
    const Pattern pattern = pattern_of(matrix, rows, columns, cells);
    std::vector<Index> expected(pattern.counts.size(), 0);
    for (Index i = 0; i < 23; ++i) {
      for (const Index j : matrix.row_columns(i)) {
        ++expected[rows[i] * pattern.cells_down / 23 * pattern.cells_across +
                   columns[j] * pattern.cells_across / 11];
      }
    }
    EXPECT_EQ(pattern.counts, expected);
    EXPECT_EQ(pattern.row_length_histogram, pattern_of(matrix).row_length_histogram);
  }
}

TEST(Pattern, OfNothing) {
  const Pattern pattern = pattern_of(Csr<double>{});
  EXPECT_TRUE(pattern.counts.empty());
  EXPECT_NE(svg::pattern(pattern).find("</svg>"), std::string::npos);
  EXPECT_NE(svg::row_lengths(pattern).find("</svg>"), std::string::npos);
}

TEST(Svg, BarsAreAsLongAsTheirValues) {
  const std::string drawn = svg::bars("t", "", {{"a", 1, 1, 1, "x"}, {"b", 2, 1, 4, "y"}});
  // The largest value or whisker spans 384.
  EXPECT_NE(drawn.find("width=\"96.00\""), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("width=\"192.00\""), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("x1=\"392.0\""), std::string::npos) << drawn;
}

TEST(Svg, LabelsLeaveRoomForNotes) {
  const std::string label(60, 'l');
  const auto drawn = [&](const std::string& note) {
    return svg::bars("t", "", {{label, 1, 1, 1, note}});
  };
  EXPECT_NE(drawn("x").find(std::string(40, 'l')), std::string::npos);
  EXPECT_EQ(drawn(std::string(30, 'x')).find(std::string(40, 'l')), std::string::npos);
}

TEST(Svg, WordsAreEscaped) {
  EXPECT_EQ(svg::escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(svg::bars("<script>", "<script>", {}).find("<script>"), std::string::npos);
}

TEST(Svg, StepsTakeZerosAndInfinities) {
  const std::string drawn = svg::steps("t", {{"a", {INFINITY, 0.0}}}, {"first", "last"}, {});
  EXPECT_EQ(drawn.find("nan"), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find("inf"), std::string::npos) << drawn;
}

TEST(HtmlReport, ShowsFieldsThatItDoesNotKnow) {
  const auto json = nlohmann::ordered_json::parse(R"({
    "status": "solved", "matrix": {"source": "a<b"}, "new": {"deep": 42},
    "parts": {"send": {"min": 1, "mean": 2, "max": null}},
    "shares": [{"rows": 7, "host": "n&1"}, {"rows": 8}], "notes": ["mind <this>"]})");
  const std::string page = html_report(json);
  for (const char* const part :
       {"new.deep", "42", "send", "n&amp;1", "mind &lt;this&gt;", "a&lt;b"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("<this>"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace spsolve
