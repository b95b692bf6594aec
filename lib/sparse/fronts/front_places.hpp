#pragma once

#include <cstdint>
#include <vector>

#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve {

/// Columns of a block of pivots: pivots are searched inside of one, and its triangles are inverted.
inline constexpr int pivot_block = 64;

/// Rows of the largest front that one thread block of a GPU eliminates in its shared memory.
inline constexpr int small_front = 64;

/// Right-hand sides that a solve on a GPU takes at a time, at most.
inline constexpr int most_sweep_columns = 16;

/// Where a front of p pivots and a border of m rows lies on a GPU, column-major, as offsets in
/// elements of one arena:
///
///     lower = ( L11 )   upper = ( U11^T )   passed_up, m x m
///             ( L21 )           ( U12^T )
///
/// Rows of the border begin at `border_row`, so that they are aligned where the front is large. Of
/// L11 and U11^T blocks below the diagonal ones are there. The diagonal blocks D_k = P_k^T L_k U_k
/// are kept inverted: lower has L_k^-1 P_k, upper U_k^-T. L L^T has no `upper` (it is lower), and
/// L D L^T has D L^T in the place of U.
struct FrontPlace {
  Index lower = 0, upper = 0, passed_up = 0;
  int pivots = 0, border = 0;
  int border_row = 0;                  ///< p, or a little more
  int ld = 0;                          ///< of lower and upper
  int ld_passed = 0;                   ///< of passed_up
  int first = 0;                       ///< position of its first pivot in the order of elimination
  int child_begin = 0, child_end = 0;  ///< in the list of children
  int parent = -1;
  Index border_begin = 0;  ///< in the lists of borders

  /// The number of its first row, where the rows of all fronts are counted one after another.
  constexpr Index first_row() const { return first + border_begin; }
  constexpr int blocks() const { return (pivots + pivot_block - 1) / pivot_block; }
  /// Whether one thread block eliminates it.
  constexpr bool is_small() const { return pivots + border <= small_front; }
};

/// All fronts of an elimination on a GPU.
struct FrontPlaces {
  std::vector<FrontPlace> places;
  /// Fronts by level; a parent's is higher than its children's.
  std::vector<LocalIndex> by_level;
  std::vector<Index> level_starts;  ///< levels + 1
  int low_levels = 0;               ///< those that are of subtrees of small fronts alone
  Index factor_elements = 0;        ///< of all lower and upper, from the arena's beginning
  Index elements = 0;               ///< of the arena

  int levels() const { return static_cast<int>(level_starts.size()) - 1; }
};

/// Places the fronts of a factorisation: factors first, what is passed up behind them, where each
/// level's blocks of one lifetime lie together and take the room of those whose parents are done.
/// Cost: linear in the fronts, also where they are a chain, but for sorting levels and looking for
/// gaps in the stack.
FrontPlaces place_fronts(const Fronts& fronts, Factorization kind);

/// Bytes that a sparse elimination takes of a GPU's memory beside its matrix and its vectors.
struct GpuFactorMemory {
  std::int64_t factors = 0;
  std::int64_t stack = 0;   ///< of what fronts pass up
  std::int64_t lists = 0;   ///< where everything lies, and what is done when
  std::int64_t column = 0;  ///< what one column of a solve takes, of most_sweep_columns at most
};

/// The same for values in double, of a matrix with so many non-zeros, of which so many entries are
/// in fronts.
GpuFactorMemory gpu_factor_memory(const Fronts& fronts, Factorization kind, Index nonzeros,
                                  Index entries);

}  // namespace spsolve
