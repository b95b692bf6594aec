#pragma once

#include <string>
#include <vector>

#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The cost of a storage format for a matrix.
struct FormatCost {
  std::string format;
  double bytes = 0;  ///< in double precision; a double, because a padded size may overflow
  std::string note;  ///< how its size comes about
};

/// Bytes of every storage format for `matrix`, from its row lengths: nothing is converted.
std::vector<FormatCost> format_costs(const Csr<double>& matrix);

/// The costs for a person, one line a format.
std::string to_text(const std::vector<FormatCost>& costs, Index nonzeros);

}  // namespace spsolve::matrix
