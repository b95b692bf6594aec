#include <limits>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/distribute/halo_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;

// A thread a pack of neighbouring elements; `per_row` packs a row. Number is 32 bits wide where
// that is enough: a division by the number of columns takes several times as long in 64.

template <typename Pack, typename Number>
__global__ void pack(const Pack* x, const LocalIndex* list, Number count, Number per_row,
                     Pack* packed) {
  for (auto id = static_cast<Number>(thread_index()); id < count * per_row;
       id += static_cast<Number>(thread_count())) {
    const Number i = id / per_row;
    packed[id] = x[static_cast<Index>(list[i]) * per_row + (id - i * per_row)];
  }
}

template <typename T, int size>
__device__ void add_to(Packed<T, size>& to, const Packed<T, size>& from) {
#pragma unroll
  for (int c = 0; c < size; ++c) to.elements[c] += from.elements[c];
}

template <typename Pack, typename Number>
__global__ void add(const Pack* sums, const LocalIndex* list, Number count, Number per_row,
                    Pack* y) {
  for (auto id = static_cast<Number>(thread_index()); id < count * per_row;
       id += static_cast<Number>(thread_count())) {
    const Number i = id / per_row;
    Pack* const place = y + static_cast<Index>(list[i]) * per_row + (id - i * per_row);
    Pack value = *place;
    add_to(value, sums[id]);
    *place = value;
  }
}

/// Calls launch(Packed<T, size>{}, count, per_row) for the widest packs that both arrays can be
/// taken in, and the narrowest numbers.
template <typename T, typename Launch>
void in_packs(const T* a, const T* b, Index count, Index columns, const Launch& launch) {
  constexpr std::size_t bytes = 16;
  const auto with_numbers = [&](auto pack, Index per_row) {
    // The last stride past the end stays within the range, too.
    const bool narrow = count * per_row < std::numeric_limits<int>::max();
    if (narrow) {
      launch(pack, static_cast<unsigned>(count), static_cast<unsigned>(per_row));
    } else {
      launch(pack, count, per_row);
    }
  };
  if (rows_aligned(a, columns, bytes) && rows_aligned(b, columns, bytes)) {
    with_numbers(Packed<T, full_pack<T>>{}, columns / full_pack<T>);
  } else {
    with_numbers(Packed<T, 1>{}, columns);
  }
}

}  // namespace

template <typename T>
void pack_rows(const T* x, const LocalIndex* list, Index count, Index columns, T* packed,
               cudaStream_t stream) {
  if (count == 0) return;
  in_packs(x, packed, count, columns, [&]<typename Pack>(Pack, auto rows, auto per_row) {
    pack<<<grid_for(count * per_row, threads), threads, 0, stream>>>(
        reinterpret_cast<const Pack*>(x), list, rows, per_row, reinterpret_cast<Pack*>(packed));
  });
  check_launch("pack_rows");
}

template <typename T>
void add_rows(const T* sums, const LocalIndex* list, Index count, Index columns, T* y,
              cudaStream_t stream) {
  if (count == 0) return;
  in_packs(sums, y, count, columns, [&]<typename Pack>(Pack, auto rows, auto per_row) {
    add<<<grid_for(count * per_row, threads), threads, 0, stream>>>(
        reinterpret_cast<const Pack*>(sums), list, rows, per_row, reinterpret_cast<Pack*>(y));
  });
  check_launch("add_rows");
}

#define SPSOLVE_INSTANTIATE(T)                                                          \
  template void pack_rows(const T*, const LocalIndex*, Index, Index, T*, cudaStream_t); \
  template void add_rows(const T*, const LocalIndex*, Index, Index, T*, cudaStream_t);
SPSOLVE_INSTANTIATE(float)
SPSOLVE_INSTANTIATE(double)
#undef SPSOLVE_INSTANTIATE

}  // namespace spsolve::cuda
