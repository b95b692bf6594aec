#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "matrix/csr.hpp"
#include "multiply/kernel.hpp"

namespace spsolve {

/// Whether a_ij = a_ji for all i, j. One pass over the rows, with a place in each row that moves
/// on as its mirror images are met: linear in the non-zeros, and short where they differ early.
template <typename T>
bool is_symmetric(const Csr<T>& matrix);

/// The names of the fast host kernels that may be the quickest for this matrix and K, from its
/// types of rows, its symmetry, its row lengths and its equal column patterns; the likeliest first,
/// never empty.
template <typename T>
std::vector<std::string_view> likely_kernels(const Csr<T>& matrix, Index columns);

/// The Product of the quickest of the likely kernels for options.columns columns.
///
/// They are timed in pairs on the matrix itself: the best so far against the next, in turns, the
/// shortest of a few runs counting. Only the winner is kept, and it then serves every K; no more
/// than two converted matrices exist at a time. Cost: for each likely kernel its conversion and 4
/// products or, where they are short, up to 100 of them in about 2 ms (25 ms where other programs
/// disturb the times). detail() names the winner and the times.
template <typename T>
std::unique_ptr<Product<T>> prepare_auto(const Csr<T>& matrix, const KernelOptions& options);

}  // namespace spsolve
