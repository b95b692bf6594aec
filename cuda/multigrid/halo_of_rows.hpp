#pragma once

#include <optional>
#include <vector>

#include "cuda/multiply/storage/device_csr.hpp"
#include "distribute/halo/halo_plan.hpp"
#include "vectors/band_matrix.hpp"

namespace spsolve::cuda::inline multigrid {

// Rows in the memory of each rank's current GPU followed by those that other ranks have of them.
// Messages from rank to rank go through host memory. Collective.

/// `own`, own rows of the matrix x `columns`, row-major, followed by the halo's rows. Cost: a copy,
/// and a message each way with each neighbour.
DeviceArray<double> with_halo(const BandMatrix& matrix, DeviceArray<double> own, Index columns);

/// A rank's rows of a matrix; columns as BandProducts has them: own ones, and then `others`.
struct NumberedRows {
  DeviceCsr<double> rows;
  std::vector<Index> others;  ///< ascending
};

/// Drops those of the others that no row names; there are `own` own columns. Not collective.
void leave_out_unnamed(NumberedRows& rows, Index own);

/// The columns of such rows, of `all`.
struct ColumnShare {
  Range own;
  const std::vector<Index>& others;
  Index all;
};

struct RowsWithHalo {
  CsrView<double> view;  ///< of `stacked`, or of the own rows where a rank is alone
  std::optional<DeviceCsr<double>> stacked;
  std::vector<Index> others;  ///< of own rows and the halo's
};

/// Rows that lie in plan.bands; `own` must stay where it is.
RowsWithHalo with_halo_rows(Team& team, const HaloPlan& plan, const CsrView<double>& own,
                            const ColumnShare& columns);

/// P^T of rows of P in the layout `fine`, columns in the layout `coarse`, in these layouts.
NumberedRows transposed_over_ranks(Team& team, const RowLayout& fine, const RowLayout& coarse,
                                   const NumberedRows& p);

}  // namespace spsolve::cuda::multigrid
