#include "helpers/test_matrices.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/matrix_source.hpp"

namespace spsolve::test {

namespace fs = std::filesystem;

fs::path source_folder() {
  return SPSOLVE_SOURCE_DIRECTORY;
}

std::optional<fs::path> real_matrices() {
  const char* named = std::getenv("SPSOLVE_MATRICES");
  const fs::path folder =
      named != nullptr ? fs::path(named) : source_folder() / "../shared/matrices";
  if (!fs::is_directory(folder)) return std::nullopt;
  return fs::canonical(folder);
}

void for_real_matrices(
    const std::vector<std::string>& names,
    const std::function<bool(const std::string& name, const Csr<double>& matrix)>& work) {
  const auto folder = real_matrices();
  if (!folder) GTEST_SKIP() << "no folder of real matrices: set SPSOLVE_MATRICES";
  std::size_t tried = 0;
  for (const std::string& name : names) {
    if (!fs::exists(*folder / name)) continue;
    SCOPED_TRACE(name);
    if (work(name, load_matrix((*folder / name).string()))) ++tried;
  }
  fmt::print("{} of {} real matrices tried\n", tried, names.size());
  EXPECT_GT(tried, 0u) << *folder << " holds none of those that this test is for";
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "spsolve-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::write(const fs::path& name, std::string_view text) const {
  std::ofstream file(path_ / name, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + (path_ / name).string());
  return path_ / name;
}

}  // namespace spsolve::test
