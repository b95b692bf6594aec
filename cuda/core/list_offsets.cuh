#pragma once

#include <cub/device/device_scan.cuh>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline core {

/// offsets_i <- sum over k < i of lengths_k for i <= count: where lists begin that stand one after
/// the other, and the last one ends. Both have room for count + 1 numbers; the last length is set
/// to 0. On `stream`, and waited for.
inline void list_offsets(DeviceArray<Index>& lengths, Index count, DeviceArray<Index>& offsets,
                         cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(lengths.data() + count, 0, sizeof(Index), stream));
  std::size_t bytes = 0;
  const auto scan = [&](void* room) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(room, bytes, lengths.data(), offsets.data(), count + 1,
                                             stream));
  };
  scan(nullptr);
  DeviceArray<unsigned char> room(static_cast<Index>(bytes));
  scan(room.data());
  wait_for(stream);  // the room goes
}

}  // namespace spsolve::cuda::core
