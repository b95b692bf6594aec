#pragma once

#include <optional>

#include "cuda/core/device_array.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda::inline vectors {

/// Groups of consecutive rows as kernels take them: group g is rows firsts[g], ..., firsts[g + 1] -
/// 1, which have one list of columns.
struct GroupedView {
  Index count;
  int most;                  ///< rows of the largest group
  const LocalIndex* firsts;  ///< count + 1
};

/// Which rows of a Csr are groups, in GPU memory: those of the unknowns of a node, as a rule. Rows
/// stay where they are; a product reads a group's columns, and x, once for all of its rows.
class GroupedRows {
 public:
  /// None where that saves less than a third of the columns, or where a row is far longer than
  /// others. Cost: reads the columns once, on the host.
  static std::optional<GroupedRows> of(const Csr<double>& host);

  /// The groups of rows that are known to come in groups of `together`, which divides their number:
  /// larger ones than kernels take are cut.
  static GroupedRows of_equal(Index rows, int together);

  GroupedView view() const { return {firsts_.size() - 1, most_, firsts_.data()}; }

 private:
  int most_ = 0;
  DeviceArray<LocalIndex> firsts_;
};

}  // namespace spsolve::cuda::vectors
