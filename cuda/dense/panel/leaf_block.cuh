#pragma once

// The elimination of a leaf's rows with partial pivoting by the blocks of one cluster: each thread
// keeps two rows in registers. A step costs an exchange of offers between the blocks, about 0.25 us
// on an H200, and as much again inside them.

#include "cuda/dense/panel/leaf_board.cuh"

namespace spsolve::cuda::inline dense {

/// One block's part in the elimination of the rows of its cluster.
template <typename T>
class LeafBlock {
 public:
  __device__ LeafBlock(Board<T>& board, T* tiles)
      : board_(board),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        warp_(static_cast<int>(threadIdx.x) / warp_size),
        warps_(static_cast<int>(blockDim.x) / warp_size),
        rank_(cluster_rank()),
        blocks_(cluster_size()),
        tiles_(tiles) {
    if (threadIdx.x < leaf_width) board_.tiles[threadIdx.x] = -1;
    if (threadIdx.x == 0) {
      init_barrier(&board_.candidates_came[0]);
      init_barrier(&board_.candidates_came[1]);
      init_barrier(&board_.rows_came);
    }
    if (blocks_ == 1) {
      __syncthreads();
      return;
    }
    // This thread's share in each exchange of offers.
    const int chunk = static_cast<int>(threadIdx.x) % candidate_chunks;
    const int block = static_cast<int>(threadIdx.x) / candidate_chunks;
    sends_ = block < blocks_;
    const int to = sends_ ? block : 0;
    candidate_to_ =
        address_in_block(reinterpret_cast<uint4*>(&board_.of_blocks[0][rank_]) + chunk, to);
    candidate_counter_ = address_in_block(&board_.candidates_came[0], to);
    wait_for_cluster();
  }

  /// The rows with these numbers, -1 for none, into registers. `aligned`: rows and their lengths
  /// are multiples of 16 bytes.
  __device__ void load(const T* a, Index stride, const int (&rows)[thread_rows], int width,
                       bool aligned) {
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
      active_[r] = rows[r] >= 0;
      numbers_[r] = rows[r];
      steps_[r] = -1;
    }
    tiles_.copy_rows_in(a, stride, rows, width, aligned);
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
#pragma unroll
      for (int c = 0; c < leaf_width; c += 2) {
        const Pair<T> values = pair_at(tiles_.tile(r), c);
        x_[r][c] = values.x;
        x_[r][c + 1] = values.y;
      }
    }
  }

  /// Eliminates `steps` columns of `width`. The results, factors of the pivot rows and multipliers
  /// of the other rows, are in the tiles then, the pivots' places on the board; returns the largest
  /// word of a multiplier's magnitude.
  __device__ unsigned eliminate(int steps, int width) {
    unsigned largest = 0;
#pragma unroll 1
    for (int first = 0; first < steps; first += slice_width) {
      const int count = min(steps - first, slice_width);
      eliminate_slice(first, count);
      const bool goes_on = first + slice_width < width && first + slice_width <= steps;
      if (goes_on) share_pivot_rows(first);
#pragma unroll
      for (int r = 0; r < thread_rows; ++r) {
#pragma unroll
        for (int c = 0; c < slice_width; c += 2) {
          *reinterpret_cast<Pair<T>*>(tiles_.tile(r) + first + c) = {x_[r][c], x_[r][c + 1]};
        }
#pragma unroll
        for (int c = 0; c < slice_width; ++c) {
          if (active_[r] && c < count) largest = max(largest, magnitude_word(x_[r][c]));
        }
      }
      if (goes_on) eliminate_behind(first, width);
#pragma unroll
      for (int r = 0; r < thread_rows; ++r) {
#pragma unroll
        for (int c = slice_width; c < leaf_width; ++c) x_[r][c - slice_width] = x_[r][c];
      }
    }
    return largest;
  }

  /// Writes the results back to the places of the rows.
  __device__ void store(T* a, Index stride, int width, bool aligned) const {
    tiles_.copy_rows_out(a, stride, numbers_, width, aligned);
  }

  /// Tells of pivots of this thread that are zero or not finite, or beyond quick_inverse().
  __device__ void report_pivots(int column, PanelReport* report) const {
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
      if (steps_[r] < 0) continue;
      const T pivot = tiles_.tile(r)[steps_[r]];
      if (pivot == T{} || !isfinite(pivot)) {
        atomicMin(&report->first_bad, column + steps_[r]);
      } else if (fabs(static_cast<double>(pivot)) < least_pivot ||
                 fabs(static_cast<double>(pivot)) > largest_pivot) {
        atomicMax(&report->largest_multiplier, ~0ull);
      }
    }
  }

  /// The tiles of this block's pivots into the leaf.
  __device__ void store_pivots(Leaf<T>* leaf) const {
    __syncthreads();
    for (int step = warp_; step < leaf_width; step += warps_) {
      const int place = board_.tiles[step];
      if (place < 0) continue;
      leaf->factors[step * leaf_width + lane_] = tiles_.row(place)[lane_];
    }
  }

 private:
  /// The columns `first` + j; the pivot is the largest of a column to 16 bits, since magnitudes and
  /// lanes share a word: one reduction finds both.
  __device__ void eliminate_slice(int first, int count) {
#pragma unroll
    for (int j = 0; j < slice_width; ++j) {
      if (j >= count) return;
      const int turn = j % 2;
      const unsigned word = active_[0] ? magnitude_word(x_[0][j]) + 32u : 0;
      const unsigned second_word = active_[1] ? magnitude_word(x_[1][j]) + 32u : 0;
      const bool second = second_word > word;
      const unsigned mine = max(word, second_word);
      // Computed during the reduction, not after it.
      const T value = mine == 0 ? T{1} : second ? x_[1][j] : x_[0][j];
      const T inverse = quick_inverse(value);
      const unsigned best =
          __reduce_max_sync(whole_warp, mine == 0 ? 0 : (mine & ~31u) | (31u - lane_));
      const bool is_candidate = best != 0 && lane_ == 31 - static_cast<int>(best & 31u);
      StepCandidate<T>& candidate = board_.of_warps[turn][warp_];
#pragma unroll
      for (int r = 0; r < thread_rows; ++r) {
        if (!is_candidate || second != (r == 1)) continue;
#pragma unroll
        for (int c = j / 2 * 2; c < slice_width; c += 2) {
          *reinterpret_cast<Pair<T>*>(candidate.row + c) = {x_[r][c], x_[r][c + 1]};
        }
        candidate.inverse = inverse;
        candidate.place = numbers_[r];
      }
      if (lane_ == 0) {
        candidate.key = best & ~31u;
        board_.keys[turn][warp_] = best == 0 ? 0 : (best & ~31u) | (31u - warp_);
      }
      __syncthreads();
      const unsigned winner =
          __reduce_max_sync(whole_warp, lane_ < warps_ ? board_.keys[turn][lane_] : 0);
      const int best_warp = winner == 0 ? 0 : 31 - static_cast<int>(winner & 31u);
      const StepCandidate<T>* pivot = &board_.of_warps[turn][best_warp];
      int owner = 0;
      if (blocks_ > 1) {
        owner = exchange(*pivot, turn, first + j);
        pivot = &board_.of_blocks[turn][owner];
      }
      const T factor = pivot->inverse;
      if (is_candidate && owner == rank_ && best_warp == warp_) {
        if (second) {
          steps_[1] = first + j;
          board_.tiles[first + j] = tiles_.place_in_block(1);
          active_[1] = false;
        } else {
          steps_[0] = first + j;
          board_.tiles[first + j] = tiles_.place_in_block(0);
          active_[0] = false;
        }
      }
      T factors[thread_rows];
#pragma unroll
      for (int r = 0; r < thread_rows; ++r) {
        factors[r] = active_[r] ? x_[r][j] * factor : T{};
        if (active_[r]) x_[r][j] = factors[r];
      }
#pragma unroll
      for (int c = (j + 1) / 2 * 2; c < slice_width; c += 2) {
        const Pair<T> values = pair_at(pivot->row, c);
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
          if (c > j) x_[r][c] -= factors[r] * values.x;
          x_[r][c + 1] -= factors[r] * values.y;
        }
      }
      if (threadIdx.x == 0) {
        board_.owners[j] = owner;
        board_.places[first + j] = pivot->place;
      }
    }
  }

  /// Shows all blocks this one's offer; returns the block with the best one.
  __device__ int exchange(const StepCandidate<T>& mine, int turn, int step) {
    std::uint64_t* const came = &board_.candidates_came[turn];
    if (sends_) {
      // A block sends to itself, too: one code for all.
      const int chunk = static_cast<int>(threadIdx.x) % candidate_chunks;
      send_to_block(candidate_to_ + turn * static_cast<unsigned>(sizeof(board_.of_blocks[0])),
                    reinterpret_cast<const uint4*>(&mine)[chunk],
                    candidate_counter_ + turn * static_cast<unsigned>(sizeof(*came)));
    }
    if (threadIdx.x == 0) {
      expect_bytes(came, static_cast<unsigned>(blocks_ * sizeof(StepCandidate<T>)));
    }
    wait_for_bytes(came, static_cast<unsigned>(step / 2 % 2));
    const unsigned key = lane_ < blocks_ ? board_.of_blocks[turn][lane_].key : 0;
    const unsigned winner = __reduce_max_sync(whole_warp, key == 0 ? 0 : key | (31u - lane_));
    return winner == 0 ? 0 : 31 - static_cast<int>(winner & 31u);
  }

  /// The slice's pivot rows, as they are, to every block.
  __device__ void share_pivot_rows(int first) {
    constexpr int chunks = leaf_width * sizeof(T) / sizeof(uint4);  // 16 or 8
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
      if (steps_[r] < first) continue;
      T* const to = board_.here[steps_[r] - first];
#pragma unroll
      for (int c = 0; c < leaf_width; c += 2) {
        *reinterpret_cast<Pair<T>*>(to + c) = {x_[r][c], x_[r][c + 1]};
      }
    }
    if (blocks_ > 1 && threadIdx.x == 0) {
      expect_bytes(&board_.rows_came, static_cast<unsigned>(sizeof(board_.all)));
    }
    __syncthreads();
    if (blocks_ == 1) return;
    const bool own = lane_ < slice_width && board_.owners[lane_ % slice_width] == rank_;
    const unsigned owned = __ballot_sync(whole_warp, own);
    if (owned == 0) return;
    const int chunk = static_cast<int>(threadIdx.x) % chunks;
    for (int block = static_cast<int>(threadIdx.x) / chunks; block < blocks_;
         block += static_cast<int>(blockDim.x) / chunks) {
      const unsigned to = address_in_block(reinterpret_cast<uint4*>(board_.all[0]) + chunk, block);
      const unsigned counter = address_in_block(&board_.rows_came, block);
      for (unsigned left = owned; left != 0; left &= left - 1) {
        const int k = __ffs(static_cast<int>(left)) - 1;
        send_to_block(to + k * static_cast<unsigned>(sizeof(board_.all[0])),
                      reinterpret_cast<const uint4*>(board_.here[k])[chunk], counter);
      }
    }
  }

  /// The columns after a slice: rows of U by its unit lower triangle, then all active rows.
  __device__ void eliminate_behind(int first, int width) {
    const auto& rows = blocks_ == 1 ? board_.here : board_.all;
    if (warp_ == 0) {
      if (blocks_ > 1) {
        wait_for_bytes(&board_.rows_came, static_cast<unsigned>(first / slice_width % 2));
      }
      const int c = lane_;  // of what is left of the rows
      T u[slice_width], lower[slice_width][slice_width];
#pragma unroll
      for (int k = 0; k < slice_width; ++k) {
        u[k] = rows[k][c];
#pragma unroll
        for (int i = 0; i < k; i += 2) {
          const Pair<T> values = pair_at(rows[k], i);
          lower[k][i] = values.x;
          lower[k][i + 1] = values.y;
        }
      }
#pragma unroll
      for (int k = 0; k < slice_width; ++k) {
#pragma unroll
        for (int i = k + 1; i < slice_width; ++i) u[i] -= lower[i][k] * u[k];
      }
#pragma unroll
      for (int k = 0; k < slice_width; ++k) board_.upper[k][c] = u[k];
    }
    __syncthreads();
#pragma unroll
    for (int next = 1; next < slices; ++next) {
      if (first + next * slice_width >= width) break;
#pragma unroll
      for (int k = 0; k < slice_width; ++k) {
        T factors[thread_rows];
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) factors[r] = active_[r] ? x_[r][k] : T{};
#pragma unroll
        for (int c = next * slice_width; c < (next + 1) * slice_width; c += 2) {
          const Pair<T> values = pair_at(board_.upper[k], c);
#pragma unroll
          for (int r = 0; r < thread_rows; ++r) {
            x_[r][c] -= factors[r] * values.x;
            x_[r][c + 1] -= factors[r] * values.y;
          }
        }
      }
    }
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
      if (steps_[r] < first) continue;
#pragma unroll
      for (int c = slice_width; c < leaf_width; c += 2) {
        const Pair<T> values = pair_at(board_.upper[steps_[r] - first], c);
        x_[r][c] = values.x;
        x_[r][c + 1] = values.y;
      }
    }
  }

  static constexpr int candidate_chunks =
      sizeof(StepCandidate<T>) / sizeof(uint4);  // pieces of 16 bytes

  Board<T>& board_;
  int lane_, warp_, warps_, rank_, blocks_;
  LeafTiles<T> tiles_;
  bool sends_;
  unsigned candidate_to_, candidate_counter_;
  T x_[thread_rows][leaf_width];
  bool active_[thread_rows];
  int numbers_[thread_rows];
  int steps_[thread_rows];  // in which step each became the pivot: -1, not yet
};

}  // namespace spsolve::cuda::dense
