#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_file.hpp"
#include "core/types.hpp"

namespace spsolve::inline checkpoint {

/// A checkpoint of all ranks: a file each in one folder, whose names say whose they are,
/// spsolve-FINGERPRINT-GENERATION.RANK-of-RANKS.checkpoint.
struct Generation {
  std::uint64_t fingerprint = 0;  ///< of the problem
  Index number = 0;
  int ranks = 1;

  /// The name of a rank's file.
  std::string file_name(int rank) const;

  bool operator==(const Generation&) const = default;
};

/// The generation that the name of a file tells of; nothing where it is no such name.
std::optional<Generation> generation_of(const std::string& file_name);

/// The names in a folder, ascending; none where it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// The files of a generation, for a solver to read its sections from.
class CheckpointFiles {
 public:
  CheckpointFiles(std::filesystem::path folder, const Generation& generation)
      : folder_(std::move(folder)), generation_(generation) {}

  /// How many there are: the ranks of the run that wrote them.
  int ranks() const { return generation_.ranks; }
  std::filesystem::path path(int rank) const { return folder_ / generation_.file_name(rank); }
  CheckpointReader open(int rank) const { return CheckpointReader(path(rank)); }

 private:
  std::filesystem::path folder_;
  Generation generation_;
};

}  // namespace spsolve::checkpoint
