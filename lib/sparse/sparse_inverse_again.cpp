// How SparseInverse eliminates the values once more: with few pivots made large, or in another
// order.

#include <type_traits>
#include <utility>

#include "sparse/sparse_inverse.hpp"

namespace spsolve::inline sparse {

template <typename T>
bool SparseInverse<T>::may_correct(Index pivots, const EliminationRun& run) const {
  const bool listed = std::is_same_v<T, double> && memory_.memory() == MemoryKind::gpu &&
                      team_.size() == 1 && has_d(kind_);
  return listed && pivots > 0 && pivots <= most_raised_pivots && run.checkpoints == nullptr &&
         !choice_.refined && !exact_ && !rescaled_ && !matched_.is_open(pivots);
}

template <typename T>
bool SparseInverse<T>::correct_few_pivots(const EliminationRun& run) {
  const auto again = [&](bool raises) {
    raises_ = raises;
    facts_ = {};
    return factor(run);
  };
  const auto small = [&] { return facts_.sparse->perturbed_pivots; };
  if (!may_correct(small(), run)) return raises_ && small() > 0 ? again(false) : false;
  if (!raises_ && (again(true) || !may_correct(small(), run))) return again(false);
  const std::vector<RaisedPivot> raised = factors_.raised_pivots();
  if (std::ssize(raised) == small()) {
    corrected_.emplace(*matrix_, unrefined_, raised);
    if (corrected_->is_regular()) {
      SparseOutcome& outcome = *facts_.sparse;
      outcome.corrected_pivots = std::exchange(outcome.perturbed_pivots, 0);
      outcome.negative_pivots.reset();
      return false;
    }
    corrected_.reset();
  }
  return again(false);
}

/// Whether another order may be looked for, where so many pivots are too small. Checkpoints are of
/// the order that they began with.
template <typename T>
bool SparseInverse<T>::may_match(Index perturbed, const EliminationRun& run) const {
  return run.checkpoints == nullptr && matched_.is_open(perturbed);
}

/// What follows once another order was looked for.
template <typename T>
void SparseInverse<T>::take_order(bool taken) {
  if (!taken) return;
  gmres_failed_ = false;
  if (!has_d(kind_)) kind_ = indefinite();
}

/// Eliminates once more in an order in which matched rows stay together, if there is one that is
/// worth it; then `failure` is that of these factors, if they fail, too.
template <typename T>
std::unique_ptr<Vectors> SparseInverse<T>::eliminate_matched(const EliminationRun& run,
                                                             FactorFailure& failure) {
  const bool taken = matched_.find(*matrix_, limit_of_matched(0));
  take_order(taken);
  if (!taken) {
    gathered_.prepare(*matrix_, *scaling_);
    return nullptr;
  }
  gmres_.reset();
  rescaled_.reset();
  corrected_.reset();
  if (const auto s = matched_.prepare(*matrix_, *scaling_, precision_of<T>)) {
    rescaled_.emplace(ScaledOperator::unscaled(unrefined_, *matrix_, {true, *s, *s}));
  }
  const std::string before = std::exchange(failure, {}).words;
  facts_ = {};
  run.progress.restart("eliminating again, with matched rows together");
  factors_.begin(gathered_.analysis(), matrix_->layout(), run);
  std::unique_ptr<Vectors> x;
  if (factor(run)) {
    failure.words = "a pivot overflowed";
  } else {
    x = validate_factors(run, failure);
  }
  facts_.notes.push_back(
      fmt::format("eliminated again in an order that keeps {} pairs of matched rows together: {}",
                  facts_.sparse->pairs, before));
  return x;
}

#define SPSOLVE_FOR(T)                                                                         \
  template bool SparseInverse<T>::correct_few_pivots(const EliminationRun&);                   \
  template bool SparseInverse<T>::may_match(Index, const EliminationRun&) const;               \
  template void SparseInverse<T>::take_order(bool);                                            \
  template std::unique_ptr<Vectors> SparseInverse<T>::eliminate_matched(const EliminationRun&, \
                                                                        FactorFailure&);
SPSOLVE_FOR_FACTOR_SCALARS(SPSOLVE_FOR)

}  // namespace spsolve::sparse
