#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/extremes.hpp"
#include "helpers/systems_in_bands.hpp"
#include "krylov/multigrid/hierarchy.hpp"

namespace spsolve::test {

/// M^-1 b by one cycle of a hierarchy of the matrix, on every rank. Collective.
inline Dense<double> cycled(Hierarchy& hierarchy, const SystemMatrix& matrix,
                            const Dense<double>& b) {
  const auto x = matrix.vectors(b.columns);
  hierarchy.cycle(*vectors_of(matrix, b), *x);
  return whole(*x);
}

/// max |x_i - y_i| over max |x_i|; nan where an element is.
inline double relative_difference(const Dense<double>& x, const Dense<double>& y) {
  double most = 0, difference = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    most = larger(most, std::abs(x.values[i]));
    difference = larger(difference, std::abs(x.values[i] - y.values[i]));
  }
  return difference / most;
}

/// Levels of the same rows and non-zeros.
inline void expect_same_levels(const Hierarchy& found, const Hierarchy& expected) {
  const std::vector<GridLevel> levels = expected.levels(), others = found.levels();
  ASSERT_EQ(others.size(), levels.size());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    EXPECT_EQ(others[l].rows, levels[l].rows) << l;
    EXPECT_EQ(others[l].nonzeros, levels[l].nonzeros) << l;
  }
}

}  // namespace spsolve::test
