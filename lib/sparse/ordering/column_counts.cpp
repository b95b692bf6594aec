#include "sparse/ordering/column_counts.hpp"

#include <algorithm>
#include <numeric>

#include "sparse/ordering/elimination_tree.hpp"

namespace spsolve::inline sparse {

namespace {

constexpr LocalIndex none = -1;

/// Rows above a subtree that have entries in it, ascending, and the last of their leaves there.
struct RowsAbove {
  std::vector<LocalIndex> rows, last_leaf;
};

/// Leaves of row subtrees tell where a row's entries in L begin and where its paths meet.
class ColumnCounts {
 public:
  ColumnCounts(const PlacedGraph& graph, const std::vector<LocalIndex>& parent)
      : graph_(graph),
        parent_(parent),
        first_(parent.size()),
        previous_leaf_(parent.size(), none),
        set_(parent.size()),
        counts_(parent.size(), 0) {}

  std::vector<Index> run() {
    const LocalIndex n = graph_.size();
    std::iota(first_.begin(), first_.end(), 0);
    std::iota(set_.begin(), set_.end(), 0);
    for (LocalIndex j = 0; j < n; ++j) {
      if (first_[j] == j) counts_[j] = graph_.weight(j);  // a leaf of the tree
      if (parent_[j] != none) first_[parent_[j]] = std::min(first_[parent_[j]], first_[j]);
    }
    const std::vector<PlaceRange> subtrees = subtrees_to_share(parent_);
    std::vector<RowsAbove> above(subtrees.size());
#pragma omp parallel for schedule(dynamic) if (!subtrees.empty())
    for (std::size_t s = 0; s < subtrees.size(); ++s) above[s] = count_within(subtrees[s]);
    walk_around(
        subtrees, n, [&](LocalIndex j) { count(j); },
        [&](std::size_t s) {
          join(above[s]);
          leave(subtrees[s].end - 1);
        });
    sum_up(subtrees);
    return std::move(counts_);
  }

 private:
  /// Row i has an entry in column j, where it had its last leaf at `previous`.
  void take(LocalIndex j, LocalIndex i, LocalIndex& previous) {
    if (previous != none) {
      if (first_[j] <= first_[previous]) return;
      counts_[meeting(previous)] -= graph_.weight(i);
    }
    counts_[j] += graph_.weight(i);
    previous = j;
  }

  /// All that is below j has been walked through.
  void leave(LocalIndex j) {
    if (parent_[j] == none) return;
    counts_[parent_[j]] -= graph_.weight(j);
    set_[j] = parent_[j];
  }

  void count(LocalIndex j) {
    for (const LocalIndex i : graph_.of(j)) {
      if (i > j) take(j, i, previous_leaf_[i]);
    }
    leave(j);
  }

  /// The subtree but for what its root does to those above.
  RowsAbove count_within(const PlaceRange& subtree) {
    RowsAbove above;
    for (LocalIndex j = subtree.first; j < subtree.end; ++j) {
      for (const LocalIndex i : graph_.of(j)) {
        if (i >= subtree.end) above.rows.push_back(i);
      }
    }
    std::ranges::sort(above.rows);
    above.rows.erase(std::unique(above.rows.begin(), above.rows.end()), above.rows.end());
    above.last_leaf.assign(above.rows.size(), none);
    for (LocalIndex j = subtree.first; j < subtree.end; ++j) {
      for (const LocalIndex i : graph_.of(j)) {
        if (i <= j) continue;
        const auto place = [&] {
          return std::ranges::lower_bound(above.rows, i) - above.rows.begin();
        };
        take(j, i, i < subtree.end ? previous_leaf_[i] : above.last_leaf[place()]);
      }
      if (j + 1 < subtree.end) leave(j);
    }
    return above;
  }

  /// After what comes before the subtree, and before its root is left: where a row's paths out of
  /// the subtree meet those before.
  void join(const RowsAbove& above) {
    for (std::size_t k = 0; k < above.rows.size(); ++k) {
      LocalIndex& previous = previous_leaf_[above.rows[k]];
      if (previous != none) counts_[meeting(previous)] -= graph_.weight(above.rows[k]);
      previous = above.last_leaf[k];
    }
  }

  void sum_up(const std::vector<PlaceRange>& subtrees) {
    const auto add = [&](LocalIndex j) {
      if (parent_[j] != none) counts_[parent_[j]] += counts_[j];
    };
#pragma omp parallel for schedule(dynamic) if (!subtrees.empty())
    for (const PlaceRange& subtree : subtrees) {
      for (LocalIndex j = subtree.first; j + 1 < subtree.end; ++j) add(j);
    }
    walk_around(subtrees, graph_.size(), add, [&](std::size_t s) { add(subtrees[s].end - 1); });
  }

  /// The lowest ancestor of `leaf` whose subtree is not walked through yet.
  LocalIndex meeting(LocalIndex leaf) {
    LocalIndex root = leaf;
    while (set_[root] != root) root = set_[root];
    while (set_[leaf] != root && leaf != root) {
      const LocalIndex next = set_[leaf];
      set_[leaf] = root;
      leaf = next;
    }
    return root;
  }

  const PlacedGraph& graph_;
  const std::vector<LocalIndex>& parent_;
  std::vector<LocalIndex> first_;          // first descendant in postorder
  std::vector<LocalIndex> previous_leaf_;  // of a row's subtree
  std::vector<LocalIndex> set_;
  std::vector<Index> counts_;
};

}  // namespace

std::vector<Index> column_counts(const PlacedGraph& graph, const std::vector<LocalIndex>& parent) {
  return ColumnCounts(graph, parent).run();
}

}  // namespace spsolve::sparse
