#include "krylov/methods/krylov_method.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

// The recurrences are those of Elman, Silvester and Wathen, "Finite Elements and Fast Iterative
// Solvers", algorithm 4.1: Lanczos vectors v_k of length gamma_k, z_k = M^-1 v_k, rotations (c, s).
// The residual follows r_k = s_k^2 r_{k-1} + eta_k c_k v_{k+1} / gamma_{k+1}.
KrylovEnd iterate_minres(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                         Vectors& r) {
  const std::size_t columns = criterion.columns();
  const auto running = [&](std::size_t c) { return !criterion.done(c); };
  const auto vectors = [&] { return r.similar(r.columns()); };
  std::unique_ptr<Vectors> old_v = vectors(), v = copy_of(r), new_v = vectors();
  std::unique_ptr<Vectors> z = vectors(), new_z = vectors();
  std::unique_ptr<Vectors> old_w = vectors(), w = vectors(), new_w = vectors();
  const Columns ones(columns, 1.0), none(columns, 0.0);

  /// gamma <- sqrt(z^T v), of the columns that run.
  const auto length = [&](const Vectors& a, const Vectors& b, Columns& gamma) {
    gamma = dots(a, b);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!running(c)) continue;
      if (!std::isfinite(gamma[c])) return KrylovEnd::breakdown;
      if (gamma[c] < 0) return KrylovEnd::unfit;
      gamma[c] = std::sqrt(gamma[c]);
    }
    return KrylovEnd::reached;
  };

  Columns gamma, old_gamma = ones, eta;
  Columns cosine = ones, old_cosine = ones, sine = none, old_sine = none;
  CheckpointedRecurrence checkpointed(criterion, r, [&](IterationState& state) {
    for (Columns* values : {&gamma, &old_gamma, &eta, &cosine, &old_cosine, &sine, &old_sine}) {
      values->resize(columns);
      state.each(*values);
    }
    for (Vectors* those : {old_v.get(), v.get(), z.get(), old_w.get(), w.get()}) {
      state.vectors(*those);
    }
  });
  if (!checkpointed.goes_on()) {
    system.preconditioner.apply(*v, *z);
    if (const KrylovEnd end = length(*z, *v, gamma); end != KrylovEnd::reached) return end;
    eta = gamma;
  }
  while (true) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (running(c) && gamma[c] == 0) return KrylovEnd::breakdown;
    }
    z->scale_columns(quotients(ones, gamma, running));
    system.matrix.apply(*z, *new_v);
    const Columns delta = dots(*new_v, *z);
    new_v->add_multiples(negated(quotients(delta, gamma, running)), *v);
    new_v->add_multiples(negated(quotients(gamma, old_gamma, running)), *old_v);
    system.preconditioner.apply(*new_v, *new_z);
    Columns new_gamma;
    if (const KrylovEnd end = length(*new_z, *new_v, new_gamma); end != KrylovEnd::reached) {
      return end;
    }
    Columns of_old_w(columns), of_w(columns), of_z(columns), of_x(columns), of_r(columns),
        of_v(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!running(c)) {
        of_r[c] = 1;
        continue;
      }
      const double a0 = cosine[c] * delta[c] - old_cosine[c] * sine[c] * gamma[c];
      const double a1 = std::hypot(a0, new_gamma[c]);
      const double a2 = sine[c] * delta[c] + old_cosine[c] * cosine[c] * gamma[c];
      const double a3 = old_sine[c] * gamma[c];
      if (!(a1 > 0)) return KrylovEnd::breakdown;
      old_cosine[c] = cosine[c];
      old_sine[c] = sine[c];
      cosine[c] = a0 / a1;
      sine[c] = new_gamma[c] / a1;
      of_old_w[c] = -a3 / a1;
      of_w[c] = -a2 / a1;
      of_z[c] = 1 / a1;
      of_x[c] = cosine[c] * eta[c];
      eta[c] *= -sine[c];
      of_r[c] = sine[c] * sine[c];
      of_v[c] = new_gamma[c] > 0 ? eta[c] * cosine[c] / new_gamma[c] : 0.0;
    }
    new_w->combine(none, of_z, *z);
    new_w->add_multiples(of_old_w, *old_w);
    new_w->add_multiples(of_w, *w);
    x.add_multiples(of_x, *new_w);
    r.combine(of_r, of_v, *new_v);
    if (criterion.enough(maxima(r), x)) {
      return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit;
    }
    old_v.swap(v);
    v.swap(new_v);
    z.swap(new_z);
    old_w.swap(w);
    w.swap(new_w);
    old_gamma = std::move(gamma);
    gamma = std::move(new_gamma);
    checkpointed.may_save();
  }
}

}  // namespace spsolve::krylov
