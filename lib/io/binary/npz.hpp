#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/binary/zip.hpp"
#include "io/files/checked_entries.hpp"
#include "io/files/deadline.hpp"
#include "matrix/compressed_arrays.hpp"
#include "matrix/csr.hpp"
#include "matrix/shape.hpp"

// Sparse matrices as scipy.sparse.save_npz() writes them: archives of arrays, of the formats csr,
// csc and coo, stored or deflated.

namespace spsolve::inline io {

/// The size, from the arrays' headers. Throws Error(input) as read_npz() does of them.
MatrixShape npz_shape(std::string_view bytes, const std::string& name);

/// The matrix; of a complex one the real form (matrix/real_form.hpp). Throws
/// Error(input), beginning with `name`, where the archive or one of its arrays is damaged or
/// missing, where numbers are not finite, an index is out of range, or the format is another one.
/// Memory: the result in addition to the file and its deflated arrays; a list of entries where it
/// is not made of rows in order.
Csr<double> read_npz(std::string_view bytes, const std::string& name);

/// Looks at the arrays' numbers, some after some, until all were seen or the deadline is over.
/// Throws the errors that read_npz() would throw of those.
CheckedEntries check_npz(std::string_view bytes, const std::string& name, const Deadline& deadline);

/// A matrix whose rows lie in the file as they are, and the members that they lie in.
struct NpzRows {
  StoredRows rows;
  std::vector<ZipMember> members;
};

/// The rows of a matrix of the format csr that was not compressed, where they lie in `bytes`.
/// Throws as read_npz(), but for sums of members, which are not looked at, and Error(input) of
/// other formats.
NpzRows npz_rows(std::string_view bytes, const std::string& name);

/// Writes csr, stored, with indices of 32 bits; of a real form the complex matrix, where `complex`.
/// The file comes into being whole. Throws
/// Error(resources).
void write_npz(const std::filesystem::path& path, const Csr<double>& matrix, bool complex = false);

}  // namespace spsolve::io
