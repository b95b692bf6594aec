#pragma once

#include <vector>

#include "matrix/csr.hpp"

namespace spsolve::inline multiply {

/// Most rows in a group: their sums and a vector of X stay in registers together.
inline constexpr int most_rows_in_group = 4;

/// For each group of consecutive rows with the same column pattern the number of its rows, 1 ...
/// most_rows_in_group; runs of more equal rows are cut into groups of nearly equal size.
/// Cost: reads the column indices once.
template <typename T>
std::vector<int> equal_row_groups(const Csr<T>& csr);

/// Non-zeros over stored column indices: 1 where no two consecutive rows share their pattern, 3 for
/// three unknowns at every node of a mesh.
template <typename T>
double grouping_of(const Csr<T>& csr);

/// equal_row_groups() of some rows.
template <typename T>
std::vector<int> equal_groups_of(const Csr<T>& csr, Range rows);

}  // namespace spsolve::multiply
