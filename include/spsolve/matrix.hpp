#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spsolve/types.hpp"

namespace spsolve {

inline namespace matrix {
template <typename T>
struct Csr;
}

/// A sparse matrix in host memory, rows compressed, of real or of complex numbers. A value: copies
/// share the numbers, which never change.
class Matrix {
 public:
  /// A matrix without rows.
  Matrix();

  /// Reads a Matrix Market file, plain or gzip, or makes the matrix of a generator such as
  /// "grid2d:100". Throws Error(input) with file and line, Error(resources). Cost: one pass over
  /// the text, in threads.
  static Matrix load(const std::string& file_or_generator);

  /// From compressed rows: row i has values[k] in column column_indices[k] for row_offsets[i] <= k
  /// < row_offsets[i + 1], row_offsets of rows + 1 numbers from 0. Columns of a row in any order,
  /// duplicates are added. Copies. Throws Error(input) where the arrays contradict each other or a
  /// value is not finite.
  static Matrix from_rows(Index rows, Index columns, std::span<const Index> row_offsets,
                          std::span<const Index> column_indices, std::span<const double> values);

  /// From entries (row_indices[k], column_indices[k], values[k]), numbered from 0; duplicates are
  /// added. Likewise.
  static Matrix from_entries(Index rows, Index columns, std::span<const Index> row_indices,
                             std::span<const Index> column_indices, std::span<const double> values);

  /// The same of complex values.
  static Matrix from_rows(Index rows, Index columns, std::span<const Index> row_offsets,
                          std::span<const Index> column_indices,
                          std::span<const std::complex<double>> values);
  static Matrix from_entries(Index rows, Index columns, std::span<const Index> row_indices,
                             std::span<const Index> column_indices,
                             std::span<const std::complex<double>> values);

  Index rows() const;
  Index columns() const;
  Index nonzeros() const;
  bool is_complex() const { return is_complex_; }

  /// One for each non-zero, row after row, columns ascending: the order of Solver::set_values().
  /// Throws Error(input) of a complex matrix, whose values the second has as a copy.
  std::span<const double> values() const;
  std::vector<std::complex<double>> complex_values() const;

  /// The compressed rows, of a complex matrix its real form of twice the order, for the library's
  /// own use.
  const Csr<double>& csr() const { return *csr_; }
  explicit Matrix(std::shared_ptr<const Csr<double>> csr, std::string generator = {},
                  bool complex = false);
  /// Whether rows of imaginary parts of the real form have the opposite sign, as of a complex
  /// symmetric one.
  bool conjugates() const { return conjugates_; }
  /// The generator's specification that it was made of, or "".
  const std::string& generator() const { return generator_; }

 private:
  std::shared_ptr<const Csr<double>> csr_;
  std::string generator_;
  bool is_complex_ = false;
  bool conjugates_ = false;
};

}  // namespace spsolve
