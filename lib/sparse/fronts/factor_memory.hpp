#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sparse/fronts/border_block.hpp"
#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/fronts.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

// The memory that a multifrontal factorisation takes: factors, and stacks of contribution blocks.

/// Bytes that a factorisation takes in addition to its matrix and its fronts.
struct FactorMemory {
  std::int64_t factors = 0;  ///< in memory
  std::int64_t on_disk = 0;  ///< of factors, all of them, or none
  std::int64_t stack = 0;    ///< of contribution blocks, and scratch of threads
  std::int64_t rest = 0;     ///< rows of pivots

  /// In memory.
  std::int64_t bytes() const { return factors + stack + rest; }
};

/// The bounds that a factorisation keeps its contribution blocks within. No bits depend on
/// `entries`.
struct StackBound {
  /// The entries of blocks that subtrees side by side may have at a time, where one after another
  /// they have fewer; 0: half of the factors, an eighth where fronts update their ancestors
  /// directly, or what is little anyhow.
  Index entries = 0;
  /// A front whose block has so many entries, and such a share of all factors, updates its
  /// ancestors directly, if blocks have stack_share of the factors at a time where front comes
  /// after front: those of a dense core have more than all of them, those of a grid a quarter, and
  /// would take a fifth more time so.
  Index least_direct = Index{1} << 19;
  double direct_share = 1.0 / 12;
  double stack_share = 0.5;
  /// Factors are in a file of this folder, in memory only what is worked with; empty: in memory.
  std::string factors_folder = {};

  static constexpr Index none_direct = std::numeric_limits<Index>::max();
};

/// How a factorisation is spread over threads; see Schedule.
Schedule factor_schedule(const Fronts& fronts, Factorization kind, int threads,
                         const StackBound& bound = {});

/// Bytes of values in T by that schedule.
FactorMemory factor_memory(const Fronts& fronts, Factorization kind, const Schedule& schedule,
                           std::size_t value_bytes, bool on_disk = false);

/// A bound, and the memory that a factorisation takes with it.
struct BoundedMemory {
  StackBound bound;
  FactorMemory memory;
  bool fits = false;
};

/// The bound with which a factorisation takes at most so many bytes, stacks no smaller than they
/// have to be for that; where it takes more anyway, that with which it takes least.
BoundedMemory bound_within(const Fronts& fronts, Factorization kind, int threads,
                           std::size_t value_bytes, std::int64_t most,
                           std::string factors_folder = {});

/// Entries of the factors of a front.
Index factor_entries(const Fronts& fronts, LocalIndex s, Factorization kind);

/// Whether the contribution block of a front is for others than these fronts.
bool contributes_outside(const Fronts& fronts, LocalIndex s);

/// Where the columns of the contribution block of a front lie: a triangle's, or those of LU's
/// square.
BorderBlock border_block(const Fronts& fronts, LocalIndex s, Factorization kind);

/// Columns of the border in a tile: a panel; of LU few enough tiles to be cheap, enough for all
/// threads.
Index border_piece(Index m, Factorization kind);

/// Where contribution blocks lie in one array, in entries, and scratch. Those of subtrees' roots
/// and of fronts above have places; a subtree's others are on a stack in an area that its thread
/// books before it enters it: for each of the first subtrees of a round, as many as threads, there
/// is one that is large enough for it and for all that follow them.
struct StackLayout {
  std::vector<Index> place;            ///< of each front's block; -1 for those in areas
  std::vector<Index> area, area_size;  ///< of each of the first subtrees; others have -1 and 0
  std::vector<Index> stack_size;       ///< of each subtree
  std::vector<int> round;              ///< of each subtree
  Index size = 0, root_contributions = 0;
  Index lane_scratch = 0, upper_scratch = 0;
};

StackLayout stack_layout(const Fronts& fronts, Factorization kind, const Schedule& schedule);

}  // namespace spsolve::sparse
