#include "cuda/sparse/ranks/panel_writer.hpp"

#include <algorithm>

namespace spsolve::cuda::inline sparse {

namespace {

using What = TeamStep::What;

}  // namespace

PanelWriter::PanelWriter(const TreePartition& tree, Factorization kind, TeamProgram& program)
    : tree_(tree),
      kind_(kind),
      program_(program),
      writer_(program.layout.fronts, kind, program.launches),
      launched_(std::ssize(program.launches.steps)) {}

PanelWriter::Panel PanelWriter::panel_of(const ParallelFrontLayout& of, Index block,
                                         const PanelBuffers& buffers) const {
  FrontLayout front_layout = of.layout.panel(block);
  if (tree_.owns(of.front, block)) {
    front_layout = program_.layout.fronts[of.panel[block]];
  } else {
    lay_out_factors_at(buffers[block % panel_buffers].first, kind_, front_layout);
  }
  return {block, front_layout.lower, front_layout.upper, front_layout.ld, front_layout.pivots};
}

PanelWriter::Panel PanelWriter::part_of(const Panel& panel, const Range& columns) {
  const Index begin = columns.first * panel.ld;
  return {panel.block, panel.lower + begin, panel.upper + begin, panel.ld,
          static_cast<int>(columns.size())};
}

/// The columns of a panel that travel together.
std::vector<Range> PanelWriter::parts_of(const Panel& panel) const {
  std::vector<Range> parts;
  for (Index first = 0; first < panel.pivots; first += tree_.rule.part) {
    parts.push_back({first, std::min<Index>(first + tree_.rule.part, panel.pivots)});
  }
  return parts;
}

/// Takes a panel's part off another one of this rank.
void PanelWriter::update_panel(const ParallelFrontLayout& of, const Panel& by, Index block) {
  const FrontLayout& front_layout = program_.layout.fronts[of.panel[block]];
  const int row = of.layout.row_in(by.block, of.layout.blocks().begin(block));
  FrontProduct product;
  product.lda = product.ldb = by.ld;
  product.ldc = product.m = front_layout.ld;
  product.n = front_layout.pivots;
  product.k = by.pivots;
  product.a = by.lower + row;
  product.b = by.upper + row;
  product.c = front_layout.lower;
  writer_.update(product, 0);
  if (symmetric()) return;
  std::swap(product.a, product.b);
  product.c = front_layout.upper;
  writer_.update(product, 1);
}

void PanelWriter::update_border(const ParallelFrontLayout& of, const Panel& by, Index block) {
  const PanelLayout::ContributionColumns columns = of.layout.contribution(block);
  const int row = of.layout.row_in(by.block, of.layout.pivots());
  FrontProduct product;
  product.lda = product.ldb = by.ld;
  product.ldc = columns.ld;
  product.m = of.layout.border() - columns.first_row;
  product.n = columns.columns;
  product.k = by.pivots;
  product.a = by.lower + row + columns.first_row;
  product.b = by.upper + row + columns.first_column;
  product.c = of.contribution[block - of.layout.blocks().pivot_blocks()];
  writer_.update(product, symmetric() ? 0 : -product.n);
}

/// Updates any block by a panel.
void PanelWriter::update(const ParallelFrontLayout& of, const Panel& by, Index block) {
  if (of.layout.blocks().is_border(block)) {
    update_border(of, by, block);
  } else {
    update_panel(of, by, block);
  }
}

void PanelWriter::finish_launches(StreamLane lane) {
  const Index end = std::ssize(program_.launches.steps);
  if (launched_ < end) program_.steps.push_back({What::launch, launched_, end, lane});
  launched_ = end;
}

void PanelWriter::finish_updates(StreamLane lane) {
  writer_.finish_updates();
  finish_launches(lane);
}

/// The number of the event that the lane comes to.
int PanelWriter::signal(StreamLane lane) {
  const int event = next_event_++ % TeamProgram::events;
  program_.steps.push_back({What::signal, event, 0, lane});
  return event;
}

void PanelWriter::await(StreamLane lane, int event) {
  program_.steps.push_back({What::await, event, 0, lane});
}

void PanelWriter::broadcast(const ParallelFrontLayout& of, const Panel& part) {
  const Index elements = part.pivots * static_cast<Index>(part.ld);
  PanelBroadcast message;
  message.depth = tree_.depth[of.front];
  message.rank = of.layout.blocks().owner(part.block);
  message.lower = {part.lower, part.lower + elements};
  if (part.upper != part.lower) message.upper = {part.upper, part.upper + elements};
  program_.steps.push_back(
      {What::broadcast, std::ssize(program_.broadcasts), 0, StreamLane::travel});
  program_.broadcasts.push_back(message);
}

/// The panel is updated by the one before, as that comes in, eliminated by its rank, and sent to
/// the others, in parts.
void PanelWriter::start_panel(const ParallelFrontLayout& of, Index block, Pipeline& line) {
  const bool own = tree_.owns(of.front, block);
  const Panel panel = panel_of(of, block, line.buffers);
  if (own) {
    await(StreamLane::panel, line.updated);
    const std::vector<Range> before = block > 0 ? parts_of(line.before) : std::vector<Range>{};
    for (std::size_t i = 0; i < before.size(); ++i) {
      await(StreamLane::panel, line.arrived[i]);
      update_panel(of, part_of(line.before, before[i]), block);
      finish_updates(StreamLane::panel);
    }
  } else {
    await(StreamLane::travel, line.read[block % panel_buffers]);
  }
  line.arrived.clear();
  for (const Range& columns : parts_of(panel)) {
    if (own) {
      const Range blocks{columns.first / pivot_block,
                         (columns.last + pivot_block - 1) / pivot_block};
      writer_.eliminate_pivots({of.panel[block]}, blocks);
      finish_launches(StreamLane::panel);
      line.arrived.push_back(signal(StreamLane::panel));
      await(StreamLane::travel, line.arrived.back());
    }
    broadcast(of, part_of(panel, columns));
    if (!own) line.arrived.push_back(signal(StreamLane::travel));
  }
  line.before = panel;
}

/// A front that is one rank's, but for what comes from others.
void PanelWriter::eliminate_alone(const ParallelFrontLayout& of, const PanelBuffers& buffers) {
  if (!tree_.owns(of.front, 0)) return;
  writer_.eliminate_pivots({of.panel[0]});
  const Panel by = panel_of(of, 0, buffers);
  for (Index block = 1; block < of.layout.blocks().size(); ++block) update(of, by, block);
  finish_updates(StreamLane::main);
}

void PanelWriter::eliminate(const ParallelFrontLayout& of, const PanelBuffers& buffers) {
  const ColumnBlocks& blocks = of.layout.blocks();
  const Index count = blocks.pivot_blocks();
  if (count == 0) return;
  if (!blocks.shares()) return eliminate_alone(of, buffers);
  Pipeline line{buffers, {}, {}, {}, 0};
  line.updated = signal(StreamLane::main);
  std::fill(std::begin(line.read), std::end(line.read), line.updated);
  start_panel(of, 0, line);
  for (Index b = 0; b < count; ++b) {
    const Panel by = line.before;
    const int arrived = line.arrived.back();
    if (b + 1 < count) start_panel(of, b + 1, line);
    await(StreamLane::main, arrived);
    // The panel lane waits for the block after the next.
    if (b + 2 < count && tree_.owns(of.front, b + 2)) {
      update_panel(of, by, b + 2);
      finish_updates(StreamLane::main);
      line.updated = signal(StreamLane::main);
    }
    for (Index other = std::min(b + 3, count); other < blocks.size(); ++other) {
      if (tree_.owns(of.front, other)) update(of, by, other);
    }
    finish_updates(StreamLane::main);
    line.read[b % panel_buffers] = signal(StreamLane::main);
  }
  await(StreamLane::main, signal(StreamLane::travel));
}

}  // namespace spsolve::cuda::sparse
