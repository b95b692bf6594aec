#include "matrix/structure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "core/resize_in_threads.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline matrix {

std::size_t row_length_bin(Index length) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)));
}

std::string row_length_bin_name(std::size_t bin) {
  if (bin < 2) return fmt::format("{}", bin);
  return fmt::format("{}-{}", Index{1} << (bin - 1), (Index{1} << bin) - 1);
}

namespace {

/// Rows cut into parts of about as many non-zeros, one for each thread where counts of every column
/// for each of them are worth it.
template <typename T>
std::vector<Index> row_parts(const Csr<T>& matrix) {
  constexpr Index least_nonzeros = 1 << 16;
  const Index most = std::min(matrix.nonzeros() / least_nonzeros,
                              2 * matrix.nonzeros() / std::max<Index>(1, matrix.columns));
  const Index parts = std::clamp<Index>(most, 1, omp_get_max_threads());
  std::vector<Index> borders{0};
  for (Index part = 1; part < parts; ++part) {
    const auto border =
        std::ranges::lower_bound(matrix.row_offsets, matrix.nonzeros() * part / parts);
    borders.push_back(border - matrix.row_offsets.begin());
  }
  borders.push_back(matrix.rows);
  return borders;
}

}  // namespace

template <typename T>
Csr<T> transpose(const Csr<T>& matrix) {
  Csr<T> result;
  result.rows = matrix.columns;
  result.columns = matrix.rows;
  result.row_offsets.assign(static_cast<std::size_t>(matrix.columns) + 1, 0);
  resize_in_threads(result.column_indices, matrix.column_indices.size());
  resize_in_threads(result.values, matrix.values.size());
  const std::vector<Index> borders = row_parts(matrix);
  const auto parts = static_cast<Index>(borders.size()) - 1;
  // Where the next entry of column j goes that a part has: first how many there are of them.
  std::vector<std::vector<Index>> next(
      static_cast<std::size_t>(parts),
      std::vector<Index>(static_cast<std::size_t>(matrix.columns), 0));
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (Index part = 0; part < parts; ++part) {
    for (Index k = matrix.row_offsets[borders[part]]; k < matrix.row_offsets[borders[part + 1]];
         ++k) {
      ++next[part][matrix.column_indices[k]];
    }
  }
#pragma omp parallel for schedule(static) if (parts > 1)
  for (Index j = 0; j < matrix.columns; ++j) {
    for (Index part = 0; part < parts; ++part) result.row_offsets[j + 1] += next[part][j];
  }
  for (Index j = 0; j < matrix.columns; ++j) result.row_offsets[j + 1] += result.row_offsets[j];
#pragma omp parallel for schedule(static) if (parts > 1)
  for (Index j = 0; j < matrix.columns; ++j) {
    Index place = result.row_offsets[j];
    for (Index part = 0; part < parts; ++part) place += std::exchange(next[part][j], place);
  }
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (Index part = 0; part < parts; ++part) {
    for (Index i = borders[part]; i < borders[part + 1]; ++i) {
      for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
        const Index place = next[part][matrix.column_indices[k]]++;
        result.column_indices[place] = static_cast<LocalIndex>(i);
        result.values[place] = matrix.values[k];
      }
    }
  }
  return result;
}

SPSOLVE_INSTANTIATE_FUNCTION(transpose)

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

Structure analyse_complex(const Csr<double>& form) {
  Structure structure = analyse(moduli(parts_of(form)));
  const ComplexSymmetry symmetry = complex_symmetry_of(form);
  structure.complex_kind = symmetry.hermitian                     ? "complex, Hermitian"
                           : symmetry.symmetric                   ? "complex, symmetric"
                           : structure.symmetry.symmetric_pattern ? "complex, pattern only"
                                                                  : "complex, none";
  return structure;
}

std::string to_text(const Structure& structure) {
  std::string text;
  const auto line = [&](std::string_view what, std::string_view value) {
    text += fmt::format("{:<18} {}\n", what, value);
  };
  line("size", fmt::format("{} x {}", structure.rows, structure.columns));
  line("non-zeros", fmt::format("{} after mirroring and summing ({} stored zeros)",
                                structure.nonzeros, structure.stored_zeros));
  line("symmetry", !structure.complex_kind.empty()        ? structure.complex_kind
                   : structure.symmetry.symmetric         ? "symmetric"
                   : structure.symmetry.nearly_symmetric  ? "symmetric but for rounding"
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

std::vector<Index> row_lengths(const Csr<double>& rows) {
  std::vector<Index> lengths(static_cast<std::size_t>(rows.rows));
  for (Index i = 0; i < rows.rows; ++i) {
    lengths[i] = rows.row_offsets[i + 1] - rows.row_offsets[i];
  }
  return lengths;
}

void row_maxima(const Csr<double>& rows, std::span<double> largest) {
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    largest[i] = 0;
    for (const double value : rows.row_values(i)) {
      largest[i] = std::max(largest[i], std::abs(value));
    }
  }
}

void column_maxima(const Csr<double>& rows, std::span<const double> factors,
                   std::span<double> largest) {
  std::ranges::fill(largest, 0.0);
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      raise_to(largest[columns[k]], factors[i] * std::abs(values[k]));
    }
  }
}

}  // namespace spsolve::matrix
