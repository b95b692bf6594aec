#pragma once

#include <vector>

#include "dense/lu/blocked_solution.hpp"
#include "matrix/dense.hpp"

namespace spsolve::inline dense {

/// A BlockedSolution in host memory, by BLAS.
template <typename T>
class HostBlockedSolution final : public BlockedSolution<T> {
 public:
  /// For eliminated rows at `a`, `stride` values apart, of a matrix of order `order`, in panels of
  /// at most `max_width` columns.
  HostBlockedSolution(const T* a, Index stride, Index order, Index max_width)
      : a_(a), stride_(stride), order_(order), max_width_(max_width) {}

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

 private:
  void solve_whole_transposed(Triangle triangle, Dense<T>& x);
  /// c <- c - A(rows, panel)^T x for x of rows x K, c of panel width x K.
  void subtract_transposed(Range rows, Range panel, const T* x, T* c, Index columns) const;
  T* sums(Index row) { return sums_.data() + row * columns_; }

  const T* a_;
  Index stride_, order_, max_width_;
  Index columns_ = 0;
  Range band_;
  std::vector<Index> order_of_rows_;
  std::vector<Index> places_, in_panel_;
  std::vector<T> sums_, x_, kept_, buffer_;
};

SPSOLVE_INSTANTIATED(class HostBlockedSolution)

}  // namespace spsolve::dense
