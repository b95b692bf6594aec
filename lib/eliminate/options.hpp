#pragma once

#include <type_traits>

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
  automatic,   ///< tournament for lu, else partial
  none,        ///< a_kk as it comes
  partial,     ///< column k, from row k down
  complete,    ///< all rows and columns from k on; not for lu
  tournament,  ///< the best of each rank's best rows of a panel; lu only
};

/// Where a rank's dense rows lie: in host memory, or in that of a GPU of its own.
enum class BandMemory { host, gpu };

/// The type that a matrix is eliminated in; solutions and residuals are always double. Mixed:
/// eliminated in float, solved to the backward error of double by GMRES, and eliminated in double
/// where that fails.
enum class Precision { float32, float64, mixed };

/// The precision whose values are of type T, float or double.
template <typename T>
inline constexpr Precision precision_of =
    std::is_same_v<T, float> ? Precision::float32 : Precision::float64;

/// Which ranks eliminate: all of them, or rank 0 alone where that is sooner done.
enum class SolvingRanks { automatic, all };

/// What may be switched on or off, or left to the program to decide.
enum class AutoSwitch { automatic, on, off };

}  // namespace spsolve
