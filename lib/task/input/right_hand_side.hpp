#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "io/dense_source.hpp"
#include "matrix/shape.hpp"
#include "solve/operators/system_matrix.hpp"

namespace spsolve::inline task {

/// How real numbers stand for complex ones in a system.
struct SystemForm {
  Index parts = 1;          ///< rows to a row of A: complex_parts of a real form, else 1
  bool conjugates = false;  ///< by conjugate_rows() of matrix/real_form.hpp
  bool in_pairs = false;    ///< A is real, columns of B and X real and imaginary parts in turn

  bool is_complex() const { return parts > 1 || in_pairs; }
};

/// The right-hand sides B, n x K in bands, that the configuration names for `matrix`: its row sums
/// (so that x is all ones), ones, uniform random values in [-1, 1), or the columns of a Matrix
/// Market file, in the order of `matrix`, whose rows were rotated by `rotated_by` (see
/// rotate_rows()): those of a file and random ones are rotated as well, so that x is the same.
/// Throws Error(input) on every rank where the file's rows differ from the matrix's. Collective.
///
/// Of a `matrix` that is the real form of a complex one, `form.parts` rows to a row, they are the
/// real form of B; complex B of a real matrix are columns of real and of imaginary parts in turn,
/// `form.in_pairs`.
std::unique_ptr<Vectors> right_hand_side(const Config::RightHandSide& config, SystemMatrix& matrix,
                                         const SystemForm& form, Index rotated_by = 0);

/// The form of a system with right-hand sides that were found, by that of its matrix, on every
/// rank. Collective.
SystemForm form_of(const Config::RightHandSide& config, SystemForm matrix, Team& team);

/// Writes the solution X of a system of that form as what it stands for. Collective.
void write_solution(const std::filesystem::path& file, const Vectors& x, const SystemForm& form,
                    std::string_view comment);

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

/// The columns of one that was found, before it is read, for a matrix of that shape, where it is
/// known, and whether they are complex. Throws Error(input) where a file has other rows.
DenseShape columns_of_b(const Config::RightHandSide& config,
                        const std::optional<MatrixShape>& matrix);

/// Whether x is known to be all ones.
bool solution_is_ones(const Config::RightHandSide& config);

/// sum over i and c of |x_ic - 1|^2, of real and imaginary parts in turn where there are 2 `parts`.
/// Collective.
double distance_from_ones(const Vectors& x, Index parts);

}  // namespace spsolve::task
