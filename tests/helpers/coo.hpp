#pragma once

#include "matrix/coo.hpp"

namespace spsolve::test {

/// Appends a_row,column = value.
inline void add(Coo& coo, Index row, Index column, double value) {
  coo.row.push_back(row);
  coo.column.push_back(column);
  coo.value.push_back(value);
}

}  // namespace spsolve::test
