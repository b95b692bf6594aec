#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "matrix/symmetry.hpp"

namespace spsolve::inline matrix {

/// The look of a sparse matrix: its sizes and rows.
struct Structure {
  Index rows = 0;
  Index columns = 0;
  Index nonzeros = 0;
  Index stored_zeros = 0;  ///< stored entries whose value is zero
  Index empty_rows = 0;
  Index shortest_row = 0;
  Index longest_row = 0;
  double mean_row = 0;        ///< non-zeros / rows
  double row_deviation = 0;   ///< standard deviation of the row lengths
  Index lower_bandwidth = 0;  ///< max i - j over stored entries
  Index upper_bandwidth = 0;  ///< max j - i
  double largest = 0;         ///< max |a_ij|
  double smallest = 0;        ///< min |a_ij| over non-zero values
  SymmetryFacts symmetry;
  std::string_view complex_kind = {};  ///< of a complex matrix, in words
  /// Rows by length: bin 0 counts empty rows, bin b > 0 the lengths 2^(b - 1) ... 2^b - 1.
  std::vector<Index> row_length_histogram;
};

/// Cost: that of symmetry_of(), and a pass over the non-zeros.
Structure analyse(const Csr<double>& matrix);

/// Structure of the complex matrix of a real form, with moduli as magnitudes.
Structure analyse_complex(const Csr<double>& form);

/// The bin of a row length in Structure::row_length_histogram, and the lengths of a bin, such as
/// "4-7".
std::size_t row_length_bin(Index length);
std::string row_length_bin_name(std::size_t bin);

/// The structure for a person, one line a fact.
std::string to_text(const Structure& structure);

/// Entries of each row.
std::vector<Index> row_lengths(const Csr<double>& rows);

/// The transpose, rows sorted. Linear in the non-zeros.
template <typename T>
Csr<T> transpose(const Csr<T>& matrix);

/// largest_i <- max over j of |a_ij|, 0 for an empty row; a nan is nothing. Cost: reads the values.
void row_maxima(const Csr<double>& rows, std::span<double> largest);

/// largest_j <- max over i of factor_i |a_ij| for factors >= 0, likewise. Cost: reads the matrix.
void column_maxima(const Csr<double>& rows, std::span<const double> factors,
                   std::span<double> largest);

}  // namespace spsolve::matrix
