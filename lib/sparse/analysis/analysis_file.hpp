#pragma once

#include <filesystem>

#include "sparse/analysis/analysis.hpp"

namespace spsolve::inline sparse {

/// Writes an analysis into a file of sections (see checkpoint/section_file.hpp): whole or not at
/// all. Throws Error(resources) with the file's name.
void save_analysis(const std::filesystem::path& path, const SparseAnalysis& analysis);

/// Reads an analysis back. It is checked against its checksums, and its permutations, tree, rows
/// and entries against each other: an elimination by this analysis never leaves its fronts. Throws
/// Error(input) with the file's name, what is wrong with it and what to do.
SparseAnalysis load_analysis(const std::filesystem::path& path);

/// Checksum of what decides an elimination's course: all arrays of the analysis.
std::uint64_t checksum_of(const SparseAnalysis& analysis);

}  // namespace spsolve::sparse
