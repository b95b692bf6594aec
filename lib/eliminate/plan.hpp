#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "eliminate/eliminate.hpp"
#include "matrix/shape.hpp"

namespace spsolve {

/// Bytes that one rank needs, by what they are for. Parts of different phases are not alive at the
/// same time; the need is that of the largest phase.
struct MemoryPlan {
  struct Part {
    std::string phase;  ///< read, scatter, eliminate
    std::string what;
    std::int64_t bytes = 0;
  };
  std::vector<Part> parts;
  std::optional<Part> on_gpu;  ///< in the memory of this rank's GPU, beside the host's
  std::int64_t resident = 0;   ///< what this process held when the plan was made: its program, MPI

  std::int64_t bytes_in(const std::string& phase) const;
  std::int64_t peak() const;
};

/// Adds what reading and scattering a matrix takes: rank 0 holds the list of entries and sorts it
/// into compressed rows, which are dealt out to `ranks` ranks. `height` is this rank's rows.
void plan_reading(MemoryPlan& plan, const MatrixShape& shape, int rank, int ranks, Index height);

/// The plan of rank `rank` of `ranks` for the elimination of a square matrix with
/// `right_hand_sides` columns, with or without an estimate of its condition. With bands in GPU
/// memory the dense band is on_gpu.
MemoryPlan plan_elimination(const MatrixShape& shape, const EliminationChoice& choice, int rank,
                            int ranks, Index right_hand_sides, bool condition = true,
                            BandMemory memory = BandMemory::host);

/// The need of every rank against what is free on its host.
struct MemoryCheck {
  struct Rank {
    std::int64_t needed = 0;
    std::int64_t available = 0;  ///< its share of its host's free memory, within its own limits
    bool limited = false;        ///< whether limits of its own decide (ulimit -v)
  };
  std::vector<Rank> ranks;
  bool fits = true;
  std::string remedy;  ///< one sentence, where it does not fit
};

/// Collective.
MemoryCheck check_memory(Team& team, const MemoryPlan& mine, Precision precision);

/// Plan and check as a table for a person.
std::string to_text(const MemoryPlan& plan, const MemoryCheck& check);

/// 1536 -> "1.50 KiB".
std::string readable_bytes(std::int64_t bytes);

}  // namespace spsolve
