#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "distribute/layout/row_layout.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "solve/inverse.hpp"
#include "system/coordinates.hpp"

namespace spsolve::bench {

/// The right-hand sides that are solved for at once, in addition to one alone.
inline constexpr Index many_columns = 16;

/// The order of a square matrix A, and what is known of it.
struct SystemKind {
  Index order = 0;
  Index parts = 1;          ///< rows of `matrix` to a row of A: complex_parts of a complex A
  bool conjugates = false;  ///< rows of imaginary parts were conjugated, see conjugate_rows()
  bool symmetric = false;   ///< A = A^T
  bool hermitian = false;   ///< A = A^H
  bool symmetric_pattern = false;
  /// Hermitian with a positive diagonal, and no elimination has shown yet that it is indefinite:
  /// whoever has an elimination for definite matrices takes that, and throws NotDefinite.
  bool maybe_definite = false;

  bool is_complex() const { return parts > 1; }
  Index rows() const { return parts * order; }  ///< of matrix, b and x
};

/// A square sparse system, as those that are timed on it get it; of a complex one the real form
/// (matrix/real_form.hpp), also of right-hand sides and solutions. Where several ranks share the
/// work, the matrix is on rank 0 alone, and everything else on all of them.
struct SparseSystem : SystemKind {
  std::string name;
  Csr<double> matrix;

  Index nonzeros() const { return matrix.nonzeros() / (parts * parts); }  ///< of A
};

/// A Cholesky elimination met a pivot that is not positive.
struct NotDefinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The figures of the factors, by the account of whoever made them.
struct FactorFigures {
  std::string kind;                       ///< LL^T, LDL^T, LDL^H, LU, or the dense method
  std::optional<double> nonzeros;         ///< of L and U, or of L
  std::optional<double> flops;            ///< of the elimination; a multiply and an add are two
  std::optional<KernelStatistics> gpu{};  ///< of own sparse methods on one GPU
};

/// A direct solver in its phases, made for one system. The order of calls is analyse(), then
/// factor() and any number of solve(); set_values() and factor() again for new values. analyse(),
/// factor() and solve() are what is timed: all that is needed to carry numbers in and out is done
/// in the others. Errors are exceptions; NotDefinite asks for another try with
/// maybe_definite = false.
class SparseContender {
 public:
  virtual ~SparseContender() = default;

  /// Orders and plans: what is done once for a pattern.
  virtual void analyse() = 0;

  /// Eliminates the present values.
  virtual void factor() = 0;

  /// New values in the order of the rows of system.matrix.
  virtual void set_values(std::span<const double> values) = 0;

  /// The n x K right-hand sides of the solve() calls that follow.
  virtual void set_right_hand_sides(const Dense<double>& b) = 0;

  /// X <- A^-1 B by the factors alone, without refinement.
  virtual void solve() = 0;

  /// X of the last solve(), on rank 0; asked for on all ranks that take part.
  virtual Dense<double> solution() const = 0;

  virtual FactorFigures figures() const = 0;
};

/// A square sparse system in bands, as those that iterate on it get it; of a complex one the real
/// form.
struct IterativeSystem {
  std::string name;
  RowLayout bands;
  Index parts = 1;     ///< rows to a row of A
  Index nonzeros = 0;  ///< of the whole A
  Csr<double> rows;    ///< own ones; columns are global
  Dense<double> b;     ///< own rows, n x K
  bool symmetric = false;
  FoundCoordinates coordinates;  ///< of elasticity
  double tolerance = 1e-8;       ///< of ||b - A x|| / ||b||
  /// max |x_ic|, where somebody has solved the system already.
  std::optional<double> largest_x;
};

/// How an iteration went, by the account of whoever did it.
struct IterationFigures {
  Index steps = 0;  ///< the most of the columns
  bool converged = false;
  std::optional<Index> levels;                ///< of multigrid
  std::optional<double> operator_complexity;  ///< its entries on all levels over those of A
};

/// A Krylov method with its preconditioner, made for one system: set_up(), then solve(), which are
/// what is timed. Errors are exceptions. Collective, all of it.
class IterativeContender {
 public:
  virtual ~IterativeContender() = default;

  /// From the matrix, which it has in a form of its own, to the preconditioner.
  virtual void set_up() = 0;

  /// X for A X = B from X = 0, to system.tolerance.
  virtual void solve() = 0;

  /// Own rows of X.
  virtual Dense<double> solution() const = 0;

  virtual IterationFigures figures() const = 0;
};

}  // namespace spsolve::bench
