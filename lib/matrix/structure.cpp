#include "matrix/structure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace spsolve {

std::size_t row_length_bin(Index length) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)));
}

std::string row_length_bin_name(std::size_t bin) {
  if (bin < 2) return fmt::format("{}", bin);
  return fmt::format("{}-{}", Index{1} << (bin - 1), (Index{1} << bin) - 1);
}

template <typename T>
Csr<T> transpose(const Csr<T>& matrix) {
  Csr<T> result;
  result.rows = matrix.columns;
  result.columns = matrix.rows;
  result.row_offsets.assign(static_cast<std::size_t>(matrix.columns) + 1, 0);
  result.column_indices.resize(matrix.column_indices.size());
  result.values.resize(matrix.values.size());
  for (const LocalIndex column : matrix.column_indices) ++result.row_offsets[column + 1];
  for (Index j = 0; j < matrix.columns; ++j) result.row_offsets[j + 1] += result.row_offsets[j];
  std::vector<Index> next(result.row_offsets.begin(), result.row_offsets.end() - 1);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const Index place = next[matrix.column_indices[k]]++;
      result.column_indices[place] = static_cast<LocalIndex>(i);
      result.values[place] = matrix.values[k];
    }
  }
  return result;
}

template Csr<float> transpose(const Csr<float>&);
template Csr<double> transpose(const Csr<double>&);

Structure analyse(const Csr<double>& matrix) {
  Structure structure;
  structure.rows = matrix.rows;
  structure.columns = matrix.columns;
  structure.nonzeros = matrix.nonzeros();
  structure.row_length_histogram.assign(1, 0);
  structure.shortest_row = matrix.rows > 0 ? matrix.nonzeros() : 0;
  double squares = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto values = matrix.row_values(i);
    const auto length = static_cast<Index>(columns.size());
    structure.shortest_row = std::min(structure.shortest_row, length);
    structure.longest_row = std::max(structure.longest_row, length);
    structure.empty_rows += length == 0;
    squares += static_cast<double>(length) * static_cast<double>(length);
    const std::size_t bin = row_length_bin(length);
    if (bin >= structure.row_length_histogram.size()) {
      structure.row_length_histogram.resize(bin + 1);
    }
    ++structure.row_length_histogram[bin];
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double magnitude = std::abs(values[k]);
      structure.lower_bandwidth = std::max(structure.lower_bandwidth, i - columns[k]);
      structure.upper_bandwidth = std::max(structure.upper_bandwidth, columns[k] - i);
      structure.largest = std::max(structure.largest, magnitude);
      if (magnitude == 0) {
        ++structure.stored_zeros;
      } else {
        structure.smallest =
            structure.smallest == 0 ? magnitude : std::min(structure.smallest, magnitude);
      }
    }
  }
  if (matrix.rows > 0) {
    const auto rows = static_cast<double>(matrix.rows);
    structure.mean_row = static_cast<double>(structure.nonzeros) / rows;
    structure.row_deviation =
        std::sqrt(std::max(0.0, squares / rows - structure.mean_row * structure.mean_row));
  }
  structure.symmetry = symmetry_of(matrix);
  return structure;
}

std::string to_text(const Structure& structure) {
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("{:<18} {}\n", what, value);
  };
  line("size", fmt::format("{} x {}", structure.rows, structure.columns));
  line("non-zeros", fmt::format("{} after mirroring and summing ({} stored zeros)",
                                structure.nonzeros, structure.stored_zeros));
  line("symmetry", structure.symmetry.symmetric           ? "symmetric"
                   : structure.symmetry.skew_symmetric    ? "skew-symmetric"
                   : structure.symmetry.symmetric_pattern ? "pattern only"
                                                          : "none");
  line("row lengths", fmt::format("{} to {}, mean {:.2f}, deviation {:.2f}, {} empty",
                                  structure.shortest_row, structure.longest_row, structure.mean_row,
                                  structure.row_deviation, structure.empty_rows));
  line("bandwidth", fmt::format("{} below, {} above the diagonal", structure.lower_bandwidth,
                                structure.upper_bandwidth));
  if (structure.rows == structure.columns) {
    line("diagonal", fmt::format("{} zero or missing", structure.symmetry.zero_diagonals));
  }
  line("magnitudes", fmt::format("{:.3e} to {:.3e}", structure.smallest, structure.largest));
  for (std::size_t bin = 0; bin < structure.row_length_histogram.size(); ++bin) {
    const Index rows = structure.row_length_histogram[bin];
    if (rows == 0) continue;
    const double share = static_cast<double>(rows) / static_cast<double>(structure.rows);
    line(fmt::format("  length {}", row_length_bin_name(bin)),
         fmt::format("{:>10} rows {:<40}", rows,
                     std::string(static_cast<std::size_t>(40 * share), '#')));
  }
  return text;
}

}  // namespace spsolve
