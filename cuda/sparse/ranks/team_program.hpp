#pragma once

#include <vector>

#include "cuda/sparse/fronts/elimination_program.hpp"
#include "cuda/sparse/ranks/share_kernels.hpp"
#include "sparse/ranks/panels.hpp"

namespace spsolve::cuda::inline sparse {

/// A piece of the arena that goes to a rank of a team, or comes from one.
struct ArenaPart {
  int rank = 0;
  Index begin = 0, elements = 0;
};

/// Messages of a rank with others that share a front, of the team at this depth.
struct ShareExchange {
  int depth = 0;
  std::vector<ArenaPart> outgoing, incoming;
};

/// Columns of a panel on their way to all ranks of a front's team.
struct PanelBroadcast {
  int depth = 0;
  int rank = 0;        ///< the one that has them
  Range lower, upper;  ///< of the arena; nothing of `upper` where that is the same
};

/// A panel of a rank, and its place among all.
struct OwnPanel {
  LocalIndex front = 0;
  Index block = 0;
  int place = 0;
};

/// The lanes of work that go on side by side on a GPU: all work that is not named; work that leads
/// to the next panel, which others wait for; and panels that travel.
enum class StreamLane { main, panel, travel };

/// One piece of work of a rank's elimination with others.
struct TeamStep {
  enum class What {
    launch,     ///< steps begin ... end of the launches
    clear,      ///< elements begin ... end of the arena
    move,       ///< tiles begin ... end of the shares
    exchange,   ///< number `begin`
    broadcast,  ///< number `begin`
    signal,     ///< event `begin` is what the lane came to
    await,      ///< the lane waits for event `begin`
  };
  What what;
  Index begin = 0, end = 0;
  StreamLane lane = StreamLane::main;
};

/// The part of a rank in an elimination that the GPUs of a team share: its own fronts as
/// write_program() has them; then, front by front, those that it shares with others: children's
/// shares come together, and panel by panel its owner eliminates it and tells the others, which
/// update their columns. Panels are first in everything: columns of one travel while the next ones
/// of it are eliminated, and as soon as they have come the rank of the next panel takes them in,
/// concurrently with the updates by the panels before.
struct TeamProgram {
  static constexpr int lanes = 3;    ///< that Lane has
  static constexpr int events = 64;  ///< that take turns

  TeamProgram(const TreePartition& tree, Factorization kind);

  DeviceLayout layout;  ///< own fronts, and after them panels, which are in no level
  EliminationProgram launches;
  std::vector<TeamStep> steps;
  std::vector<FrontMove> moves;
  std::vector<ShareTile> tiles;
  std::vector<ShareExchange> exchanges;
  std::vector<PanelBroadcast> broadcasts;
  std::vector<OwnPanel> panels;       ///< in the order in which they are eliminated
  Range panel_elements;               ///< of the arena, where they lie
  std::vector<int> places_in_parent;  ///< of own fronts, of subtrees and of shared fronts
};

}  // namespace spsolve::cuda::sparse
