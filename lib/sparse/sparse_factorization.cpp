#include "sparse/sparse_factorization.hpp"

#include <algorithm>
#include <mutex>

#include "core/over_blocks.hpp"
#include "distribute/reading/scatter.hpp"
#include "matrix/real_form.hpp"
#include "plan/memory_plan.hpp"
#include "process/system.hpp"
#include "solve/in_precision.hpp"
#include "sparse/gathered_matrix.hpp"

namespace spsolve::inline sparse {

namespace {

/// Tells the progress of each piece of work, of so many flops and fronts in all.
Advance progress_of(const EliminationRun& run, double all, LocalIndex fronts,
                    const CheckpointedStages::FinishedWork& before) {
  struct ReportedWork {
    std::mutex mutex;
    Index fronts = 0;
    double flops = 0;
  };
  const auto done = std::make_shared<ReportedWork>();
  done->fronts = before.fronts;
  done->flops = before.flops;
  if (all > 0) run.progress.resume(std::min(1.0, before.flops / all));
  const auto tell = [&progress = run.progress, all, fronts, done](double flops, bool whole) {
    const std::lock_guard lock(done->mutex);
    done->flops += flops;
    if (whole) ++done->fronts;
    progress.done(done->fronts, fronts, all > 0 ? std::min(1.0, done->flops / all) : 1.0);
  };
  Advance advance([tell](double flops) { tell(flops, true); });
  advance.part = [tell](double flops) { tell(flops, false); };
  run.progress.call_steps("front");
  return advance;
}

/// Gives rows of imaginary parts the opposite sign, in host memory; pairs of rows stay together.
void conjugate_rows(Vectors& x) {
  double* const rows = x.data();
  const Index height = x.height(), columns = x.columns();
#pragma omp parallel for schedule(static) if (worth_threads(height * columns))
  for (Index i = 1; i < height; i += complex_parts) {
    for (Index c = 0; c < columns; ++c) rows[i * columns + c] = -rows[i * columns + c];
  }
}

}  // namespace

template <typename T>
SparseFactorization<T>::SparseFactorization(Team& team, SparseMemory& memory, LentProcessors& lent,
                                            bool over_ranks)
    : team_(team), memory_(memory), lent_(lent), over_ranks_(over_ranks && team.size() > 1) {}

/// Whether what rank 0 does with them alone is worth more threads than its own.
template <typename T>
bool SparseFactorization<T>::wants_threads() const {
  return team_.rank() == 0 && by_threads_ && GatheredMatrix::is_large(*analysis_);
}

/// Deals the analysis out once more where it, or the factorisation, is another one than before;
/// with threshold pivoting on rank 0. Collective for those who eliminate.
template <typename T>
TeamElimination<T>& SparseFactorization<T>::deal(const EliminationStage& stage) {
  const bool spread = over_ranks_ && !stage.threshold;
  Team& team = spread ? team_ : alone_;
  SparseMemory& memory = stage.threshold ? threshold_sparse_memory() : memory_;
  const bool known =
      elimination_ != nullptr && elimination_->is_of(team, memory, analysis_.get(), stage.kind);
  if (all_sum(team, known ? 0 : 1) == 0) return *elimination_;
  elimination_.reset();
  elimination_ = std::make_unique<TeamElimination<T>>(
      team, memory, analysis_, stage.kind, spread ? bands_ : RowLayout{analysis_->rows(), 1});
  return *elimination_;
}

template <typename T>
void SparseFactorization<T>::begin(const std::shared_ptr<const SparseAnalysis>& analysis,
                                   const RowLayout& bands, const EliminationRun& run) {
  if (!over_ranks_ && analysis_ != analysis) elimination_.reset();
  analysis_ = analysis;
  bands_ = bands;
  if (elimination_ != nullptr) elimination_->made().checkpoint_by(nullptr);
  checkpointed_.reset();
  const std::string_view why_not =
      why_no_sparse_checkpoints(team_.size(), over_ranks_, memory_.memory());
  if (run.checkpoints == nullptr || !why_not.empty()) return;
  const auto entries = static_cast<double>(
      broadcast_value(team_, team_.rank() == 0 ? analysis->factor_entries : 0, 0));
  checkpointed_.emplace(
      *run.checkpoints, precision_of<T>, static_cast<double>(sizeof(T)) * entries / team_.size(),
      [this](const EliminationStage& stage) -> const TreePartition& { return deal(stage).tree(); });
}

/// The stage of the checkpoint that there is to go on from.
template <typename T>
const std::optional<EliminationStage>& SparseFactorization<T>::found() const {
  static const std::optional<EliminationStage> none;
  return checkpointed_ ? checkpointed_->found() : none;
}

template <typename T>
FactorFailure SparseFactorization<T>::known_failure() const {
  return found() && found()->threshold ? found()->failure : FactorFailure{};
}

/// The failure of factors of this kind that a checkpoint knows of, as others took their place.
template <typename T>
std::optional<PivotCounts> SparseFactorization<T>::known_counts(Factorization kind) const {
  if (!found()) return std::nullopt;
  const Factorization first = found()->threshold ? found()->first_kind : found()->kind;
  if (kind == Factorization::cholesky && has_d(first)) {
    PivotCounts counts;
    counts.failed = 0;
    return counts;
  }
  if (kind == first && found()->threshold) return found()->first;
  return std::nullopt;
}

/// Collective for those who eliminate at that stage.
template <typename T>
PivotCounts SparseFactorization<T>::eliminate(const EliminationStage& stage, ScaledValues* values,
                                              const EliminationRun& run) {
  TeamElimination<T>& elimination = deal(stage);
  CheckpointedStages::FinishedWork before;
  if (checkpointed_) {
    before = checkpointed_->begin_stage(stage, elimination.tree());
    elimination.made().checkpoint_by(&*checkpointed_);
  }
  PivotRule rule;
  if (!stage.threshold && values != nullptr) {
    rule = perturbing_rule<T>(values->largest());
    if (raises_) rule.raised = values->largest();
  }
  if (spread_) rule = broadcast_value(team_, rule, 0);
  return elimination.factor(values, rule,
                            progress_of(run, elimination.flops(), elimination.fronts(), before));
}

template <typename T>
PivotCounts SparseFactorization<T>::factor(Factorization kind, ScaledValues* values,
                                           const EliminationRun& run, bool raises) {
  kind_ = kind;
  raises_ = raises;
  spread_ = over_ranks_;
  by_threads_ = memory_.memory() != MemoryKind::gpu;
  if (const auto known = known_counts(kind)) return counts_ = *known;
  EliminationStage stage;
  stage.kind = kind;
  if (spread_) return counts_ = eliminate(stage, values, run);
  lent_.on_first_rank(wants_threads(), [&] { counts_ = eliminate(stage, values, run); });
  return counts_ = broadcast_value(team_, counts_, 0);
}

template <typename T>
std::vector<RaisedPivot> SparseFactorization<T>::raised_pivots() const {
  std::vector<RaisedPivot> raised = elimination_->made().raised_pivots();
  for (RaisedPivot& pivot : raised) pivot.row = analysis_->order[pivot.row];
  return raised;
}

/// Where all ranks have eliminated, one may not have the memory to.
template <typename T>
void SparseFactorization<T>::refuse_more_than_there_is(Factorization kind) const {
  const FactorMemory memory =
      factor_memory(analysis_->fronts, kind,
                    factor_schedule(analysis_->fronts, kind, lent_.threads()), sizeof(T));
  const std::int64_t needed = memory.factors + memory.stack, available = available_memory();
  if (needed <= available) return;
  fail(
      ExitCode::resources,
      "pivots that are too small call for threshold pivoting, which rank 0 does alone: it needs {} "
      "at least, of {} free; use solve.method=gmres, or a host with more memory",
      readable_bytes(needed), readable_bytes(available));
}

template <typename T>
ThresholdTold SparseFactorization<T>::factor_with_threshold(Factorization kind,
                                                            ScaledValues* values,
                                                            const EliminationRun& run,
                                                            const FactorFailure& failure) {
  if (over_ranks_) {
    checkpointed_.reset();
    elimination_.reset();
  }
  spread_ = false;
  by_threads_ = true;
  ThresholdTold told;
  lent_.on_first_rank(wants_threads(), [&] {
    if (over_ranks_) refuse_more_than_there_is(kind);
    eliminate({kind, true, kind_, counts_, failure}, values, run);
    const ThresholdOutcome& outcome = *elimination_->made().threshold_outcome();
    told = {outcome.counts, outcome.delayed, outcome.factor_entries,
            static_cast<Index>(outcome.rows.size())};
  });
  return broadcast_value(team_, told, 0);
}

template <typename T>
void SparseFactorization<T>::solve(bool transposed, const Vectors& x, Vectors& y) {
  // The real form is S F for a diagonal S of signs and that of A, F: its inverse is F^-1 S.
  if (!conjugates_) return solve_unsigned(transposed, x, y);
  if (transposed) {
    solve_unsigned(true, x, y);
    return conjugate_rows(y);
  }
  if (&x != &y) copy(x, y);
  conjugate_rows(y);
  solve_unsigned(false, y, y);
}

template <typename T>
void SparseFactorization<T>::substitute(Substitution step, bool transposed, const Vectors& x,
                                        Vectors& y) {
  if (&x != &y) copy(x, y);
  // S as above, where the substitutions begin or, transposed, end.
  if (conjugates_ && !transposed && step == Substitution::forward) conjugate_rows(y);
  elimination_->made().substitute(step, transposed, y, y);
  if (conjugates_ && transposed && step == Substitution::backward) conjugate_rows(y);
}

template <typename T>
void SparseFactorization<T>::solve_unsigned(bool transposed, const Vectors& x, Vectors& y) {
  if (spread_ || team_.size() == 1) return elimination_->solve(transposed, x, y);
  solve_in<T>(x, y, [&](Dense<T>& rows) {
    Dense<double> whole = gather_rows(team_, x.layout(), rows_of(rows));
    lent_.on_first_rank(wants_threads(), [&] {
      Dense<T> b = numbers_of<T>(whole);
      std::vector<T> result;
      elimination_->made().solve(transposed, whole.columns, b.values, result);
      b.values = std::move(result);
      whole = rows_of(b);
    });
    rows = numbers_of<T>(scatter_rows(team_, x.layout(), whole));
  });
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class SparseFactorization)

}  // namespace spsolve::sparse
