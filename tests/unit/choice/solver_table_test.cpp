#include "choice/solver_table.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "dense/state/flops.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "solve/gmres.hpp"

namespace spsolve {
namespace {

SolverQuestion question_of(Index order, Method method = Method::automatic,
                           Pivoting pivoting = Pivoting::automatic, int ranks = 1,
                           MemoryKind memory = MemoryKind::host) {
  SolverQuestion question;
  question.shape = {order, order, 0, 5 * order};
  question.options.method = method;
  question.options.pivoting = pivoting;
  question.ranks = ranks;
  question.memory = memory;
  if (is_sparse(method)) {  // as the analysis of a 5-point grid of that order would have it
    FactorizationEstimate& estimate = question.pattern_analysis.estimate;
    estimate.analysed = true;
    estimate.kind = factorization_of(method);
    estimate.facts = {true, true, false, true, 0};
    estimate.flops = 20.0 * std::pow(order, 1.5);
    estimate.factor_entries = 30 * order;
    estimate.memory = {2400 * order, 1200 * order, 4 * order};
  }
  if (memory == MemoryKind::gpu) {
    question.gpu = [](const EliminationChoice&, Index height, Index columns, int, Index) {
      return height * columns * Index{8};
    };
  }
  return question;
}

/// Calls work(question) for orders, ranks, memories and pivotings of all kinds.
template <typename Work>
void for_questions(Method method, const Work& work) {
  for (const Index order : {0, 1, 40, 3000, 100000}) {
    for (const int ranks : {1, 3, 8}) {
      for (const MemoryKind memory : {MemoryKind::host, MemoryKind::gpu}) {
        for (std::size_t word = 0; word < std::size(pivoting_words); ++word) {
          SCOPED_TRACE(testing::Message()
                       << "order " << order << ", " << ranks << " ranks, "
                       << (memory == MemoryKind::gpu ? "GPU, " : "host, ") << pivoting_words[word]);
          work(question_of(order, method, static_cast<Pivoting>(word), ranks, memory));
        }
      }
    }
  }
}

const SolverRow& row_of(Method method) {
  return choose_solver(question_of(10, method));
}

TEST(SolverTable, DenseRowsOfComplexMatricesAreComplexOnHosts) {
  for (const Method method : {Method::lu, Method::gauss, Method::gauss_jordan}) {
    SolverQuestion real = question_of(2000, method);
    SolverQuestion complex = real;
    complex.shape.parts = 2;  // order 1000
    const SolverRow& row = row_of(method);
    EXPECT_TRUE(row.choice(complex).complex);
    EXPECT_FALSE(row.choice(real).complex);
    EXPECT_EQ(row.analyse(complex).flops, row.analyse(real).flops / 2);
    MemoryPlan of_real, of_complex;
    row.plan(real, 0, of_real);
    row.plan(complex, 0, of_complex);
    EXPECT_NEAR(static_cast<double>(of_complex.bytes_in("prepare")),
                static_cast<double>(of_real.bytes_in("prepare")) / 2, 1e5);
    complex.memory = MemoryKind::gpu;
    EXPECT_FALSE(row.choice(complex).complex);
  }
}

TEST(SolverTable, EveryWordOfTheMethodButAutoHasARow) {
  for (std::size_t word = 0; word < std::size(method_words); ++word) {
    const auto method = static_cast<Method>(word);
    const auto rows = std::ranges::count(solver_table(), method, &SolverRow::method);
    EXPECT_EQ(rows, method == Method::automatic ? 0 : 1) << method_words[word];
    if (method == Method::automatic) continue;
    EXPECT_EQ(row_of(method).method, method);
    EXPECT_NE(solver_help().find(
                  fmt::format("{}\n      {}\n", method_words[word], row_of(method).sentence)),
              std::string::npos)
        << solver_help();
  }
}

TEST(SolverTable, AutoTakesTheSoonestOfThoseThatDoWhatIsAskedFor) {
  for_questions(Method::automatic, [](const SolverQuestion& question) {
    const SolverRow& chosen = choose_solver(question);
    EXPECT_EQ(chosen.refuse(question), "");
    for (const SolverRow& row : solver_table()) {
      if (!row.refuse(question).empty()) continue;
      EXPECT_LE(chosen.analyse(question).seconds, row.analyse(question).seconds)
          << name(row.method) << " is sooner than " << name(chosen.method);
    }
  });
}

TEST(SolverTable, AutoKeepsAwayFromWhatRefuses) {
  EXPECT_EQ(choose_solver(question_of(1000)).method, Method::lu);
  EXPECT_EQ(choose_solver(question_of(1000, Method::automatic, Pivoting::complete)).method,
            Method::gauss);
  EXPECT_EQ(choose_solver(question_of(1000, Method::automatic, Pivoting::tournament, 4)).method,
            Method::lu);
}

TEST(SolverTable, RefusalsAreSentencesThatNameTheOptions) {
  int refusals = 0;
  for (const SolverRow& row : solver_table()) {
    for_questions(row.method, [&](const SolverQuestion& question) {
      const std::string refusal = row.refuse(question);
      if (refusal.empty()) {
        EXPECT_EQ(&choose_solver(question), &row);
        return;
      }
      ++refusals;
      if (!is_sparse(row.method)) {
        EXPECT_EQ(refusal, why_not(row.method, question.options.pivoting));
      }
      EXPECT_NE(refusal.find("solve."), std::string::npos) << refusal;
      EXPECT_NE(refusal.find("; use solve."), std::string::npos) << refusal << ": and what to do?";
      EXPECT_NE(refusal.back(), '.') << refusal;
      try {
        choose_solver(question);
        ADD_FAILURE() << "no error: " << refusal;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input);
        EXPECT_EQ(error.scope(), Scope::every_rank);
        EXPECT_EQ(error.what(), refusal);
      }
    });
  }
  EXPECT_GT(refusals, 0);
}

TEST(SolverTable, ChoicesLeaveNothingAutomatic) {
  for (const SolverRow& row : solver_table()) {
    for_questions(row.method, [&](const SolverQuestion& question) {
      if (!row.refuse(question).empty()) return;
      const EliminationChoice choice = row.choice(question);
      EXPECT_EQ(choice.method, row.method);
      EXPECT_NE(choice.pivoting, Pivoting::automatic);
      EXPECT_GE(choice.block, 1);
      const Pivoting wanted = question.options.pivoting;
      if (wanted != Pivoting::automatic && !is_sparse(row.method)) {
        EXPECT_EQ(choice.pivoting, wanted);
      }
    });
  }
}

TEST(SolverTable, AnalysesFollowTheFlops) {
  for (const SolverRow& row : solver_table()) {
    if (is_sparse(row.method) || is_krylov(row.method)) continue;
    const SolverAnalysis of_one = row.analyse(question_of(5000, row.method));
    EXPECT_EQ(of_one.flops, elimination_flops(row.method, 5000));
    EXPECT_GT(of_one.seconds, 0);
    EXPECT_GT(row.analyse(question_of(10000, row.method)).seconds, of_one.seconds);
    const auto of_ranks = row.analyse(question_of(5000, row.method, Pivoting::automatic, 4));
    EXPECT_EQ(of_ranks.flops, of_one.flops);
    EXPECT_LT(of_ranks.seconds, of_one.seconds);
  }
}

TEST(SolverTable, PlansGrowWithTheOrderAndShrinkWithTheRanks) {
  for (const SolverRow& row : solver_table()) {
    if (is_sparse(row.method) || is_krylov(row.method)) continue;
    for (const MemoryKind memory : {MemoryKind::host, MemoryKind::gpu}) {
      for (std::size_t word = 0; word < std::size(precision_words); ++word) {
        SCOPED_TRACE(testing::Message() << name(row.method) << " in " << precision_words[word]);
        const auto most = [&](Index order, int ranks) {
          auto question = question_of(order, row.method, Pivoting::automatic, ranks, memory);
          question.options.precision = static_cast<Precision>(word);
          const MemoryPlan plan = plan_system(row, question, ranks - 1);
          return memory == MemoryKind::gpu ? plan.gpu_peak() : plan.peak();
        };
        std::int64_t before = 0;
        for (const Index order : {100, 1000, 5000, 20000}) {
          const std::int64_t peak = most(order, 1);
          EXPECT_GT(peak, before) << order;
          EXPECT_GE(peak, order * order * 4) << order;
          before = peak;
        }
        EXPECT_LT(most(20000, 4), before / 2);
      }
    }
  }
}

TEST(SolverTable, PlansOfKrylovMethodsAreLinear) {
  for (const SolverRow& row : solver_table()) {
    if (!is_krylov(row.method)) continue;
    for (const MemoryKind memory : {MemoryKind::host, MemoryKind::gpu}) {
      SCOPED_TRACE(name(row.method));
      const auto most = [&](Index order, int ranks) {
        const auto question = question_of(order, row.method, Pivoting::automatic, ranks, memory);
        const MemoryPlan plan = plan_system(row, question, ranks - 1);
        return static_cast<double>(memory == MemoryKind::gpu ? plan.gpu_peak() : plan.peak());
      };
      EXPECT_GT(most(100000, 1), 100000.0 * 8 * krylov_method(row.method)->vectors);
      EXPECT_NEAR(most(400000, 1) / most(100000, 1), 4, 0.5);
      // Every rank has all levels of multigrid of a small matrix.
      EXPECT_LT(most(40000000, 4), 0.5 * most(40000000, 1));
    }
  }
}

TEST(SolverTable, PlansOfKrylovMethodsKnowThatRowsOfFewTypesAreNotCopied) {
  SolverQuestion question = question_of(100000, Method::cg);
  MemoryPlan copied, as_they_are;
  row_of(Method::cg).plan(question, 0, copied);
  question.rows_repeat = true;
  row_of(Method::cg).plan(question, 0, as_they_are);
  const Index nonzeros = question.shape.nonzeros;
  EXPECT_NEAR(static_cast<double>(copied.bytes_in("solve") - as_they_are.bytes_in("solve")),
              static_cast<double>(csr_bytes(100000, nonzeros, sizeof(double))), 2e5);
}

TEST(SolverTable, PlansOfIterationsKnowBothPreconditionersThatAutoMayTake) {
  SolverQuestion question = question_of(100000, Method::gmres);
  const auto bytes_of = [&](Preconditioner preconditioner) {
    question.options.preconditioner = preconditioner;
    MemoryPlan plan;
    row_of(Method::gmres).plan(question, 0, plan);
    return plan;
  };
  MemoryPlan open = bytes_of(Preconditioner::automatic);
  EXPECT_EQ(open.bytes_in("solve"), bytes_of(Preconditioner::multigrid).bytes_in("solve"));
  open.leave_out(MemoryPlan::Occasion::multigrid);
  EXPECT_EQ(open.bytes_in("solve"), bytes_of(Preconditioner::ilu0).bytes_in("solve"));
  EXPECT_EQ(open.bytes_in("prepare"), bytes_of(Preconditioner::ilu0).bytes_in("prepare"));
}

TEST(SolverTable, PlansOfWeakSymmetricMatricesHaveTheVectorsOfAFewStepsOfGmres) {
  SolverQuestion question = question_of(100000, Method::sparse_lu);
  FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  MemoryPlan plain, unsymmetric, matched;
  row_of(Method::sparse_lu).plan(question, 0, plain);
  estimate.matched = true;
  row_of(Method::sparse_lu).plan(question, 0, unsymmetric);
  EXPECT_EQ(unsymmetric.bytes_in("estimate"), plain.bytes_in("estimate"));
  estimate.facts.nearly_symmetric = true;
  row_of(Method::sparse_lu).plan(question, 0, matched);
  EXPECT_EQ(matched.bytes_in("eliminate"), plain.bytes_in("eliminate"));
  EXPECT_GE(matched.bytes_in("estimate") - plain.bytes_in("estimate"), gmres_bytes(100000, 2, 0));
  matched.leave_out(MemoryPlan::Occasion::small_pivots);
  EXPECT_LT(matched.bytes_in("solve") - plain.bytes_in("solve"), gmres_bytes(100000, 1, 0) / 10);
  question = question_of(100000, Method::sparse_ldlt);
  MemoryPlan strong, zeros;
  row_of(Method::sparse_ldlt).plan(question, 0, strong);
  question.pattern_analysis.estimate.facts.zero_diagonals = 1;
  row_of(Method::sparse_ldlt).plan(question, 0, zeros);
  EXPECT_GE(zeros.bytes_in("solve") - strong.bytes_in("solve"), gmres_bytes(100000, 1, 2));
}

TEST(SolverTable, PlansCountRightHandSides) {
  for (const SolverRow& row : solver_table()) {
    const auto bytes = [&](Index columns) {
      SolverQuestion question = question_of(1000, row.method);
      question.right_hand_sides = columns;
      return plan_system(row, question, 0).peak();
    };
    // b, x, the residual and the correction at least.
    EXPECT_GE(bytes(101) - bytes(1), 4 * 100 * 1000 * 8) << name(row.method);
  }
}

TEST(SolverTable, MixedPrecisionPlansDoubleApart) {
  for (const SolverRow& row : solver_table()) {
    if (is_krylov(row.method)) continue;  // in double alone
    SolverQuestion question = question_of(20000, row.method);
    question.options.precision = Precision::mixed;
    const MemoryPlan in_double = row.plan_in_double(question, 0);
    EXPECT_GE(in_double.peak(), is_sparse(row.method)
                                    ? question.pattern_analysis.estimate.memory.factors
                                    : Index{20000} * 20000 * 8)
        << name(row.method);
    EXPECT_LT(plan_system(row, question, 0).peak(), in_double.peak()) << name(row.method);
  }
}

TEST(SolverTable, SparseRowsFollowTheAnalysis) {
  for (const SolverRow& row : solver_table()) {
    if (!is_sparse(row.method)) continue;
    SCOPED_TRACE(name(row.method));
    const SolverQuestion question = question_of(50000, row.method);
    EXPECT_EQ(row.analyse(question).flops, question.pattern_analysis.estimate.flops);
    EXPECT_GT(row.analyse(question).seconds, 0);
    // Rank 0 eliminates, and holds the factors.
    const FactorMemory memory = question.pattern_analysis.estimate.memory;
    EXPECT_GE(plan_system(row, question, 0).bytes_in("eliminate"), memory.factors + memory.stack);
    const SolverQuestion over_ranks = question_of(50000, row.method, Pivoting::automatic, 4);
    EXPECT_LT(plan_system(row, over_ranks, 3).bytes_in("eliminate"), memory.factors);
    // auto takes it where it was analysed, as making the matrix dense would take far longer.
    SolverQuestion automatic = question;
    automatic.options.method = Method::automatic;
    EXPECT_EQ(choose_solver(automatic).method, row.method);
    // Where checkpoints are wanted as well, and by name.
    automatic.wants_checkpoints = true;
    EXPECT_EQ(choose_solver(automatic).method, row.method);
    SolverQuestion named = question;
    named.wants_checkpoints = true;
    EXPECT_EQ(row.refuse(named), "");
    EXPECT_EQ(why_no_checkpoints(row.method, 1, false, MemoryKind::host), "");
    EXPECT_NE(why_no_checkpoints(row.method, 2, false, MemoryKind::host), "");
    EXPECT_EQ(why_no_checkpoints(row.method, 2, true, MemoryKind::host), "");
    EXPECT_NE(why_no_checkpoints(row.method, 1, false, MemoryKind::gpu), "");
    EXPECT_NE(why_no_checkpoints(row.method, 2, true, MemoryKind::gpu), "");
  }
}

TEST(SolverTable, SparseRowsSayWhatTheMatrixLacks) {
  const auto refusal = [](Method method, SymmetryFacts facts) {
    SolverQuestion question = question_of(1000, method);
    question.pattern_analysis.estimate.analysed = false;
    question.pattern_analysis.estimate.facts = facts;
    const auto row = std::ranges::find(solver_table(), method, &SolverRow::method);
    return row->refuse(question);
  };
  EXPECT_NE(refusal(Method::sparse_cholesky, {true, false, false, true, 0})
                .find("wants a symmetric matrix"),
            std::string::npos);
  EXPECT_NE(refusal(Method::sparse_cholesky, {true, true, false, false, 1, true}).find("diagonal"),
            std::string::npos);
  EXPECT_NE(
      refusal(Method::sparse_ldlt, {true, false, false, true, 0}).find("solve.method=sparse_lu"),
      std::string::npos);
}

}  // namespace
}  // namespace spsolve
