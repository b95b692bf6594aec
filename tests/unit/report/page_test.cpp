#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/page/figures.hpp"
#include "report/page/html_report.hpp"
#include "report/page/units.hpp"

namespace spsolve {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

TEST(Units, AreThoseThatPeopleRead) {
  EXPECT_EQ(count_text(8000), "8000");
  EXPECT_EQ(count_text(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(number_text(5.77e-17), "5.8·10⁻¹⁷");
  EXPECT_EQ(number_text(13836.4), "13\u202f800");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(INFINITY), "unknown");
  EXPECT_EQ(duration_text(0.0123), "12.3 ms");
  EXPECT_EQ(duration_text(754), "12 min 34 s");
  EXPECT_EQ(duration_text(7322), "2 h 2 min");
  EXPECT_EQ(magnitude_text(1.47e8, "flop"), "147 Mflop");
  EXPECT_EQ(words_for_name("sparse_lu"), "sparse LU");
  EXPECT_EQ(words_for_name("made_up"), "made up");
}

std::string value_of(const std::vector<Figure>& figures, const std::string& part) {
  for (const Figure& figure : figures) {
    if (figure.name.find(part) != std::string::npos) return figure.value;
  }
  return "";
}

TEST(HtmlReport, BeginsWithDigitsAsStoredAndIfRounded) {
  Json report = {{"status", "solved"},
                 {"backward_error", 1e-16},
                 {"condition", {{"componentwise", 3e5}}},
                 {"forward_error", {{"estimate", 1e-15}}}};
  EXPECT_EQ(value_of(headline_figures(report), "as they are stored"), "15 digits");
  EXPECT_EQ(value_of(headline_figures(report), "rounded"), "10 digits");
  report["forward_error"] = {{"bound", INFINITY}};
  report["status"] = "uncertain";
  EXPECT_EQ(value_of(headline_figures(report), "certain"), "no digit");
  EXPECT_EQ(value_of(trust_figures(report), "error of x"), "unknown");
}

TEST(HtmlReport, FoldsAllFieldsAwayAtTheEnd) {
  const std::string page =
      html_report({{"report_version", 1}, {"status", "solved"}, {"peak_memory_bytes", 142807040}});
  EXPECT_LT(page.find("<details>"), page.find("report_version"));
  EXPECT_THAT(page, HasSubstr("136.19 MiB"));
  EXPECT_THAT(page, Not(HasSubstr("142807040")));
}

TEST(HtmlReport, AFailedRunSaysWhyOnce) {
  const std::string page = html_report({{"status", "failed"},
                                        {"summary", "failed: no luck"},
                                        {"failure", {{"exit_code", 2}, {"message", "no luck"}}}});
  EXPECT_LT(page.find("<p>no luck</p>"), page.find("<details>"));
  EXPECT_EQ(page.find("failed: no luck"), page.find("failed: no luck", page.find("<details>")));
}

}  // namespace
}  // namespace spsolve
