// Krylov methods that stop at a checkpoint and go on from it, on the same and on another number of
// ranks.

#include <fstream>

#include <gtest/gtest.h>

#include "dense/host_device.hpp"
#include "helpers/checkpoint_bytes.hpp"
#include "helpers/checkpoint_runs.hpp"
#include "helpers/reference.hpp"
#include "io/matrix_source.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

using test::checkpoints::never;

struct Iterated {
  std::optional<Dense<double>> x;  // nothing where it stopped
  std::optional<KrylovOutcome> krylov;
  InverseFacts facts;
  CheckpointStatistics checkpoints;
};

/// A system that a method is tried with: such as wants several rounds, or several turns of columns.
struct Tried {
  const char* generator;  ///< null: with_a_small_row_and_column()
  SolverOptions options;
  Index columns = 2;
};

Csr<double> matrix_of(const Tried& tried) {
  return tried.generator != nullptr ? load_real_form(tried.generator).rows
                                    : with_a_small_row_and_column();
}

SolverOptions by(Method method, Preconditioner preconditioner, double tolerance = 0) {
  SolverOptions options;
  options.method = method;
  options.preconditioner = preconditioner;
  options.tolerance = tolerance;
  options.condition = false;
  options.restart = 20;
  return options;
}

std::vector<Tried> all_tried(const Team& team) {
  std::vector<Tried> tried;
  for (const KrylovMethod& method : krylov_methods()) {
    // Ranks that share the cores of a small machine wait for each other at every product.
    if (team.size() > 2 && method.method != Method::cg) continue;
    const char* generator = method.symmetric() ? "grid2d:17" : "grid2d:13";
    tried.push_back({generator, by(method.method, Preconditioner::none)});
    tried.push_back({generator, by(method.method, Preconditioner::jacobi, 1e-9)});
    // In complex numbers.
    const bool hermitian = method.wants == WantedSymmetry::hermitian;
    tried.push_back(
        {hermitian ? "magnetic2d:9" : "zhelm2d:9", by(method.method, Preconditioner::jacobi)});
  }
  tried.push_back({"grid2d:17", by(Method::cg, Preconditioner::ic0)});
  // In rounds of sharper tolerances; and nine right-hand sides, of which it takes eight at a time.
  for (const Method method : {Method::gmres, Method::bicgstab}) {
    tried.push_back({nullptr, by(method, Preconditioner::jacobi, 1e-4), 1});
    tried.back().options.restart = 8;  // more than one cycle in the last round
  }
  tried.push_back({"convdiff3d:6", by(Method::gmres, Preconditioner::jacobi, 1e-8), 9});
  return tried;
}

std::string print(const Tried& tried) {
  return fmt::format("{} {} {}", tried.generator != nullptr ? tried.generator : "a small row",
                     name(tried.options.method), name(tried.options.preconditioner));
}

class CheckpointedIterations : public Krylov {
 protected:
  static Dense<double> right_hand_sides(const Tried& tried, std::uint64_t seed = 5) {
    const Csr<double> whole = matrix_of(tried);
    return test::multiply(whole, random_multivector(whole.rows, tried.columns, seed));
  }

  Iterated run(const Tried& tried, Index stop = never, std::uint64_t seed = 5) {
    return run_by(ranks.team, tried, stop, seed);
  }

  Iterated run_by(Team& team, const Tried& tried, Index stop = never, std::uint64_t seed = 5) {
    const Timer timer;
    HostDevice memory(team);
    std::unique_ptr<SystemMatrix> matrix(
        new SystemMatrix(test::matrix_in_bands(team, matrix_of(tried))));
    SolverQuestion question;
    question.shape = {matrix->order(), matrix->order(), 0, matrix->nonzeros()};
    question.ranks = team.size();
    question.options = tried.options;
    question.wants_checkpoints = true;
    SystemSolver solver(std::move(matrix), choose_solver(question), question, memory);
    solver.prepare();
    const auto b = test::vectors_of(solver.matrix(), right_hand_sides(tried, seed));
    CheckpointOptions wanted;
    wanted.directory = folder.path();
    test::checkpoints::StopsAt checkpoints(
        team, wanted, problem_of(solver.matrix(), solver.scaling(), solver.choice(), b.get()),
        timer, stop);
    Iterated ran;
    try {
      Progress silent("iterating", 1, Progress::Show::off);
      solver.eliminate(silent, &checkpoints, b.get());
      const auto x = solver.matrix().vectors(b->columns());
      PhaseTimes times;
      solver.solve(*b, *x, times);
      ran.x = test::whole(*x);
      ran.krylov = solver.facts().krylov;
    } catch (const Error& error) {
      if (error.code() != ExitCode::interrupted) throw;
    }
    ran.facts = solver.facts();
    ran.checkpoints = checkpoints.statistics();
    if (ran.x) checkpoints.remove();
    wait_for_all(team);  // until the files are what they will be
    return ran;
  }

  template <typename Work>
  void alone(Work&& work) {
    if (ranks.team.rank() == 0) {
      SoloTeam solo;
      work(solo);
    }
    wait_for_all(ranks.team);
  }

  /// The step of the newest checkpoint.
  Index newest_step() {
    const Index step = read_iteration_part(CheckpointReader(folder.files().back())).step;
    wait_for_all(ranks.team);
    return step;
  }

  void expect_solved(const Tried& tried, const Iterated& ran) {
    ASSERT_TRUE(ran.x);
    EXPECT_TRUE(ran.krylov->converged) << ran.krylov->shortfall;
    EXPECT_LE(test::backward_error(matrix_of(tried), right_hand_sides(tried), *ran.x),
              std::max(1e-13, tried.options.tolerance));
  }

  test::checkpoints::SharedFolder folder{ranks.team};
};

TEST_F(CheckpointedIterations, BreaksCostNoStepAndNoBit) {
  for (const Tried& tried : all_tried(ranks.team)) {
    const Iterated undisturbed = run(tried);
    const Index steps = undisturbed.krylov->steps;
    expect_solved(tried, undisturbed);
    ASSERT_GT(steps, 8);
    for (const std::vector<Index>& stops :
         {std::vector<Index>{1}, {3, 7, steps / 2}, {steps * 4 / 5}, {steps}}) {
      SCOPED_TRACE(fmt::format("{}, stops {}", print(tried), fmt::join(stops, ", ")));
      std::optional<Index> before;
      for (const Index stop : stops) {
        const Iterated stopped = run(tried, stop);
        EXPECT_EQ(stopped.checkpoints.resumed_step, before);
        ASSERT_FALSE(stopped.x);
        before = newest_step();
        // gmres looks after cycles of twenty steps, idr after five.
        EXPECT_GE(*before, stop);
        EXPECT_LE(*before, stop + tried.options.restart);
      }
      const Iterated ran = run(tried);
      ASSERT_TRUE(ran.x);
      EXPECT_EQ(ran.x->values, undisturbed.x->values);
      EXPECT_EQ(ran.krylov->steps, undisturbed.krylov->steps);
      EXPECT_EQ(ran.krylov->history, undisturbed.krylov->history);
      EXPECT_EQ(ran.krylov->converged, undisturbed.krylov->converged);
      EXPECT_TRUE(folder.files().empty());
      wait_for_all(ranks.team);
    }
  }
}

TEST_F(CheckpointedIterations, OtherNumbersOfRanks) {
  for (const Tried& tried : all_tried(ranks.team)) {
    const Iterated undisturbed = run(tried);
    const Index half = undisturbed.krylov->steps / 2;
    for (const bool to_one : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, {}", print(tried), to_one ? "to one" : "from one"));
      if (to_one) {
        EXPECT_FALSE(run(tried, half).x);
      } else {
        alone([&](Team& solo) { EXPECT_FALSE(run_by(solo, tried, half).x); });
      }
      const auto check = [&](const Iterated& ran) {
        ASSERT_TRUE(ran.checkpoints.resumed_step);
        EXPECT_GE(*ran.checkpoints.resumed_step, half);
        expect_solved(tried, ran);
        EXPECT_GT(ran.krylov->steps, *ran.checkpoints.resumed_step);
        const Preconditioner kind = tried.options.preconditioner;
        const bool same_m = kind == Preconditioner::none || kind == Preconditioner::jacobi ||
                            ranks.team.size() == 1;
        EXPECT_EQ(ran.facts.notes.empty(), same_m);
        if (!same_m) {
          EXPECT_NE(ran.facts.notes.front().find("new recurrences begin with the x of the "
                                                 "checkpoint"),
                    std::string::npos)
              << ran.facts.notes.front();
        } else {
          // Rounding is all that differs.
          EXPECT_LE(ran.krylov->steps, undisturbed.krylov->steps * 5 / 4 + 10);
        }
      };
      if (to_one) {
        alone([&](Team& solo) { check(run_by(solo, tried)); });
      } else {
        check(run(tried));
      }
    }
  }
}

TEST_F(CheckpointedIterations, AnotherPreconditionerTakesXAndOthersTakeNothing) {
  const Tried tried{"grid2d:17", by(Method::cg, Preconditioner::none)};
  EXPECT_FALSE(run(tried, 20).x);
  Tried other = tried;
  other.options.preconditioner = Preconditioner::ic0;
  {
    const Iterated ran = run(other, 21);
    EXPECT_FALSE(ran.x);
    EXPECT_EQ(ran.checkpoints.resumed_step, 20);
    ASSERT_EQ(ran.facts.notes.size(), 1u);
    EXPECT_NE(
        ran.facts.notes[0].find("of the preconditioner none on hosts, where this run has ic0"),
        std::string::npos)
        << ran.facts.notes[0];
  }
  const auto begins_anew = [&](const Tried& who, std::uint64_t seed, std::string_view words) {
    const Iterated ran = run(who, never, seed);
    EXPECT_FALSE(ran.checkpoints.resumed_step);
    ASSERT_EQ(ran.checkpoints.notes.size(), 1u);
    EXPECT_NE(ran.checkpoints.notes[0].find(words), std::string::npos) << ran.checkpoints.notes[0];
    EXPECT_TRUE(ran.x);
  };
  begins_anew(tried, 6, "belongs to other right-hand sides");
  Tried by_minres = tried;
  by_minres.options.method = Method::minres;
  begins_anew(by_minres, 5, "belongs to solve.method=cg, not minres");
  Tried larger = tried;
  larger.generator = "grid2d:18";
  begins_anew(larger, 5, "belongs to a matrix of order 289, not 324");
  // And the one that they are of is there still.
  EXPECT_EQ(run(other).checkpoints.resumed_step, 21);
}

TEST_F(CheckpointedIterations, ADamagedOneIsNamedAndTheOneBeforeUsed) {
  const Tried tried{"grid2d:17", by(Method::cg, Preconditioner::none)};
  const Iterated undisturbed = run(tried);
  EXPECT_FALSE(run(tried, 10).x);
  EXPECT_FALSE(run(tried, 15).x);
  const auto files = folder.files();
  ASSERT_EQ(files.size(), 2 * static_cast<std::size_t>(ranks.team.size()));
  wait_for_all(ranks.team);
  if (ranks.team.rank() == 0) {
    std::string bytes = test::contents(files.back());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(files.back(), std::ios::binary) << bytes;
  }
  wait_for_all(ranks.team);
  const Iterated ran = run(tried);
  EXPECT_EQ(ran.checkpoints.resumed_step, 10);
  ASSERT_EQ(ran.checkpoints.notes.size(), 1u);
  EXPECT_NE(ran.checkpoints.notes[0].find("is damaged"), std::string::npos)
      << ran.checkpoints.notes[0];
  EXPECT_EQ(ran.x->values, undisturbed.x->values);
}

}  // namespace
}  // namespace spsolve
