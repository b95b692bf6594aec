#pragma once

#include <string>

#include "matrix/csr.hpp"

namespace spsolve::inline plan {

/// Bytes that are taken of a matrix that was read, in addition to its compressed rows: for each of
/// its rows and of its columns, and for each non-zero.
struct BytesBeside {
  std::int64_t row = 0, nonzero = 0;
};

/// Throws Error(resources), naming the matrix, what it would take and what is free, where memory
/// does not hold what the header of a file claims, or what a generator will make: the reading, then
/// its compressed rows and the bytes `beside` them. O(1), and nothing is allocated. Programs that
/// plan no more than this call it before they read.
void require_room_to_read(const std::string& name, BytesBeside beside);

/// load_matrix() after require_room_to_read().
Csr<double> load_within_memory(const std::string& name, BytesBeside beside);

}  // namespace spsolve::plan
