#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "io/files/array_file.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "matrix/dense.hpp"

namespace spsolve::inline io {

/// Wherever a multivector is named, it is a file of Matrix Market (plain or gzip), of numpy (.npy),
/// of PETSc, of MATLAB or of plain text; which of them is seen from the content. The ending of the
/// name chooses the kind of a file that is written.

struct DenseShape {
  Index rows = 0, columns = 0;
  bool is_complex = false;
};

/// The size, from the header. Throws Error(input), as the next one does.
DenseShape describe_dense(const std::filesystem::path& path);

/// A file of `rows` rows, or what else it has: one row of `rows` > 1 numbers counts as a column, as
/// read_vectors() reads it.
DenseShape describe_columns(const std::filesystem::path& path, Index rows);

/// Whether one row of a Matrix Market array is to be read as a column of `rows` > 1 numbers.
bool lies_down(const MatrixMarketHeader& matrix, Index rows);

/// Whether the file holds an array and no sparse matrix: one of numpy, a vector or dense matrix of
/// PETSc, or Matrix Market's format `array`. Likewise.
bool holds_array(const std::filesystem::path& path);

/// Reads the whole of it. Memory: the result in addition to the mapped file. Complex numbers are
/// refused by the first; the second hands them back as rows of real and of imaginary parts in turn
/// (matrix/real_form.hpp).
Dense<double> load_dense(const std::filesystem::path& path);
Dense<double> load_dense_parts(const std::filesystem::path& path);

/// The reason why an array of so many columns cannot be written to a file of that name, in a
/// sentence, or "".
std::string array_file_problem(const std::filesystem::path& path, const DenseShape& shape);

/// A file to be written: .npy, .petsc, or else Matrix Market, whose comment is `comment`. Complex
/// numbers come to it as their parts, the real one first.
std::unique_ptr<io::ArrayFile> make_array_file(const std::filesystem::path& path,
                                               const DenseShape& shape, std::string_view comment);

/// Writes a whole matrix to such a file; `complex`: rows of real and of imaginary parts in turn.
void write_dense(const std::filesystem::path& path, const Dense<double>& matrix,
                 std::string_view comment, bool complex = false);

}  // namespace spsolve::io
