#include <array>

#include "krylov/methods/krylov_method.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

constexpr std::size_t shadows = 4;  // s

using Owned = std::unique_ptr<Vectors>;
using Family = std::array<Owned, shadows>;

/// Numbers in [-1, 1) that depend on the global row and the column only.
Owned random_vectors(const Vectors& like, Index number) {
  Owned result = like.similar(like.columns());
  result->fill_random(number);
  return result;
}

/// The s x s matrix P^T G of every column, lower triangular.
class Projections {
 public:
  explicit Projections(std::size_t columns)
      : values_(columns, std::array<std::array<double, shadows>, shadows>{}) {
    for (auto& of_column : values_) {
      for (std::size_t i = 0; i < shadows; ++i) of_column[i][i] = 1;
    }
  }
  double& at(std::size_t c, std::size_t i, std::size_t j) { return values_[c][i][j]; }
  void name(IterationState& state) {
    for (auto& of_column : values_) {
      for (auto& row : of_column) {
        for (double& value : row) state.number(value);
      }
    }
  }
  double at(std::size_t c, std::size_t i, std::size_t j) const { return values_[c][i][j]; }

  /// gamma_i, i >= k, with sum over j of M_ij gamma_j = f_i, for every column.
  std::array<Columns, shadows> solve(std::size_t k, const std::array<Columns, shadows>& f) const {
    std::array<Columns, shadows> gamma;
    for (std::size_t i = k; i < shadows; ++i) {
      gamma[i] = f[i];
      for (std::size_t c = 0; c < values_.size(); ++c) {
        for (std::size_t j = k; j < i; ++j) gamma[i][c] -= at(c, i, j) * gamma[j][c];
        gamma[i][c] /= at(c, i, i);
      }
    }
    return gamma;
  }

 private:
  std::vector<std::array<std::array<double, shadows>, shadows>> values_;
};

/// p_i^T x of every column for i >= first, in one reduction.
std::array<Columns, shadows> along(const Family& p, const Vectors& x, std::size_t first) {
  const Columns all = dots(x, std::span(p).subspan(first));
  const auto columns = static_cast<std::size_t>(x.columns());
  std::array<Columns, shadows> result;
  for (std::size_t i = first; i < shadows; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>((i - first) * columns);
    result[i].assign(begin, begin + static_cast<std::ptrdiff_t>(columns));
  }
  return result;
}

}  // namespace

KrylovEnd iterate_idr(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                      Vectors& r) {
  const std::size_t columns = criterion.columns();
  const auto running = [&](std::size_t c) { return !criterion.done(c); };
  const auto only_running = [&](Columns factors) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (!running(c)) factors[c] = 0;
    }
    return factors;
  };
  const auto vectors = [&] { return r.similar(r.columns()); };
  Family p, g, u;
  for (std::size_t i = 0; i < shadows; ++i) {
    p[i] = random_vectors(r, static_cast<Index>(i));
    g[i] = vectors();
    u[i] = vectors();
  }
  const Owned v = vectors(), t = vectors(), direction = vectors();
  Projections m(columns);
  Columns omega(columns, 1.0);
  CheckpointedRecurrence checkpointed(criterion, r, [&](IterationState& state) {
    m.name(state);
    state.each(omega);
    for (const Family* family : {&g, &u}) {
      for (const Owned& those : *family) state.vectors(*those);
    }
  });
  const auto ended = [&] { return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit; };
  while (true) {
    std::array<Columns, shadows> f = along(p, r, 0);
    for (std::size_t k = 0; k < shadows; ++k) {
      const std::array<Columns, shadows> gamma = m.solve(k, f);
      copy(r, *v);
      for (std::size_t i = k; i < shadows; ++i) v->add_multiples(negated(gamma[i]), *g[i]);
      system.preconditioner.apply(*v, *direction);
      // u_k <- sum over i >= k of gamma_i u_i + omega M^-1 v
      direction->scale_columns(omega);
      for (std::size_t i = k; i < shadows; ++i) direction->add_multiples(gamma[i], *u[i]);
      copy(*direction, *u[k]);
      system.matrix.apply(*u[k], *g[k]);
      for (std::size_t i = 0; i < k; ++i) {
        Columns alpha = dots(*p[i], *g[k]);
        for (std::size_t c = 0; c < columns; ++c) alpha[c] /= -m.at(c, i, i);
        g[k]->add_multiples(alpha, *g[i]);
        u[k]->add_multiples(alpha, *u[i]);
      }
      Columns beta(columns);
      const std::array<Columns, shadows> of_row = along(p, *g[k], k);
      for (std::size_t i = k; i < shadows; ++i) {
        for (std::size_t c = 0; c < columns; ++c) m.at(c, i, k) = of_row[i][c];
      }
      for (std::size_t c = 0; c < columns; ++c) {
        beta[c] = f[k][c] / m.at(c, k, k);
        if (running(c) && !std::isfinite(beta[c])) return KrylovEnd::breakdown;
      }
      beta = only_running(std::move(beta));
      r.add_multiples(negated(beta), *g[k]);
      x.add_multiples(beta, *u[k]);
      if (criterion.enough(maxima(r), x)) return ended();
      for (std::size_t i = k + 1; i < shadows; ++i) {
        for (std::size_t c = 0; c < columns; ++c) f[i][c] -= beta[c] * m.at(c, i, k);
      }
    }
    system.preconditioner.apply(r, *direction);
    system.matrix.apply(*direction, *t);
    const Columns squares = dots(*t, *t), with_r = dots(*t, r), of_r = dots(r, r);
    for (std::size_t c = 0; c < columns; ++c) {
      omega[c] = squares[c] > 0 ? with_r[c] / squares[c] : 0.0;
      // Small angles between A M^-1 r and r stall the recurrence (Sleijpen and van der Vorst 1995).
      constexpr double least_cosine = 0.7;
      const double cosine = std::abs(with_r[c]) / std::sqrt(squares[c] * of_r[c]);
      if (cosine < least_cosine && cosine > 0) omega[c] *= least_cosine / cosine;
      if (running(c) && !(std::abs(omega[c]) > 0 && std::isfinite(omega[c]))) {
        return KrylovEnd::breakdown;
      }
    }
    const Columns factors = only_running(omega);
    x.add_multiples(factors, *direction);
    r.add_multiples(negated(factors), *t);
    if (criterion.enough(maxima(r), x)) return ended();
    checkpointed.may_save();
  }
}

}  // namespace spsolve::krylov
