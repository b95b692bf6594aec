#pragma once

#include <array>
#include <vector>

#include "cuda/sparse/fronts/front_writer.hpp"
#include "cuda/sparse/ranks/team_program.hpp"

namespace spsolve::cuda::inline sparse {

/// Where a rank's parts of a shared front lie.
struct ParallelFrontLayout {
  LocalIndex front = 0;
  PanelLayout layout;
  std::vector<int> panel;           ///< of each block of pivots, its place; -1: another rank's
  std::vector<Index> contribution;  ///< of each block of the border, in the arena; likewise
  Index chunk = 0, elements = 0;    ///< of the whole contribution block
};

/// Room in the arena for panels of other ranks, which take turns.
using PanelBuffers = std::array<Range, panel_buffers>;

/// Writes how a rank takes part in the elimination of fronts that it shares. The chain that others
/// wait for is short: a panel is updated by the one before it, part by part as that comes in, and
/// eliminated, while the main lane is still late with the updates by earlier panels; and its first
/// columns travel while its last ones are eliminated.
class PanelWriter {
 public:
  /// Goes on with `program`, whose places are there.
  PanelWriter(const TreePartition& tree, Factorization kind, TeamProgram& program);

  /// All panels of a front that all is assembled in.
  void eliminate(const ParallelFrontLayout& of, const PanelBuffers& buffers);

 private:
  /// A panel, or some columns of it, as updates read it.
  struct Panel {
    Index block = 0, lower = 0, upper = 0;
    int ld = 0, pivots = 0;
  };
  /// Panels of a front that are on their way, or read.
  struct Pipeline {
    const PanelBuffers& buffers;
    int read[panel_buffers] = {};  // events: nothing reads what is in the buffer
    Panel before;                  // the panel that was started last
    std::vector<int> arrived;      // events of its parts
    int updated = 0;               // event: the next own panel is updated by all before that
  };

  bool symmetric() const { return kind_ != Factorization::lu; }
  Panel panel_of(const ParallelFrontLayout& of, Index block, const PanelBuffers& buffers) const;
  static Panel part_of(const Panel& panel, const Range& columns);
  std::vector<Range> parts_of(const Panel& panel) const;
  void update_panel(const ParallelFrontLayout& of, const Panel& by, Index block);
  void update_border(const ParallelFrontLayout& of, const Panel& by, Index block);
  void update(const ParallelFrontLayout& of, const Panel& by, Index block);
  void finish_updates(StreamLane lane);
  void finish_launches(StreamLane lane);
  int signal(StreamLane lane);
  void await(StreamLane lane, int event);
  void broadcast(const ParallelFrontLayout& of, const Panel& part);
  void start_panel(const ParallelFrontLayout& of, Index block, Pipeline& line);
  void eliminate_alone(const ParallelFrontLayout& of, const PanelBuffers& buffers);

  const TreePartition& tree_;
  Factorization kind_;
  TeamProgram& program_;
  FrontWriter writer_;
  Index launched_;  // launches that steps have
  int next_event_ = 0;
};

}  // namespace spsolve::cuda::sparse
