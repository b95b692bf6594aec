#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spsolve/arrays.hpp"
#include "spsolve/ranks.hpp"
#include "spsolve/types.hpp"

namespace spsolve {

struct MatrixBands;

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
  /// duplicates are added. With a `symmetry` the arrays hold one triangle with the diagonal, lower
  /// or upper. Copies. Throws Error(input) where the arrays contradict each other, an index lies
  /// outside, a value is not finite, or there are entries in both triangles.
  static Matrix from_rows(Index rows, Index columns, const IndexArray& row_offsets,
                          const IndexArray& column_indices, const ValueArray& values,
                          Symmetry symmetry = Symmetry::general);

  /// From compressed columns, likewise.
  static Matrix from_columns(Index rows, Index columns, const IndexArray& column_offsets,
                             const IndexArray& row_indices, const ValueArray& values,
                             Symmetry symmetry = Symmetry::general);

  /// From entries (row_indices[k], column_indices[k], values[k]), numbered from 0; duplicates are
  /// added. Likewise.
  static Matrix from_entries(Index rows, Index columns, const IndexArray& row_indices,
                             const IndexArray& column_indices, const ValueArray& values,
                             Symmetry symmetry = Symmetry::general);

  /// From the rows that each of the ranks has, some of which may have none. Collective; so is every
  /// Solver and Product of this matrix over `ranks`, to which all of them pass it, and own rows
  /// stay those that they are here. No rank gets the rows of others but by what needs them all on
  /// rank 0, the analysis for a sparse elimination. Throws the same Error on every rank: as
  /// from_rows(), and Error(input) where rows overlap or leave a gap, or sizes differ between
  /// ranks.
  static Matrix from_own_rows(const Ranks& ranks, const OwnRows& own);

  Index rows() const;
  Index columns() const;
  Index nonzeros() const;
  bool is_complex() const { return is_complex_; }

  /// One for each non-zero, row after row, columns ascending: the order of Solver::set_values().
  /// Throws Error(input) of a complex matrix, whose values the second has as a copy.
  std::span<const double> values() const;
  std::vector<std::complex<double>> complex_values() const;

  // For the library's own use:
  /// The compressed rows, of a complex matrix its real form of twice the order.
  const Csr<double>& csr() const { return *csr_; }
  explicit Matrix(std::shared_ptr<const Csr<double>> csr, std::string generator = {},
                  bool complex = false);
  /// Of own rows, in the bands of several ranks or null.
  Matrix(std::shared_ptr<const MatrixBands> bands, Csr<double> own, bool complex, bool conjugates);
  /// Whether rows of imaginary parts of the real form have the opposite sign, as of a complex
  /// symmetric one.
  bool conjugates() const { return conjugates_; }
  /// The generator's specification that it was made of, or "".
  const std::string& generator() const { return generator_; }
  /// Where rows are those of several ranks, of which csr() has the own ones; else null.
  const MatrixBands* bands() const { return bands_.get(); }

 private:
  std::shared_ptr<const Csr<double>> csr_;
  std::string generator_;
  bool is_complex_ = false;
  bool conjugates_ = false;
  std::shared_ptr<const MatrixBands> bands_;
};

}  // namespace spsolve
