#pragma once

#include <array>
#include <vector>

#include "matrix/csr.hpp"
#include "multiply/kernel/row_groups.hpp"

namespace spsolve::cuda::inline multiply {

/// Non-zeros over the columns that are stored, or read, once for a group: from here on groups pay.
inline constexpr double worthwhile_groups = 1.5;

/// The rows of a matrix in groups of consecutive rows with the same column pattern (the unknowns of
/// a node): groups[r - 1] holds the first row of each group of r rows. Every row is in one group,
/// those with more than `longest` non-zeros by themselves.
using RowGroups = std::array<std::vector<Index>, most_rows_in_group>;

/// Where grouping would save less than a third of the column indices, all groups are single rows.
/// Cost: reads the column indices once.
template <typename T>
RowGroups row_groups_of(const Csr<T>& matrix, Index longest);

/// Calls work.template operator()<r>() for every r with groups of r rows, r ascending.
template <typename Work>
void for_each_group_size(Work work) {
  static_assert(most_rows_in_group == 4);
  work.template operator()<1>();
  work.template operator()<2>();
  work.template operator()<3>();
  work.template operator()<4>();
}

}  // namespace spsolve::cuda::multiply
