#include "matrix/formats/format_costs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "matrix/formats/sliced_ellpack.hpp"

namespace spsolve::inline matrix {

namespace {

constexpr double index_bytes = sizeof(Index);
constexpr double column_bytes = sizeof(LocalIndex);
constexpr double pair_bytes = sizeof(LocalIndex) + sizeof(double);
constexpr Index warp = 32;

/// Elements of SELL-C-sigma: rows sorted by length within windows of sigma, each chunk of C rows
/// as wide as its longest.
Index sliced_elements(std::vector<Index> lengths, const SlicedEllpackOptions& options) {
  const auto rows = static_cast<Index>(lengths.size());
  for (Index first = 0; first < rows; first += options.sigma) {
    std::sort(lengths.begin() + first,
              lengths.begin() + std::min(first + static_cast<Index>(options.sigma), rows),
              std::greater<>());
  }
  Index elements = 0;
  for (Index first = 0; first < rows; first += options.chunk) {
    const Index last = std::min(first + static_cast<Index>(options.chunk), rows);
    elements += static_cast<Index>(options.chunk) *
                *std::max_element(lengths.begin() + first, lengths.begin() + last);
  }
  return elements;
}

}  // namespace

std::vector<FormatCost> format_costs(const Csr<double>& matrix) {
  std::vector<Index> lengths(static_cast<std::size_t>(matrix.rows));
  Index longest = 0;
  Index longest_lower = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    lengths[i] = static_cast<Index>(columns.size());
    longest = std::max(longest, lengths[i]);
    const auto end = std::upper_bound(columns.begin(), columns.end(), i);
    longest_lower = std::max(longest_lower, static_cast<Index>(end - columns.begin()));
  }
  const auto rows = static_cast<double>(matrix.rows);
  const auto nonzeros = static_cast<double>(matrix.nonzeros());
  const double padded_rows = static_cast<double>((matrix.rows + warp - 1) / warp * warp);
  const SlicedEllpackOptions sliced;
  std::vector<FormatCost> costs{
      {"coo", nonzeros * (2 * index_bytes + sizeof(double)), "row, column, value"},
      {"csr", nonzeros * pair_bytes + (rows + 1) * index_bytes, "32-bit columns, 64-bit offsets"},
      {"ellpack", rows * static_cast<double>(longest) * pair_bytes,
       fmt::format("every row padded to {}", longest)},
      {"ellpack, GPU", padded_rows * static_cast<double>(longest) * pair_bytes,
       "column-major, rows padded to a multiple of 32"},
      {"ellpack_unpadded", nonzeros * pair_bytes + rows * (column_bytes + index_bytes),
       "each row as long as it is"},
      {"sliced_ellpack",
       static_cast<double>(sliced_elements(lengths, sliced)) * pair_bytes +
           rows * (2 * column_bytes + index_bytes / static_cast<double>(sliced.chunk)),
       fmt::format("C = {}, sigma = {}", sliced.chunk, sliced.sigma)},
  };
  if (matrix.rows == matrix.columns) {
    costs.push_back(
        {"symmetric_ellpack", padded_rows * static_cast<double>(longest_lower) * pair_bytes,
         fmt::format("lower triangle padded to {}; symmetric matrices only", longest_lower)});
  }
  costs.push_back(
      {"dense", rows * static_cast<double>(matrix.columns) * sizeof(double), "rows x columns"});
  return costs;
}

std::string to_text(const std::vector<FormatCost>& costs, Index nonzeros) {
  std::string text;
  for (const FormatCost& cost : costs) {
    const double each = nonzeros > 0 ? cost.bytes / static_cast<double>(nonzeros) : 0;
    text += fmt::format("  {:<18} {:>14.0f} bytes  {:>10.1f} a non-zero  {}\n", cost.format,
                        cost.bytes, each, cost.note);
  }
  return text;
}

}  // namespace spsolve::matrix
