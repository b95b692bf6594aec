#pragma once

#include <cmath>
#include <cstdint>

#include "matrix/dense.hpp"
#include "matrix/random.hpp"

namespace spsolve::test {

/// n x n with entries at random places with this density, |a_ij| over so many decades.
inline Dense<double> random_dense_of(Index n, double density, double decades, std::uint64_t seed) {
  Dense<double> dense(n, n);
  for (Index i = 0; i < n * n; ++i) {
    const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i));
    if (unit_interval(bits) >= density) continue;
    const double sign = bits & 1 ? 1 : -1;
    dense.values[i] = sign * std::pow(10.0, decades / 2 * symmetric_interval(mix_bits(bits)));
  }
  return dense;
}

}  // namespace spsolve::test
