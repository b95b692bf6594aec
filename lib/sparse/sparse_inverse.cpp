#include "sparse/sparse_inverse.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/extremes.hpp"
#include "core/tuning.hpp"
#include "plan/memory_plan.hpp"
#include "sparse/analysis/analysis_summary.hpp"
#include "sparse/missing_pivots.hpp"

namespace spsolve::inline sparse {

namespace {

/// The backward error of a first solve from which on refinement is sure to do the rest.
template <typename T>
constexpr double refinable = std::is_same_v<Real<T>, float> ? 1e-3 : 1e-8;

}  // namespace

template <typename T>
SparseInverse<T>::SparseInverse(Team& team, SparseMemory& memory, const SparseChoice& choice,
                                std::shared_ptr<const SparseAnalysis> analysis)
    : team_(team),
      memory_(memory),
      choice_(choice),
      kind_(choice.kind),
      lent_(team),
      gathered_(team, memory, lent_, choice, std::move(analysis)),
      factors_(team, memory, lent_, choice.over_ranks),
      unrefined_(factors_),
      substitution_(factors_),
      matched_(choice_, gathered_) {
  gathered_.gather_by([this](SystemMatrix& matrix, ScaledValues* whole) {
    return factors_.gather_values(matrix, whole);
  });
}

template <typename T>
void SparseInverse<T>::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                                    Equilibration& scaling) {
  take_order(matched_.find_if_asked(matrix));
  gathered_.find_scaling(matrix, wanted, precision, scaling);
}

template <typename T>
void SparseInverse<T>::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  matrix_ = &matrix;
  scaling_ = &scaling;
  gmres_.reset();
  rescaled_.reset();
  corrected_.reset();
  state_ = State::empty;
  gathered_.prepare(matrix, scaling);
  if constexpr (is_complex<T>) {
    conjugates_ = broadcast_value(team_, gathered_.conjugates(), 0);
    factors_.set_conjugates(conjugates_);
    if (has_d(kind_)) kind_ = indefinite();
  }
  state_ = State::prepared;
}

template <typename T>
bool SparseInverse<T>::factor(const EliminationRun& run) {
  SparseOutcome outcome;
  const double largest = gathered_.largest_value(*matrix_);
  Factorization kind = kind_;
  PivotCounts counts = factors_.factor(kind, gathered_.values(), run, raises_);
  if (counts.failed >= 0 && kind == Factorization::cholesky && choice_.may_change) {
    kind = kind_ = indefinite();
    run.progress.restart("eliminating again, by L D L^T");
    counts = factors_.factor(kind, gathered_.values(), run);
  }
  together(team_, [&] {
    if (team_.rank() > 0) return;
    const SparseAnalysis& analysis = *gathered_.analysis();
    outcome = outcome_of(analysis, is_complex<T>);
    if (leveled_ != gathered_.analysis()) {
      levels_ = front_levels(analysis, is_complex<T>);
      leveled_ = gathered_.analysis();
    }
    outcome.levels = levels_;
    outcome.gpu = factors_.kernel_statistics();
    outcome.perturbed_pivots = counts.perturbed;
    outcome.moved_pivots = counts.swaps;
    outcome.negative_pivots = negative_of(kind, counts);
    facts_.pivots = {largest, largest > 0 ? counts.largest / largest : 0, counts.smallest,
                     counts.largest};
  });
  largest_multiplier_ = counts.largest_multiplier;
  facts_.pivots = broadcast_value(team_, facts_.pivots, 0);
  outcome = broadcast_value(team_, outcome, 0);
  outcome.ranks = factors_.ranks();
  const auto how = broadcast_value(
      team_, team_.rank() == 0 ? gathered_.analysis()->ordering : Ordering::automatic, 0);
  outcome.ordering = name(how);
  outcome.factorisation = name(kind);
  facts_.sparse = outcome;
  matched_.hear(outcome.perturbed_pivots);
  if (const auto bytes = broadcast_value(team_, factors_.host_bytes(), 0); bytes > 0) {
    facts_.notes.push_back(fmt::format(
        "the factors take {}, more than the GPU has room for: they are in host memory, and each "
        "solve brings them to the GPU twice (some {:.2g} s)",
        readable_bytes(bytes), 2 * static_cast<double>(bytes) / gpu_tuning.bytes_over_link));
  }
  if (matched_.is_news()) {
    facts_.notes.push_back(fmt::format(
        "{} pairs of matched rows are together in a new order, for pivots of values before were "
        "too small",
        outcome.pairs));
  }
  for (const std::string_view note : gathered_.notes()) facts_.notes.emplace_back(note);
  if (kind != choice_.kind && choice_.kind == Factorization::cholesky) {
    facts_.notes.push_back(
        "the matrix is not positive definite, as L L^T found: eliminated by L D L^T instead");
  }
  if (counts.failed >= 0 && kind == Factorization::cholesky) {
    fail_everywhere(ExitCode::not_trustworthy,
                    "the matrix is not positive definite: a pivot of L L^T is not positive; use "
                    "solve.method=sparse_ldlt, or auto");
  }
  const bool overflowed = counts.failed >= 0;
  if (overflowed && (std::is_same_v<Real<T>, float> || choice_.refined)) {
    fail_everywhere(ExitCode::not_trustworthy,
                    "sparse elimination overflowed: a pivot is not a finite number{}",
                    std::is_same_v<Real<T>, float> ? "; try solve.precision=double" : "");
  }
  return overflowed;
}

template <typename T>
LinearOperator* SparseInverse<T>::factors_alone() {
  const bool there = state_ != State::empty && state_ != State::prepared;
  return there ? &by_factors() : nullptr;
}

template <typename T>
void SparseInverse<T>::factor_with_threshold(const EliminationRun& run,
                                             const FactorFailure& failure) {
  const Factorization kind = choice_.kind == Factorization::lu ? Factorization::lu : indefinite();
  forget_correction();
  run.progress.restart("eliminating again, with threshold pivoting");
  const ThresholdTold told = factors_.factor_with_threshold(kind, gathered_.values(), run, failure);
  const double largest = facts_.pivots.largest_entry;
  facts_.pivots = {largest, largest > 0 ? told.counts.largest / largest : 0, told.counts.smallest,
                   told.counts.largest};
  SparseOutcome& outcome = *facts_.sparse;
  outcome.gpu.reset();
  outcome.factorisation = name(kind);
  outcome.ranks = factors_.ranks();
  outcome.gmres_steps = failure.gmres_steps;
  outcome.perturbed_pivots = outcome.corrected_pivots = 0;
  outcome.delayed_pivots = told.delayed;
  outcome.factor_entries = told.factor_entries;
  outcome.moved_pivots = told.counts.swaps;
  outcome.negative_pivots = negative_of(kind, told.counts);
  if (told.missing == 0) return;
  refuse_singular(team_, team_.rank() == 0 ? gathered_.analysis().get() : nullptr,
                  factors_.threshold_outcome(), told.missing, is_complex<T> ? 2 : 1, facts_);
}

template <typename T>
std::optional<Index> SparseInverse<T>::negative_of(Factorization kind,
                                                   const PivotCounts& counts) const {
  if (kind == Factorization::cholesky) return 0;
  if (kind != (is_complex<T> ? Factorization::ldlh : Factorization::ldlt)) return std::nullopt;
  return (is_complex<T> ? 2 : 1) * counts.negative;
}

template <typename T>
EliminationCosts SparseInverse<T>::costs() const {
  const SparseOutcome& sparse = *facts_.sparse;
  return {memory_.memory(), choice_.over_ranks, sparse.flops,
          (is_complex<T> ? 2 : 1) * sparse.factor_entries};
}

/// Whether GMRES did not do for values before, and threshold pivoting is soon done.
template <typename T>
bool SparseInverse<T>::has_failed_soon() const {
  return gmres_failed_ && !choice_.over_ranks && costs().threshold_is_soon();
}

template <typename T>
Probe SparseInverse<T>::look_for_known_solution() {
  ScaledOperator inverse = ScaledOperator::unscaled(*this, *matrix_, *scaling_);
  return probe_known_solution(*matrix_, inverse);
}

template <typename T>
bool SparseInverse<T>::finds(const Probe& probe) const {
  constexpr double well = 1e-6;
  return probe.found() && (probe.first <= well || !costs().threshold_is_soon());
}

template <typename T>
std::unique_ptr<Vectors> SparseInverse<T>::validate_factors(const EliminationRun& run,
                                                            FactorFailure& failure) {
  const Index perturbed = facts_.sparse->perturbed_pivots;
  std::string told = fmt::format("{} of {} pivots were too small and made larger", perturbed,
                                 matrix_->order() / (is_complex<T> ? 2 : 1));
  if (perturbed == 0) {
    GmresInverse::Trial trial = gmres().try_factors_alone(run.first);
    if (trial.outcome.backward_error <= refinable<T>) {
      state_ = State::by_factors;
      return std::move(trial.x);
    }
    told = fmt::format("multipliers grew to {:.1e} and left a backward error of {:.1e}",
                       largest_multiplier_, trial.outcome.backward_error);
  }
  if (exact_ || costs().is_too_small_to_try() || has_failed_soon()) {
    failure.words = gmres_failed_ ? told + ", and GMRES did not do for the values before" : told;
    return nullptr;
  }
  // Few small pivots, a change of low rank, are made up for all at once, many step by step.
  constexpr int parts = is_complex<T> ? 2 : 1;
  const int most_steps = costs().most_steps();
  GmresInverse::Trial trial = gmres().validate(
      run.first, {.most_steps = most_steps, .steadily = perturbed * parts > most_steps});
  facts_.sparse->gmres_steps = failure.gmres_steps = trial.outcome.steps;
  if (!trial.outcome.converged) {
    failure.words = fmt::format(
        "{}, and GMRES on these factors stopped at a backward error of {:.1e} after {} steps", told,
        trial.outcome.backward_error, trial.outcome.steps);
    return nullptr;
  }
  // Perturbed factors of a singular matrix leave small residuals, too.
  state_ = State::by_gmres;
  const Probe probe = look_for_known_solution();
  if (!finds(probe)) {
    state_ = State::prepared;
    failure.words = fmt::format("{}, and with these factors GMRES found {}", told,
                                probe.found() ? "a solution that was known only in part"
                                              : "another solution than one that was known");
    return nullptr;
  }
  note_on_gmres_ =
      fmt::format("{}; solutions are by GMRES on these factors, {} step{} for a first one", told,
                  trial.outcome.steps, trial.outcome.steps == 1 ? "" : "s");
  facts_.notes.push_back(note_on_gmres_);
  if (perturbed > 0 && may_match(perturbed, run) && costs().is_mostly_gmres(trial.outcome.steps)) {
    matched_.find_next(limit_of_matched(trial.outcome.steps));
  }
  return std::move(trial.x);
}

template <typename T>
std::unique_ptr<Vectors> SparseInverse<T>::eliminate(const EliminationRun& run) {
  if (state_ == State::empty) {
    fail_everywhere(ExitCode::input, "there is no matrix to eliminate; prepare one first");
  }
  facts_ = {};
  watch_ = run.progress.watch();
  state_ = State::prepared;
  factors_.begin(gathered_.analysis(), matrix_->layout(), run);
  FactorFailure failure;
  if (factor(run) || correct_few_pivots(run)) {
    failure = factors_.known_failure();
    failure.words = "a pivot overflowed";
    return ensure_valid_factors(run, failure);
  }
  if (choice_.estimated) factors_.release_stacks();
  if (choice_.refined || (run.first == nullptr && facts_.sparse->perturbed_pivots == 0)) {
    constexpr double tame = 1e3;  // multipliers that leave refinement enough digits
    const bool grew = !choice_.refined && (largest_multiplier_ > tame || corrected_);
    state_ = grew ? State::unvalidated : State::by_factors;
    return nullptr;
  }
  return ensure_valid_factors(run, factors_.known_failure());
}

template <typename T>
std::unique_ptr<Vectors> SparseInverse<T>::ensure_valid_factors(const EliminationRun& run,
                                                                FactorFailure failure) {
  state_ = State::prepared;
  std::unique_ptr<Vectors> x = failure.words.empty() ? validate_factors(run, failure) : nullptr;
  const Index perturbed = facts_.sparse->perturbed_pivots;
  if (!failure.words.empty() && may_match(perturbed, run) &&
      factors_.known_failure().words.empty()) {
    // Of a sequence it comes sooner or later, and threshold pivoting would leave the GPU before.
    const bool of_many = memory_.memory() == MemoryKind::gpu && choice_.systems > 2;
    if (of_many || EliminationCosts::of_matching(matrix_->order() + matrix_->nonzeros()) <
                       costs().of_threshold()) {
      x = eliminate_matched(run, failure);
    } else {
      matched_.find_next(limit_of_matched(0));
    }
  }
  if (failure.words.empty()) return run.first != nullptr ? std::move(x) : nullptr;
  factor_with_threshold(run, failure);
  state_ = State::by_factors;
  gmres_failed_ = facts_.sparse->gmres_steps > 0 || gmres_failed_;
  facts_.notes.push_back(
      fmt::format("eliminated again{} with threshold pivoting, which delayed {} pivots: {}",
                  memory_.memory() == MemoryKind::gpu ? " on the host"
                  : choice_.over_ranks                ? " on rank 0"
                                                      : "",
                  facts_.sparse->delayed_pivots, failure.words));
  if (run.checkpoints != nullptr && choice_.over_ranks) {
    facts_.notes.push_back("threshold pivoting on rank 0 keeps no checkpoints");
  }
  // Next to a singular matrix they may be too far off alone.
  if (!look_for_known_solution().found()) {
    gmres();  // makes gmres_
    state_ = State::by_gmres;
    if (look_for_known_solution().found()) {
      facts_.notes.push_back("solutions are by GMRES on the factors of that");
    } else {
      state_ = State::by_factors;
    }
  }
  return nullptr;
}

template <typename T>
GmresInverse& SparseInverse<T>::gmres() {
  if (!gmres_) gmres_.emplace(*matrix_, *scaling_, by_factors());
  return *gmres_;
}

template <typename T>
void SparseInverse<T>::apply_first(const Vectors& x, Vectors& y) {
  const std::vector<double> sizes = maxima(x);
  const bool tells_nothing = std::ranges::all_of(sizes, [](double size) { return size == 0; });
  if (tells_nothing) return y.fill(0);
  FactorFailure failure = factors_.known_failure();
  if (failure.words.empty()) {
    by_factors().apply(x, y);
    // With the largest entry instead of the norm, which is as large at least: a pass less over A.
    const double norm = facts_.pivots.largest_entry;
    const std::vector<double> residuals = residual_maxima(*matrix_, *scaling_, x, y),
                              of_y = maxima(y);
    bool good = true;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      good = good && relative_error(residuals[c], norm * of_y[c] + sizes[c]) <= refinable<T>;
    }
    if (good) {
      state_ = State::by_factors;
      return;
    }
  }
  Progress silent("eliminating again", 1, Progress::Show::off);
  silent.watch_by(watch_);
  const std::unique_ptr<Vectors> first =
      ensure_valid_factors({silent, nullptr, &x, nullptr}, std::move(failure));
  first != nullptr ? copy(*first, y) : solve(false, x, y);
}

template <typename T>
void SparseInverse<T>::solve(bool transposed, const Vectors& x, Vectors& y) {
  switch (state_) {
    case State::by_factors:
      return transposed ? by_factors().apply_transposed(x, y) : by_factors().apply(x, y);
    case State::by_gmres:
      return transposed ? gmres_->apply_transposed(x, y) : gmres_->apply(x, y);
    default:
      fail_everywhere(ExitCode::input,
                      "there are no factors of these values to solve with; eliminate first");
  }
}

template <typename T>
void SparseInverse<T>::apply(const Vectors& x, Vectors& y) {
  state_ == State::unvalidated ? apply_first(x, y) : solve(false, x, y);
}

template <typename T>
void SparseInverse<T>::apply_transposed(const Vectors& x, Vectors& y) {
  if (state_ == State::unvalidated) validate_first();
  solve(true, x, y);
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class SparseInverse)

}  // namespace spsolve::sparse
