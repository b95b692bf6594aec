#pragma once

#include <vector>

#include "cuda/sparse/elimination_program.hpp"
#include "cuda/sparse/ranks/share_kernels.hpp"
#include "sparse/ranks/panels.hpp"

namespace spsolve::cuda {

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

/// A panel on its way to all ranks of a front's team.
struct PanelBroadcast {
  int depth = 0;
  ArenaPart panel;  ///< the rank: the one that has it
};

/// A panel of a rank, and its place among all.
struct OwnPanel {
  LocalIndex front = 0;
  Index block = 0;
  int place = 0;
};

/// One piece of work of a rank's elimination with others.
struct TeamStep {
  enum class What {
    launch,     ///< steps begin ... end of the launches
    clear,      ///< elements begin ... end of the arena
    move,       ///< tiles begin ... end of the shares
    exchange,   ///< number `begin`
    fork,       ///< what follows, up to join, goes side by side with what follows that
    broadcast,  ///< number `begin`
    unfork,     ///< back to what goes on beside
    join        ///< both are done
  };
  What what;
  Index begin = 0, end = 0;
};

/// What a rank does for an elimination that the GPUs of a team share: its own fronts as
/// write_program() has them; then, front by front, those that it shares with others: children's
/// shares come together, and panel by panel its owner eliminates it and tells the others, which
/// update their columns. The next panel goes first, beside the update by the one before it.
struct TeamProgram {
  TeamProgram(const RankTree& tree, Factorization kind);

  FrontPlaces places;  ///< own fronts, and behind them panels, which are in no level
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

}  // namespace spsolve::cuda
