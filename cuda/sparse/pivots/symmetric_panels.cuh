#pragma once

// Factors a symmetric diagonal block where it lies in shared memory: the first warp eliminates a
// panel of columns one after another, with nothing to wait for but its own lanes; then all warps
// bring the columns to its right up to date.

#include "cuda/sparse/pivots/pivot_block.cuh"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// P D P^T = L D' L^T with pivots of one or two rows (Bunch and Kaufman 1977), L in the place of D,
/// which is given as a square. Columns are brought up to date within a panel when they are looked
/// at, by W = L D' of the panel, which lies where the block's upper part will be.
template <typename T, int side>
class SymmetricPanels {
 public:
  __device__ SymmetricPanels(DiagonalBlock<T, side>& block, int n, const SmallPivots<T>& small,
                             int first, PivotTally* tally, PivotCounter& counter)
      : block_(block), n_(n), small_(small), first_(first), tally_(tally), counter_(counter) {}

  /// By all threads of the thread block, a multiple of `side`.
  __device__ void factor() {
    if constexpr (wide == side) {
      if (threadIdx.x < warp_size) eliminate(0);
      __syncthreads();
    } else {
      for (int begin = 0; begin < n_;) {
        if (threadIdx.x < warp_size) {
          const int end = eliminate(begin);
          if (threadIdx.x == 0) block_.panel_end = end;
        }
        __syncthreads();
        const int end = block_.panel_end;
        subtract_panel(begin, end);
        __syncthreads();
        begin = end;
      }
    }
  }

 private:
  static constexpr int parts = (side + warp_size - 1) / warp_size;  // rows of a lane
  static constexpr int wide = side < pivot_block ? side : 16;       // columns of a panel
  static constexpr int most =
      wide == side ? wide : wide + 1;  // a pivot of two rows may be the last
  static constexpr int stride = wide == side ? side + 1 : wide + 2;
  static_assert(side * stride <= side * DiagonalBlock<T, side>::stride);

  /// A column's entries in the rows of a lane.
  struct Column {
    T of[parts];
  };

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
  static __device__ int row(int part) { return lane() + part * warp_size; }
  /// Any row that there is, where a lane has none.
  static __device__ int held(int part) { return min(row(part), side - 1); }
  __device__ T* w(int row) const { return block_.upper + row * stride; }

  static __device__ T entry(const Column& x, int row) {
    T value = __shfl_sync(whole_warp, x.of[0], row % warp_size);
    if constexpr (parts == 2) {
      const T high = __shfl_sync(whole_warp, x.of[1], row % warp_size);
      if (row >= warp_size) value = high;
    }
    return value;
  }

  /// Column c, up to date where the panel's pivots begin, ..., j - 1 are done.
  __device__ Column updated(int c, int begin, int j) const {
    Column even, odd = {};
#pragma unroll
    for (int part = 0; part < parts; ++part) even.of[part] = block_.at(held(part), c);
    const T* const factors = w(c) - begin;
    int k = begin;
#pragma unroll 2
    for (; k + 1 < j; k += 2) {
      const T one = factors[k], other = factors[k + 1];
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        even.of[part] -= block_.at(held(part), k) * one;
        odd.of[part] -= block_.at(held(part), k + 1) * other;
      }
    }
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      if (k < j) even.of[part] -= block_.at(held(part), k) * factors[k];
      even.of[part] += odd.of[part];
    }
    return even;
  }

  /// The largest magnitude of rows from, ..., n - 1 but `without`, and its row.
  __device__ Real<T> largest(const Column& x, int from, int without, int& found) const {
    Real<T> most_of_lane = -1;
    int own = from;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const int r = row(part);
      const Real<T> size = pivot_size(x.of[part]);
      if (r >= from && r < n_ && r != without && size > most_of_lane) {
        most_of_lane = size;
        own = r;
      }
    }
    return largest_of_lanes(most_of_lane, own, from, found);
  }

  static __device__ void swap_entries(Column& x, int a, int b) {
    const T of_a = entry(x, a), of_b = entry(x, b);
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      if (row(part) == a) x.of[part] = of_b;
      if (row(part) == b) x.of[part] = of_a;
    }
  }

  /// Exchanges rows and columns a and b, which are both left.
  __device__ void exchange(int a, int b, int begin, int j) const {
    for (int c = lane(); c < side; c += warp_size) {
      const T kept = block_.at(a, c);
      block_.at(a, c) = block_.at(b, c);
      block_.at(b, c) = kept;
    }
    for (int k = lane(); k < j - begin; k += warp_size) {
      const T kept = w(a)[k];
      w(a)[k] = w(b)[k];
      w(b)[k] = kept;
    }
    __syncwarp();
    for (int r = lane(); r < side; r += warp_size) {
      const T kept = block_.at(r, a);
      block_.at(r, a) = block_.at(r, b);
      block_.at(r, b) = kept;
    }
    if (lane() == 0) {
      const int kept = block_.order[a];
      block_.order[a] = block_.order[b];
      block_.order[b] = kept;
    }
  }

  /// Pivots from `begin` on, by the first warp, to the panel's end, which it hands back.
  __device__ int eliminate(int begin) {
    constexpr auto alpha = static_cast<Real<T>>(0.6403882032022076);  // (1 + sqrt(17)) / 8
    if constexpr (most > wide) {  // a column that the panel may not have
#pragma unroll
      for (int part = 0; part < parts; ++part) w(row(part))[wide] = 0;
    }
    int j = begin;
    while (j < n_ && j < begin + wide) {
      Column own = updated(j, begin, j), next = own;
      const Real<T> diagonal = pivot_size(entry(own, j));
      int below_row, ignored, chosen = j, size = 1;
      const Real<T> below = largest(own, j + 1, -1, below_row);
      if (j + 1 < n_ && fmax(diagonal, below) >= small_.least && diagonal < alpha * below) {
        next = updated(below_row, begin, j);
        const Real<T> across = largest(next, j, below_row, ignored);
        if (diagonal * across < alpha * below * below) {
          chosen = below_row;
          if (pivot_size(entry(next, below_row)) < alpha * across) size = 2;
        }
      }
      const int to = j + size - 1;
      if (size == 1 && chosen != j) own = next;
      if (chosen != to) {
        counter_.swapped();
        exchange(to, chosen, begin, j);
        swap_entries(own, to, chosen);
        swap_entries(next, to, chosen);
      }
      __syncwarp();
      if (size == 2) {
        take_pair(own, next, begin, j);
      } else {
        take_one(own, begin, j);
      }
      __syncwarp();
      j += size;
    }
    return j;
  }

  __device__ void take_one(const Column& own, int begin, int j) {
    const T found = entry(own, j), pivot = large_enough(found, small_, first_ + j, counter_);
    if (small_.made > small_.least && magnitude(found) < small_.least) list(j, pivot - found);
    if (pivot < 0) counter_.negative(1);
    const T inverse = 1 / pivot;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const int r = row(part);
      if (r <= j || r >= side) continue;
      block_.at(r, j) = own.of[part] * inverse;
      w(r)[j - begin] = own.of[part];
    }
    if (lane() == 0) {
      block_.inverse[j] = inverse;
      block_.beside[j] = 0;
    }
  }

  /// Tells that so much was added to pivot j.
  __device__ void list(int j, T by) {
    if (threadIdx.x > 0) return;
    const unsigned long long place = atomicAdd(&tally_->raised, 1ull);
    if (place >= most_raised_pivots) return;
    tally_->list[place] = {first_ + block_.order[j], static_cast<double>(by)};
  }

  __device__ void take_pair(const Column& own, const Column& next, int begin, int j) {
    const T a = entry(own, j), b = entry(own, j + 1), c = entry(next, j + 1);
    // Divides by the largest entry b first: products of all three may overflow.
    const T x = a / b, y = c / b, determinant = x * y - 1;
    const T scale = 1 / (determinant * b);
    const T first = y * scale, second = x * scale, off = -scale;
    counter_.paired();
    counter_.include(sqrt(fabs(determinant)) * fabs(b));
    counter_.negative(determinant < 0 ? 1 : a < 0 ? 2 : 0);
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const int r = row(part);
      if (r <= j + 1 || r >= side) continue;
      const T l1 = own.of[part], l2 = next.of[part];
      block_.at(r, j) = l1 * first + l2 * off;
      block_.at(r, j + 1) = l1 * off + l2 * second;
      w(r)[j - begin] = l1;
      w(r)[j + 1 - begin] = l2;
    }
    if (lane() == 0) {
      block_.at(j + 1, j) = 0;
      block_.inverse[j] = first;
      block_.inverse[j + 1] = second;
      block_.beside[j] = off;
      block_.beside[j + 1] = 0;
    }
  }

  /// Subtracts L W^T of the panel from what is left, by all threads: one has a row, and warps the
  /// same columns.
  __device__ void subtract_panel(int begin, int end) const {
    const int r = static_cast<int>(threadIdx.x) % side;
    const int group = static_cast<int>(threadIdx.x) / side;
    const int groups = static_cast<int>(blockDim.x) / side;
    if (r < end || r >= n_) return;
    T factors[most];
#pragma unroll
    for (int k = 0; k < most; ++k) factors[k] = begin + k < end ? block_.at(r, begin + k) : T(0);
#pragma unroll 2
    for (int c = end + group; c < n_; c += groups) {
      const T* const of_column = w(c);
      T even = block_.at(r, c), odd = 0;
#pragma unroll
      for (int k = 0; k < most; k += 2) {
        even -= factors[k] * of_column[k];
        if (k + 1 < wide) odd -= factors[k + 1] * of_column[k + 1];
      }
      block_.at(r, c) = even + odd;
    }
  }

  DiagonalBlock<T, side>& block_;
  int n_;
  SmallPivots<T> small_;
  int first_;
  PivotTally* tally_;
  PivotCounter& counter_;
};

}  // namespace spsolve::cuda::sparse
