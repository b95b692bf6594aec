#include "eliminate/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/system.hpp"
#include "distribute/row_bands.hpp"
#include "eliminate/gmres.hpp"

namespace spsolve {

namespace {

constexpr std::int64_t entry_bytes = 2 * sizeof(Index) + sizeof(double);
constexpr std::int64_t sorting_bytes = 28;  // see csr_from_coo()
constexpr std::int64_t nonzero_bytes = sizeof(LocalIndex) + sizeof(double);

std::int64_t csr_bytes(Index rows, Index nonzeros) {
  return (rows + 1) * static_cast<std::int64_t>(sizeof(Index)) + nonzeros * nonzero_bytes;
}

}  // namespace

std::int64_t MemoryPlan::bytes_in(const std::string& phase) const {
  std::int64_t bytes = 0;
  for (const Part& part : parts) {
    if (part.phase == phase) bytes += part.bytes;
  }
  return bytes;
}

std::int64_t MemoryPlan::peak() const {
  std::int64_t most = 0;
  for (const Part& part : parts) most = std::max(most, bytes_in(part.phase));
  return most;
}

void plan_reading(MemoryPlan& plan, const MatrixShape& shape, int rank, int ranks, Index height) {
  const std::int64_t whole = csr_bytes(shape.rows, shape.nonzeros);
  const std::int64_t band = csr_bytes(height, shape.nonzeros / ranks);
  if (rank == 0) {
    if (shape.entries > 0) {
      plan.parts.push_back({"read", "list of the file's entries", shape.entries * entry_bytes});
      plan.parts.push_back({"read", "entries being sorted by row", shape.nonzeros * sorting_bytes});
    } else {
      plan.parts.push_back({"read", "compressed rows of the whole matrix", whole});
    }
    if (ranks > 1) {
      plan.parts.push_back({"scatter", "compressed rows of the whole matrix", whole});
      plan.parts.push_back({"scatter", "compressed rows of another rank's band", band});
    }
  }
  plan.parts.push_back({"scatter", "compressed rows of this rank's band", band});
}

MemoryPlan plan_elimination(const MatrixShape& shape, const EliminationChoice& choice, int rank,
                            int ranks, Index right_hand_sides, bool condition, BandMemory memory) {
  const Index n = shape.rows;
  const bool cyclic = deals_in_cycles(choice, ranks);
  const Index height =
      cyclic ? cyclic_rows(choice, n, ranks).height(rank) : RowBands{n, ranks}.band(rank).size();
  const std::int64_t band = csr_bytes(height, shape.nonzeros / ranks);
  const std::int64_t multivector = n * right_hand_sides * static_cast<std::int64_t>(sizeof(double));

  MemoryPlan plan;
  plan_reading(plan, shape, rank, ranks, height);
  if (cyclic) plan.parts.push_back({"scatter", "the same, dealt out in cyclic blocks", band});
  plan.parts.push_back({"eliminate", "compressed rows of this rank's band", band});
  if (cyclic) plan.parts.push_back({"eliminate", "the same, dealt out in cyclic blocks", band});
  const bool mixed = choice.precision == Precision::mixed;
  MemoryPlan::Part dense{"eliminate",
                         fmt::format("dense band of {} x {} in {}{}", height, n,
                                     choice.precision == Precision::float32 ? "float" : "double",
                                     mixed ? ", should float not do" : ""),
                         elimination_bytes(choice, height, n, ranks)};
  if (memory == BandMemory::gpu) {
    dense.phase = "on the GPU";
    plan.on_gpu = std::move(dense);
  } else {
    plan.parts.push_back(std::move(dense));
  }
  // Filled into the dense band, then given back.
  if (!cyclic) plan.parts.push_back({"eliminate", "the same, where it is equilibrated", band});
  if (mixed) {
    // The condition estimate solves for up to 4 columns.
    const Index columns = condition ? std::max<Index>(right_hand_sides, 4) : right_hand_sides;
    plan.parts.push_back({"eliminate", "vectors of GMRES, the first solution",
                          gmres_bytes(n, columns) + 2 * multivector});
  }
  // Weights, two multivectors of two columns, and copies and sums inside the solves.
  if (condition) {
    plan.parts.push_back({"eliminate", "vectors of the condition estimate",
                          12 * n * static_cast<std::int64_t>(sizeof(double))});
  }
  // b, x, the correction, the better x, and one copy inside the solve.
  plan.parts.push_back({"eliminate", "right-hand sides, solutions, residuals", 5 * multivector});
  return plan;
}

MemoryCheck check_memory(Team& team, const MemoryPlan& mine, Precision precision) {
  MemoryCheck check;
  const std::int64_t share = available_memory() / team.ranks_on_host();
  const std::int64_t own = left_under_process_limit();
  check.ranks = all_gather(team, MemoryCheck::Rank{mine.peak(), std::min(share, own), own < share});
  double worst = 0;
  bool limited = true;
  for (const MemoryCheck::Rank& rank : check.ranks) {
    if (rank.needed <= rank.available) continue;
    check.fits = false;
    limited = limited && rank.limited;
    worst = std::max(worst, static_cast<double>(rank.needed) /
                                static_cast<double>(std::max<std::int64_t>(rank.available, 1)));
  }
  if (check.fits) return check;
  const double hosts = std::floor(worst * team.size() / team.ranks_on_host()) + 1;
  check.remedy = limited ? "raise the limit of the process's memory (ulimit -v), or use more ranks"
                         : fmt::format("use about {:.0f} hosts like this one", hosts);
  if (precision != Precision::float32) {
    check.remedy += ", or solve.precision=float for half of the dense band";
  }
  return check;
}

std::string readable_bytes(std::int64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", value, units[unit]);
}

std::string to_text(const MemoryPlan& plan, const MemoryCheck& check) {
  std::string text = "Memory plan of rank 0:\n";
  for (const MemoryPlan::Part& part : plan.parts) {
    text += fmt::format("  {:<10} {:>12}  {}\n", part.phase, readable_bytes(part.bytes), part.what);
  }
  if (plan.on_gpu) {
    text += fmt::format("  {:<10} {:>12}  {}\n", plan.on_gpu->phase,
                        readable_bytes(plan.on_gpu->bytes), plan.on_gpu->what);
  }
  for (std::size_t rank = 0; rank < check.ranks.size(); ++rank) {
    const auto& [needed, available, limited] = check.ranks[rank];
    text += fmt::format("  rank {:<5} {:>12}  of {} {}{}\n", rank, readable_bytes(needed),
                        readable_bytes(available),
                        limited ? "under its limit (ulimit -v)" : "free to it",
                        needed > available ? ": does not fit" : "");
  }
  return text;
}

}  // namespace spsolve
