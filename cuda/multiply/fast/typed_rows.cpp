#include "cuda/multiply/fast/typed_rows.hpp"

#include <limits>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "core/error.hpp"
#include "cuda/core/nvtx.hpp"
#include "multiply/fast/row_types.hpp"

namespace spsolve::cuda {

template <typename T>
TypedRows<T> TypedRows<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  static_assert(most_row_types <= std::numeric_limits<std::uint16_t>::max());
  const NvtxRange range("convert to row types");
  const RowTypes types = find_row_types(matrix, omp_get_max_threads());
  const auto count = static_cast<Index>(types.examples.size());
  if (const std::string problem = row_types_problem(count); !problem.empty()) {
    fail(ExitCode::input, "row_types can't multiply this matrix: {}", problem);
  }
  std::vector<std::uint16_t> row_types;
  row_types.reserve(static_cast<std::size_t>(matrix.rows));
  for (const auto& runs : types.runs) {
    for (const RowRun& run : runs) {
      row_types.insert(row_types.end(), static_cast<std::size_t>(run.rows),
                       static_cast<std::uint16_t>(run.type));
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
  TypedRows result;
  result.rows = matrix.rows;
  result.types = count;
  result.row_types = DeviceArray<std::uint16_t>(row_types);
  result.offsets = DeviceArray<Index>(offsets);
  result.distances = DeviceArray<LocalIndex>(distances);
  result.values = DeviceArray<T>(values);
  return result;
}

template <typename T>
std::string TypedRows<T>::detail() const {
  return fmt::format("{} type{} of rows", types, types == 1 ? "" : "s");
}

template struct TypedRows<float>;
template struct TypedRows<double>;

}  // namespace spsolve::cuda
