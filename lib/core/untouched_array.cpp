#include "core/untouched_array.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace spsolve::inline core {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t page = 4096;
constexpr std::size_t large_page = std::size_t{2} << 20;

/// Large pages pay from a few of them on; below, their alignment would only waste memory. Where
/// an array is read again and again, one pays: it lies evenly in a core's cache, where small pages
/// lie as chance has it.
bool wants_large_pages(std::size_t bytes, Use use) {
  return bytes >= (use == Use::rereading ? 1 : 4) * large_page;
}

/// Whole pages keep arrays at the same place within a page from run to run (see
/// allocate_untouched()).
std::align_val_t alignment_of(std::size_t bytes, Use use) {
  if (wants_large_pages(bytes, use)) return std::align_val_t{large_page};
  return std::align_val_t{bytes >= 16 * page ? page : cache_line};
}

}  // namespace

void* allocate_untouched(std::size_t bytes, Use use) {
  if (bytes == 0) return nullptr;
  void* memory = ::operator new(bytes, alignment_of(bytes, use));
#ifdef __linux__
  // Advice only: where the system refuses, small pages do.
  if (wants_large_pages(bytes, use)) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void release_untouched(void* memory, std::size_t bytes, Use use) noexcept {
  if (memory != nullptr) ::operator delete(memory, alignment_of(bytes, use));
}

}  // namespace spsolve::core
