// Linked into the programs: how they take memory from the system. By default the C library hands
// freed memory back at once and takes new memory in pages of 4 KiB, which the system clears one by
// one, a fault each: a fifth of an analysis' time, and more where 16 threads ask at the same time.
// What is freed is kept for what comes next instead, and arrays of some megabytes lie in large
// pages where the system has them.

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <malloc.h>
#include <sys/mman.h>

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

/// Below, the alignment would waste memory, and large pages gain little.
constexpr std::size_t large_array = 2 * large_page;

/// The C library's own limits, which else follow what is freed.
[[maybe_unused]] const bool kept = [] {
  constexpr int mapped_alone = 1 << 30, kept_at_most = 2000 << 20, taken_at_once = 16 << 20;
  return mallopt(M_MMAP_THRESHOLD, mapped_alone) != 0 &&
         mallopt(M_TRIM_THRESHOLD, kept_at_most) != 0 && mallopt(M_TOP_PAD, taken_at_once) != 0;
}();

void* memory_of(std::size_t bytes) {
  if (bytes < large_array) return std::malloc(bytes != 0 ? bytes : 1);
  void* memory = nullptr;
  if (posix_memalign(&memory, large_page, bytes) != 0) return nullptr;
  madvise(memory, bytes, MADV_HUGEPAGE);  // where the system refuses, small pages do
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  while (true) {
    if (void* const memory = memory_of(bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#endif
