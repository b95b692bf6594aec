#pragma once

#include <string>

#include "matrix/csr.hpp"
#include "matrix/shape.hpp"

namespace spsolve {

/// Wherever a matrix is named, the name is a Matrix Market file or a generator such as
/// "grid2d:1000" (matrix/generate/generate.hpp).

/// Whether a name is meant as a generator: it begins with the name of one, or it holds a colon and
/// no such file exists (the generators' own error then says what is wrong).
bool means_generator(const std::string& name);

/// Size of the matrix without reading it: from the file's header, or the generator's formula.
MatrixShape describe_matrix(const std::string& name);

/// The matrix itself, mirrored and sorted.
Csr<double> load_matrix(const std::string& name);

}  // namespace spsolve
