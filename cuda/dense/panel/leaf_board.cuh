#pragma once

// The shared memory by which the blocks of a cluster that eliminate a leaf, and the threads of a
// block, show each other values.

#include "cuda/dense/panel/leaf_tiles.cuh"

namespace spsolve::cuda::inline dense {

/// Most blocks of a cluster. More than 8 is beyond what CUDA promises for every GPU.
inline constexpr int most_blocks = 16;

/// Columns that are eliminated step by step before those after them follow all at once.
inline constexpr int slice_width = 8;
inline constexpr int slices = leaf_width / slice_width;

/// Exponents of the pivots that quick_inverse() is good for.
inline constexpr double least_pivot = 0x1p-1020, largest_pivot = 0x1p+1020;

/// 1 / x to an ulp or two for x between least_pivot and largest_pivot, without a branch.
__device__ inline double quick_inverse(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double rest = fma(-x, y, 1.0);  // below 2^-20: its cube is far below an ulp
  return fma(y, fma(rest, rest, rest), y);
}
__device__ inline float quick_inverse(float x) {
  return 1 / x;
}

/// The values that the best row of a warp or of a block shows the others in one step.
template <typename T>
struct alignas(16) StepCandidate {
  T row[slice_width];
  T inverse;     // of the pivot
  int place;     // the row's number, from the leaf's first row
  unsigned key;  // the order of pivots; 0: no row
};

/// The values that a block's threads show each other, and those that other blocks of the cluster
/// send.
template <typename T>
struct Board {
  StepCandidate<T> of_warps[2][most_warps];  // by turns
  StepCandidate<T> of_blocks[2][most_blocks];
  alignas(16) T here[slice_width][leaf_width];   // pivot rows of this block
  alignas(16) T all[slice_width][leaf_width];    // of all blocks
  alignas(16) T upper[slice_width][leaf_width];  // their rows of U
  unsigned keys[2][most_warps];
  int owners[slice_width];  // blocks of the slice's pivots
  int places[leaf_width];   // of the leaf's pivots
  int tiles[leaf_width];    // and where they are in this block; -1: in another
  std::uint64_t candidates_came[2];
  std::uint64_t rows_came;
};

}  // namespace spsolve::cuda::dense
