#include "cuda/multiply/fast/typed_rows.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "core/error.hpp"
#include "cuda/core/nvtx.hpp"
#include "multiply/kernel/row_types.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

/// A type for each row, and a row of each type, in GPU memory.
template <typename T>
TypedRows<T> on_device(const Csr<T>& matrix, const RowTypes& types) {
  static_assert(most_row_types <= std::numeric_limits<std::uint16_t>::max());
  std::vector<std::uint16_t> row_types;
  row_types.reserve(static_cast<std::size_t>(matrix.rows));
  std::vector<Index> counts(types.examples.size());
  for (const auto& runs : types.runs) {
    for (const RowRun& run : runs) {
      row_types.insert(row_types.end(), static_cast<std::size_t>(run.rows),
                       static_cast<std::uint16_t>(run.type));
      counts[run.type] += run.rows;
    }
  }
  std::vector<Index> offsets{0};
  std::vector<LocalIndex> distances;
  std::vector<T> values;
  for (const Index row : types.examples) {
    for (const LocalIndex column : matrix.row_columns(row)) {
      distances.push_back(static_cast<LocalIndex>(column - row));
    }
    const auto row_values = matrix.row_values(row);
    values.insert(values.end(), row_values.begin(), row_values.end());
    offsets.push_back(static_cast<Index>(values.size()));
  }
  TypedRows<T> result;
  result.rows = matrix.rows;
  if (!counts.empty()) {
    const auto most = std::ranges::max_element(counts) - counts.begin();
    for (Index k = offsets[most]; k < offsets[most + 1]; ++k) {
      result.reach = std::max<Index>(result.reach, distances[k]);
    }
  }
  result.types = static_cast<Index>(types.examples.size());
  result.row_types = DeviceArray<std::uint16_t>(row_types);
  result.offsets = DeviceArray<Index>(offsets);
  result.distances = DeviceArray<LocalIndex>(distances);
  result.values = DeviceArray<T>(values);
  return result;
}

}  // namespace

template <typename T>
TypedRows<T> TypedRows<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  const NvtxRange range("convert to row types");
  const RowTypes types = find_row_types(matrix, omp_get_max_threads());
  const std::string problem = row_types_problem(static_cast<Index>(types.examples.size()));
  if (!problem.empty()) {
    fail(ExitCode::input, "row_types can't multiply this matrix: {}", problem);
  }
  return on_device(matrix, types);
}

template <typename T>
std::optional<TypedRows<T>> TypedRows<T>::of(const Csr<T>& matrix) {
  const RowTypes types = find_row_types(matrix, omp_get_max_threads());
  constexpr Index least_rows_of_type = 4;  // in the mean, by non-zeros
  if (static_cast<Index>(types.examples.size()) > most_row_types) return std::nullopt;
  Index kept = 0;
  for (const Index row : types.examples) kept += std::ssize(matrix.row_columns(row));
  if (least_rows_of_type * kept > matrix.nonzeros()) return std::nullopt;
  return on_device(matrix, types);
}

template <typename T>
std::string TypedRows<T>::detail() const {
  return fmt::format("{} type{} of rows", types, types == 1 ? "" : "s");
}

SPSOLVE_INSTANTIATE(struct TypedRows)

}  // namespace spsolve::cuda::multiply
