#include "cuda/sparse/ranks/team_program.hpp"

#include <algorithm>
#include <optional>

#include "cuda/sparse/ranks/panel_writer.hpp"
#include "sparse/dissection/first_fit_allocator.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

using What = TeamStep::What;

class TeamWriter {
 public:
  TeamWriter(const TreePartition& tree, Factorization kind, TeamProgram& program)
      : tree_(tree), kind_(kind), program_(program), allocator_(0), shared_(tree.shared.size()) {}

  void write() {
    program_.layout = lay_out_fronts(tree_.own(), kind_);
    program_.launches = write_program(program_.layout, kind_);
    lay_out_panels();
    list_places();
    program_.steps.push_back({What::launch, 0, std::ssize(program_.launches.steps)});
    panels_.emplace(tree_, kind_, program_);
    for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
      if (tree_.teams[s].holds(tree_.rank)) write_front(s);
    }
    program_.layout.elements = allocator_.end();
  }

 private:
  bool symmetric() const { return kind_ != Factorization::lu; }

  void lay_out_panels() {
    Index next = aligned(program_.layout.elements);
    Index border = std::ssize(tree_.own().border);
    program_.panel_elements.first = next;
    for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
      if (!tree_.teams[s].holds(tree_.rank)) continue;
      ParallelFrontLayout& shared = shared_[s];
      const ColumnBlocks blocks = tree_.blocks(s);
      shared.front = s;
      shared.layout = PanelLayout(kind_, blocks);
      shared.panel.assign(blocks.pivot_blocks(), -1);
      for (Index b = 0; b < blocks.pivot_blocks(); ++b) {
        if (!tree_.owns(s, b)) continue;
        FrontLayout front_layout = shared.layout.panel(b);
        next = lay_out_factors_at(next, kind_, front_layout);
        front_layout.first =
            tree_.own().order() + tree_.shared.first[s] + static_cast<int>(blocks.begin(b));
        front_layout.border_begin = border;
        border += front_layout.border;
        shared.panel[b] = static_cast<int>(program_.layout.fronts.size());
        program_.panels.push_back({s, b, shared.panel[b]});
        program_.layout.fronts.push_back(front_layout);
      }
    }
    program_.panel_elements.last = next;
    allocator_ = FirstFitAllocator(next);
  }

  void list_places() {
    const auto add = [&](const std::vector<LocalIndex>& list) {
      const Index first = std::ssize(program_.places_in_parent);
      program_.places_in_parent.insert(program_.places_in_parent.end(), list.begin(), list.end());
      return first;
    };
    add(tree_.own().in_parent);
    subtree_root_positions_ = add(tree_.root_positions);
    shared_positions_ = add(tree_.shared.in_parent);
  }

  /// Room for so many values, until it is given back.
  Range allocate(Index elements) {
    const Index begin = allocator_.allocate(aligned(elements));
    return {begin, begin + elements};
  }
  void release(const Range& range) { allocator_.release(range.first, aligned(range.size())); }

  void write_front(LocalIndex s) {
    lay_out_contributions(s);
    const std::vector<TreePartition::ContributingChild> children = tree_.contributing_children(s);
    for (const std::span<const TreePartition::ContributingChild> batch :
         TreePartition::batches(children)) {
      extend_add(s, batch);
    }
    for (const TreePartition::ContributingChild& child : children) {
      if (child.shared < 0 || shared_[child.shared].elements == 0) continue;
      const ParallelFrontLayout& below = shared_[child.shared];
      release({below.chunk, below.chunk + below.elements});
    }
    eliminate(s);
  }

  void eliminate(LocalIndex s) {
    const PanelLayout& layout = shared_[s].layout;
    PanelBuffers buffers;
    if (!layout.blocks().shares()) return panels_->eliminate(shared_[s], buffers);
    for (Range& buffer : buffers) buffer = allocate(factor_elements(kind_, layout.panel(0)));
    panels_->eliminate(shared_[s], buffers);
    for (const Range& buffer : buffers) release(buffer);
  }

  void lay_out_contributions(LocalIndex s) {
    ParallelFrontLayout& shared = shared_[s];
    const ColumnBlocks& blocks = shared.layout.blocks();
    shared.contribution.assign(blocks.size() - blocks.pivot_blocks(), -1);
    for (Index b = blocks.pivot_blocks(); b < blocks.size(); ++b) {
      if (!tree_.owns(s, b)) continue;
      shared.contribution[b - blocks.pivot_blocks()] = shared.elements;
      shared.elements += shared.layout.contribution(b).elements();
    }
    if (shared.elements == 0) return;
    const Range chunk = allocate(shared.elements);
    shared.chunk = chunk.first;
    for (Index& place : shared.contribution) {
      if (place >= 0) place += chunk.first;
    }
    program_.steps.push_back({What::clear, chunk.first, chunk.last});
  }

  Index contribution(LocalIndex s, Index block) const {
    return shared_[s].contribution[block - shared_[s].layout.blocks().pivot_blocks()];
  }

  /// Takes a share that lies in this rank's memory by a move from there.
  void come_from_here(const TreePartition::ContributingChild& child, const FrontShare& share,
                      FrontMove& move) const {
    if (child.shared < 0) {
      const FrontLayout& front_layout = program_.layout.fronts[tree_.subtree_root[child.subtree]];
      move.ld_from = front_layout.ld_contribution;
      move.from = front_layout.contribution + share.rows.first +
                  share.columns.first * static_cast<Index>(move.ld_from);
      return;
    }
    const PanelLayout::ContributionColumns block =
        shared_[child.shared].layout.contribution(share.child_block);
    move.ld_from = block.ld;
    move.from = contribution(child.shared, share.child_block) + share.rows.first - block.first_row +
                (share.columns.first - block.first_column) * static_cast<Index>(block.ld);
  }

  void go_to_block(LocalIndex s, const TreePartition::ContributingChild& child,
                   const FrontShare& share, FrontMove& move) const {
    const ParallelFrontLayout& shared = shared_[s];
    const Index list = child.shared < 0
                           ? subtree_root_positions_ + tree_.root_position_starts[child.subtree]
                           : shared_positions_ + tree_.shared.border_starts[child.shared];
    move.row_places = list + share.rows.first;
    move.column_places = list + share.columns.first;
    move.pivots = shared.layout.pivots();
    move.symmetric = symmetric();
    move.below = static_cast<int>(share.rows.first - share.columns.first);
    if (share.part == FrontShare::Target::contribution) {
      const PanelLayout::ContributionColumns block = shared.layout.contribution(share.block);
      move.what = FrontMove::add_contribution;
      move.to = contribution(s, share.block);
      move.ld_to = block.ld;
      move.base_row = shared.layout.pivots() + block.first_row;
      move.base_column = shared.layout.pivots() + block.first_column;
      return;
    }
    const FrontLayout& panel = program_.layout.fronts[shared.panel[share.block]];
    const bool lower = share.part == FrontShare::Target::lower;
    move.what = lower ? FrontMove::add_lower : FrontMove::add_upper;
    move.to = lower ? panel.lower : panel.upper;
    move.ld_to = panel.ld;
    move.base_row = move.base_column = static_cast<int>(shared.layout.blocks().begin(share.block));
    move.gap = shared.layout.gap();
  }

  void add_move(const FrontMove& move) {
    const int number = static_cast<int>(program_.moves.size());
    program_.moves.push_back(move);
    for (int column = 0; column * share_tile < move.columns; ++column) {
      for (int row = 0; row * share_tile < move.rows; ++row) {
        program_.tiles.push_back({number, row, column});
      }
    }
  }

  void finish_moves(Index begin) {
    const Index end = std::ssize(program_.tiles);
    if (begin < end) program_.steps.push_back({What::move, begin, end});
  }

  /// Contribution blocks of some children travel from their owners to the owners of the blocks that
  /// they are added to.
  void extend_add(LocalIndex s, std::span<const TreePartition::ContributingChild> children) {
    const std::vector<FrontShare> shares = shares_of(tree_, s, children);
    const RankRange range = tree_.teams[s];
    const int me = tree_.rank;
    std::vector<Index> leaving(range.count, 0), coming(range.count, 0);
    for (const FrontShare& share : shares) {
      if (share.from == share.to) continue;
      if (share.from == me) leaving[share.to - range.first] += share.elements();
      if (share.to == me) coming[share.from - range.first] += share.elements();
    }
    ShareExchange exchange;
    exchange.depth = tree_.depth[s];
    const auto place = [&](const std::vector<Index>& sizes, std::vector<ArenaPart>& parts) {
      std::vector<Index> begin(sizes.size(), 0);
      for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
        if (sizes[rank] == 0) continue;
        begin[rank] = allocate(sizes[rank]).first;
        parts.push_back({static_cast<int>(rank), begin[rank], sizes[rank]});
      }
      return begin;
    };
    std::vector<Index> out = place(leaving, exchange.outgoing);
    std::vector<Index> in = place(coming, exchange.incoming);
    const auto move_of = [](const FrontShare& share) {
      FrontMove move;
      move.rows = static_cast<int>(share.rows.size());
      move.columns = static_cast<int>(share.columns.size());
      return move;
    };
    Index tiles = std::ssize(program_.tiles);
    for (const FrontShare& share : shares) {
      if (share.from != me || share.to == me) continue;
      FrontMove move = move_of(share);
      come_from_here(children[share.child], share, move);
      Index& next = out[share.to - range.first];
      move.to = next;
      move.ld_to = move.rows;
      next += share.elements();
      add_move(move);
    }
    finish_moves(tiles);
    if (!exchange.outgoing.empty() || !exchange.incoming.empty()) {
      program_.steps.push_back({What::exchange, std::ssize(program_.exchanges), 0});
      program_.exchanges.push_back(exchange);
    }
    for (std::size_t i = 0; i < shares.size();) {
      tiles = std::ssize(program_.tiles);
      const std::size_t child = shares[i].child;
      for (; i < shares.size() && shares[i].child == child; ++i) {
        const FrontShare& share = shares[i];
        if (share.to != me) continue;
        FrontMove move = move_of(share);
        if (share.from == me) {
          come_from_here(children[child], share, move);
        } else {
          Index& next = in[share.from - range.first];
          move.from = next;
          move.ld_from = move.rows;
          next += share.elements();
        }
        go_to_block(s, children[child], share, move);
        add_move(move);
      }
      finish_moves(tiles);
    }
    for (const std::vector<ArenaPart>* parts : {&exchange.outgoing, &exchange.incoming}) {
      for (const ArenaPart& part : *parts) release({part.begin, part.begin + part.elements});
    }
  }

  const TreePartition& tree_;
  Factorization kind_;
  TeamProgram& program_;
  FirstFitAllocator allocator_;
  std::optional<PanelWriter> panels_;
  std::vector<ParallelFrontLayout> shared_;
  Index subtree_root_positions_ = 0, shared_positions_ = 0;
};

}  // namespace

TeamProgram::TeamProgram(const TreePartition& tree, Factorization kind) {
  TeamWriter(tree, kind, *this).write();
}

}  // namespace spsolve::cuda::sparse
