#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spsolve/dense.hpp"
#include "spsolve/inertia.hpp"
#include "spsolve/matrix.hpp"
#include "spsolve/options.hpp"
#include "spsolve/ranks.hpp"

namespace spsolve {

/// How a matrix was eliminated.
struct SetUpReport {
  std::string method;    ///< as solve.method of a configuration names it, such as sparse_lu
  std::string pivoting;  ///< none, partial, complete, tournament
  std::string device;    ///< host or cuda
  bool equilibrated = false;
  double pivot_growth = 0;  ///< max |u_ij| / max |a_ij|; 0, as the next two, of Krylov methods
  double smallest_pivot = 0, largest_pivot = 0;
  // Of a sparse method; 0 of others, and nothing:
  Index factor_entries = 0;              ///< of L, and of U where there is one
  double flops = 0;                      ///< of the elimination
  std::string ordering;                  ///< as solve.ordering of a configuration names it
  Index perturbed_pivots = 0;            ///< too small ones that were made larger
  std::optional<Index> negative_pivots;  ///< of L L^T and L D L^T; see Solver::inertia()
  std::string preconditioner;            ///< of a Krylov method, as a configuration names it
  double seconds = 0;                    ///< of the analysis and of the last elimination
  std::vector<std::string> notes;
};

/// A solution of A X = B, or A^T X = B, and how far it can be trusted: the figures of the
/// application's report.
struct Solution {
  Dense<double> x;                        ///< this rank's rows
  Dense<std::complex<double>> complex_x;  ///< the same of complex right-hand sides
  /// Whether x solves a system near the one that was given, and, but for Acceptance::residual, some
  /// of its digits are right as far as is known; see also `notes`.
  bool solved = false;
  double backward_error = 0;       ///< normwise
  double componentwise_error = 0;  ///< componentwise backward error
  int sweeps = 0;                  ///< of refinement
  /// Where they were asked for. Of a solver's later solutions the componentwise one is a bound for
  /// any right-hand side, unless something is to be noted of this one: estimates are not repeated.
  std::optional<double> condition, componentwise_condition;
  /// Bound on ||x - x*|| / ||x||, x* the exact solution, and its estimate as the last corrections
  /// let expect it; infinite where it is not known.
  double forward_error_bound = 0, forward_error_estimate = 0;
  double seconds = 0;
  Index steps = 0;                 ///< of a Krylov method
  std::vector<double> history;     ///< backward errors before the first of them and after each
  std::vector<std::string> notes;  ///< what to know before using x
};

/// The plan of a Solver for a matrix, as far as it is known before a value is eliminated.
struct SolverPlan {
  std::string method;        ///< as SetUpReport::method
  std::string device;        ///< host or cuda
  std::string ordering;      ///< of a sparse method; empty for others
  Index factor_entries = 0;  ///< of a sparse method
  double flops = 0;          ///< of the elimination; 0 of Krylov methods
  double seconds = 0;        ///< predicted, roughly
  std::int64_t bytes = 0;    ///< of memory that this process would hold, on its host
  bool fits = true;          ///< into the memory that is free
  std::string remedy;        ///< another way that would do where it does not
  std::string text;          ///< the plan as a table
};

/// Analyses the pattern, chooses and plans; takes no memory for factors. Likewise collective.
SolverPlan plan_solver(const Matrix& a, const Options& options = {}, Ranks ranks = {});

/// The matrix of a system: A, A^T or A^H.
enum class Transposition { none, transposed, adjoint };

/// Solves systems with one square matrix A, n x n: eliminated once, solved with as often as wanted,
/// eliminated again for new values of the same pattern. Over several ranks every call is
/// collective; rank r has the rows own() of right-hand sides and solutions, and none holds more,
/// but for rank 0 where it does a sparse elimination alone; where Method::automatic leaves a small
/// system to one GPU, own() is all rows on rank 0 and none elsewhere. A failure throws the same
/// Error on every rank: input, resources (with what would do), not_trustworthy (A is singular). The
/// program spsolve chooses the method and does its work by the same code, and gets the same bits
/// for the first system. Where Method::automatic or a name has chosen an iteration, this begins
/// with the first right-hand sides, and what it fails by is told then: an elimination may follow.
class Solver {
 public:
  /// Plans, refuses a system that does not fit into memory, and eliminates or prepares to iterate.
  /// `a`: of rank 0; others pass an empty one.
  explicit Solver(const Matrix& a, const Options& options = {}, Ranks ranks = {});
  ~Solver();

  /// A Solver of which the pattern is analysed and the memory planned, and no more: it eliminates
  /// the first values that set_values() gives it, and throws Error(input) if it is to solve before.
  /// Those of `a` are what the analysis goes by.
  static Solver analysed(const Matrix& a, const Options& options = {}, Ranks ranks = {});

  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  Index order() const;      ///< n
  bool is_complex() const;  ///< whether A is
  Range own() const;        ///< this rank's rows

  /// A X = B and A^T X = B for the own().size() x K rows `b` of B, refined and measured against the
  /// sparse A. For A^T the rows of the transposed matrix are kept from the first call on.
  Solution solve(const Dense<double>& b);
  Solution solve_transposed(const Dense<double>& b);

  /// Solves A x = b, with `transposed` A^T x = b, for numbers that lie elsewhere, own().size() x
  /// columns each, row-major: the solution is written to `x`, which may be `b`, and Solution::x
  /// stays empty. Of a Solver on a GPU both may lie in the memory of that GPU.
  Solution solve(std::span<const double> b, Index columns, std::span<double> x,
                 bool transposed = false);

  /// x <- M^-1 b, with `transposed` M^-T b, by one application of the preconditioner of the Krylov
  /// method that was named: of Preconditioner::multigrid one cycle from 0, symmetric where A is. x
  /// is only near a solution, and not judged. Arrays as those of solve(). Throws Error(input) where
  /// another method or Method::automatic was named, which have none to apply.
  void precondition(std::span<const double> b, Index columns, std::span<double> x,
                    bool transposed = false);
  void precondition(std::span<const std::complex<double>> b, Index columns,
                    std::span<std::complex<double>> x, Transposition of = Transposition::none);

  /// A X = B, A^T X = B and A^H X = B for complex right-hand sides, of a real or a complex A; of
  /// arrays likewise, but in host memory alone. A complex A takes no real ones. Complex systems are
  /// judged as their real form of twice the order, and eliminated in complex numbers on hosts; see
  /// docs/complex.md for which figures are of which.
  Solution solve(const Dense<std::complex<double>>& b, Transposition of = Transposition::none);
  Solution solve(std::span<const std::complex<double>> b, Index columns,
                 std::span<std::complex<double>> x, Transposition of = Transposition::none);

  /// x <- one part of A^-1 b, or of A^-T b, by sparse factors: Substitution::forward of b, diagonal
  /// of that and backward of that in turn are x of solve() before it is refined, and not judged. Of
  /// L L^T, y of the first has y^T y = b^T A^-1 b, of L D L^T y^T D^-1 y; diagonal changes nothing
  /// where there is no D. Arrays as those of solve(). Throws Error(input) where factors have no
  /// such parts: over ranks, on GPUs, of a block triangular form, or if solves are by GMRES.
  void substitute(Substitution step, std::span<const double> b, Index columns, std::span<double> x,
                  bool transposed = false);
  void substitute(Substitution step, std::span<const std::complex<double>> b, Index columns,
                  std::span<std::complex<double>> x, Transposition of = Transposition::none);

  /// New values for the pattern of A: of own rows, row after row, columns ascending; eliminates
  /// again. Values that are too few, too many or not finite throw Error(input), and the solver
  /// stays as it was. Where the elimination fails, as that of a singular matrix does, solve()
  /// throws Error(input) until set_values() has succeeded.
  void set_values(std::span<const double> values);
  void set_values(std::span<const std::complex<double>> values);

  /// A + diag(shifts), a number for each own row, for the values that A was made of or that
  /// set_values() gave it last: the shifts before are gone. Eliminates again, without another
  /// analysis, and throws as set_values() does; also Error(input) where a row is to be shifted that
  /// has no entry on the diagonal (a stored zero is one). With `values` these are taken at once.
  void set_shifts(std::span<const double> shifts);
  void set_values(std::span<const double> values, std::span<const double> shifts);
  void set_values(std::span<const std::complex<double>> values, std::span<const double> shifts);

  const SetUpReport& report() const;

  SolverPlan plan() const;  ///< as plan_solver() has it

  /// The numbers of positive, negative and zero eigenvalues of a symmetric or Hermitian A, as the
  /// pivots of L L^T or L D L^T have them (Sylvester), and how sure they are; nothing where there
  /// are no such factors. Where new values were refused as those of a singular matrix, with the
  /// rows that no pivot was left for. Costs a solution of two columns, and where pivots were
  /// perturbed, another elimination, for later values then at once; if that finds A to be singular,
  /// solve() throws Error(input) until new values come.
  std::optional<Inertia> inertia();

 private:
  struct State;
  explicit Solver(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace spsolve
