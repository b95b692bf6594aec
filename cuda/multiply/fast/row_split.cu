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
  T sign;  ///< of rows of imaginary parts
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
  Index all;        ///< of X, which is the distance of rows of parts
  Index first;      ///< of the pass
  int columns;      ///< of the pass
  int loads;        ///< that the lanes of a row take, the last of which may be beyond the columns
  int column_bits;  ///< 2^column_bits lanes are on the columns
  bool y_packed;    ///< rows of Y are aligned to whole loads

  __device__ int lanes() const { return 1 << column_bits; }
  /// This thread's place among them.
  __device__ int place() const { return static_cast<int>(threadIdx.x) & (lanes() - 1); }
};

/// Sums of `n` packs of columns, those at place, place + lanes, ..., of all parts of a row.
template <int pack, int n, int parts, typename T>
struct Sums {
  static constexpr int count = n * parts * pack;

  T of[n][parts][pack]{};

  __device__ T* all() { return &of[0][0][0]; }
  __device__ const T* all() const { return &of[0][0][0]; }

  /// To the row of the first part; imaginary ones times `sign`.
  __device__ void store(T* to, const PassColumns& pass, T sign) const {
#pragma unroll
    for (int v = 0; v < n; ++v) {
      const int load = pass.place() + v * pass.lanes();
      if (load >= pass.loads) continue;
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        T* const row = to + part * pass.all + load * pack;
        T values[pack];
#pragma unroll
        for (int c = 0; c < pack; ++c)
          values[c] = part == 0 ? of[v][part][c] : sign * of[v][part][c];
        if (pass.y_packed) {
          store_columns<pack>(row, values, true);
          continue;
        }
#pragma unroll
        for (int c = 0; c < pack; ++c) {
          if (load * pack + c < pass.columns) row[c] = values[c];
        }
      }
    }
  }
  __device__ void add(const Sums& other) {
#pragma unroll
    for (int k = 0; k < count; ++k) all()[k] += other.all()[k];
  }
  /// Adds those of the lanes that are `from`, 2 `from`, ... below `to` away. By all of a warp.
  __device__ void add_lanes(int from, int to) {
    for (int distance = from; distance < to; distance *= 2) {
#pragma unroll
      for (int k = 0; k < count; ++k) {
        all()[k] += __shfl_xor_sync(whole_warp, all()[k], distance);
      }
    }
  }
  /// Adds a number, of one or two parts, times an element of X.
  __device__ void add_product(int v, const T (&number)[parts], const T (&x)[parts][pack]) {
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      of[v][0][c] += number[0] * x[0][c];
      if constexpr (parts > 1) {
        of[v][0][c] -= number[1] * x[1][c];
        of[v][1][c] += number[1] * x[0][c];
        of[v][1][c] += number[0] * x[1][c];
      }
    }
  }
};

/// sums += every `stride`-th of the non-zeros from `k` on, before `end`, times their rows of X, the
/// next columns and values read while rows of X are on their way: the first of them before the
/// launch has its turn, as no launch writes to them.
template <int pack, int n, int parts, bool packed, typename T>
__device__ void add_nonzeros(const SplitView<T>& a, Index k, Index end, int stride,
                             const T* __restrict__ x, const PassColumns& pass,
                             Sums<pack, n, parts, T>& sums) {
  constexpr int in_flight = n == 3 || n * parts > 2 ? 2 : 4;
  const int place = pass.place();
  LocalIndex column[in_flight];
  T value[in_flight][parts];
  const auto fetch = [&] {
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const bool active = k + u * stride < end;
      column[u] = active ? __ldcs(a.columns + k + u * stride) : -1;
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        value[u][part] = active ? __ldcs(a.values + parts * (k + u * stride) + part) : T{};
      }
    }
  };
  fetch();
  wait_for_previous_launch();
  while (k < end) {
    T loaded[in_flight][n][parts][pack], factor[in_flight][parts];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const T* const row = x + static_cast<Index>(column[u]) * parts * pass.all;
#pragma unroll
      for (int v = 0; v < n; ++v) {
        const int load = place + v * pass.lanes();
#pragma unroll
        for (int part = 0; part < parts; ++part) {
          const T* const from = row + part * pass.all + load * pack;
          if (packed && column[u] >= 0 && load < pass.loads) {
            load_columns<pack, true>(from, loaded[u][v][part]);
            continue;
          }
#pragma unroll
          for (int c = 0; c < pack; ++c) {
            const bool active = !packed && column[u] >= 0 && load * pack + c < pass.columns;
            loaded[u][v][part][c] = active ? __ldg(from + c) : T{};
          }
        }
      }
#pragma unroll
      for (int part = 0; part < parts; ++part) factor[u][part] = value[u][part];
    }
    k += stride * in_flight;
    fetch();
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
#pragma unroll
      for (int v = 0; v < n; ++v) sums.add_product(v, factor[u], loaded[u][v]);
    }
  }
  __syncwarp();
}

/// The sums over all warps of each team of 2^width_bits threads, for the first lanes of its first
/// warp. By the whole block.
template <int pack, int n, int parts, typename T>
__device__ void add_warps(Sums<pack, n, parts, T>& sums, int width_bits, const PassColumns& pass) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto* const of_warps = reinterpret_cast<Sums<pack, n, parts, T>*>(shared_bytes);
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
template <int pack, int n, int parts, bool packed, typename T>
__device__ void multiply_piece(const SplitView<T>& a, const RowPiece& piece, const T* x, T* y,
                               const PassColumns& pass) {
  const int group = static_cast<int>(threadIdx.x) >> pass.column_bits;
  const int groups = static_cast<int>(blockDim.x) >> pass.column_bits;
  const int block_bits = __ffs(static_cast<int>(blockDim.x)) - 1;
  Sums<pack, n, parts, T> sums;
  add_nonzeros<pack, n, parts, packed>(a, piece.first + group, piece.first + piece.nonzeros, groups,
                                       x, pass, sums);
  add_warps(sums, block_bits, pass);
  const bool stores = static_cast<int>(threadIdx.x) < pass.lanes();
  T* const all = a.piece_sums + pass.first;
  if (stores) sums.store(all + piece.place * parts * pass.all, pass, T(1));
  const LocalIndex first = a.cut_pieces[piece.cut_row], end = a.cut_pieces[piece.cut_row + 1];
  if (!is_last_block(a.arrived + piece.cut_row, static_cast<unsigned>(end - first))) return;
  sums = {};
#pragma unroll 4
  for (LocalIndex p = first + group; p < end; p += groups) {
#pragma unroll
    for (int v = 0; v < n; ++v) {
#pragma unroll
      for (int k = 0; k < parts * pack; ++k) {
        const int at = (pass.place() + v * pass.lanes()) * pack + k % pack;
        const T* const row = all + (p * parts + k / pack) * pass.all;
        if (at < pass.columns) sums.of[v][k / pack][k % pack] += __ldcg(row + at);
      }
    }
  }
  __syncwarp();
  add_warps(sums, block_bits, pass);
  if (stores) sums.store(y + static_cast<Index>(piece.row) * parts * pass.all, pass, a.sign);
}

template <int pack, int n, int parts, bool packed, typename T>
__global__ void __launch_bounds__(1 << most_bits)
    row_split(const __grid_constant__ SplitView<T> a, const T* __restrict__ x, T* __restrict__ y,
              const __grid_constant__ PassColumns pass) {
  if (blockIdx.x < a.piece_count) {
    multiply_piece<pack, n, parts, packed>(a, a.pieces[blockIdx.x], x, y, pass);
    return;
  }
  int number = 0;
  while (number + 1 < a.class_count && blockIdx.x >= a.classes[number + 1].first_block) ++number;
  const ClassBlocks& of = a.classes[number];
  const int width_bits = of.width_bits;
  const int group = (static_cast<int>(threadIdx.x) & ((1 << width_bits) - 1)) >> pass.column_bits;
  const Index slot = ((blockIdx.x - of.first_block) * blockDim.x + threadIdx.x) >> width_bits;
  const RowSlot row = slot < of.rows ? a.slots[of.first_slot + slot] : RowSlot{0, 0, -1};
  Sums<pack, n, parts, T> sums;
  add_nonzeros<pack, n, parts, packed>(a, row.first + group, row.first + row.nonzeros,
                                       1 << (width_bits - pass.column_bits), x, pass, sums);
  trigger_next_launch();
  if (width_bits <= warp_bits) {
    sums.add_lanes(pass.lanes(), 1 << width_bits);
  } else {
    add_warps(sums, width_bits, pass);
  }
  if (group == 0 && row.row >= 0) {
    sums.store(y + static_cast<Index>(row.row) * parts * pass.all, pass, a.sign);
  }
}

template <int pack, int n, int parts, typename T>
void launch(RowSplit<T>& a, const T* x, T* y, const PassColumns& pass) {
  // The rule measured on matrices of 40 000 to 2 400 000 non-zeros: so many non-zeros to a lane
  // that about 100 000 lanes are at work; fewer where the lanes of a row read few neighbouring
  // ones.
  constexpr double lanes_at_work = 1e5, least_nonzeros = 4, most_nonzeros = 24, most_a_lane = 6;
  SplitView<T> view{a.column_indices.data(),
                    a.values.data(),
                    a.sign,
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
      std::clamp(static_cast<double>(a.column_indices.size() * column_lanes) / lanes_at_work,
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
  const auto bytes =
      shared ? static_cast<std::size_t>(threads) * sizeof(Sums<pack, n, parts, T>) : 0;
  const unsigned grid = grid_for(blocks, 1);
  const bool packed = pack == 1 || rows_aligned(x, pass.all, pack * sizeof(T));
  launch_programmatic(
      packed ? row_split<pack, n, parts, true, T> : row_split<pack, n, parts, false, T>, grid,
      threads, static_cast<int>(bytes), true, current_stream(), view, x, y, pass);
}

/// For numbers of so many parts.
template <int parts, typename T>
void split_by_columns(RowSplit<T>& a, const T* x, T* y, Index columns) {
  a.cut.sums.grow(a.cut.count * parts * columns);
  // The passes depend on K alone, so that sums do not hang on where X and Y lie.
  const auto with_pack = [&]<int pack>() {
    constexpr Index most_loads = 2 * warp_size;  // of a pass, two to a lane
    constexpr Index least_two = 8;
    const Index all_loads = (columns + pack - 1) / pack,
                passes = (all_loads + most_loads - 1) / most_loads;
    for (Index p = 0; p < passes; ++p) {
      const Index from = all_loads * p / passes, to = all_loads * (p + 1) / passes;
      const Index loads = to - from, first = from * pack;
      const auto run = [&]<int n>(int column_bits) {
        const bool y_packed = rows_aligned(y, columns, pack * sizeof(T));
        launch<pack, n, parts>(
            a, x + first, y + first,
            PassColumns{columns, first, static_cast<int>(std::min(loads * pack, columns - first)),
                        static_cast<int>(loads), column_bits, y_packed});
      };
      // Three loads to a lane where a power of two of lanes with two would leave more idle.
      const int one = bits_for(loads);
      if constexpr (parts == 1) {
        constexpr Index least_three = 12;
        const int three = bits_for((loads + 2) / 3);
        if (loads >= least_three && 3 << three < 1 << one) {
          run.template operator()<3>(three);
          continue;
        }
      }
      if (loads >= least_two) {
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

}  // namespace

template <typename T>
void csr_row_split(RowSplit<T>& a, const T* x, T* y, Index columns) {
  if (a.classes.empty() && a.pieces.size() == 0) return;
  const NvtxRange range("csr_row_split");
  a.parts == 1 ? split_by_columns<1>(a, x, y, columns) : split_by_columns<2>(a, x, y, columns);
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_row_split)

}  // namespace spsolve::cuda::multiply
