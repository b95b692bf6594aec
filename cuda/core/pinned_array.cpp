#include "cuda/core/pinned_array.hpp"

#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda {

namespace {

constexpr std::size_t bytes_of_cell = 4096;
constexpr std::size_t cells_of_block = 64;

/// Larger pieces are powers of two, of which some are kept for the next to come: those of uploads,
/// which each new system makes, take longer to lock and to give back than to fill.
constexpr std::size_t largest_kept = std::size_t{4} << 20;
constexpr std::size_t most_kept = 2 * largest_kept;  // of all together

std::mutex guard;
std::vector<void*> free_cells;
std::map<std::size_t, std::vector<void*>> free_pieces;  // by their size
std::size_t kept = 0;

std::size_t size_of_piece(std::size_t bytes) {
  return bytes > largest_kept ? bytes : std::bit_ceil(bytes);
}

void* locked(std::size_t bytes) {
  void* memory = nullptr;
  CUDA_CHECK(cudaMallocHost(&memory, bytes));
  return memory;
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
  const std::scoped_lock lock(guard);
  if (bytes > bytes_of_cell) {
    const std::size_t size = size_of_piece(bytes);
    const auto found = free_pieces.find(size);
    if (found == free_pieces.end() || found->second.empty()) return locked(size);
    void* const piece = found->second.back();
    found->second.pop_back();
    kept -= size;
    return piece;
  }
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
  if (memory == nullptr || gpu_is_lost()) return;
  cudaDeviceSynchronize();  // as cudaFreeHost does: a copy may be under way still
  const std::scoped_lock lock(guard);
  if (bytes <= bytes_of_cell) return free_cells.push_back(memory);
  const std::size_t size = size_of_piece(bytes);
  if (size > largest_kept || kept + size > most_kept) {
    cudaFreeHost(memory);
    return;
  }
  free_pieces[size].push_back(memory);
  kept += size;
}

}  // namespace spsolve::cuda
