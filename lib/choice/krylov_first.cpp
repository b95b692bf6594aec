#include "choice/krylov_first.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "choice/sparse_rows.hpp"
#include "core/error.hpp"
#include "core/tuning.hpp"
#include "distribute/redistribute.hpp"
#include "krylov/krylov_inverse.hpp"
#include "process/system.hpp"

namespace spsolve::inline choice {

KrylovFirst::KrylovFirst(Iterates iteration, Eliminates elimination, BeforeDouble before_second,
                         bool negates)
    : iteration_(std::move(iteration)),
      elimination_(std::move(elimination)),
      before_second_(std::move(before_second)),
      negates_(negates) {
  begin();
}

void KrylovFirst::begin() {
  stays_ = false;
  if (inverse_ != nullptr) return;
  Candidate candidate = iteration_();
  method_ = candidate.method;
  inverse_ = std::move(candidate.inverse);
  eliminated_ = false;
  facts_ = {};
}

void KrylovFirst::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                               Equilibration& scaling) {
  begin();
  if (!negates_) return inverse_->find_scaling(matrix, wanted, precision, scaling);
  const auto rows = static_cast<std::size_t>(matrix.own().size());
  scaling = {true, std::vector<double>(rows, -1.0), std::vector<double>(rows, 1.0)};
}

void KrylovFirst::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  begin();
  matrix_ = &matrix;
  scaling_ = &scaling;
  inverse_->prepare(matrix, scaling);
}

std::unique_ptr<Vectors> KrylovFirst::try_iteration(const EliminationRun& run,
                                                    std::string& failure) {
  std::unique_ptr<Vectors> row_sums;
  EliminationRun trial = run;
  if (trial.first == nullptr) {
    const std::unique_ptr<Vectors> ones = matrix_->vectors(1);
    ones->fill(1);
    row_sums = matrix_->vectors(1);
    matrix_->bands().apply(*ones, *row_sums);
    trial.first = row_sums.get();
  }
  std::unique_ptr<Vectors> x;
  try {
    x = inverse_->eliminate(trial);
  } catch (const Error& error) {
    // Only failures of every rank are taken, as all must go on together.
    if (error.code() != ExitCode::not_trustworthy || error.scope() != Scope::every_rank) throw;
    failure = error.what();
    return nullptr;
  }
  failure = inverse_->facts().krylov->shortfall;
  return x;
}

bool KrylovFirst::take_elimination(const std::string& failure) {
  Candidate candidate = elimination_(*matrix_, failure);
  if (candidate.inverse == nullptr) {
    notes_ = {
        fmt::format("no elimination followed {}, which failed: {}", name(method_), candidate.note)};
    return false;
  }
  const Method tried = std::exchange(method_, candidate.method);
  inverse_ = std::move(candidate.inverse);
  eliminated_ = true;
  notes_ = {fmt::format("auto took {} first, and eliminated after all: {}", name(tried), failure)};
  if (!candidate.note.empty()) notes_.push_back(candidate.note);
  return true;
}

void KrylovFirst::stay(InverseFacts of_trial, const std::string& failure) {
  // Nothing of it was solved for.
  if (!of_trial.krylov || of_trial.krylov->shortfall.empty()) {
    fail_everywhere(ExitCode::not_trustworthy, "{}; {}", failure, notes_.front());
  }
  begin();
  inverse_->prepare(*matrix_, *scaling_);
  stays_ = true;
  facts_ = std::move(of_trial);
  facts_.notes.insert(facts_.notes.end(), notes_.begin(), notes_.end());
}

std::unique_ptr<Vectors> KrylovFirst::eliminate_now(const EliminationRun& run) {
  EliminationRun second = run;
  second.checkpoints = nullptr;
  std::unique_ptr<Vectors> x = inverse_->eliminate(second);
  facts_ = inverse_->facts();
  facts_.instead = method_;
  if (negates_ && facts_.sparse && facts_.sparse->negative_pivots) {
    // Counted for -A.
    facts_.sparse->negative_pivots =
        matrix_->order() - *facts_.sparse->negative_pivots - facts_.sparse->missing_pivots;
  }
  facts_.notes.insert(facts_.notes.end(), notes_.begin(), notes_.end());
  if (run.checkpoints != nullptr) {
    facts_.notes.push_back(
        fmt::format("{} keeps no checkpoints after an iteration", name(method_)));
  }
  return x;
}

std::unique_ptr<Vectors> KrylovFirst::eliminate(const EliminationRun& run) {
  if (eliminated_) {
    constexpr std::string_view earlier = "for earlier values, ";
    if (!notes_.front().starts_with(earlier)) notes_.front().insert(0, earlier);
    return eliminate_now(run);
  }
  std::string failure;
  std::unique_ptr<Vectors> x = try_iteration(run, failure);
  if (failure.empty()) return run.first != nullptr ? std::move(x) : nullptr;
  InverseFacts of_trial = inverse_->facts();
  inverse_ = nullptr;
  // The advice is left out, as it is followed here.
  const std::string alone = failure.substr(0, failure.find("; "));
  if (before_second_) before_second_(alone);
  if (!take_elimination(alone)) {
    stay(std::move(of_trial), failure);
    return run.first != nullptr ? std::move(x) : nullptr;
  }
  x = nullptr;
  inverse_->prepare(*matrix_, *scaling_);
  run.progress.restart("eliminating after all");
  return eliminate_now(run);
}

bool auto_tries(const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  return question.options.method == Method::automatic &&
         (estimate.analysed || estimate.elliptic || estimate.iteration.made());
}

namespace {

/// Whether the iteration takes the steps that it wants, and is the answer where no elimination
/// fits: for want of memory, or as the matrix is so large that it was not analysed.
bool is_preferred(const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  return question.short_of_memory || !(estimate.analysed || estimate.iteration.made());
}

/// The elimination that follows an iteration that fails.
SolverRow row_after(const SolverQuestion& question) {
  switch (question.pattern_analysis.estimate.kind) {
    case Factorization::cholesky:
      return sparse_cholesky_row();
    case Factorization::ldlt:
    case Factorization::ldlh:
      return sparse_ldlt_row();
    case Factorization::lu:
      break;
  }
  return sparse_lu_row();
}

/// The question of its elimination, analysed where it was not.
SolverQuestion analysed_late(Team& team, SystemMatrix& matrix, SolverQuestion question) {
  question.options.method = Method::automatic;
  question.short_of_memory = false;
  question.wants_checkpoints = false;
  if (question.pattern_analysis.estimate.analysed &&
      broadcast_value(team, question.pattern_analysis.analysis != nullptr, 0)) {
    return question;
  }
  Csr<double> gathered;
  if (team.size() > 1) {
    gathered = redistribute_rows(team, matrix.layout(), matrix.scaled_rows({}),
                                 RowLayout::on_first_rank(matrix.order(), team.size()));
  }
  SystemHints hints;
  hints.complex =
      question.pattern_analysis.estimate.complex && question.pattern_analysis.estimate.analysed;
  hints.may_use_disk = team.size() == 1 && question.memory == MemoryKind::host;
  hints.eliminates = true;
  question.pattern_analysis =
      analyse_pattern(team, team.size() > 1 ? gathered : matrix.local_rows(), question.options,
                      question.memory, {}, hints);
  return question;
}

/// The check of the elimination in this memory, in double or as it says.
MemoryCheck check_after(Team& team, const SolverQuestion& question, MemoryPlan& mine) {
  const PlanFor plans = [&](int rank, int ranks) {
    SolverQuestion there = question;
    there.ranks = ranks;
    const SolverRow row = row_after(question);
    if (question.options.precision == Precision::float64) return row.plan_in_double(there, rank);
    MemoryPlan plan;
    row.plan(there, rank, plan);
    plan.about.clear();
    // That is over.
    std::erase_if(plan.parts, [](const auto& part) { return part.phase == "analyse"; });
    return plan;
  };
  mine = plans(team.rank(), team.size());
  mine.resident = resident_memory();
  return check_memory(
      team, mine, plans, {},
      question.memory == MemoryKind::gpu ? std::optional(question.gpu_memory) : std::nullopt);
}

/// The elimination that follows: the first that fits of those in double, with factors on disk where
/// that was found to be needed, and those in float.
KrylovFirst::Candidate eliminated_after(Team& team, ComputeDevice& memory,
                                        const SolverQuestion& asked, SystemMatrix& matrix,
                                        const std::string& why) {
  SolverQuestion question = analysed_late(team, matrix, asked);
  const SolverRow row = row_after(question);
  const auto candidate = [&](std::string note, BeforeDouble before_double) {
    return KrylovFirst::Candidate{
        row.method, row.make(team, memory, question, std::move(before_double)), std::move(note)};
  };
  MemoryPlan mine;
  const MemoryCheck in_double = check_after(team, question, mine);
  const std::int64_t on_disk = question.pattern_analysis.estimate.memory.on_disk;
  if (in_double.fits) {
    const bool is_told = on_disk > 0 && question.memory == MemoryKind::host;
    return candidate(is_told ? fmt::format("the factors are on disk, {}, as memory has no room for "
                                           "them; solve.factors_folder names the folder",
                                           readable_bytes(on_disk))
                             : "",
                     {});
  }
  const auto refuse = [in_double, mine](const std::string& reason) {
    fail_everywhere(ExitCode::resources, "{}, and its elimination does not fit into memory; {}\n{}",
                    reason, in_double.remedy, to_text(mine, in_double));
  };
  question.options.precision = Precision::mixed;
  MemoryPlan in_float;
  if (check_after(team, question, in_float).fits) {
    return candidate(
        fmt::format("{} eliminated in float, as it needs more memory in double than there is; "
                    "solutions are of double all the same",
                    name(row.method)),
        refuse);
  }
  if (!is_preferred(asked)) refuse(why);
  std::int64_t needed = 0, available = 0;
  for (const MemoryCheck::Rank& rank : in_double.ranks) {
    if (rank.needed - rank.available <= needed - available) continue;
    needed = rank.needed;
    available = rank.available;
  }
  return {row.method, nullptr,
          fmt::format("{} needs {} of the {} that are free, and more than there is in float, too",
                      name(row.method), readable_bytes(needed), readable_bytes(available))};
}

}  // namespace

MemoryPlan plan_after_trial(const SolverQuestion& question, int rank) {
  return auto_tries(question) && question.memory == MemoryKind::gpu &&
                 question.pattern_analysis.estimate.analysed
             ? row_after(question).plan_in_double(question, rank)
             : MemoryPlan{};
}

std::unique_ptr<Inverse> make_krylov_first(Team& team, ComputeDevice& memory,
                                           const SolverQuestion& question, Method method,
                                           BeforeDouble before_second) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  SolverOptions options = question.options;
  options.method = method;
  if (options.preconditioner == Preconditioner::automatic && auto_tries(question)) {
    options.preconditioner = estimate.iteration.preconditioner;
  }
  if (options.iterations == 0 && !is_preferred(question)) {
    options.iterations = estimate.analysed ? host_tuning.steps_of_trial : estimate.iteration.steps;
  }
  return std::make_unique<KrylovFirst>(
      [&memory, options, method] {
        return KrylovFirst::Candidate{method, std::make_unique<KrylovInverse>(memory, options), ""};
      },
      [&team, &memory, question](SystemMatrix& matrix, const std::string& why) {
        return eliminated_after(team, memory, question, matrix, why);
      },
      std::move(before_second), estimate.iteration.negative);
}

}  // namespace spsolve::choice
