#include "krylov/iteration/checkpointed_iteration.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "helpers/checkpoint_bytes.hpp"
#include "helpers/error_of.hpp"
#include "helpers/systems_in_bands.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/multivector.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve {
namespace {

/// A method of one level and one recurrence, whose x has two columns.
class IterationFile : public testing::Test {
 protected:
  static constexpr Index order = 7;

  struct Method {
    std::unique_ptr<Vectors> x, p;
    Index steps = 0;
    bool done = false;
    std::vector<double> history, rho;
  };

  std::unique_ptr<Vectors> vectors(Index columns) {
    return host_vector_memory().vectors(team, {order, 1}, columns);
  }

  /// A checkpoint after three steps, and what it holds.
  Method write(const std::string& settings = "ilu0") {
    Method method{vectors(2), vectors(1), 3, true, {1, 0.5, 0.25}, {7, 8}};
    set_own_rows(*method.x, random_multivector(order, 2, 1));
    set_own_rows(*method.p, random_multivector(order, 1, 2));
    const auto checkpoints = this->checkpoints();
    CheckpointedIteration checkpointed(*checkpoints, *method.x, 3, settings);
    for (int step = 0; step < 3; ++step) checkpointed.count_step();
    const auto levels = name(checkpointed, method);
    EXPECT_TRUE(checkpointed.is_wanted());
    checkpointed.save_checkpoint();
    return method;
  }

  struct Levels {
    std::unique_ptr<CheckpointedIteration::SolveLevel> progress, recurrence;
  };
  static Levels name(CheckpointedIteration& checkpointed, Method& method) {
    using Kind = CheckpointedIteration::SolveLevel::Kind;
    Levels levels;
    levels.progress = std::make_unique<CheckpointedIteration::SolveLevel>(
        &checkpointed, Kind::progress, [&method](IterationState& state) {
          state.number(method.steps);
          state.number(method.done);
          state.numbers(method.history);
          state.vectors(*method.x);
        });
    levels.recurrence = std::make_unique<CheckpointedIteration::SolveLevel>(
        &checkpointed, Kind::recurrence, [&method](IterationState& state) {
          state.each(method.rho);
          state.vectors(*method.p);
        });
    return levels;
  }

  /// Wishes for one at every boundary.
  struct Always final : Checkpoints {
    using Checkpoints::Checkpoints;
    CheckpointRequest request(Index) override { return CheckpointRequest::save; }
  };
  std::unique_ptr<Checkpoints> checkpoints() {
    CheckpointOptions wanted;
    wanted.directory = folder / "";
    return std::make_unique<Always>(team, wanted, problem, timer);
  }

  std::filesystem::path file() const { return folder / names_in(folder / "").back(); }

  std::string refusal(const std::filesystem::path& path) {
    return test::error_of([&] { read_iteration_part(CheckpointReader(path)); }, ExitCode::input);
  }

  test::TemporaryFolder folder;
  SoloTeam team;
  Timer timer;
  EliminatedProblem problem{order, spsolve::Method::cg, Pivoting::automatic, Precision::float64, 7,
                            9};
};

TEST_F(IterationFile, ComesBackAsItWas) {
  const Method written = write();
  Method method{vectors(2), vectors(1), 0, false, {}, {0, 0}};
  const auto again = checkpoints();
  CheckpointedIteration checkpointed(*again, *method.x, 3, "ilu0");
  EXPECT_EQ(checkpointed.restarts(), "");
  EXPECT_TRUE(checkpointed.has_recurrence());
  {
    const Levels levels = name(checkpointed, method);
    EXPECT_TRUE(levels.progress->goes_on());
    EXPECT_TRUE(levels.recurrence->goes_on());
  }
  EXPECT_EQ(method.steps, 3);
  EXPECT_TRUE(method.done);
  EXPECT_EQ(method.history, written.history);
  EXPECT_EQ(method.rho, written.rho);
  EXPECT_EQ(own_rows(*method.x).values, own_rows(*written.x).values);
  EXPECT_EQ(own_rows(*method.p).values, own_rows(*written.p).values);
  // Levels that come later begin anew.
  EXPECT_FALSE(checkpointed.has_recurrence());
  const Levels later = name(checkpointed, method);
  EXPECT_FALSE(later.progress->goes_on());
  EXPECT_FALSE(later.recurrence->goes_on());
  EXPECT_EQ(again->statistics().resumed_step, 3);
}

TEST_F(IterationFile, RecurrencesAreOfOneWayOnly) {
  write();
  Method method{vectors(2), vectors(1), 0, false, {}, {0, 0}};
  const auto again = checkpoints();
  CheckpointedIteration checkpointed(*again, *method.x, 3, "jacobi");
  EXPECT_EQ(checkpointed.restarts(),
            "new recurrences begin with the x of the checkpoint, which comes of the preconditioner "
            "ilu0, where this run has jacobi");
  const Levels levels = name(checkpointed, method);
  EXPECT_TRUE(levels.progress->goes_on());
  EXPECT_FALSE(levels.recurrence->goes_on());
  EXPECT_EQ(method.rho, (std::vector<double>{0, 0}));
}

TEST_F(IterationFile, WhatIsNotWhatWasKeptIsRefused) {
  write();
  const auto expect_refused = [&](Index columns, auto change) {
    Method method{vectors(columns), vectors(1), 0, false, {}, {0, 0}};
    change(method);
    const auto again = checkpoints();
    CheckpointedIteration checkpointed(*again, *method.x, 3, "ilu0");
    const std::string text = test::error_of([&] { name(checkpointed, method); }, ExitCode::input);
    EXPECT_NE(text.find("is not what this method keeps"), std::string::npos) << text;
    EXPECT_NE(text.find(file().string()), std::string::npos) << text;
  };
  expect_refused(3, [](Method&) {});
  expect_refused(2, [](Method& method) { method.rho.resize(3); });
}

TEST_F(IterationFile, SaysWhatIsWrong) {
  write();
  const std::string good = test::contents(file());
  const IterationPart part = read_iteration_part(CheckpointReader(file()));
  EXPECT_EQ(part.step, 3);
  EXPECT_EQ(part.columns, (std::vector<Index>{2}));
  EXPECT_EQ(part.recurrence_columns, (std::vector<Index>{1}));
  EXPECT_EQ(part.settings, "ilu0");
  /// That a number at byte `at` of the section "iteration" contradicts the others.
  const auto expect_refused = [&](std::int64_t at, Index value) {
    const FileSection found = *SectionReader(file()).find("iteration");
    std::string bytes = good;
    std::memcpy(bytes.data() + found.offset + at, &value, sizeof value);
    const std::string text = refusal(folder.write("b", test::with_good_sums(bytes)));
    EXPECT_NE(text.find("contradicts itself"), std::string::npos) << at << ": " << text;
    std::filesystem::remove(folder / "b");
  };
  expect_refused(0, -1);               // the step
  expect_refused(8, 1);                // rows of vectors
  expect_refused(16, order + 1);       // that are more than A's
  expect_refused(24, 2);               // vectors
  expect_refused(24, Index{1} << 60);  // far more than there are
  expect_refused(32, -1);
  expect_refused(40, 3);  // columns
  expect_refused(40, Index{1} << 61);
}

}  // namespace
}  // namespace spsolve
