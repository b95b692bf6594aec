// Eliminations that stop at a checkpoint and go on from it, on the same and on another number of
// ranks: team of all ranks, or of rank 0 alone.

#include <fstream>

#include <gtest/gtest.h>

#include "checkpoint/checkpoints.hpp"
#include "helpers/checkpoint_runs.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve {
namespace {

using namespace test::checkpoints;

/// The same with bands on the host.
Ran run(Team& team, const System& system, const EliminationChoice& choice, AutoSwitch equilibrate,
        const std::filesystem::path& folder, Index stop,
        ResumeChoice resume = ResumeChoice::automatic) {
  HostBands bands(team);
  return test::checkpoints::run(team, bands, system, choice, equilibrate, folder, stop, resume);
}

TEST(Checkpoints, SameRanksGiveTheSameBits) {
  MpiTeam team;
  const SharedFolder folder(team);
  for (const Case& c : cases()) {
    const Index n = 61;
    const System system = system_for(c, n);
    const Ran undisturbed = run(team, system, c.choice, c.equilibrate, folder.path(), never);
    for (const Index stop : {Index{1}, Index{25}, n - 1, n}) {
      const std::string where = fmt::format("{}, stopped at {}", print(c), stop);
      EXPECT_FALSE(run(team, system, c.choice, c.equilibrate, folder.path(), stop).x) << where;
      const Ran ran = run(team, system, c.choice, c.equilibrate, folder.path(), never);
      EXPECT_EQ(ran.checkpoints.resumed_step, boundary(c, stop, n)) << where;
      expect_same(ran, undisturbed, where);
      EXPECT_TRUE(folder.files().empty()) << where;
      wait_for_all(team);
    }
  }
}

TEST(Checkpoints, OneStopAfterAnother) {
  MpiTeam team;
  const SharedFolder folder(team);
  for (const Case& c : cases()) {
    const Index n = 50;
    const System system = system_for(c, n);
    const Ran undisturbed = run(team, system, c.choice, c.equilibrate, folder.path(), never);
    for (const Index stop : {8, 9, 20, 33}) {
      EXPECT_FALSE(run(team, system, c.choice, c.equilibrate, folder.path(), stop).x) << print(c);
      EXPECT_LE(folder.files().size(), 2 * static_cast<std::size_t>(team.size()));
      wait_for_all(team);
    }
    expect_same(run(team, system, c.choice, c.equilibrate, folder.path(), never), undisturbed,
                print(c));
  }
}

TEST(Checkpoints, SmallSystems) {
  MpiTeam team;
  const SharedFolder folder(team);
  for (const Case& c : cases()) {
    for (const Index n : {1, 2, 3}) {
      EliminationChoice choice = c.choice;
      choice.block = std::clamp<Index>(choice.block, 1, std::max<Index>(n, 1));
      const System system = system_for(c, n);
      const Ran undisturbed = run(team, system, choice, c.equilibrate, folder.path(), never);
      run(team, system, choice, c.equilibrate, folder.path(), n / 2);
      const std::string where = fmt::format("{}, n = {}", print(c), n);
      expect_same(run(team, system, choice, c.equilibrate, folder.path(), never), undisturbed,
                  where);
    }
  }
}

/// Runs with rank 0 alone on rank 0; nothing elsewhere.
template <typename Work>
void alone(Team& team, Work&& work) {
  if (team.rank() == 0) {
    SoloTeam solo;
    work(solo);
  }
  wait_for_all(team);
}

TEST(Checkpoints, FromOneRankToAll) {
  MpiTeam team;
  const SharedFolder folder(team);
  for (const Case& c : cases()) {
    const Index n = 61;
    const System system = system_for(c, n);
    for (const Index stop : {Index{9}, Index{40}, n}) {
      const std::string where = fmt::format("{}, stopped at {}", print(c), stop);
      alone(team, [&](Team& solo) {
        EXPECT_FALSE(run(solo, system, c.choice, c.equilibrate, folder.path(), stop).x) << where;
      });
      const Ran ran = run(team, system, c.choice, c.equilibrate, folder.path(), never);
      EXPECT_EQ(ran.checkpoints.resumed_step, boundary(c, stop, n)) << where;
      ASSERT_TRUE(ran.x) << where;
      EXPECT_LE(test::backward_error(system.matrix, system.b, *ran.x), bound(system, c)) << where;
    }
  }
}

TEST(Checkpoints, FromAllRanksToOne) {
  MpiTeam team;
  const SharedFolder folder(team);
  for (const Case& c : cases()) {
    const Index n = 61;
    const System system = system_for(c, n);
    for (const Index stop : {Index{9}, Index{40}, n}) {
      const std::string where = fmt::format("{}, stopped at {}", print(c), stop);
      EXPECT_FALSE(run(team, system, c.choice, c.equilibrate, folder.path(), stop).x) << where;
      alone(team, [&](Team& solo) {
        const Ran ran = run(solo, system, c.choice, c.equilibrate, folder.path(), never);
        EXPECT_EQ(ran.checkpoints.resumed_step, boundary(c, stop, n)) << where;
        ASSERT_TRUE(ran.x) << where;
        EXPECT_LE(test::backward_error(system.matrix, system.b, *ran.x), bound(system, c)) << where;
        EXPECT_TRUE(folder.files().empty()) << where;
      });
    }
  }
}

TEST(Checkpoints, ColumnwiseStatisticsSurviveAnotherNumberOfRanks) {
  MpiTeam team;
  const SharedFolder folder(team);
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 40);
  const Ran undisturbed = run(team, system, c.choice, c.equilibrate, folder.path(), never);
  alone(team, [&](Team& solo) { run(solo, system, c.choice, c.equilibrate, folder.path(), 35); });
  // Element by element the same arithmetic, whoever does it.
  expect_same(run(team, system, c.choice, c.equilibrate, folder.path(), never), undisturbed, "");
}

TEST(Checkpoints, AnotherWidthOfPanelsGoesOn) {
  MpiTeam team;
  const SharedFolder folder(team);
  for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::none}) {
    const Case first{{Method::lu, pivoting, Precision::float64, 12}};
    const Case then{{Method::lu, pivoting, Precision::float64, 7}};
    const System system = system_for(first, 61);
    EXPECT_FALSE(run(team, system, first.choice, AutoSwitch::off, folder.path(), 24).x);
    const Ran ran = run(team, system, then.choice, AutoSwitch::off, folder.path(), never);
    EXPECT_EQ(ran.checkpoints.resumed_step, 24);
    EXPECT_LE(test::backward_error(system.matrix, system.b, *ran.x), bound(system, then));
  }
}

/// Saves behind one step of its first elimination, stops behind one of its second.
class SavesAndStops final : public Checkpoints {
 public:
  SavesAndStops(Team& team, const Config::Checkpoint& wanted, const EliminatedProblem& problem,
                const Timer& run, Index save, Index stop)
      : Checkpoints(team, wanted, problem, run), save_(save), stop_(stop) {}
  CheckpointWish wish(Index step) override {
    if (statistics().written == 0 && step >= save_) return CheckpointWish::save;
    second_ = second_ || step < last_;
    last_ = step;
    return second_ && step >= stop_ ? CheckpointWish::stop : CheckpointWish::none;
  }

 private:
  Index save_, stop_, last_ = 0;
  bool second_ = false;
};

TEST(Checkpoints, TwoEliminationsOneAfterTheOther) {
  // As in mixed precision: float first, and double where that was not enough.
  MpiTeam team;
  const SharedFolder folder(team);
  const EliminationChoice in_float{Method::lu, Pivoting::tournament, Precision::float32, 8};
  const EliminationChoice in_double{Method::lu, Pivoting::tournament, Precision::float64, 8};
  const System system = system_for({in_double}, 61);
  const RowBands bands{61, team.size()};
  const Csr<double> whole = team.rank() == 0 ? system.matrix : Csr<double>{};
  const Csr<double> rows = scatter_rows(team, bands, whole);
  const Csr<double> dealt = deals_in_cycles(in_double, team.size())
                                ? scatter_rows(team, cyclic_rows(in_double, 61, team.size()), whole)
                                : rows;
  const Timer timer;
  Progress progress("test", 0, Progress::Show::off);
  Config::Checkpoint wanted;
  wanted.directory = folder.path();
  const EliminatedProblem problem = problem_of(team, bands, rows, {}, in_float);
  {
    SavesAndStops checkpoints(team, wanted, problem, timer, 24, 40);
    prepare_elimination(team, 61, dealt, in_float, &checkpoints)(progress);
    EXPECT_THROW(prepare_elimination(team, 61, dealt, in_double, &checkpoints)(progress), Error);
  }
  wait_for_all(team);
  EXPECT_EQ(folder.files().size(), 2 * static_cast<std::size_t>(team.size()));
  wait_for_all(team);
  StopsAt checkpoints(team, wanted, problem, timer, never);
  prepare_elimination(team, 61, dealt, in_float, &checkpoints)(progress);
  EXPECT_EQ(checkpoints.statistics().resumed_step, 24);
  prepare_elimination(team, 61, dealt, in_double, &checkpoints)(progress);
  EXPECT_EQ(checkpoints.statistics().resumed_step, 40);
  checkpoints.remove();
  EXPECT_TRUE(folder.files().empty());
}

// --- files that cannot be used

/// Makes two generations of one elimination; the newer is at step 32.
void leave_two(Team& team, const System& system, const Case& c, const SharedFolder& folder) {
  run(team, system, c.choice, c.equilibrate, folder.path(), 16);
  run(team, system, c.choice, c.equilibrate, folder.path(), 32);
}

struct Damage {
  const char* name;
  const char* words;
  void (*happen)(const std::filesystem::path& file);
};

const Damage damages[] = {
    {"a flipped bit", "checksum",
     [](const std::filesystem::path& file) {
       std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
       stream.seekg(-100, std::ios::end);
       const char byte = static_cast<char>(stream.peek() ^ 16);
       stream.seekp(-100, std::ios::end);
       stream.put(byte);
     }},
    {"truncated", "bytes",
     [](const std::filesystem::path& file) {
       std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
     }},
    {"missing", "cannot be opened",
     [](const std::filesystem::path& file) { std::filesystem::remove(file); }},
    {"empty", "no checkpoint",
     [](const std::filesystem::path& file) { std::filesystem::resize_file(file, 0); }},
};

TEST(Checkpoints, ADamagedOneIsNamedAndTheOneBeforeTaken) {
  MpiTeam team;
  const SharedFolder folder(team);
  const Case c{{Method::lu, Pivoting::tournament, Precision::float64, 8}};
  const System system = system_for(c, 61);
  const Ran undisturbed = run(team, system, c.choice, c.equilibrate, folder.path(), never);
  for (const Damage& damage : damages) {
    leave_two(team, system, c, folder);
    const std::filesystem::path newest = folder.files().back();
    wait_for_all(team);
    if (team.rank() == 0) damage.happen(newest);
    wait_for_all(team);
    const Ran ran = run(team, system, c.choice, c.equilibrate, folder.path(), never);
    EXPECT_EQ(ran.checkpoints.resumed_step, 16) << damage.name;
    expect_same(ran, undisturbed, damage.name);
    // Without its only file, there is nothing of which something could be missing.
    if (team.size() == 1 && damage.name == std::string_view("missing")) continue;
    ASSERT_EQ(ran.checkpoints.notes.size(), 1u) << damage.name;
    EXPECT_NE(ran.checkpoints.notes[0].find(newest.filename()), std::string::npos);
    EXPECT_NE(ran.checkpoints.notes[0].find(damage.words), std::string::npos)
        << ran.checkpoints.notes[0];
  }
}

TEST(Checkpoints, PartsOfTwoRunsAreNotMixed) {
  MpiTeam team;
  if (team.size() == 1) GTEST_SKIP() << "this needs two ranks";
  const SharedFolder folder(team);
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 30);
  // The same generation twice, at different steps.
  run(team, system, c.choice, c.equilibrate, folder.path(), 10);
  const std::filesystem::path last = folder.files().back();
  wait_for_all(team);
  if (team.rank() == 0) {
    std::filesystem::rename(last, folder.path() / "kept");
    for (const auto& file : folder.files()) {
      if (file.filename() != "kept") std::filesystem::remove(file);
    }
  }
  wait_for_all(team);
  run(team, system, c.choice, c.equilibrate, folder.path(), 20);
  if (team.rank() == 0) std::filesystem::rename(folder.path() / "kept", last);
  wait_for_all(team);
  const Ran ran = run(team, system, c.choice, c.equilibrate, folder.path(), never);
  EXPECT_FALSE(ran.checkpoints.resumed_step);
  ASSERT_EQ(ran.checkpoints.notes.size(), 1u);
  EXPECT_NE(ran.checkpoints.notes[0].find("different checkpoints"), std::string::npos);
}

TEST(Checkpoints, ForeignOnesAreNamedAndLeft) {
  MpiTeam team;
  const SharedFolder folder(team);
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 30);
  System other = system;
  other.matrix.values[7] += 1e-9;
  run(team, other, c.choice, c.equilibrate, folder.path(), 10);
  const auto theirs = folder.files();
  EXPECT_EQ(theirs.size(), static_cast<std::size_t>(team.size()));
  const Ran ran = run(team, system, c.choice, c.equilibrate, folder.path(), never);
  EXPECT_FALSE(ran.checkpoints.resumed_step);
  ASSERT_EQ(ran.checkpoints.notes.size(), 1u);
  EXPECT_NE(ran.checkpoints.notes[0].find(theirs.front().filename()), std::string::npos);
  EXPECT_NE(ran.checkpoints.notes[0].find("another matrix"), std::string::npos);
  EXPECT_EQ(folder.files(), theirs);

  // Under a name of ours it is refused by what it says.
  run(team, system, c.choice, c.equilibrate, folder.path(), 20);
  wait_for_all(team);
  if (team.rank() == 0) {
    for (const auto& file : folder.files()) {
      const std::string text = file.filename().string();
      if (std::ranges::find(theirs, file) != theirs.end()) continue;
      for (const auto& foreign : theirs) {
        // The same generation and rank: only the fingerprint differs.
        if (foreign.filename().string().substr(25) == text.substr(25)) {
          std::filesystem::rename(foreign, file);
        }
      }
    }
  }
  wait_for_all(team);
  const Ran again = run(team, system, c.choice, c.equilibrate, folder.path(), never);
  EXPECT_FALSE(again.checkpoints.resumed_step);
  ASSERT_EQ(again.checkpoints.notes.size(), 1u);
  EXPECT_NE(again.checkpoints.notes[0].find("belongs to another matrix"), std::string::npos)
      << again.checkpoints.notes[0];
}

TEST(Checkpoints, RequireAndNever) {
  MpiTeam team;
  const SharedFolder folder(team);
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 30);
  try {
    run(team, system, c.choice, c.equilibrate, folder.path(), never, ResumeChoice::require);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_EQ(error.scope(), Scope::every_rank);
  }
  run(team, system, c.choice, c.equilibrate, folder.path(), 10);
  const Ran ran =
      run(team, system, c.choice, c.equilibrate, folder.path(), never, ResumeChoice::never);
  EXPECT_FALSE(ran.checkpoints.resumed_step);
  EXPECT_TRUE(folder.files().empty()) << "a solve that ends well leaves none";
}

}  // namespace
}  // namespace spsolve
