#pragma once

#include <string>
#include <string_view>

#include "io/files/mapped_file.hpp"
#include "matrix/csr.hpp"
#include "matrix/shape.hpp"

// Files of MATLAB and Octave, of versions 5 to 7 (MAT-File Format, MathWorks; chapter 1): elements,
// each with its type and size, plain or deflated, in either order of bytes. A matrix is a sparse or
// a full one of numbers, of two dimensions, also as a field of a structure that is no array. The
// name of the file may end in ":" and the name of a variable, such as "a.mat:A" or
// "a.mat:Problem.A"; without there is to be one matrix.

namespace spsolve::inline io {

/// Whether the bytes begin as such a file, or as one of version 7.3, which is refused when it is
/// read.
bool is_mat(std::string_view bytes);

/// Whether the matrix that is named is sparse. Throws Error(input), beginning with the file's name,
/// where the file is damaged or of version 7.3, holds no matrix, or several and none is named.
bool is_sparse_mat(std::string_view bytes, const std::string& name);

/// The size of a sparse one; of a complex one that of the real form (matrix/real_form.hpp). Throws
/// likewise.
MatrixShape mat_shape(std::string_view bytes, const std::string& name);

/// A sparse one; of a complex one the real form. Throws likewise, and as csr_from_arrays().
/// Memory: the result, its deflated elements, and a list of entries.
Csr<double> read_mat(std::string_view bytes, const std::string& name);

/// The file of numpy (.npy) that a matrix stands for, with all its elements. Throws likewise, and
/// Error(resources) where they do not fit into memory.
MappedFile npy_of_mat(std::string_view bytes, const std::string& name);

}  // namespace spsolve::io
