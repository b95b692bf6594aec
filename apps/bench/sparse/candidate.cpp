#include "apps/bench/sparse/candidate.hpp"

#include <algorithm>

#include <omp.h>

#include "core/blas/blas.hpp"

namespace spsolve::bench {

void use_threads(int threads) {
  omp_set_num_threads(threads);
  blas::set_threads(threads);
}

Judge::Sizes Judge::judge(const Dense<double>& own_b, const Dense<double>& own_x, Row& row) {
  const std::unique_ptr<Vectors> b = matrix_.vectors(own_b.columns);
  const std::unique_ptr<Vectors> x = b->similar(b->columns()), r = b->similar(b->columns());
  set_own_rows(*b, own_b);
  set_own_rows(*x, own_x);
  const Quality quality = measure(matrix_, *b, *x, *r);
  row.keep_most("backward_error", quality.backward_error);
  row.keep_most("componentwise_error", quality.componentwise_error);
  const std::vector<double> of_r = norms(*r), of_b = norms(*b), of_x = maxima(*x);
  Sizes sizes{0, *std::ranges::max_element(of_x)};
  for (std::size_t c = 0; c < of_r.size(); ++c) {
    sizes.residual = std::max(sizes.residual, of_r[c] / of_b[c]);
  }
  row.keep_most("residual", sizes.residual);
  return sizes;
}

}  // namespace spsolve::bench
