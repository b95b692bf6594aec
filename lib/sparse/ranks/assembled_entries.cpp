#include "sparse/ranks/assembled_entries.hpp"

#include "core/resize_in_threads.hpp"

namespace spsolve::inline sparse {

std::vector<AssembledFront> assembled_fronts(const SparseAnalysis& analysis,
                                             const SharingRule& rule,
                                             const ProportionalMapping& teams, int rank) {
  const Fronts& fronts = analysis.fronts;
  std::vector<AssembledFront> all;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (teams.of[s] != RankRange{rank, 1}) continue;
    all.push_back({s, std::nullopt, rank, 0, std::ssize(analysis.entries.of(s))});
  }
  const auto own = std::ssize(all);
  LocalIndex number = 0;
  for (const LocalIndex s : teams.shared_order()) {
    const ColumnBlocks blocks(rule, fronts.pivots(s), fronts.border_size(s), teams.of[s].count,
                              number++);
    if (teams.of[s].holds(rank)) all.push_back({s, blocks, teams.of[s].first, 0, 0});
  }
#pragma omp parallel for schedule(dynamic)
  for (Index i = own; i < std::ssize(all); ++i) {
    visit_entries(analysis, all[i], rank, [&](LocalIndex, LocalIndex, Index) { ++all[i].count; });
  }
  for (std::size_t i = 1; i < all.size(); ++i) all[i].before = all[i - 1].before + all[i - 1].count;
  return all;
}

std::vector<Index> sources_of(const SparseAnalysis& analysis, const SharingRule& rule,
                              const ProportionalMapping& teams, int rank, std::size_t size) {
  std::vector<Index> list;
  resize_in_threads(list, static_cast<Index>(size));
  visit_entries(analysis, assembled_fronts(analysis, rule, teams, rank), rank,
                [&](const AssembledFront&, Index place, LocalIndex, LocalIndex, Index source) {
                  list[place] = source;
                });
  return list;
}

}  // namespace spsolve::sparse
