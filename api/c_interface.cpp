#include <algorithm>
#include <complex>
#include <limits>
#include <new>
#include <string>

#include "api/c_objects.hpp"
#include "core/build_info.hpp"
#include "core/error.hpp"
#include "spsolve/spsolve.hpp"
#include "team/team.hpp"

using spsolve::create;
using spsolve::guarded;
using spsolve::refuse;
using spsolve::require_together;

namespace {

thread_local std::string last_error;

/// Complex numbers that lie as two doubles each.
const std::complex<double>* numbers_at(const double* parts) {
  return reinterpret_cast<const std::complex<double>*>(parts);
}
std::complex<double>* numbers_at(double* parts) {
  return reinterpret_cast<std::complex<double>*>(parts);
}

/// Throws, on all ranks, an error of arrays that are missing, or that have no room for own rows of
/// so many columns of numbers of `parts` doubles.
void require_arrays(const spsolve_solver& solver, int64_t columns, spsolve::Index parts,
                    const void* b, const void* x, const char* what) {
  const spsolve::Index rows = solver.solver.own().size();
  const bool has_arrays = columns == 0 || rows == 0 || (b != nullptr && x != nullptr);
  require_together(solver.ranks, columns >= 0 && has_arrays, what);
  require_together(solver.ranks, spsolve::countable(parts * rows, columns),
                   "so many columns have no room");
}

}  // namespace

spsolve_status spsolve::refuse(std::string sentence) {
  last_error = std::move(sentence);
  return SPSOLVE_INPUT;
}

spsolve_status spsolve::refuse(const Failure& failure) {
  last_error = failure.message;
  return static_cast<spsolve_status>(failure.code);
}

spsolve_status spsolve::hand_out(spsolve_ranks** ranks, const std::function<Ranks()>& make) {
  return create(ranks, [&] { return new spsolve_ranks{make()}; });
}

const char* spsolve_last_error(void) {
  return last_error.c_str();
}

const char* spsolve_version(void) {
  return spsolve::build_info::version;
}

spsolve_status spsolve_solver_create(const spsolve_matrix* matrix, const spsolve_options* options,
                                     spsolve_solver** solver) {
  return spsolve_solver_create_over(nullptr, matrix, options, solver);
}

namespace {

/// Makes a solver by make(matrix, options, ranks).
template <typename Make>
spsolve_status solver_over(const spsolve_ranks* ranks, const spsolve_matrix* matrix,
                           const spsolve_options* options, spsolve_solver** solver,
                           const Make& make) {
  if (solver != nullptr) *solver = nullptr;
  return guarded([&] {
    const spsolve::Ranks all = spsolve::ranks_from_c(ranks);
    require_together(all, solver != nullptr, "there is no place to put the new object");
    spsolve::with_system(all, matrix, options, [&](const auto& of, const auto& wanted) {
      *solver = new spsolve_solver{all, make(of, wanted, all), {}};
    });
    return SPSOLVE_OK;
  });
}

}  // namespace

spsolve_status spsolve_solver_create_over(const spsolve_ranks* ranks, const spsolve_matrix* matrix,
                                          const spsolve_options* options, spsolve_solver** solver) {
  return solver_over(ranks, matrix, options, solver,
                     [](const auto& of, const auto& wanted, const auto& all) {
                       return spsolve::Solver(of, wanted, all);
                     });
}

spsolve_status spsolve_solver_analysed_over(const spsolve_ranks* ranks,
                                            const spsolve_matrix* matrix,
                                            const spsolve_options* options,
                                            spsolve_solver** solver) {
  return solver_over(ranks, matrix, options, solver,
                     [](const auto& of, const auto& wanted, const auto& all) {
                       return spsolve::Solver::analysed(of, wanted, all);
                     });
}

spsolve_status spsolve_solver_own_rows(const spsolve_solver* solver, int64_t* first, int64_t* end) {
  if (solver == nullptr || first == nullptr || end == nullptr) {
    return refuse("own rows are of a solver, and need two places to be put");
  }
  *first = solver->solver.own().first;
  *end = solver->solver.own().last;
  return SPSOLVE_OK;
}

namespace {

/// Solves for right-hand sides of either kind by solve(right, x), where x has as much room.
template <typename T, typename Solve>
spsolve_status solve_for(spsolve_solver* solver, int64_t columns, const T* b, T* x,
                         spsolve_trust* trust, const Solve& solve) {
  constexpr const char* what = "a solve needs a solver, right-hand sides and room for solutions";
  if (solver == nullptr) return refuse(what);
  return guarded([&] {
    require_arrays(*solver, columns, 2, b, x, what);
    const spsolve::Dense<T> right = spsolve::c_rows(b, solver->solver.own().size(), columns);
    spsolve::Solution solution = solve(solver->solver, right);
    constexpr double unknown = std::numeric_limits<double>::infinity();
    if (trust != nullptr) {
      *trust = {solution.backward_error,
                solution.componentwise_error,
                solution.condition.value_or(unknown),
                solution.componentwise_condition.value_or(unknown),
                solution.forward_error_bound,
                solution.forward_error_estimate,
                solution.sweeps};
    }
    solver->notes.clear();
    for (const std::string& note : solution.notes) solver->notes += note + "\n";
    ++solver->solves;
    solution.x = {};
    solution.complex_x = {};
    solver->last = std::move(solution);
    if (solver->last.solved) return SPSOLVE_OK;
    last_error = solver->notes;
    return SPSOLVE_NOT_TRUSTWORTHY;
  });
}

/// Calls work(b, x), which are views of all own numbers.
template <typename T, typename Work>
spsolve_status apply(spsolve_solver* solver, int64_t columns, const T* b, T* x, const char* what,
                     const Work& work) {
  if (solver == nullptr) return refuse(what);
  return guarded([&] {
    require_arrays(*solver, columns, sizeof(T) / sizeof(double), b, x, what);
    const auto count = static_cast<std::size_t>(solver->solver.own().size() * columns);
    work(std::span(b, count), std::span(x, count));
    return SPSOLVE_OK;
  });
}

/// Of complex numbers, by a Transposition in numbers.
template <typename Work>
spsolve_status apply(spsolve_solver* solver, int transposed, int64_t columns, const double* b,
                     double* x, const char* what, const Work& work) {
  if (transposed < 0 || transposed > 2) return refuse("the matrix is 0: A, 1: A^T or 2: A^H");
  const auto of = static_cast<spsolve::Transposition>(transposed);
  return apply(solver, columns, numbers_at(b), numbers_at(x), what,
               [&](auto from, auto to) { work(from, to, of); });
}

constexpr const char* wants_of_preconditioner =
    "a preconditioner needs a solver, vectors and room for others";
constexpr const char* wants_of_substitution =
    "a substitution is SPSOLVE_FORWARD, SPSOLVE_DIAGONAL or SPSOLVE_BACKWARD, and needs a solver, "
    "vectors and room for others";

spsolve::Substitution step_of(spsolve_substitution step) {
  if (step >= SPSOLVE_FORWARD && step <= SPSOLVE_BACKWARD) {
    return static_cast<spsolve::Substitution>(step);
  }
  throw spsolve::Error(spsolve::ExitCode::input, wants_of_substitution);
}

template <typename T>
spsolve_status set_values(spsolve_solver* solver, int64_t count, const T* values) {
  constexpr const char* what = "new values need a solver and an array";
  if (solver == nullptr) return refuse(what);
  return guarded([&] {
    require_together(solver->ranks, count >= 0 && (count == 0 || values != nullptr), what);
    solver->solver.set_values(std::span(values, static_cast<std::size_t>(count)));
    return SPSOLVE_OK;
  });
}

}  // namespace

spsolve_status spsolve_solver_solve(spsolve_solver* solver, int transposed, int64_t columns,
                                    const double* b, double* x, spsolve_trust* trust) {
  return solve_for(
      solver, columns, b, x, trust, [&](spsolve::Solver& by, const spsolve::Dense<double>& right) {
        spsolve::Solution solution = transposed != 0 ? by.solve_transposed(right) : by.solve(right);
        std::ranges::copy(solution.x.values, x);
        return solution;
      });
}

spsolve_status spsolve_solver_solve_z(spsolve_solver* solver, int transposed, int64_t columns,
                                      const double* b, double* x, spsolve_trust* trust) {
  using spsolve::Transposition;
  if (transposed < 0 || transposed > 2) return refuse("a solve is with 0: A, 1: A^T or 2: A^H");
  return solve_for(solver, columns, numbers_at(b), numbers_at(x), trust,
                   [&](spsolve::Solver& by, const spsolve::Dense<std::complex<double>>& right) {
                     spsolve::Solution solution =
                         by.solve(right, static_cast<Transposition>(transposed));
                     std::ranges::copy(solution.complex_x.values, numbers_at(x));
                     return solution;
                   });
}

spsolve_status spsolve_solver_set_values(spsolve_solver* solver, int64_t count,
                                         const double* values) {
  return set_values(solver, count, values);
}

spsolve_status spsolve_solver_set_values_z(spsolve_solver* solver, int64_t count,
                                           const double* values) {
  return set_values(solver, count, numbers_at(values));
}

spsolve_status spsolve_solver_set_shifts(spsolve_solver* solver, int64_t count,
                                         const double* values, int64_t rows, const double* shifts) {
  constexpr const char* what = "shifts need a solver and an array";
  if (solver == nullptr) return refuse(what);
  return guarded([&] {
    require_together(solver->ranks,
                     rows >= 0 && (rows == 0 || shifts != nullptr) && count >= 0 &&
                         (count == 0 || values != nullptr),
                     what);
    const std::span added(shifts, static_cast<std::size_t>(rows));
    if (values == nullptr) {
      solver->solver.set_shifts(added);
    } else {
      solver->solver.set_values(std::span(values, static_cast<std::size_t>(count)), added);
    }
    return SPSOLVE_OK;
  });
}

spsolve_status spsolve_solver_inertia(spsolve_solver* solver, spsolve_inertia* inertia,
                                      int64_t room, int64_t* rows) {
  constexpr const char* what = "an inertia needs a solver and a place to be put";
  if (solver == nullptr) return refuse(what);
  return guarded([&] {
    require_together(solver->ranks, inertia != nullptr && room >= 0, what);
    const std::optional<spsolve::Inertia> told = solver->solver.inertia();
    require_together(solver->ranks, told.has_value(),
                     "the matrix is not factored as L L^T or L D L^T, which tell its inertia");
    *inertia = {static_cast<spsolve_certainty>(told->certainty), told->positive, told->negative,
                told->zero};
    if (rows != nullptr) {
      const auto count = std::min<std::int64_t>(room, std::ssize(told->rows));
      std::copy_n(told->rows.begin(), count, rows);
    }
    return SPSOLVE_OK;
  });
}

spsolve_status spsolve_solver_precondition(spsolve_solver* solver, int transposed, int64_t columns,
                                           const double* b, double* x) {
  return apply(solver, columns, b, x, wants_of_preconditioner, [&](auto from, auto to) {
    solver->solver.precondition(from, columns, to, transposed != 0);
  });
}

spsolve_status spsolve_solver_precondition_z(spsolve_solver* solver, int transposed,
                                             int64_t columns, const double* b, double* x) {
  return apply(solver, transposed, columns, b, x, wants_of_preconditioner,
               [&](auto from, auto to, spsolve::Transposition of) {
                 solver->solver.precondition(from, columns, to, of);
               });
}

spsolve_status spsolve_solver_substitute(spsolve_solver* solver, spsolve_substitution step,
                                         int transposed, int64_t columns, const double* b,
                                         double* x) {
  return apply(solver, columns, b, x, wants_of_substitution, [&](auto from, auto to) {
    solver->solver.substitute(step_of(step), from, columns, to, transposed != 0);
  });
}

spsolve_status spsolve_solver_substitute_z(spsolve_solver* solver, spsolve_substitution step,
                                           int transposed, int64_t columns, const double* b,
                                           double* x) {
  return apply(solver, transposed, columns, b, x, wants_of_substitution,
               [&](auto from, auto to, spsolve::Transposition of) {
                 solver->solver.substitute(step_of(step), from, columns, to, of);
               });
}

const char* spsolve_solver_notes(const spsolve_solver* solver) {
  return solver != nullptr ? solver->notes.c_str() : "";
}

void spsolve_solver_free(spsolve_solver* solver) {
  delete solver;
}
