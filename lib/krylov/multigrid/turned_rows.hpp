#pragma once

#include <complex>
#include <span>
#include <vector>

#include "matrix/csr.hpp"
#include "team/team.hpp"

// Rows of the real forms of complex matrices times a number of modulus 1 each, u_i, with which
// diagonals are positive: what is made for such, smoothers above all, serves for all complex
// matrices then.

namespace spsolve::inline krylov {

using Turns = std::vector<std::complex<double>>;

/// u_i = conj(a_ii) / |a_ii| of own rows, whose own columns come first; 1 where a_ii is 0.
Turns turns_of(const Csr<double>& rows);

/// a_ij <- u_i a_ij, as rows of real parts have a_ij: those of imaginary parts become that of the
/// plain form.
void turn_rows(std::span<const std::complex<double>> turns, Csr<double>& rows);

/// The matrix that vectors are multiplied by likewise, the first own column being `first`;
/// `conjugated`: vectors whose imaginary parts have the opposite sign.
Csr<double> matrix_of_turns(const Turns& turns, bool conjugated, Index first, Index columns);

/// a_ij <- conj(a_ij)
void conjugate_numbers(Csr<double>& rows);

/// Adds i s `share` m_i to the diagonal, m_i = max(0, -re(sum of row i)) and s the sign of the
/// imaginary part of all sums, - for 0: of a discretised -div grad u - k^2 u, which may be damped,
/// row sums are those of -k^2 times the mass matrix inside, and this is the complex shift of
/// Erlangga, Oosterlee and Vuik (2006). Diagonals are positive. Hands back whether there is any
/// m_i. Collective.
bool add_damping(Team& team, double share, Csr<double>& rows);

}  // namespace spsolve::krylov
