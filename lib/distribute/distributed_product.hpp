#pragma once

#include <memory>
#include <string>

#include "distribute/halo/halo_device.hpp"
#include "distribute/halo/split_rows.hpp"
#include "distribute/layout/compressed_rows.hpp"
#include "distribute/rank_share.hpp"

namespace spsolve::inline distribute {

/// Y = A X with A, X and Y in bands of rows over the ranks of a team: the operator that each rank
/// applies to its own rows.
///
/// Each product brings the halo of X while the interior part is multiplied, and then adds the
/// boundary part. The sum of a row is that of its interior terms plus that of its boundary terms,
/// so a product over several ranks differs from one rank's by rounding only, within the same bound
/// (longest row + 2) u |A| |X|.
template <typename T>
class DistributedProduct {
 public:
  /// Splits and converts this rank's rows: the interior part by `kernel`, the boundary part by the
  /// same where it takes such a matrix, else by the backend's plain kernel. `rows` is given up.
  /// Throws the same Error on every rank where the kernel refuses some rank's interior part.
  /// Collective.
  DistributedProduct(Team& team, ProductBackend& backend, const Kernel& kernel,
                     const KernelOptions& options, CompressedRows&& rows, const RowLayout& x_bands);

  /// Y = A X for this rank's rows of X and Y, in the backend's memory, K columns each; K may change
  /// from call to call, on all ranks alike. Collective: among neighbours, the first time with a K
  /// among all.
  void multiply(const T* x, T* y, Index columns);

  /// Waits until the last product's Y is there; its times.
  ProductTimes finish() { return device_->finish(); }

  const RankShare& share() const { return share_; }
  const HaloPlan& plan() const { return plan_; }

  /// How the halo travels for the last product's K, in words; the same on every rank.
  std::string transport() const { return device_->transport(); }

  /// The choices of the kernels on this rank, in words, or "".
  std::string detail() const;

 private:
  HaloPlan plan_;
  RankShare share_;
  std::string boundary_kernel_;  ///< where it is not the interior one
  std::unique_ptr<KernelProduct<T>> interior_, boundary_;
  std::unique_ptr<HaloDevice<T>> device_;
};

/// The facts that `kernel` asks of a matrix before it refuses it or not. Whether it is symmetric
/// and of how many types its rows are is found out only where it matters.
template <typename T>
MatrixFacts facts_for(const Kernel& kernel, const Csr<T>& rows, Index columns);

}  // namespace spsolve::distribute
