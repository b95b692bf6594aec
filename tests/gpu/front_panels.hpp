#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "helpers/coo.hpp"
#include "helpers/sparse_cases.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/symmetry.hpp"

namespace spsolve::cuda {

/// Three dense clusters of unknowns, each coupled with all of one more: fronts of 290 pivots and a
/// border of 70.
inline Csr<double> clusters() {
  const Index size = 290, common = 70, n = 3 * size + common;
  Coo entries{n, n, Symmetry::general, {}, {}, {}};
  const auto cluster_of = [&](Index i) { return std::min<Index>(i / size, 3); };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const bool apart = cluster_of(i) != cluster_of(j) && cluster_of(i) < 3 && cluster_of(j) < 3;
      if (apart) continue;
      const double value = 0.5 + static_cast<double>((i * j + i + j) % 11) / 11;
      test::add(entries, i, j, i == j ? 1500 + value : value);
    }
  }
  return csr_from_coo(entries);
}

/// Fronts of many panels with borders and without, with children that are assembled one by one and
/// by elements, with early children, and with blocks of pivots and panels that are no whole ones.
inline constexpr const char* specs_with_panels[] = {"grid3d:14", "convdiff3d:12", "hubs",
                                                    "clusters", "network:2000:500"};

inline Csr<double> matrix_of(const std::string& spec) {
  return spec == "hubs" ? test::hubs() : spec == "clusters" ? clusters() : generate_matrix(spec);
}

inline std::vector<Factorization> kinds_of(const Csr<double>& matrix) {
  const SymmetryFacts facts = symmetry_of(matrix);
  std::vector<Factorization> kinds{Factorization::lu};
  if (facts.symmetric) kinds.push_back(Factorization::ldlt);
  if (facts.symmetric && facts.positive_diagonal) kinds.push_back(Factorization::cholesky);
  return kinds;
}

/// Calls work(matrix, kind, w) for panels of w columns.
template <typename Work>
void for_panels(const Work& work) {
  for (const char* spec : specs_with_panels) {
    const Csr<double> matrix = matrix_of(spec);
    for (const Factorization kind : kinds_of(matrix)) {
      for (const int panel_columns : {64, 128}) {
        SCOPED_TRACE(testing::Message() << spec << ", kind " << static_cast<int>(kind)
                                        << ", panels of " << panel_columns);
        work(matrix, kind, panel_columns);
      }
    }
  }
}

}  // namespace spsolve::cuda
