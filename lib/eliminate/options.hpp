#pragma once

namespace spsolve {

/// How A x = b is eliminated.
enum class Method {
  automatic,     ///< the method that this size, precision and device call for
  gauss,         ///< rows below the pivot; back substitution
  gauss_jordan,  ///< rows above and below the pivot; no back substitution
  lu,            ///< blocked elimination: the same as gauss at the speed of matrix products
};

/// Where the pivot of step k is looked for.
enum class Pivoting {
  automatic,   ///< tournament for lu on several ranks or on a GPU, else partial
  none,        ///< a_kk as it comes
  partial,     ///< column k, from row k down
  complete,    ///< all rows and columns from k on; not for lu
  tournament,  ///< the best of the best rows of each rank's, or a GPU's parts; lu only
};

/// Where a rank's dense rows lie: in host memory, or in that of a GPU of its own.
enum class BandMemory { host, gpu };

/// Which ranks eliminate: all of them, or rank 0 alone where that is sooner done.
enum class SolvingRanks { automatic, all };

/// What may be switched on or off, or left to the program to decide.
enum class AutoSwitch { automatic, on, off };

}  // namespace spsolve
