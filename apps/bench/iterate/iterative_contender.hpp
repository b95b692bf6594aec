#pragma once

#include <memory>
#include <optional>
#include <string>

#include "distribute/layout/row_layout.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "system/coordinates.hpp"
#include "team/team.hpp"

namespace spsolve::bench {

/// A square sparse system in bands, as those that iterate on it get it.
struct IterativeSystem {
  std::string name;
  RowLayout bands;
  Index nonzeros = 0;  ///< of the whole
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
