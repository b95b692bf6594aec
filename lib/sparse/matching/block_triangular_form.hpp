#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline sparse {

/// Permutations that bring a square matrix A to block upper triangular form: entry (k, l) of the
/// permuted matrix is entry (rows[k], columns[l]) of A, and below the diagonal blocks there is
/// none. Block b has rows and columns starts[b] ... starts[b + 1] - 1; its diagonal has the matched
/// entries, and it cannot be divided further.
struct BlockTriangularForm {
  std::vector<LocalIndex> rows, columns;
  std::vector<LocalIndex> starts{0};  ///< blocks + 1

  LocalIndex blocks() const { return static_cast<LocalIndex>(starts.size() - 1); }
};

/// The form for a permutation of rows, row row_of_column[j] with column j, as a matching has it:
/// the strongly connected components of the matrix with these entries on its diagonal (Tarjan 1972;
/// Duff and Reid 1978), found by SuiteSparse's BTF. Where entries of the permutation are not in A,
/// as of a structurally singular one, it is a block triangular form all the same, with zeros on its
/// diagonal. Within a block the columns ascend. Only the pattern of A is looked at.
/// Cost: a pass over A and a copy of its pattern's offsets, in one thread.
/// Throws Error(internal) where A is not square or row_of_column is not of its size.
BlockTriangularForm block_triangular_form(const Csr<double>& matrix,
                                          const std::vector<LocalIndex>& row_of_column);

/// The pattern of A without the entries between the diagonal blocks of its block triangular form.
struct DividedPattern {
  std::vector<LocalIndex> block;  ///< of each column, from the first on the diagonal
  std::vector<Index> row_offsets;
  std::vector<LocalIndex> columns;
};

/// Row row_of[j] goes with column j; empty where row j does. Empty where there are no entries
/// between blocks. Cost: that of block_triangular_form(), and another pass over A.
DividedPattern divide(const Csr<double>& matrix, std::vector<LocalIndex> row_of);

/// Likewise with the rows that are alone (rows_alone()) as blocks of their own, after all others.
DividedPattern divide_from_rows_alone(const Csr<double>& matrix);

/// The defect that makes a square matrix structurally singular (Dulmage and Mendelsohn 1958; Pothen
/// and Fan 1990): sets of rows that have non-zeros in too few columns, and of columns in too few
/// rows. All ascending; empty where it is nonsingular.
struct StructuralDefect {
  /// Rows whose non-zeros all lie in `few_columns`, of which there are n - rank fewer.
  std::vector<LocalIndex> rows, few_columns;
  /// Columns whose non-zeros all lie in `few_rows`, of which there are n - rank fewer.
  std::vector<LocalIndex> columns, few_rows;
};

/// The smallest such sets for a maximum matching: row_of_column[j] is matched with column j but for
/// the rows and columns that are named as unmatched. Stored zeros are no entries.
/// Cost: where something is unmatched a transpose of A and a pass over both.
StructuralDefect structural_defect(const Csr<double>& matrix,
                                   const std::vector<LocalIndex>& row_of_column,
                                   const std::vector<LocalIndex>& unmatched_rows,
                                   const std::vector<LocalIndex>& unmatched_columns);

/// One sentence that names them, numbered from 1 as files do, such as "rows 3, 5 and 9 have
/// non-zeros in columns 2 and 4 only; column 7 has no non-zeros"; the first `most` of each.
/// Rows or columns that are more are left out where the others are not. Empty without a defect.
std::string in_words(const StructuralDefect& defect, std::size_t most = 5);

}  // namespace spsolve::sparse
