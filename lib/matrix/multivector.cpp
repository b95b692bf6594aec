#include "matrix/multivector.hpp"

#include "core/worth_threads.hpp"
#include "matrix/random.hpp"

namespace spsolve::inline matrix {

Dense<double> random_multivector(Index rows, Index columns, Index seed, Index first_row) {
  Dense<double> x(rows, columns);
  const std::uint64_t key = mix_bits(static_cast<std::uint64_t>(seed));
  const Index first = first_row * columns;
#pragma omp parallel for schedule(static) if (worth_threads(rows * columns))
  for (Index i = 0; i < rows * columns; ++i) {
    x.values[i] = symmetric_interval(random_bits(key, static_cast<std::uint64_t>(first + i)));
  }
  return x;
}

}  // namespace spsolve::matrix
