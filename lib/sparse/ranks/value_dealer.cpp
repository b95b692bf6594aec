#include "sparse/ranks/value_dealer.hpp"

#include <algorithm>
#include <future>

#include "core/worth_threads.hpp"
#include "sparse/ranks/assembled_entries.hpp"

namespace spsolve::inline sparse {

ValueDealer::ValueDealer(Team& team, const SparseAnalysis* analysis, const TreePartition& tree,
                         Index parts)
    : team_(team), parts_(parts) {
  if (team.size() == 1) return;
  const std::vector<Index> sizes = all_gather(team, tree.values());
  together(team, [&] {
    mine_.resize(parts * tree.values());
    if (team.rank() > 0) return;
    theirs_.reserve(parts * *std::ranges::max_element(sizes));
    const ProportionalMapping teams = deal_fronts(*analysis, tree.kind, tree.rule, team.size());
    sources_.resize(team.size());
    std::vector<std::future<void>> made;
    for (int rank = 0; rank < team.size(); ++rank) {
      made.push_back(std::async(std::launch::async, [&, rank] {
        sources_[rank] = sources_of(*analysis, tree.rule, teams, rank, sizes[rank]);
      }));
    }
    for (std::future<void>& of : made) of.get();
  });
}

const std::vector<double>& ValueDealer::deal(const std::vector<double>& values) {
  if (team_.size() == 1) return values;
  if (team_.rank() > 0) {
    if (!mine_.empty()) receive(team_, std::span(mine_), 0);
    return mine_;
  }
  const auto take = [&](const std::vector<Index>& list, std::vector<double>& to) {
#pragma omp parallel for schedule(static) if (worth_threads(std::ssize(list)))
    for (Index i = 0; i < std::ssize(list); ++i) {
      std::copy_n(values.begin() + parts_ * list[i], parts_, to.begin() + parts_ * i);
    }
  };
  for (int rank = 1; rank < team_.size(); ++rank) {
    theirs_.resize(parts_ * sources_[rank].size());
    take(sources_[rank], theirs_);
    if (!theirs_.empty()) send(team_, std::span(theirs_), rank);
  }
  take(sources_[0], mine_);
  return mine_;
}

}  // namespace spsolve::sparse
