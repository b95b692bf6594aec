#include "solve/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "solve/operators/right_hand_side_scaling.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline solve {

namespace {

using Owned = std::unique_ptr<Vectors>;

constexpr Index columns_at_once = 8;
/// The goal of one cycle, as a part of its residual: more would be lost to the rounding of M^-1.
constexpr double reduction_of_cycle = 1e-9;

/// a(:, c) <- a(:, c) / norm_c; zero where the norm is zero or not finite, or the column is `done`.
void normalise(Vectors& a, const Columns& norms, const std::vector<bool>& done) {
  Columns factors;
  for (std::size_t c = 0; c < norms.size(); ++c) {
    const bool usable = norms[c] > 0 && std::isfinite(norms[c]) && !done[c];
    factors.push_back(usable ? 1 / norms[c] : 0.0);
  }
  a.scale_columns(factors);
}

/// The least-squares problem min ||beta e_1 - H y|| of one column, its Hessenberg matrix H made
/// triangular by rotations as it grows. Entries below its diagonal are real.
template <typename F>
class SmallProblem {
 public:
  explicit SmallProblem(double beta) : right_{F(beta)} {}

  /// A column of H: its entries up to the diagonal, and the one below.
  void add(std::vector<F> column, double below) {
    for (std::size_t k = 0; k < rotations_.size(); ++k) {
      rotate(rotations_[k], column[k], column[k + 1]);
    }
    const double length = std::hypot(magnitude(column.back()), below);
    const Rotation rotation =
        length > 0 ? Rotation{column.back() / length, below / length} : Rotation{1, 0};
    F under = below;
    rotate(rotation, column.back(), under);
    rotations_.push_back(rotation);
    columns_.push_back(std::move(column));
    F next = 0;
    rotate(rotation, right_.back(), next);
    right_.push_back(next);
  }

  double residual() const { return magnitude(right_.back()); }

  /// y; a direction that A sends to zero gets none of it.
  std::vector<F> solution() const {
    std::vector<F> y(columns_.size());
    for (std::size_t i = columns_.size(); i-- > 0;) {
      F sum = right_[i];
      for (std::size_t j = i + 1; j < columns_.size(); ++j) sum -= columns_[j][i] * y[j];
      y[i] = columns_[i][i] != F(0) ? sum / columns_[i][i] : F(0);
    }
    return y;
  }

  /// beta e_1 - H y, by the vectors of the basis.
  std::vector<F> remainder() const {
    std::vector<F> left(right_.size());
    left.back() = right_.back();
    for (std::size_t k = rotations_.size(); k-- > 0;) {
      const F below = left[k + 1];
      left[k] = -rotations_[k].sine * below;
      left[k + 1] = conj(rotations_[k].cosine) * below;
    }
    return left;
  }

 private:
  /// The unitary matrix (conj(c) s; -s c).
  struct Rotation {
    F cosine;
    double sine;
  };

  static void rotate(const Rotation& rotation, F& upper, F& lower) {
    const F old = upper;
    upper = conj(rotation.cosine) * old + rotation.sine * lower;
    lower = rotation.cosine * lower - rotation.sine * old;
  }

  std::vector<std::vector<F>> columns_;
  std::vector<Rotation> rotations_;
  std::vector<F> right_;
};

/// The result of Gram-Schmidt for w: its coefficients, by basis vector and column, and the norms of
/// the rest.
template <typename F>
struct Orthogonal {
  std::vector<std::vector<F>> coefficients;
  Columns length;  ///< ||w||_2
};

/// Makes vector after vector orthogonal to a growing basis Q by classical Gram-Schmidt. One pass
/// leaves Q^T w = (I - Q^T Q) Q^T w + O(u) ||w||, which is in proportion to what is left of w
/// larger by as much as w has become smaller: where that could be more than `tolerable`, it takes a
/// second pass, which is enough (Giraud, Langou, Rozloznik and van den Eshof, 2005). The relation A
/// Z = V H holds to round-off whatever is tolerated; norms of residuals are off by that part.
template <typename F>
class GramSchmidt {
 public:
  /// A reduction for each pass, and one for the length after it.
  Orthogonal<F> apply(Vectors& w, const std::vector<Owned>& basis) {
    const auto columns = static_cast<std::size_t>(w.columns());
    Orthogonal<F> result{std::vector<std::vector<F>>(basis.size(), std::vector<F>(columns)), {}};
    const Columns before = pass(w, basis, result);
    const double left = (lost_ + unit_roundoff) * shrinkage(before, result.length);
    if (left <= tolerable) {
      lost_ += left;
    } else {
      pass(w, basis, result);
    }
    return result;
  }

 private:
  static constexpr double tolerable = 1e-3;

  /// Hands back the length before.
  Columns pass(Vectors& w, const std::vector<Owned>& basis, Orthogonal<F>& result) {
    const auto columns = static_cast<std::size_t>(w.columns());
    const std::size_t of_basis = basis.size() * columns;
    std::vector<F> sums(of_basis + columns);
    w.own_dots_with_each(basis, std::span(sums).first(of_basis));
    w.own_dots(w, std::span(sums).subspan(of_basis));
    all_sum(w.team(), parts_of(sums));
    std::vector<F> factors;
    for (std::size_t k = 0; k < of_basis; ++k) {
      const F along = conj(sums[k]);  // v^H w, of w^H v
      result.coefficients[k / columns][k % columns] += along;
      factors.push_back(-along);
    }
    w.add_multiples_of_each(std::span<const F>(factors), basis);
    result.length = norms(w);
    Columns before;
    for (std::size_t c = 0; c < columns; ++c) {
      before.push_back(std::sqrt(real_part(sums[of_basis + c])));
    }
    return before;
  }

  /// The most that a column has shrunk by; infinite where nothing, or no number, is left.
  static double shrinkage(const Columns& before, const Columns& after) {
    double most = 1;
    for (std::size_t c = 0; c < before.size(); ++c) {
      if (before[c] == 0) continue;
      const double times = before[c] / after[c];
      most = std::isfinite(times) ? std::max(most, times) : std::numeric_limits<double>::infinity();
    }
    return most;
  }

  double lost_ = 0;  // of Q^T Q - I, at most
};

/// gmres_cycle() in the field F.
template <typename F>
int cycle_in(LinearOperator& matrix, LinearOperator& inverse, const std::vector<double>& target,
             int most_steps, Vectors& x, const std::function<bool(const GmresStep&)>& look) {
  const auto columns = static_cast<std::size_t>(x.columns());
  const Columns beta = norms(x);
  std::vector<bool> done(columns);
  std::vector<SmallProblem<F>> problems(beta.begin(), beta.end());
  for (std::size_t c = 0; c < columns; ++c) done[c] = !(beta[c] > target[c]);
  std::vector<Owned> basis, directions;
  basis.push_back(copy_of(x));
  normalise(*basis.back(), beta, done);
  // x is free as long as the cycle lasts.
  const auto combine = [&](const std::vector<Owned>& vectors, auto&& factors_of) -> Vectors& {
    x.fill(0);
    std::vector<std::vector<F>> of_columns;
    for (const SmallProblem<F>& problem : problems) of_columns.push_back(factors_of(problem));
    std::vector<F> factors;
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      for (const std::vector<F>& of_column : of_columns) factors.push_back(of_column[k]);
    }
    x.add_multiples_of_each(std::span<const F>(factors), vectors);
    return x;
  };
  const auto correction = [&]() -> Vectors& {
    return combine(directions, [](const SmallProblem<F>& problem) { return problem.solution(); });
  };
  const auto residual = [&]() -> Vectors& {
    return combine(basis, [](const SmallProblem<F>& problem) { return problem.remainder(); });
  };
  GramSchmidt<F> gram_schmidt;
  int steps = 0;
  while (steps < most_steps && std::ranges::find(done, false) != done.end()) {
    directions.push_back(x.similar(x.columns()));
    inverse.apply(*basis.back(), *directions.back());
    Owned next = x.similar(x.columns());
    matrix.apply(*directions.back(), *next);
    const auto [coefficients, length] = gram_schmidt.apply(*next, basis);
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<F> column;
      for (const std::vector<F>& coefficient : coefficients) column.push_back(coefficient[c]);
      problems[c].add(std::move(column), length[c]);
      done[c] = done[c] || !(problems[c].residual() > target[c]) || !(length[c] > 0);
    }
    normalise(*next, length, done);
    basis.push_back(std::move(next));
    ++steps;
    if (!look) continue;
    GmresStep now{{}, correction, residual};
    for (const SmallProblem<F>& problem : problems) now.norms.push_back(problem.residual());
    if (look(now)) break;
  }
  correction();
  return steps;
}

/// The backward error of every column of x with the residual r; `of_b` are the maxima of b.
Columns backward_errors(double norm, const Columns& of_b, const Vectors& x, const Vectors& r) {
  Columns errors = maxima(r);
  const Columns of_x = maxima(x);
  for (std::size_t c = 0; c < errors.size(); ++c) {
    if (errors[c] != 0) errors[c] /= norm * of_x[c] + of_b[c];
    if (!std::isfinite(errors[c])) errors[c] = std::numeric_limits<double>::infinity();
  }
  return errors;
}

/// r <- b - A x
void residual_of(LinearOperator& matrix, const Vectors& b, const Vectors& x, Vectors& r) {
  matrix.apply(x, r);
  r.scale_columns(Columns(static_cast<std::size_t>(b.columns()), -1.0));
  add_multiple(1, b, r);
}

/// The accuracy that is asked of the columns of x, A x = b.
class Goal {
 public:
  Goal(const Vectors& b, double norm, double enough)
      : norm_(norm), limit_(attainable_error(b.rows())), of_b_(maxima(b)) {
    if (enough == 0) return;
    enough_ = norms(b);
    for (double& size : enough_) size *= enough;
  }

  /// How far columns with the residual r are from it, as a multiple: at most 1 where they are
  /// there.
  Columns distances(const Vectors& x, const Vectors& r) const {
    Columns distances = backward_errors(norm_, of_b_, x, r);
    for (double& distance : distances) distance /= limit_;
    if (enough_.empty()) return distances;
    const Columns of_r = norms(r);
    for (std::size_t c = 0; c < distances.size(); ++c) {
      if (of_r[c] <= enough_[c]) distances[c] = std::min(distances[c], 1.0);
    }
    return distances;
  }

  /// The norms of residuals that the next cycle is to come to.
  Columns of_cycle(const Columns& distances, const Vectors& x, const Vectors& r) const {
    const Columns of_x = maxima(x);
    Columns target = norms(r);
    for (std::size_t c = 0; c < target.size(); ++c) {
      const double enough = std::max(limit_ / 2 * (norm_ * of_x[c] + of_b_[c]),
                                     enough_.empty() ? 0.0 : enough_[c] / 2);
      target[c] = distances[c] <= 1 ? std::numeric_limits<double>::infinity()
                                    : std::max(reduction_of_cycle * target[c], enough);
    }
    return target;
  }

 private:
  double norm_, limit_;
  Columns of_b_, enough_;
};

/// Whether a cycle will not come to its target in the steps that are left, at twice the rate of its
/// first ones.
struct Outlook {
  Columns first, target;
  int left;
  int steps = 0;

  bool operator()(const GmresStep& now) {
    constexpr int first_steps = 2;
    if (++steps != first_steps) return false;
    for (std::size_t c = 0; c < first.size(); ++c) {
      const double times = 2.0 * left / steps;
      const bool comes =
          !(std::log(now.norms[c] / first[c]) * times > std::log(target[c] / first[c]));
      if (!comes) return true;
    }
    return false;
  }
};

/// solve_by_gmres() for few columns, whose squares are numbers.
GmresOutcome solve_few_scaled(LinearOperator& matrix, LinearOperator& inverse, double norm,
                              Vectors& x, const GmresBounds& enough) {
  const Owned b = copy_of(x);
  x.fill(0);
  const Goal goal(*b, norm, enough.part);
  Owned residual = copy_of(*b);
  Owned trial = x.similar(x.columns()), of_trial = x.similar(x.columns());
  Columns errors = goal.distances(x, *residual);
  GmresOutcome outcome;
  // From M^-1 b on it is known how large x is, and so what is enough.
  if (std::ranges::max(errors) > 1) {
    inverse.apply(*b, *trial);
    residual_of(matrix, *b, *trial, *of_trial);
    const Columns now = goal.distances(*trial, *of_trial);
    ++outcome.steps;
    if (std::ranges::max(now) < std::ranges::max(errors)) {
      copy(*trial, x);
      std::swap(residual, of_trial);
      errors = now;
    }
  }
  while (std::ranges::max(errors) > 1 && outcome.steps < enough.most_steps) {
    const double before = std::ranges::max(errors);
    const Columns target = goal.of_cycle(errors, x, *residual);
    copy(*residual, *trial);
    const int left = enough.most_steps - outcome.steps;
    std::function<bool(const GmresStep&)> look;
    if (enough.steadily) look = Outlook{norms(*trial), target, left};
    outcome.steps += gmres_cycle<double>(matrix, inverse, target,
                                         std::min(most_steps_of_cycle, left), *trial, look);
    add_multiple(1, x, *trial);
    residual_of(matrix, *b, *trial, *residual);
    const Columns now = goal.distances(*trial, *residual);
    if (!(std::ranges::max(now) < before)) break;
    copy(*trial, x);
    errors = now;
    if (std::ranges::max(now) > before / 2) break;
  }
  const double distance = errors.empty() ? 0.0 : std::ranges::max(errors);
  outcome.backward_error = distance * attainable_error(b->rows());
  outcome.converged = distance <= 1;
  return outcome;
}

/// solve_by_gmres() for few columns.
GmresOutcome solve_few(LinearOperator& matrix, LinearOperator& inverse, double norm, Vectors& x,
                       const GmresBounds& enough) {
  Columns factors = maxima(x);
  for (double& factor : factors) factor = right_hand_side_scale(factor);
  if (!any_scales(factors)) return solve_few_scaled(matrix, inverse, norm, x, enough);
  x.scale_columns(factors);
  const GmresOutcome outcome = solve_few_scaled(matrix, inverse, norm, x, enough);
  x.scale_columns(inverses_of(factors));
  return outcome;
}

}  // namespace

double attainable_error(Index order) {
  return (4 + std::sqrt(static_cast<double>(order))) * unit_roundoff;
}

double backward_error(LinearOperator& matrix, double norm, const Vectors& b, const Vectors& x) {
  const Owned residual = b.similar(b.columns());
  residual_of(matrix, b, x, *residual);
  const Columns errors = backward_errors(norm, maxima(b), x, *residual);
  return errors.empty() ? 0.0 : std::ranges::max(errors);
}

std::int64_t gmres_bytes(Index height, Index right_hand_sides, int steps) {
  // Two bases, and b, the residual, a trial, its product and a copy.
  const Index vectors = 2 * (steps + 1) + 5;
  return vectors * height * std::min(right_hand_sides, columns_at_once) *
         static_cast<std::int64_t>(sizeof(double));
}

template <typename F>
int gmres_cycle(LinearOperator& matrix, LinearOperator& inverse, const std::vector<double>& target,
                int most_steps, Vectors& x, const std::function<bool(const GmresStep&)>& look) {
  return cycle_in<F>(matrix, inverse, target, most_steps, x, look);
}
template int gmres_cycle<double>(LinearOperator&, LinearOperator&, const std::vector<double>&, int,
                                 Vectors&, const std::function<bool(const GmresStep&)>&);
template int gmres_cycle<std::complex<double>>(LinearOperator&, LinearOperator&,
                                               const std::vector<double>&, int, Vectors&,
                                               const std::function<bool(const GmresStep&)>&);

GmresOutcome solve_by_gmres(LinearOperator& matrix, LinearOperator& inverse, double norm,
                            Vectors& x, const GmresBounds& enough) {
  if (x.columns() <= columns_at_once) return solve_few(matrix, inverse, norm, x, enough);
  GmresOutcome worst;
  for (Index first = 0; first < x.columns(); first += columns_at_once) {
    const Index count = std::min(columns_at_once, x.columns() - first);
    const Owned part = x.similar(count);
    part->copy_columns(x, first, 0, count);
    const GmresOutcome outcome = solve_few(matrix, inverse, norm, *part, enough);
    x.copy_columns(*part, 0, first, count);
    worst.backward_error = std::max(worst.backward_error, outcome.backward_error);
    worst.steps = std::max(worst.steps, outcome.steps);
    worst.converged = worst.converged && outcome.converged;
  }
  return worst;
}

}  // namespace spsolve::solve
