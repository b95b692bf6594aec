#pragma once

#include "cuda/core/device_array.hpp"

namespace spsolve::cuda::inline multiply {

/// to[j * rows + i] = from[i * columns + j], on the current stream; the two must not overlap.
template <typename T>
void transpose(const T* from, T* to, Index rows, Index columns);

/// X, n x K row-major, transposed into `scratch`, which grows where it is too small: column c of X
/// begins at c * n. For K = 1 that is X itself, and nothing is done.
template <typename T>
const T* transposed(const T* x, Index n, Index columns, DeviceArray<T>& scratch) {
  if (columns == 1 || n == 0) return x;
  scratch.grow(n * columns);
  transpose(x, scratch.data(), n, columns);
  return scratch.data();
}

}  // namespace spsolve::cuda::multiply
