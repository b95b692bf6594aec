#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "cuda/core/launch.cuh"
#include "cuda/core/nvtx.hpp"
#include "cuda/core/packed.cuh"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/multiply/fast/row_split.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int warp_bits = 5, most_bits = 8;
static_assert(1 << warp_bits == warp_size);

/// The least b with 2^b >= count, which is 1 at least.
int bits_for(Index count) {
  return std::bit_width(static_cast<unsigned>(std::max<Index>(count, 1) - 1));
}

/// How the threads of a class are dealt out.
struct ClassBlocks {
  Index first_slot, rows;
  Index first_block;
  int width_bits;  ///< 2^width_bits threads a row, at most a block
};

template <typename T>
struct SplitView {
  const LocalIndex* columns;
  const T* values;
  const RowSlot* slots;
  ClassBlocks classes[most_row_classes];
  int class_count;
  const RowPiece* pieces;
  Index piece_count;
  const LocalIndex* cut_pieces;  ///< by cut row: its first piece
  T* piece_sums;
  unsigned* arrived;
};

/// Columns of X and Y of one pass, from x and y on.
struct PassColumns {
  Index all;        ///< of X, which is the distance of its rows
  Index first;      ///< of the pass
  int columns;      ///< of the pass
  int loads;        ///< that the lanes of a row take, the last of which may be beyond the columns
  int column_bits;  ///< 2^column_bits lanes are on the columns
  bool y_packed;    ///< rows of Y are aligned to whole loads

  __device__ int lanes() const { return 1 << column_bits; }
  /// This thread's place among them.
  __device__ int place() const { return static_cast<int>(threadIdx.x) & (lanes() - 1); }
};

/// Sums of `n` packs of columns: those at place, place + lanes, ...
template <int pack, int n, typename T>
struct Sums {
  T of[n][pack]{};

  __device__ void store(T* to, const PassColumns& pass) const {
#pragma unroll
    for (int v = 0; v < n; ++v) {
      const int load = pass.place() + v * pass.lanes();
      if (load >= pass.loads) continue;
      if (pass.y_packed) {
        store_columns<pack>(to + load * pack, of[v], true);
        continue;
      }
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        if (load * pack + c < pass.columns) to[load * pack + c] = of[v][c];
      }
    }
  }
  __device__ void add(const Sums& other) {
#pragma unroll
    for (int v = 0; v < n; ++v) {
#pragma unroll
      for (int c = 0; c < pack; ++c) of[v][c] += other.of[v][c];
    }
  }
  /// Adds those of the lanes that are `from`, 2 `from`, ... below `to` away. By all of a warp.
  __device__ void add_lanes(int from, int to) {
    for (int distance = from; distance < to; distance *= 2) {
#pragma unroll
      for (int v = 0; v < n; ++v) {
#pragma unroll
        for (int c = 0; c < pack; ++c) {
          of[v][c] += __shfl_xor_sync(whole_warp, of[v][c], distance);
        }
      }
    }
  }
};

/// sums += every `stride`-th of the non-zeros from `k` on, before `end`, times their rows of X, the
/// next columns and values read while rows of X are on their way: the first of them before the
/// launch has its turn, as no launch writes to them.
template <int pack, int n, bool packed, typename T>
__device__ void add_nonzeros(const SplitView<T>& a, Index k, Index end, int stride,
                             const T* __restrict__ x, const PassColumns& pass,
                             Sums<pack, n, T>& sums) {
  constexpr int in_flight = n == 3 ? 2 : 4;
  const int place = pass.place();
  LocalIndex column[in_flight];
  T value[in_flight];
  const auto fetch = [&] {
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const bool active = k + u * stride < end;
      column[u] = active ? __ldcs(a.columns + k + u * stride) : -1;
      value[u] = active ? __ldcs(a.values + k + u * stride) : T{};
    }
  };
  fetch();
  wait_for_previous_launch();
  while (k < end) {
    T loaded[in_flight][n][pack], factor[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const T* const row = x + static_cast<Index>(column[u]) * pass.all;
#pragma unroll
      for (int v = 0; v < n; ++v) {
        const int load = place + v * pass.lanes();
        if (packed && column[u] >= 0 && load < pass.loads) {
          load_columns<pack, true>(row + load * pack, loaded[u][v]);
          continue;
        }
#pragma unroll
        for (int c = 0; c < pack; ++c) {
          const int at = load * pack + c;
          const bool active = !packed && column[u] >= 0 && at < pass.columns;
          loaded[u][v][c] = active ? __ldg(row + at) : T{};
        }
      }
      factor[u] = value[u];
    }
    k += stride * in_flight;
    fetch();
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
#pragma unroll
      for (int v = 0; v < n; ++v) {
#pragma unroll
        for (int c = 0; c < pack; ++c) sums.of[v][c] += factor[u] * loaded[u][v][c];
      }
    }
  }
  __syncwarp();
}

/// The sums over all warps of each team of 2^width_bits threads, for the first lanes of its first
/// warp. By the whole block.
template <int pack, int n, typename T>
__device__ void add_warps(Sums<pack, n, T>& sums, int width_bits, const PassColumns& pass) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto* const of_warps = reinterpret_cast<Sums<pack, n, T>*>(shared_bytes);
  sums.add_lanes(pass.lanes(), warp_size);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size, warps = 1 << (width_bits - warp_bits);
  if (lane < pass.lanes()) of_warps[threadIdx.x] = sums;
  __syncthreads();
  if (warp % warps == 0 && lane < pass.lanes()) {
    for (int w = 1; w < warps; ++w) sums.add(of_warps[threadIdx.x + w * warp_size]);
  }
  __syncthreads();  // before they are used again
}

/// A block's piece of a long row. The block that comes last of those of a row adds up all its
/// pieces: in their order, so that it does not matter which block that is.
template <int pack, int n, bool packed, typename T>
__device__ void multiply_piece(const SplitView<T>& a, const RowPiece& piece, const T* x, T* y,
                               const PassColumns& pass) {
  const int group = static_cast<int>(threadIdx.x) >> pass.column_bits;
  const int groups = static_cast<int>(blockDim.x) >> pass.column_bits;
  const int block_bits = __ffs(static_cast<int>(blockDim.x)) - 1;
  Sums<pack, n, T> sums;
  add_nonzeros<pack, n, packed>(a, piece.first + group, piece.first + piece.nonzeros, groups, x,
                                pass, sums);
  add_warps(sums, block_bits, pass);
  const bool stores = static_cast<int>(threadIdx.x) < pass.lanes();
  T* const all = a.piece_sums + pass.first;
  if (stores) sums.store(all + piece.place * pass.all, pass);
  const LocalIndex first = a.cut_pieces[piece.cut_row], end = a.cut_pieces[piece.cut_row + 1];
  if (!is_last_block(a.arrived + piece.cut_row, static_cast<unsigned>(end - first))) return;
  sums = {};
#pragma unroll 4
  for (LocalIndex p = first + group; p < end; p += groups) {
#pragma unroll
    for (int v = 0; v < n; ++v) {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        const int at = (pass.place() + v * pass.lanes()) * pack + c;
        if (at < pass.columns) sums.of[v][c] += __ldcg(all + p * pass.all + at);
      }
    }
  }
  __syncwarp();
  add_warps(sums, block_bits, pass);
  if (stores) sums.store(y + piece.row * pass.all, pass);
}

template <int pack, int n, bool packed, typename T>
__global__ void __launch_bounds__(1 << most_bits)
    row_split(const __grid_constant__ SplitView<T> a, const T* __restrict__ x, T* __restrict__ y,
              const __grid_constant__ PassColumns pass) {
  if (blockIdx.x < a.piece_count) {
    multiply_piece<pack, n, packed>(a, a.pieces[blockIdx.x], x, y, pass);
    return;
  }
  int number = 0;
  while (number + 1 < a.class_count && blockIdx.x >= a.classes[number + 1].first_block) ++number;
  const ClassBlocks& of = a.classes[number];
  const int width_bits = of.width_bits;
  const int group = (static_cast<int>(threadIdx.x) & ((1 << width_bits) - 1)) >> pass.column_bits;
  const Index slot = ((blockIdx.x - of.first_block) * blockDim.x + threadIdx.x) >> width_bits;
  const RowSlot row = slot < of.rows ? a.slots[of.first_slot + slot] : RowSlot{0, 0, -1};
  Sums<pack, n, T> sums;
  add_nonzeros<pack, n, packed>(a, row.first + group, row.first + row.nonzeros,
                                1 << (width_bits - pass.column_bits), x, pass, sums);
  trigger_next_launch();
  if (width_bits <= warp_bits) {
    sums.add_lanes(pass.lanes(), 1 << width_bits);
  } else {
    add_warps(sums, width_bits, pass);
  }
  if (group == 0 && row.row >= 0) sums.store(y + row.row * pass.all, pass);
}

template <int pack, int n, typename T>
void launch(RowSplit<T>& a, const T* x, T* y, const PassColumns& pass) {
  // The rule measured on matrices of 40 000 to 2 400 000 non-zeros: so many non-zeros to a lane
  // that about 100 000 lanes are at work; fewer where the lanes of a row read few neighbouring
  // ones.
  constexpr double lanes_at_work = 1e5, least_nonzeros = 4, most_nonzeros = 24, most_a_lane = 6;
  SplitView<T> view{a.column_indices.data(),
                    a.values.data(),
                    a.slots.data(),
                    {},
                    static_cast<int>(a.classes.size()),
                    a.pieces.data(),
                    a.pieces.size(),
                    a.cut.pieces.data(),
                    a.cut.sums.data(),
                    a.arrived.data()};
  const int column_lanes = 1 << pass.column_bits;
  const double nonzeros_per_lane =
      std::clamp(static_cast<double>(a.values.size() * column_lanes) / lanes_at_work,
                 least_nonzeros, std::min(most_nonzeros, most_a_lane * column_lanes));
  // Smaller blocks where there are many: the last of them end sooner.
  constexpr Index many_threads = 200'000;
  Index all_threads = 0;
  for (int c = 0; c < view.class_count; ++c) {
    const RowClass& of = a.classes[static_cast<std::size_t>(c)];
    const double mean = static_cast<double>(of.nonzeros) / static_cast<double>(of.rows);
    const double lanes = std::max(mean / nonzeros_per_lane, 1.0);
    const int bits = static_cast<int>(std::lround(std::log2(lanes)));
    const int width_bits = std::min(pass.column_bits + bits, most_bits);
    view.classes[c] = {of.first, of.rows, 0, width_bits};
    all_threads += of.rows << width_bits;
  }
  const int block_bits = view.piece_count == 0 && all_threads > many_threads ? 7 : most_bits;
  const int threads = 1 << block_bits;
  Index blocks = view.piece_count;
  bool shared = blocks > 0;
  for (int c = 0; c < view.class_count; ++c) {
    ClassBlocks& of = view.classes[c];
    of.width_bits = std::min(of.width_bits, block_bits);
    of.first_block = blocks;
    blocks += grid_for(of.rows, threads >> of.width_bits);
    shared = shared || of.width_bits > warp_bits;
  }
  // Shared memory that no block needs would be taken from the L1 cache.
  const auto bytes = shared ? static_cast<std::size_t>(threads) * sizeof(Sums<pack, n, T>) : 0;
  const unsigned grid = grid_for(blocks, 1);
  const bool packed = pack == 1 || rows_aligned(x, pass.all, pack * sizeof(T));
  launch_programmatic(packed ? row_split<pack, n, true, T> : row_split<pack, n, false, T>, grid,
                      threads, static_cast<int>(bytes), true, current_stream(), view, x, y, pass);
}

}  // namespace

template <typename T>
void csr_row_split(RowSplit<T>& a, const T* x, T* y, Index columns) {
  if (a.classes.empty() && a.pieces.size() == 0) return;
  const NvtxRange range("csr_row_split");
  a.cut.sums.grow(a.cut.count * columns);
  // The passes depend on K alone, so that sums do not hang on where X and Y lie.
  const auto with_pack = [&]<int pack>() {
    constexpr Index most_loads = 2 * warp_size;  // of a pass, two to a lane
    constexpr Index least_two = 8, least_three = 12;
    const Index all_loads = (columns + pack - 1) / pack,
                passes = (all_loads + most_loads - 1) / most_loads;
    for (Index p = 0; p < passes; ++p) {
      const Index from = all_loads * p / passes, to = all_loads * (p + 1) / passes;
      const Index loads = to - from, first = from * pack;
      const auto run = [&]<int n>(int column_bits) {
        const bool y_packed = rows_aligned(y, columns, pack * sizeof(T));
        launch<pack, n>(
            a, x + first, y + first,
            PassColumns{columns, first, static_cast<int>(std::min(loads * pack, columns - first)),
                        static_cast<int>(loads), column_bits, y_packed});
      };
      // Three loads to a lane where a power of two of lanes with two would leave more idle.
      const int one = bits_for(loads), three = bits_for((loads + 2) / 3);
      if (loads >= least_three && 3 << three < 1 << one) {
        run.template operator()<3>(three);
      } else if (loads >= least_two) {
        run.template operator()<2>(one - 1);
      } else {
        run.template operator()<1>(one);
      }
    }
  };
  constexpr int widest = full_pack<T>;
  if (columns % widest == 0) {
    with_pack.template operator()<widest>();
  } else if (columns > 1) {
    with_pack.template operator()<2>();
  } else {
    with_pack.template operator()<1>();
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_row_split)

}  // namespace spsolve::cuda::multiply
