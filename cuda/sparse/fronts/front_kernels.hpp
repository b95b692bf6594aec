#pragma once

#include <cuda_runtime_api.h>

#include "cuda/sparse/pivots/pivot_tally.hpp"
#include "sparse/fronts/front_entries.hpp"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// The fronts of an elimination as kernels see them; all arrays in GPU memory.
template <typename T>
struct DeviceFronts {
  const FrontLayout* layouts;
  const int* children;                  ///< of all fronts, see FrontLayout::child_begin
  const int* in_parent;                 ///< where the rows of borders stand in the parent
  const AssembledElement* elementwise;  ///< see ElementwiseAssembly
  const Index* sources;
  T* arena;
  PivotTally* tally;
  T least;   ///< smaller pivots are made larger,
  T raised;  ///< this large, of L D L^T
};

/// Puts the values of A where the `count` fronts of a list take them in, or the first ones where
/// that is null; starts and entries are those of FrontEntries.
template <typename T>
void place_entries(const DeviceFronts<T>& fronts, const int* list, Index count, const Index* starts,
                   const FrontEntry* entries, const double* values, cudaStream_t stream);

/// Multiprocessors of a large GPU, which launches of small fronts reckon with.
inline constexpr int processors_of_gpu = 132;

/// Fronts of at most `rows` rows and `side` pivots, each of which a thread block assembles and
/// eliminates in shared memory. side: 16, 32 or 64; rows <= small_front. Where the launch follows
/// another one of them on the stream, it begins before that has ended.
template <typename T>
void eliminate_small(Factorization kind, const DeviceFronts<T>& fronts, const int* list,
                     Index count, int rows, int side, bool follows, cudaStream_t stream);

/// A rectangle of a part of a larger front, to which contribution blocks of its children are added:
/// columns begin ... end of lower and of contribution, and of these the rows across ... across_end;
/// of upper, whose columns are rows of the front, columns across ... across_end of the front. All
/// of them count from the front's first pivot, but for contribution, where they count from its
/// border.
struct AssemblyPiece {
  int front;
  int begin, end;
  int across, across_end;
  enum : int { lower, upper, contribution };
  int part;
  int child_begin, child_end;  ///< in the list of children
};

/// Columns of a piece, and rows of it, at most: what one child has added is in the cache when the
/// next one comes.
inline constexpr int piece_columns = 16, piece_rows = 2048;

/// Adds the contribution blocks of children that are assembled one by one, in their order; sets the
/// front's own block on its first touch.
template <typename T>
void assemble(Factorization kind, const DeviceFronts<T>& fronts, const AssemblyPiece* pieces,
              Index count, cudaStream_t stream);

/// Adds the contribution blocks of many small children to these elements of large fronts. A warp an
/// element, the sum over its lanes in the end.
template <typename T>
void gather(const DeviceFronts<T>& fronts, Index first, Index count, cudaStream_t stream);

/// Factors the diagonal blocks number `block` of these fronts, and inverts their factors.
template <typename T>
void invert_blocks(Factorization kind, const DeviceFronts<T>& fronts, const int* list, Index count,
                   int block, cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
