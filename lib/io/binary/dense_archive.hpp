#pragma once

#include <string>
#include <string_view>

#include "io/files/mapped_file.hpp"

// Archives of numpy (.npz) in the place of one array.

namespace spsolve::inline io {

/// Whether an archive holds arrays, and not a sparse matrix. Throws Error(input) as zip_members().
bool is_array_archive(std::string_view bytes, const std::string& name);

/// The file of numpy (.npy) that an archive stands for: its only array, as numpy.savez(file, b) and
/// savez_compressed() write it; or all elements of the sparse matrix that scipy.sparse.save_npz()
/// wrote, row after row. Throws Error(input) of archives with several arrays or none, and as
/// read_npz(); Error(resources) where the elements do not fit into memory.
MappedFile npy_of_archive(std::string_view bytes, const std::string& name);

}  // namespace spsolve::io
