#pragma once

#include <vector>

#include "cuda/sparse/device_factors.hpp"
#include "cuda/sparse/sweeps/row_order_kernels.hpp"
#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda {

/// Solves with finished factors on their GPU. Blocks of the block triangular form that don't wait
/// for one another are solved with side by side, by two sweeps; the others behind them.
template <typename T>
class DeviceSweeps {
 public:
  /// `factors` and `analysis` must outlive the object.
  DeviceSweeps(const SparseAnalysis& analysis, DeviceFactors<T>& factors);

  /// x <- A^-1 b or A^-T b, n x `columns`, row-major, for A in its own order; b may be x.
  /// Cost: reads the factors once forward and once backward for each most_sweep_columns columns.
  void solve(bool transposed, Index columns, const double* b, double* x);

 private:
  /// What a part of the places has of some blocks.
  struct Piece {
    Range small;              ///< fronts of subtrees of small ones
    Range forward, backward;  ///< tasks of the fronts above
    bool is_empty() const { return small.size() + forward.size() == 0; }
  };
  /// Blocks that are solved with together.
  struct Group {
    Range rows, columns;  ///< of by_rows_ and by_columns_, that take off what is known of x
  };
  /// Couplings by their rows, or by their columns.
  struct Coupled {
    DeviceArray<int> rows, columns;
    DeviceArray<Index> starts, sources;
    DeviceCouplings view() const {
      return {rows.data(), starts.data(), columns.data(), sources.data()};
    }
  };

  std::vector<int> groups_of(const SparseAnalysis& analysis, int& count) const;
  std::size_t parts() const { return factors_.places().parts.size(); }
  void write_small(const std::vector<int>& piece_of);
  void write_tasks(const std::vector<int>& piece_of);
  void write_taken(const Fronts& fronts);
  Coupled coupled(const SparseAnalysis& analysis, const std::vector<int>& group_of, bool by_columns,
                  Range Group::*range);
  template <typename Item>
  DeviceArray<Item> joined(const std::vector<std::vector<Item>>& lists, Range Piece::*range);
  void solve_some(bool transposed, int columns);

  DeviceFactors<T>& factors_;
  Index rows_;
  std::vector<Group> groups_;
  std::vector<Piece> pieces_;                  // of each group in turn, part by part
  DeviceArray<int> row_order_, column_order_;  // of A, by position in the order of elimination
  DeviceArray<int> border_, small_, next_;
  DeviceArray<unsigned> taken_starts_, taken_;
  DeviceArray<SweepTask> forward_, backward_;
  Coupled by_rows_, by_columns_;
  DeviceArray<T> b_, y_, x_, passed_up_;
};

}  // namespace spsolve::cuda
