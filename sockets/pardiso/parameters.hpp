#pragma once

#include "sockets/pardiso/call.hpp"

namespace spsolve::sockets {

enum class Symmetry { none, symmetric, hermitian };

/// A kind of matrix, as mtype numbers it.
struct MatrixKind {
  Index mtype;
  bool is_complex;
  Symmetry symmetry;  ///< then the upper triangle is given
  Method method;
  bool tells_inertia;
};

/// The kind of that number. Throws Error(input) where there is none.
const MatrixKind& kind_of(Index mtype);

/// The wishes that iparm stands for.
struct Wishes {
  Ordering ordering = Ordering::automatic;
  bool permutes = false;                        ///< by the caller's perm
  bool matches = false;                         ///< pairs of rows, as 2 x 2 pivots
  bool over_b = false;                          ///< x is written to b
  int refinement = SolverOptions().refinement;  ///< most sweeps
  Transposition of = Transposition::none;
  bool checks = false;            ///< the matrix checker
  bool in_float = false;          ///< factors
  bool numbers_in_float = false;  ///< of the caller
  Index base = 1;
  bool by_residual = false;  ///< an x with a small backward error will do
};

/// Sets iparm to the defaults for a kind of matrix.
void set_defaults(Dialect dialect, const MatrixKind& kind, Parameters& iparm);

/// The wishes of a call, whose iparm gets the defaults where iparm(1) = 0. Throws Error(input) for
/// what is not done.
Wishes read_parameters(Dialect dialect, const MatrixKind& kind, Parameters& iparm);

}  // namespace spsolve::sockets
