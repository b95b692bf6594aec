#pragma once

#include <cuda_runtime_api.h>

#include "sparse/fronts/front_places.hpp"

namespace spsolve::cuda {

/// Right-hand sides that a sweep takes at a time, at most.
inline constexpr int most_sweep_columns = 8;

/// A piece of a sweep: tiles begin ... end of a front, the blocks of its pivots first, then those
/// of its border, each of pivot_block rows.
struct SweepTask {
  int front;
  int begin, end;
};

/// What a pair of sweeps with finished factors works on; all arrays in GPU memory. The tasks of a
/// sweep are taken in their order, each by the next thread block that is free, and wait for others
/// by counters: one launch a sweep, the same bits always.
template <typename T>
struct Sweep {
  const FrontPlace* places;
  const int* border;  ///< rows of all borders, by their position in the order of elimination
  const unsigned* taken_starts;  ///< for each row of each front, see FrontPlace::first_row()
  const unsigned* taken;         ///< which rows of passed_up it takes in
  const int*
      signals;       ///< of each front: tasks of its children that hand something up, of its sweep
  const T* factors;  ///< the arena
  bool transposed;   ///< whether upper takes lower's place
  T* x;              ///< n x `columns`, row-major in the order of elimination
  T* passed_up;      ///< what fronts hand up, a row for each of all borders
  int* arrived;      ///< of each front: tasks of children that are done; 0 before
  int* done;         ///< of each front: blocks that are done; 0 before
  int* next;         ///< the next task; 0 before
  int columns;       ///< at most most_sweep_columns
};

/// x <- L^-1 x, children first, and x <- U^-1 x, parents first, by these tasks.
template <typename T>
void sweep_forward(const Sweep<T>& sweep, const SweepTask* tasks, Index count, cudaStream_t stream);
template <typename T>
void sweep_backward(const Sweep<T>& sweep, const SweepTask* tasks, Index count,
                    cudaStream_t stream);

/// The same for small fronts, children before parents in `list`, each by one warp. Forward: before
/// the tasks of the fronts above; backward: behind them.
template <typename T>
void sweep_small_forward(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream);
template <typename T>
void sweep_small_backward(const Sweep<T>& sweep, const int* list, Index count, cudaStream_t stream);

}  // namespace spsolve::cuda
