#pragma once

#include <filesystem>
#include <string>

#include "core/types.hpp"
#include "io/files/checked_entries.hpp"
#include "io/files/deadline.hpp"

namespace spsolve::inline io {

/// Looks at the entries of a file that load_matrix() reads, from the first on, some at least, and
/// holds no more than a few MiB of them. Throws the errors that load_matrix() would throw of those
/// that it has seen.
CheckedEntries check_matrix_file(const std::string& file, const Deadline& deadline);

/// Looks so at a file that load_dense() reads; an array's elements are its entries.
CheckedEntries check_dense_file(const std::filesystem::path& path, const Deadline& deadline);

}  // namespace spsolve::io
