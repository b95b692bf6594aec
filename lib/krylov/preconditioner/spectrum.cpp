#include "krylov/preconditioner/spectrum.hpp"

#include <algorithm>
#include <cmath>

#include <lapacke.h>

#include "krylov/preconditioner/preconditioner.hpp"

namespace spsolve::inline krylov {

namespace {

/// ||D^-1 A||, D^-1 being these factors.
double norm_bound(BandMatrix& matrix, const Vectors& inverse) {
  const std::unique_ptr<Vectors> ones = matrix.vectors_of_rows(1);
  std::unique_ptr<Vectors> sums = matrix.vectors_of_rows(1);
  ones->fill(1);
  matrix.with_halo(*ones, [&](const HaloView& halo) {
    matrix.products().multiply_magnitudes(1, *ones, halo, *sums);
  });
  sums->scale_rows(inverse);
  return maxima(*sums).front();
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
  const std::unique_ptr<Vectors> diagonal = matrix.vectors_of_rows(1);
  std::unique_ptr<Vectors> inverse = matrix.vectors_of_rows(1);
  together(matrix.team(), [&] { matrix.products().diagonal(*diagonal, *inverse); });
  return inverse;
}

double largest_eigenvalue(BandMatrix& matrix, const Vectors& inverse, bool symmetric) {
  const double bound = norm_bound(matrix, inverse);
  if (!symmetric) return bound;
  constexpr int steps = 12;
  constexpr double margin = 1.05;
  // Lanczos in the inner product of D: v_k of length 1 in it, w = D^-1 A v.
  const std::unique_ptr<Vectors> diagonal = matrix.vectors_of_rows(1);
  std::unique_ptr<Vectors> v = matrix.vectors_of_rows(1), old = matrix.vectors_of_rows(1),
                           w = matrix.vectors_of_rows(1), product = matrix.vectors_of_rows(1);
  together(matrix.team(), [&] { matrix.products().diagonal(*diagonal, *w); });
  v->fill_random(23);
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

}  // namespace spsolve::krylov
