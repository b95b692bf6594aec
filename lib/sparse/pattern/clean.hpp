#pragma once

#include <optional>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "matrix/symmetry.hpp"

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

/// `matrix`, symmetric but for rounding, with a symmetric pattern: the entries (i, j) of which a_ij
/// or a_ji is not 0, where what was not stored is 0. Cost: that of a transposition and two passes.
Csr<double> with_mirrors(const Csr<double>& matrix);

/// `matrix` as an elimination takes it, by one of these two, or nothing where it is so already.
std::optional<Csr<double>> cleaned(const Csr<double>& matrix, const SymmetryFacts& facts);

/// Whether there are zeros stored. Cost: a pass.
bool has_stored_zeros(const Csr<double>& matrix);

/// Which entries of a matrix an elimination takes, ascending, and which it leaves out because they
/// were zero, and their mirrors, too, if it wants symmetry: spares the copy when values change.
struct TakenEntries {
  std::vector<Index> taken, left_out;

  /// Whether nothing is left out of these values that counts.
  bool serve(const std::vector<double>& values) const;
};

/// The entries of `matrix` that are left in `clean`, all of whose entries it stores.
TakenEntries without_zeros(const Csr<double>& matrix, const Csr<double>& clean);

}  // namespace spsolve::sparse
