#pragma once

// A diagonal block of pivots in shared memory, and how its pivots are counted and searched.

#include <cuda_runtime.h>

#include "core/scalar.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/core/magnitude.cuh"
#include "cuda/sparse/pivots/pivot_tally.hpp"

namespace spsolve::cuda::inline sparse {

/// A block of at most `side` pivots, column-major; what is beyond its n pivots is the identity's.
template <typename T, int side>
struct DiagonalBlock {
  static constexpr int stride = side + 1;

  alignas(2 * sizeof(T)) T lower[side * stride];  ///< the block D; in the end L^-1 P, for P D = L U
                                                  ///< or P D P^T = L D' L^T
  alignas(2 *
          sizeof(T)) T upper[side * stride];  ///< in the end U^-T, or D'^-1 L^-1 P; not of L L^T
  T inverse[side];                            ///< of the pivots; the diagonal of D'^-1
  T beside[side];                             ///< below the diagonal of D'^-1
  int order[side];                            ///< the row of D that each pivot was taken from
  int panel_end;                              ///< where the next panel of pivots begins

  __device__ T& at(int row, int column) { return lower[column * stride + row]; }
};

/// Counts pivots; of use to thread 0 alone.
class PivotCounter {
 public:
  template <typename T>
  __device__ void include(T magnitude) {
    const auto bits =
        static_cast<unsigned long long>(__double_as_longlong(static_cast<double>(magnitude)));
    smallest_ = min(smallest_, bits);
    largest_ = max(largest_, bits);
  }
  __device__ void perturbed() { ++perturbed_; }
  __device__ void swapped() { ++swaps_; }
  __device__ void negative(int count) { negative_ += count; }
  __device__ void paired() { ++pairs_; }
  __device__ void failed(int position) { failed_ = min(failed_, position); }

  __device__ void add_to(PivotTally* tally) const {
    if (perturbed_ > 0) atomicAdd(&tally->perturbed, static_cast<unsigned long long>(perturbed_));
    if (swaps_ > 0) atomicAdd(&tally->swaps, static_cast<unsigned long long>(swaps_));
    if (negative_ > 0) atomicAdd(&tally->negative, static_cast<unsigned long long>(negative_));
    if (pairs_ > 0) atomicAdd(&tally->pairs, static_cast<unsigned long long>(pairs_));
    // Looking first saves most of the atomic operations on one place.
    if (smallest_ < tally->smallest) atomicMin(&tally->smallest, smallest_);
    if (largest_ > tally->largest) atomicMax(&tally->largest, largest_);
    if (failed_ != none) atomicMin(&tally->failed, static_cast<unsigned long long>(failed_));
  }

 private:
  static constexpr int none = 2147483647;
  int perturbed_ = 0, swaps_ = 0, negative_ = 0, pairs_ = 0, failed_ = none;
  unsigned long long smallest_ = ~0ull >> 1, largest_ = 0;
};

/// What is too small a pivot, and what it is made.
template <typename T>
struct SmallPivots {
  T least, made;
};

/// The pivot, or what it is made where it is too small.
template <typename T>
__device__ T large_enough(T pivot, const SmallPivots<Real<T>>& small, int position,
                          PivotCounter& counter) {
  if (!isfinite(pivot)) {
    counter.failed(position);
    return 1;
  }
  if (magnitude(pivot) < small.least) {
    counter.perturbed();
    pivot = copysign(small.made, pivot);
  }
  counter.include(magnitude(pivot));
  return pivot;
}

/// The largest magnitude of the lanes of a warp, each of which has one of its `own` row, or -1 for
/// none, to a millionth; and its row. -1 and `otherwise` where no lane has one. For all lanes.
template <typename T>
__device__ T largest_of_lanes(T most, int own, int otherwise, int& row) {
  const unsigned word = most >= 0 ? magnitude_word(most) : 0;
  const unsigned top = __reduce_max_sync(whole_warp, word);
  const unsigned holders = __ballot_sync(whole_warp, most >= 0 && word == top);
  row = otherwise;
  if (holders == 0) return -1;
  const int holder = __ffs(static_cast<int>(holders)) - 1;
  row = __shfl_sync(whole_warp, own, holder);
  return __shfl_sync(whole_warp, most, holder);
}

}  // namespace spsolve::cuda::sparse
