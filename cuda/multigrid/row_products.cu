#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <cub/device/device_radix_sort.cuh>

#include "cuda/core/first_from.cuh"
#include "cuda/core/launch.cuh"
#include "cuda/core/list_offsets.cuh"
#include "cuda/multigrid/row_products.hpp"

namespace spsolve::cuda::inline multigrid {

namespace {

constexpr int threads = 256;
constexpr LocalIndex no_column = -1;

/// Rows whose tables have as many slots, twice what they may have entries at least.
struct Kind {
  Index most;  ///< entries of a row
  int lanes;   ///< of a row
  int slots;
  int rows;  ///< at a time in a thread block
};
constexpr int shared_kinds = 4;
constexpr __host__ __device__ Kind shared_kind(int number) {
  constexpr Kind all[shared_kinds] = {
      {16, 4, 32, 32}, {64, 8, 128, 16}, {512, 32, 1024, 2}, {1024, 32, 2048, 1}};
  return all[number];
}
constexpr int kinds = shared_kinds + 1;  // the last one in GPU memory
constexpr std::int64_t most_table_bytes = std::int64_t{256} << 20;

/// The most entries that each row of C may have.
__global__ void bounds_kernel(CsrView<double> a, CsrView<double> b, Index* bounds) {
  for (Index i = thread_index(); i < a.rows; i += thread_count()) {
    Index bound = 0;
    for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const LocalIndex j = a.column_indices[k];
      if (j >= 0) bound += b.row_offsets[j + 1] - b.row_offsets[j];
    }
    bounds[i] = min(bound, b.columns);
  }
}

__global__ void kinds_kernel(const Index* bounds, Index rows, unsigned char* kind_of,
                             LocalIndex* numbers, unsigned long long* largest) {
  for (Index i = thread_index(); i < rows; i += thread_count()) {
    int kind = 0;
#pragma unroll
    for (int other = 0; other < shared_kinds; ++other) kind += bounds[i] > shared_kind(other).most;
    kind_of[i] = static_cast<unsigned char>(kind);
    numbers[i] = static_cast<LocalIndex>(i);
    if (kind == kinds - 1) atomicMax(largest, static_cast<unsigned long long>(bounds[i]));
  }
}

__global__ void starts_kernel(const unsigned char* sorted, Index rows, Index* starts) {
  const auto kind = static_cast<int>(threadIdx.x);
  if (kind <= kinds) starts[kind] = first_from(sorted, rows, static_cast<unsigned char>(kind));
}

/// The lanes of one row.
template <int lanes>
struct Group {
  int lane = static_cast<int>(threadIdx.x) % lanes;
  unsigned mask = lanes == warp_size
                      ? whole_warp
                      : ((1u << lanes) - 1) << (threadIdx.x % warp_size / lanes * lanes);

  __device__ void meet() const { __syncwarp(mask); }
  template <typename T>
  __device__ T from(T value, int other) const {
    return __shfl_sync(mask, value, other, lanes);
  }
  __device__ unsigned lanes_with(bool condition) const {
    return __ballot_sync(mask, condition) & mask;
  }
  __device__ unsigned before() const { return mask & ((1u << (threadIdx.x % warp_size)) - 1); }
};

/// The place of a column among the keys, whose number is a power of two; it is taken where the
/// column has none yet.
__device__ int place_of(LocalIndex column, LocalIndex* keys, int slots, bool& is_new) {
  unsigned place = static_cast<unsigned>(column) * 2654435761u;
  while (true) {
    place &= static_cast<unsigned>(slots) - 1;
    const LocalIndex before = atomicCAS(keys + place, no_column, column);
    is_new = before == no_column;
    if (is_new || before == column) return static_cast<int>(place);
    ++place;
  }
}

/// visit(column, a_ij b_jc) for all entries of row i of A B, by all lanes; those of one j side by
/// side, and all lanes meet before the next.
template <int lanes, typename Visit>
__device__ void visit_row(const CsrView<double>& a, const CsrView<double>& b, Index i,
                          const Group<lanes>& group, const Visit& visit) {
  const Index end = a.row_offsets[i + 1];
  for (Index begin = a.row_offsets[i]; begin < end; begin += lanes) {
    const Index k = begin + group.lane;
    const LocalIndex j = k < end ? a.column_indices[k] : no_column;
    const double value = j >= 0 ? a.values[k] : 0.0;
    const Index first = j >= 0 ? b.row_offsets[j] : 0;
    const Index last = j >= 0 ? b.row_offsets[j + 1] : 0;
    const int here = static_cast<int>(min(Index{lanes}, end - begin));
    for (int other = 0; other < here; ++other) {
      const double factor = group.from(value, other);
      const Index row_end = group.from(last, other);
      for (Index e = group.from(first, other) + group.lane; e < row_end; e += lanes) {
        visit(b.column_indices[e], factor * b.values[e]);
      }
      group.meet();
    }
  }
}

template <int lanes>
__device__ void count_row(const CsrView<double>& a, const CsrView<double>& b, Index i,
                          const Group<lanes>& group, LocalIndex* keys, int slots, Index* lengths) {
  for (int slot = group.lane; slot < slots; slot += lanes) keys[slot] = no_column;
  group.meet();
  int found = 0;
  visit_row(a, b, i, group, [&](LocalIndex column, double) {
    bool is_new;
    place_of(column, keys, slots, is_new);
    found += is_new;
  });
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    found += __shfl_xor_sync(group.mask, found, distance, lanes);
  }
  if (group.lane == 0) lengths[i] = found;
  group.meet();
}

/// `used`: room for half as many numbers as there are slots.
template <int lanes>
__device__ void add_up_row(const CsrView<double>& a, const CsrView<double>& b, Index i,
                           const Group<lanes>& group, LocalIndex* keys, double* sums, int* used,
                           int slots, Index to, LocalIndex* columns, double* values) {
  for (int slot = group.lane; slot < slots; slot += lanes) {
    keys[slot] = no_column;
    sums[slot] = 0;
  }
  group.meet();
  visit_row(a, b, i, group, [&](LocalIndex column, double term) {
    bool is_new;
    sums[place_of(column, keys, slots, is_new)] += term;
  });
  int count = 0;
  for (int slot = group.lane; slot < slots; slot += lanes) {
    const unsigned found = group.lanes_with(keys[slot] != no_column);
    if (keys[slot] != no_column) used[count + __popc(found & group.before())] = slot;
    count += __popc(found);
  }
  group.meet();
  for (int entry = group.lane; entry < count; entry += lanes) {
    const LocalIndex column = keys[used[entry]];
    int smaller = 0;
    for (int other = 0; other < count; ++other) smaller += keys[used[other]] < column;
    columns[to + smaller] = column;
    values[to + smaller] = sums[used[entry]];
  }
  group.meet();
}

template <int lanes, int slots, int rows_at_once>
__global__ void __launch_bounds__(lanes* rows_at_once)
    count_kernel(CsrView<double> a, CsrView<double> b, const LocalIndex* rows, Index count,
                 Index* lengths) {
  __shared__ LocalIndex keys[rows_at_once][slots];
  const int mine = static_cast<int>(threadIdx.x) / lanes;
  const Group<lanes> group;
  for (Index r = static_cast<Index>(blockIdx.x) * rows_at_once + mine; r < count;
       r += static_cast<Index>(gridDim.x) * rows_at_once) {
    count_row(a, b, rows[r], group, keys[mine], slots, lengths);
  }
}

template <int lanes, int slots, int rows_at_once>
__global__ void __launch_bounds__(lanes* rows_at_once)
    add_up_kernel(CsrView<double> a, CsrView<double> b, const LocalIndex* rows, Index count,
                  const Index* offsets, LocalIndex* columns, double* values) {
  __shared__ double sums[rows_at_once][slots];
  __shared__ LocalIndex keys[rows_at_once][slots];
  __shared__ int used[rows_at_once][slots / 2];
  const int mine = static_cast<int>(threadIdx.x) / lanes;
  const Group<lanes> group;
  for (Index r = static_cast<Index>(blockIdx.x) * rows_at_once + mine; r < count;
       r += static_cast<Index>(gridDim.x) * rows_at_once) {
    const Index i = rows[r];
    add_up_row(a, b, i, group, keys[mine], sums[mine], used[mine], slots, offsets[i], columns,
               values);
  }
}

/// Rows that may be long and seldom are, in the largest table in shared memory: a warp for each. A
/// row with more entries than that holds gets the length -1, and `given_up` is their number.
__global__ void __launch_bounds__(warp_size)
    try_to_count_kernel(CsrView<double> a, CsrView<double> b, const LocalIndex* rows, Index count,
                        Index* lengths, unsigned* given_up) {
  constexpr int slots = shared_kind(shared_kinds - 1).slots;
  constexpr int most = static_cast<int>(shared_kind(shared_kinds - 1).most);
  static_assert(most + warp_size < slots);
  __shared__ LocalIndex keys[slots];
  __shared__ int entries;
  const Group<warp_size> group;
  for (Index r = blockIdx.x; r < count; r += gridDim.x) {
    for (int slot = group.lane; slot < slots; slot += warp_size) keys[slot] = no_column;
    if (group.lane == 0) entries = 0;
    group.meet();
    const volatile int& present = entries;
    visit_row(a, b, rows[r], group, [&](LocalIndex column, double) {
      if (present > most) return;
      bool is_new;
      place_of(column, keys, slots, is_new);
      if (is_new) atomicAdd(&entries, 1);
    });
    if (group.lane == 0) {
      lengths[rows[r]] = present > most ? -1 : present;
      if (present > most) atomicAdd(given_up, 1u);
    }
    group.meet();
  }
}

/// Adds up with tables in GPU memory, a warp and a table for each thread block: the rows of length
/// -1.
__global__ void __launch_bounds__(warp_size)
    count_long_kernel(CsrView<double> a, CsrView<double> b, const LocalIndex* rows, Index count,
                      LocalIndex* keys, int slots, Index* lengths) {
  const Group<warp_size> group;
  for (Index r = blockIdx.x; r < count; r += gridDim.x) {
    if (lengths[rows[r]] >= 0) continue;
    count_row(a, b, rows[r], group, keys + static_cast<Index>(blockIdx.x) * slots, slots, lengths);
  }
}

__global__ void __launch_bounds__(warp_size)
    add_up_long_kernel(CsrView<double> a, CsrView<double> b, const LocalIndex* rows, Index count,
                       LocalIndex* keys, double* sums, int* used, int slots, const Index* offsets,
                       LocalIndex* columns, double* values) {
  const Group<warp_size> group;
  const Index table = static_cast<Index>(blockIdx.x) * slots;
  for (Index r = blockIdx.x; r < count; r += gridDim.x) {
    const Index i = rows[r];
    add_up_row(a, b, i, group, keys + table, sums + table, used + table / 2, slots, offsets[i],
               columns, values);
  }
}

/// Rows by their kinds, and where those of each kind begin.
struct SortedRows {
  DeviceArray<LocalIndex> rows;
  std::array<Index, kinds + 1> starts{};
  Index largest = 0;  ///< what a row of the last kind may have at most

  const LocalIndex* of(int kind) const { return rows.data() + starts[kind]; }
  Index count(int kind) const { return starts[kind + 1] - starts[kind]; }
};

SortedRows sorted_by_kind(const Index* bounds, Index rows, cudaStream_t stream) {
  SortedRows result;
  result.rows.grow(rows);
  DeviceArray<unsigned char> kind_of(rows), sorted(rows);
  DeviceArray<LocalIndex> numbers(rows);
  DeviceArray<Index> told(kinds + 2);
  CUDA_CHECK(cudaMemsetAsync(told.data(), 0, static_cast<std::size_t>(told.bytes()), stream));
  kinds_kernel<<<grid_for(rows, threads), threads, 0, stream>>>(
      bounds, rows, kind_of.data(), numbers.data(),
      reinterpret_cast<unsigned long long*>(told.data() + kinds + 1));
  check_launch("kinds");
  constexpr int bits = std::bit_width(static_cast<unsigned>(kinds));
  std::size_t of_sort = 0;
  const auto sort = [&](void* room) {
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(room, of_sort, kind_of.data(), sorted.data(),
                                               numbers.data(), result.rows.data(), rows, 0, bits,
                                               stream));
  };
  sort(nullptr);
  DeviceArray<unsigned char> room(static_cast<Index>(of_sort));
  sort(room.data());
  starts_kernel<<<1, warp_size, 0, stream>>>(sorted.data(), rows, told.data());
  check_launch("starts");
  std::array<Index, kinds + 2> numbers_told{};
  CUDA_CHECK(cudaMemcpyAsync(numbers_told.data(), told.data(), sizeof(numbers_told),
                             cudaMemcpyDeviceToHost, stream));
  wait_for(stream);
  std::copy_n(numbers_told.begin(), result.starts.size(), result.starts.begin());
  result.largest = numbers_told.back();
  return result;
}

/// use(constants of the kind, blocks, rows, count) for the rows of each kind in shared memory.
template <int kind = 0, typename Use>
void for_shared_kinds(const SortedRows& sorted, const Use& use) {
  if constexpr (kind < shared_kinds) {
    constexpr Kind of = shared_kind(kind);
    if (sorted.count(kind) > 0) {
      use.template operator()<of.lanes, of.slots, of.rows>(sorted.of(kind), sorted.count(kind));
    }
    for_shared_kinds<kind + 1>(sorted, use);
  }
}

/// Tables in GPU memory for rows of the last kind; for columns alone, if `counts`.
struct LongTables {
  LongTables(const SortedRows& sorted, bool counts) {
    const Index rows = sorted.count(kinds - 1);
    if (rows == 0) return;
    slots = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(2 * sorted.largest)));
    constexpr Index many = 264;
    const std::int64_t bytes_of_one =
        slots * static_cast<std::int64_t>(sizeof(double) + sizeof(LocalIndex) + sizeof(int) / 2);
    blocks = std::clamp<Index>(most_table_bytes / bytes_of_one, 1, std::min(many, rows));
    keys.grow(blocks * slots);
    if (counts) return;
    sums.grow(blocks * slots);
    used.grow(blocks * slots / 2);
  }
  int slots = 0;
  Index blocks = 0;
  DeviceArray<LocalIndex> keys;
  DeviceArray<double> sums;
  DeviceArray<int> used;
};

/// The entries of every row of A B; `lengths` has room for them.
void count_rows(const CsrView<double>& a, const CsrView<double>& b, Index* lengths,
                cudaStream_t stream) {
  DeviceArray<Index> bounds(a.rows);
  bounds_kernel<<<grid_for(a.rows, threads), threads, 0, stream>>>(a, b, bounds.data());
  check_launch("bounds");
  const SortedRows sorted = sorted_by_kind(bounds.data(), a.rows, stream);
  for_shared_kinds(
      sorted, [&]<int lanes, int slots, int at_once>(const LocalIndex* rows, Index count) {
        count_kernel<lanes, slots, at_once>
            <<<grid_for(count, at_once), lanes * at_once, 0, stream>>>(a, b, rows, count, lengths);
        check_launch("count");
      });
  const Index long_rows = sorted.count(kinds - 1);
  if (long_rows > 0) {
    const LocalIndex* const rows = sorted.of(kinds - 1);
    DeviceArray<unsigned> given_up(1);
    CUDA_CHECK(cudaMemsetAsync(given_up.data(), 0, sizeof(unsigned), stream));
    try_to_count_kernel<<<grid_for(long_rows, 1), warp_size, 0, stream>>>(a, b, rows, long_rows,
                                                                          lengths, given_up.data());
    check_launch("try_to_count");
    if (given_up.brought(0, stream) > 0) {
      LongTables tables(sorted, true);
      count_long_kernel<<<static_cast<unsigned>(tables.blocks), warp_size, 0, stream>>>(
          a, b, rows, long_rows, tables.keys.data(), tables.slots, lengths);
      check_launch("count_long");
      wait_for(stream);  // the tables go
    }
  }
  wait_for(stream);  // the lists go
}

/// Adds up the rows of C, of these lengths, in their places.
void add_up_rows(const CsrView<double>& a, const CsrView<double>& b, const Index* lengths,
                 DeviceCsr<double>& c, cudaStream_t stream) {
  const SortedRows sorted = sorted_by_kind(lengths, a.rows, stream);
  for_shared_kinds(sorted, [&]<int lanes, int slots, int at_once>(const LocalIndex* rows,
                                                                  Index count) {
    add_up_kernel<lanes, slots, at_once><<<grid_for(count, at_once), lanes * at_once, 0, stream>>>(
        a, b, rows, count, c.row_offsets.data(), c.column_indices.data(), c.values.data());
    check_launch("add_up");
  });
  LongTables tables(sorted, false);
  if (tables.blocks > 0) {
    add_up_long_kernel<<<static_cast<unsigned>(tables.blocks), warp_size, 0, stream>>>(
        a, b, sorted.of(kinds - 1), sorted.count(kinds - 1), tables.keys.data(), tables.sums.data(),
        tables.used.data(), tables.slots, c.row_offsets.data(), c.column_indices.data(),
        c.values.data());
    check_launch("add_up_long");
  }
  wait_for(stream);  // lists and tables go
}

}  // namespace

DeviceCsr<double> row_products(const CsrView<double>& a, const CsrView<double>& b,
                               cudaStream_t stream) {
  DeviceCsr<double> c;
  c.rows = a.rows;
  c.columns = b.columns;
  c.row_offsets.grow(a.rows + 1);
  DeviceArray<Index> lengths(a.rows + 1);
  if (a.rows > 0) count_rows(a, b, lengths.data(), stream);
  list_offsets(lengths, a.rows, c.row_offsets, stream);
  const Index nonzeros = c.row_offsets.brought(a.rows, stream);
  c.column_indices.grow(nonzeros);
  c.values.grow(nonzeros);
  if (a.rows > 0) add_up_rows(a, b, lengths.data(), c, stream);
  return c;
}

}  // namespace spsolve::cuda::multigrid
