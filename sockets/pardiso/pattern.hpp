#pragma once

#include <cstdint>
#include <vector>

#include "sockets/pardiso/parameters.hpp"

namespace spsolve::sockets {

/// The places of a caller's matrix: compressed rows, of symmetric kinds the upper triangle.
struct GivenPattern {
  Index order;
  IndexArray ia, ja;
  Index base;

  /// Throws Error(input) unless the arrays are those of such a matrix; `strictly`: and the columns
  /// of a row ascend.
  void require_whole(Symmetry symmetry, bool strictly) const;

  Index entries() const { return ia[order] - base; }

  /// A number that other patterns hardly have.
  std::uint64_t fingerprint() const;
};

/// All entries of A, or of P A P^T, row after row, columns ascending: what a Solver takes, and
/// which of the caller's entries each is.
struct WholePattern {
  std::vector<Index> offsets, columns;
  /// Of entry k sources[k] is the caller's entry, or its complement, if that is conjugated; empty
  /// where they are all the caller's in turn.
  std::vector<Index> sources;

  /// `places[i]`: the row of P A P^T that row i of A is; empty: P = I. Throws Error(input) where
  /// an entry is named twice.
  WholePattern(const GivenPattern& given, Symmetry symmetry, const std::vector<Index>& places);
};

}  // namespace spsolve::sockets
