#include "krylov/preconditioner/spectrum.hpp"

#include <algorithm>
#include <cmath>

#include <lapacke.h>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "krylov/preconditioner/preconditioner.hpp"

namespace spsolve {

namespace {

/// ||D^-1 A||, D^-1 being these factors.
double norm_bound(BandMatrix& matrix, const Dense<double>& factors) {
  const Csr<double>& rows = matrix.local_rows();
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (Index i = 0; i < rows.rows; ++i) {
    double sum = 0;
    for (const double value : rows.row_values(i)) sum += std::abs(value);
    largest = std::max(largest, sum * factors(i, 0));
  }
  return all_maximum(matrix.team(), largest);
}

/// The largest eigenvalue of a symmetric tridiagonal matrix.
double largest_of(std::vector<double> diagonal, std::vector<double> beside) {
  const auto n = static_cast<lapack_int>(diagonal.size());
  beside.resize(diagonal.size());
  lapack_int info = 0;
  if (n > 0) LAPACK_dsterf(&n, diagonal.data(), beside.data(), &info);
  return n == 0 || info != 0 ? 0.0 : diagonal.back();
}

}  // namespace

std::unique_ptr<Vectors> inverse_diagonal(BandMatrix& matrix) {
  std::unique_ptr<Vectors> inverse = matrix.vectors_of_rows(1);
  together(matrix.team(), [&] {
    std::vector<double> diagonal = own_diagonal(matrix);
#pragma omp parallel for schedule(static) if (std::ssize(diagonal) > elements_worth_waking)
    for (double& value : diagonal) value = value == 0 ? 1.0 : 1 / std::abs(value);
    inverse->write_rows({0, inverse->height()}, diagonal);
  });
  return inverse;
}

double largest_eigenvalue(BandMatrix& matrix, const Vectors& inverse, bool symmetric) {
  Dense<double> factors = own_rows(inverse);
  const double bound = norm_bound(matrix, factors);
  if (!symmetric) return bound;
  constexpr int steps = 12;
  constexpr double margin = 1.05;
  // Lanczos in the inner product of D: v_k of length 1 in it, w = D^-1 A v.
  const std::unique_ptr<Vectors> diagonal = matrix.vectors_of_rows(1);
#pragma omp parallel for schedule(static) if (factors.rows > elements_worth_waking)
  for (Index i = 0; i < factors.rows; ++i) factors(i, 0) = 1 / factors(i, 0);
  set_own_rows(*diagonal, factors);
  std::unique_ptr<Vectors> v = matrix.vectors_of_rows(1), old = matrix.vectors_of_rows(1),
                           w = matrix.vectors_of_rows(1), product = matrix.vectors_of_rows(1);
  set_random(*v, 23);
  const auto length = [&](const Vectors& x) {
    product->add_scaled_rows(0, 1, *diagonal, x);
    return std::sqrt(dots(*product, x).front());
  };
  double beta = length(*v);
  std::vector<double> alphas, betas;
  for (int step = 0; step < steps && beta > 0 && std::isfinite(beta); ++step) {
    v->scale_columns(std::vector<double>{1 / beta});
    matrix.apply(*v, *product);
    const double alpha = dots(*product, *v).front();
    w->add_scaled_rows(0, 1, inverse, *product);
    add_multiple(-alpha, *v, *w);
    if (step > 0) add_multiple(-beta, *old, *w);
    if (step > 0) betas.push_back(beta);
    alphas.push_back(alpha);
    old.swap(v);
    v.swap(w);
    beta = length(*v);
  }
  const double estimate = margin * largest_of(alphas, betas);
  return estimate > 0 && std::isfinite(estimate) ? std::min(estimate, bound) : bound;
}

}  // namespace spsolve
