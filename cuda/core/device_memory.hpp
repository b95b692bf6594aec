#pragma once

#include <cstddef>
#include <cstdint>

namespace spsolve::cuda::inline core {

/// `bytes` of the current GPU's memory, uninitialised. Throws Error(resources) where it does not
/// suffice.
void* allocate_device(std::size_t bytes);

/// Gives back what allocate_device(bytes) gave; null is nothing.
void free_device(void* memory, std::size_t bytes) noexcept;

/// Throws Error(input) that calls the array by `name` where the current GPU cannot reach it:
/// kernels that are given host memory end every further call of the process by an error.
void require_device_array(const void* array, const char* name);

/// Bytes that this process's arrays take on GPUs, now and at most so far. Allocations of CUDA and
/// its libraries for themselves are no part of it.
struct DeviceBytes {
  std::int64_t now = 0;
  std::int64_t peak = 0;
};
DeviceBytes device_bytes();

}  // namespace spsolve::cuda::core
