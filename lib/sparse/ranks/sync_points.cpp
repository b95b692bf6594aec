#include "sparse/ranks/sync_points.hpp"

#include <algorithm>
#include <cmath>

#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

SyncPoints::SyncPoints(Team& team, const TreePartition& tree, const SyncRule& rule)
    : tree_(tree), rule_(rule), before_(tree.shared.size(), 0) {
  double own = 0;
  for (LocalIndex s = 0; s < tree.own().size(); ++s) {
    own += front_flops(tree.own(), s, tree.kind != Factorization::lu);
  }
  // The flops of each rank before the fronts of all.
  std::vector<double> done = all_gather(team, own), below = done;
  const auto each_below = [&](const auto& visit) {
    for (LocalIndex s = 0; s < tree.shared.size() && tree.depth[s] > 0; ++s) visit(s);
  };
  const auto add_to = [&](std::vector<double>& flops, LocalIndex s) {
    const RankRange range = tree.teams[s];
    for (int rank = range.first; rank < range.first + range.count; ++rank) {
      flops[rank] += flops_of(s);
    }
  };
  each_below([&](LocalIndex s) { add_to(below, s); });
  flops_below_ = flops_ = below[tree.rank];
  rounds_ = static_cast<int>(std::clamp(std::ceil(std::ranges::max(below) / rule.flops),
                                        static_cast<double>(rule.least_rounds),
                                        static_cast<double>(rule.most_rounds)));
  std::vector<int> attended;
  for (int rank = 0; rank < tree.ranks; ++rank) {
    attended.push_back(rounds_done(done[rank], below[rank]));
  }
  after_own_ = attended[tree.rank];
  each_below([&](LocalIndex s) {
    const auto first = attended.begin() + tree.teams[s].first, end = first + tree.teams[s].count;
    before_[s] = *std::max_element(first, end);
    std::fill(first, end, before_[s]);
    add_to(done, s);
    for (auto of = first; of != end; ++of) {
      const auto rank = of - attended.begin();
      *of = std::max(*of, rounds_done(done[rank], below[rank]));
    }
  });
  last_ = rounds_;
  double since = 0;
  for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
    if (tree.depth[s] > 0) continue;
    before_[s] = last_;
    flops_ += flops_of(s);
    since += flops_of(s);
    if (since < rule.flops && s + 1 < tree.shared.size()) continue;
    ++last_;
    since = 0;
  }
}

int SyncPoints::rounds_done(double flops, double all) const {
  if (flops >= all) return rounds_;
  return static_cast<int>(rounds_ * (flops / all));
}

int SyncPoints::after(double own_flops) const {
  return std::min(rounds_done(own_flops, flops_below_), after_own_);
}

bool SyncPoints::within(LocalIndex s, Index panel) const {
  if (!is_cut(s) || panel <= 0 || panel >= tree_.blocks(s).pivot_blocks()) return false;
  if (rule_.flops <= 0) return true;
  const auto sync_points = [&](Index at) { return std::floor(flops_before(s, at) / rule_.flops); };
  return sync_points(panel) > sync_points(panel - 1);
}

double SyncPoints::flops_of(LocalIndex s) const {
  return front_flops(tree_.shared, s, tree_.kind != Factorization::lu) / tree_.teams[s].count;
}

double SyncPoints::flops_before(LocalIndex s, Index panel) const {
  const ColumnBlocks blocks = tree_.blocks(s);
  const Index pivots = blocks.begin(panel);
  return front_flops(static_cast<double>(pivots), static_cast<double>(blocks.height() - pivots),
                     tree_.kind != Factorization::lu) /
         tree_.teams[s].count;
}

double SyncPoints::flops_between(LocalIndex s) const {
  const double all = flops_of(s);
  const double between = is_cut(s) ? std::min(all, rule_.flops) : all;
  return tree_.depth[s] > 0 ? std::max(between, flops_of_round()) : between;
}

}  // namespace spsolve::sparse
