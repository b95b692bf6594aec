#pragma once

// The common part of the padded formats inside; not for their users.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/types.hpp"
#include "matrix/formats/ellpack.hpp"

namespace spsolve::inline matrix {

/// The elements of one row.
template <typename T>
struct RowView {
  std::span<const LocalIndex> columns;
  std::span<const T> values;
};

template <typename Value>
std::int64_t vector_bytes(const std::vector<Value>& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(Value));
}

/// Throws Error(resources) with padding_problem()'s sentence.
inline void refuse_padding(Index rows, Index width, Index nonzeros, std::size_t value_bytes) {
  if (const std::string problem = padding_problem(rows, width, nonzeros, value_bytes);
      !problem.empty()) {
    fail(ExitCode::resources, "{}", problem);
  }
}

/// Writes element j of slot s, row_of(s).columns[j] and .values[j], to s + j * padded_slots of
/// `columns` and `values`; (-1, 0) where the slot's row ends before `width`, or s >= slots.
/// padded_slots is a multiple of 32. Cost: linear in padded_slots * width, parallel over blocks of
/// 32 slots, whose writes are contiguous.
template <typename T, typename RowOf>
void fill_column_major(Index slots, Index padded_slots, Index width, const RowOf& row_of,
                       LocalIndex* columns, T* values) {
  constexpr Index block = 32;
#pragma omp parallel for schedule(static)
  for (Index first = 0; first < padded_slots; first += block) {
    RowView<T> rows[block];
    for (Index s = first; s < std::min(slots, first + block); ++s) rows[s - first] = row_of(s);
    for (Index j = 0; j < width; ++j) {
      for (Index r = 0; r < block; ++r) {
        const bool stored = j < static_cast<Index>(rows[r].columns.size());
        columns[first + r + j * padded_slots] = stored ? rows[r].columns[j] : -1;
        values[first + r + j * padded_slots] = stored ? rows[r].values[j] : T{};
      }
    }
  }
}

}  // namespace spsolve::matrix
