#include "sparse/ranks/proportional_mapping.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

namespace {

constexpr int most_cuts = 256;

/// The two halves of a range of several ranks.
std::pair<RankRange, RankRange> halves(RankRange range) {
  const int left = range.count / 2;
  return {{range.first, left}, {range.first + left, range.count - left}};
}

class Dealer {
 public:
  Dealer(const Fronts& fronts, const std::vector<double>& work, double shared_costs, int ranks)
      : fronts_(fronts),
        work_(work),
        shared_costs_(shared_costs),
        subtree_work_(work_below(fronts, work)) {
    teams_.ranks = ranks;
    teams_.of.resize(fronts.size());
    teams_.depth.assign(fronts.size(), 0);
  }

  ProportionalMapping run() {
    std::vector<LocalIndex> roots;
    for (LocalIndex s = 0; s < fronts_.size(); ++s) {
      if (fronts_.parent[s] == -1) roots.push_back(s);
    }
    deal(std::move(roots), {0, teams_.ranks}, 0);
    return std::move(teams_);
  }

 private:
  /// Subtrees in descending order of work, the two sides' load, and which are on the left.
  struct Sides {
    double left = 0, right = 0;
    std::vector<bool> is_left;
  };

  Sides split(std::span<const LocalIndex> subtrees, RankRange left, RankRange right) const {
    Sides sides;
    for (const LocalIndex s : subtrees) {
      const double to_left = (sides.left + subtree_work_[s]) / left.count;
      const double to_right = (sides.right + subtree_work_[s]) / right.count;
      const bool is_left = to_left <= to_right;
      (is_left ? sides.left : sides.right) += subtree_work_[s];
      sides.is_left.push_back(is_left);
    }
    return sides;
  }

  auto before() const {
    return [&](LocalIndex a, LocalIndex b) {
      return subtree_work_[a] != subtree_work_[b] ? subtree_work_[a] > subtree_work_[b] : a < b;
    };
  }

  void sort(std::vector<LocalIndex>& subtrees) const {
    std::sort(subtrees.begin(), subtrees.end(), before());
  }

  /// The largest subtree becomes a front of all ranks, and its children subtrees.
  LocalIndex cut(std::vector<LocalIndex>& subtrees) const {
    const LocalIndex s = subtrees.front();
    const auto children = fronts_.children_of(s);
    std::vector<LocalIndex> below(children.begin(), children.end()), all;
    sort(below);
    std::merge(subtrees.begin() + 1, subtrees.end(), below.begin(), below.end(),
               std::back_inserter(all), before());
    subtrees = std::move(all);
    return s;
  }

  void deal(std::vector<LocalIndex> subtrees, RankRange range, int depth) {
    if (range.count == 1) return give(subtrees, range, depth);
    const auto [left, right] = halves(range);
    sort(subtrees);
    const std::vector<LocalIndex> uncut = subtrees;
    double shared = 0, least = 0;
    int best = 0;
    for (int cuts = 0; cuts <= most_cuts && !subtrees.empty(); ++cuts) {
      const Sides sides = split(subtrees, left, right);
      const double slower = std::max(sides.left / left.count, sides.right / right.count);
      const double seconds = shared + slower;
      if (cuts == 0 || seconds < least) {
        least = seconds;
        best = cuts;
      }
      // The rest cannot be dealt out better than evenly.
      const double even = (sides.left + sides.right) / range.count;
      constexpr double as_good_as_even = 1.05;
      if (shared >= least || slower <= as_good_as_even * even) break;
      const LocalIndex s = cut(subtrees);
      shared += work_[s] / range.count + shared_costs_;
    }
    subtrees = uncut;
    for (int i = 0; i < best; ++i) {
      const LocalIndex s = cut(subtrees);
      teams_.of[s] = range;
      teams_.depth[s] = depth;
    }
    const Sides sides = split(subtrees, left, right);
    std::vector<LocalIndex> on_left, on_right;
    for (std::size_t i = 0; i < subtrees.size(); ++i) {
      (sides.is_left[i] ? on_left : on_right).push_back(subtrees[i]);
    }
    deal(std::move(on_left), left, depth + 1);
    deal(std::move(on_right), right, depth + 1);
  }

  void give(const std::vector<LocalIndex>& subtrees, RankRange range, int depth) {
    for (const LocalIndex root : subtrees) {
      for (LocalIndex s = fronts_.first_of_subtree[root]; s <= root; ++s) {
        teams_.of[s] = range;
        teams_.depth[s] = depth;
      }
    }
  }

  const Fronts& fronts_;
  const std::vector<double>& work_;
  double shared_costs_;
  std::vector<double> subtree_work_;
  ProportionalMapping teams_;
};

}  // namespace

RankRange range_at(int ranks, int rank, int depth) {
  RankRange range{0, ranks};
  for (int i = 0; i < depth && range.count > 1; ++i) {
    const auto [left, right] = halves(range);
    range = left.holds(rank) ? left : right;
  }
  return range;
}

std::vector<LocalIndex> ProportionalMapping::shared_order() const {
  std::vector<LocalIndex> order;
  for (LocalIndex s = 0; s < static_cast<LocalIndex>(of.size()); ++s) {
    if (shared(s)) order.push_back(s);
  }
  std::ranges::stable_sort(order, std::greater{}, [&](LocalIndex s) { return depth[s]; });
  return order;
}

ProportionalMapping assign_fronts(const Fronts& fronts, const std::vector<double>& work,
                                  double shared_costs, int ranks) {
  return Dealer(fronts, work, shared_costs, ranks).run();
}

}  // namespace spsolve::sparse
