#include "sparse/sparse_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/extremes.hpp"
#include "core/tuning.hpp"
#include "plan/memory_plan.hpp"
#include "sparse/analysis/analysis_summary.hpp"

namespace spsolve::inline sparse {

namespace {

/// The backward error of a first solve from which on refinement is sure to do the rest.
template <typename T>
constexpr double refinable = std::is_same_v<Real<T>, float> ? 1e-3 : 1e-8;

/// Seconds of another elimination that are not worth much trying out before it.
constexpr double soon = 1;

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
      substitution_(factors_) {
  gathered_.gather_by([this](SystemMatrix& matrix, ScaledValues* whole) {
    return factors_.gather_values(matrix, whole);
  });
}

template <typename T>
void SparseInverse<T>::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                                    Equilibration& scaling) {
  gathered_.find_scaling(matrix, wanted, precision, scaling);
}

template <typename T>
void SparseInverse<T>::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  matrix_ = &matrix;
  scaling_ = &scaling;
  gmres_.reset();
  state_ = State::empty;
  gathered_.prepare(matrix, scaling);
  if constexpr (is_complex<T>) {
    conjugates_ = broadcast_value(team_, gathered_.conjugates(), 0);
    factors_.set_conjugates(conjugates_);
    if (has_d(kind_)) kind_ = indefinite();
  }
  state_ = State::prepared;
}

/// Refuses values that nothing can be eliminated with; their largest magnitude, on rank 0.
template <typename T>
double SparseInverse<T>::largest_value() {
  double largest = 0;
  lent_.on_first_rank(gathered_.has_large_passes(), [&] {
    largest = gathered_.values()->largest();
    if (!std::isfinite(largest)) {
      const std::vector<double>& values = matrix_->bands().local_rows().values;
      if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
        fail(ExitCode::input, "a value of the matrix is not a finite number");
      }
      fail(ExitCode::not_trustworthy,
           "values of the matrix differ by so many orders of magnitude that some are beyond the "
           "range of double when rows and columns are scaled as pivots want it; scale A, or try "
           "solve.method=gauss with solve.pivoting=complete");
    }
    if (largest == 0 && gathered_.analysis()->rows() > 0) {
      fail(ExitCode::not_trustworthy, "the matrix is singular: it has no non-zero entry");
    }
  });
  return largest;
}

template <typename T>
bool SparseInverse<T>::factor(const EliminationRun& run) {
  SparseOutcome outcome;
  const double largest = largest_value();
  Factorization kind = kind_;
  PivotCounts counts = factors_.factor(kind, gathered_.values(), run);
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
  if (const auto bytes = broadcast_value(team_, factors_.host_bytes(), 0); bytes > 0) {
    facts_.notes.push_back(fmt::format(
        "the factors take {}, more than the GPU has room for: they are in host memory, and each "
        "solve brings them to the GPU twice (some {:.2g} s)",
        readable_bytes(bytes), 2 * static_cast<double>(bytes) / gpu_tuning.bytes_over_link));
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
void SparseInverse<T>::refuse_singular(const ThresholdTold& told) {
  const SparseAnalysis* analysis = team_.rank() == 0 ? gathered_.analysis().get() : nullptr;
  constexpr Index parts = is_complex<T> ? 2 : 1;  // of a row
  std::vector<LocalIndex> columns;
  if (const ThresholdOutcome* found = factors_.threshold_outcome()) {
    for (const LocalIndex k : found->rows) facts_.missing.push_back(parts * analysis->row(k));
    for (const LocalIndex k : found->columns) columns.push_back(analysis->order[k]);
    std::ranges::sort(facts_.missing);
    std::ranges::sort(columns);
  }
  facts_.missing.resize(told.missing);
  broadcast(team_, std::span(facts_.missing), 0);
  facts_.sparse->missing_pivots = parts * told.missing;
  together(team_, [&] {
    if (analysis == nullptr) return;
    std::vector<LocalIndex> rows;
    for (const Index row : facts_.missing) rows.push_back(static_cast<LocalIndex>(row / parts));
    const Index n = analysis->rows();
    const RowNames names(is_complex<T> ? 1 : RowNames::parts());
    fail(ExitCode::not_trustworthy,
         "the matrix is singular: of {} pivots {} were found, and none is left for rows {} and "
         "columns {} (numbered from 1)",
         RowNames::count(n), RowNames::count(n - told.missing), named_from_one(rows),
         named_from_one(columns));
  });
}

template <typename T>
LinearOperator* SparseInverse<T>::factors_alone() {
  const bool there = state_ != State::empty && state_ != State::prepared;
  return there ? &unrefined_ : nullptr;
}

template <typename T>
void SparseInverse<T>::factor_with_threshold(const EliminationRun& run,
                                             const FactorFailure& failure) {
  const Factorization kind = choice_.kind == Factorization::lu ? Factorization::lu : indefinite();
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
  outcome.perturbed_pivots = 0;
  outcome.delayed_pivots = told.delayed;
  outcome.factor_entries = told.factor_entries;
  outcome.moved_pivots = told.counts.swaps;
  outcome.negative_pivots = negative_of(kind, told.counts);
  if (told.missing > 0) refuse_singular(told);
}

template <typename T>
std::optional<Index> SparseInverse<T>::negative_of(Factorization kind,
                                                   const PivotCounts& counts) const {
  if (kind == Factorization::cholesky) return 0;
  if (kind != (is_complex<T> ? Factorization::ldlh : Factorization::ldlt)) return std::nullopt;
  return (is_complex<T> ? 2 : 1) * counts.negative;
}

template <typename T>
double SparseInverse<T>::seconds_of_threshold() const {
  constexpr double of_first = 4;  // it takes so many times as long
  return of_first * predicted_seconds(facts_.sparse->flops, numbers_of_factors(), 1);
}

/// Whether threshold pivoting, on the host, is done before a GPU has taken a few steps of GMRES.
template <typename T>
bool SparseInverse<T>::is_too_small_to_try() const {
  constexpr int few_steps = 8;
  return memory_.memory() == MemoryKind::gpu && !choice_.over_ranks &&
         seconds_of_threshold() < few_steps * gpu_tuning.seconds_of_gmres_step;
}

template <typename T>
bool SparseInverse<T>::is_slow(int steps) const {
  constexpr int few_steps = 8;
  if (steps < few_steps || memory_.memory() == MemoryKind::gpu || choice_.over_ranks) return false;
  const auto numbers = static_cast<double>(numbers_of_factors());
  return steps * host_tuning.seconds_of_entry_in_estimates * numbers > seconds_of_threshold();
}

/// Whether GMRES did not do for values before, and threshold pivoting is soon done.
template <typename T>
bool SparseInverse<T>::has_failed_soon() const {
  return gmres_failed_ && !choice_.over_ranks && seconds_of_threshold() <= soon;
}

template <typename T>
Probe SparseInverse<T>::look_for_known_solution() {
  ScaledOperator inverse = ScaledOperator::unscaled(*this, *matrix_, *scaling_);
  return probe_known_solution(*matrix_, inverse);
}

template <typename T>
bool SparseInverse<T>::finds(const Probe& probe) const {
  constexpr double well = 1e-6;
  return probe.found() && (probe.first <= well || seconds_of_threshold() > soon);
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
  if (exact_ || is_too_small_to_try() || has_failed_soon()) {
    failure.words = gmres_failed_ ? told + ", and GMRES did not do for the values before" : told;
    return nullptr;
  }
  GmresInverse::Trial trial = gmres().validate(run.first);
  facts_.sparse->gmres_steps = failure.gmres_steps = trial.outcome.steps;
  if (!trial.outcome.converged) {
    failure.words =
        fmt::format("{}, and GMRES on these factors stopped at a backward error of {:.1e}", told,
                    trial.outcome.backward_error);
    return nullptr;
  }
  if (is_slow(trial.outcome.steps)) {
    failure.words = fmt::format("{}, and GMRES on these factors took {} steps for a first solution",
                                told, trial.outcome.steps);
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
  return std::move(trial.x);
}

template <typename T>
std::unique_ptr<Vectors> SparseInverse<T>::eliminate(const EliminationRun& run) {
  if (state_ == State::empty) {
    fail_everywhere(ExitCode::input, "there is no matrix to eliminate; prepare one first");
  }
  facts_ = {};
  state_ = State::prepared;
  factors_.begin(gathered_.analysis(), matrix_->layout(), run);
  FactorFailure failure;
  if (factor(run)) {
    failure = factors_.known_failure();
    failure.words = "a pivot overflowed";
    return ensure_valid_factors(run, failure);
  }
  if (choice_.estimated) factors_.release_stacks();
  if (choice_.refined || (run.first == nullptr && facts_.sparse->perturbed_pivots == 0)) {
    constexpr double tame = 1e3;  // multipliers that leave refinement enough digits
    const bool grew = !choice_.refined && largest_multiplier_ > tame;
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
  if (!gmres_) gmres_.emplace(*matrix_, *scaling_, unrefined_);
  return *gmres_;
}

template <typename T>
void SparseInverse<T>::apply_first(const Vectors& x, Vectors& y) {
  const std::vector<double> sizes = maxima(x);
  const bool tells_nothing = std::ranges::all_of(sizes, [](double size) { return size == 0; });
  if (tells_nothing) return y.fill(0);
  FactorFailure failure = factors_.known_failure();
  if (failure.words.empty()) {
    factors_.solve(false, x, y);
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
  Progress silent("eliminating", 1, Progress::Show::off);
  const std::unique_ptr<Vectors> first =
      ensure_valid_factors({silent, nullptr, &x, nullptr}, std::move(failure));
  first != nullptr ? copy(*first, y) : solve(false, x, y);
}

template <typename T>
void SparseInverse<T>::solve(bool transposed, const Vectors& x, Vectors& y) {
  switch (state_) {
    case State::by_factors:
      return factors_.solve(transposed, x, y);
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
