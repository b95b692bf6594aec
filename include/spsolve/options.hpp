#pragma once

#include <string>

#include "spsolve/types.hpp"

namespace spsolve {

/// How A x = b is eliminated.
enum class Method {
  automatic,        ///< the method that this size, precision and device call for
  gauss,            ///< rows below the pivot; back substitution
  gauss_jordan,     ///< rows above and below the pivot; no back substitution
  lu,               ///< blocked elimination: the same as gauss at the speed of matrix products
  sparse_cholesky,  ///< L L^T of a sparse symmetric positive definite matrix
  sparse_ldlt,      ///< L D L^T of a sparse symmetric matrix
  sparse_lu,        ///< L U of any sparse matrix
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

/// What may be switched on or off, or left to the program to decide.
enum class AutoSwitch { automatic, on, off };

/// How a system is solved: the keys of the section `solve` of a configuration.
struct SolverOptions {
  Method method = Method::automatic;
  Pivoting pivoting = Pivoting::automatic;
  Precision precision = Precision::float64;
  Index block = 0;                          ///< lu: columns of a panel; 0 chooses by itself
  Ordering ordering = Ordering::automatic;  ///< of the sparse methods
  /// Ordering::file: a text file that names all unknowns in the order of elimination, one a line,
  /// numbered from 1; see docs/methods.md.
  std::string ordering_file = {};
  /// File that the analysis of a sparse matrix is kept in: read where it is there and of this
  /// matrix' pattern, else written. Empty: none.
  std::string analysis_file = {};
  AutoSwitch equilibrate = AutoSwitch::automatic;
  int refinement = 10;    ///< most sweeps of iterative refinement
  bool condition = true;  ///< whether condition numbers are estimated

  bool operator==(const SolverOptions&) const = default;
};

/// Where is computed: on GPUs where every rank can have one of its own and it pays, or as named.
enum class Device { automatic, host, cuda };

/// How a Solver of a program goes about it.
struct Options : SolverOptions {
  Device device = Device::automatic;
  bool share_gpus = false;  ///< whether ranks may share a GPU
};

}  // namespace spsolve
