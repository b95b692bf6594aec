#include "plan/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "matrix/csr.hpp"
#include "process/system.hpp"

namespace spsolve::inline plan {

namespace {

constexpr std::int64_t entry_bytes = 2 * sizeof(Index) + sizeof(double);
constexpr std::int64_t grouped_bytes = 16;  // see csr_from_coo()

}  // namespace

Index share_of_nonzeros(const MatrixShape& shape, Index height) {
  const double share = shape.rows == 0 ? 0 : static_cast<double>(height) / shape.rows;
  return static_cast<Index>(static_cast<double>(shape.nonzeros) * share);
}

std::int64_t share_bytes(const MatrixShape& shape, Index height) {
  return csr_bytes(height, share_of_nonzeros(shape, height), sizeof(double));
}

void MemoryPlan::add(std::span<const char* const> phases, std::string_view what, std::int64_t bytes,
                     Occasion occasion) {
  if (bytes == 0) return;
  for (const char* phase : phases) {
    parts.push_back({phase, std::string(what), bytes, occasion});
  }
}

void MemoryPlan::leave_out(Occasion occasion) {
  for (auto* some : {&parts, &on_gpu}) {
    std::erase_if(*some, [=](const PlannedBytes& part) { return part.occasion == occasion; });
  }
}

void MemoryPlan::settle(std::string_view what, std::int64_t bytes) {
  for (auto* some : {&parts, &on_gpu}) {
    for (PlannedBytes& part : *some) {
      if (part.what == what) part.bytes = std::min(part.bytes, bytes);
    }
  }
}

std::int64_t MemoryPlan::bytes_in(const std::string& phase) const {
  std::int64_t bytes = 0;
  for (const PlannedBytes& part : parts) {
    if (part.phase == phase) bytes += part.bytes;
  }
  return bytes;
}

std::int64_t MemoryPlan::peak() const {
  std::int64_t most = 0;
  for (const PlannedBytes& part : parts) most = std::max(most, bytes_in(part.phase));
  return most;
}

std::int64_t MemoryPlan::gpu_peak() const {
  std::map<std::string_view, std::int64_t> phases;
  std::int64_t most = 0;
  for (const PlannedBytes& part : on_gpu) most = std::max(most, phases[part.phase] += part.bytes);
  return most;
}

void plan_reading(MemoryPlan& plan, const MatrixShape& shape, int rank, int ranks, Index height) {
  const std::int64_t whole = csr_bytes(shape.rows, shape.nonzeros, sizeof(double));
  const std::int64_t band = share_bytes(shape, height);
  const auto add = [&](const char* phase, const char* what, std::int64_t bytes) {
    plan.parts.push_back({phase, what, bytes});
  };
  if (rank == 0 && shape.entries > 0) {
    const std::int64_t list = shape.entries * entry_bytes;
    add("read", "text of the file", shape.text_bytes);
    if (!shape.lists_rows) {
      add("read", "values of the file", shape.entries * static_cast<std::int64_t>(sizeof(double)));
    }
    add("read", "list of the file's entries", list);
    // The list goes once its entries are grouped, and the groups once they are rows.
    const std::int64_t groups = shape.nonzeros * grouped_bytes;
    add("sort", "entries being sorted by row",
        std::max(list + groups, groups + csr_bytes(shape.rows, shape.nonzeros, sizeof(double))));
  } else if (rank == 0) {
    add("read", "compressed rows of the whole matrix", whole);
  }
  if (rank > 0) {
    add("scatter", "compressed rows of this rank's band", band);
  } else if (ranks > 1) {
    add("scatter", "compressed rows of the whole matrix", whole);
    add("scatter", "this rank's part of its values",
        shape.nonzeros / ranks * static_cast<std::int64_t>(sizeof(double)));
  }
}

void plan_gathering(MemoryPlan& plan, const MatrixShape& shape, int rank) {
  if (rank > 0) return;
  plan.parts.push_back({"read", "compressed rows of the whole matrix",
                        csr_bytes(shape.rows, shape.nonzeros, sizeof(double))});
}

void plan_reading_together(MemoryPlan& plan, const MatrixShape& shape, const ReadingTogether& how,
                           int rank, int ranks, Index height) {
  const Index nonzeros = shape.nonzeros / ranks;
  if (how.rows_in_file) {
    plan.parts.push_back({"read", "offsets of all rows",
                          (shape.rows + 1) * static_cast<std::int64_t>(sizeof(Index))});
    plan.parts.push_back({"read", "this rank's part of the file", shape.text_bytes / ranks});
    plan.parts.push_back({"read", "compressed rows of this rank's band",
                          csr_bytes(height, nonzeros, sizeof(double))});
    return;
  }
  if (shape.entries == 0) {
    plan.parts.push_back({"read", "compressed rows of this rank's band",
                          csr_bytes(height, nonzeros, sizeof(double))});
    return;
  }
  const std::int64_t text = std::max<std::int64_t>(shape.text_bytes, 1);
  const std::int64_t piece = how.piece_bytes;
  // Whole rounds of pieces, and what is left of the last one.
  const std::int64_t round = ranks * piece;
  const std::int64_t rest = std::clamp<std::int64_t>(text % round - rank * piece, 0, piece);
  const std::int64_t largest = text >= round ? piece : rest;
  const double share = static_cast<double>(largest) / static_cast<double>(text);
  const auto at_a_time = [&](Index count) {
    return static_cast<std::int64_t>(share * static_cast<double>(count)) * entry_bytes;
  };
  plan.parts.push_back({"read", "this rank's part of the file", text / round * piece + rest});
  plan.parts.push_back({"read", "entries of this rank's rows", nonzeros * entry_bytes});
  plan.parts.push_back({"read", "entries of a piece, as read and by the ranks that they go to",
                        at_a_time(shape.entries) + at_a_time(shape.nonzeros)});
  plan.parts.push_back({"sort", "entries of this rank's rows, being sorted by row",
                        nonzeros * (entry_bytes + grouped_bytes)});
}

void plan_rotation(MemoryPlan& plan, const MatrixShape& shape) {
  plan.parts.push_back({"rotate", "compressed rows of the whole matrix, before and after",
                        2 * csr_bytes(shape.rows, shape.nonzeros, sizeof(double))});
}

namespace {

bool fits(const MemoryPlan& plan, std::int64_t available, std::int64_t gpu_available) {
  return plan.peak() <= available && plan.gpu_peak() <= gpu_available;
}

/// The fewest ranks, more than `ranks`, each with so much memory, that a task fits on; 0 where no
/// number is enough.
int fewest_ranks(const PlanFor& plan, int ranks, std::int64_t available,
                 std::int64_t gpu_available) {
  constexpr int most = 1 << 20;
  // Rank 0 has the most to hold while it reads, rank 1 or the last one afterwards.
  const auto enough = [&](int count) {
    return fits(plan(0, count), available, gpu_available) &&
           fits(plan(std::min(1, count - 1), count), available, gpu_available);
  };
  int too_few = ranks, more = ranks;
  do {
    if (more >= most) return 0;
    too_few = more;
    more = std::min(most, 2 * more);
  } while (!enough(more));
  while (more - too_few > 1) {
    const int middle = too_few + (more - too_few) / 2;
    (enough(middle) ? more : too_few) = middle;
  }
  return more;
}

std::string remedy_for(const Team& team, const MemoryCheck& check, const PlanFor& plan,
                       const std::vector<Remedy>& remedies) {
  constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
  MemoryCheck::Rank least{0, unknown, false, 0, 0, unknown};
  bool limited = true;
  for (const MemoryCheck::Rank& rank : check.ranks) {
    least.available = std::min(least.available, rank.available);
    least.gpu_available = std::min(least.gpu_available, rank.gpu_available);
    least.gpu_needed = std::max(least.gpu_needed, rank.gpu_needed);
    limited = limited && (rank.needed <= rank.available || rank.limited) &&
              rank.gpu_needed <= rank.gpu_available;
  }
  std::vector<std::string> ways;
  if (limited) ways.push_back("raise the limit of the process's memory (ulimit -v)");
  for (const Remedy& remedy : remedies) {
    bool all_fit = true;
    for (std::size_t rank = 0; all_fit && rank < check.ranks.size(); ++rank) {
      const auto& there = check.ranks[rank];
      all_fit = fits(remedy.plan(static_cast<int>(rank), team.size()), there.available,
                     there.gpu_available);
    }
    if (all_fit) ways.push_back(remedy.words + ", with which it fits");
  }
  const int ranks = fewest_ranks(plan, team.size(), least.available, least.gpu_available);
  if (ranks == 0) {
    // Beyond some number of ranks what each holds of all of them grows again.
    const bool gpus = std::ranges::any_of(check.ranks, [](const MemoryCheck::Rank& rank) {
      return rank.gpu_needed > rank.gpu_available;
    });
    const auto need = gpus ? &MemoryCheck::Rank::gpu_needed : &MemoryCheck::Rank::needed;
    const auto worst = std::ranges::max_element(check.ranks, {}, need);
    ways.push_back(fmt::format("use {} with more memory: rank {} needs {}", gpus ? "GPUs" : "hosts",
                               worst - check.ranks.begin(), readable_bytes((*worst).*need)));
  } else if (limited) {
    ways.push_back(fmt::format("use at least {} ranks", ranks));
  } else if (std::ranges::all_of(check.ranks, [](const MemoryCheck::Rank& rank) {
               return rank.needed <= rank.available;
             })) {
    ways.push_back(
        fmt::format("use at least {} GPUs like these, one for each of {} ranks", ranks, ranks));
  } else {
    const int on_host = team.ranks_on_host();
    ways.push_back(fmt::format("use at least {} ranks on {} hosts like this one{}", ranks,
                               (ranks + on_host - 1) / on_host,
                               least.gpu_needed > 0 ? ", each with a GPU like these" : ""));
  }
  return fmt::format("{}", fmt::join(ways, "; or "));
}

}  // namespace

MemoryCheck check_memory(Team& team, const MemoryPlan& mine, const PlanFor& plan,
                         const std::vector<Remedy>& remedies,
                         std::optional<std::int64_t> gpu_available) {
  MemoryCheck check;
  const std::int64_t there = std::max<std::int64_t>(0, resident_memory() - mine.resident);
  const std::int64_t share = available_memory() / team.ranks_on_host() + there;
  const std::int64_t limit = left_under_process_limit();
  const std::int64_t own =
      limit > std::numeric_limits<std::int64_t>::max() - there ? limit : limit + there;
  check.ranks = all_gather(
      team, MemoryCheck::Rank{mine.peak(), std::min(share, own), own < share, mine.resident,
                              mine.gpu_peak(),
                              gpu_available.value_or(std::numeric_limits<std::int64_t>::max())});
  for (const MemoryCheck::Rank& rank : check.ranks) {
    check.fits =
        check.fits && rank.needed <= rank.available && rank.gpu_needed <= rank.gpu_available;
  }
  if (!check.fits) check.remedy = remedy_for(team, check, plan, remedies);
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
  std::string text = plan.about + "Memory plan of rank 0:\n";
  std::vector<std::string> phases;  // in the order in which they come
  for (const auto* parts : {&plan.parts, &plan.on_gpu}) {
    for (const MemoryPlan::PlannedBytes& part : *parts) {
      if (std::ranges::find(phases, part.phase) == phases.end()) phases.push_back(part.phase);
    }
  }
  for (const std::string& phase : phases) {
    for (const auto* parts : {&plan.parts, &plan.on_gpu}) {
      for (const MemoryPlan::PlannedBytes& part : *parts) {
        if (part.phase != phase) continue;
        text += fmt::format("  {:<10} {:>12}  {}{}\n", phase, readable_bytes(part.bytes), part.what,
                            parts == &plan.on_gpu ? ", on the GPU" : "");
      }
    }
  }
  for (const MemoryPlan::PlannedBytes& part : plan.in_double) {
    text += fmt::format("  {:<10} {:>12}  {}{}, should float not do (checked then)\n", part.phase,
                        readable_bytes(part.bytes), part.what,
                        plan.on_gpu.empty() ? "" : ", on the GPU");
  }
  for (std::size_t rank = 0; rank < check.ranks.size(); ++rank) {
    const MemoryCheck::Rank& one = check.ranks[rank];
    text += fmt::format("  rank {:<5} {:>12}  of {} {}, in addition to {} that it held before{}\n",
                        rank, readable_bytes(one.needed), readable_bytes(one.available),
                        one.limited ? "under its limit (ulimit -v)" : "free to it",
                        readable_bytes(one.resident),
                        one.needed > one.available ? ": does not fit" : "");
    if (one.gpu_needed == 0) continue;
    const bool known = one.gpu_available != std::numeric_limits<std::int64_t>::max();
    text +=
        fmt::format("  {:<10} {:>12}  {}{}\n", "  its GPU", readable_bytes(one.gpu_needed),
                    known ? fmt::format("of {} free on it", readable_bytes(one.gpu_available))
                          : "of a GPU's memory, in addition to CUDA's own; no GPU is here to ask",
                    one.gpu_needed > one.gpu_available ? ": does not fit" : "");
  }
  return text;
}

}  // namespace spsolve::plan
