#include "cuda/core/first_from.cuh"
#include "cuda/core/launch.cuh"
#include "cuda/sparse/front_kernels.hpp"
#include "cuda/sparse/gathered_sum.cuh"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;

/// The place of an entry in the arena: of upper where it is above the diagonal blocks.
__device__ Index place_of(const FrontPlace& front, const FrontEntry& entry) {
  const Index ld = front.ld;
  const int row = entry.row, column = entry.column, p = front.pivots;
  if (column < 0) return front.upper + front.border_row + row + ~column * ld;
  if (row / pivot_block < column / pivot_block) return front.upper + column + row * ld;
  return front.lower + (row < p ? row : front.border_row + row - p) + column * ld;
}

/// Values that a thread has under way at a time: they are loaded before the first is stored.
constexpr int batch = 4;

/// A warp a front.
template <typename T>
__global__ void place_entries_kernel(DeviceFronts<T> fronts, const int* list, Index count,
                                     const Index* starts, const FrontEntry* entries,
                                     const double* values) {
  const Index warps = thread_count() / warp_size;
  for (Index i = thread_index() / warp_size; i < count; i += warps) {
    const Index s = list != nullptr ? list[i] : i;
    const FrontPlace front = fronts.places[s];
    const Index end = starts[s + 1];
    for (Index k = starts[s] + threadIdx.x % warp_size; k < end; k += batch * warp_size) {
      Index place[batch];
      double value[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const Index e = k + b * warp_size;
        place[b] = -1;
        if (e >= end) continue;
        const FrontEntry entry = entries[e];
        place[b] = place_of(front, entry);
        value[b] = values[entry.source];
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        if (place[b] >= 0) fronts.arena[place[b]] = static_cast<T>(value[b]);
      }
    }
  }
}

/// One child's block as its parent takes it in.
template <typename T>
struct Child {
  const T* block;
  const int* places;
  Index ld;
  int size;
};

/// The rows that warps take side by side, and their lanes one after another.
struct Lanes {
  int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  int lane = threadIdx.x % warp_size;
};

/// to[place_of(r)] += from[r] for the lane's share of from <= r < end, where place_of(r) >= 0.
template <typename T, typename PlaceOf>
__device__ void add_some(const T* from, int begin, int end, int lane, T* to,
                         const PlaceOf& place_of) {
  for (int r = begin + lane; r < end; r += batch * warp_size) {
    Index place[batch];
    T value[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int i = r + b * warp_size;
      place[b] = i < end ? place_of(i) : -1;
      value[b] = i < end ? __ldg(from + i) : T(0);
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      if (place[b] >= 0) value[b] += to[place[b]];
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      if (place[b] >= 0) to[place[b]] = value[b];
    }
  }
}

/// Rows and columns of a child that a piece takes in, as they count in the child.
struct Share {
  int from, to;            ///< what are columns begin ... end of the piece
  int across, across_end;  ///< what are its rows
};

/// To columns of lower or of what is passed up.
template <bool symmetric, typename T>
__device__ void add_columns(const FrontPlace& front, const Child<T>& child, const Share& share,
                            bool to_border, T* columns, Index ld) {
  const Lanes here;
  const int p = front.pivots;
  for (int c = share.from + here.warp; c < share.to; c += here.warps) {
    const int j = child.places[c];
    const T* source = child.block + c * child.ld;
    T* column = columns + (to_border ? j - p : j) * ld;
    // Of L11 the blocks on the diagonal and below: a block's rows are at most so many before c.
    const int least = to_border ? p : j / pivot_block * pivot_block;
    const int above = symmetric ? c : to_border ? 0 : c - pivot_block + 1;
    add_some(source, max(share.across, above), share.across_end, here.lane, column,
             [&](int r) -> Index {
               const int i = __ldg(child.places + r);
               if (i < least) return -1;
               return to_border ? i - p : i < p ? i : front.border_row + i - p;
             });
  }
}

/// Columns of a child that cross shared memory at a time.
constexpr int tile_columns = 64;

template <typename T>
using RowTile = T[piece_columns][tile_columns + 1];

/// To columns of upper, which are rows of the front: they are read along the columns of the child
/// and written along their own.
template <typename T>
__device__ void add_rows(const FrontPlace& front, const Child<T>& child, const Share& share,
                         T* columns, RowTile<T>& tile) {
  const Lanes here;
  const int p = front.pivots;
  const int rows = share.to - share.from;  // piece_columns at most
  const int row = static_cast<int>(threadIdx.x) % piece_columns;
  // Columns of blocks behind a row's are behind the row.
  for (int c0 = max(share.across, share.from); c0 < share.across_end; c0 += tile_columns) {
    const int count = min(tile_columns, share.across_end - c0);
#pragma unroll
    for (int k = 0; k < tile_columns * piece_columns / threads; ++k) {
      const int c = (static_cast<int>(threadIdx.x) + k * threads) / piece_columns;
      if (row < rows && c < count) {
        tile[row][c] = __ldg(child.block + share.from + row + (c0 + c) * child.ld);
      }
    }
    __syncthreads();
    for (int r = here.warp; r < rows; r += here.warps) {
      const int i = __ldg(child.places + share.from + r);
      T* const column = columns + i * static_cast<Index>(front.ld);
#pragma unroll
      for (int k = 0; k < tile_columns / warp_size; ++k) {
        const int c = here.lane + k * warp_size;
        if (c >= count) break;
        const int j = __ldg(child.places + c0 + c);
        if (j < p && j / pivot_block <= i / pivot_block) continue;
        column[j < p ? j : front.border_row + j - p] += tile[r][c];
      }
    }
    __syncthreads();
  }
}

/// Sets the piece of what is passed up to zero.
template <typename T>
__device__ void clear(const AssemblyPiece& piece, T* columns, Index ld) {
  const Lanes here;
  for (int c = piece.begin + here.warp; c < piece.end; c += here.warps) {
    for (int r = piece.across + here.lane; r < piece.across_end; r += warp_size) {
      columns[r + c * ld] = 0;
    }
  }
}

template <bool symmetric, typename T>
__global__ void __launch_bounds__(threads)
    assemble_kernel(DeviceFronts<T> fronts, const AssemblyPiece* pieces) {
  __shared__ RowTile<T> tile;
  const AssemblyPiece piece = pieces[blockIdx.x];
  const FrontPlace front = fronts.places[piece.front];
  const bool to_border = piece.part == AssemblyPiece::passed_up;
  T* const columns = fronts.arena + (to_border                            ? front.passed_up
                                     : piece.part == AssemblyPiece::upper ? front.upper
                                                                          : front.lower);
  if (to_border) {
    clear(piece, columns, front.ld_passed);
    __syncthreads();
  }
  const int shift = to_border ? front.pivots : 0;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  constexpr int few = 8;  // children that are looked at one by one
  const int child_end = front.child_end - front.gathered_children;
  for (int base = front.child_begin; base < child_end; base += warp_size) {
    const int count = min(warp_size, child_end - base);
    unsigned left = whole_warp >> (warp_size - count);
    if (count > few) {  // lanes look which of them have something for this piece
      const bool has_some = lane < count && [&] {
        const FrontPlace& place = fronts.places[fronts.children[base + lane]];
        const int* const places = fronts.in_parent + place.border_begin;
        const int from = first_from(places, place.border, piece.begin + shift);
        return from < place.border && places[from] < piece.end + shift;
      }();
      left = __ballot_sync(whole_warp, has_some);
    }
    for (; left != 0; left &= left - 1) {
      const int i = base + __ffs(static_cast<int>(left)) - 1;
      const FrontPlace& place = fronts.places[fronts.children[i]];
      const Child<T> child{fronts.arena + place.passed_up, fronts.in_parent + place.border_begin,
                           place.ld_passed, place.border};
      // Four searches at the same time.
      const int sought = lane == 0   ? piece.begin
                         : lane == 1 ? piece.end
                         : lane == 2 ? piece.across
                                     : piece.across_end;
      const int found = first_from(child.places, child.size, sought + shift);
      const Share share{__shfl_sync(whole_warp, found, 0), __shfl_sync(whole_warp, found, 1),
                        __shfl_sync(whole_warp, found, 2), __shfl_sync(whole_warp, found, 3)};
      if (share.from == share.to || share.across == share.across_end) continue;
      if (piece.part == AssemblyPiece::upper) {
        add_rows(front, child, share, columns, tile);
      } else {
        add_columns<symmetric>(front, child, share, to_border, columns,
                               to_border ? front.ld_passed : front.ld);
      }
      __syncthreads();  // the next child may add to the same places
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(threads)
    gather_kernel(DeviceFronts<T> fronts, Index first, Index count) {
  const Index warps = thread_count() / warp_size;
  for (Index i = thread_index() / warp_size; i < count; i += warps) {
    const GatheredElement element = fronts.gathered[first + i];
    const T sum = gathered_sum<warp_size>(fronts, element);
    if (threadIdx.x % warp_size == 0) fronts.arena[element.place] += sum;
  }
}

}  // namespace

template <typename T>
void place_entries(const DeviceFronts<T>& fronts, const int* list, Index count, const Index* starts,
                   const FrontEntry* entries, const double* values, cudaStream_t stream) {
  if (count == 0) return;
  place_entries_kernel<<<grid_for(count * warp_size, threads), threads, 0, stream>>>(
      fronts, list, count, starts, entries, values);
  check_launch("place_entries");
}

template <typename T>
void assemble(Factorization kind, const DeviceFronts<T>& fronts, const AssemblyPiece* pieces,
              Index count, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel =
      kind == Factorization::lu ? assemble_kernel<false, T> : assemble_kernel<true, T>;
  kernel<<<static_cast<unsigned>(count), threads, 0, stream>>>(fronts, pieces);
  check_launch("assemble");
}

template <typename T>
void gather(const DeviceFronts<T>& fronts, Index first, Index count, cudaStream_t stream) {
  if (count == 0) return;
  gather_kernel<<<grid_for(count * warp_size, threads), threads, 0, stream>>>(fronts, first, count);
  check_launch("gather");
}

template void gather(const DeviceFronts<float>&, Index, Index, cudaStream_t);
template void gather(const DeviceFronts<double>&, Index, Index, cudaStream_t);
template void place_entries(const DeviceFronts<float>&, const int*, Index, const Index*,
                            const FrontEntry*, const double*, cudaStream_t);
template void place_entries(const DeviceFronts<double>&, const int*, Index, const Index*,
                            const FrontEntry*, const double*, cudaStream_t);
template void assemble(Factorization, const DeviceFronts<float>&, const AssemblyPiece*, Index,
                       cudaStream_t);
template void assemble(Factorization, const DeviceFronts<double>&, const AssemblyPiece*, Index,
                       cudaStream_t);

}  // namespace spsolve::cuda
