#include "task/solve/solve.hpp"

#include <algorithm>

#include "checkpoint/checkpoints.hpp"
#include "choice/gpu_memory.hpp"
#include "choice/place.hpp"
#include "choice/system_choice.hpp"
#include "config/schema.hpp"
#include "core/names/row_names.hpp"
#include "dense/eliminated_problem.hpp"
#include "io/matrix_source.hpp"
#include "krylov/null_space.hpp"
#include "matrix/real_form.hpp"
#include "process/interrupt.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "process/system.hpp"
#include "report/summary.hpp"
#include "sparse/analysis/analysis_summary.hpp"
#include "system/coordinates.hpp"
#include "system/first_guess.hpp"
#include "system/system_solver.hpp"
#include "task/begin.hpp"
#include "task/input/right_hand_side.hpp"
#include "task/naming.hpp"
#include "task/solve/deal_out.hpp"
#include "task/solve/method_report.hpp"
#include "task/solve/resumed_run.hpp"
#include "task/solve/sequence.hpp"
#include "task/solve/system_known.hpp"
#include "task/solve/systems_so_far.hpp"

namespace spsolve::inline task {

namespace {

Progress::Show show_progress(const Team& team, AutoSwitch wanted) {
  const bool shown = team.rank() == 0 && wanted != AutoSwitch::off;
  return shown ? show_for(stderr) : Progress::Show::off;
}

/// One solve by all ranks of a team, from the file to the report.
class SolveRun {
 public:
  SolveRun(const Config& config, Team& team, const Gpus& gpus, SolveReport& report)
      : config_(config), team_(team), gpus_(gpus), report_(report), systems_(team, report) {}

  /// Returns whether rank 0 solved the system alone.
  bool run() {
    std::optional<SignalRequests> requests;  // as long as the run: they never end it
    if (!config_.checkpoint.directory.empty()) {
      requests.emplace(std::initializer_list<int>{SIGUSR1}, std::initializer_list<int>{SIGUSR2});
    }
    times_.add("start", report_.before);
    begin_task(config_, team_, report_);
    SystemShape shape = shape_for_all(config_, team_);
    report_.threads = take_threads(config_, team_, shape);
    resident_ = resident_memory();
    form_.parts = shape.matrix.parts;
    const RowNames names(form_.parts);
    const FoundRightHandSide found = right_hand_side_for_all(config_, shape.matrix.order(), team_);
    report_.right_hand_side = found.source;
    b_ = found.config;
    if (!found.note.empty()) report_.notes.push_back(found.note);
    Csr<double> whole;
    const bool looks_first = may_be_sparse(config_, shape.matrix);
    if (looks_first) plan_to_read(shape);
    // It goes on until all that works on GPUs is made.
    const std::shared_ptr<void> started =
        start_gpus_ahead(config_, shape.matrix, looks_first, team_, gpus_);
    if (looks_first) whole = read();
    const AnalysisCache cache{config_.checkpoint.directory,
                              config_.checkpoint.resume != ResumeChoice::never};
    SystemChoice choice(config_, shape, team_, gpus_);
    times_.measure("analyse", [&] {
      Progress progress("analysing", 0, show_progress(team_, config_.output.progress));
      progress.call_steps("vertex");
      naming(report_.matrix, [&] {
        choice.analyse(whole, looks_first && has_coordinates(shape), cache, &progress);
      });
    });
    if (!looks_first || !choice.leaves_to_one_gpu(resident_)) {
      go_on(shape, found, choice, std::move(whole));
      return false;
    }
    together(team_, [&] {
      if (team_.rank() != 0) return;
      SoloTeam alone;
      SolveRun by_one(*this, alone);
      by_one.report_.threads = take_threads(config_, alone, shape);
      SystemChoice of_one(config_, shape, alone, gpus_);
      of_one.take(choice.question().pattern_analysis);
      by_one.go_on(shape, found, of_one, std::move(whole));
    });
    return true;
  }

 private:
  /// The run that rank 0 goes on with alone.
  SolveRun(const SolveRun& before, Team& alone)
      : config_(before.config_),
        team_(alone),
        gpus_(before.gpus_),
        report_(before.report_),
        total_(before.total_),
        b_(before.b_),
        form_(before.form_),
        systems_(alone, report_),
        resident_(before.resident_),
        times_(before.times_) {}

  /// From the analysis to the report.
  void go_on(const SystemShape& shape, const FoundRightHandSide& found, SystemChoice& choice,
             Csr<double> whole) {
    const SolverQuestion& question = choice.question();
    const PatternAnalysis& analysed = question.pattern_analysis;
    analysis_cache_ = analysed.cached_in;
    if (!analysed.note.empty()) report_.notes.push_back(analysed.note);
    const auto memory = times_.measure("device", [&] { return choice.place(report_); });
    const bool on_gpu = memory->memory() == MemoryKind::gpu;
    const GpuMemoryWatch on_its_gpu(gpus_, on_gpu);
    plan(shape, choice, on_its_gpu.available());
    if (!may_be_sparse(config_, shape.matrix) && !shape.reads_together) whole = read();

    const SolverRow& row = *naming(report_.matrix, [&] { return &choice.row(); });
    const bool wants_checkpoints = is_checkpointed(row, question);
    if (is_sparse(row.method)) draw(whole, analysed);
    SystemSolver solver(deal_out(config_, shape, team_, std::move(whole),
                                 {memory->vectors(), row.method}, times_, report_),
                        row, question, *memory, before_second_of(choice));
    const auto steps =
        steps_for_all(team_, together(team_, [&] {
                        return team_.rank() == 0 ? steps_of(config_, found) : std::vector<Step>{};
                      }));
    if (steps.size() > 1) std::erase(report_.files, config_.output.solution.string());
    if (steps.size() == 1) {
      solve(solver, steps.front(), wants_checkpoints);
    } else {
      for (std::size_t k = systems_.begin(config_, solver.matrix(), steps); k < steps.size(); ++k) {
        solve_one_of_many(solver, steps[k], wants_checkpoints);
      }
      systems_.finish();
    }
    report_.transport = memory->transport();
    finish(solver, on_its_gpu);
    if (on_gpu && gpus_.leave) gpus_.leave();
  }

  /// Whether checkpoints are kept: where they are wanted, by a method that does.
  bool is_checkpointed(const SolverRow& row, const SolverQuestion& question) {
    if (!question.wants_checkpoints) return false;
    const std::string_view why = why_no_checkpoints(
        row.method, question.ranks, question.pattern_analysis.estimate.over_ranks, question.memory);
    if (why.empty()) return true;
    if (config_.checkpoint.resume == ResumeChoice::require) {
      fail_everywhere(
          ExitCode::input,
          "checkpoint.resume=require: {} takes this matrix, and {}; name the solve.method of the "
          "one that is to go on",
          name(row.method), why);
    }
    report_.notes.push_back(fmt::format(
        "no checkpoints are kept: {}, and {} is predicted to eliminate in {:.1g} s; one process on "
        "a host, ranks that share an elimination there (solve.ranks=all), lu and the Krylov "
        "methods keep them",
        why, name(row.method), row.analyse(question).seconds));
    return false;
  }

  /// The work before another method takes the place of a first choice: where that was an iteration,
  /// signals end the elimination, which keeps nothing.
  BeforeDouble before_second_of(const SystemChoice& choice) {
    const BeforeDouble check = choice.check_in_double();
    if (!is_krylov(choice.row().method)) return check;
    return [this, check](const std::string& why) {
      check(why);
      if (end_) end_at_once();
    };
  }

  /// Lets signals end the run where it stands.
  void end_at_once() {
    end_.reset();
    // Of several ranks the launcher ends the others.
    if (team_.size() == 1) at_once_.emplace(std::initializer_list<int>{SIGINT, SIGTERM, SIGUSR2});
  }

  /// Refuses a system that does not fit, before anything is allocated.
  void plan(const SystemShape& shape, SystemChoice& choice,
            std::optional<std::int64_t> gpu_available) {
    const MemoryCheck memory = naming(report_.matrix, [&] {
      return choice.plan(resident_, gpu_available, plan_,
                         [&] { return analyse_pattern_instead(config_, shape, team_); });
    });
    if (!choice.note().empty()) report_.notes.push_back(choice.note());
    refuse_what_does_not_fit(plan_, memory, report_);
  }

  /// Refuses a matrix that rank 0 cannot even read, or whose pattern it cannot analyse.
  void plan_to_read(const SystemShape& shape) {
    MemoryPlan mine;
    const MemoryCheck check = check_reading(config_, shape, team_, mine);
    if (!check.fits) refuse_what_does_not_fit(mine, check, report_);
  }

  /// file.mtx -> Coo -> Csr on rank 0
  Csr<double> read() {
    LoadedMatrix whole = read_matrix(config_, team_, times_, report_, [](const Csr<double>&) {});
    form_.conjugates = whole.conjugates;
    return std::move(whole.rows);
  }

  /// Whether coordinates of the system's nodes are known.
  bool has_coordinates(const SystemShape& shape) {
    return find_coordinates(team_, config_, shape.matrix.rows).dimensions > 0;
  }

  /// The patterns of a sparse elimination, for output.html.
  void draw(const Csr<double>& whole, const PatternAnalysis& pattern_analysis) {
    if (config_.output.html.empty()) return;
    times_.measure("analyse", [&] {
      together(team_, [&] {
        if (team_.rank() != 0) return;
        const bool complex = pattern_analysis.estimate.complex;
        report_.patterns.in_order =
            pattern_in_order(complex ? parts_of(whole).s : whole, *pattern_analysis.analysis);
        report_.patterns.factors = factor_pattern(*pattern_analysis.analysis);
      });
    });
  }

  /// -> scaled rows -> pivots, updates
  void eliminate(SystemSolver& solver, const Vectors& b, bool wants_checkpoints) {
    times_.measure("prepare", [&] {
      solver.prepare();
      report_.equilibrated = solver.scaling().scales;
      if (!report_.equilibrated) plan_.leave_out(MemoryPlan::Occasion::equilibration);
      note_plan(plan_, report_);
      if (wants_checkpoints) {
        checkpoints_.emplace(team_, config_.checkpoint,
                             problem_of(solver.matrix(), solver.scaling(), solver.choice(),
                                        is_krylov(solver.choice().method) ? &b : nullptr),
                             total_);
      }
    });
    std::unique_ptr<Vectors> guess;
    if (!config_.solve.initial_guess.empty() && is_krylov(solver.choice().method)) {
      guess = times_.measure("read", [&] {
        return read_first_guess(solver.matrix(), config_.solve.initial_guess, b.columns(),
                                form_.parts);
      });
    }
    times_.measure("eliminate", [&] {
      Progress progress("eliminating", solver.flops(),
                        show_progress(team_, config_.output.progress));
      if (wants_checkpoints) {
        end_.emplace(std::initializer_list<int>{}, std::initializer_list<int>{SIGINT, SIGTERM});
      } else {
        end_at_once();
      }
      struct AsBefore {
        SolveRun& run;
        ~AsBefore() {
          run.at_once_.reset();
          run.end_.reset();
        }
      } const as_before{*this};
      solver.eliminate(progress, checkpoints_ ? &*checkpoints_ : nullptr, &b, guess.get());
    });
    ++eliminations_;
    eliminated_ = true;
    if (checkpoints_) tell_apart(*checkpoints_, times_, report_);
  }

  /// One system of a sequence, whose failure is its own: the others are solved all the same.
  void solve_one_of_many(SystemSolver& solver, const Step& step, bool wants_checkpoints) {
    const Timer timer;
    StepReport told = begun_report(step);
    if (!step.values.empty()) why_singular_.clear();
    try {
      if (!why_singular_.empty()) fail_everywhere(ExitCode::not_trustworthy, "{}", why_singular_);
      const SolveOutcome outcome = solve(solver, step, wants_checkpoints);
      told.solution = step.solution.string();
      told.status = name(outcome.trust.verdict);
      told.backward_error = outcome.refinement.after.backward_error;
      told.forward_error = forward_error(outcome.trust);
      told.condition = condition_of(outcome.condition);
    } catch (const Error& error) {
      // The same on every rank, as all must go on together.
      const bool has_no_solution =
          error.code() == ExitCode::not_trustworthy && error.scope() == Scope::every_rank;
      if (!has_no_solution) throw;
      told.failure = error.what();
      if (!eliminated_ && !is_krylov(solver.choice().method)) why_singular_ = told.failure;
    }
    told.seconds = timer.seconds();
    systems_.add(step, told);
  }

  /// One system; its factors are there, unless it is the first with its values.
  SolveOutcome solve(SystemSolver& solver, const Step& step, bool wants_checkpoints) {
    if (!step.values.empty()) {
      times_.measure("read",
                     [&] { solver.set_values(values_of(step.values, solver.matrix(), form_)); });
      eliminated_ = false;
    }
    const SystemForm form = form_of(step.b, form_, team_);
    const std::unique_ptr<Vectors> b = times_.measure("read", [&] {
      return right_hand_side(step.b, solver.matrix(), form, config_.matrix.rotate_rows);
    });
    const std::string source = step.values.empty() ? report_.matrix : step.values.string();
    if (!eliminated_) naming(source, [&] { eliminate(solver, *b, wants_checkpoints); });
    const std::unique_ptr<Vectors> x = solver.matrix().vectors(b->columns());
    const SolveOutcome outcome = naming(source, [&] { return solver.solve(*b, *x, times_); });
    write(*x, form, step);
    columns_ = x->columns() / (form.in_pairs ? complex_parts : 1);
    report_.is_complex = report_.is_complex || form.is_complex();
    note(outcome, *x, step);
    return outcome;
  }

  /// Keeps the outcome of a solution, where it is the first, or less trustworthy than those before.
  void note(const SolveOutcome& outcome, const Vectors& x, const Step& step) {
    const auto doubt = [](const Trust& trust, const Refinement& refinement) {
      return std::pair(trust.verdict, refinement.after.backward_error);
    };
    if (noted_ &&
        doubt(report_.trust, report_.refinement) >= doubt(outcome.trust, outcome.refinement)) {
      return;
    }
    noted_ = true;
    report_.refinement = outcome.refinement;
    report_.condition = outcome.condition;
    report_.trust = outcome.trust;
    report_.squared_error.reset();
    // Of a singular matrix ones are one solution of many.
    const bool is_known = config_.solve.null_space == NullSpaceKind::none;
    if (is_known && solution_is_ones(step.b)) {
      report_.squared_error = distance_from_ones(x, form_.parts);
    }
  }

  void write(const Vectors& x, const SystemForm& form, const Step& step) {
    if (step.solution.empty()) return;
    times_.measure("write", [&] {
      write_solution(step.solution, x, form,
                     fmt::format("solution x of A x = b, A = {}", config_.matrix.name()));
    });
  }

  /// Completes the report.
  void finish(SystemSolver& solver, const GpuMemoryWatch& on_its_gpu) {
    report_.status = name(std::max(report_.trust.verdict, systems_.worst()));
    if (report_.trust.verdict == Verdict::solved) {
      if (checkpoints_) checkpoints_->remove();
      std::error_code ignored;
      std::filesystem::remove(analysis_cache_, ignored);
    }
    leave_out_what_did_not_come(solver, plan_);
    note_plan(plan_, report_);
    report_.right_hand_sides = columns_;
    // To tell the inertia takes solutions.
    const bool cheaply = !config_.solve.condition;
    times_.measure(cheaply ? "check" : "condition",
                   [&] { note_method(solver, form_, cheaply, report_); });
    times_.add("total", report_.before + total_.seconds());
    on_its_gpu.note(report_);
    report_.add_run(team_, times_);
    const double flops = note_rate(solver, form_, eliminations_, report_);
    if (report_.checkpoint) {
      report_.checkpoint_share = report_.longest("checkpoint") / report_.longest("total");
    }
    Config as_found = config_;
    as_found.right_hand_side = b_;
    add_notes(solver, as_found, flops, report_);
  }

  const Config& config_;
  Team& team_;
  const Gpus& gpus_;
  SolveReport& report_;
  Timer total_;
  Config::RightHandSide b_;  // as it was found
  Index columns_ = 0;        // of the last right-hand side
  SystemForm form_;          // of the matrix
  int eliminations_ = 0;
  bool eliminated_ = false;   // whether the factors are those of the matrix as it is
  std::string why_singular_;  // the matrix as it is cannot be eliminated
  SystemsSoFar systems_;      // of a sequence
  bool noted_ = false;        // whether a solution's figures are in the report
  MemoryPlan plan_;
  std::int64_t resident_ = 0;  // bytes that this process held at first
  PhaseTimes times_;
  std::optional<Checkpoints> checkpoints_;
  std::filesystem::path analysis_cache_;    // on rank 0, next to checkpoints; or empty
  std::optional<SignalRequests> end_;       // during an elimination that is kept
  std::optional<EndsByInterrupt> at_once_;  // while anything else is
};

}  // namespace

void run_solve(const Config& config, Team& team, const Gpus& gpus, SolveReport& report) {
  const auto rows = [&] { return shape_for_all(config, team).matrix.rows; };
  if (solves_alone(config, team, gpus, rows)) {
    together(team, [&] {
      SoloTeam alone;
      if (team.rank() == 0) SolveRun(config, alone, gpus, report).run();
    });
  } else if (!SolveRun(config, team, gpus, report).run()) {
    return;
  }
  report.notes.push_back(
      fmt::format("rank 0 solved this system alone, while the other {} waited: one GPU is sooner "
                  "done with {} unknowns than several; solve.ranks=all takes all",
                  team.size() - 1, report.rows));
  report.status = broadcast_text(team, report.status, 0);
}

}  // namespace spsolve::task
