// Multigrid where coefficients jump: what depends on what, and what is interpolated from what.

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "krylov/multigrid/aggregates.hpp"
#include "krylov/multigrid/filtered_rows.hpp"
#include "krylov/multigrid/prolongation.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

/// Seven nodes in a row, which are coupled by c[0], .. c[5] and at both ends by `ends` to walls.
/// Nodes 0 to 2 and 4 to 6 are stiff, 3 is soft between them.
SystemMatrix soft_between_stiff(Team& team) {
  const std::vector<double> c{1e6, 1e6, 1, 3, 1e6, 1e6};
  constexpr double ends = 2;
  Dense<double> a(7, 7);
  for (Index i = 0; i < 7; ++i) {
    a(i, i) = (i > 0 ? c[i - 1] : ends) + (i < 6 ? c[i] : ends);
    if (i > 0) a(i, i - 1) = -c[i - 1];
    if (i < 6) a(i, i + 1) = -c[i];
  }
  return test::matrix_in_bands(team, test::sparse(a));
}

std::vector<Index> of(const NodeGraph& graph, Index node) {
  return {graph.neighbours.begin() + graph.offsets[node],
          graph.neighbours.begin() + graph.offsets[node + 1]};
}

TEST(Connections, TheSoftDependOnTheStiffAndNotTheReverse) {
  SoloTeam team;
  SystemMatrix matrix(soft_between_stiff(team));
  const NodeConnections found = connections(matrix.bands(), 1, 0.08);
  EXPECT_EQ(of(found.dependences, 3), (std::vector<Index>{2, 4}));
  EXPECT_EQ(of(found.dependences, 2), (std::vector<Index>{1}));
  EXPECT_EQ(of(found.dependences, 4), (std::vector<Index>{5}));
  EXPECT_EQ(of(found.strong, 3), (std::vector<Index>{}));
  EXPECT_EQ(of(found.strong, 1), (std::vector<Index>{0, 2}));
}

TEST(Connections, ANodeOfManyDoesNotDependOnAnyOfThem) {
  // A star: its middle would otherwise be interpolated from everything.
  SoloTeam team;
  const Index n = 400;
  Dense<double> a(n, n);
  for (Index i = 1; i < n; ++i) {
    a(i, 0) = a(0, i) = -1;
    a(i, i) = 1.1;
  }
  a(0, 0) = n;
  SystemMatrix matrix(test::matrix_in_bands(team, test::sparse(a)));
  const NodeConnections found = connections(matrix.bands(), 1, 0.08);
  EXPECT_TRUE(of(found.dependences, 0).empty());
  EXPECT_EQ(of(found.dependences, 7), (std::vector<Index>{0}));
}

TEST(FilteredRows, DoToTheNearNullSpaceWhatTheMatrixDoes) {
  // This holds for any vector of one entry in a row, as coarse levels have them.
  SoloTeam team;
  for (const auto& [generator, of_node] :
       {std::pair{"aniso2d:20", 1}, std::pair{"aniso3d:9", 1}, std::pair{"grid3d27:6:2", 2}}) {
    SystemMatrix matrix(test::matrix_in_bands(team, load_matrix(generator)));
    const Index n = matrix.order(), size = of_node;
    const Dense<double> random = random_multivector(n, 1, 5);
    NearNullSpace near{size, Dense<double>(n, size)};
    for (Index i = 0; i < n; ++i) near.vectors(i, i % size) = 2 + random(i, 0);
    const std::vector<double> lone = lone_entries(matrix.bands(), near);
    for (Index i = 0; i < n; ++i) ASSERT_EQ(lone[i], 2 + random(i, 0));
    const NodeGraph dependences = connections(matrix.bands(), size, 0.08).dependences;
    const Csr<double> filtered = made_of_rows(
        n, n, [&] { return FilteredRows(matrix.bands().local_rows(), size, dependences, lone); });
    EXPECT_LT(filtered.nonzeros(), matrix.nonzeros()) << generator;
    const Dense<double> expected = test::multiply(matrix.bands().local_rows(), near.vectors);
    const Dense<double> product = test::multiply(filtered, near.vectors);
    for (Index i = 0; i < n; ++i) {
      double scale = 0;
      for (const double value : matrix.bands().local_rows().row_values(i)) {
        scale += std::abs(value);
      }
      EXPECT_NEAR(product(i, i % size), expected(i, i % size), 1e-13 * scale) << generator;
    }
  }
}

TEST(LoneEntries, AreNotThoseOfRowsWithSeveral) {
  SoloTeam team;
  SystemMatrix matrix(soft_between_stiff(team));
  NearNullSpace near{1, Dense<double>(7, 2)};
  for (Index i = 0; i < 7; ++i) near.vectors(i, 0) = 3;
  near.vectors(5, 1) = 1;
  EXPECT_EQ(lone_entries(matrix.bands(), near), (std::vector<double>{3, 3, 3, 3, 3, 0, 3}));
}

TEST(Prolongation, LedNodesAreInterpolatedFromWhatTheyDependOn) {
  SoloTeam team;
  SystemMatrix matrix(soft_between_stiff(team));
  const NodeConnections found = connections(matrix.bands(), 1, 0.08);
  const Aggregates aggregates = aggregate(found.strong);
  ASSERT_EQ(aggregates.of_node, (std::vector<LocalIndex>{0, 0, 0, -1, 1, 1, 1}));
  const std::vector<bool> led = led_nodes(matrix.bands(), 1, found.dependences, aggregates);
  EXPECT_EQ(led, (std::vector<bool>{false, false, false, true, false, false, false}));
  NearNullSpace near{1, Dense<double>(7, 1)};
  for (Index i = 0; i < 7; ++i) near.vectors(i, 0) = i < 4 ? 1 : 2;
  Tentative tentative = tentative_prolongation(matrix.bands(), aggregates, near);
  const std::vector<double> lone = lone_entries(matrix.bands(), near);
  interpolate_led_nodes(matrix.bands(), 1, found.dependences, led, lone, tentative);
  // The near null space is in its range, and a stiff part counts by its connection: 1 and 3.
  const Dense<double> again = test::multiply(tentative.rows, tentative.null_space);
  for (Index i = 0; i < 7; ++i) EXPECT_NEAR(again(i, 0), near.vectors(i, 0), 1e-14) << i;
  ASSERT_EQ(tentative.rows.row_values(3).size(), 2u);
  const double of_one = tentative.rows.row_values(3)[0] * tentative.null_space(0, 0);
  const double of_other = tentative.rows.row_values(3)[1] * tentative.null_space(1, 0);
  EXPECT_NEAR(of_one / of_other, 1.0 / (3 * 2), 1e-14);
}

TEST(LedNodes, AreNotThoseWhoseDiagonalDominates) {
  SoloTeam team;
  Dense<double> a(3, 3);
  for (Index i = 0; i < 3; ++i) a(i, i) = i == 2 ? 8 : 2;
  a(0, 1) = a(1, 0) = a(1, 2) = a(2, 1) = -1.5;
  SystemMatrix matrix(test::matrix_in_bands(team, test::sparse(a)));
  const Aggregates none{0, {-1, 0, -1}};
  NodeGraph dependences{3, {0, 1, 3, 4}, {1, 0, 2, 1}};
  EXPECT_EQ(led_nodes(matrix.bands(), 1, dependences, none),
            (std::vector<bool>{true, false, false}));
  dependences = {3, {0, 0, 2, 3}, {0, 2, 1}};
  EXPECT_EQ(led_nodes(matrix.bands(), 1, dependences, none), (std::vector<bool>(3, false)));
}

}  // namespace
}  // namespace spsolve
