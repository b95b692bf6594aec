#pragma once

#include "core/types.hpp"
#include "matrix/coo.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The matrix of `coo` in compressed sparse row form.
///
/// a_ij is the sum, in the order of the list, of all values named (i, j). With
/// Symmetry::symmetric every entry (i, j, v) with i != j stands for (j, i, v) as well, with
/// Symmetry::skew_symmetric for (j, i, -v); the diagonal is taken once. A list that names both
/// triangles therefore sums both; readers refuse such files. Zeros that are stored stay stored. Of
/// a complex list the result is the real form (matrix/real_form.hpp).
///
/// Method: a counting sort in two stable steps, first by block of rows, then by row within a
/// block, each step parallel; rows whose columns do not ascend already are sorted. The result is
/// the same, bit for bit, for every number of threads.
/// Cost: O(rows + entries) time, plus m log m for an unsorted row of m entries; while it runs 28
/// bytes for every entry after mirroring.
/// Throws Error(resources) where a column does not fit LocalIndex, and Error(internal) where an
/// entry lies outside the matrix or the three arrays differ in length.
Csr<double> csr_from_coo(const Coo& coo);

/// csr_from_coo() of a list that is given up: `coo` is left empty, and its memory is given back as
/// soon as it has been read.
Csr<double> csr_from_coo(Coo&& coo);

/// The matrix with every value rounded to To.
template <typename To, typename From>
Csr<To> csr_cast(const Csr<From>& matrix);

/// Rows first <= i < last of `matrix` as a matrix of their own with all columns; row i becomes row
/// i - first. Throws Error(internal) unless 0 <= first <= last <= rows.
template <typename T>
Csr<T> slice_rows(const Csr<T>& matrix, Index first, Index last);

/// Row i of the result is row (i - by) mod rows of `matrix`: by = 1 moves the last row to the top,
/// so that elimination has to pivot in every step (the `losmoc` matrix of Fencel 2020, chapter 5).
/// `by` may be negative or larger than the number of rows.
template <typename T>
Csr<T> rotate_rows(const Csr<T>& matrix, Index by);

}  // namespace spsolve::matrix
