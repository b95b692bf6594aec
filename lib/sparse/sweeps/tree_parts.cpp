#include "sparse/sweeps/tree_parts.hpp"

#include <algorithm>
#include <numeric>

namespace spsolve::inline sparse {

std::vector<TreePart> tree_parts(const Fronts& fronts, const Schedule& schedule,
                                 const std::vector<double>& work, double share) {
  std::vector<LocalIndex> roots = schedule.subtrees;
  std::sort(roots.begin(), roots.end());
  std::vector<double> of_root(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto begin = work.begin();
    of_root[i] =
        std::accumulate(begin + fronts.first_of_subtree[roots[i]], begin + roots[i] + 1, 0.0);
  }
  double all = std::accumulate(of_root.begin(), of_root.end(), 0.0);
  for (const LocalIndex s : schedule.upper) all += work[s];
  std::vector<TreePart> parts;
  std::vector<double> of_part;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const LocalIndex first = fronts.first_of_subtree[roots[i]];
    const bool joins = !parts.empty() && parts.back().last + 1 == first &&
                       of_part.back() + of_root[i] <= share * all;
    if (!joins) {
      parts.push_back({first, 0, {}});
      of_part.push_back(0);
    }
    parts.back().last = roots[i];
    of_part.back() += of_root[i];
    const auto border = fronts.border_of(roots[i]);
    parts.back().border.insert(parts.back().border.end(), border.begin(), border.end());
  }
  for (TreePart& part : parts) {
    std::sort(part.border.begin(), part.border.end());
    part.border.erase(std::unique(part.border.begin(), part.border.end()), part.border.end());
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return of_part[a] > of_part[b]; });
  std::vector<TreePart> sorted;
  sorted.reserve(parts.size());
  for (const std::size_t i : order) sorted.push_back(std::move(parts[i]));
  return sorted;
}

}  // namespace spsolve::sparse
