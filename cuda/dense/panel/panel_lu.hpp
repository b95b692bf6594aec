#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/dense/panel/inverted_triangles.hpp"
#include "cuda/dense/panel/panel_kernels.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::cuda::inline dense {

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

  /// A panel in GPU memory and how it is worked on.
  struct Panel {
    T* a;
    Index stride, rows, width;
    Pivoting pivoting;

    T* at(Index row, Index column) const { return a + row * stride + column; }
  };

  /// The work that goes on concurrently: `leaves` are launched by start() and the others by
  /// go_on(), so that launches of the caller in between need not wait for hundreds of launches; and
  /// `inverses`, if any, of triangles of L are made concurrently, from go_on() on: until then those
  /// of the panel before hold.
  struct Beside {
    Index leaves = std::numeric_limits<Index>::max();
    InvertedTriangles<T>* inverses = nullptr;
  };

  /// Starts the factorisation on `stream`; `blas` must be set to that stream. Panels too tall for
  /// this GPU's partial pivoting, 67584 rows in double on an H200, are left to finish().
  void start(const CublasHandle& blas, cudaStream_t stream, const Panel& panel,
             const Beside& beside = {});

  /// Launches what start() left.
  void go_on();

  /// Waits for it, or eliminates what start() left by LAPACK: slow, but rarely needed, as auto
  /// means tournament, and no less stable. Step i swapped rows i and swaps[i], counted from the
  /// panel's first row.
  Outcome finish(std::span<Index> swaps);

 private:
  /// A leaf's elimination, and of `next` columns after it; or, where there are any, the columns
  /// `right` by those on the left.
  struct Step {
    Range columns;
    Index next;
    Range right;
  };

  void plan(Range columns);
  /// Launches steps up to the end of so many leaves, and after the last step the report for the
  /// host.
  void launch(Index leaves);
  void follow(const Step& step);
  void eliminate_leaf(Range columns, Index next);
  void eliminate_right(Range left, Range right);
  Outcome finish_by_host(std::span<Index> swaps);

  DeviceArray<int> candidates_;
  DeviceArray<char> grid_slots_;
  DeviceArray<Leaf<T>> leaf_;
  DeviceArray<char> told_;  // a PanelReport and the swaps
  PinnedArray<char> heard_;

  // The factorisation that start() began.
  const CublasHandle* blas_ = nullptr;
  cudaStream_t stream_ = nullptr;
  Panel panel_{};
  Beside beside_;
  std::vector<Step> steps_;
  std::size_t next_step_ = 0;
  bool goes_on_ = false;
  bool by_host_ = false;
};

}  // namespace spsolve::cuda::dense
