#include "sparse/layout/elementwise_assembly.hpp"

#include <algorithm>
#include <utility>

#include "sparse/layout/device_layout.hpp"

namespace spsolve::inline sparse {

namespace {

/// Rows of a border that is small, and how many of such children are many.
constexpr LocalIndex small_border = 12, many_children = 12;

bool has_small_border(const Fronts& fronts, LocalIndex child) {
  return fronts.border_size(child) <= small_border;
}

/// Children of a front that are not assembled one by one.
Index count_elementwise(const Fronts& fronts, LocalIndex s) {
  const auto children = fronts.children_of(s);
  if (std::ssize(children) < many_children) return 0;
  const auto count = std::count_if(children.begin(), children.end(), [&](LocalIndex child) {
    return has_small_border(fronts, child);
  });
  return count < many_children ? 0 : count;
}

/// Where entry (i, j) of the front lies before it is eliminated.
Index place_in(const FrontLayout& front, int i, int j) {
  const int p = front.pivots;
  if (front.is_small()) return i + j * Index{small_front_stride(p + front.border)};
  if (i >= p && j >= p) return front.contribution + i - p + (j - p) * Index{front.ld_contribution};
  if (j >= p || (i < p && i / pivot_block < j / pivot_block)) {
    return front.upper + front.place(front.row_of(j), i);
  }
  return front.lower + front.place(front.row_of(i), j);
}

class ElementwiseLister {
 public:
  ElementwiseLister(const Fronts& fronts, Factorization kind, std::vector<FrontLayout>& layouts,
                    ElementwiseAssembly& lists)
      : fronts_(fronts), symmetric_(kind != Factorization::lu), layouts_(layouts), lists_(lists) {}

  /// Adds the lists of front s, where it has many small children; early ones become the first of
  /// its children.
  void add(LocalIndex s) {
    FrontLayout& front = layouts_[s];
    if (front.early_children > 0) {
      std::stable_partition(lists_.children.begin() + front.child_begin,
                            lists_.children.begin() + front.child_end,
                            [&](LocalIndex child) { return layouts_[child].early; });
    }
    const Index count = count_elementwise(fronts_, s);
    if (count == 0) return;
    front.elementwise_children = static_cast<int>(count);
    const auto begin = lists_.children.begin() + fronts_.child_starts[s];
    const auto end = lists_.children.begin() + fronts_.child_starts[s + 1];
    const auto first = std::stable_partition(
        begin, end, [&](LocalIndex child) { return !has_small_border(fronts_, child); });
    pairs_.clear();
    for (auto child = first; child != end; ++child) add_pairs(front, *child);
    // Pairs of the same element stay in the order of the children.
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Pair& a, const Pair& b) { return a.first < b.first; });
    front.elementwise_begin = static_cast<int>(lists_.elements.size());
    for (const auto& [place, source] : pairs_) {
      const Index next = std::ssize(lists_.sources);
      const bool is_new = std::ssize(lists_.elements) == front.elementwise_begin ||
                          lists_.elements.back().place != place;
      if (is_new) lists_.elements.push_back({place, next, next});
      ++lists_.elements.back().end;
      lists_.sources.push_back(source);
    }
    front.elementwise_end = static_cast<int>(lists_.elements.size());
  }

 private:
  using Pair = std::pair<Index, Index>;  // an element's place, and a source's

  void add_pairs(const FrontLayout& front, LocalIndex child) {
    const FrontLayout& from = layouts_[child];
    const auto in_parent = fronts_.in_parent_of(child);
    for (int c = 0; c < from.border; ++c) {
      for (int r = symmetric_ ? c : 0; r < from.border; ++r) {
        pairs_.emplace_back(place_in(front, in_parent[r], in_parent[c]),
                            from.contribution + r + c * Index{from.ld_contribution});
      }
    }
  }

  const Fronts& fronts_;
  bool symmetric_;
  std::vector<FrontLayout>& layouts_;
  ElementwiseAssembly& lists_;
  std::vector<Pair> pairs_;
};

}  // namespace

ElementwiseAssembly list_elementwise_assembly(const Fronts& fronts, Factorization kind,
                                              const std::vector<LocalIndex>& by_level,
                                              const std::vector<Index>& level_starts,
                                              std::vector<FrontLayout>& layouts) {
  ElementwiseAssembly lists;
  lists.children = fronts.children;
  ElementwiseLister lister(fronts, kind, layouts, lists);
  for (std::size_t level = 0; level + 1 < level_starts.size(); ++level) {
    for (const bool small : {false, true}) {
      for (Index i = level_starts[level]; i < level_starts[level + 1]; ++i) {
        if (layouts[by_level[i]].is_small() == small) lister.add(by_level[i]);
      }
    }
  }
  return lists;
}

std::int64_t elementwise_assembly_bytes(const Fronts& fronts) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(AssembledElement) + sizeof(Index));
  std::int64_t count = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (count_elementwise(fronts, s) == 0) continue;
    for (const LocalIndex child : fronts.children_of(s)) {
      const Index border = fronts.border_size(child);
      if (border <= small_border) count += border * border;
    }
  }
  return count * bytes;
}

}  // namespace spsolve::sparse
