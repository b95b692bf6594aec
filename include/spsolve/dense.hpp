#pragma once

#include <vector>

#include "spsolve/types.hpp"

namespace spsolve {

/// A dense matrix or multivector, row-major: element (i, j) is values[i * columns + j].
template <typename T>
struct Dense {
  Index rows = 0;
  Index columns = 0;
  std::vector<T> values;

  Dense() = default;
  Dense(Index row_count, Index column_count, T fill = T{})
      : rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(row_count * column_count), fill) {}

  T& operator()(Index row, Index column) { return values[row * columns + column]; }
  const T& operator()(Index row, Index column) const { return values[row * columns + column]; }
  T* row(Index i) { return values.data() + i * columns; }
  const T* row(Index i) const { return values.data() + i * columns; }
};

}  // namespace spsolve
