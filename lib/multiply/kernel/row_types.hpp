#pragma once

#include <string>
#include <vector>

#include "matrix/csr.hpp"

namespace spsolve::inline multiply {

/// Consecutive rows of one type.
struct RowRun {
  LocalIndex rows;
  LocalIndex type;
};

/// The rows of a matrix by type: two rows are of one type where they hold the same values, bit by
/// bit, at the same distances (column - row). A stencil has one type for all interior rows.
struct RowTypes {
  /// A type's first row. Types are numbered in the order in which they are met.
  std::vector<Index> examples;
  /// For each part of the rows its first row (and after the last part all rows) and its runs.
  std::vector<Index> first_row{0};
  std::vector<std::vector<RowRun>> runs;
};

/// More types than this are not worth telling apart: their dictionary leaves the caches.
inline constexpr Index most_row_types = 4096;

/// The types of all rows, in `parts` parts of about equal rows + non-zeros, found by as many
/// threads. Where there are more than most_row_types, `examples` is longer than that and the rest
/// empty. Cost: reads the matrix once; expected linear in the non-zeros.
template <typename T>
RowTypes find_row_types(const Csr<T>& csr, int parts);

/// The number of types; most_row_types + 1 where there are more.
template <typename T>
Index count_row_types(const Csr<T>& csr);

/// Rows of one type that follow each other, on average over samples of the rows.
template <typename T>
double sampled_run(const Csr<T>& csr);

/// Whether rows repeat so often that telling their types apart may pay: at least four to a type.
/// With fewer, little is saved, and short trials on a GPU flatter what then takes 1.7 times as
/// long.
bool rows_repeat(Index rows, Index types);

/// Why so many types are too many, or "".
std::string row_types_problem(Index types);

}  // namespace spsolve::multiply
