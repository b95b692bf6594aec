#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "matrix/shape.hpp"
#include "team/team.hpp"

namespace spsolve::inline plan {

/// Bytes that one rank needs, by what they are for. Parts of different phases are not alive at the
/// same time; the need is that of the largest phase. `resident` comes on top.
struct MemoryPlan {
  /// Why a part may turn out not to be taken: only values tell.
  enum class Occasion {
    always,         ///< taken for certain
    equilibration,  ///< values are far apart
    small_pivots,   ///< some were made larger, so that GMRES goes on with the factors
    multigrid,      ///< it is the preconditioner that `auto` takes
  };
  struct PlannedBytes {
    std::string phase;  ///< read, sort, scatter, prepare, eliminate, solve, estimate, multiply
    std::string what;
    std::int64_t bytes = 0;
    Occasion occasion = Occasion::always;
  };
  std::vector<PlannedBytes> parts;
  std::vector<PlannedBytes>
      on_gpu;  ///< in the memory of this rank's GPU, in addition to the host's
  std::vector<PlannedBytes> in_double;  ///< of plan_in_double(), no part of any peak
  std::string about;                    ///< what is planned, in lines of text; may be empty
  /// Bytes that this process held before anything that is planned was there: program, MPI.
  std::int64_t resident = 0;

  /// Adds, in each of these phases, bytes on the host, if there are any.
  void add(std::span<const char* const> phases, std::string_view what, std::int64_t bytes,
           Occasion occasion = Occasion::always);
  void add(std::initializer_list<const char*> phases, std::string_view what, std::int64_t bytes,
           Occasion occasion = Occasion::always) {
    add(std::span(phases.begin(), phases.size()), what, bytes, occasion);
  }

  /// Leaves out the parts of an occasion that did not come.
  void leave_out(Occasion occasion);

  /// Hears how many bytes a part takes in all phases, of which at most so many were known.
  void settle(std::string_view what, std::int64_t bytes);

  std::int64_t bytes_in(const std::string& phase) const;
  std::int64_t peak() const;
  std::int64_t gpu_peak() const;
};

/// Bytes that a process takes in addition as it comes to code, tables and stacks that it had not
/// touched when it planned, as measured.
inline constexpr std::int64_t bytes_of_program = std::int64_t{3} << 20;

/// The share of a matrix's non-zeros that `height` of its rows have, if all are alike.
Index share_of_nonzeros(const MatrixShape& shape, Index height);

/// Bytes of compressed rows: `height` of a matrix, with their share of its non-zeros.
std::int64_t share_bytes(const MatrixShape& shape, Index height);

/// Adds what reading and scattering a matrix takes: rank 0 holds the text and the list of entries,
/// sorts the list into compressed rows, and deals them out in bands to `ranks` ranks. `height` is
/// this rank's rows.
void plan_reading(MemoryPlan& plan, const MatrixShape& shape, int rank, int ranks, Index height);

/// Adds what it takes rank 0 to get all rows of a matrix that lies in bands.
void plan_gathering(MemoryPlan& plan, const MatrixShape& shape, int rank);

/// How all ranks read a matrix, none of which holds more than its band; see read_in_bands().
struct ReadingTogether {
  Index piece_bytes = 0;      ///< of text, at a time
  bool rows_in_file = false;  ///< a file that holds rows as they are
};

/// The plan where all ranks read: for one of `ranks`, with `height` rows.
void plan_reading_together(MemoryPlan& plan, const MatrixShape& shape, const ReadingTogether& how,
                           int rank, int ranks, Index height);

/// Adds, on rank 0, that the rows of the matrix are rotated once it is read.
void plan_rotation(MemoryPlan& plan, const MatrixShape& shape);

/// The need of every rank against what is free on its host.
struct MemoryCheck {
  struct Rank {
    std::int64_t needed = 0;
    /// Its share of its host's free memory, within its own limits, with what is there already.
    std::int64_t available = 0;
    bool limited = false;       ///< whether limits of its own decide (ulimit -v)
    std::int64_t resident = 0;  ///< what it held before
    std::int64_t gpu_needed = 0;
    std::int64_t gpu_available = 0;  ///< free on its GPU; the largest number where no GPU tells
  };
  std::vector<Rank> ranks;
  bool fits = true;
  std::string remedy;  ///< one sentence, where it does not fit
};

/// The plan of a rank of so many for the same task, or for one that is changed a little.
using PlanFor = std::function<MemoryPlan(int rank, int ranks)>;

/// A change of the configuration that may make a task fit.
struct Remedy {
  std::string words;  ///< solve.precision=float
  PlanFor plan;
};

/// Checks `mine`, which is plan(team.rank(), team.size()). Where it does not fit, the remedy names
/// those of `remedies` with which it would on these ranks, in their order, and then the fewest
/// ranks with which it would, on hosts and GPUs like these and as many on a host. `gpu_available`:
/// bytes free on this rank's GPU, where there is one. Collective.
MemoryCheck check_memory(Team& team, const MemoryPlan& mine, const PlanFor& plan,
                         const std::vector<Remedy>& remedies,
                         std::optional<std::int64_t> gpu_available = {});

/// Plan and check as a table for a person.
std::string to_text(const MemoryPlan& plan, const MemoryCheck& check);

/// 1536 -> "1.50 KiB".
std::string readable_bytes(std::int64_t bytes);

}  // namespace spsolve::plan
