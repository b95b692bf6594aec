#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline dense {

// The kernels of a panel's elimination on one GPU. Matrices are row-major: element (i, j) of `a` is
// a[i * stride + j]; `a` points to the first active row and the panel's first column. A leaf is a
// piece of a panel of at most leaf_width columns, small enough for a row of it in registers.

inline constexpr int leaf_width = 32;

/// The results of the election of a leaf's pivots in GPU memory. Row numbers count from the leaf's
/// first row.
template <typename T>
struct Leaf {
  T factors[leaf_width * leaf_width];  ///< L and U of the pivot rows, row-major
  int moves_from[2 * leaf_width];      ///< row moves_to[k] becomes what row moves_from[k] was
  int moves_to[2 * leaf_width];        ///< -1: nothing
};

/// The report of a panel's elimination for the host.
struct PanelReport {
  unsigned long long largest_multiplier;  ///< magnitude_key() of it
  int first_bad;                          ///< panel column of the first pivot that is zero or not
                                          ///< finite; the panel's width where there is none
};

/// Work space of elections.
struct PivotSearchSpace {
  int* candidates;   ///< leaf_candidate_count(rows) row numbers
  void* grid_slots;  ///< grid_slot_bytes(rows): see pivots_by_columns()
};
Index leaf_candidate_count(Index rows);
Index grid_slot_bytes(Index rows);

/// The absolute value that a magnitude_key() of a T stands for; infinite where the value was not
/// finite.
double magnitude_of_key(unsigned long long key, double);
double magnitude_of_key(unsigned long long key, float);

/// Elects the pivots of a leaf. As many rows as one thread block cluster keeps in registers (16
/// blocks of 512 on an H200) are eliminated there by partial pivoting, to 16 bits of the
/// magnitudes: the eliminated rows are in place then, multipliers and all, not yet moved, and the
/// answer is true. More rows play a tournament: each cluster eliminates a copy of its rows and
/// offers the winners, whose original rows play the next round (Grigori, Demmel, Xiang, CALU, 2011,
/// inside one GPU); `a` is as it was then. Leaves the swaps of the steps (row numbers from the
/// leaf's first row) in `swaps`. `column` is the leaf's place in its panel, for the report.
/// `candidates` has leaf_candidate_count(rows) places.
template <typename T>
bool pivots_by_tournament(T* a, Index stride, Index rows, int width, int column, int* candidates,
                          Leaf<T>* leaf, int* swaps, PanelReport* report, cudaStream_t stream);

/// Partial pivoting over all rows, the election alone: one grid that keeps every row in registers
/// and meets at a barrier each column; rows <= largest_partial_height().
template <typename T>
void pivots_by_columns(const T* a, Index stride, Index rows, int width, int column,
                       const PivotSearchSpace& space, Leaf<T>* leaf, int* swaps,
                       PanelReport* report, cudaStream_t stream);
template <typename T>
Index largest_partial_height();

/// Pivots as they come: factors and no moves.
template <typename T>
void pivots_in_order(const T* a, Index stride, int width, int column, Leaf<T>* leaf, int* swaps,
                     PanelReport* report, cudaStream_t stream);

/// Moves the leaf's rows in the columns [0, columns) of the panel, writes L and U of the pivot rows
/// into the leaf's columns [column, column + width), and solves with L in the `next` columns after
/// them: those rows of U are final then. `column` is a multiple of leaf_width.
template <typename T>
void move_leaf_rows(T* a, Index stride, Index columns, Index column, int width, int next,
                    const Leaf<T>* leaf, cudaStream_t stream);

/// For `rows` rows, `a` at the first of them and at the leaf's first column: L = A U^-1 in place.
/// U, `width` wide, is at `upper`. Keeps the largest |l_ij| in the report.
template <typename T>
void form_leaf_multipliers(T* a, Index stride, Index rows, int width, const T* upper,
                           Index upper_stride, PanelReport* report, cudaStream_t stream);

/// Widest triangle of solve_unit_lower_small().
inline constexpr int small_triangle = 64;

/// Half of `width` columns, in whole small triangles.
constexpr Index half_by_triangles(Index width) {
  return (width / 2 + small_triangle - 1) / small_triangle * small_triangle;
}

/// X <- L^-1 B for the unit lower triangle of a width x width matrix, width <= small_triangle, and
/// B and X, which may be the same, of width x columns with `stride`.
template <typename T>
void solve_unit_lower_small(int width, Index columns, const T* l, Index l_stride, const T* b, T* x,
                            Index stride, cudaStream_t stream);

}  // namespace spsolve::cuda::dense
