#pragma once

#include "eliminate/blocked_band.hpp"
#include "eliminate/dense_rows.hpp"
#include "eliminate/host_team_solution.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// A BlockedBand in host memory: row-major, BLAS for the products, LAPACK for the panel. Whole rows
/// are one piece, but for a class derived from it.
template <typename T>
class HostBlockedBand : public BlockedBand<T> {
 public:
  /// The dense form of the sparse rows `sparse`, in their order. `alone` says that no other rank
  /// takes part. Throws std::bad_alloc where the memory isn't there.
  HostBlockedBand(const Csr<double>& sparse, Index max_width, bool alone);

  /// Bytes that such a band of one of `ranks` ranks allocates, candidates for pivots included.
  static std::int64_t bytes(Index height, Index order, Index max_width, int ranks);

  Index height() const override { return height_; }
  Index order() const override { return order_; }
  Index max_width() const override { return max_width_; }
  bool overlaps() const override { return false; }
  typename BlockedBand<T>::PanelOutcome factor_panel(Range panel, Pivoting pivoting,
                                                     std::span<Index> swaps) override;
  void follow_swaps(Range panel, std::span<const Index> swaps, Range piece) override;
  std::span<T> candidate_buffer(Index size) override;
  std::vector<Index> elect(Index first_active, Range panel, std::span<T> values) override;
  void factor_stack(Index width, std::span<const T> candidates, std::span<const Index> counts,
                    std::span<Index> order) override;
  void set_factors(Range panel, std::span<const T> factors) override;
  std::span<const T> factors(Range) const override { return factors_; }
  void retire(Index first_active, Range panel, std::span<const Index> chosen) override;
  double form_multipliers(Index first_active, Range panel) override;
  void withdraw_multipliers(Index first_active, Range panel) override;
  void follow_retired(Range, Range) override {}  // retire() swaps whole rows
  std::span<T> row_buffer(Range piece) override;
  void pack_rows(Index first, Index count, Range piece, std::span<T> packed) override;
  void set_pivot_block(Range panel, Range piece, std::span<const Index> order) override;
  void keep_pivot_rows(Range panel, Range piece, std::span<const Index> order, Index row) override;
  void solve_pivot_rows(Range panel, Range columns) override;
  void update(Index first_active, Range panel, Range columns) override;
  void write_rows(Index first, Index count, std::span<const T> values) override;
  std::vector<T> panel_values(Range rows, Range panel) const override;
  double largest_in(Range rows, Range columns) const override;
  double largest_upper() const override;
  std::vector<T> diagonal() const override;
  void solve_unit_lower(std::span<T> x, Index columns) const override;
  void solve_upper(std::span<T> x, Index columns) const override;
  TeamSolution<T>& solution() const override { return solution_; }
  void subtract_transposed_product(Range rows, Range panel, std::span<const T> x, std::span<T> c,
                                   Index columns) const override;

 private:
  T* row(Index i) { return values_.data() + i * stride_; }
  const T* row(Index i) const { return values_.data() + i * stride_; }

  /// The pivot block's element in its first row and column `column`, and its leading dimension.
  T* pivot_block(Range panel, Index column);
  Index pivot_stride(Range panel) const;

  // The number within the panel of the first column whose pivot is zero or not finite, or -1.
  Index factor_with_pivoting(Range panel, std::span<Index> swaps);
  Index factor_without_pivoting(Range panel, std::span<Index> swaps);

  Index height_;
  Index order_;
  Index max_width_;
  bool alone_;
  Index stride_;
  RawArray<T> values_;         // height x stride
  RawArray<T> scratch_;        // height x max_width: panel copies
  RawArray<T> block_;          // max_width x order: pivot rows of a team
  RawArray<T> travel_;         // max_width x order: rows on their way in a team
  std::vector<T> candidates_;  // on their way
  std::vector<T> factors_;     // L and U of the panel's pivots
  mutable HostTeamSolution<T> solution_;
};

extern template class HostBlockedBand<float>;
extern template class HostBlockedBand<double>;

}  // namespace spsolve
