#pragma once

#include <algorithm>

#include "cuda/core/device_array.hpp"
#include "cuda/dense/factor_store.hpp"
#include "cuda/dense/panel/triangle_kernels.hpp"
#include "cuda/dense/streams/dense_streams.hpp"
#include "dense/lu/blocked_solution.hpp"
#include "distribute/layout/row_layout.hpp"

namespace spsolve::cuda::inline dense {

/// A BlockedSolution in the memory of this rank's GPU: everything is work on the stream of updates.
/// The host waits for none of a team's sweeps before read(); a solve of a rank alone is in order
/// with the current stream.
template <typename T>
class DeviceBlockedSolution final : public BlockedSolution<T> {
 public:
  /// For eliminated rows at `a`, `stride` values apart, with the factors of their panels. `order`
  /// is that of the matrix.
  DeviceBlockedSolution(DenseStreams& streams, const T* a, Index stride, Index order,
                        FactorStore<T>& factors)
      : streams_(streams), a_(a), stride_(stride), order_(order), factors_(factors), ticket_(1) {}

  /// Bytes of GPU memory that it takes for `columns` right-hand sides on one of `ranks` ranks.
  static std::int64_t bytes(Index height, Index order, Index max_width, int ranks, Index columns) {
    if (columns == 0) return 0;
    const Index width = std::min(max_width, order);
    const Index of_pass = columns_of_triangle(columns);
    const Index alone = height * columns + std::max(height * of_pass, width * columns);
    const Index in_team = height + RowLayout{order, ranks}.band(0).size() + (ranks + 1) * width;
    return (alone + (ranks == 1 ? 0 : in_team * columns)) * static_cast<std::int64_t>(sizeof(T)) +
           (ranks == 1 ? order : height + order) * static_cast<std::int64_t>(sizeof(int));
  }

  void take_order(std::span<const Index> order) override;
  void solve_whole(bool transposed, const Vectors& b, Vectors& x) override;
  void begin(std::span<const T> sums, const SolutionOrder& order, Index columns) override;
  std::span<T> buffer(Index size) override;
  void pack_sums(Range rows, std::span<T> packed) override;
  void solve(Triangle triangle, Range panel, std::span<const T> factors,
             std::span<const T> gathered) override;
  void subtract_product(Range rows, Range panel) override;
  void keep_sums(Range rows) override;
  void keep_band(Range panel) override;
  void read(std::span<T> band) override;
  void begin_transposed(std::span<const T> band, const SolutionOrder& order,
                        Index columns) override;
  void pack_band(Range panel, std::span<T> packed) override;
  void pack_pivots(Range rows, std::span<T> packed) override;
  void subtract_transposed_product(Range rows, Range panel, std::span<T> packed) override;
  void solve_transposed(Triangle triangle, Range panel, std::span<const T> factors,
                        std::span<const T> gathered) override;
  void read_sums(std::span<T> sums) override;
  bool keeps_factors() const override { return true; }

 private:
  /// B <- the inverse of a triangle of the w x w matrix at `a`, or of its transpose, times B.
  void solve_columns(Triangle triangle, bool transposed, Index w, const T* a, Index stride, T* b,
                     Index columns);
  /// x <- the inverse of a triangle, or of its transpose, times x for few columns, a pass for every
  /// four of them, through other_.
  void solve_by_passes(Triangle triangle, bool transposed, const TriangleView<T>& a, T* x,
                       Index columns);
  /// Room in x_ and other_ for a panel of `width` columns; and x_ <- the inverse of a triangle of
  /// its factors, or of its transpose, times x_.
  void make_room(Index width);
  void solve_panel(Triangle triangle, bool transposed, Range panel, std::span<const T> factors);

  DenseStreams& streams_;
  const T* a_;
  Index stride_, order_;
  FactorStore<T>& factors_;
  Index columns_ = 0;
  Range band_;
  DeviceArray<int> order_of_rows_;
  Event given_, solved_;  // vectors of a rank alone
  DeviceArray<int> places_, in_panel_;
  DeviceArray<T> sums_, kept_, buffer_;
  DeviceArray<T> x_;         // of a panel, or whole
  DeviceArray<T> other_;     // the columns of a pass
  DeviceArray<int> ticket_;  // of solve_triangle()
};

SPSOLVE_INSTANTIATED(class DeviceBlockedSolution)

}  // namespace spsolve::cuda::dense
