#pragma once

#include <vector>

#include "core/ranges.hpp"
#include "matrix/csr.hpp"
#include "matrix/numbers.hpp"

namespace spsolve::inline matrix {

/// A matrix as others keep it: rows (or columns) i have values[k] at indices[k] for offsets[i] <= k
/// < offsets[i + 1]; indices in any order, duplicates are added.
struct CompressedArrays {
  Index rows = 0, columns = 0;
  Numbers offsets, indices, values;
  bool by_columns = false;
};

/// The matrix of such arrays as Csr; of complex values its real form
/// (matrix/real_form.hpp), here and below. One pass over the arrays, in threads; two more
/// where rows are not in order, and a sort by rows where it is compressed by columns. Throws
/// Error(input), beginning with `name`, where arrays contradict each other, an index is no integer
/// or lies outside, or a value is not finite; Error(resources) where the columns do not fit
/// LocalIndex.
Csr<double> csr_from_arrays(const CompressedArrays& arrays, const std::string& name);

/// Such arrays by rows, whose offsets were looked at: rows of them can be made alone.
struct StoredRows {
  Index rows = 0, columns = 0;
  std::vector<Index> offsets;
  Numbers indices, values;
};

/// Looks at the offsets of arrays that are compressed by rows. Throws as csr_from_arrays().
StoredRows stored_rows(const CompressedArrays& arrays, const std::string& name);

/// The rows of a range of those of the arrays. Cost and errors as those of csr_from_arrays(); of
/// the other rows' entries nothing is read.
Csr<double> csr_from_rows(StoredRows&& stored, Range wanted, const std::string& name);
Csr<double> csr_from_rows(const StoredRows& stored, Range wanted, const std::string& name);

/// A matrix as entries values[k] at (row[k], column[k]); duplicates are added. Likewise.
struct EntryArrays {
  Index rows = 0, columns = 0;
  Numbers row, column, values;
};
Csr<double> csr_from_entries(const EntryArrays& arrays, const std::string& name);

/// Looks at what arrays are without their numbers: how many they have, and of which type. Throws as
/// csr_from_arrays() and csr_from_entries().
void check_counts(const CompressedArrays& arrays, const std::string& name);
void check_counts(const EntryArrays& arrays, const std::string& name);

/// Looks at some numbers of an array of a matrix with so many entries, and throws what
/// csr_from_arrays() would of them: whether offsets ascend within `allowed`, both ends with it;
/// hands back the last one. Whether indices are below `size`; whether values are finite; hands back
/// the largest |value|. Entries are counted from `before` on.
Index check_offsets(const Numbers& part, Range allowed, Index entries, const std::string& name);
void check_indices(const Numbers& part, Index size, std::string_view what, const std::string& name,
                   Index before);
double check_values(const Numbers& part, const std::string& name, Index before);

}  // namespace spsolve::matrix
