#pragma once

#include <string_view>

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

/// Why the two don't go together, and what to do, in a sentence without a full stop; or "".
constexpr std::string_view why_not(Method method, Pivoting pivoting) {
  if (method == Method::lu && pivoting == Pivoting::complete) {
    return "solve.pivoting=complete does not go with solve.method=lu; use solve.method=gauss, or "
           "solve.pivoting=tournament or partial";
  }
  const bool by_columns = method == Method::gauss || method == Method::gauss_jordan;
  if (by_columns && pivoting == Pivoting::tournament) {
    return "solve.pivoting=tournament goes with solve.method=lu only; use "
           "solve.pivoting=partial or solve.method=lu";
  }
  return "";
}

/// Where a rank's dense rows lie: in host memory, or in that of a GPU of its own.
enum class BandMemory { host, gpu };

/// Which ranks eliminate: all of them, or rank 0 alone where that is sooner done.
enum class SolvingRanks { automatic, all };

/// What may be switched on or off, or left to the program to decide.
enum class AutoSwitch { automatic, on, off };

}  // namespace spsolve
