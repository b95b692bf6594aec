#pragma once

#include "matrix/csr.hpp"

namespace spsolve {

/// C = A B for a matrix B in two parts: column j of A meets row j of `own` for j < own.rows, and
/// row j - own.rows of `halo` behind, as BandMatrix numbers the columns of its rows. C has the
/// columns of B, ascending. By rows, in threads, each with an accumulator of as many places as C
/// has columns (Gustavson, 1978): bits that do not depend on the number of threads. Cost: one
/// multiplication for every pair of entries a_ij, b_jk, and the sorting of rows.
Csr<double> sparse_product(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo);

}  // namespace spsolve
