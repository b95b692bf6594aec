#pragma once

#include <span>

#include "core/types.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/dense/panel/panel_kernels.hpp"
#include "solve/options.hpp"

namespace spsolve::cuda {

/// B <- L^-1 B for the unit lower triangle of a width x width matrix and B of width x columns, both
/// row-major: triangles of small_triangle columns by a kernel of their own, products between them.
template <typename T>
void solve_unit_lower_by_halves(const CublasHandle& blas, Index width, Index columns, const T* l,
                                Index l_stride, T* b, Index b_stride, cudaStream_t stream);

/// A <- A U^-1 for the upper triangle of a width x width matrix and A of rows x width: leaves of
/// leaf_width columns by substitution, products between them. Keeps the largest |a_ij| in the
/// report.
template <typename T>
void form_multipliers_by_halves(const CublasHandle& blas, Index rows, Index width, const T* u,
                                Index u_stride, T* a, Index stride, PanelReport* report,
                                cudaStream_t stream);

/// LU factorisation of a panel, rows x width with rows >= width, that lies row-major in GPU memory:
/// L below and U on and above the diagonal, rows swapped within the panel. Recursive halves of the
/// columns down to leaves of leaf_width (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997); the pivots
/// of a leaf by a tournament, by columns, or as they come. rows width^2 flops; about three launches
/// a leaf.
template <typename T>
class PanelLu {
 public:
  /// For panels of at most `rows` x `width`.
  PanelLu(Index rows, Index width);

  static std::int64_t bytes(Index rows, Index width);

  struct Outcome {
    double largest_multiplier = 0;  ///< max |l_ij|, infinite where one is not finite
    Index bad_column = -1;  ///< the panel's first column whose pivot is zero or not finite, or -1
  };

  /// Starts the factorisation on `stream`; `blas` must be set to that stream. Panels too tall for
  /// this GPU's partial pivoting, 67584 rows in double on an H200, are left to finish().
  void start(const CublasHandle& blas, cudaStream_t stream, T* a, Index stride, Index rows,
             Index width, Pivoting pivoting);

  /// Waits for it, or eliminates what start() left by LAPACK: slow, but rarely needed, as auto
  /// means tournament, and no less stable. Step i swapped rows i and swaps[i], counted from the
  /// panel's first row.
  Outcome finish(std::span<Index> swaps);

 private:
  struct Place;
  void eliminate(const Place& panel, Range columns);
  void eliminate_leaf(const Place& panel, Range columns, Index next);
  Outcome finish_by_host(std::span<Index> swaps);

  DeviceArray<int> candidates_;
  DeviceArray<char> grid_slots_;
  DeviceArray<Leaf<T>> leaf_;
  DeviceArray<char> told_;  // a PanelReport and the swaps
  PinnedArray<char> heard_;
  cudaStream_t stream_ = nullptr;

  // What start() left.
  struct {
    T* a = nullptr;
    Index stride = 0, rows = 0, width = 0;
  } left_;
};

}  // namespace spsolve::cuda
