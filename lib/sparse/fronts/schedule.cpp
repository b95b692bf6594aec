#include "sparse/fronts/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "core/tuning.hpp"
#include "sparse/fronts/border_block.hpp"

namespace spsolve::inline sparse {

std::vector<double> work_below(const Fronts& fronts, const std::vector<double>& work) {
  std::vector<double> below(work);
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (fronts.parent[s] != -1) below[fronts.parent[s]] += below[s];
  }
  return below;
}

Schedule cut_subtrees(const Fronts& fronts, const std::vector<double>& work, double share) {
  std::vector<LocalIndex> roots;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (fronts.parent[s] == -1) roots.push_back(s);
  }
  return cut_subtrees(fronts, work, share, roots);
}

Schedule cut_subtrees(const Fronts& fronts, const std::vector<double>& work, double share,
                      std::span<const LocalIndex> roots) {
  const std::vector<double> below = work_below(fronts, work);
  double all = 0;
  const auto less = [&](LocalIndex a, LocalIndex b) {
    return below[a] != below[b] ? below[a] < below[b] : a > b;
  };
  std::priority_queue<LocalIndex, std::vector<LocalIndex>, decltype(less)> queue(less);
  for (const LocalIndex s : roots) {
    all += below[s];
    queue.push(s);
  }
  Schedule schedule;
  while (!queue.empty() && below[queue.top()] > share * all) {
    const LocalIndex s = queue.top();
    const auto children = fronts.children_of(s);
    if (children.empty()) break;
    queue.pop();
    schedule.upper.push_back(s);
    for (const LocalIndex child : children) queue.push(child);
  }
  for (; !queue.empty(); queue.pop()) schedule.subtrees.push_back(queue.top());
  std::sort(schedule.upper.begin(), schedule.upper.end());
  schedule.steps = schedule.upper;
  schedule.rounds = {{schedule.subtrees.size(), schedule.steps.size()}};
  return schedule;
}

double front_flops(double p, double m, bool symmetric) {
  return (symmetric ? 1 : 2) * (p * p * p / 3 + p * p * m + p * m * m);
}

double front_flops(const Fronts& fronts, LocalIndex s, bool symmetric) {
  return front_flops(static_cast<double>(fronts.pivots(s)),
                     static_cast<double>(fronts.border_size(s)), symmetric);
}

std::vector<double> front_work(const Fronts& fronts, bool symmetric) {
  std::vector<double> work(fronts.size());
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const double p = static_cast<double>(fronts.pivots(s));
    const double m = static_cast<double>(fronts.border_size(s));
    const double entries = p * p + 2 * p * m + 2 * m * m;
    work[s] = front_flops(fronts, s, symmetric) / 25 + (symmetric ? 0.5 : 1.0) * entries + 400;
  }
  return work;
}

std::vector<double> front_work_of_gpu(const Fronts& fronts, bool symmetric) {
  std::vector<double> work(fronts.size());
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const double p = static_cast<double>(fronts.pivots(s));
    const double m = static_cast<double>(fronts.border_size(s));
    const double entries = p * p + (symmetric ? 1 : 2) * p * m;
    work[s] = 1e9 * (front_flops(fronts, s, symmetric) / gpu_tuning.sparse_flops_per_second +
                     entries * gpu_tuning.seconds_of_sparse_entry);
  }
  return work;
}

Index stack_peak(const Fronts& fronts, std::span<const LocalIndex> in_order,
                 const std::vector<bool>& elsewhere, bool symmetric) {
  const auto block = [&](LocalIndex s) {
    return elsewhere[s] ? 0 : BorderBlock(fronts.border_size(s), symmetric).size();
  };
  Index live = 0, peak = 0;
  for (const LocalIndex s : in_order) {
    live += block(s);
    peak = std::max(peak, live);
    for (const LocalIndex child : fronts.children_of(s)) live -= block(child);
  }
  return peak;
}

}  // namespace spsolve::sparse
