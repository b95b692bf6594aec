#pragma once

#include <optional>
#include <vector>

#include "sparse/analysis/analysis.hpp"
#include "sparse/ranks/column_blocks.hpp"
#include "sparse/ranks/proportional_mapping.hpp"

namespace spsolve::inline sparse {

/// A front that a rank assembles, of which `count` entries are its own; of a shared one also the
/// blocks of its columns.
struct AssembledFront {
  LocalIndex front;
  std::optional<ColumnBlocks> blocks;
  int first_rank = 0;  // of a shared one
  Index before = 0;    // entries of the fronts before it
  Index count = 0;
};

/// Calls visit(row, column, source) for each entry of the front that is the rank's; of a shared one
/// row and column are in the whole front, of the others as FrontEntry has them.
template <typename Visit>
void visit_entries(const SparseAnalysis& analysis, const AssembledFront& of, int rank,
                   const Visit& visit) {
  const auto entries = analysis.entries.of(of.front);
  if (!of.blocks) {
    for (const FrontEntry& entry : entries) visit(entry.row, entry.column, entry.source);
    return;
  }
  const LocalIndex p = analysis.fronts.pivots(of.front);
  for (const FrontEntry& entry : entries) {
    const bool upper = entry.column < 0;
    const LocalIndex row = upper ? ~entry.column : entry.row;
    const LocalIndex column = upper ? p + entry.row : entry.column;
    if (of.first_rank + of.blocks->owner_of_entry(row, column) == rank) {
      visit(row, column, entry.source);
    }
  }
}

/// The fronts that a rank assembles, its own before shared ones.
std::vector<AssembledFront> assembled_fronts(const SparseAnalysis& analysis,
                                             const SharingRule& rule,
                                             const ProportionalMapping& teams, int rank);

/// Calls visit(front, place, row, column, source) for each entry that a rank assembles, whose
/// values come to it in the order of their places: of several fronts at a time.
template <typename Visit>
void visit_entries(const SparseAnalysis& analysis, const std::vector<AssembledFront>& all, int rank,
                   const Visit& visit) {
  constexpr int fronts_at_once = 64;
#pragma omp parallel for schedule(dynamic, fronts_at_once)
  for (Index i = 0; i < std::ssize(all); ++i) {
    Index place = all[i].before;
    visit_entries(analysis, all[i], rank, [&](LocalIndex row, LocalIndex column, Index source) {
      visit(all[i], place++, row, column, source);
    });
  }
}

/// Which of all values of the matrix are that rank's, in the order of its entries, own before
/// shared: `size` of them.
std::vector<Index> sources_of(const SparseAnalysis& analysis, const SharingRule& rule,
                              const ProportionalMapping& teams, int rank, std::size_t size);

}  // namespace spsolve::sparse
