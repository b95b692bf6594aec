#include "distribute/layout/compressed_rows.hpp"

#include <limits>
#include <utility>

#include "core/error.hpp"

namespace spsolve::inline distribute {

CompressedRows compress_columns(Csr<double>&& rows) {
  CompressedRows result;
  result.columns = rows.columns;
  result.rows = std::move(rows);
  std::vector<LocalIndex>& indices = result.rows.column_indices;
  // number[j]: 0 for a column that does not occur, then its new number.
  std::vector<LocalIndex> number(static_cast<std::size_t>(result.columns), 0);
  for (const LocalIndex j : indices) number[j] = 1;
  for (Index j = 0; j < result.columns; ++j) {
    if (number[j] == 0) continue;
    number[j] = static_cast<LocalIndex>(result.global_columns.size());
    result.global_columns.push_back(j);
  }
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < static_cast<Index>(indices.size()); ++k) indices[k] = number[indices[k]];
  result.rows.columns = static_cast<Index>(result.global_columns.size());
  return result;
}

Csr<double> with_all_columns(CompressedRows&& band) {
  constexpr Index most = std::numeric_limits<LocalIndex>::max();
  if (band.columns > most) {
    fail(ExitCode::input, "the matrix has {} columns, more than the {} that a system may have",
         band.columns, most);
  }
  Csr<double> rows = std::move(band.rows);
  rows.columns = band.columns;
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < rows.nonzeros(); ++k) {
    rows.column_indices[k] = static_cast<LocalIndex>(band.global_columns[rows.column_indices[k]]);
  }
  return rows;
}

}  // namespace spsolve::distribute
