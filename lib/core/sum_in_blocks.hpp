#pragma once

#include <algorithm>
#include <vector>

#include "core/types.hpp"

namespace spsolve {

/// sum over 0 <= i < count of term(i), in threads: blocks of terms are summed up in their order,
/// and the sums of blocks in theirs, so that the bits do not depend on the number of threads.
template <typename Term>
double sum_in_blocks(Index count, const Term& term) {
  constexpr Index block_size = 4096;
  const Index blocks = (count + block_size - 1) / block_size;
  std::vector<double> sums(static_cast<std::size_t>(blocks));
#pragma omp parallel for schedule(static) if (blocks > 4)
  for (Index block = 0; block < blocks; ++block) {
    const Index last = std::min(count, (block + 1) * block_size);
    double sum = 0;
    for (Index i = block * block_size; i < last; ++i) sum += term(i);
    sums[static_cast<std::size_t>(block)] = sum;
  }
  double all = 0;
  for (const double sum : sums) all += sum;
  return all;
}

}  // namespace spsolve
