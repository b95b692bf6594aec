#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "solve/operators/system_matrix.hpp"

namespace spsolve::inline task {

/// The right-hand sides B, n x K in bands, that the configuration names for `matrix`: its row sums
/// (so that x is all ones), ones, uniform random values in [-1, 1), or the columns of a Matrix
/// Market file, in the order of `matrix`, whose rows were rotated by `rotated_by` (see
/// rotate_rows()): those of a file and random ones are rotated as well, so that x is the same.
/// Throws Error(input) on every rank where the file's rows differ from the matrix's. Collective.
std::unique_ptr<Vectors> right_hand_side(const Config::RightHandSide& config, SystemMatrix& matrix,
                                         Index rotated_by = 0);

/// Whether rows of right-hand sides have to change places with those of the matrix, as far as is
/// known before they are found.
bool rotates_with_rows(const Config::RightHandSide& config);

/// A right-hand side that leaves nothing to be found, and where it comes from, in words.
struct FoundRightHandSide {
  Config::RightHandSide config;
  std::string source;
  std::string note;  ///< on a file that was not taken, or was though its name says little; or ""
};

/// The right-hand side of kind=auto for a matrix of so many rows: the file NAME_b.mtx next to the
/// matrix' file NAME.mtx, as collections name it; or b.mtx there, if it has a row for each of the
/// matrix; else row sums. Looks at the files of this rank.
FoundRightHandSide find_right_hand_side(const Config& config, Index rows);

/// K of one that was found, before it is read, for a matrix of so many rows, where they are known.
/// Throws Error(input) where a file has another number.
Index columns_of_b(const Config::RightHandSide& config, std::optional<Index> rows);

/// Whether x is known to be all ones.
bool solution_is_ones(const Config::RightHandSide& config);

/// sum over i and c of (x_ic - 1)^2. Collective.
double distance_from_ones(const Vectors& x);

}  // namespace spsolve::task
