// The families that sparse elimination is measured on: what their descriptions promise.

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/generate/random_order.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::test {
namespace {

Dense<double> dense(std::string_view spec) {
  return test::dense(generate_matrix(spec));
}

bool symmetric(const Dense<double>& a) {
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (a(i, j) != a(j, i)) return false;
    }
  }
  return true;
}

/// Positive and negative eigenvalues of a symmetric matrix, from the pivots of an elimination with
/// diagonal pivots of 1 x 1 and 2 x 2 (Bunch and Parlett 1971); zero or lost pivots count as none.
std::pair<Index, Index> inertia(Dense<double> a) {
  std::pair<Index, Index> result{0, 0};
  std::vector<Index> left(static_cast<std::size_t>(a.rows));
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = static_cast<Index>(k);
  const auto drop = [&](Index which) { std::erase(left, which); };
  while (!left.empty()) {
    Index p = left[0], r = left[0], s = left[0];
    double largest = 0;
    for (const Index i : left) {
      if (std::abs(a(i, i)) > std::abs(a(p, p))) p = i;
      for (const Index j : left) {
        if (i < j && std::abs(a(i, j)) > largest) {
          largest = std::abs(a(i, j));
          r = i;
          s = j;
        }
      }
    }
    const double pivot = a(p, p);
    if (std::abs(pivot) >= 0.64 * largest && pivot != 0) {
      ++(pivot > 0 ? result.first : result.second);
      drop(p);
      for (const Index i : left) {
        for (const Index j : left) a(i, j) -= a(i, p) / pivot * a(p, j);
      }
    } else if (largest > 0) {
      const double determinant = a(r, r) * a(s, s) - largest * largest;
      if (determinant >= 0) return result;
      ++result.first;
      ++result.second;
      drop(r);
      drop(s);
      for (const Index i : left) {
        const double u = (a(i, r) * a(s, s) - a(i, s) * a(r, s)) / determinant;
        const double v = (a(i, s) * a(r, r) - a(i, r) * a(r, s)) / determinant;
        for (const Index j : left) a(i, j) -= u * a(r, j) + v * a(s, j);
      }
    } else {
      return result;
    }
  }
  return result;
}

std::pair<Index, Index> all_positive(Index n) {
  return {n, 0};
}

/// sum over j != i of |a_ij| < |a_ii| for rows first <= i < last, in columns of the same range.
bool strictly_dominant(const Dense<double>& a, Index first, Index last, bool by_columns) {
  for (Index i = first; i < last; ++i) {
    double sum = 0;
    for (Index j = first; j < last; ++j) {
      if (i != j) sum += std::abs(by_columns ? a(j, i) : a(i, j));
    }
    if (sum >= a(i, i)) return false;
  }
  return true;
}

TEST(GenerateFamilies, ShapesThatAreExact) {
  for (const char* spec : {"elastic3d:1", "elastic3d:2", "elastic3d:5"}) {
    const Csr<double> matrix = generate_matrix(spec);
    EXPECT_EQ(generated_shape(spec).rows, matrix.rows) << spec;
    EXPECT_EQ(generated_shape(spec).nonzeros, matrix.nonzeros()) << spec;
  }
  for (const char* spec : {"circuit:5000", "kkt:5000", "cage:5000", "grid3d:20"}) {
    const auto stored = static_cast<double>(generate_matrix(spec).nonzeros());
    EXPECT_NEAR(static_cast<double>(generated_shape(spec).nonzeros) / stored, 1, 0.1) << spec;
  }
}

TEST(GenerateFamilies, Grid3dIsTheLaplacian) {
  const Dense<double> a = dense("grid3d:3");
  for (Index i = 0; i < 27; ++i) {
    for (Index j = 0; j < 27; ++j) {
      const Index distance =
          std::abs(i % 3 - j % 3) + std::abs(i / 3 % 3 - j / 3 % 3) + std::abs(i / 9 - j / 9);
      EXPECT_EQ(a(i, j), distance == 0 ? 6.0 : distance == 1 ? -1.0 : 0.0) << i << ", " << j;
    }
  }
}

TEST(GenerateFamilies, ElasticityKeepsRigidMotionsWithoutForces) {
  constexpr Index side = 3, width = side + 1;
  const Dense<double> a = dense("elastic3d:3");
  ASSERT_EQ(a.rows, 3 * side * width * width);
  EXPECT_TRUE(symmetric(a));
  EXPECT_EQ(inertia(a), all_positive(a.rows));
  // Three translations and three rotations, seen by nodes none of whose elements is clamped.
  for (int motion = 0; motion < 6; ++motion) {
    const auto displacement = [&](Index i) {
      const Index node = i / 3;
      const double at[3] = {double(node % width), double(node / width % width),
                            double(node / width / width)};
      const Index p = i % 3;
      if (motion < 3) return p == motion ? 1.0 : 0.0;
      const Index from = motion % 3, to = (motion + 1) % 3;
      return p == to ? at[from] : p == from ? -at[to] : 0.0;
    };
    for (Index i = 3 * width * width; i < a.rows; ++i) {
      double force = 0;
      for (Index j = 0; j < a.rows; ++j) force += a(i, j) * displacement(j);
      EXPECT_EQ(force, 0.0) << "motion " << motion << ", row " << i;
    }
  }
  // One element whose upper four corners, the only free ones, move by 1: along z the energy is
  // (lambda + 2 mu) / 2, across it mu / 2, and a corner's own stiffness is 88/72 (lambda 3, mu 2).
  const Dense<double> one = dense("elastic3d:1");
  for (Index p = 0; p < 3; ++p) {
    double sum = 0;
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) sum += one(3 * i + p, 3 * j + p);
    }
    EXPECT_EQ(sum / 72 * 88, one(p, p) * (p == 2 ? 7 : 2));
  }
}

TEST(GenerateFamilies, ConvectionGoesAgainstTheWind) {
  const Dense<double> a = dense("convdiff3d:4");
  EXPECT_TRUE(strictly_dominant(a, 0, a.rows, false));
  const Index middle = 1 + 4 * (1 + 4);
  EXPECT_EQ(a(middle, middle), 21.001);
  for (const Index stride : {1, 4, 16}) {
    EXPECT_EQ(a(middle, middle - stride), -6);
    EXPECT_EQ(a(middle, middle + stride), -1);
  }
}

TEST(GenerateFamilies, AnisotropyAndJumps) {
  for (const auto& [spec, weak_stride] :
       {std::pair<std::string_view, Index>{"aniso2d:17", 17}, {"aniso3d:9", 81}}) {
    SCOPED_TRACE(spec);
    const Dense<double> a = dense(spec);
    EXPECT_TRUE(symmetric(a));
    std::set<double> strong, weak;
    for (Index i = 0; i + weak_stride < a.rows; ++i) {
      if (a(i, i + 1) != 0) strong.insert(-a(i, i + 1));
      weak.insert(-a(i, i + weak_stride));
    }
    EXPECT_EQ(strong, (std::set<double>{1, 0x1p20}));
    EXPECT_EQ(weak, (std::set<double>{0x1p-13, 0x1p7}));
  }
  EXPECT_EQ(inertia(dense("aniso2d:17")), all_positive(289));
  EXPECT_EQ(inertia(dense("aniso3d:6")), all_positive(216));
}

TEST(GenerateFamilies, HelmholtzIsIndefiniteAndNeverSingular) {
  for (const Index n : {3, 8, 15}) {
    Index negative = 0;
    for (Index p = 1; p <= n; ++p) {
      for (Index q = 1; q <= n; ++q) {
        const auto cosine = [&](Index k) {
          return std::cos(M_PI * static_cast<double>(k) / static_cast<double>(n + 1));
        };
        negative += 4 - 0.375 - 2 * cosine(p) - 2 * cosine(q) < 0;
      }
    }
    EXPECT_EQ(inertia(dense(fmt::format("helmholtz2d:{}", n))),
              std::pair(n * n - negative, negative));
    EXPECT_EQ(negative > 0, n > 3);
  }
}

TEST(GenerateFamilies, CircuitHasSourcesSuppliesAndDominantNodes) {
  for (const auto& [order, sources] : {std::pair<Index, Index>{63, 0}, {64, 4}, {1000, 33}}) {
    SCOPED_TRACE(order);
    const Dense<double> a = dense(fmt::format("circuit:{}", order));
    const Index nodes = order - sources;
    EXPECT_TRUE(strictly_dominant(a, 0, nodes, false));
    EXPECT_TRUE(strictly_dominant(a, 0, nodes, true));
    EXPECT_FALSE(symmetric(a));
    // The sources' columns have no node in common, and rows and columns are the same.
    for (Index i = 0; i < nodes; ++i) {
      Index here = 0;
      for (Index j = nodes; j < order; ++j) {
        EXPECT_EQ(a(i, j), a(j, i));
        here += a(i, j) != 0;
      }
      EXPECT_LE(here, 1) << i;
    }
    for (Index i = nodes; i < order; ++i) {
      double sum = 0, magnitude = 0;
      for (Index j = 0; j < order; ++j) {
        EXPECT_TRUE(j < nodes || a(i, j) == 0) << j;
        sum += a(i, j);
        magnitude += std::abs(a(i, j));
      }
      EXPECT_EQ(sum, i < nodes + 2 ? 1 : 0);
      EXPECT_EQ(magnitude, i < nodes + 2 ? 1 : 2);
    }
  }
}

TEST(GenerateFamilies, CircuitHasTwelveDecadesAndPowerLawNets) {
  const Csr<double> matrix = generate_matrix("circuit:40000");
  double least = 1, most = 0;
  std::vector<Index> lengths;
  for (Index i = 0; i < matrix.rows; ++i) {
    lengths.push_back(static_cast<Index>(matrix.row_columns(i).size()));
    for (const double value : matrix.row_values(i)) {
      least = std::min(least, std::abs(value));
      most = std::max(most, std::abs(value));
    }
  }
  EXPECT_GT(most / least, 1e12);
  std::ranges::sort(lengths, std::greater<>());
  EXPECT_GT(lengths[1], 2000);  // supplies: one in 16 of the nodes
  EXPECT_LT(lengths[2], 300);   // the largest net: 2^7 nodes
  EXPECT_GT(lengths[3], 60);
  EXPECT_LT(lengths[100], 30);
}

TEST(GenerateFamilies, NetworkHasSourcesDominantNodesAndAttachments) {
  for (const auto& [order, core] : {std::pair<Index, Index>{63, 20}, {500, 1}, {500, 90}}) {
    SCOPED_TRACE(order);
    const Dense<double> a = dense(fmt::format("network:{}:{}", order, core));
    const Index nodes = order - (order < 64 ? 0 : order / 32);
    EXPECT_TRUE(strictly_dominant(a, 0, nodes, false));
    EXPECT_TRUE(strictly_dominant(a, 0, nodes, true));
    EXPECT_FALSE(symmetric(a));
    for (Index i = 0; i < order; ++i) {
      Index sources = 0;
      for (Index j = nodes; j < order; ++j) {
        EXPECT_EQ(a(i, j), a(j, i));
        sources += a(i, j) != 0;
      }
      EXPECT_LE(sources, i < nodes ? 1 : 0) << i;
    }
  }
  // Each node has an edge into the core or is of it; degrees there obey a power law.
  const Csr<double> matrix = generate_matrix("network:20000:1000");
  std::vector<Index> lengths;
  for (Index i = 0; i < 19375; ++i) {
    EXPECT_LT(matrix.row_columns(i).front(), 1000) << i;
    lengths.push_back(std::ssize(matrix.row_columns(i)));
  }
  std::ranges::sort(lengths, std::greater<>());
  EXPECT_GT(lengths[0], 600);
  EXPECT_GT(lengths[10], 100);
  EXPECT_LT(lengths[100], 80);
  EXPECT_LT(lengths[1100], 30);
}

TEST(GenerateFamilies, KktHasAsManyNegativeEigenvaluesAsConstraints) {
  for (const Index order : {1, 2, 3, 4, 5, 6, 7, 60, 61, 62}) {
    SCOPED_TRACE(order);
    const Dense<double> a = dense(fmt::format("kkt:{}", order));
    EXPECT_TRUE(symmetric(a));
    EXPECT_EQ(inertia(a), std::pair(order - order / 3, order / 3));
    for (Index i = order - order / 3; i < order; ++i) {
      for (Index j = order - order / 3; j < order; ++j) EXPECT_EQ(a(i, j), 0.0);
    }
  }
}

TEST(GenerateFamilies, InteriorPointSystemsSpreadStepByStep) {
  struct Case {
    const char* name;
    Index size, variables, rows;
  };
  for (const auto& [name, size, variables, rows] : {Case{"ipm_tree", 1, 1, 1},
                                                    {"ipm_tree", 70, 74, 70},
                                                    {"ipm_flow", 1, 2, 1},
                                                    {"ipm_flow", 31, 62, 31},
                                                    {"ipm_pde2d", 5, 50, 25},
                                                    {"ipm_pde3d", 3, 54, 27},
                                                    {"ipm_control", 4, 48, 32},
                                                    {"ipm_band", 3, 3, 1},
                                                    {"ipm_band", 100, 100, 33}}) {
    SCOPED_TRACE(fmt::format("{}:{}", name, size));
    const auto at = [&](int step) {
      return generate_matrix(fmt::format("{}:{}:{}", name, size, step));
    };
    const Csr<double> first = at(1), last = at(100);
    EXPECT_EQ(first.rows, variables + rows);
    EXPECT_EQ(first.row_offsets, last.row_offsets);
    EXPECT_EQ(first.column_indices, last.column_indices);
    const Dense<double> a = test::dense(first), b = test::dense(last);
    EXPECT_TRUE(symmetric(a));
    EXPECT_EQ(inertia(a), std::pair(variables, rows));
    double least = 1, most = 1;
    for (Index i = 0; i < a.rows; ++i) {
      for (Index j = 0; j < a.rows; ++j) {
        if (i != j) {
          EXPECT_EQ(a(i, j), b(i, j)) << i << ", " << j;
        }
      }
      EXPECT_EQ(a(i, i) > 0, i < variables);
      EXPECT_LE(std::abs(std::log10(i < variables ? a(i, i) : 1)), 0.11);
      if (i >= variables) continue;
      least = std::min(least, b(i, i));
      most = std::max(most, b(i, i));
    }
    if (variables >= 40) {
      EXPECT_GT(most / least, 1e14);
    }
    EXPECT_LT(most / least, 1.3e16);
  }
}

TEST(GenerateFamilies, CageIsAnUnsymmetricExpander) {
  const Csr<double> matrix = generate_matrix("cage:2000");
  const Dense<double> a = dense("cage:300");
  EXPECT_FALSE(symmetric(a));
  EXPECT_TRUE(strictly_dominant(a, 0, a.rows, false));
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < i; ++j) EXPECT_EQ(a(i, j) == 0, a(j, i) == 0);
  }
  // Three steps from any node reach most of them.
  for (const Index start : {0, 777, 1999}) {
    std::set<Index> reached{start};
    for (int step = 0; step < 3; ++step) {
      const std::set<Index> before = reached;
      for (const Index i : before) {
        reached.insert(matrix.row_columns(i).begin(), matrix.row_columns(i).end());
      }
    }
    EXPECT_GT(reached.size(), 1500u) << start;
  }
}

TEST(GenerateFamilies, AllCanBeSolvedWith) {
  for (const char* spec :
       {"grid3d:6", "elastic3d:4", "convdiff3d:6", "aniso2d:20", "aniso3d:7", "helmholtz2d:15",
        "circuit:300", "network:300:80", "kkt:301", "cage:200"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const Dense<double> b = random_multivector(matrix.rows, 1, 1);
    const Dense<double> x = lapack_solve(matrix, b);
    ASSERT_EQ(x.rows, matrix.rows);
    EXPECT_LE(backward_error(matrix, b, x), 1e-13);
  }
}

TEST(RandomOrder, HasAnInverse) {
  for (const Index size : {1, 2, 3, 5, 64, 1000}) {
    const generated::RandomOrder order(7, size);
    std::set<Index> places;
    for (Index i = 0; i < size; ++i) {
      EXPECT_EQ(order.inverse(order(i)), i);
      places.insert(order(i));
    }
    EXPECT_EQ(places.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(*places.rbegin(), size - 1);
  }
}

}  // namespace
}  // namespace spsolve::test
