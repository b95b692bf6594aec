#pragma once

#include <string>
#include <vector>

#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "eliminate/eliminate.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// Powers of two r_i and c_j, the same on every rank, that bring the largest entry of every row and
/// column of (r_i a_ij c_j) near 1: see
/// equilibration_of(). Both empty where the matrix is left as it is.
struct Equilibration {
  std::vector<double> rows, columns;

  bool scales() const { return !rows.empty(); }
};

/// Scale factors as LAPACK's geequb finds them: r_i = 1 / max_j |a_ij|, then c_j = 1 / max_i r_i
/// |a_ij|, each rounded to a power of two, so that scaling rounds nothing (short of underflow of
/// entries 10^300 times smaller than the largest of their row). A row or column of zeros keeps
/// factor 1.
/// AutoSwitch::automatic scales where LAPACK's gesvx does: where the largest entries of rows, or of
/// columns after the rows were scaled, differ by a factor of 10 or more, or the largest of all is
/// within 2^54 of the range of `precision`. Each rank brings its rows `band` of the matrix of order
/// bands.rows. Cost: two passes over the non-zeros and two all-gathers of n values. Collective.
Equilibration equilibration_of(Team& team, const RowBands& bands, const Csr<double>& band,
                               AutoSwitch wanted, Precision precision);

/// r_i a_ij c_j for the entries of `rows`: the rows of A that this rank of the team eliminates with
/// `choice`, in their local order (see deals_in_cycles()).
Csr<double> scaled_rows(const Equilibration& scaling, const EliminationChoice& choice,
                        const Team& team, Csr<double> rows);

/// x(i, :) <- factors_i x(i, :)
void multiply_rows(const std::vector<double>& factors, Dense<double>& x);

/// The eliminated R A C as what solves with A: A^-1 = C (R A C)^-1 R.
Eliminated undo_scaling(Eliminated eliminated, Equilibration scaling);

}  // namespace spsolve
