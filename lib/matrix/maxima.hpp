#pragma once

#include <span>

#include "matrix/csr.hpp"

namespace spsolve {

/// largest_i <- max over j of |a_ij|, 0 for an empty row; a nan is nothing. Cost: reads the values.
void row_maxima(const Csr<double>& rows, std::span<double> largest);

/// largest_j <- max over i of factor_i |a_ij| for factors >= 0, likewise. Cost: reads the matrix.
void column_maxima(const Csr<double>& rows, std::span<const double> factors,
                   std::span<double> largest);

}  // namespace spsolve
