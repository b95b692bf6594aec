#include "sparse/ranks/panels.hpp"

#include <algorithm>

namespace spsolve::inline sparse {

FrontLayout PanelLayout::panel(Index block) const {
  FrontLayout layout;
  const int begin = static_cast<int>(blocks_.begin(block));
  const int end = static_cast<int>(blocks_.end(block));
  layout.pivots = end - begin;
  layout.border_row = aligned(layout.pivots);
  const bool last = end == pivots_;
  layout.border = border_ + (last ? 0 : aligned(pivots_) - end);
  layout.ld = layout.border_row + (last ? 0 : aligned(pivots_) - end) + aligned(border_);
  return layout;
}

PanelLayout::ContributionColumns PanelLayout::contribution(Index block) const {
  ContributionColumns of;
  of.first_column = static_cast<int>(blocks_.begin(block)) - pivots_;
  of.columns = static_cast<int>(blocks_.end(block) - blocks_.begin(block));
  of.first_row = kind_ == Factorization::lu ? 0 : of.first_column;
  of.ld = aligned(border_ - of.first_row);
  return of;
}

std::vector<FrontShare> shares_of(const TreePartition& tree, LocalIndex s,
                                  std::span<const TreePartition::ContributingChild> children) {
  const ColumnBlocks blocks = tree.blocks(s);
  const bool lu = tree.kind == Factorization::lu;
  std::vector<FrontShare> shares;
  /// A rectangle, by the ranks that have its columns.
  const auto add = [&](FrontShare share) {
    const TreePartition::ContributingChild& child = children[share.child];
    if (share.elements() == 0) return;
    if (child.shared < 0) {
      share.from = tree.subtree_rank[child.subtree];
      shares.push_back(share);
      return;
    }
    const ColumnBlocks of = tree.blocks(child.shared);
    const Index p = of.pivots();
    const Range all = share.columns;
    for (Index column = all.first; column < all.last; column = share.columns.last) {
      share.child_block = of.block_of(p + column);
      share.columns = {column, std::min(all.last, of.end(share.child_block) - p)};
      share.from = tree.teams[child.shared].first + of.owner(share.child_block);
      shares.push_back(share);
    }
  };
  for (std::size_t c = 0; c < children.size(); ++c) {
    const auto places = children[c].positions;
    const Index m = std::ssize(places);
    const auto from = [&](Index row) {
      return static_cast<Index>(std::ranges::lower_bound(places, row) - places.begin());
    };
    const Index inner = from(blocks.pivots());
    for (Index b = 0; b < blocks.size(); ++b) {
      const Range own{from(blocks.begin(b)), from(blocks.end(b))};
      FrontShare share;
      share.child = c;
      share.block = b;
      share.to = tree.teams[s].first + blocks.owner(b);
      share.columns = own;
      share.rows = {blocks.is_border(b) && lu ? inner : own.first, m};
      share.part =
          blocks.is_border(b) ? FrontShare::Target::contribution : FrontShare::Target::lower;
      add(share);
      if (!lu || blocks.is_border(b)) continue;
      share.part = FrontShare::Target::upper;
      share.rows = own;
      share.columns = {own.first, m};
      add(share);
    }
  }
  return shares;
}

namespace {

/// Elements that pass through a rank for a shared front: contribution blocks of its children, as
/// they leave and come; its own contribution block; panels of others.
struct OnTheWay {
  Index travels = 0, contribution = 0, panels = 0;
};

OnTheWay on_the_way(const TreePartition& tree, LocalIndex s) {
  const ColumnBlocks blocks = tree.blocks(s);
  const PanelLayout layout(tree.kind, blocks);
  OnTheWay all;
  const std::vector<TreePartition::ContributingChild> children = tree.contributing_children(s);
  for (const FrontShare& share : shares_of(tree, s, children)) {
    if (share.from == share.to) continue;
    if (share.from == tree.rank || share.to == tree.rank) all.travels += share.elements();
  }
  for (Index b = blocks.pivot_blocks(); b < blocks.size(); ++b) {
    if (!tree.owns(s, b)) continue;
    all.contribution += layout.contribution(b).elements();
  }
  if (blocks.shares()) all.panels = panel_buffers * factor_elements(tree.kind, layout.panel(0));
  return all;
}

}  // namespace

GpuFactorMemory gpu_memory_in_team(const TreePartition& tree) {
  constexpr auto value = static_cast<std::int64_t>(sizeof(double));
  GpuFactorMemory memory = gpu_factor_memory(tree.own(), tree.kind, tree.values(),
                                             std::ssize(tree.own_entries().entries));
  // Shared fronts follow each other; a child's contribution block stays until its parent has it.
  std::int64_t most = 0, borders = 0, border_parts = 0;
  std::vector<Index> contribution(tree.shared.size(), 0);
  for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
    if (!tree.teams[s].holds(tree.rank)) continue;
    const ColumnBlocks blocks = tree.blocks(s);
    const PanelLayout layout(tree.kind, blocks);
    for (Index b = 0; b < blocks.pivot_blocks(); ++b) {
      if (!tree.owns(s, b)) continue;
      const FrontLayout panel = layout.panel(b);
      memory.factors += factor_elements(tree.kind, panel) * value;
      borders += panel.border;
      border_parts = std::max(border_parts, pieces_of_border(panel.border) * panel.pivots);
    }
    const OnTheWay of = on_the_way(tree, s);
    contribution[s] = of.contribution;
    Index live = of.contribution + std::max(of.travels, of.panels);
    for (const LocalIndex child : tree.shared.children_of(s)) live += contribution[child];
    most = std::max(most, live * value);
  }
  constexpr std::int64_t share_of_gaps = 6;  // that blocks of other sizes leave
  memory.stack += most + most / share_of_gaps;
  memory.smaller_stacks = {};  // fronts are side by side here
  constexpr auto index = static_cast<std::int64_t>(sizeof(LocalIndex));
  memory.lists +=
      std::ssize(tree.shared_entries.entries) * static_cast<std::int64_t>(sizeof(FrontEntry)) +
      (4 * borders + std::ssize(tree.root_positions)) * index;
  memory.column += (3 * tree.shared.order() + borders + border_parts) * value;
  return memory;
}

std::vector<std::vector<FrontEntry>> panel_entries(const TreePartition& tree, LocalIndex s) {
  const ColumnBlocks blocks = tree.blocks(s);
  std::vector<std::vector<FrontEntry>> all(blocks.pivot_blocks());
  const PanelLayout layout(tree.kind, blocks);
  for (const FrontEntry& entry : tree.shared_entries.of(s)) {
    const Index block = blocks.block_of(std::min(entry.row, entry.column));
    const auto begin = static_cast<LocalIndex>(blocks.begin(block));
    const auto width = static_cast<LocalIndex>(blocks.end(block)) - begin;
    // Rows after the panel's pivots are of its border, where the gap counts.
    const auto in_panel = [&](LocalIndex row) {
      const LocalIndex behind = row - begin;
      return behind < width || row < layout.pivots() || begin + width == layout.pivots()
                 ? behind
                 : behind + layout.gap();
    };
    const LocalIndex row = in_panel(entry.row), column = in_panel(entry.column);
    if (column < width) {
      all[block].push_back({entry.source, row, column});
    } else {
      all[block].push_back({entry.source, column - width, ~row});
    }
  }
  return all;
}

std::vector<LocalIndex> panel_border(const TreePartition& tree, LocalIndex s, Index block) {
  const ColumnBlocks blocks = tree.blocks(s);
  const PanelLayout layout(tree.kind, blocks);
  const LocalIndex before = tree.own().order();
  const LocalIndex first = before + tree.shared.first[s];
  const LocalIndex end = first + layout.pivots();
  std::vector<LocalIndex> border;
  const bool last = blocks.end(block) == layout.pivots();
  for (auto row = first + static_cast<LocalIndex>(blocks.end(block)); row < end; ++row) {
    border.push_back(row);
  }
  if (!last) border.insert(border.end(), layout.gap(), end - 1);
  for (const LocalIndex row : tree.shared.border_of(s)) border.push_back(before + row);
  return border;
}

}  // namespace spsolve::sparse
