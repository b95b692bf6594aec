#pragma once

#include <algorithm>
#include <functional>
#include <limits>

#include "spsolve/options.hpp"
#include "spsolve/ranks.hpp"
#include "spsolve/spsolve.h"

// Declarations that the files of the C interface share.

struct spsolve_ranks {
  spsolve::Ranks ranks;
};

namespace spsolve {

/// Puts the ranks that `make` makes into *ranks for a program in C; an error that it throws becomes
/// a status and the last error, and *ranks NULL.
spsolve_status hand_out(spsolve_ranks** ranks, const std::function<Ranks()>& make);

/// The options of a Solver of a matrix with so many rows; NULL: the defaults. Error
/// (ExitCode::input) of a structure that is not of this version or an earlier one, and of words and
/// sizes that are none.
Options options_from_c(const spsolve_options* given, Index rows);

/// Whether rows x columns numbers can be counted, both from 0 on.
inline bool countable(Index rows, Index columns) {
  constexpr Index most = std::numeric_limits<Index>::max() / Index{sizeof(double)};
  return rows >= 0 && columns >= 0 && (rows == 0 || columns <= most / rows);
}

/// A row-major array of C as a multivector.
template <typename T>
Dense<T> c_rows(const T* values, Index rows, Index columns) {
  Dense<T> result(rows, columns);
  std::copy_n(values, rows * columns, result.values.begin());
  return result;
}

}  // namespace spsolve
