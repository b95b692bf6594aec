#pragma once

#include "cuda/core/launch.cuh"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// The place of a child's contribution block, as a lane holds it for its warp.
struct ContributionBlock {
  Index begin = 0;         ///< in the arena
  Index border_begin = 0;  ///< in the list of rows in parents
  int size = 0, ld = 0;

  ContributionBlock() = default;
  __device__ explicit ContributionBlock(const FrontLayout& child)
      : begin(child.contribution),
        border_begin(child.border_begin),
        size(child.border),
        ld(child.ld_contribution) {}

  __device__ ContributionBlock of_lane(int lane) const {
    ContributionBlock other;
    other.begin = __shfl_sync(whole_warp, begin, lane);
    other.border_begin = __shfl_sync(whole_warp, border_begin, lane);
    other.size = __shfl_sync(whole_warp, size, lane);
    other.ld = __shfl_sync(whole_warp, ld, lane);
    return other;
  }
};

}  // namespace spsolve::cuda::sparse
