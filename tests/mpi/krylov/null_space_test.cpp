// Singular systems whose null space is known, over the ranks of a team.

#include "krylov/null_space.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "io/dense_source.hpp"
#include "io/matrix_source.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "krylov_systems.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

using NullSpaces = Krylov;

/// The graph's Laplacian of a generator's pattern, whose rows add up to zero; unsymmetric ones have
/// weights that depend on the direction.
Csr<double> laplacian(const char* generator, bool symmetric = true) {
  Csr<double> a = load_matrix(generator);
  for (Index i = 0; i < a.rows; ++i) {
    double sum = 0;
    Index diagonal = -1;
    for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const Index j = a.column_indices[k];
      if (j == i) {
        diagonal = k;
        continue;
      }
      a.values[k] = symmetric || j < i ? -1 : -2;
      sum -= a.values[k];
    }
    a.values[diagonal] = sum;
  }
  return a;
}

double sum_of(const Dense<double>& x, Index column) {
  double sum = 0;
  for (Index i = 0; i < x.rows; ++i) sum += x(i, column);
  return sum;
}

TEST_F(NullSpaces, ConstantsOfEveryMethodWithEveryPreconditioner) {
  struct Case {
    const char* generator;
    bool symmetric;
  };
  // Ranks that share the cores of a small machine wait for each other at every product.
  const bool alone = ranks.team.size() == 1;
  const Case cases[] = {{alone ? "grid2d:30" : "grid2d:12", true},
                        {alone ? "grid3d:9" : "grid3d:5", false}};
  for (const Case& each : cases) {
    const Csr<double> whole = laplacian(each.generator, each.symmetric);
    const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 2, 5));
    for (const KrylovMethod& method : krylov_methods()) {
      if (method.symmetric() && !each.symmetric) continue;
      if (method.method == Method::cocr) continue;  // refused
      for (const Preconditioner kind :
           {Preconditioner::none, Preconditioner::jacobi, Preconditioner::ic0,
            Preconditioner::chebyshev, Preconditioner::elimination, Preconditioner::multigrid}) {
        if (kind == Preconditioner::ic0 && !each.symmetric) continue;
        const bool knows_ranks =
            kind == Preconditioner::multigrid || kind == Preconditioner::elimination;
        if (!alone && !knows_ranks) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", each.generator, name(method.method), name(kind)));
        SolverOptions options;
        options.method = method.method;
        options.preconditioner = kind;
        options.null_space = NullSpaceKind::constants;
        SystemSolver solver = solver_for(whole, options);
        solver.set_up();
        const Solved solved = solve(solver, b);
        EXPECT_TRUE(solved.krylov.converged) << solved.krylov.shortfall;
        EXPECT_EQ(solved.outcome.trust.verdict, Verdict::solved);
        EXPECT_FALSE(solved.outcome.condition) << "a singular matrix has none";
        EXPECT_LE(test::backward_error(whole, b, solved.x), 1e-12);
        for (Index c = 0; c < 2; ++c) EXPECT_NEAR(sum_of(solved.x, c), 0, 1e-9);
        EXPECT_EQ(solved.krylov.null_space, "constants");
      }
    }
  }
}

TEST_F(NullSpaces, OfConstantsAreToldWhereNoneIsNamed) {
  const auto is_told = [](const Solved& solved) {
    return std::ranges::any_of(solved.outcome.trust.notes, [](const std::string& note) {
      return note.find("solve.null_space=constants") != std::string::npos;
    });
  };
  const Csr<double> singular = laplacian("grid2d:12"), regular = load_matrix("grid2d:12");
  const Dense<double> b = test::multiply(singular, random_multivector(singular.rows, 1, 5));
  for (const Method method : {Method::cg, Method::gmres}) {
    SCOPED_TRACE(name(method));
    SolverOptions options;
    options.method = method;
    SystemSolver of_singular = solver_for(singular, options);
    of_singular.set_up();
    const Solved solved = solve(of_singular, b);
    EXPECT_EQ(solved.outcome.trust.verdict, Verdict::uncertain);
    EXPECT_TRUE(is_told(solved));
    // Not of A^T, nor of what is regular, however nearly it is not.
    Csr<double> nearly = singular;
    for (Index i = 0; i < nearly.rows; ++i) {
      for (Index k = nearly.row_offsets[i]; k < nearly.row_offsets[i + 1]; ++k) {
        if (nearly.column_indices[k] == i) nearly.values[k] += 1e-11;
      }
    }
    EXPECT_FALSE(is_told(solve(of_singular, b, true)));
    options.iterations = 1;
    for (const Csr<double>* matrix : {&regular, &std::as_const(nearly)}) {
      SystemSolver of_regular = solver_for(*matrix, options);
      of_regular.set_up();
      const Solved other = solve(of_regular, b);
      EXPECT_NE(other.outcome.trust.verdict, Verdict::solved);
      EXPECT_FALSE(is_told(other));
    }
  }
}

TEST_F(NullSpaces, RefuseRightHandSidesThatHaveNoSolution) {
  const Csr<double> whole = laplacian("grid2d:20");
  for (const KrylovMethod& method : krylov_methods()) {
    if (method.wants == WantedSymmetry::symmetric) continue;  // it takes no null space
    SCOPED_TRACE(name(method.method));
    SolverOptions options;
    options.method = method.method;
    options.null_space = NullSpaceKind::constants;
    const Dense<double> b(whole.rows, 1, 1.0);
    const std::string message = test::error_of(
        [&] {
          SystemSolver solver = solver_for(whole, options);
          solver.set_up();
          solve(solver, b);
        },
        ExitCode::not_trustworthy);
    EXPECT_NE(message.find("the system has no solution: A x is orthogonal to the null space of A, "
                           "constants, and 1.0e+00 of the right-hand side lies along it"),
              std::string::npos)
        << message;
  }
}

TEST_F(NullSpaces, AreTriedBeforeTheyAreBelieved) {
  SolverOptions options;
  options.method = Method::cg;
  options.null_space = NullSpaceKind::constants;
  const std::string message = test::error_of(
      [&] { solver_for(load_matrix("grid2d:20"), options).set_up(); }, ExitCode::input);
  EXPECT_NE(message.find("A does not take the constants to zero, but to 2.5e-01 of ||A||"),
            std::string::npos)
      << message;
}

/// A body of springs between neighbours of a grid, in all 26 directions, that nothing holds.
Csr<double> springs(Index side, Dense<double>& places) {
  const Index nodes = side * side * side;
  places = Dense<double>(nodes, 3);
  Coo entries;
  entries.rows = entries.columns = 3 * nodes;
  const auto add = [&](Index row, Index column, double value) {
    entries.row.push_back(row);
    entries.column.push_back(column);
    entries.value.push_back(value);
  };
  for (Index i = 0; i < nodes; ++i) {
    const Index of_i[] = {i % side, i / side % side, i / side / side};
    for (Index axis = 0; axis < 3; ++axis) places(i, axis) = static_cast<double>(of_i[axis]);
    for (Index j = 0; j < i; ++j) {
      const Index of_j[] = {j % side, j / side % side, j / side / side};
      double along[3];
      bool near = true;
      for (Index axis = 0; axis < 3; ++axis) {
        along[axis] = static_cast<double>(of_i[axis] - of_j[axis]);
        near = near && std::abs(along[axis]) <= 1;
      }
      if (!near) continue;
      for (Index p = 0; p < 3; ++p) {
        for (Index q = 0; q < 3; ++q) {
          const double value = along[p] * along[q];
          add(3 * i + p, 3 * i + q, value);
          add(3 * j + p, 3 * j + q, value);
          add(3 * i + p, 3 * j + q, -value);
          add(3 * j + p, 3 * i + q, -value);
        }
      }
    }
  }
  return csr_from_coo(std::move(entries));
}

TEST_F(NullSpaces, TheMotionsOfAFreeBodyFromAFile) {
  Dense<double> places;
  const Csr<double> whole = springs(5, places);
  Dense<double> motions(whole.rows, 6);
  for (Index node = 0; node < places.rows; ++node) {
    for (Index axis = 0; axis < 3; ++axis) {
      const Index p = (axis + 1) % 3, q = (axis + 2) % 3;
      motions(3 * node + axis, axis) = 1;
      motions(3 * node + p, 3 + axis) = -places(node, q);
      motions(3 * node + q, 3 + axis) = places(node, p);
    }
  }
  const std::string file = fmt::format("{}/motions-{}.npy", testing::TempDir(), ranks.team.size());
  const std::string twice = fmt::format("{}/twice-{}.npy", testing::TempDir(), ranks.team.size());
  if (ranks.team.rank() == 0) {
    write_dense(file, motions, "");
    Dense<double> more = motions;
    for (Index i = 0; i < more.rows; ++i) more(i, 5) = more(i, 0) + more(i, 1);
    write_dense(twice, more, "");
  }
  all_sum(ranks.team, 0);
  SolverOptions options;
  options.method = Method::cg;
  options.preconditioner = Preconditioner::multigrid;
  options.null_space = NullSpaceKind::file;
  options.null_space_file = file;
  const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 1, 5));
  const RowLayout bands = bands_of_nodes(whole.rows, ranks.team.size(), 3);
  std::unique_ptr<SystemMatrix> matrix(
      new SystemMatrix(test::matrix_in_bands(ranks.team, bands, whole)));
  SystemSolver solver = solver_for(std::move(matrix), options);
  solver.set_up();
  const Solved solved = solve(solver, b);
  EXPECT_EQ(solved.outcome.trust.verdict, Verdict::solved);
  EXPECT_LE(test::backward_error(whole, b, solved.x), 1e-12);
  for (Index mode = 0; mode < 6; ++mode) {
    double along = 0;
    for (Index i = 0; i < whole.rows; ++i) along += motions(i, mode) * solved.x(i, 0);
    EXPECT_NEAR(along, 0, 1e-8) << mode;
  }
  EXPECT_EQ(solved.krylov.null_space, "6 vectors of " + file);
  options.null_space_file = twice;
  const std::string message =
      test::error_of([&] { solver_for(whole, options).set_up(); }, ExitCode::input);
  EXPECT_NE(message.find("only 5 of them are independent"), std::string::npos) << message;
  all_sum(ranks.team, 0);
  if (ranks.team.rank() == 0) {
    std::filesystem::remove(file);
    std::filesystem::remove(twice);
  }
}

}  // namespace
}  // namespace spsolve
