#pragma once

#include <memory>
#include <string>

#include "distribute/layout/compressed_rows.hpp"
#include "distribute/rank_share.hpp"
#include "multiply/kernel/kernel.hpp"
#include "vectors/products/halo_rows.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::inline vectors {

/// A sparse matrix A, m x n in T, in bands of rows over the ranks of a team, and Y = A X: rows of
/// A and Y in the bands of one contiguous layout, rows of X in those of another one. Each rank
/// multiplies its own rows while the rows of X that its columns name come from their owners (a
/// message each way with each neighbour).
template <typename T>
class BasicBandMatrix {
 public:
  /// Rows that are multiplied by `kernel` of the memory's table, as KernelParts has them; `rows` is
  /// given up. The sum of a row is that of its interior terms plus that of its boundary terms, so
  /// that a product over several ranks differs from one rank's by rounding only, within the same
  /// bound (longest row + 2) u |A| |X|. Throws the same Error on every rank if the kernel refuses
  /// some rank's interior part. Collective.
  BasicBandMatrix(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
                  CompressedRows&& rows, const VectorMemory& memory, const Kernel& kernel,
                  const KernelOptions& options);
  BasicBandMatrix(const BasicBandMatrix&) = delete;
  BasicBandMatrix& operator=(const BasicBandMatrix&) = delete;

  Team& team() const { return team_; }
  const RowLayout& row_layout() const { return row_layout_; }
  const RowLayout& column_layout() const { return plan().bands; }
  const VectorMemory& memory() const { return memory_; }
  const HaloPlan& plan() const { return halo_.plan(); }
  Range own_rows() const { return row_layout_.band(team_.rank()); }
  Range own_columns() const { return plan().own; }

  /// Y = A X for this rank's rows of X and Y, in the matrix' memory, K columns each; K may change
  /// from call to call, on all ranks alike. Collective: among neighbours, the first time with a K
  /// among all.
  void multiply(const T* x, T* y, Index columns);

  /// Waits until the last product's Y is there; its times.
  ProductTimes finish();

  /// This rank's part of the products, if a kernel multiplies.
  const RankShare& share() const { return share_; }

  /// How the halo travels for the last product's K, in words; the same on every rank.
  std::string transport() const { return carrier_->transport(); }

  /// The choices of the kernels on this rank, in words, or "".
  std::string detail() const { return local_->detail(); }

 protected:
  /// Without a product yet. Collective.
  BasicBandMatrix(Team& team, const RowLayout& row_layout, HaloPlan plan,
                  const VectorMemory& memory);

  Team& team_;
  RowLayout row_layout_;
  HaloRows halo_;
  const VectorMemory& memory_;
  std::unique_ptr<HaloCarrier> carrier_;
  std::unique_ptr<LocalProduct<T>> local_;

 private:
  RankShare share_;
};

}  // namespace spsolve::vectors
