#pragma once

#include <filesystem>
#include <string_view>

#include "core/words.hpp"

namespace spsolve::inline checkpoint {

/// Whether a run goes on from a checkpoint: where there is a good one, never, or not without one.
enum class ResumeChoice { automatic, never, require };

inline constexpr std::string_view resume_words[] = {"auto", "never", "require"};
constexpr Words words_of(ResumeChoice) {
  return resume_words;
}

/// Where and when checkpoints are written: the keys of the section `checkpoint` of a configuration.
struct CheckpointOptions {
  std::filesystem::path directory;  ///< empty: none
  std::filesystem::path systems;    ///< file of the finished systems of a sequence; empty: none
  int interval = 1800;              ///< seconds
  int time_limit = 0;               ///< seconds of the run; 0: none
  ResumeChoice resume = ResumeChoice::automatic;

  bool operator==(const CheckpointOptions&) const = default;
};

}  // namespace spsolve::checkpoint
