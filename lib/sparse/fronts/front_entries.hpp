#pragma once

#include <span>
#include <vector>

#include "core/scalar.hpp"
#include "core/untouched_vector.hpp"
#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::inline sparse {

/// Where an entry of A belongs in a front.
struct FrontEntry {
  Index source;       ///< its place among the values of A
  LocalIndex row;     ///< of `lower`, or of `upper`
  LocalIndex column;  ///< the same; ~column for an entry of `upper`
};

/// Entry number `source` of A among its values, of which complex ones are two numbers each.
template <typename T>
T value_at(const std::vector<double>& values, Index source) {
  if constexpr (is_complex<T>) {
    return T(static_cast<Real<T>>(values[2 * source]),
             static_cast<Real<T>>(values[2 * source + 1]));
  } else {
    return static_cast<T>(values[source]);
  }
}

/// The entries of A by the front that takes them in: for symmetric factorisations those of the
/// lower triangle in the order of elimination, of LU all.
struct FrontEntries {
  std::vector<Index> starts{0};  ///< fronts + 1
  UntouchedVector<FrontEntry> entries;

  std::span<const FrontEntry> of(LocalIndex s) const {
    return {entries.data() + starts[s], entries.data() + starts[s + 1]};
  }
};

/// `row_place`, `column_place`: the position in the order of elimination of each row and column of
/// A. `block` of each position: entries between two of them are in no front; empty for one block.
/// Cost: two passes over A, and the rows of all borders.
FrontEntries front_entries(const Fronts& fronts, const std::vector<Index>& row_offsets,
                           const std::vector<LocalIndex>& columns,
                           const std::vector<LocalIndex>& row_place,
                           const std::vector<LocalIndex>& column_place,
                           const std::vector<LocalIndex>& block, Factorization kind);

}  // namespace spsolve::sparse
