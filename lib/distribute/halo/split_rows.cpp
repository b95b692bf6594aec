#include "distribute/halo/split_rows.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/error.hpp"
#include "matrix/convert.hpp"

namespace spsolve::inline distribute {

template <typename T>
SplitRows<T> split_rows(CompressedRows&& given, const HaloPlan& plan) {
  CompressedRows rows = std::move(given);
  Csr<double>& a = rows.rows;
  if (a.rows > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::resources, "a band of {} rows is more than one rank can number; use more ranks",
         a.rows);
  }
  // Own columns are a contiguous run of the compressed ones; the others, in order, are the halo.
  const auto& global = rows.global_columns;
  const auto first_own =
      std::lower_bound(global.begin(), global.end(), plan.own.first) - global.begin();
  const auto last_own =
      std::lower_bound(global.begin(), global.end(), plan.own.last) - global.begin();
  const Index own_columns = last_own - first_own;

  SplitRows<T> split;
  if (own_columns == static_cast<Index>(global.size())) {  // nothing comes from others
    for (LocalIndex& j : a.column_indices) j = static_cast<LocalIndex>(global[j] - plan.own.first);
    a.columns = plan.own.size();
    if constexpr (std::is_same_v<T, double>) {
      split.interior = std::move(a);
    } else {
      split.interior = csr_cast<T>(a);
    }
    return split;
  }
  split.interior.rows = a.rows;
  split.interior.columns = plan.own.size();
  split.interior.row_offsets.assign(static_cast<std::size_t>(a.rows) + 1, 0);
  split.boundary.columns = plan.halo_rows();
  for (Index i = 0; i < a.rows; ++i) {
    const auto columns = a.row_columns(i);
    const auto begin = std::lower_bound(columns.begin(), columns.end(), first_own);
    const auto end = std::lower_bound(begin, columns.end(), last_own);
    const Index inside = end - begin;
    const Index outside = static_cast<Index>(columns.size()) - inside;
    split.interior.row_offsets[i + 1] = split.interior.row_offsets[i] + inside;
    if (outside == 0) continue;
    split.boundary_rows.push_back(static_cast<LocalIndex>(i));
    split.boundary.row_offsets.push_back(split.boundary.nonzeros() + outside);
  }
  split.boundary.rows = static_cast<Index>(split.boundary_rows.size());

  const auto fill = [&](Csr<T>& part, Index place, Index k, Index column) {
    part.column_indices[place] = static_cast<LocalIndex>(column);
    part.values[place] = static_cast<T>(a.values[k]);
  };
  for (Csr<T>* part : {&split.interior, &split.boundary}) {
    part->column_indices.resize(static_cast<std::size_t>(part->nonzeros()));
    part->values.resize(static_cast<std::size_t>(part->nonzeros()));
  }
  Index border_row = 0;
  for (Index i = 0; i < a.rows; ++i) {
    Index inside = split.interior.row_offsets[i];
    const bool at_border = border_row < split.boundary.rows && split.boundary_rows[border_row] == i;
    Index outside = at_border ? split.boundary.row_offsets[border_row++] : 0;
    for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const Index j = a.column_indices[k];
      if (j < first_own) {
        fill(split.boundary, outside++, k, j);
      } else if (j < last_own) {
        fill(split.interior, inside++, k, global[j] - plan.own.first);
      } else {
        fill(split.boundary, outside++, k, j - own_columns);
      }
    }
  }
  return split;
}

SPSOLVE_INSTANTIATE_FUNCTION(split_rows)

}  // namespace spsolve::distribute
