#pragma once

#include "cuda/core/packed.cuh"
#include "cuda/sparse/pivots/pivot_block.cuh"

namespace spsolve::cuda::inline sparse {

/// Numbers of one lane, or of a few, that all lanes of a warp want: through shared memory, as a
/// shuffle for each of them takes several times as many instructions. Two lists in turn, or more,
/// so that one wait between writing and reading is enough.
template <typename T, int wide, int lists = 2>
class SharedList {
 public:
  /// `room`: lists (wide + 2) numbers, aligned to two.
  __device__ explicit SharedList(T* room) : room_(room) {}

  __device__ T* of(int turn) const { return room_ + turn % lists * (wide + 2); }

  /// values[from] ... values[wide - 1], and one before them where that is no whole pair.
  static __device__ void store(T* list, const T (&values)[wide], int from) {
#pragma unroll
    for (int c = from / 2 * 2; c < wide; c += 2) {
      *reinterpret_cast<Packed<T, 2>*>(list + c) = {{values[c], values[c + 1]}};
    }
  }
  static __device__ void load(const T* list, T (&values)[wide], int from) {
#pragma unroll
    for (int c = from / 2 * 2; c < wide; c += 2) {
      const auto pair = *reinterpret_cast<const Packed<T, 2>*>(list + c);
      values[c] = pair.elements[0];
      values[c + 1] = pair.elements[1];
    }
  }
  /// One number more.
  static __device__ T& inverse_in(T* list) {
    return list[wide];
  }

 private:
  T* room_;
};

}  // namespace spsolve::cuda::sparse
