#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "io/files/deadline.hpp"

namespace spsolve::inline io {

/// Reads an order of elimination from a text file, or the gzip data of one: the numbers of all rows
/// of a matrix of so many, from 1, one a line; blank lines and those that begin with % are passed
/// over. A Matrix Market file "array integer general" of one column is one as well. Element k of
/// the result is the row, from 0, that is eliminated k-th. Throws Error(input) with the file, the
/// line, what was expected and what to do. Stops when `deadline` is over, with the rows read so
/// far. Cost: one pass; 12 bytes a row in addition to the file.
std::vector<LocalIndex> read_order(const std::filesystem::path& path, Index rows,
                                   const Deadline& deadline = {});

/// The same of an array of row numbers from 0. Throws Error(input) where it does not name each of
/// so many rows once.
std::vector<LocalIndex> checked_order(std::span<const Index> given, Index rows);

}  // namespace spsolve::io
