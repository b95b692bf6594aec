#pragma once

#include <cuda_runtime_api.h>

#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// A piece of a sweep: tiles begin ... end of a front, the blocks of its pivots first, then those
/// of its border, each of pivot_block rows.
struct SweepTask {
  int front;
  int begin, end;
};

/// A sweep with finished factors; all arrays in GPU memory. Vectors are n x `columns`, row-major in
/// the order of elimination. Its tasks are taken in their order, each by the next thread block that
/// is free, and wait for what others publish: one launch a sweep, the same bits always.
template <typename T>
struct Sweep {
  const FrontLayout* layouts;
  const int* border;             ///< rows of all borders, by position in the order of elimination
  const unsigned* taken_starts;  ///< for each row of each front, see FrontLayout::first_row()
  const unsigned* taken;         ///< which rows of contribution it adds
  const T* factors;              ///< the arena
  bool transposed;               ///< whether upper takes lower's place
  const T* b;                    ///< what is solved for
  T* x;                          ///< the solution; all bits set before
  T* contribution;  ///< forward: what fronts hand up, a row for each of all borders; all bits set
                    ///< before
  int* next;        ///< the next task; 0 before
  int columns;      ///< at most most_sweep_columns
  bool without_borders = false;  ///< backward: b has that of borders taken off
};

/// x <- L^-1 b, children first, and x <- U^-1 b, parents first, by these tasks.
template <typename T>
void sweep_forward(const Sweep<T>& sweep, const SweepTask* tasks, Index count, cudaStream_t stream);
template <typename T>
void sweep_backward(const Sweep<T>& sweep, const SweepTask* tasks, Index count,
                    cudaStream_t stream);

/// Solves so in small fronts, children before parents in `list`, each by one warp. Forward: before
/// the tasks of the fronts above; backward: after them.
template <typename T>
void sweep_small_forward(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream);
template <typename T>
void sweep_small_backward(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
