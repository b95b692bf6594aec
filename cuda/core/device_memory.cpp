#include "cuda/core/device_memory.hpp"

#include <algorithm>
#include <mutex>

#include "core/error.hpp"
#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda::inline core {

namespace {
std::mutex guard;
DeviceBytes counted;
}  // namespace

void* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  CUDA_CHECK(cudaMalloc(&memory, bytes));
  const std::scoped_lock lock(guard);
  counted.now += static_cast<std::int64_t>(bytes);
  counted.peak = std::max(counted.peak, counted.now);
  return memory;
}

void free_device(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (!gpu_is_left()) cudaFree(memory);
  const std::scoped_lock lock(guard);
  counted.now -= static_cast<std::int64_t>(bytes);
}

void require_device_array(const void* array, const char* name) {
  cudaPointerAttributes of = {};
  CUDA_CHECK(cudaPointerGetAttributes(&of, array));
  if (of.devicePointer != nullptr) return;
  int device = 0, reaches_all = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&reaches_all, cudaDevAttrPageableMemoryAccess, device));
  if (reaches_all != 0) return;
  fail(ExitCode::input,
       "{} lies in host memory, and the product is computed on a GPU: give an array in the GPU's "
       "memory, or a Dense",
       name);
}

DeviceBytes device_bytes() {
  const std::scoped_lock lock(guard);
  return counted;
}

}  // namespace spsolve::cuda::core
