#include "krylov/preconditioner/polynomial.hpp"

#include "team/team.hpp"

namespace spsolve::inline krylov {

std::vector<std::pair<double, double>> Polynomial::fourth_kind(int degree, double largest) {
  std::vector<std::pair<double, double>> steps{{0.0, 4 / (3 * largest)}};
  for (int k = 1; k < degree; ++k) {
    steps.push_back({(2.0 * k - 1) / (2 * k + 3), (8.0 * k + 4) / ((2 * k + 3) * largest)});
  }
  return steps;
}

std::vector<std::pair<double, double>> Polynomial::first_kind(int degree, double smallest,
                                                              double largest) {
  const double centre = (largest + smallest) / 2, radius = (largest - smallest) / 2;
  const double sigma = centre / radius;
  double rho = 1 / sigma;
  std::vector<std::pair<double, double>> steps{{0.0, 1 / centre}};
  for (int k = 1; k < degree; ++k) {
    const double next = 1 / (2 * sigma - rho);
    steps.push_back({next * rho, 2 * next / radius});
    rho = next;
  }
  return steps;
}

void Polynomial::make_room(const Vectors& like) {
  if (other_ != nullptr && other_->columns() == like.columns()) return;
  together(like.team(), [&] { other_ = like.similar(like.columns()); });
}

void Polynomial::walk(const Vectors& b, Vectors& x, std::size_t first, bool in_x) {
  Vectors *now = &x, *next = other_.get();  // x_k; x_{k-1}, which x_{k+1} takes the place of
  if (!in_x) std::swap(now, next);
  for (std::size_t k = first; k < steps_.size(); ++k) {
    const auto [a, factor] = steps_[k];
    // x_1 is all that there is before step 1 of what begins at zero.
    const double of_next = k == first ? 0.0 : -a;
    matrix_.relax({1 + a, of_next, factor, *inverse_}, b, *now, *next);
    std::swap(now, next);
  }
  if (now != &x) copy(*now, x);
}

void Polynomial::from_zero(const Vectors& b, Vectors& x) {
  const double factor = steps_.front().second;
  if (steps_.size() == 1) return x.add_scaled_rows(0, factor, *inverse_, b);
  make_room(b);
  const bool in_x = steps_.size() % 2 == 1;
  (in_x ? x : *other_).add_scaled_rows(0, factor, *inverse_, b);
  walk(b, x, 1, in_x);
}

void Polynomial::improve(const Vectors& b, Vectors& x) {
  make_room(b);
  walk(b, x, 0, true);
}

}  // namespace spsolve::krylov
