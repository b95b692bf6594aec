#include <limits>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/distribute/halo_kernels.hpp"

namespace spsolve::cuda::inline distribute {

namespace {

constexpr int threads = 256;

/// Calls work(id, place) for every pack of the listed rows, a thread a pack: place is that of pack
/// id in the rows that the list names. Number is 32 bits wide where that is enough: a division by
/// the packs of a row takes several times as long in 64.
template <typename Number, typename Work>
__device__ void for_packs(const LocalIndex* list, Number count, Number per_row, const Work& work) {
  for (auto id = static_cast<Number>(thread_index()); id < count * per_row;
       id += static_cast<Number>(thread_count())) {
    const Number i = id / per_row;
    work(id, static_cast<Index>(list[i]) * per_row + (id - i * per_row));
  }
}

template <typename Pack, typename Number>
__global__ void pack(const Pack* x, const LocalIndex* list, Number count, Number per_row,
                     Pack* packed) {
  for_packs(list, count, per_row, [&](Number id, Index place) { packed[id] = x[place]; });
}

template <typename T, int size, typename Number>
__global__ void add(const Packed<T, size>* sums, const LocalIndex* list, Number count,
                    Number per_row, Packed<T, size>* y) {
  for_packs(list, count, per_row, [&](Number id, Index place) {
    Packed<T, size> value = y[place];
#pragma unroll
    for (int c = 0; c < size; ++c) value.elements[c] += sums[id].elements[c];
    y[place] = value;
  });
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

SPSOLVE_INSTANTIATE_FUNCTION(pack_rows)
SPSOLVE_INSTANTIATE_FUNCTION(add_rows)

}  // namespace spsolve::cuda::distribute
