#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "helpers/test_matrices.hpp"
#include "team/team.hpp"

namespace spsolve::test {

/// A file that rank 0 writes, in a folder of its own, and all see; they are on one host.
class SharedFile {
 public:
  SharedFile(Team& team, std::string_view text, const std::string& name = "a.mtx") : team_(team) {
    if (team.rank() == 0) {
      folder_.emplace();
      path_ = folder_->write(name, text).string();
    }
    path_ = broadcast_text(team, path_, 0);
  }
  ~SharedFile() { wait_for_all(team_); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  const std::string& path() const { return path_; }

  /// Another name in its folder.
  std::filesystem::path beside(const std::string& name) const {
    return std::filesystem::path(path_).parent_path() / name;
  }

 private:
  Team& team_;
  std::optional<TemporaryFolder> folder_;
  std::string path_;
};

}  // namespace spsolve::test
