#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "io/binary/dense_file.hpp"
#include "matrix/compressed_arrays.hpp"
#include "matrix/csr.hpp"
#include "matrix/shape.hpp"

// PETSc's binary files (MatView and VecView of a binary viewer), of double numbers and indices of
// 32 or 64 bits, all with the highest byte first. Nothing but its size tells whether the numbers of
// a file are real or complex, of which real and imaginary parts take turns.

namespace spsolve::inline io {

enum class PetscObject { matrix, dense_matrix, vector };

/// The kind of object in the file by its first bytes; none where it is no file of PETSc's.
std::optional<PetscObject> petsc_object(std::string_view bytes);

/// The size of a matrix, of a complex one that of its real form. Throws Error(input) where the file
/// is too short for what it declares.
MatrixShape petsc_shape(std::string_view bytes, const std::string& name);

/// The rows of a sparse matrix, where they lie in `bytes`, and the matrix, or its real form; as
/// read_npz() throws.
StoredRows petsc_rows(std::string_view bytes, const std::string& name);
Csr<double> read_petsc(std::string_view bytes, const std::string& name);

/// A vector, or a dense matrix.
DenseNumbers petsc_dense(std::string_view bytes, const std::string& name);

/// Writes a matrix, of a real form the complex one, where `complex`; indices of 64 bits where 32 do
/// not do. The file comes into being whole. Throws Error(resources).
void write_petsc(const std::filesystem::path& path, const Csr<double>& matrix,
                 bool complex = false);

/// A vector's file, of values that come one after another.
class PetscVectorWriter final : public ArrayFile {
 public:
  PetscVectorWriter(const std::filesystem::path& path, Index rows);
  void write(std::span<const double> values) override;
  void commit() override;

 private:
  AtomicFile file_;
};

}  // namespace spsolve::io
