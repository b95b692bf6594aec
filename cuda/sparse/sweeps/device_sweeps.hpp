#pragma once

#include <optional>
#include <vector>

#include "cuda/sparse/fronts/device_factors.hpp"
#include "cuda/sparse/sweeps/front_sweeps.hpp"
#include "cuda/sparse/sweeps/off_diagonal_kernels.hpp"
#include "cuda/sparse/sweeps/row_order_kernels.hpp"

namespace spsolve::cuda::inline sparse {

/// Solves with finished factors on their GPU. Blocks of the block triangular form that don't wait
/// for one another are solved with side by side, by two sweeps; the others follow.
template <typename T>
class DeviceSweeps {
 public:
  DeviceSweeps(const SparseAnalysis& analysis, DeviceFactors<T>& factors);

  /// x <- A^-1 b or A^-T b, n x `columns`, row-major, for A in its own order; b may be x.
  /// Cost: reads the factors once forward and once backward for each most_sweep_columns columns.
  void solve(bool transposed, Index columns, const double* b, double* x);

 private:
  /// Blocks that are solved with together.
  struct Group {
    Range rows, columns;  ///< of by_rows_ and by_columns_, that take off what is known of x
  };
  /// Off-diagonal blocks by their rows, or by their columns.
  struct OffDiagonalPart {
    std::vector<Index> first_pieces;  ///< piece_starts on the host
    DeviceArray<int> rows, columns, piece_rows;
    DeviceArray<Index> starts, sources, piece_starts;
    DeviceOffDiagonalBlocks view() const {
      return {rows.data(),    starts.data(),       columns.data(),
              sources.data(), piece_starts.data(), piece_rows.data()};
    }
    Range pieces_of(Range of_rows) const {
      if (of_rows.size() == 0) return {0, 0};
      return {first_pieces[of_rows.first], first_pieces[of_rows.last]};
    }
  };

  std::vector<int> groups_of(const SparseAnalysis& analysis, int& count) const;
  std::size_t parts() const { return factors_.layout().parts.size(); }
  OffDiagonalPart off_diagonal_part(const SparseAnalysis& analysis,
                                    const std::vector<int>& group_of, bool by_columns,
                                    Range Group::*range);
  void solve_some(bool transposed, int columns);

  DeviceFactors<T>& factors_;
  Index rows_;
  std::vector<Group> groups_;
  std::optional<FrontSweeps<T>> sweeps_;       // a piece for each part of each group in turn
  DeviceArray<int> row_order_, column_order_;  // of A, by position in the order of elimination
  OffDiagonalPart by_rows_, by_columns_;
  DeviceArray<T> off_diagonal_parts_;
};

}  // namespace spsolve::cuda::sparse
