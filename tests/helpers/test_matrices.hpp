#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/csr.hpp"

namespace spsolve::test {

/// The root of the project's sources.
std::filesystem::path source_folder();

/// The folder of real matrices: $SPSOLVE_MATRICES, or ../shared/matrices next to the project. Empty
/// where there is none: such a test skips by name.
std::optional<std::filesystem::path> real_matrices();

/// Calls work(name, matrix), which hands back whether it tried it, with each of these real matrices
/// that is here, and says how many were tried. The test skips by name where there is no folder of
/// them, and fails where there is one and none was tried.
void for_real_matrices(
    const std::vector<std::string>& names,
    const std::function<bool(const std::string& name, const Csr<double>& matrix)>& work);

/// A folder of its own for one test, removed with everything in it when the object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

  /// Writes `text` into the file `name` of this folder, byte for byte; hands back its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace spsolve::test
