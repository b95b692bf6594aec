#include "krylov/methods/krylov_method.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

KrylovEnd iterate_bicgstab(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                           Vectors& r) {
  const std::size_t columns = criterion.columns();
  const auto running = [&](std::size_t c) { return !criterion.done(c); };
  const auto vectors = [&] { return r.similar(r.columns()); };
  const std::unique_ptr<Vectors> shadow = copy_of(r), p = copy_of(r);
  const std::unique_ptr<Vectors> v = vectors(), t = vectors(), direction = vectors();
  const Columns ones(columns, 1.0);
  Columns rho(columns);
  CheckpointedRecurrence checkpointed(criterion, r, [&](IterationState& state) {
    state.each(rho);
    for (Vectors* those : {shadow.get(), p.get()}) state.vectors(*those);
  });
  if (!checkpointed.goes_on()) rho = dots(*shadow, r);
  while (true) {
    // x <- x + alpha M^-1 p
    system.preconditioner.apply(*p, *direction);
    system.matrix.apply(*direction, *v);
    const Columns along = dots(*shadow, *v);
    for (std::size_t c = 0; c < columns; ++c) {
      if (running(c) && !(std::abs(along[c]) > 0 && std::isfinite(along[c]))) {
        return KrylovEnd::breakdown;
      }
    }
    const Columns alpha = quotients(rho, along, running);
    x.add_multiples(alpha, *direction);
    r.add_multiples(negated(alpha), *v);
    // x <- x + omega M^-1 r
    system.preconditioner.apply(r, *direction);
    system.matrix.apply(*direction, *t);
    const Columns squares = dots(*t, *t);
    const Columns omega = quotients(dots(*t, r), squares,
                                    [&](std::size_t c) { return running(c) && squares[c] > 0; });
    x.add_multiples(omega, *direction);
    r.add_multiples(negated(omega), *t);
    if (criterion.enough(maxima(r), x)) {
      return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit;
    }
    // p <- r + beta (p - omega v)
    const Columns next = dots(*shadow, r);
    Columns beta(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!running(c)) continue;
      beta[c] = next[c] / rho[c] * (alpha[c] / omega[c]);
      if (!std::isfinite(beta[c]) || beta[c] == 0) return KrylovEnd::breakdown;
    }
    p->add_multiples(negated(omega), *v);
    p->combine(beta, ones, r);
    rho = next;
    checkpointed.may_save();
  }
}

}  // namespace spsolve::krylov
