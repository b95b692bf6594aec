#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/planned_system.hpp"
#include "core/names/row_names.hpp"
#include "core/timer.hpp"
#include "spsolve/solver.hpp"
#include "system/first_guess.hpp"
#include "system/system_solver.hpp"

namespace spsolve {

/// The application's way from a matrix to its inverse, kept for many right-hand sides.
struct Solver::State {
  /// `eliminates`: whether the values of A are, and not others that set_values() gives.
  State(const Matrix& a, const Options& options, Ranks of, bool eliminates)
      : by(a, options, std::move(of)), first_guess(options.first_guess) {
    const RowNames names(by.parts);
    by.solving([&] {
      const Timer timer;
      begin(a, options);
      analysis_seconds = timer.seconds();
      report.seconds = analysis_seconds;
      if (eliminates) set_up();
    });
    by.share(report);
  }

  void begin(const Matrix& a, const Options& options) {
    planned.emplace(a, options, by);
    if (!planned->check.fits) {
      fail_everywhere(ExitCode::resources, "this system does not fit into memory; {}\n{}",
                      planned->check.remedy, to_text(planned->plan, planned->check));
    }
    const SystemChoice& choice = *planned->choice;
    solver.emplace(planned->deal_out(a, by.team()), choice.row(), choice.question(),
                   *planned->memory, choice.check_in_double());
    report.device = planned->on_gpu() ? "cuda" : "host";
    first_notes = planned->noted.notes;
  }

  /// This process' rows: all those of rank 0, where that solves alone.
  Range own() {
    if (!solver) return {by.order, by.order};
    const Range rows = solver->matrix().own();
    return {rows.first / by.parts, rows.last / by.parts};
  }

  /// Eliminates; an iteration begins with the first right-hand sides.
  void set_up() {
    const Timer timer;
    solver->prepare();
    is_eliminated = false;
    if (!is_krylov(planned->choice->row().method)) eliminate(nullptr);
    report.seconds = analysis_seconds + timer.seconds();
    tell();
  }

  /// `b`: the right-hand sides that are solved for next, if they are of A.
  void eliminate(const Vectors* b) {
    is_eliminated = true;
    std::unique_ptr<Vectors> guess;
    const std::string& file = by.config.solve.initial_guess;
    const bool has_array = broadcast_value(by.team(), first_guess.columns, 0) > 0;
    if (b != nullptr && is_krylov(solver->choice().method)) {
      if (has_array) {
        guess = deal_out_first_guess(solver->matrix(), first_guess, b->columns());
      } else if (!file.empty()) {
        guess = read_first_guess(solver->matrix(), file, b->columns(), by.parts);
      }
    }
    const bool iterates = is_krylov(solver->choice().method);
    Progress silent(iterates ? "iterating" : "eliminating", 1, Progress::Show::off);
    silent.watch_by(by.watch);
    solver->eliminate(silent, nullptr, b, guess.get());
  }

  /// Brings the report up to date: some factors are tried out by the first solution.
  void tell() {
    const EliminationChoice choice = solver->choice();
    const InverseFacts& facts = solver->facts();
    report.method = name(choice.method);
    report.pivoting = name(choice.pivoting);
    report.equilibrated = solver->scaling().scales;
    if (!facts.krylov) {
      report.pivot_growth = facts.pivots.growth;
      report.smallest_pivot = facts.pivots.smallest_pivot;
      report.largest_pivot = facts.pivots.largest_pivot;
    }
    report.preconditioner = facts.krylov ? facts.krylov->preconditioner : std::string_view();
    report.ordering = facts.sparse ? facts.sparse->ordering : std::string_view();
    report.negative_pivots.reset();
    if (facts.sparse) {
      report.factor_entries = facts.sparse->factor_entries;
      report.flops = facts.sparse->flops;
      report.perturbed_pivots = facts.sparse->perturbed_pivots;
      // Pivots of a real form with signs are not those of A, and each is one twice of others.
      if (facts.sparse->negative_pivots && !by.conjugates) {
        report.negative_pivots = *facts.sparse->negative_pivots / by.parts;
      }
    }
    report.notes = first_notes;
    report.notes.insert(report.notes.end(), facts.notes.begin(), facts.notes.end());
  }

  /// Solves for own rows `b` of right-hand sides; the solution is written to `x`. Throws on every
  /// rank where those of one are not as large as its rows.
  Solution solve(std::span<const double> b, Index own_columns, std::span<double> x,
                 bool transposed);

  /// One application of the preconditioner, likewise.
  void precondition(std::span<const double> b, Index own_columns, std::span<double> x,
                    bool transposed);

  /// Solves for complex numbers.
  Solution solve(std::span<const std::complex<double>> b, Index own_columns,
                 std::span<std::complex<double>> x, Transposition of);

  /// One application of the preconditioner for complex numbers.
  void precondition(std::span<const std::complex<double>> b, Index own_columns,
                    std::span<std::complex<double>> x, Transposition of);

  /// x <- work(b) in the real system: work(right-hand sides, found, whether of its transpose).
  /// `step`: the part of a solve that it is.
  template <typename Work>
  void in_parts(std::span<const std::complex<double>> b, Index own_columns,
                std::span<std::complex<double>> x, Transposition of,
                std::optional<Substitution> step, const Work& work);

  /// One part of a solve with factors; of real numbers, of complex ones, and in the real system.
  void substitute(Substitution step, std::span<const double> b, Index own_columns,
                  std::span<double> x, bool transposed);
  void substitute(Substitution step, std::span<const std::complex<double>> b, Index columns,
                  std::span<std::complex<double>> x, Transposition of);
  void substitute_parts(Substitution step, std::span<const double> b, Index columns,
                        std::span<double> x, bool transposed);

  /// Throws, on every rank, unless b and x have as many numbers as own rows x columns.
  void require_sizes(std::size_t b, Index own_columns, Index columns, std::size_t x);

  /// Solves the real system for its own rows, of which there are as many as there should be.
  Solution solve_parts(std::span<const double> b, Index columns, std::span<double> x,
                       bool transposed);

  /// Applies the preconditioner of the real system, likewise.
  void precondition_parts(std::span<const double> b, Index columns, std::span<double> x,
                          bool transposed);

  /// New values of the system, in the order of its rows, and what is added to diagonal elements of
  /// own rows. Nothing instead of values: those before without their shifts; of shifts: none.
  void set_values(std::optional<std::span<const double>> values,
                  std::optional<std::span<const double>> shifts);

  /// These values with shifts; the diagonal without.
  std::vector<double> shifted(std::optional<std::span<const double>> values,
                              std::span<const double> shifts, std::vector<double>& unshifted);

  /// Throws, on every rank, unless the matrix is complex.
  void require_complex() const;

  /// Those of the real form, for complex ones of own rows.
  std::vector<double> values_of_form(std::span<const std::complex<double>> values);

  /// Solves on ranks that do, where all is as it should be.
  Solution solve_own(std::span<const double> b, Index columns, std::span<double> x,
                     bool transposed);

  // On ranks that solve: right <- b, and x <- solution.
  void take_right(std::span<const double> b, Index columns);
  void give_solution(std::span<double> x);

  SolvingTeam by;
  Dense<double> first_guess;  ///< rank 0's, of the first solution
  // Of ranks that solve:
  std::optional<PlannedSystem> planned;
  std::optional<SystemSolver> solver;
  bool is_eliminated = false;    ///< or was tried to be
  std::vector<double> diagonal;  ///< of own rows of the system, where shifts are added to it
  std::vector<std::string> first_notes;  ///< of what was chosen, until there are new values
  double analysis_seconds = 0;
  SetUpReport report;
  std::unique_ptr<Vectors> right, solution;  ///< of the last solve
};

}  // namespace spsolve
