#include "cuda/core/tiles/tensor_map.hpp"

#include <array>

#include "cuda/core/vendor/driver_function.hpp"

namespace spsolve::cuda::inline core {

namespace {

template <std::size_t dimensions>
std::optional<CUtensorMap> encode(const double* values,
                                  const std::array<cuuint64_t, dimensions>& sizes,
                                  const std::array<cuuint64_t, dimensions - 1>& strides,
                                  const std::array<cuuint32_t, dimensions>& box) {
  constexpr unsigned version = 12000;
  static decltype(cuTensorMapEncodeTiled)* driver_encodes = nullptr;
  static const bool found = find_driver_function("cuTensorMapEncodeTiled", version, driver_encodes);
  std::array<cuuint32_t, dimensions> steps;
  steps.fill(1);
  CUtensorMap map;
  if (!found || driver_encodes(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, dimensions,
                               const_cast<double*>(values), sizes.data(), strides.data(),
                               box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  return map;
}

cuuint64_t bytes_of(Index values) {
  return static_cast<cuuint64_t>(values) * sizeof(double);
}

}  // namespace

std::optional<CUtensorMap> map_of_lines(const MatrixOfBoxes& matrix, int rows) {
  return encode<2>(matrix.values,
                   {static_cast<cuuint64_t>(matrix.columns), static_cast<cuuint64_t>(matrix.rows)},
                   {bytes_of(matrix.stride)}, {line_values, static_cast<cuuint32_t>(rows)});
}

std::optional<CUtensorMap> map_of_columns(const MatrixOfBoxes& matrix, int rows, int lines) {
  const Index lines_of_row = (matrix.columns + line_values - 1) / line_values;
  return encode<3>(
      matrix.values,
      {line_values, static_cast<cuuint64_t>(matrix.rows), static_cast<cuuint64_t>(lines_of_row)},
      {bytes_of(matrix.stride), bytes_of(line_values)},
      {line_values, static_cast<cuuint32_t>(rows), static_cast<cuuint32_t>(lines)});
}

}  // namespace spsolve::cuda::core
