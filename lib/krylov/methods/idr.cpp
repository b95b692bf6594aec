#include <array>

#include "krylov/methods/krylov_method.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

constexpr std::size_t shadows = 4;  // s

using Owned = std::unique_ptr<Vectors>;
using Family = std::array<Owned, shadows>;

/// A number for each shadow and column.
template <typename F>
using Projected = std::array<ColumnsOf<F>, shadows>;

/// Numbers in [-1, 1) that depend on the global row and the column only.
Owned random_vectors(const Vectors& like, Index number) {
  Owned result = like.similar(like.columns());
  result->fill_random(number);
  return result;
}

/// The s x s matrix P^H G of every column, lower triangular.
template <typename F>
class Projections {
 public:
  explicit Projections(std::size_t columns)
      : values_(columns, std::array<std::array<F, shadows>, shadows>{}) {
    for (auto& of_column : values_) {
      for (std::size_t i = 0; i < shadows; ++i) of_column[i][i] = 1;
    }
  }
  F& at(std::size_t c, std::size_t i, std::size_t j) { return values_[c][i][j]; }
  void name(IterationState& state) {
    for (auto& of_column : values_) {
      for (auto& row : of_column) state.each(parts_of(std::span<F>(row)));
    }
  }
  const F& at(std::size_t c, std::size_t i, std::size_t j) const { return values_[c][i][j]; }

  /// gamma_i, i >= k, with sum over j of M_ij gamma_j = f_i, for every column.
  Projected<F> solve(std::size_t k, const Projected<F>& f) const {
    Projected<F> gamma;
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
  std::vector<std::array<std::array<F, shadows>, shadows>> values_;
};

/// p_i^H x of every column for i >= first, in one reduction.
template <typename F>
Projected<F> along(const Family& p, const Vectors& x, std::size_t first) {
  const ColumnsOf<F> all = dots<F>(x, std::span(p).subspan(first));
  const auto columns = static_cast<std::size_t>(x.columns());
  Projected<F> result;
  for (std::size_t i = first; i < shadows; ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      result[i].push_back(conj(all[(i - first) * columns + c]));
    }
  }
  return result;
}

/// In the field F.
template <typename F>
KrylovEnd idr_in(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x, Vectors& r) {
  using Numbers = ColumnsOf<F>;
  const std::size_t columns = criterion.columns();
  const auto running = [&](std::size_t c) { return !criterion.done(c); };
  const auto only_running = [&](Numbers factors) {
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
  Projections<F> m(columns);
  Numbers omega(columns, 1.0);
  CheckpointedRecurrence checkpointed(criterion, r, [&](IterationState& state) {
    m.name(state);
    state.each(parts_of(omega));
    for (const Family* family : {&g, &u}) {
      for (const Owned& those : *family) state.vectors(*those);
    }
  });
  const auto ended = [&] { return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit; };
  while (true) {
    Projected<F> f = along<F>(p, r, 0);
    for (std::size_t k = 0; k < shadows; ++k) {
      // Columns that are done are left out of all that follows: their projections come to nothing,
      // and what is no number there would not stay out of x.
      Projected<F> gamma = m.solve(k, f);
      for (std::size_t i = k; i < shadows; ++i) gamma[i] = only_running(std::move(gamma[i]));
      copy(r, *v);
      for (std::size_t i = k; i < shadows; ++i) v->add_multiples(negated(gamma[i]), *g[i]);
      system.preconditioner.apply(*v, *direction);
      // u_k <- sum over i >= k of gamma_i u_i + omega M^-1 v
      direction->scale_columns(omega);
      for (std::size_t i = k; i < shadows; ++i) direction->add_multiples(gamma[i], *u[i]);
      copy(*direction, *u[k]);
      system.matrix.apply(*u[k], *g[k]);
      for (std::size_t i = 0; i < k; ++i) {
        Numbers alpha = dots<F>(*p[i], *g[k]);
        for (std::size_t c = 0; c < columns; ++c) alpha[c] /= -m.at(c, i, i);
        alpha = only_running(std::move(alpha));
        g[k]->add_multiples(alpha, *g[i]);
        u[k]->add_multiples(alpha, *u[i]);
      }
      Numbers beta(columns);
      const Projected<F> of_row = along<F>(p, *g[k], k);
      for (std::size_t i = k; i < shadows; ++i) {
        for (std::size_t c = 0; c < columns; ++c) m.at(c, i, k) = of_row[i][c];
      }
      for (std::size_t c = 0; c < columns; ++c) {
        beta[c] = f[k][c] / m.at(c, k, k);
        if (running(c) && !is_finite(beta[c])) return KrylovEnd::breakdown;
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
    const Numbers with_r = dots<F>(*t, r);
    const Columns squares = dots(*t, *t), of_r = dots(r, r);
    for (std::size_t c = 0; c < columns; ++c) {
      omega[c] = squares[c] > 0 ? with_r[c] / squares[c] : F(0);
      // Small angles between A M^-1 r and r stall the recurrence (Sleijpen and van der Vorst 1995).
      constexpr double least_cosine = 0.7;
      const double cosine = std::abs(with_r[c]) / std::sqrt(squares[c] * of_r[c]);
      if (cosine < least_cosine && cosine > 0) omega[c] *= least_cosine / cosine;
    }
    if (any_unusable(omega, running)) return KrylovEnd::breakdown;
    omega = only_running(std::move(omega));
    x.add_multiples(omega, *direction);
    r.add_multiples(negated(omega), *t);
    if (criterion.enough(maxima(r), x)) return ended();
    checkpointed.may_save();
  }
}

}  // namespace

KrylovEnd iterate_idr(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                      Vectors& r) {
  return in_field_of(system, idr_in<double>, idr_in<std::complex<double>>, criterion, x, r);
}

}  // namespace spsolve::krylov
