#pragma once

#include <span>

#include "vectors/multivector/vectors.hpp"

namespace spsolve::cuda::inline vectors {

/// All own rows of vectors on the current GPU from and to memory that others made, of the host or
/// of a GPU: which of them, CUDA sees by the address. Waits until all is there.
void take_rows(Vectors& rows, std::span<const double> from);
void give_rows(const Vectors& rows, std::span<double> to);

}  // namespace spsolve::cuda::vectors
