#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline dense {

/// Where the two halves of a matrix go: `high` twice and `low` once, row-major with one leading
/// dimension; see SplitProduct.
struct SplitPlaces {
  std::uint16_t* high;
  std::uint16_t* high_again;
  std::uint16_t* low;
  Index stride;
};

/// Splits scale * a, rows x columns, into two halves each: high = a rounded to half, low = a - high
/// rounded to half.
void split_into_half_precision(const float* a, Index stride, Index rows, Index columns, float scale,
                               const SplitPlaces& places, cudaStream_t stream);

}  // namespace spsolve::cuda::dense
