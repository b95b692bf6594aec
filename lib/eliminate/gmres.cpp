#include "eliminate/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eliminate/residual.hpp"

namespace spsolve {

namespace {

constexpr int steps_of_cycle = 20;
constexpr Index columns_at_once = 8;
/// What one cycle asks for, as a part of its residual: more would be lost to the rounding of M^-1.
constexpr double reduction_of_cycle = 1e-9;

/// sum over i of a_ic b_ic for every column c.
std::vector<double> products_by_column(const Dense<double>& a, const Dense<double>& b) {
  std::vector<double> sums(static_cast<std::size_t>(a.columns));
  for (Index i = 0; i < a.rows; ++i) {
    for (Index c = 0; c < a.columns; ++c) sums[c] += a(i, c) * b(i, c);
  }
  return sums;
}

std::vector<double> norms_by_column(const Dense<double>& a) {
  std::vector<double> norms = products_by_column(a, a);
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

std::vector<double> maxima_by_column(const Dense<double>& a) {
  std::vector<double> largest(static_cast<std::size_t>(a.columns));
  for (Index i = 0; i < a.rows; ++i) {
    for (Index c = 0; c < a.columns; ++c) largest[c] = larger(largest[c], std::abs(a(i, c)));
  }
  return largest;
}

/// a(:, c) <- a(:, c) + factor_c b(:, c)
void add_multiples(Dense<double>& a, const std::vector<double>& factor, const Dense<double>& b) {
  for (Index i = 0; i < a.rows; ++i) {
    for (Index c = 0; c < a.columns; ++c) a(i, c) += factor[c] * b(i, c);
  }
}

/// a(:, c) / norm_c; zero where the norm is zero or not finite, or the column is `done`.
Dense<double> normalised(Dense<double> a, const std::vector<double>& norms,
                         const std::vector<bool>& done) {
  for (Index c = 0; c < a.columns; ++c) {
    const bool usable = norms[c] > 0 && std::isfinite(norms[c]) && !done[c];
    for (Index i = 0; i < a.rows; ++i) a(i, c) = usable ? a(i, c) / norms[c] : 0.0;
  }
  return a;
}

/// The least-squares problem min ||beta e_1 - H y|| of one column, its Hessenberg matrix H made
/// triangular by rotations as it grows.
class SmallProblem {
 public:
  explicit SmallProblem(double beta) : right_{beta} {}

  /// A column of H: its entries up to the diagonal, and the one below.
  void add(std::vector<double> column, double below) {
    for (std::size_t k = 0; k < rotations_.size(); ++k) {
      rotate(rotations_[k], column[k], column[k + 1]);
    }
    const double length = std::hypot(column.back(), below);
    const Rotation rotation =
        length > 0 ? Rotation{column.back() / length, below / length} : Rotation{1, 0};
    rotate(rotation, column.back(), below);
    rotations_.push_back(rotation);
    columns_.push_back(std::move(column));
    double next = 0;
    rotate(rotation, right_.back(), next);
    right_.push_back(next);
  }

  double residual() const { return std::abs(right_.back()); }

  /// y; a direction that A sends to zero gets none of it.
  std::vector<double> solution() const {
    std::vector<double> y(columns_.size());
    for (std::size_t i = columns_.size(); i-- > 0;) {
      double sum = right_[i];
      for (std::size_t j = i + 1; j < columns_.size(); ++j) sum -= columns_[j][i] * y[j];
      y[i] = columns_[i][i] != 0 ? sum / columns_[i][i] : 0.0;
    }
    return y;
  }

 private:
  struct Rotation {
    double cosine, sine;
  };

  static void rotate(const Rotation& rotation, double& upper, double& lower) {
    const double old = upper;
    upper = rotation.cosine * old + rotation.sine * lower;
    lower = rotation.cosine * lower - rotation.sine * old;
  }

  std::vector<std::vector<double>> columns_;
  std::vector<Rotation> rotations_;
  std::vector<double> right_;
};

/// Makes w orthogonal to all of `basis`, twice, as one pass leaves round-off; hands back the
/// coefficients, by basis vector and column.
std::vector<std::vector<double>> orthogonalise(Dense<double>& w,
                                               const std::vector<Dense<double>>& basis) {
  std::vector<std::vector<double>> coefficients(
      basis.size(), std::vector<double>(static_cast<std::size_t>(w.columns)));
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < basis.size(); ++k) {
      std::vector<double> factor = products_by_column(w, basis[k]);
      for (std::size_t c = 0; c < factor.size(); ++c) {
        coefficients[k][c] += factor[c];
        factor[c] = -factor[c];
      }
      add_multiples(w, factor, basis[k]);
    }
  }
  return coefficients;
}

/// The backward error of every column of x with the residual r.
std::vector<double> backward_errors(double norm, const Dense<double>& b, const Dense<double>& x,
                                    const Dense<double>& r) {
  std::vector<double> errors = maxima_by_column(r);
  const std::vector<double> of_x = maxima_by_column(x);
  const std::vector<double> of_b = maxima_by_column(b);
  for (std::size_t c = 0; c < errors.size(); ++c) {
    if (errors[c] != 0) errors[c] /= norm * of_x[c] + of_b[c];
    if (!std::isfinite(errors[c])) errors[c] = std::numeric_limits<double>::infinity();
  }
  return errors;
}

/// b - A x
Dense<double> residual_of(const Operator& multiply, const Dense<double>& b,
                          const Dense<double>& x) {
  Dense<double> product = x;
  multiply(product);
  Dense<double> residual = b;
  add_multiples(residual, std::vector<double>(static_cast<std::size_t>(b.columns), -1.0), product);
  return residual;
}

/// solve_by_gmres() for few columns.
GmresOutcome solve_few(const Operator& multiply, const Operator& precondition, double norm,
                       Dense<double>& x) {
  const Dense<double> b = std::move(x);
  x = Dense<double>(b.rows, b.columns);
  const double limit = attainable_error(b.rows);
  const std::vector<double> of_b = maxima_by_column(b);
  Dense<double> residual = b;
  std::vector<double> errors = backward_errors(norm, b, x, residual);
  GmresOutcome outcome;
  // From M^-1 b on it is known how large x is, and so what is enough.
  if (std::ranges::max(errors) > limit) {
    Dense<double> first = b;
    precondition(first);
    Dense<double> of_first = residual_of(multiply, b, first);
    const std::vector<double> now = backward_errors(norm, b, first, of_first);
    ++outcome.steps;
    if (std::ranges::max(now) < std::ranges::max(errors)) {
      x = std::move(first);
      residual = std::move(of_first);
      errors = now;
    }
  }
  while (std::ranges::max(errors) > limit) {
    const double before = std::ranges::max(errors);
    const std::vector<double> of_x = maxima_by_column(x);
    std::vector<double> target = norms_by_column(residual);
    for (std::size_t c = 0; c < target.size(); ++c) {
      const double enough = limit / 2 * (norm * of_x[c] + of_b[c]);
      target[c] = errors[c] <= limit ? std::numeric_limits<double>::infinity()
                                     : std::max(reduction_of_cycle * target[c], enough);
    }
    Dense<double> better = residual;
    outcome.steps += gmres_cycle(multiply, precondition, target, steps_of_cycle, better);
    add_multiples(better, std::vector<double>(target.size(), 1.0), x);
    residual = residual_of(multiply, b, better);
    const std::vector<double> now = backward_errors(norm, b, better, residual);
    if (!(std::ranges::max(now) < before)) break;
    x = std::move(better);
    errors = now;
    if (std::ranges::max(now) > before / 2) break;
  }
  outcome.backward_error = errors.empty() ? 0.0 : std::ranges::max(errors);
  outcome.converged = outcome.backward_error <= limit;
  return outcome;
}

}  // namespace

double attainable_error(Index order) {
  return (4 + std::sqrt(static_cast<double>(order))) * unit_roundoff;
}

std::int64_t gmres_bytes(Index order, Index right_hand_sides) {
  // Two bases, and b, x, the residual, products and what M^-1 works on.
  constexpr Index vectors = 2 * (steps_of_cycle + 1) + 8;
  return vectors * order * std::min(right_hand_sides, columns_at_once) *
         static_cast<std::int64_t>(sizeof(double));
}

int gmres_cycle(const Operator& multiply, const Operator& precondition,
                const std::vector<double>& target, int most_steps, Dense<double>& x) {
  const auto columns = static_cast<std::size_t>(x.columns);
  const std::vector<double> beta = norms_by_column(x);
  std::vector<bool> done(columns);
  std::vector<SmallProblem> problems(beta.begin(), beta.end());
  for (std::size_t c = 0; c < columns; ++c) done[c] = !(beta[c] > target[c]);
  std::vector<Dense<double>> basis, directions;
  basis.push_back(normalised(x, beta, done));
  int steps = 0;
  while (steps < most_steps && std::ranges::find(done, false) != done.end()) {
    directions.push_back(basis.back());
    precondition(directions.back());
    Dense<double> next = directions.back();
    multiply(next);
    const auto coefficients = orthogonalise(next, basis);
    const std::vector<double> length = norms_by_column(next);
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> column;
      for (const auto& coefficient : coefficients) column.push_back(coefficient[c]);
      problems[c].add(std::move(column), length[c]);
      done[c] = done[c] || !(problems[c].residual() > target[c]) || !(length[c] > 0);
    }
    basis.push_back(normalised(std::move(next), length, done));
    ++steps;
  }
  x = Dense<double>(x.rows, x.columns);
  std::vector<std::vector<double>> solutions;
  for (const SmallProblem& problem : problems) solutions.push_back(problem.solution());
  for (std::size_t k = 0; k < directions.size(); ++k) {
    std::vector<double> factor;
    for (const auto& solution : solutions) factor.push_back(solution[k]);
    add_multiples(x, factor, directions[k]);
  }
  return steps;
}

GmresOutcome solve_by_gmres(const Operator& multiply, const Operator& precondition, double norm,
                            Dense<double>& x) {
  if (x.columns <= columns_at_once) return solve_few(multiply, precondition, norm, x);
  GmresOutcome worst;
  for (Index first = 0; first < x.columns; first += columns_at_once) {
    const Index count = std::min(columns_at_once, x.columns - first);
    Dense<double> part(x.rows, count);
    for (Index i = 0; i < x.rows; ++i) std::copy_n(x.row(i) + first, count, part.row(i));
    const GmresOutcome outcome = solve_few(multiply, precondition, norm, part);
    for (Index i = 0; i < x.rows; ++i) std::copy_n(part.row(i), count, x.row(i) + first);
    worst.backward_error = std::max(worst.backward_error, outcome.backward_error);
    worst.steps = std::max(worst.steps, outcome.steps);
    worst.converged = worst.converged && outcome.converged;
  }
  return worst;
}

}  // namespace spsolve
