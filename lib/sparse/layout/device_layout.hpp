#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/fronts.hpp"
#include "sparse/layout/elementwise_assembly.hpp"

namespace spsolve::inline sparse {

/// Columns of a block of pivots: pivots are searched inside of one, and its triangles are inverted.
inline constexpr int pivot_block = 64;

/// Rows of the largest front that one thread block of a GPU eliminates in its shared memory.
inline constexpr int small_front = 64;

/// Elements from one column to the next of a small front of so many rows: an odd number, by which
/// the rows of neighbouring columns are in different banks of shared memory.
constexpr int small_front_stride(int rows) {
  return rows | 1;
}

/// Right-hand sides that a solve on a GPU takes at a time, at most.
inline constexpr int most_sweep_columns = 16;

/// Rows of the border of a panel that others share, of which a solve on a GPU takes pieces side by
/// side.
inline constexpr int rows_of_border_piece = 256;
constexpr Index pieces_of_border(Index border) {
  return (border + rows_of_border_piece - 1) / rows_of_border_piece;
}

/// Elements that places of large fronts, and columns in them, are multiples of.
inline constexpr int front_alignment = 4;

template <typename Size>
constexpr Size aligned(Size size) {
  return (size + front_alignment - 1) / front_alignment * front_alignment;
}

/// Columns of a front's factors that one panel has: a power of two times pivot_block. Fronts of
/// more pivots are cut into panels. Wider ones store more above the diagonal, half of their square
/// each; narrower ones make products of fewer columns than a GPU wants.
inline constexpr int widest_panel = 1024;

/// Some columns of `lower` or `upper` with one leading dimension: element (row, column), counted in
/// the whole front, lies at `origin` + row + column `ld` from where those begin.
struct FrontPanel {
  Index origin = 0;
  int ld = 0;

  constexpr Index place(int row, int column) const { return origin + row + column * Index{ld}; }
};

/// Where a front of p pivots and a border of m rows lies on a GPU, column-major, as offsets in
/// elements of one arena:
///
///     lower = ( L11 )   upper = ( U11^T )   contribution, m x m
///             ( L21 )           ( U12^T )
///
/// Columns of lower and upper lie in panels of w = `panel_columns`, each with the rows from its
/// first pivot on: panel q = 0, 1, ... has the leading dimension ld - q w and begins q w ld - w^2 q
/// (q - 1) / 2 elements behind panel 0. So they take p^2 / 2 + p m + p w / 2 elements each, where
/// all rows would be p^2 + p m.
///
/// Rows of the border begin at `border_row`, so that they are aligned where the front is large. L11
/// and U11^T have the blocks below the diagonal ones. The diagonal blocks D_k = P_k^T L_k U_k are
/// kept inverted: lower has L_k^-1 P_k, upper U_k^-T. L L^T has no `upper` (it is lower), and L D
/// L^T has D L^T in the place of U.
struct FrontLayout {
  Index lower = 0, upper = 0, contribution = 0;
  int pivots = 0, border = 0;
  int border_row = 0;                  ///< p, or a little more
  int ld = 0;                          ///< of the first panel of lower and upper: all rows
  int panel_columns = 1 << 30;         ///< a power of two; one panel, unless it is less than p
  int ld_contribution = 0;             ///< of contribution
  int first = 0;                       ///< position of its first pivot in the order of elimination
  int child_begin = 0, child_end = 0;  ///< in the list of children
  int early_children = 0;              ///< the first of them, see `early`
  int elementwise_children = 0;        ///< the last of them, assembled by elements
  int elementwise_begin = 0, elementwise_end = 0;  ///< in ElementwiseAssembly::elements
  int parent = -1;
  /// Whether its contribution block is added to its parent, a root, as soon as it is there, and is
  /// gone then: of fronts of few pivots, whose blocks would be more than the root's factors
  /// together (after the early parents of Agullo, Guermouche, L'Excellent 2010).
  bool early = false;
  Index border_begin = 0;  ///< in the lists of borders

  /// The number of its first row, where the rows of all fronts are counted one after another.
  constexpr Index first_row() const { return first + border_begin; }
  constexpr int rows() const { return pivots + border; }
  constexpr int blocks() const { return (pivots + pivot_block - 1) / pivot_block; }
  /// The row of lower and upper where row i of the front stands, the border's after the pivots'.
  constexpr int row_of(int i) const { return i < pivots ? i : border_row + i - pivots; }

  /// The columns of the panel that has this one.
  constexpr int panel_begin(int column) const { return column & -panel_columns; }
  constexpr int panel_end(int column) const {
    const int begin = panel_begin(column);
    return pivots - begin < panel_columns ? pivots : begin + panel_columns;
  }
  constexpr FrontPanel panel_of(int column) const {
    const Index begin = panel_begin(column);
    return {begin * (begin + panel_columns) / 2 - begin, ld - static_cast<int>(begin)};
  }
  /// Where an element of lower or upper lies from the beginning of that.
  constexpr Index place(int row, int column) const { return panel_of(column).place(row, column); }
  /// Elements of all panels of lower, as of upper.
  constexpr Index panel_elements() const {
    const int begin = panel_begin(pivots > 0 ? pivots - 1 : 0);
    return panel_of(begin).place(begin, pivots);
  }

  /// Whether one thread block eliminates it.
  constexpr bool is_small() const { return rows() <= small_front; }
  constexpr Index contribution_elements() const { return aligned(Index{ld_contribution} * border); }
};

/// Elements of a front's factors, lower and upper.
Index factor_elements(Factorization kind, const FrontLayout& layout);

/// Places them from `next` on, and hands back where they end.
Index lay_out_factors_at(Index next, Factorization kind, FrontLayout& layout);

/// Levels of fronts whose factors lie on the GPU at the same time, in one of two windows of the
/// arena, which parts take in turn.
struct FrontPart {
  int first_level = 0, end_level = 0;
  Index window = 0;    ///< where that begins in the arena
  Index elements = 0;  ///< of its factors
};

/// All fronts of an elimination on a GPU.
struct DeviceLayout {
  std::vector<FrontLayout> fronts;
  /// Fronts by level; a parent's is higher than its children's.
  std::vector<LocalIndex> by_level;
  std::vector<Index> level_starts;  ///< levels + 1
  int low_levels = 0;               ///< those that are of subtrees of small fronts alone
  std::vector<FrontPart> parts;     ///< one, unless the factors are more than there is room for
  ElementwiseAssembly elementwise;
  Index factor_elements = 0;  ///< of all lower and upper
  Index window_elements = 0;  ///< from the arena's beginning, where they lie
  Index elements = 0;         ///< of the arena
  /// Whether early children are assembled early: not where factors stream, as their parent's are
  /// not there. Their order is the same.
  bool assembles_early = true;

  int levels() const { return static_cast<int>(level_starts.size()) - 1; }

  /// Whether factors come and go while the GPU works.
  bool streams() const { return parts.size() > 1; }
};

/// Places the fronts of a factorisation: factors first, then the contribution blocks, where each
/// level's blocks of one lifetime lie together and take the room of those whose parents are done.
/// Blocks of roots whose parents other ranks have a part in stay. Where that is more than
/// `most_elements`, large fronts come one after another, so that fewer blocks wait at a time; and
/// where that does not do, factors get two windows, as large as there is room for next to the
/// stack, each for some levels at a time, and for one level at least. Cost: linear in the fronts,
/// also where they are a chain, but for sorting levels and looking for gaps in the stack.
DeviceLayout lay_out_fronts(const Fronts& fronts, Factorization kind,
                            Index most_elements = std::numeric_limits<Index>::max(),
                            int panel_columns = widest_panel);

/// Ways to save memory of contribution blocks that are tried where it is short, see
/// lay_out_fronts().
inline constexpr int most_smaller_stacks = 8;

/// Bytes that a sparse elimination takes of a GPU's memory in addition to its matrix and its
/// vectors.
struct GpuFactorMemory {
  std::int64_t factors = 0;
  std::int64_t largest_level = 0;  ///< of the factors
  std::int64_t stack = 0;          ///< of contribution blocks
  /// With ever more large fronts one after another, until there are zeros.
  std::array<std::int64_t, most_smaller_stacks> smaller_stacks{};
  std::int64_t streaming_stack = 0;  ///< likewise, where factors stream
  std::int64_t lists = 0;            ///< where everything lies, and what is done when
  std::int64_t column = 0;  ///< what one column of a solve takes, of most_sweep_columns at most

  /// The memory on a GPU on which all of it may take `most` bytes, see lay_out_fronts(): a smaller
  /// stack, and factors of less bytes than they are where they are in host memory.
  GpuFactorMemory within(std::int64_t most) const {
    GpuFactorMemory fitted = *this;
    const std::int64_t left = most - lists - most_sweep_columns * column;
    if (factors + stack <= left) return fitted;
    for (const std::int64_t smaller : smaller_stacks) {
      if (smaller == 0) break;
      fitted.stack = smaller;
      if (factors + smaller <= left) return fitted;
    }
    fitted.stack = streaming_stack;
    fitted.factors = std::min(factors, std::max(left - fitted.stack, 2 * largest_level));
    return fitted;
  }
};

/// The memory for values in double without that of the factors and the stack: of fronts whose arena
/// has so many elements.
GpuFactorMemory gpu_lists_memory(const Fronts& fronts, Index elements, Index nonzeros,
                                 Index entries);

/// The memory for values in double, of a matrix with so many non-zeros, of which so many entries
/// are in fronts.
GpuFactorMemory gpu_factor_memory(const Fronts& fronts, Factorization kind, Index nonzeros,
                                  Index entries);

/// Seconds that a GPU takes at least for the fronts on one way from a leaf to a root, which wait
/// for each other however small they are.
double longest_path_on_gpu(const Fronts& fronts);

}  // namespace spsolve::sparse
