#include "helpers/test_matrices.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

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
