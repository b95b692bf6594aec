#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// The names of the fast host kernels that may be the quickest for this matrix and K, from its
/// types of rows, its symmetry, its row lengths and its equal column patterns; the likeliest first,
/// never empty.
template <typename T>
std::vector<std::string_view> likely_kernels(const Csr<T>& matrix, Index columns);

/// Whether prepare_auto() tries kernels for so many products that are expected; 0: any number.
constexpr bool has_trial(Index products) {
  constexpr Index few = 100;  // take no longer than a conversion and a trial
  return products == 0 || products > few;
}

/// The Product of the quickest of the likely kernels for options.columns columns.
///
/// They are timed in pairs on the matrix itself: the best so far against the next, in turns, the
/// shortest of a few products counting in each; the median of the ratios decides. Only the winner
/// is kept, and it then serves every K; no more than two converted matrices exist at a time. Cost:
/// for each likely kernel its conversion and, until it is decided, up to 0.1 s or 400 turns of 4
/// products by both, one turn at least: where options.products tells that no more than 100 are
/// expected there is no trial, and it is csr_balanced, or csr_sorted. detail() names the winner and
/// the times.
template <typename T>
std::unique_ptr<KernelProduct<T>> prepare_auto(const Csr<T>& matrix, const KernelOptions& options);

}  // namespace spsolve::multiply
