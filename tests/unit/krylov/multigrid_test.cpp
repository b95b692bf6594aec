// The parts of a multigrid hierarchy, and polynomials of a matrix.

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/over_blocks.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "helpers/threads.hpp"
#include "io/matrix_source.hpp"
#include "krylov/multigrid/aggregates.hpp"
#include "krylov/multigrid/prolongation.hpp"
#include "krylov/multigrid/rigid_body_modes.hpp"
#include "krylov/multigrid/sparse_product.hpp"
#include "krylov/preconditioner/polynomial.hpp"
#include "krylov/preconditioner/spectrum.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

TEST(SparseProduct, IsThatOfTheDenseMatrices) {
  const Csr<double> a = load_matrix("random_sparse:70:50:6:seed=2");
  const Csr<double> b = load_matrix("random_sparse:50:31:4:seed=3");
  // B in two parts, as own rows and a halo.
  Csr<double> own, halo;
  for (auto [part, first, last] : {std::tuple{&own, 0, 20}, std::tuple{&halo, 20, 50}}) {
    part->rows = last - first;
    part->columns = b.columns;
    for (Index i = first; i < last; ++i) {
      const auto columns = b.row_columns(i);
      const auto values = b.row_values(i);
      part->column_indices.insert(part->column_indices.end(), columns.begin(), columns.end());
      part->values.insert(part->values.end(), values.begin(), values.end());
      part->row_offsets.push_back(static_cast<Index>(part->values.size()));
    }
  }
  // Some of the columns of B are this rank's.
  const RightFactor factor(own, halo, {7, 19});
  EXPECT_EQ(factor.places.count(), 31);
  const Csr<double> c = sparse_product(a, factor);
  Dense<double> unit(31, 31);
  for (Index i = 0; i < 31; ++i) unit(i, i) = 1;
  const Dense<double> expected = test::multiply(a, test::multiply(b, unit));
  const Dense<double> product = test::multiply(c, unit);
  for (std::size_t k = 0; k < expected.values.size(); ++k) {
    EXPECT_NEAR(product.values[k], expected.values[k], 1e-14);
  }
  for (Index i = 0; i < c.rows; ++i) {
    EXPECT_TRUE(std::ranges::is_sorted(c.row_columns(i)));
  }
  // In another order the same numbers.
  const Csr<double> as_met = sparse_product(a, factor, ColumnOrder::as_met);
  EXPECT_EQ(as_met.row_offsets, c.row_offsets);
  for (const double value : test::multiply(as_met, unit).values) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(test::multiply(as_met, unit).values, product.values);
}

TEST(SparseProduct, OfRunsOfColumnsIsTheSame) {
  const Csr<double> a = load_matrix("random_sparse:40:50:6:seed=2");
  for (const Index together : {2, 3, 6, 5}) {
    // B has every node's columns, but one row lacks the last.
    const Csr<double> nodes = load_matrix("random_sparse:50:20:4:seed=3");
    for (const bool whole : {true, false}) {
      Csr<double> b, none;
      b.rows = nodes.rows;
      b.columns = none.columns = nodes.columns * together;
      for (Index i = 0; i < b.rows; ++i) {
        for (const LocalIndex node : nodes.row_columns(i)) {
          for (Index k = 0; k < together; ++k) {
            b.column_indices.push_back(static_cast<LocalIndex>(node * together + k));
            b.values.push_back(std::sin(static_cast<double>(b.values.size())));
          }
        }
        if (i == 7 && !whole) {
          b.column_indices.pop_back();
          b.values.pop_back();
        }
        b.row_offsets.push_back(static_cast<Index>(b.values.size()));
      }
      const RightFactor factor(b, none, {together, 9 * together}, together);
      EXPECT_EQ(factor.run, whole && together != 5 ? together : 1);
      const Csr<double> found = sparse_product(a, factor),
                        expected = sparse_product(a, {b, none, {0, b.columns}});
      EXPECT_EQ(found.row_offsets, expected.row_offsets);
      EXPECT_EQ(found.column_indices, expected.column_indices);
      for (std::size_t k = 0; k < expected.values.size(); ++k) {
        ASSERT_NEAR(found.values[k], expected.values[k], 1e-14);
      }
    }
  }
}

TEST(Nodes, AreTheUnknownsWithEqualColumns) {
  SoloTeam team;
  for (const auto& [generator, size] :
       {std::pair{"grid2d:12", 1}, std::pair{"elastic3d:4", 3}, std::pair{"grid3d27:5:2", 2},
        std::pair{"circuit:300", 1}}) {
    SystemMatrix matrix(test::matrix_in_bands(team, load_matrix(generator)));
    EXPECT_EQ(nodes_of(matrix.bands()), size) << generator;
  }
}

TEST(Aggregates, HoldEveryNodeThatHasStrongNeighbours) {
  SoloTeam team;
  for (const char* generator : {"grid2d:30", "grid3d:10", "elastic3d:6", "aniso2d:20"}) {
    SystemMatrix matrix(test::matrix_in_bands(team, load_matrix(generator)));
    const Index size = nodes_of(matrix.bands());
    const NodeGraph strong = connections(matrix.bands(), size, 0.08).strong;
    const Aggregates aggregates = aggregate(strong);
    ASSERT_EQ(static_cast<Index>(aggregates.of_node.size()), strong.nodes);
    std::vector<Index> members(static_cast<std::size_t>(aggregates.count));
    for (Index node = 0; node < strong.nodes; ++node) {
      const LocalIndex number = aggregates.of_node[node];
      ASSERT_LT(number, aggregates.count);
      EXPECT_EQ(number < 0, strong.offsets[node] == strong.offsets[node + 1]);
      if (number >= 0) ++members[number];
    }
    for (const Index count : members) EXPECT_GE(count, 1);
    EXPECT_LT(2 * aggregates.count, strong.nodes) << generator;
  }
}

TEST(Aggregates, AreTheSameWithAnyNumberOfThreads) {
  // So many nodes that threads are woken.
  SoloTeam team;
  SystemMatrix matrix(test::matrix_in_bands(team, load_matrix("aniso2d:400")));
  const NodeGraph strong = connections(matrix.bands(), 1, 0.08).strong;
  ASSERT_GT(strong.nodes, elements_worth_waking);
  test::Threads lent(1);
  const Aggregates by_one = aggregate(strong);
  for (const int count : {2, 4}) {
    lent.set(count);
    const Aggregates by_all = aggregate(strong);
    EXPECT_EQ(by_all.count, by_one.count);
    EXPECT_EQ(by_all.of_node, by_one.of_node);
  }
}

/// The nodes of a grid in d dimensions, far from the origin.
Dense<double> grid_places(Index side, Index d) {
  Dense<double> places(d == 2 ? side * side : side * side * side, d);
  for (Index node = 0; node < places.rows; ++node) {
    Index rest = node;
    for (Index axis = 0; axis < d; ++axis, rest /= side) {
      places(node, axis) = 1e3 + 0.5 * static_cast<double>(rest % side);
    }
  }
  return places;
}

TEST(RigidBodyModes, StrainNothing) {
  // A small motion u is rigid where (u_i - u_j) . (x_i - x_j) = 0 for all pairs of points.
  SoloTeam team;
  for (const Index d : {2, 3}) {
    const Dense<double> places = grid_places(4, d);
    const Dense<double> modes = rigid_body_modes(team, places);
    ASSERT_EQ(modes.rows, places.rows * d);
    ASSERT_EQ(modes.columns, d * (d + 1) / 2);
    for (Index mode = 0; mode < modes.columns; ++mode) {
      double length = 0;
      for (Index i = 0; i < places.rows; ++i) {
        for (Index j = 0; j < i; ++j) {
          double strain = 0;
          for (Index axis = 0; axis < d; ++axis) {
            strain += (modes(d * i + axis, mode) - modes(d * j + axis, mode)) *
                      (places(i, axis) - places(j, axis));
          }
          EXPECT_NEAR(strain, 0, 1e-12) << mode;
        }
        for (Index axis = 0; axis < d; ++axis) length += std::abs(modes(d * i + axis, mode));
      }
      EXPECT_GT(length, 1) << mode;
    }
  }
}

TEST(RigidBodyModes, AreResistedByAnElasticBodyOnlyWhereItIsClamped) {
  SoloTeam team;
  const Csr<double> a = load_matrix("elastic3d:5");
  const Dense<double> modes = rigid_body_modes(team, generate_coordinates("elastic3d:5", 0, 1000));
  const Dense<double> forces = test::multiply(a, modes);
  const Index layer = 3 * 6 * 6;
  double clamped = 0;
  for (Index i = 0; i < a.rows; ++i) {
    for (Index mode = 0; mode < 6; ++mode) {
      if (i < layer) {
        clamped = std::max(clamped, std::abs(forces(i, mode)));
      } else {
        EXPECT_NEAR(forces(i, mode), 0, 1e-10) << i << " " << mode;
      }
    }
  }
  EXPECT_GT(clamped, 1);
}

TEST(RigidBodyModes, OfOneNodeAreItsShifts) {
  SoloTeam team;
  Dense<double> place(1, 3);
  place(0, 0) = 7;
  const Dense<double> modes = rigid_body_modes(team, place);
  for (Index i = 0; i < 3; ++i) {
    for (Index mode = 0; mode < 6; ++mode) EXPECT_EQ(modes(i, mode), i == mode ? 1 : 0);
  }
}

TEST(WholeNodes, HaveTheSameEntriesAndZeros) {
  SoloTeam team;
  Csr<double> a = load_matrix("elastic3d:4");
  // Without the connections of x with y and z of the first nodes.
  Csr<double> holes;
  holes.rows = holes.columns = a.rows;
  holes.row_offsets.assign(1, 0);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const Index j = a.column_indices[k];
      if (i < 90 && i % 3 == 0 && j % 3 != 0) continue;
      holes.column_indices.push_back(static_cast<LocalIndex>(j));
      holes.values.push_back(a.values[k]);
    }
    holes.row_offsets.push_back(static_cast<Index>(holes.values.size()));
  }
  SystemMatrix matrix(test::matrix_in_bands(team, holes));
  EXPECT_EQ(nodes_of(matrix.bands()), 1);
  const auto whole = with_whole_nodes(matrix.bands(), 3);
  EXPECT_TRUE(are_nodes(*whole, 3));
  EXPECT_EQ(whole->nonzeros(), a.nonzeros());
  const Dense<double> x = random_multivector(a.rows, 2, 1);
  const Dense<double> expected = test::multiply(holes, x);
  const Dense<double> product = test::multiply(whole->global_rows(), x);
  for (std::size_t k = 0; k < product.values.size(); ++k) {
    EXPECT_NEAR(product.values[k], expected.values[k], 1e-11);
  }
}

/// A matrix with nodes of `unknowns` rows, its strong connections and their aggregates.
struct Aggregated {
  SoloTeam team;
  SystemMatrix matrix;
  NodeConnections found;
  Aggregates aggregates;

  Aggregated(const std::string& spec, Index unknowns)
      : matrix(test::matrix_in_bands(team, load_matrix(spec))),
        found(connections(bands(), unknowns, 0.08)),
        aggregates(aggregate(found.strong)) {}
  BandMatrix& bands() { return matrix.bands(); }
};

TEST(Prolongation, TakesTheCoarseNullSpaceToThatOfTheMatrix) {
  // For a matrix with zero row sums but at its border, P must keep constants inside.
  Aggregated of("grid2d:20", 1);
  const Dense<double> ones = [] {
    Dense<double> result(400, 1);
    std::ranges::fill(result.values, 1.0);
    return result;
  }();
  const Tentative tentative = tentative_prolongation(of.bands(), of.aggregates, {1, ones});
  const Dense<double> again = test::multiply(tentative.rows, tentative.null_space);
  for (const double value : again.values) EXPECT_NEAR(value, 1, 1e-14);
  const Csr<double> smoothed = smoothed_prolongation(
      of.bands(), 1, of.found.dependences, lone_entries(of.bands(), {1, ones}), 0.66, tentative);
  const Dense<double> checkpointed = test::multiply(smoothed, tentative.null_space);
  int inside = 0;
  for (Index i = 0; i < 400; ++i) {
    const bool border = i % 20 == 0 || i % 20 == 19 || i / 20 == 0 || i / 20 == 19;
    if (border) continue;
    ++inside;
    EXPECT_NEAR(checkpointed(i, 0), 1, 1e-13);
  }
  EXPECT_EQ(inside, 18 * 18);
}

TEST(Prolongation, TakesEntriesAsLoneBesideRounding) {
  Aggregated of("tridiagonal:4", 2);
  Dense<double> vectors(4, 2);
  vectors.values = {1, 1e-17, -1e-16, -2, 3, 1e-3, 0, 5};
  EXPECT_EQ(lone_entries(of.bands(), {2, vectors}), (std::vector<double>{1, -2, 0, 5}));
}

TEST(Prolongation, HasOrthonormalColumnsAndTheRigidBodyModesInItsRange) {
  Aggregated of("elastic3d:6", 3);
  const Dense<double> modes =
      rigid_body_modes(of.team, generate_coordinates("elastic3d:6", 0, 1000));
  const Tentative tentative = tentative_prolongation(of.bands(), of.aggregates, {3, modes});
  ASSERT_EQ(tentative.rows.columns, 6 * of.aggregates.count);
  const Dense<double> again = test::multiply(tentative.rows, tentative.null_space);
  for (std::size_t k = 0; k < again.values.size(); ++k) {
    EXPECT_NEAR(again.values[k], modes.values[k], 1e-13);
  }
  // P_0^T P_0 = I, but for columns that depend on others in their aggregate.
  Dense<double> unit(tentative.rows.columns, tentative.rows.columns);
  for (Index i = 0; i < unit.rows; ++i) unit(i, i) = 1;
  const Dense<double> p = test::multiply(tentative.rows, unit);
  Index full = 0;
  for (Index i = 0; i < unit.rows; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = 0;
      for (Index k = 0; k < p.rows; ++k) sum += p(k, i) * p(k, j);
      if (i == j) full += std::abs(sum - 1) < 1e-12;
      EXPECT_NEAR(sum, i == j && sum > 0.5 ? 1 : 0, 1e-12);
    }
  }
  EXPECT_EQ(full, unit.rows);
}

TEST(Prolongation, ColumnsThatDependOnOthersAreZero) {
  Aggregated of("tridiagonal:9", 1);
  Dense<double> twice(9, 2);
  for (Index i = 0; i < 9; ++i) twice(i, 0) = twice(i, 1) = 1;
  const Tentative tentative = tentative_prolongation(of.bands(), of.aggregates, {1, twice});
  for (Index i = 0; i < 9; ++i) {
    const auto values = tentative.rows.row_values(i);
    ASSERT_EQ(values.size(), 2u);
    EXPECT_GT(values[0], 0);
    EXPECT_EQ(values[1], 0);
  }
}

TEST(LargestEigenvalue, IsNearAndNotBelow) {
  SoloTeam team;
  for (const Index n : {10, 40, 90}) {
    SystemMatrix matrix(test::matrix_in_bands(team, load_matrix(fmt::format("grid2d:{}", n))));
    const auto inverse = inverse_diagonal(matrix.bands());
    const double angle = std::acos(-1.0) * static_cast<double>(n) / static_cast<double>(n + 1);
    const double exact = 1 - std::cos(angle);
    const double estimate = largest_eigenvalue(matrix.bands(), *inverse, true);
    EXPECT_GE(estimate, 0.97 * exact);
    EXPECT_LE(estimate, 1.06 * exact);
    EXPECT_GE(largest_eigenvalue(matrix.bands(), *inverse, false), exact);
  }
}

TEST(Polynomials, TakeTheirStepsByProducts) {
  // For a diagonal matrix every row is a polynomial of its own entry; D^-1 is set to 1.
  SoloTeam team;
  const Index n = 50;
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) dense(i, i) = 2.0 * static_cast<double>(i + 1) / n;
  SystemMatrix matrix(test::matrix_in_bands(team, test::sparse(dense)));
  const std::shared_ptr<Vectors> one = matrix.vectors(1);
  one->fill(1);
  const auto b = matrix.vectors(1), x = matrix.vectors(1);
  b->fill(1);
  const auto residuals = [&](const auto& steps, int times) {
    Polynomial polynomial(matrix.bands(), one, steps);
    polynomial.from_zero(*b, *x);
    for (int k = 1; k < times; ++k) polynomial.improve(*b, *x);
    std::vector<double> left;
    const Dense<double> rows = own_rows(*x);
    for (Index i = 0; i < n; ++i) left.push_back(1 - dense(i, i) * rows(i, 0));
    return left;
  };
  for (const int degree : {1, 2, 3, 5}) {
    // Chebyshev: max |p| on [smallest, largest] is 1 / T(degree).
    const double smallest = 0.5, largest = 2;
    const double sigma = (largest + smallest) / (largest - smallest);
    const double least = 1 / std::cosh(degree * std::acosh(sigma));
    const auto first = residuals(Polynomial::first_kind(degree, smallest, largest), 1);
    const auto fourth = residuals(Polynomial::fourth_kind(degree, largest), 1);
    const auto twice = residuals(Polynomial::fourth_kind(degree, largest), 2);
    for (Index i = 0; i < n; ++i) {
      const double lambda = dense(i, i);
      if (lambda >= smallest) {
        EXPECT_LE(std::abs(first[i]), 1.0001 * least);
      }
      EXPECT_LT(std::abs(fourth[i]), 1) << "it must not amplify";
      EXPECT_LE(lambda * fourth[i] * fourth[i],
                largest / ((2.0 * degree + 1) * (2.0 * degree + 1)) + 1e-12);
      EXPECT_NEAR(twice[i], fourth[i] * fourth[i], 1e-14);
    }
  }
}

}  // namespace
}  // namespace spsolve
