#include "apps/bench/sparse/candidate.hpp"

#include <algorithm>

#include <omp.h>

#include "core/blas/blas.hpp"
#include "core/extremes.hpp"
#include "matrix/complex_numbers.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::bench {

void use_threads(int threads) {
  omp_set_num_threads(threads);
  blas::set_threads(threads);
}

namespace {

/// |z| of the numbers of a real form, or of rows of one.
Dense<double> moduli_of(const Dense<double>& form) {
  Dense<double> moduli(form.rows / complex_parts, form.columns);
  for (Index i = 0; i < moduli.rows; ++i) {
    for (Index c = 0; c < moduli.columns; ++c) {
      moduli(i, c) = modulus(form(complex_parts * i, c), form(complex_parts * i + 1, c));
    }
  }
  return moduli;
}

/// The largest number of each column, over all ranks; infinite where one is nan.
std::vector<double> maxima_of(Team& team, const Dense<double>& own) {
  std::vector<double> most(static_cast<std::size_t>(own.columns), 0);
  for (Index i = 0; i < own.rows; ++i) {
    for (Index c = 0; c < own.columns; ++c) most[c] = larger(most[c], own(i, c));
  }
  for (double& of_column : most) of_column = all_maximum(team, infinite_if_nan(of_column));
  return most;
}

}  // namespace

Judge::Judge(Team& team, const RowLayout& bands, Csr<double> rows, Index parts)
    : matrix_(team, bands, [&] {
        if (parts > 1) {
          moduli_.emplace(team, layout_of_nodes(bands, parts), moduli(parts_of(rows)));
        }
        return std::move(rows);
      }()) {}

Quality Judge::by_moduli(const Dense<double>& own_b, const Dense<double>& own_x,
                         const Dense<double>& own_r) {
  Team& team = matrix_.team();
  const Dense<double> b = moduli_of(own_b), x = moduli_of(own_x), r = moduli_of(own_r);
  const std::unique_ptr<Vectors> of_x = moduli_->vectors(x.columns),
                                 product = of_x->similar(x.columns);
  set_own_rows(*of_x, x);
  moduli_->apply(*of_x, *product);
  const Dense<double> scale = own_rows(*product);
  double worst = 0;
  for (std::size_t k = 0; k < r.values.size(); ++k) {
    worst = std::max(worst, relative_error(r.values[k], scale.values[k] + b.values[k]));
  }
  Quality quality;
  quality.componentwise_error = all_maximum(team, worst);
  const double norm = moduli_->infinity_norm(Equilibration());
  const std::vector<double> of_b = maxima_of(team, b), most_x = maxima_of(team, x),
                            of_r = maxima_of(team, r);
  for (std::size_t c = 0; c < of_r.size(); ++c) {
    quality.backward_error =
        std::max(quality.backward_error, relative_error(of_r[c], norm * most_x[c] + of_b[c]));
  }
  return quality;
}

Judge::Sizes Judge::judge(const Dense<double>& own_b, const Dense<double>& own_x, Row& row) {
  const std::unique_ptr<Vectors> b = matrix_.vectors(own_b.columns);
  const std::unique_ptr<Vectors> x = b->similar(b->columns()), r = b->similar(b->columns());
  set_own_rows(*b, own_b);
  set_own_rows(*x, own_x);
  Quality quality = measure(matrix_, *b, *x, *r);
  if (moduli_) quality = by_moduli(own_b, own_x, own_rows(*r));
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
