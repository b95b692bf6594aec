#include <cstdint>

#include "cuda/core/first_from.cuh"
#include "cuda/core/launch.cuh"
#include "cuda/sparse/fronts/element_sum.cuh"
#include "cuda/sparse/fronts/front_kernels.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 256;

/// The place of an entry in the arena: of upper where it is above the diagonal blocks.
__device__ Index place_of(const FrontLayout& front, const FrontEntry& entry) {
  const int row = entry.row, column = entry.column;
  if (column < 0) return front.upper + front.place(front.border_row + row, ~column);
  if (row / pivot_block < column / pivot_block) return front.upper + front.place(column, row);
  return front.lower + front.place(front.row_of(row), column);
}

/// Values that a thread has under way at a time: they are loaded before the first is stored.
constexpr int batch = 4;

/// The lane's share of entries k ... end - 1 of a front, by `lanes` lanes.
template <typename T>
__device__ void place_some(FrontLayout front, Index k, Index end, int lane, int lanes,
                           const FrontEntry* entries, const double* values, T* arena) {
  for (k += lane; k < end; k += batch * lanes) {
    Index place[batch];
    double value[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const Index e = k + b * lanes;
      place[b] = -1;
      if (e >= end) continue;
      const FrontEntry entry = entries[e];
      place[b] = place_of(front, entry);
      value[b] = values[entry.source];
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      if (place[b] >= 0) arena[place[b]] = static_cast<T>(value[b]);
    }
  }
}

/// A warp a front; what is left of those with many entries, by all warps of the block.
template <typename T>
__global__ void __launch_bounds__(threads)
    place_entries_kernel(DeviceFronts<T> fronts, const int* list, Index count, const Index* starts,
                         const FrontEntry* entries, const double* values) {
  constexpr int warps = threads / warp_size, many = 4 * batch * warp_size;
  __shared__ Index unfinished[warps];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (Index base = Index{blockIdx.x} * warps; base < count; base += Index{gridDim.x} * warps) {
    const Index i = base + warp;
    Index left = -1;
    if (i < count) {
      const Index s = list != nullptr ? list[i] : i;
      const Index begin = starts[s], end = starts[s + 1];
      if (end - begin > many) left = s;
      place_some(fronts.layouts[s], begin, min(end, begin + many), lane, warp_size, entries, values,
                 fronts.arena);
    }
    if (lane == 0) unfinished[warp] = left;
    if (__syncthreads_or(left >= 0) == 0) continue;
    for (int w = 0; w < warps; ++w) {
      const Index s = unfinished[w];
      if (s < 0) continue;
      place_some(fronts.layouts[s], starts[s] + many, starts[s + 1], static_cast<int>(threadIdx.x),
                 threads, entries, values, fronts.arena);
    }
    __syncthreads();
  }
}

/// Children whose blocks are added at a time: each element of a piece is read and written once for
/// all of them.
constexpr int most_children = 2;

/// One child's contribution block, and the rows and columns of it that a piece assembles, as they
/// count there.
template <typename T>
struct Child {
  const T* block;
  const int* positions;  ///< of its rows in the front
  Index ld;
  int along, along_end;    ///< what are columns begin ... end of the piece
  int across, across_end;  ///< what are its rows
};

/// Columns of a child that cross shared memory at a time, on their way to rows: in one of two
/// tiles, so that one is filled while the other is stored.
constexpr int tile_columns = 64;

/// The children that a piece assembles now, and where its rows and columns are in each of them:
/// from those of Child on, or -1.
template <typename T>
struct ChildrenOfPiece {
  Child<T> child[most_children];
  std::int16_t along[most_children][piece_columns];
  std::int16_t across[most_children][piece_rows];
  T tile[2][piece_columns][tile_columns + 1];
};

/// The facts that the threads of a block know of their piece.
template <typename T>
struct PieceOfFront {
  const AssemblyPiece& piece;
  const FrontLayout& front;
  T* columns;  ///< column j begins at columns + j ld, all of one panel
  int ld;
  ChildrenOfPiece<T>& taken;  ///< in shared memory
  int shift;                  ///< from rows of the piece to those of the front

  __device__ bool to_border() const { return piece.part == AssemblyPiece::contribution; }
  __device__ int width() const { return piece.end - piece.begin; }
  __device__ int height() const { return piece.across_end - piece.across; }
};

/// The rows that warps take side by side, and their lanes one after another.
struct Lanes {
  int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  int lane = threadIdx.x % warp_size;
};

/// Sets `along` and `across` of the first `count` children.
template <typename T>
__device__ void find_places(const PieceOfFront<T>& of, int count) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int g = 0; g < count; ++g) {
    if (thread < piece_columns) of.taken.along[g][thread] = -1;
    for (int r = thread; r < of.height(); r += threads) of.taken.across[g][r] = -1;
  }
  __syncthreads();
  for (int g = 0; g < count; ++g) {
    const Child<T>& child = of.taken.child[g];
    const int along = child.along + thread;
    if (along < child.along_end) {
      of.taken.along[g][__ldg(child.positions + along) - of.shift - of.piece.begin] =
          static_cast<std::int16_t>(thread);
    }
    for (int r = child.across + thread; r < child.across_end; r += threads) {
      of.taken.across[g][__ldg(child.positions + r) - of.shift - of.piece.across] =
          static_cast<std::int16_t>(r - child.across);
    }
  }
  __syncthreads();
}

/// Adds to columns of lower or of the contribution block, which on their first touch are zero.
template <bool symmetric, typename T>
__device__ void add_columns(const PieceOfFront<T>& of, int count, bool first_touch) {
  const Lanes here;
  for (int c = here.warp; c < of.width(); c += here.warps) {
    const int j = of.piece.begin + c;
    T* const column = of.columns + j * Index{of.ld};
    // L11 has the blocks on the diagonal and below.
    const int least = symmetric ? j : of.to_border() ? 0 : j / pivot_block * pivot_block;
    const T* from[most_children];
#pragma unroll
    for (int g = 0; g < most_children; ++g) {
      const int along = g < count ? of.taken.along[g][c] : -1;
      const Child<T>& child = of.taken.child[g];
      from[g] = along < 0 ? nullptr : child.block + child.across + (child.along + along) * child.ld;
    }
    for (int r = here.lane; r < of.height(); r += batch * warp_size) {
      T sum[batch], value[most_children][batch];
      int place[batch];
      bool has[most_children][batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int row = r + b * warp_size, i = of.piece.across + row;
        const bool wanted = row < of.height() && i >= least;
        bool any = false;
#pragma unroll
        for (int g = 0; g < most_children; ++g) {
          const int across = wanted && from[g] != nullptr ? of.taken.across[g][row] : -1;
          has[g][b] = across >= 0;
          value[g][b] = across >= 0 ? __ldg(from[g] + across) : T(0);
          any = any || across >= 0;
        }
        any = any || (first_touch && row < of.height());
        place[b] = !any ? -1 : of.to_border() ? i : of.front.row_of(i);
        sum[b] = any && !first_touch ? column[place[b]] : T(0);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
#pragma unroll
        for (int g = 0; g < most_children; ++g) {
          if (has[g][b]) sum[b] += value[g][b];
        }
        if (place[b] >= 0) column[place[b]] = sum[b];
      }
    }
  }
}

/// To columns of upper, which are rows of the front: they are read along the columns of children
/// and written along their own.
template <typename T>
__device__ void add_rows(const PieceOfFront<T>& of, int count) {
  const Lanes here;
  const int p = of.front.pivots;
  // Children that have an element of the piece, as bits. Columns of blocks after a row's are in
  // upper.
  const auto having = [&](int row, int column) {
    const int i = of.piece.begin + row, j = of.piece.across + column;
    unsigned bits = 0;
    if (row >= of.width() || column >= of.height()) return bits;
    if (j < p && j / pivot_block <= i / pivot_block) return bits;
    for (int g = 0; g < count; ++g) {
      if (of.taken.along[g][row] >= 0 && of.taken.across[g][column] >= 0) bits |= 1u << g;
    }
    return bits;
  };
  // The values that a thread loads of a tile, and those that it stores.
  constexpr int loaded = tile_columns * piece_columns / threads;
  constexpr int wide = tile_columns / warp_size, stored = loaded;
  constexpr int row_step = threads / warp_size;
  static_assert(piece_columns / row_step * wide == stored);
  const int row = static_cast<int>(threadIdx.x) % piece_columns;
  for (int first = 0, turn = 0; first < of.height(); first += tile_columns, turn ^= 1) {
    auto& tile = of.taken.tile[turn];
    T sum[loaded] = {}, old[stored];
    T* place[stored];
#pragma unroll
    for (int k = 0; k < loaded; ++k) {
      const int c = (static_cast<int>(threadIdx.x) + k * threads) / piece_columns;
      const unsigned bits = having(row, first + c);
#pragma unroll
      for (int g = 0; g < most_children; ++g) {
        if ((bits >> g & 1) == 0) continue;
        const Child<T>& child = of.taken.child[g];
        sum[k] += __ldg(child.block + child.along + of.taken.along[g][row] +
                        (child.across + of.taken.across[g][first + c]) * child.ld);
      }
    }
    // The values that they are added to are on their way as well.
#pragma unroll
    for (int k = 0; k < stored; ++k) {
      const int r = here.warp + k / wide * row_step, c = here.lane + k % wide * warp_size;
      place[k] = nullptr;
      if (having(r, first + c) == 0) continue;
      place[k] = of.columns + (of.piece.begin + r) * Index{of.ld} +
                 of.front.row_of(of.piece.across + first + c);
      old[k] = *place[k];
    }
#pragma unroll
    for (int k = 0; k < loaded; ++k) {
      tile[row][(static_cast<int>(threadIdx.x) + k * threads) / piece_columns] = sum[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < stored; ++k) {
      const int r = here.warp + k / wide * row_step, c = here.lane + k % wide * warp_size;
      if (place[k] != nullptr) *place[k] = old[k] + tile[r][c];
    }
  }
}

template <bool symmetric, typename T>
__global__ void __launch_bounds__(threads, 3)
    assemble_kernel(DeviceFronts<T> fronts, const AssemblyPiece* pieces) {
  __shared__ ChildrenOfPiece<T> taken;
  const AssemblyPiece piece = pieces[blockIdx.x];
  const FrontLayout front = fronts.layouts[piece.front];
  const bool to_border = piece.part == AssemblyPiece::contribution;
  static_assert(pivot_block % piece_columns == 0);  // no piece is of two panels
  const FrontPanel panel =
      to_border ? FrontPanel{0, front.ld_contribution} : front.panel_of(piece.begin);
  const Index begin = to_border                            ? front.contribution
                      : piece.part == AssemblyPiece::upper ? front.upper
                                                           : front.lower;
  T* const columns = fronts.arena + begin + panel.origin;
  const int shift = to_border ? front.pivots : 0;
  const PieceOfFront<T> of{piece, front, columns, panel.ld, taken, shift};
  int count = 0;  // of `taken`
  bool first_touch = to_border;
  const auto add = [&] {
    __syncthreads();
    find_places(of, count);
    if (piece.part == AssemblyPiece::upper) {
      add_rows(of, count);
    } else {
      add_columns<symmetric>(of, count, first_touch);
    }
    __syncthreads();  // the next children are written down, and may add to the same places
    count = 0;
    first_touch = false;
  };
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  constexpr int few = 8;  // children that are looked at one by one
  for (int base = piece.child_begin; base < piece.child_end; base += warp_size) {
    const int looked_at = min(warp_size, piece.child_end - base);
    unsigned left = whole_warp >> (warp_size - looked_at);
    if (looked_at > few) {  // lanes look which of them have something for this piece
      const bool has_some = lane < looked_at && [&] {
        const FrontLayout& layout = fronts.layouts[fronts.children[base + lane]];
        const int* const places = fronts.in_parent + layout.border_begin;
        const int from = first_from(places, layout.border, piece.begin + shift);
        return from < layout.border && places[from] < piece.end + shift;
      }();
      left = __ballot_sync(whole_warp, has_some);
    }
    while (left != 0) {
      // All that is to be known of two children at the same time, as each wait is one for memory.
      static_assert(most_children == 2);
      constexpr int ends = 4;  // of the piece's columns, and of its rows
      Child<T> child[most_children];
      const int* lists[most_children * ends];
      int counts[most_children * ends], sought[most_children * ends], found[most_children * ends];
      bool is_one[most_children];
#pragma unroll
      for (int g = 0; g < most_children; ++g) {
        is_one[g] = left != 0;
        const int i = is_one[g] ? base + __ffs(static_cast<int>(left)) - 1 : base;
        left &= left - 1;
        const FrontLayout& layout = fronts.layouts[fronts.children[i]];
        child[g].block = fronts.arena + layout.contribution;
        child[g].positions = fronts.in_parent + layout.border_begin;
        child[g].ld = layout.ld_contribution;
        const int of_piece[ends] = {piece.begin, piece.end, piece.across, piece.across_end};
#pragma unroll
        for (int q = 0; q < ends; ++q) {
          lists[g * ends + q] = child[g].positions;
          counts[g * ends + q] = is_one[g] ? layout.border : 0;
          sought[g * ends + q] = of_piece[q] + shift;
        }
      }
      first_from_by_warp(lists, counts, sought, found);
#pragma unroll
      for (int g = 0; g < most_children; ++g) {
        child[g].along = found[g * ends];
        child[g].along_end = found[g * ends + 1];
        child[g].across = found[g * ends + 2];
        child[g].across_end = found[g * ends + 3];
        const bool has_some =
            child[g].along < child[g].along_end && child[g].across < child[g].across_end;
        if (!is_one[g] || !has_some) continue;
        if (threadIdx.x == 0) taken.child[count] = child[g];
        if (++count == most_children) add();
      }
    }
  }
  if (count > 0 || first_touch) add();
}

template <typename T>
__global__ void __launch_bounds__(threads)
    gather_kernel(DeviceFronts<T> fronts, Index first, Index count) {
  const Index warps = thread_count() / warp_size;
  for (Index i = thread_index() / warp_size; i < count; i += warps) {
    const AssembledElement element = fronts.elementwise[first + i];
    const T sum = element_sum<warp_size>(fronts, element);
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

SPSOLVE_INSTANTIATE_FUNCTION(gather)
SPSOLVE_INSTANTIATE_FUNCTION(place_entries)
SPSOLVE_INSTANTIATE_FUNCTION(assemble)

}  // namespace spsolve::cuda::sparse
