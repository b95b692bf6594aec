#pragma once

#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline matrix {

/// The word of a Matrix Market header.
constexpr std::string_view name(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::symmetric:
      return "symmetric";
    case Symmetry::skew_symmetric:
      return "skew-symmetric";
    case Symmetry::hermitian:
      return "hermitian";
    default:
      return "general";
  }
}

/// A sparse matrix as a list of entries (row, column, value), 0-based, in any order.
/// Entries named more than once are summed when the list becomes a Csr.
/// With `symmetry` other than general, the entries are those of the file; csr_from_coo() mirrors
/// them.
/// Of a complex matrix `value` has the real parts.
struct Coo {
  Index rows = 0;
  Index columns = 0;
  Symmetry symmetry = Symmetry::general;
  std::vector<Index> row;
  std::vector<Index> column;
  std::vector<double> value;
  bool is_complex = false;
  std::vector<double> imaginary = {};  ///< parts of a complex matrix, one for each value

  Index entries() const { return static_cast<Index>(value.size()); }
};

/// The symmetry of the imaginary parts of a matrix.
constexpr Symmetry imaginary_symmetry(Symmetry symmetry) {
  return symmetry == Symmetry::hermitian ? Symmetry::skew_symmetric : symmetry;
}

/// Calls emit(row, column, value) for an entry and, where symmetry asks for it, for its mirror; of
/// a complex one for the real part.
template <typename Emit>
inline void with_mirror(Symmetry symmetry, Index row, Index column, double value,
                        const Emit& emit) {
  emit(row, column, value);
  if (symmetry != Symmetry::general && row != column) {
    emit(column, row, symmetry == Symmetry::skew_symmetric ? -value : value);
  }
}

}  // namespace spsolve::matrix
