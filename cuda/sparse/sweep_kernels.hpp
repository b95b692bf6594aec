#pragma once

#include <cuda_runtime_api.h>

#include "sparse/fronts/front_places.hpp"

namespace spsolve::cuda {

/// Right-hand sides that a sweep takes at a time, at most.
inline constexpr int most_sweep_columns = 8;

/// A piece of a sweep: tiles begin ... end of a front, the blocks of its pivots first, then those of
/// its border, each of pivot_block rows.
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
  const int* children;
  const int* in_parent;
  const int* border;       ///< rows of all borders, by their position in the order of elimination
  const int* signals;      ///< of each front: tasks of its children that hand something up
  const T* factors;        ///< the arena
  bool transposed;         ///< whether upper takes lower's place
  T* x;                    ///< n x `columns`, row-major in the order of elimination
  T* passed_up;            ///< what fronts hand up, a row for each of all borders
  int* arrived;            ///< of each front: tasks of children that are done; 0 before
  int* done;               ///< of each front: blocks that are done; 0 before
  int* next;               ///< the next task; 0 before
  int columns;             ///< at most most_sweep_columns
};

/// x <- L^-1 x, children first.
template <typename T>
void sweep_forward(const Sweep<T>& sweep, const SweepTask* tasks, Index count, cudaStream_t stream);

/// x <- U^-1 x, parents first.
template <typename T>
void sweep_backward(const Sweep<T>& sweep, const SweepTask* tasks, Index count,
                    cudaStream_t stream);

/// to[k] <- from[order[k]], or the other way round: to[order[k]] <- from[k]; rows of `columns`
/// values out of `stride`.
template <typename From, typename To>
void gather_rows(const int* order, Index rows, int columns, const From* from, Index from_stride,
                 To* to, Index to_stride, cudaStream_t stream);
template <typename From, typename To>
void scatter_rows(const int* order, Index rows, int columns, const From* from, Index from_stride,
                  To* to, Index to_stride, cudaStream_t stream);

/// Entries of A between blocks that are solved with one after another, by their rows: entry e of
/// row r has the value values[sources[e]] and the column columns[e].
struct DeviceCouplings {
  const int* rows;
  const Index* starts;  ///< rows + 1
  const int* columns;
  const Index* sources;
};

/// Takes off x's rows begin ... end of the couplings what these columns come to.
template <typename T>
void subtract_couplings(const DeviceCouplings& couplings, const double* values, Index begin,
                        Index end, int columns, T* x, cudaStream_t stream);

}  // namespace spsolve::cuda
