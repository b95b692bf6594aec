// What the README says of options and generators is what the tables say.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "config/schema.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate.hpp"

namespace spsolve {
namespace {

std::string readme() {
  std::ifstream file(test::source_folder() / "README.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
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

}  // namespace
}  // namespace spsolve
