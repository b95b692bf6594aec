#pragma once

#include <memory>
#include <optional>
#include <string>

#include <petscmat.h>

#include "sockets/petsc/rows.hpp"
#include "spsolve/spsolve.hpp"

namespace spsolve::sockets {

/// What the library could not do.
struct Problem {
  ExitCode code;
  std::string sentence;
};

/// The work behind a factor of PETSc's. All of it is collective over the factor's ranks, and what
/// the library cannot do is the same on each of them.
class Factorization {
 public:
  /// How its solves end: by solutions, or by what one application of a Krylov method's
  /// preconditioner comes to.
  enum class Use { solver, preconditioner };

  explicit Factorization(const Options& defaults, Use use = Use::solver)
      : options_(defaults), use_(use) {}
  Factorization(const Factorization&) = delete;
  Factorization& operator=(const Factorization&) = delete;

  Options& options() { return options_; }

  /// Takes the pattern of `a` and, where its values can be analysed, the analysis.
  PetscErrorCode analyse(Mat a, std::optional<Problem>& problem);

  /// Eliminates the values of `a`, with the analysis of its pattern if that is the one that was
  /// analysed; a known solution must then be found.
  PetscErrorCode eliminate(Mat a, std::optional<Problem>& problem);

  PetscErrorCode solve(Vec b, Vec x, Transposition of, std::optional<Problem>& problem);

  /// Of dense matrices with PETSc's rows.
  PetscErrorCode solve(Mat b, Mat x, Transposition of, std::optional<Problem>& problem);

  std::optional<Index> negative_eigenvalues(std::optional<Problem>& problem);

  /// Null before an analysis.
  const Solver* solver() const { return solver_ ? &*solver_ : nullptr; }
  const SolverPlan& plan() const { return plan_; }
  const Solution& last() const { return last_; }
  Index entries() const { return entries_; }

 private:
  PetscErrorCode analyse_rows(Mat a, AijRows& own, std::optional<Problem>& problem);
  PetscErrorCode has_pattern_of(Mat a, const AijRows* rows, bool& has) const;
  PetscErrorCode set_values(Mat a, AijRows& own, std::optional<Problem>& problem);
  PetscErrorCode try_known_solution(Mat a, std::optional<Problem>& problem);
  std::optional<Problem> solve_rows(const PetscScalar* b, PetscInt columns, PetscScalar* x,
                                    Transposition of);

  Options options_;
  Use use_;
  std::optional<Ranks> ranks_;
  std::optional<Solver> solver_;
  SolverPlan plan_;
  Solution last_;
  // The matrix that was analysed:
  Index entries_ = 0;
  PetscObjectId analysed_ = 0;
  PetscObjectState nonzero_state_ = 0;
  std::uint64_t fingerprint_ = 0;
  bool as_they_lie_ = false;  ///< whether a SeqAIJ's own array has the values in order
};

}  // namespace spsolve::sockets
