#include "matrix/made_of_rows.hpp"

#include <algorithm>
#include <exception>
#include <numeric>

#include "core/resize_in_threads.hpp"

namespace spsolve::inline matrix {

Csr<double> made_of_chunks(Index rows, Index columns,
                           const std::function<std::unique_ptr<ChunkMaker>()>& maker) {
  // Some for each of many threads, also of few rows, which may be long ones.
  constexpr Index most_rows = 4096, least_rows = 16, chunks_wanted = 512;
  // An even number: both rows of a complex number are made one after the other, see PairedRows.
  const Index rows_of_chunk = std::clamp(rows / chunks_wanted / 2 * 2, least_rows, most_rows);
  const Index chunks = (rows + rows_of_chunk - 1) / rows_of_chunk;
  std::vector<RowChunk> parts(static_cast<std::size_t>(chunks));
  Csr<double> result;
  result.rows = rows;
  result.columns = columns;
  result.row_offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  std::exception_ptr failure;
#pragma omp parallel
  {
    std::unique_ptr<ChunkMaker> own;
    RowChunk made;  // whose memory grows once, not for every chunk
#pragma omp for schedule(dynamic)
    for (Index k = 0; k < chunks; ++k) {
      try {
        if (!own) own = maker();
        made.columns.clear();
        made.values.clear();
        const Index first = k * rows_of_chunk;
        own->make(first, std::min(rows, first + rows_of_chunk), made,
                  &result.row_offsets[first + 1]);
        parts[static_cast<std::size_t>(k)] = made;
      } catch (...) {
#pragma omp critical(spsolve_made_of_rows)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  std::partial_sum(result.row_offsets.begin(), result.row_offsets.end(),
                   result.row_offsets.begin());
  const bool has_values =
      std::ranges::any_of(parts, [](auto& part) { return !part.values.empty(); });
  const auto nonzeros = static_cast<std::size_t>(result.row_offsets.back());
  resize_in_threads(result.column_indices, nonzeros);
  if (has_values) resize_in_threads(result.values, nonzeros);
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < chunks; ++k) {
    RowChunk part = std::move(parts[static_cast<std::size_t>(k)]);
    const Index first = result.row_offsets[k * rows_of_chunk];
    std::ranges::copy(part.columns, result.column_indices.begin() + first);
    if (has_values) std::ranges::copy(part.values, result.values.begin() + first);
  }
  return result;
}

}  // namespace spsolve::matrix
