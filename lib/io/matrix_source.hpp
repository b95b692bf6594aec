#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "matrix/csr.hpp"
#include "matrix/real_form.hpp"
#include "matrix/shape.hpp"

namespace spsolve::inline io {

/// Wherever a matrix is named, the name is a generator such as "grid2d:1000"
/// (matrix/generate/generate.hpp) or a file: of Matrix Market, plain or gzip; of scipy.sparse
/// (.npz); of PETSc; of MATLAB (.mat); or a dense array of numpy (.npy). Which of them is seen from
/// the content.

/// Whether a name is meant as a generator: it begins with the name of one, or it holds a colon and
/// no such file exists (the generators' own error then says what is wrong).
bool means_generator(const std::string& name);

/// Whether the file is none of Matrix Market, and then whether it is one of those that hold rows of
/// sparse matrices: of scipy or PETSc.
bool is_binary(const std::string& file);
bool is_sparse_binary(const std::string& file);

/// Size of the matrix without reading it: from the file's header, or the generator's formula.
MatrixShape describe_matrix(const std::string& name);

/// The matrix itself, mirrored and sorted. A complex one is refused.
Csr<double> load_matrix(const std::string& name);

/// A real matrix, or the real form of a complex one (matrix/real_form.hpp).
struct LoadedMatrix {
  Csr<double> rows;
  Index parts = 1;                ///< rows to a row of the matrix
  bool conjugates = false;        ///< whether conjugate_rows() made it symmetric
  ComplexSymmetry symmetry = {};  ///< of a complex matrix, where that was looked for
};
LoadedMatrix load_real_form(const std::string& name);

/// Throws the Error(input) of a complex matrix, of which there are `parts`, where `what` takes real
/// ones only.
void require_real_matrix(const std::string& name, Index parts, std::string_view what);

/// Writes a matrix: .npz, .petsc, or else Matrix Market, whose comment is `comment`; of a real form
/// the complex matrix, where `complex`.
void write_matrix(const std::filesystem::path& path, const Csr<double>& matrix,
                  std::string_view comment, bool complex = false);

}  // namespace spsolve::io
