#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline core {

/// Rows whose terms are summed up one after another; the sums of such blocks are added in order.
inline constexpr Index block_rows = 4096;

/// Elements that are worth waking threads for: one thread goes through them in some 50 us, and
/// threads that sleep take as long to wake.
inline constexpr Index worthwhile_elements = 3 << 14;

/// Elements that are worth waking threads for between products that others compute, on a GPU above
/// all: threads have gone to sleep by then, and to wake 16 of them can take as long as one needs
/// for so many elements.
inline constexpr Index elements_worth_waking = 1 << 17;

/// Calls work(first, last, sums) for blocks of rows, in threads where there are more than
/// `worthwhile` elements, each with K numbers of its own, and combines those of all blocks, in
/// their order, into `result`: the bits do not depend on the number of threads.
template <typename Work, typename Combine>
void over_blocks(Index rows, std::span<double> result, const Work& work, const Combine& combine,
                 Index worthwhile = worthwhile_elements) {
  const Index blocks = (rows + block_rows - 1) / block_rows;
  const auto columns = static_cast<Index>(result.size());
  std::vector<double> sums(static_cast<std::size_t>(blocks * columns));
#pragma omp parallel for schedule(static) if (blocks > 1 && rows * columns > worthwhile)
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
