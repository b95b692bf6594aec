#pragma once

#include "cuda/core/launch.cuh"
#include "sparse/places/front_places.hpp"

namespace spsolve::cuda {

/// Where what a child passes up lies, as a lane holds it for its warp.
struct PassedUp {
  Index begin = 0;         ///< in the arena
  Index border_begin = 0;  ///< in the list of rows in parents
  int size = 0, ld = 0;

  PassedUp() = default;
  __device__ explicit PassedUp(const FrontPlace& child)
      : begin(child.passed_up),
        border_begin(child.border_begin),
        size(child.border),
        ld(child.ld_passed) {}

  __device__ PassedUp of_lane(int lane) const {
    PassedUp other;
    other.begin = __shfl_sync(whole_warp, begin, lane);
    other.border_begin = __shfl_sync(whole_warp, border_begin, lane);
    other.size = __shfl_sync(whole_warp, size, lane);
    other.ld = __shfl_sync(whole_warp, ld, lane);
    return other;
  }
};

}  // namespace spsolve::cuda
