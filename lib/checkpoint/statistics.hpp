#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline checkpoint {

/// The figures of checkpoints in a run; the same on every rank but for seconds.
struct CheckpointStatistics {
  int written = 0;
  int failed = 0;
  std::int64_t bytes = 0;  ///< of all that were written, all ranks
  double seconds = 0;      ///< for writing, of this rank
  double resume_seconds = 0;
  std::optional<Index> resumed_step;   ///< of the last elimination
  std::optional<double> resumed_work;  ///< its fraction of the flops, where steps do not tell
  std::string resumed_from;            ///< rank 0's file
  std::vector<std::string> notes;      ///< what was refused or failed, in words
};

}  // namespace spsolve::checkpoint
