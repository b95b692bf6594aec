// Linked into programs that make arrays of some 100 KiB again and again. GNU's malloc maps an array
// from 128 KiB on by itself, and each page of it costs a fault once more; only as the first such
// array is freed do arrays up to its size stay with the program (mallopt(3), M_MMAP_THRESHOLD). A
// system of 15 000 unknowns is solved in 25 ms, one of which went there.

#include <cstdlib>

namespace {

/// The largest array that stays; the program keeps twice as much at most of what it no longer uses.
constexpr std::size_t largest = std::size_t{4} << 20;

[[gnu::constructor]] void keep_arrays() {
  void* volatile mapped = std::malloc(largest);  // never touched
  std::free(mapped);
}

}  // namespace
