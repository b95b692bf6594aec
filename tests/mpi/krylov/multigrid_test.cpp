// Multigrid over the ranks of a team: near null spaces, and its cycle.

#include <cmath>

#include <gtest/gtest.h>

#include "distribute/reading/scatter.hpp"
#include "helpers/reference.hpp"
#include "io/matrix_source.hpp"
#include "krylov/multigrid/hierarchy.hpp"
#include "krylov/multigrid/rigid_body_modes.hpp"
#include "krylov_systems.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "matrix/random.hpp"

namespace spsolve {
namespace {

using Multigrid = Krylov;

/// Elasticity in bands of whole nodes, which it knows the places of if `told`; `holed` without some
/// connections, which rows of a node then differ by.
std::unique_ptr<SystemMatrix> elastic(Team& team, Index side, bool told, bool holed = false) {
  const std::string spec = fmt::format("elastic3d:{}", side);
  Csr<double> whole = load_matrix(spec);
  if (holed) {
    Csr<double> less;
    less.rows = less.columns = whole.rows;
    less.row_offsets.assign(1, 0);
    for (Index i = 0; i < whole.rows; ++i) {
      for (Index k = whole.row_offsets[i]; k < whole.row_offsets[i + 1]; ++k) {
        if (whole.values[k] == 0) continue;
        less.column_indices.push_back(whole.column_indices[k]);
        less.values.push_back(whole.values[k]);
      }
      less.row_offsets.push_back(static_cast<Index>(less.values.size()));
    }
    EXPECT_LT(less.nonzeros(), whole.nonzeros());
    whole = std::move(less);
  }
  const RowLayout bands = bands_of_nodes(whole.rows, team.size(), 3);
  std::unique_ptr<SystemMatrix> matrix(new SystemMatrix(test::matrix_in_bands(team, bands, whole)));
  const Range own = matrix->own();
  if (told) matrix->set_coordinates(generate_coordinates(spec, own.first / 3, own.last / 3));
  return matrix;
}

TEST_F(Multigrid, RigidBodyModesTakeFewerStepsThanConstants) {
  struct Case {
    Index side;
    Method method;
    bool holed;
    Index most;  ///< steps with modes
  };
  for (const Case& each : {Case{9, Method::cg, false, 14}, Case{9, Method::cg, true, 14},
                           Case{6, Method::minres, false, 14}, Case{6, Method::gmres, true, 20}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", each.side, name(each.method), each.holed));
    std::vector<Index> steps;
    for (const bool told : {false, true}) {
      auto matrix = elastic(ranks.team, each.side, told, each.holed);
      SolverOptions options;
      options.method = each.method;
      options.preconditioner = Preconditioner::multigrid;
      options.tolerance = 1e-8;
      options.condition = false;
      const Dense<double> b = random_multivector(matrix->order(), 1, 3);
      SystemSolver solver = solver_for(std::move(matrix), options);
      solver.set_up();
      const Solved solved = solve(solver, b);
      EXPECT_TRUE(solved.krylov.converged);
      EXPECT_LE(solved.outcome.refinement.after.backward_error, 1e-8);
      EXPECT_EQ(solved.krylov.near_null_space, told ? "rigid-body modes" : "");
      steps.push_back(solved.krylov.steps);
    }
    EXPECT_LT(steps[1], steps[0]);
    EXPECT_LE(steps[1], each.most);
  }
}

/// Conduction in cells of a grid, each with a coefficient of its own between 1e-4 and 1e4.
Csr<double> rough_grid(Index side) {
  Csr<double> whole = load_matrix(fmt::format("grid2d:{}", side));
  const auto coefficient = [](Index cell) {
    const double chance = symmetric_interval(random_bits(7, static_cast<std::uint64_t>(cell)));
    return std::pow(10, 4 * chance);
  };
  for (Index i = 0; i < whole.rows; ++i) {
    double sum = i < side ? coefficient(i) : 0;
    Index diagonal = 0;
    for (Index k = whole.row_offsets[i]; k < whole.row_offsets[i + 1]; ++k) {
      const Index j = whole.column_indices[k];
      const double one = coefficient(i), other = coefficient(j);
      whole.values[k] = -2 * one * other / (one + other);
      if (j == i) diagonal = k;
      if (j != i) sum -= whole.values[k];
    }
    whole.values[diagonal] = sum;
  }
  return whole;
}

TEST_F(Multigrid, JumpsAndWeakDirectionsTakeFewSteps) {
  struct Case {
    std::string name;
    Csr<double> whole;
    Index most;
  };
  const Case cases[] = {{"aniso2d:100", load_matrix("aniso2d:100"), 16},
                        {"aniso2d:150:seed=3", load_matrix("aniso2d:150:seed=3"), 24},
                        {"aniso3d:20", load_matrix("aniso3d:20"), 16},
                        {"rough", rough_grid(100), 45},
                        {"grid2d:120", load_matrix("grid2d:120"), 14}};
  for (const Case& each : cases) {
    SolverOptions options;
    options.method = Method::cg;
    options.preconditioner = Preconditioner::multigrid;
    options.tolerance = 1e-14;
    options.condition = false;
    SystemSolver solver = solver_for(each.whole, options);
    solver.set_up();
    const Solved solved = solve(solver, random_multivector(each.whole.rows, 1, 3));
    EXPECT_TRUE(solved.krylov.converged) << each.name;
    EXPECT_LE(solved.krylov.steps, each.most) << each.name;
    EXPECT_GE(solved.krylov.levels.size(), 2u) << each.name;
    double entries = 0;
    for (const GridLevel& level : solved.krylov.levels) {
      entries += static_cast<double>(level.nonzeros);
    }
    EXPECT_LE(entries, 2.5 * static_cast<double>(each.whole.nonzeros())) << each.name;
  }
}

TEST_F(Multigrid, MultigridIsTakenByItselfWhereNodesAreKnown) {
  for (const bool told : {false, true}) {
    auto matrix = elastic(ranks.team, 9, told);
    const Preconditioner kind =
        choose_preconditioner(matrix->bands(), Method::cg, true, matrix->coordinates().columns > 0);
    EXPECT_EQ(kind, told ? Preconditioner::multigrid : Preconditioner::ic0);
  }
}

TEST_F(Multigrid, NewValuesKeepAggregatesAndPatterns) {
  // For values with the same strong connections it is the very hierarchy that is made of them.
  for (const auto& [told, holed, whole] : {std::tuple{false, false, 0},
                                           {false, true, 0},
                                           {true, false, 0},
                                           {true, true, 0},
                                           {true, false, 30000},
                                           {true, true, 30000},
                                           {true, true, 1000000}}) {
    // Levels of so many non-zeros every rank has whole: none, coarser ones, all.
    const auto matrix = elastic(ranks.team, 7, told, holed);
    Hierarchy::Options options;
    options.coarsest = 50;
    options.whole_nonzeros = whole;
    // A binding is no variable that a lambda takes by reference.
    const auto near = [&, told = told] {
      return told ? NearNullSpace{3, rigid_body_modes(ranks.team, matrix->coordinates())}
                  : NearNullSpace{};
    };
    Hierarchy renewed(matrix->bands(), ranks.memory, true, options, near());
    std::vector<double> values = matrix->bands().global_rows().values;
    for (double& value : values) value *= 3;
    matrix->set_values(values);
    renewed.renew(near());
    Hierarchy anew(matrix->bands(), ranks.memory, true, options, near());
    ASSERT_EQ(renewed.levels().size(), anew.levels().size());
    ASSERT_GE(anew.levels().size(), 2u);
    const auto b = test::vectors_of(*matrix, random_multivector(matrix->order(), 2, 1));
    const auto x = b->similar(2), y = b->similar(2);
    renewed.cycle(*b, *x);
    anew.cycle(*b, *y);
    EXPECT_EQ(own_rows(*x).values, own_rows(*y).values) << told << holed << whole;
  }
}

TEST_F(Multigrid, IsSetUpAnewWhereOldAggregatesNoLongerServe) {
  // A grid whose connections are strong along one axis, and then along the other one.
  const Index side = 60;
  const Csr<double> pattern = load_matrix(fmt::format("grid2d:{}", side));
  const auto grid = [&](double along, double across) {
    Csr<double> whole = pattern;
    for (Index i = 0; i < whole.rows; ++i) {
      for (Index k = whole.row_offsets[i]; k < whole.row_offsets[i + 1]; ++k) {
        const Index distance = std::abs(whole.column_indices[k] - i);
        whole.values[k] = distance == 0 ? 2 * (along + across) : distance == 1 ? -along : -across;
      }
    }
    return whole;
  };
  SolverOptions options;
  options.method = Method::cg;
  options.preconditioner = Preconditioner::multigrid;
  options.condition = false;
  const Dense<double> b = random_multivector(pattern.rows, 1, 3);
  const RowLayout layout{pattern.rows, ranks.team.size()};
  SystemSolver solver = solver_for(grid(1, 1e-3), options);
  std::vector<Index> steps;
  std::vector<bool> renewed;
  for (const auto& [along, across] : {std::pair{1.0, 1e-3}, std::pair{2.0, 2.5e-3},
                                      std::pair{1e-3, 1.0}, std::pair{1.1e-3, 1.0}}) {
    const Csr<double> whole = grid(along, across);
    solver.set_values(scatter_rows(ranks.team, layout, Csr<double>(whole)).values);
    solver.set_up();
    const Solved solved = solve(solver, b);
    EXPECT_LE(test::backward_error(whole, b, solved.x), 1e-13);
    steps.push_back(solved.krylov.steps);
    renewed.push_back(solved.krylov.renewed);
  }
  EXPECT_FALSE(renewed[0]);
  EXPECT_TRUE(renewed[1]);
  EXPECT_LE(steps[1], steps[0] + steps[0] / 4);
  EXPECT_FALSE(renewed[3]);
  EXPECT_LT(steps[3], steps[2] + 1);
}

TEST_F(Multigrid, TheMultigridCycleIsSymmetric) {
  for (const auto& [generator, whole] : {std::pair{"grid2d:40", 0},
                                         {"grid2d:40", 2000},
                                         {"grid2d:40", 1000000},
                                         {"elastic3d:7", 0},
                                         {"elastic3d:7", 30000},
                                         {"", 0},
                                         {"", 30000},
                                         {"", 1000000}}) {
    // The last one with rigid-body modes.
    const bool told = *generator == '\0';
    std::unique_ptr<SystemMatrix> held(
        told ? nullptr
             : new SystemMatrix(test::matrix_in_bands(ranks.team, load_matrix(generator))));
    if (told) held = elastic(ranks.team, 7, true);
    SystemMatrix& matrix = *held;
    NearNullSpace near;
    if (told) near = {3, rigid_body_modes(ranks.team, matrix.coordinates())};
    Hierarchy::Options options;
    options.coarsest = 50;
    options.whole_nonzeros = whole;
    Hierarchy hierarchy(matrix.bands(), ranks.memory, true, options, near);
    const auto u = test::vectors_of(matrix, random_multivector(matrix.order(), 1, 1));
    const auto v = test::vectors_of(matrix, random_multivector(matrix.order(), 1, 2));
    const auto of_u = u->similar(1), of_v = u->similar(1);
    hierarchy.cycle(*u, *of_u);
    hierarchy.cycle(*v, *of_v);
    const double one = dots(*v, *of_u).front(), other = dots(*u, *of_v).front();
    EXPECT_NEAR(one, other, 1e-11 * norms(*of_u).front() * norms(*v).front());
    EXPECT_GT(dots(*u, *of_u).front(), 0);
  }
}

}  // namespace
}  // namespace spsolve
