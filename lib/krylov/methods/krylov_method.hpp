#pragma once

#include <span>
#include <string_view>

#include "krylov/iteration/checkpointed_iteration.hpp"
#include "krylov/iteration/stopping_criterion.hpp"
#include "solve/operators/linear_operator.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline krylov {

/// The event that ended the steps of a Krylov method.
enum class KrylovEnd {
  reached,     ///< every residual is small enough, as the recurrences have it
  cycle,       ///< a cycle is full, as restarted methods have them
  limit,       ///< no steps are left
  time,        ///< no time is left
  indefinite,  ///< p^T A p <= 0 was met: A is not positive definite
  unfit,       ///< r^T M^-1 r <= 0 was met: the preconditioner is not positive definite
  breakdown,   ///< a recurrence came to a division by zero, or to what is not finite
};

/// A system as a Krylov method meets it, of as many right-hand sides as its vectors have columns.
struct KrylovSystem {
  LinearOperator& matrix;          ///< A
  LinearOperator& preconditioner;  ///< M^-1, near A^-1
  Index restart = 30;              ///< steps of a cycle, of methods that have cycles
  /// Whether A and M^-1 are of complex numbers whose parts are pairs of rows, and vectors in a
  /// memory that computes with these: methods that are not for symmetric matrices alone then do, in
  /// as many steps as the order of A wants, and not of its real form.
  bool complex = false;
};

/// The symmetry that a method wants of A, be it real or complex.
enum class WantedSymmetry {
  none,
  hermitian,  ///< A = A^H, as A = A^T where it is real; M is positive definite
  symmetric,  ///< A = A^T without conjugation, and M likewise
};

/// A method of solving A x = b by products with A and M^-1: one row of the table.
struct KrylovMethod {
  Method method;
  WantedSymmetry wants;
  int vectors;  ///< multivectors that it holds in addition to b, x and r
  /// Whether it keeps two more for every step of a cycle.
  bool keeps_basis;
  Index at_once;  ///< most right-hand sides that it takes at a time; 0: any number

  /// Whether it leaves A as it is, which scale factors would make unsymmetric.
  constexpr bool symmetric() const { return wants != WantedSymmetry::none; }

  /// Takes steps from x on, which `r` = b - A x belongs to, until the watch says enough, a cycle is
  /// full or nothing more can be done. Afterwards r is what the recurrences have of the residual.
  /// Columns that are done stay as they are. Where the watch's goal names what keeps the solve, the
  /// method does so between steps, and goes on with the recurrences that are there. Collective.
  KrylovEnd (*iterate)(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                       Vectors& r);
};

/// Calls a method's steps in the field of its system.
template <typename Real, typename Complex>
KrylovEnd in_field_of(const KrylovSystem& system, const Real& real, const Complex& complex,
                      StoppingCriterion& criterion, Vectors& x, Vectors& r) {
  return system.complex ? complex(system, criterion, x, r) : real(system, criterion, x, r);
}

/// All of them.
std::span<const KrylovMethod> krylov_methods();

/// The row of a method; null where it is none of these.
const KrylovMethod* krylov_method(Method method);

/// The numbers and vectors that a method goes on with at its next step, r among them, as long as
/// the object lives.
class CheckpointedRecurrence {
 public:
  CheckpointedRecurrence(const StoppingCriterion& criterion, Vectors& r,
                         CheckpointedIteration::Name name)
      : checkpointed_(criterion.goal().checkpointed),
        level_(checkpointed_, CheckpointedIteration::SolveLevel::Kind::recurrence,
               [&r, name = std::move(name)](IterationState& state) {
                 state.vectors(r);
                 name(state);
               }) {}

  /// Whether everything is now as it was kept.
  bool goes_on() const { return level_.goes_on(); }

  /// At a boundary between two steps: keeps the solve where that is wanted, once settle() has made
  /// it ready; hands back whether that was so. Collective.
  bool may_save() {
    return may_save([] { return true; });
  }
  template <typename Settle>
  bool may_save(Settle&& settle) {
    if (checkpointed_ == nullptr || !checkpointed_->is_wanted() || !settle()) return false;
    checkpointed_->save_checkpoint();
    return true;
  }

 private:
  CheckpointedIteration* checkpointed_;
  CheckpointedIteration::SolveLevel level_;
};

// The methods, each in a file of its own name.

/// Conjugate gradients (Hestenes and Stiefel, 1952), preconditioned; A and M symmetric positive
/// definite. A step is one product with A, one with M^-1, and three reductions.
KrylovEnd iterate_cg(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                     Vectors& r);

/// Block conjugate gradients (O'Leary, "The block conjugate gradient algorithm and related
/// methods", Linear Algebra Appl. 29, 1980): all right-hand sides search all directions. Directions
/// are orthonormal; those that depend on others are left out, and so no small system is singular
/// (Ji and Li, "A breakdown-free block conjugate gradient method", BIT 57, 2017), nor are those of
/// columns that are done searched. A and M symmetric positive definite. A step is one product with
/// A and one with M^-1, of as many columns as are left, and seven reductions of up to K^2 numbers.
KrylovEnd iterate_block_cg(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                           Vectors& r);

/// Minimal residuals (Paige and Saunders, 1975), preconditioned by a positive definite M; A
/// symmetric. A step is one product with A, one with M^-1, and three reductions.
KrylovEnd iterate_minres(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                         Vectors& r);

/// Restarted GMRES (Saad and Schultz, 1986; flexible: Saad, 1993), see gmres_cycle(): any A and M.
KrylovEnd iterate_gmres(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                        Vectors& r);

/// Stabilised biconjugate gradients (van der Vorst, 1992), preconditioned from the right; any A and
/// M. A step is two products with A, two with M^-1, and five reductions.
KrylovEnd iterate_bicgstab(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                           Vectors& r);

/// Induced dimension reduction, IDR(4) with biorthogonal residuals (van Gijzen and Sonneveld, ACM
/// TOMS 38, 2011), preconditioned from the right; any A and M. A step is one product with A and one
/// with M^-1.
KrylovEnd iterate_idr(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                      Vectors& r);

/// Conjugate A-orthogonal conjugate residuals, COCR (Sogabe and Zhang, "A COCR method for solving
/// complex symmetric linear systems", J. Comput. Appl. Math. 199, 2007), preconditioned; A = A^T
/// and M = M^T without conjugation: conjugate residuals where they are real. A step is one product
/// with A, one with M^-1, and three reductions.
KrylovEnd iterate_cocr(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                       Vectors& r);

}  // namespace spsolve::krylov
