#include "cuda/sparse/ranks/team_lists.hpp"

#include <numeric>

#include "core/error.hpp"

namespace spsolve::cuda::inline sparse {

std::vector<SharedBlock> shared_blocks(const TreePartition& tree, const TeamProgram& program) {
  std::vector<SharedBlock> all;
  std::size_t panel = 0;
  for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
    if (!tree.teams[s].holds(tree.rank)) continue;
    const ColumnBlocks blocks = tree.blocks(s);
    for (Index b = 0; b < blocks.pivot_blocks(); ++b) {
      SharedBlock block{tree.depth[s], blocks.owner(b), tree.shared.first[s] + blocks.begin(b),
                        blocks.end(b) - blocks.begin(b), -1};
      if (tree.owns(s, b)) {
        block.piece = static_cast<int>(++panel);  // after that of the own fronts
      }
      all.push_back(block);
    }
  }
  if (panel != program.panels.size()) fail(ExitCode::internal, "panels are not those of blocks");
  return all;
}

std::vector<LocalIndex> borders_of(const TreePartition& tree, const TeamProgram& program) {
  std::vector<LocalIndex> all = tree.own().border;
  for (const OwnPanel& panel : program.panels) {
    const std::vector<LocalIndex> border = panel_border(tree, panel.front, panel.block);
    all.insert(all.end(), border.begin(), border.end());
  }
  return all;
}

PanelEntries entries_of(const TreePartition& tree, const TeamProgram& program) {
  PanelEntries all;
  all.starts = tree.own_entries().starts;
  const Index before = all.starts.back();
  LocalIndex front = -1;
  std::vector<std::vector<FrontEntry>> of_front;
  for (const OwnPanel& panel : program.panels) {
    if (panel.front != front) of_front = panel_entries(tree, panel.front);
    front = panel.front;
    const std::vector<FrontEntry>& own = of_front[panel.block];
    all.entries.insert(all.entries.end(), own.begin(), own.end());
    all.starts.push_back(before + std::ssize(all.entries));
  }
  return all;
}

ContributionLists contribution_lists(const TreePartition& tree, const TeamProgram& program,
                                     const std::vector<LocalIndex>& border) {
  const LocalIndex before = tree.own().order();
  ContributionLists all;
  all.starts.assign(tree.shared.order() + 2, 0);
  const auto each = [&](const auto& visit) {
    for (LocalIndex s = 0; s < tree.own().size(); ++s) {
      if (tree.own().parent[s] != -1) continue;
      for (Index k = tree.own().border_starts[s]; k < tree.own().border_starts[s + 1]; ++k) {
        visit(border[k] - before, k);
      }
    }
    for (const OwnPanel& panel : program.panels) {
      const FrontLayout& front_layout = program.layout.fronts[panel.place];
      for (int i = 0; i < front_layout.border; ++i) {
        const Index k = front_layout.border_begin + i;
        // A row in the gap names one that stands right before it.
        if (i > 0 && border[k] == border[k - 1]) continue;
        visit(border[k] - before, k);
      }
    }
  };
  each([&](LocalIndex row, Index) { ++all.starts[row + 2]; });
  std::partial_sum(all.starts.begin(), all.starts.end(), all.starts.begin());
  all.rows.resize(all.starts.back());
  each(
      [&](LocalIndex row, Index k) { all.rows[all.starts[row + 1]++] = static_cast<unsigned>(k); });
  return all;
}

std::vector<int> pieces_of(const TeamProgram& program) {
  std::vector<int> piece(program.layout.fronts.size(), 0);
  for (std::size_t i = 0; i < program.panels.size(); ++i) {
    piece[program.panels[i].place] = static_cast<int>(i + 1);
  }
  return piece;
}

}  // namespace spsolve::cuda::sparse
