#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "spsolve/matrix.hpp"
#include "spsolve/options.hpp"
#include "spsolve/product.hpp"
#include "spsolve/ranks.hpp"
#include "spsolve/solver.hpp"
#include "spsolve/spsolve.h"
#include "team/team.hpp"

// Declarations that the files of the C interface share.

struct spsolve_ranks {
  spsolve::Ranks ranks;
};
struct spsolve_matrix {
  spsolve::Matrix matrix;
};
struct spsolve_solver {
  spsolve::Ranks ranks;
  spsolve::Solver solver;
  // Of the last solution:
  std::string notes;
  spsolve::Solution last = {};  ///< but for x
  int64_t solves = 0;
  // As they were asked for last:
  spsolve::SolverPlan plan = {};
  spsolve::SetUpReport report = {};
};
struct spsolve_product {
  spsolve::Ranks ranks;
  spsolve::Product product;
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

/// Notes the last error of this thread; hands back its status.
spsolve_status refuse(std::string sentence);
spsolve_status refuse(const Failure& failure);

/// The status that work() hands back, or that of what it throws, which goes no further.
template <typename Work>
spsolve_status guarded(Work&& work) {
  try {
    return work();
  } catch (...) {
    return refuse(current_failure());
  }
}

/// Makes an object by `make` and hands it out.
template <typename Object, typename Make>
spsolve_status create(Object** object, const Make& make) {
  if (object == nullptr) return refuse("there is no place to put the new object");
  *object = nullptr;
  return guarded([&] {
    *object = make();
    return SPSOLVE_OK;
  });
}

/// Hands out no object, and the status of arguments that are wrong already.
template <typename Object>
spsolve_status refuse(Object** object, std::string sentence) {
  if (object != nullptr) *object = nullptr;
  return refuse(std::move(sentence));
}

/// The ranks of a program in C: without any this process alone.
inline Ranks ranks_from_c(const spsolve_ranks* ranks) {
  return ranks != nullptr ? ranks->ranks : Ranks();
}

/// Throws an error of one rank's arguments on all of them.
inline void require_together(const Ranks& ranks, bool good, const char* sentence) {
  together(ranks.team(), [&] {
    if (!good) fail(ExitCode::input, "{}", sentence);
  });
}

/// Calls work(matrix, options) of a program in C over ranks. Throws on all of them where there is
/// no matrix, or options of one rank are none.
template <typename Work>
void with_system(const Ranks& ranks, const spsolve_matrix* matrix, const spsolve_options* options,
                 const Work& work) {
  require_together(ranks, ranks.rank() > 0 || matrix != nullptr, "there is no matrix");
  const Matrix none;
  const Matrix& of = matrix != nullptr ? matrix->matrix : none;
  const Options wanted = together(ranks.team(), [&] { return options_from_c(options, of.rows()); });
  work(of, wanted);
}

/// A structure with a size as this version has it; what an earlier one did not know by `defaults`.
/// Error(ExitCode::input) of one that is shorter than the first version's, or longer.
template <typename Structure>
Structure of_this_version(const Structure& given, std::size_t least, const Structure& defaults,
                          const char* name) {
  if (given.size < least || given.size > sizeof given) {
    fail(ExitCode::input,
         "{0} of {1} bytes, where this version of spsolve has from {2} to {3}; "
         "spsolve_{0}_init() sets the size, and a program must not be newer than the library",
         name, given.size, least, sizeof given);
  }
  Structure all = defaults;
  std::memcpy(static_cast<void*>(&all), &given, given.size);
  return all;
}

/// Writes the defaults into a structure of C of `size` bytes.
template <typename Structure>
void write_defaults(Structure* to, std::size_t size, Structure defaults) {
  if (to == nullptr) return;
  defaults.size = size;  // more than this version has is refused when it is used
  std::memset(static_cast<void*>(to), 0, size);
  std::memcpy(static_cast<void*>(to), &defaults, std::min(size, sizeof defaults));
}

/// The word that a number of C stands for, of those from 0 to `last`.
template <typename Word>
Word word_of(int number, Word last, const char* option) {
  if (number >= 0 && number <= static_cast<int>(last)) return static_cast<Word>(number);
  fail(ExitCode::input, "the option {} is {}; it is one of the numbers from 0 to {}", option,
       number, static_cast<int>(last));
}

/// A row-major array of C as a multivector.
template <typename T>
Dense<T> c_rows(const T* values, Index rows, Index columns) {
  Dense<T> result(rows, columns);
  std::copy_n(values, rows * columns, result.values.begin());
  return result;
}

}  // namespace spsolve
