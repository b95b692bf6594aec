#include "cuda/core/pinned_array.hpp"

#include <mutex>
#include <vector>

#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda::inline core {

namespace {

constexpr std::size_t bytes_of_cell = 4096;
constexpr std::size_t cells_of_block = 64;

std::mutex guard;
std::vector<void*> free_cells;

void* locked(std::size_t bytes) {
  void* memory = nullptr;
  CUDA_CHECK(cudaMallocHost(&memory, bytes));
  return memory;
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
  if (bytes > bytes_of_cell) return locked(bytes);
  const std::scoped_lock lock(guard);
  if (free_cells.empty()) {
    auto* const block = static_cast<std::byte*>(locked(bytes_of_cell * cells_of_block));
    for (std::size_t i = cells_of_block; i-- > 0;) {
      free_cells.push_back(block + i * bytes_of_cell);
    }
  }
  void* const cell = free_cells.back();
  free_cells.pop_back();
  return cell;
}

void free_pinned(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr || gpu_is_left()) return;
  if (bytes > bytes_of_cell) {
    cudaFreeHost(memory);
    return;
  }
  cudaDeviceSynchronize();  // as cudaFreeHost does: a copy may be under way still
  const std::scoped_lock lock(guard);
  free_cells.push_back(memory);
}

}  // namespace spsolve::cuda::core
