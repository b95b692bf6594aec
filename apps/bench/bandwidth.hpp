#pragma once

#include <cstdint>

namespace spsolve::bench {

/// The result of the triad with one thread count.
struct Triad {
  int threads = 1;
  std::int64_t array_bytes = 0;  ///< of each of the three arrays
  double seconds = 0;            ///< median of one pass
  double bytes_per_second = 0;   ///< 24 bytes an element over `seconds`
};

/// The memory bandwidth that `threads` threads reach with the triad a_i = b_i + s c_i in double
/// (McCalpin, Memory bandwidth and machine balance in current high performance computers, 1995).
///
/// Counted are 24 bytes an element, as STREAM does: two reads and one write. Where a processor
/// reads the line of `a` before it writes it (write-allocate), a third more moves than is counted.
/// Each thread touches its own part of the arrays first. The first passes warm up; the median of
/// the next `passes` counts.
///
/// `array_bytes` is the size of each array, 0 for triad_array_bytes().
/// Throws Error(resources) where three such arrays do not fit into the free memory.
Triad measure_triad(int threads, std::int64_t array_bytes = 0, int passes = 7);

/// Size of each array of the triad: four times the last cache that the system reports, at least 64
/// MiB, at most 512 MiB and an eighth of the free memory.
std::int64_t triad_array_bytes();

}  // namespace spsolve::bench
