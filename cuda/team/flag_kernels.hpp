#pragma once

#include <cuda_runtime_api.h>

namespace spsolve::cuda::inline team {

// Flags by which GPUs tell each other how far they are: numbers in the memory of one that others
// write to. They only grow, but for the turn from 2^32 - 1 to 0.

/// Sets `count` flags to `value`; what was done on the stream before is seen by who sees that.
void raise_flags(unsigned* const* flags, int count, unsigned value, cudaStream_t stream);

/// Work that follows on the stream waits until `count` flags are `value` or more.
void wait_for_flags(unsigned* const* flags, int count, unsigned value, cudaStream_t stream);

}  // namespace spsolve::cuda::team
