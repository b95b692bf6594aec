#pragma once

#include <vector>

#include "cuda/sparse/fronts/front_kernels.hpp"
#include "cuda/sparse/fronts/front_products.hpp"
#include "solve/inverse.hpp"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// One launch of an elimination: what it takes of the program's lists.
struct EliminationStep {
  enum class What {
    small,     ///< fronts `begin` ... of `fronts`, of at most `rows` rows, in blocks of `side`
    assemble,  ///< pieces
    gather,    ///< elements of ElementwiseAssembly
    invert,    ///< diagonal blocks number `side` of fronts `begin` ...
    multiply,  ///< tiles
    library,   ///< the product number `begin`, by the vendor's library
  };
  What what;
  Index begin, count;
  int rows, side;
  bool follows = false;  ///< of small fronts, right after such a one
  bool beside = false;   ///< of products, which may run concurrently with the step before
};

/// The launches of the elimination of fronts that lie in their places, level by level, and the
/// lists that they read. It hangs on the pattern alone.
///
/// A level's large fronts go side by side through their blocks of pivots: block t is inverted, the
/// rows below are multiplied by its inverse, and the columns to its right are updated by the last
/// 2^z blocks, 2^z the largest power of two that divides t + 1 (which is the order of a recursive
/// elimination: half of the updates are by one block, a quarter by two, ...). So it is within a
/// panel of FrontLayout; one that is complete updates all panels to its right. In the end the
/// contribution block of a front is updated by its panels, one after another.
struct EliminationProgram {
  std::vector<EliminationStep> steps;
  std::vector<Index> part_ends;  ///< after the steps of each part of the places
  std::vector<int> fronts;
  std::vector<AssemblyPiece> pieces;
  std::vector<FrontProduct> products;
  std::vector<ProductTile> tiles;
};

EliminationProgram write_program(const DeviceLayout& layout, Factorization kind);

/// Its launches, with the two that set the factors of each part to A, and whose flops they do; asks
/// for its steps and products alone.
KernelStatistics kernel_statistics_of(const EliminationProgram& program, const DeviceLayout& layout,
                                      Factorization kind);

}  // namespace spsolve::cuda::sparse
