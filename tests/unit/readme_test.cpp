// What the README and the guides say of options, generators and reports is what the tables say.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "config/schema.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate.hpp"
#include "report/report_fields.hpp"

namespace spsolve {
namespace {

std::string text_of(const char* name) {
  std::ifstream file(test::source_folder() / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string readme() {
  return text_of("README.md");
}

TEST(Readme, HoldsTheConfigurationReference) {
  EXPECT_NE(readme().find(reference_markdown()), std::string::npos)
      << "README.md is out of date; it must hold:\n"
      << reference_markdown();
}

TEST(Readme, HoldsTheTableOfGenerators) {
  EXPECT_NE(readme().find(generator_markdown()), std::string::npos)
      << "README.md is out of date; it must hold:\n"
      << generator_markdown();
}

TEST(ReportGuide, HoldsTheTableOfFields) {
  EXPECT_NE(text_of("configs/REPORT.md").find(report_markdown()), std::string::npos)
      << "configs/REPORT.md is out of date; it must hold:\n"
      << report_markdown();
}

}  // namespace
}  // namespace spsolve
