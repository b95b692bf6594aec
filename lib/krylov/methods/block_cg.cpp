#include <algorithm>
#include <cmath>

#include "krylov/methods/krylov_method.hpp"
#include "krylov/methods/orthonormal.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

using Owned = std::unique_ptr<Vectors>;

/// G = L L^T of a symmetric positive definite G, L in its lower triangle; the first pivot that is
/// not positive, or -1.
Index factor(Dense<double>& g) {
  for (Index j = 0; j < g.rows; ++j) {
    for (Index k = 0; k < j; ++k) g(j, j) -= g(j, k) * g(j, k);
    if (!(g(j, j) > 0)) return j;
    g(j, j) = std::sqrt(g(j, j));
    for (Index i = j + 1; i < g.rows; ++i) {
      for (Index k = 0; k < j; ++k) g(i, j) -= g(i, k) * g(j, k);
      g(i, j) /= g(j, j);
    }
  }
  return -1;
}

/// B <- G^-1 B for such factors.
void solve(const Dense<double>& l, Dense<double>& b) {
  for (Index c = 0; c < b.columns; ++c) {
    for (Index i = 0; i < l.rows; ++i) {
      for (Index k = 0; k < i; ++k) b(i, c) -= l(i, k) * b(k, c);
      b(i, c) /= l(i, i);
    }
    for (Index i = l.rows - 1; i >= 0; --i) {
      for (Index k = i + 1; k < l.rows; ++k) b(i, c) -= l(k, i) * b(k, c);
      b(i, c) /= l(i, i);
    }
  }
}

/// The columns of X that are named; all of X where they are all.
class SomeColumns {
 public:
  SomeColumns(const Vectors& x, const std::vector<Index>& named) : all_(x) {
    const auto count = static_cast<Index>(named.size());
    if (count == x.columns()) return;
    some_ = x.similar(count);
    for (Index c = 0; c < count; ++c) some_->copy_columns(x, named[c], c, 1);
  }
  const Vectors& operator*() const { return some_ != nullptr ? *some_ : all_; }

 private:
  const Vectors& all_;
  Owned some_;
};

std::vector<Index> running_columns(const StoppingCriterion& criterion) {
  std::vector<Index> running;
  for (std::size_t c = 0; c < criterion.columns(); ++c) {
    if (!criterion.done(c)) running.push_back(static_cast<Index>(c));
  }
  return running;
}

bool are_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

KrylovEnd iterate_block_cg(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                           Vectors& r) {
  const auto columns = static_cast<Index>(criterion.columns());
  Owned p, q;
  Dense<double> curvature;  // P^T A P, and then its factors
  const auto multiply = [&] {
    q = r.similar(p->columns());
    system.matrix.apply(*p, *q);
    curvature = products(*p, *q);
  };
  CheckpointedRecurrence checkpointed(criterion, r, [&](IterationState& state) {
    Index count = p != nullptr ? p->columns() : 0;
    state.number(count);
    count = std::clamp<Index>(count, 1, columns);
    if (p == nullptr || p->columns() != count) p = r.similar(count);
    state.vectors(*p);
  });
  if (checkpointed.goes_on()) {
    multiply();
    if (!are_finite(curvature.values)) return KrylovEnd::breakdown;
    if (factor(curvature) >= 0) return KrylovEnd::indefinite;
  }
  while (true) {
    const std::vector<Index> running = running_columns(criterion);
    Owned z = r.similar(static_cast<Index>(running.size()));
    {
      const SomeColumns residual(r, running);
      system.preconditioner.apply(*residual, *z);
      const Columns rho = dots(*z, *residual);
      if (!are_finite(rho)) return KrylovEnd::breakdown;
      if (!std::ranges::all_of(rho, [](double value) { return value > 0; })) {
        return KrylovEnd::unfit;
      }
    }
    if (p != nullptr) {
      // Conjugate to what was searched before: Z <- Z - P (P^T A P)^-1 (A P)^T Z
      Dense<double> beta = products(*q, *z);
      solve(curvature, beta);
      for (double& value : beta.values) value = -value;
      z->add_product(1, *p, beta.values);
    }
    p = orthonormal(*z);
    z = nullptr;
    if (p->columns() == 0) return KrylovEnd::breakdown;
    multiply();
    Dense<double> alpha = products(*p, r);
    if (!are_finite(curvature.values) || !are_finite(alpha.values)) return KrylovEnd::breakdown;
    if (factor(curvature) >= 0) return KrylovEnd::indefinite;
    solve(curvature, alpha);
    for (Index c = 0; c < columns; ++c) {
      for (Index i = 0; criterion.done(static_cast<std::size_t>(c)) && i < alpha.rows; ++i) {
        alpha(i, c) = 0;
      }
    }
    x.add_product(1, *p, alpha.values);
    for (double& value : alpha.values) value = -value;
    r.add_product(1, *q, alpha.values);
    if (criterion.enough(maxima(r), x)) {
      return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit;
    }
    checkpointed.may_save();
  }
}

}  // namespace spsolve::krylov
