#include "krylov/methods/krylov_method.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// In the field F. Products x^T y are those without conjugation, so that A and M^-1, which are
/// their own transposes, are as symmetric matrices are to the method of conjugate residuals:
///   alpha = z^T A z / (q^T M^-1 q),  x <- x + alpha p,  r <- r - alpha q,  z <- z - alpha M^-1 q
///   beta = z^T A z / its last value,  p <- z + beta p,  q <- A z + beta q = A p
template <typename F>
KrylovEnd cocr_in(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                  Vectors& r) {
  using Numbers = ColumnsOf<F>;
  const std::size_t columns = criterion.columns();
  const auto running = [&](std::size_t c) { return !criterion.done(c); };
  const auto vectors = [&] { return r.similar(r.columns()); };
  const std::unique_ptr<Vectors> z = vectors(), p = vectors(), q = vectors(), work = vectors();
  const Numbers ones(columns, 1.0);
  Numbers rho(columns);
  CheckpointedRecurrence checkpointed(criterion, r, [&](IterationState& state) {
    state.each(parts_of(rho));
    for (Vectors* those : {z.get(), p.get(), q.get()}) state.vectors(*those);
  });
  if (!checkpointed.goes_on()) {
    system.preconditioner.apply(r, *z);
    copy(*z, *p);
    system.matrix.apply(*z, *q);
    rho = bilinear<F>(*z, *q);
    if (any_unusable(rho, running)) return KrylovEnd::breakdown;
  }
  while (true) {
    system.preconditioner.apply(*q, *work);
    const Numbers along = bilinear<F>(*q, *work);
    if (any_unusable(along, running)) return KrylovEnd::breakdown;
    const Numbers alpha = quotients(rho, along, running), back = negated(alpha);
    x.add_multiples(alpha, *p);
    r.add_multiples(back, *q);
    if (criterion.enough(maxima(r), x)) {
      return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit;
    }
    z->add_multiples(back, *work);
    system.matrix.apply(*z, *work);
    const Numbers next = bilinear<F>(*z, *work);
    if (any_unusable(next, running)) return KrylovEnd::breakdown;
    const Numbers beta = quotients(next, rho, running);
    p->combine(beta, ones, *z);
    q->combine(beta, ones, *work);
    rho = next;
    checkpointed.may_save();
  }
}

}  // namespace

KrylovEnd iterate_cocr(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                       Vectors& r) {
  return in_field_of(system, cocr_in<double>, cocr_in<std::complex<double>>, criterion, x, r);
}

}  // namespace spsolve::krylov
