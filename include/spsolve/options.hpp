#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "spsolve/dense.hpp"
#include "spsolve/types.hpp"

namespace spsolve {

/// How A x = b is solved.
enum class Method {
  automatic,        ///< the method that this size, precision and device call for
  gauss,            ///< rows below the pivot; back substitution
  gauss_jordan,     ///< rows above and below the pivot; no back substitution
  lu,               ///< blocked elimination: the same as gauss at the speed of matrix products
  sparse_cholesky,  ///< L L^T of a sparse symmetric positive definite matrix
  sparse_ldlt,      ///< L D L^T of a sparse symmetric matrix
  sparse_lu,        ///< L U of any sparse matrix
  // By products with A and a preconditioner alone, none of which fill A in:
  cg,        ///< conjugate gradients, for symmetric positive definite matrices
  minres,    ///< minimal residuals, for symmetric matrices
  gmres,     ///< generalised minimal residuals, restarted, for any matrix
  bicgstab,  ///< stabilised biconjugate gradients, for any matrix
  idr,       ///< induced dimension reduction, IDR(4), for any matrix
  block_cg,  ///< as cg, each right-hand side searching the directions of all
  cocr,      ///< conjugate residuals for complex symmetric matrices, A = A^T
};

/// The operator that stands for A^-1 in a step of a Krylov method.
enum class Preconditioner {
  automatic,  ///< what A and the method call for
  none,
  jacobi,             ///< the diagonal
  block_jacobi,       ///< blocks on the diagonal
  chebyshev,          ///< a polynomial of A
  ilu0,               ///< incomplete L U without fill-in
  ic0,                ///< incomplete L L^T without fill-in
  elimination,        ///< sparse elimination in float
  multigrid,          ///< a cycle of smoothed aggregation
  shifted_laplacian,  ///< a cycle for a complex Helmholtz equation with more damping
};

/// The order in which sparse elimination takes the unknowns, which decides how much it fills in.
enum class Ordering {
  automatic,          ///< nested dissection or amd, whichever takes fewer flops
  nested_dissection,  ///< separators last
  amd,                ///< approximate minimum degree
  rcm,                ///< reverse Cuthill-McKee
  natural,            ///< as the matrix has them
  file,               ///< as a file names them: SolverOptions::ordering_file
};

/// Where a dense elimination looks for the pivot of step k.
enum class Pivoting {
  automatic,   ///< tournament for lu on several ranks or on a GPU, else partial
  none,        ///< a_kk as it comes
  partial,     ///< column k, from row k down
  complete,    ///< all rows and columns from k on; not for lu
  tournament,  ///< the best of the best rows of each rank's, or a GPU's parts; lu only
};

/// The vectors that a singular matrix takes to zero.
enum class NullSpaceKind {
  none,       ///< A is regular
  constants,  ///< those whose elements are all equal
  file,       ///< the columns of a file: SolverOptions::null_space_file
};

/// A switch that is on or off, or left to the program to decide.
enum class AutoSwitch { automatic, on, off };

/// The condition for a solution to be called solved, in addition to a small residual.
enum class Acceptance {
  digits,    ///< digits of x are right, as far as its forward error is known
  residual,  ///< nothing more
};

/// Where sparse factors are: in memory, or in a file; automatic: in memory, if they fit.
enum class FactorPlace { automatic, memory, disk };

/// The ranks that eliminate: all of them, or those by which it is predicted to be sooner done.
enum class SolvingRanks { automatic, all };

/// A step of a long task, such as an elimination.
struct SolverStep {
  std::string task;  ///< analysing, eliminating, iterating, estimating, ...
  /// Done, and in all, at most: vertices, fronts, columns, iterations; 0: unknown.
  Index step = 0, steps = 0;
  double fraction = 0;         ///< of the work that is done, from 0 to 1, as far as is known
  double seconds = 0;          ///< since the task began
  double backward_error = -1;  ///< of an iteration; -1 of other tasks
};

/// How a system is solved: the keys of the section `solve` of a configuration.
struct SolverOptions {
  Method method = Method::automatic;
  Pivoting pivoting = Pivoting::automatic;
  Precision precision = Precision::float64;
  SolvingRanks ranks = SolvingRanks::automatic;
  Index block = 0;                          ///< lu: columns of a panel; 0 chooses by itself
  Ordering ordering = Ordering::automatic;  ///< of the sparse methods
  /// Ordering::file: a text file that names all unknowns in the order of elimination, one a line,
  /// numbered from 1; see docs/methods.md.
  std::string ordering_file = {};
  /// Ordering::file without a file: the unknowns in the order of elimination, from 0; rank 0's.
  std::shared_ptr<const std::vector<Index>> order = {};
  /// File that the analysis of a sparse matrix is kept in: read where it is there and of this
  /// matrix' pattern, else written. Empty: none.
  std::string analysis_file = {};
  /// Whether rows are matched with columns by their values before sparse elimination: for L U
  /// unless the diagonal is strong; for L D L^T, whose matched rows stay together in the order as
  /// 2 x 2 pivots, where pivots turn out to be too small without.
  AutoSwitch matching = AutoSwitch::automatic;
  FactorPlace factors = FactorPlace::automatic;  ///< of a sparse method by one rank on a host
  /// The folder of their file, which has no name there and is gone at the end. Empty: that of
  /// TMPDIR, or the working directory.
  std::string factors_folder = {};
  /// Krylov methods: the preconditioner, the backward error that they stop at (0: as small as
  /// double gets), the most steps (0: by the order), the most seconds of the steps of a solve (0:
  /// no limit), and the steps of a cycle of gmres.
  Preconditioner preconditioner = Preconditioner::automatic;
  double tolerance = 0;
  Index iterations = 0;
  double time_limit = 0;
  Index restart = 30;
  /// Krylov methods: a file with a first guess of the first solution, n x right-hand sides. Empty:
  /// none.
  std::string initial_guess = {};
  /// Krylov methods with multigrid: a file with the coordinates of the nodes of linear elasticity,
  /// nodes x 2 or 3, of a matrix with as many unknowns a node, which follow each other; see
  /// docs/methods.md. Empty: none.
  std::string coordinates = {};
  /// Krylov methods, for a singular A: x is orthogonal to its null space. NullSpaceKind::file: an
  /// array of n x the dimension.
  NullSpaceKind null_space = NullSpaceKind::none;
  std::string null_space_file = {};
  /// NullSpaceKind::file without a file: the vectors themselves, n x the dimension; rank 0's.
  std::shared_ptr<const Dense<double>> null_vectors = {};
  AutoSwitch equilibrate = AutoSwitch::automatic;
  int refinement = 10;    ///< most sweeps of iterative refinement
  bool condition = true;  ///< whether condition numbers are estimated
  Acceptance accept = Acceptance::digits;

  bool operator==(const SolverOptions&) const = default;
};

/// The device that computes: GPUs where every rank can have one of its own and it pays, or the one
/// that is named.
enum class Device { automatic, host, cuda };

/// How a Solver of a program goes about its work.
struct Options : SolverOptions {
  Device device = Device::automatic;
  bool share_gpus = false;  ///< whether ranks may share a GPU
  /// The systems that are expected, which Method::automatic and the plan of memory go by: columns
  /// of B that are solved for at once, and systems in turn, with other right-hand sides or with
  /// other values. One right-hand side of one system may be iterated where it is soonest solved so;
  /// for several, factors are made, unless A is a graph with hubs, whose factors are nearly full.
  /// More than are expected are solved all the same.
  Index right_hand_sides = 1;
  Index systems = 1;
  /// Coordinates of the nodes, nodes x 2 or 3, in place of a file of `coordinates`; of rank 0.
  Dense<double> node_coordinates = {};
  /// A first guess of the first solution, n x right-hand sides, in place of a file of
  /// `initial_guess`; of rank 0.
  Dense<double> first_guess = {};
  /// Called at the beginning of an analysis or elimination, at every iteration, and for every
  /// thousandth of other work of hosts, and of dense elimination on GPUs. An analysis is rank 0's,
  /// and by minimum degree tells of its phases alone. Called by any thread of the library, one at a
  /// time, also in later calls of the Solver, of which it calls none. Where it hands back false,
  /// the call ends by Error(interrupted); where it throws, by that exception. A Solver whose
  /// elimination, or first iteration, was ended so refuses to solve until it has new values. Over
  /// ranks each may have one or none: the wish of one ends the call on all, at the next step of all
  /// of them, with Error(interrupted) on the others.
  std::function<bool(const SolverStep&)> on_step = {};
};

}  // namespace spsolve
