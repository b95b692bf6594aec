// Systems that solve.method=auto iterates, over the ranks of a team.

#include <algorithm>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "io/matrix_source.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

namespace spsolve {
namespace {

TEST_F(Krylov, AutoIteratesAtFirstAndEliminatesWhereThatDoesNotDo) {
  const Csr<double> whole = load_matrix("grid3d:12");
  const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 2, 5));
  SolverQuestion question;
  question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
  question.ranks = ranks.team.size();
  question.pattern_analysis =
      analyse_pattern(ranks.team, ranks.team.rank() == 0 ? whole : Csr<double>{}, question.options);
  EXPECT_TRUE(question.pattern_analysis.estimate.elliptic);
  const auto row = std::ranges::find(solver_table(), Method::cg, &SolverRow::method);
  ASSERT_NE(row, solver_table().end());
  EXPECT_EQ(row->refuse(question), "");
  for (const bool enough : {true, false}) {
    question.options.iterations = enough ? 0 : 2;
    std::unique_ptr<SystemMatrix> matrix(
        new SystemMatrix(test::matrix_in_bands(ranks.team, whole)));
    std::string why;
    SystemSolver solver(std::move(matrix), *row, question, ranks.memory,
                        [&](const std::string& sentence) { why = sentence; });
    // Once more from the beginning, with the values that are there.
    for (int round = 0; round < 2; ++round) {
      solver.set_up();
      expect_solved(solver, whole, b);
      EXPECT_EQ(solver.choice().method, enough ? Method::cg : Method::sparse_cholesky);
      EXPECT_EQ(solver.facts().krylov.has_value(), enough);
      EXPECT_EQ(solver.facts().sparse.has_value(), !enough);
      EXPECT_EQ(why.empty(), enough);
      if (!enough) {
        EXPECT_NE(solver.facts().notes.back().find("eliminated after all"), std::string::npos);
      }
    }
  }
}

TEST_F(Krylov, AutoKeepsItsEstimateOrAnalysesAndEliminates) {
  struct Case {
    const char* generator;
    Method iterates, eliminates;
    double sign = 1;
  };
  for (const Case& each : {Case{"cage:700", Method::bicgstab, Method::sparse_lu},
                           Case{"grid3d:12", Method::cg, Method::sparse_cholesky},
                           Case{"grid3d:12", Method::cg, Method::sparse_ldlt, -1}}) {
    Csr<double> whole = load_matrix(each.generator);
    for (double& value : whole.values) value *= each.sign;
    const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 1, 5));
    SolverQuestion question;
    question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
    question.ranks = ranks.team.size();
    question.pattern_analysis =
        analyse_pattern(ranks.team, ranks.team.rank() == 0 ? whole : Csr<double>{},
                        question.options, MemoryKind::host, {}, {.may_iterate = true});
    EXPECT_FALSE(question.pattern_analysis.estimate.analysed);
    for (const bool enough : {true, false}) {
      SCOPED_TRACE(fmt::format("{} {}", each.generator, enough));
      if (!enough) question.pattern_analysis.estimate.iteration.steps = 2;
      std::unique_ptr<SystemMatrix> matrix(
          new SystemMatrix(test::matrix_in_bands(ranks.team, whole)));
      const SolverRow& row = choose_solver(question);
      EXPECT_EQ(row.method, each.iterates);
      std::string why;
      SystemSolver solver(std::move(matrix), row, question, ranks.memory,
                          [&](const std::string& sentence) { why = sentence; });
      for (int round = 0; round < 2; ++round) {
        solver.set_up();
        expect_solved(solver, whole, b);
        EXPECT_EQ(solver.choice().method, enough ? each.iterates : each.eliminates);
        EXPECT_EQ(solver.facts().sparse.has_value(), !enough);
        EXPECT_EQ(why.empty(), enough);
        if (!enough && each.sign < 0) {
          EXPECT_EQ(solver.facts().sparse->negative_pivots, whole.rows);
        }
        if (!enough) {
          EXPECT_NE(solver.facts().notes.back().find(fmt::format(
                        "auto took {} first, and eliminated after all", name(each.iterates))),
                    std::string::npos)
              << solver.facts().notes.back();
        }
      }
    }
  }
}

/// Iterations that are as good as all that fits, or the only thing before an analysis.
TEST_F(Krylov, AutoEliminatesAfterIterationsThatItPrefers) {
  struct Case {
    const char* generator;
    Method iterates, eliminates;
    bool short_of_memory;
  };
  for (const Case& each : {Case{"convdiff3d:10", Method::gmres, Method::sparse_lu, true},
                           Case{"grid3d:10", Method::cg, Method::sparse_cholesky, true},
                           Case{"grid3d:10", Method::cg, Method::sparse_cholesky, false}}) {
    SCOPED_TRACE(fmt::format("{} {}", each.generator, each.short_of_memory));
    const Csr<double> whole = load_matrix(each.generator);
    const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 2, 5));
    SolverQuestion question;
    question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
    question.ranks = ranks.team.size();
    question.pattern_analysis = analyse_pattern(
        ranks.team, ranks.team.rank() == 0 ? whole : Csr<double>{}, question.options);
    question.pattern_analysis.analysis = nullptr;
    question.short_of_memory = each.short_of_memory;
    if (each.short_of_memory) {
      question.options.method = each.iterates;
    } else {
      // So large that it is not analysed.
      question.pattern_analysis.estimate.analysed = false;
    }
    question.options.iterations = 2;
    const SolverRow& row = choose_solver(question);
    EXPECT_EQ(row.method, each.iterates);
    std::unique_ptr<SystemMatrix> matrix(
        new SystemMatrix(test::matrix_in_bands(ranks.team, whole)));
    SystemSolver solver(std::move(matrix), row, question, ranks.memory, {});
    for (int round = 0; round < 2; ++round) {
      solver.set_up();
      expect_solved(solver, whole, b);
      EXPECT_EQ(solver.choice().method, each.eliminates);
      const std::string& note = solver.facts().notes.back();
      EXPECT_EQ(note.starts_with("for earlier values, auto took"), round > 0) << note;
    }
  }
}

}  // namespace
}  // namespace spsolve
