#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "core/worth_threads.hpp"

namespace spsolve::inline core {

/// Rows whose terms are summed up one after another; the sums of such blocks are added in order.
inline constexpr Index block_rows = 4096;

/// Calls work(first, last, sums) for blocks of rows, in threads where there are more than
/// `worthwhile` elements, each with K numbers of its own, and combines those of all blocks, in
/// their order, into `result`: the bits do not depend on the number of threads.
template <typename Work, typename Combine>
void over_blocks(Index rows, std::span<double> result, const Work& work, const Combine& combine,
                 Index worthwhile = worthwhile_elements) {
  const Index blocks = (rows + block_rows - 1) / block_rows;
  const auto columns = static_cast<Index>(result.size());
  std::vector<double> sums(static_cast<std::size_t>(blocks * columns));
#pragma omp parallel for schedule(static) if (blocks > 1 && \
                                              worth_threads(rows * columns, worthwhile))
  for (Index block = 0; block < blocks; ++block) {
    work(block * block_rows, std::min((block + 1) * block_rows, rows),
         sums.data() + block * columns);
  }
  std::ranges::fill(result, 0.0);
  for (Index k = 0; k < blocks * columns; ++k) {
    double& total = result[static_cast<std::size_t>(k % columns)];
    total = combine(total, sums[static_cast<std::size_t>(k)]);
  }
}

}  // namespace spsolve::core
