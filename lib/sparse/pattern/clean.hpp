#pragma once

#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline sparse {

/// A matrix without the zeros that it had stored.
struct CleanMatrix {
  Csr<double> matrix;
  Index dropped = 0;  ///< stored entries that were 0 or -0
};

/// A copy of `matrix` without them; its other values, nan and infinite ones as well, are kept bit
/// for bit. An elimination would otherwise order, store and compute with what is not there.
/// Cost: two passes in threads, and the memory of the copy.
CleanMatrix without_stored_zeros(const Csr<double>& matrix);

/// Whether there are such. Cost: a pass.
bool has_stored_zeros(const Csr<double>& matrix);

/// Which entries of a matrix an elimination takes, ascending, and which it leaves out because they
/// were zero: what spares the copy when values change.
struct TakenEntries {
  std::vector<Index> taken, left_out;

  /// Whether nothing is left out of these values that counts.
  bool serve(const std::vector<double>& values) const;
};

/// The entries of `matrix` that are left in `clean`, which without_stored_zeros() made of it.
TakenEntries without_zeros(const Csr<double>& matrix, const Csr<double>& clean);

}  // namespace spsolve::sparse
