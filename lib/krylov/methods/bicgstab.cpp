#include "krylov/methods/krylov_method.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// In the field F.
template <typename F>
KrylovEnd bicgstab_in(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                      Vectors& r) {
  using Numbers = ColumnsOf<F>;
  const std::size_t columns = criterion.columns();
  const auto running = [&](std::size_t c) { return !criterion.done(c); };
  const auto vectors = [&] { return r.similar(r.columns()); };
  const std::unique_ptr<Vectors> shadow = copy_of(r), p = copy_of(r);
  const std::unique_ptr<Vectors> v = vectors(), t = vectors(), direction = vectors();
  const Numbers ones(columns, 1.0);
  Numbers rho(columns);
  CheckpointedRecurrence checkpointed(criterion, r, [&](IterationState& state) {
    state.each(parts_of(rho));
    for (Vectors* those : {shadow.get(), p.get()}) state.vectors(*those);
  });
  if (!checkpointed.goes_on()) rho = dots<F>(*shadow, r);
  while (true) {
    // x <- x + alpha M^-1 p
    system.preconditioner.apply(*p, *direction);
    system.matrix.apply(*direction, *v);
    const Numbers along = dots<F>(*shadow, *v);
    if (any_unusable(along, running)) return KrylovEnd::breakdown;
    const Numbers alpha = quotients(rho, along, running);
    x.add_multiples(alpha, *direction);
    r.add_multiples(negated(alpha), *v);
    // x <- x + omega M^-1 r
    system.preconditioner.apply(r, *direction);
    system.matrix.apply(*direction, *t);
    const Numbers squares = dots<F>(*t, *t);
    const Numbers omega = quotients(dots<F>(*t, r), squares, [&](std::size_t c) {
      return running(c) && real_part(squares[c]) > 0;
    });
    x.add_multiples(omega, *direction);
    r.add_multiples(negated(omega), *t);
    if (criterion.enough(maxima(r), x)) {
      return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit;
    }
    // p <- r + beta (p - omega v)
    const Numbers next = dots<F>(*shadow, r);
    Numbers beta(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!running(c)) continue;
      beta[c] = next[c] / rho[c] * (alpha[c] / omega[c]);
      if (!is_finite(beta[c]) || beta[c] == F(0)) return KrylovEnd::breakdown;
    }
    p->add_multiples(negated(omega), *v);
    p->combine(beta, ones, r);
    rho = next;
    checkpointed.may_save();
  }
}

}  // namespace

KrylovEnd iterate_bicgstab(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                           Vectors& r) {
  return in_field_of(system, bicgstab_in<double>, bicgstab_in<std::complex<double>>, criterion, x,
                     r);
}

}  // namespace spsolve::krylov
