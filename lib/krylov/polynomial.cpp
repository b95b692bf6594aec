#include "krylov/polynomial.hpp"

#include "team/team.hpp"

namespace spsolve {

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
  if (residual_ != nullptr && residual_->columns() == like.columns()) return;
  together(like.team(), [&] {
    residual_ = like.similar(like.columns());
    direction_ = like.similar(like.columns());
  });
}

void Polynomial::walk(Vectors& x, bool from_zero) {
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    direction_->add_scaled_rows(steps_[k].first, steps_[k].second, *inverse_, *residual_);
    if (k == 0 && from_zero) {
      copy(*direction_, x);
    } else {
      add_multiple(1, *direction_, x);
    }
    if (k + 1 < steps_.size()) matrix_.subtract(*residual_, *direction_, *residual_);
  }
}

void Polynomial::from_zero(const Vectors& b, Vectors& x) {
  if (steps_.size() == 1) return x.add_scaled_rows(0, steps_.front().second, *inverse_, b);
  make_room(b);
  copy(b, *residual_);
  walk(x, true);
}

void Polynomial::improve(const Vectors& b, Vectors& x) {
  make_room(b);
  matrix_.subtract(b, x, *residual_);
  if (steps_.size() == 1) {
    return x.add_scaled_rows(1, steps_.front().second, *inverse_, *residual_);
  }
  walk(x, false);
}

}  // namespace spsolve
