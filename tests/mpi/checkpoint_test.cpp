// Eliminations that stop at a checkpoint and go on from it, on the same and on another number of
// ranks: team of all ranks, or of rank 0 alone.

#include <fstream>

#include <gtest/gtest.h>

#include "checkpoint/checkpoints.hpp"
#include "dense/host_device.hpp"
#include "helpers/checkpoint_runs.hpp"
#include "helpers/piecewise_rows.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve {
namespace {

using namespace test::checkpoints;

std::vector<Case> host_cases() {
  std::vector<Case> all = cases();
  for (const Case& c : complex_cases()) all.push_back(c);
  return all;
}

/// All ranks with bands on the host, and a folder that they share.
class HostCheckpoints : public testing::Test {
 protected:
  Ran run(const System& system, const Case& c, Index stop = never,
          ResumeChoice resume = ResumeChoice::automatic) {
    return run_by(team, system, c, stop, resume);
  }

  Ran run_by(Team& some, const System& system, const Case& c, Index stop = never,
             ResumeChoice resume = ResumeChoice::automatic) {
    HostDevice bands(some);
    return test::checkpoints::run(some, bands, system, c.choice, c.equilibrate, folder.path(), stop,
                                  resume);
  }

  /// Calls work(team of rank 0 alone) on rank 0; nothing elsewhere.
  template <typename Work>
  void alone(Work&& work) {
    if (team.rank() == 0) {
      SoloTeam solo;
      work(solo);
    }
    wait_for_all(team);
  }

  /// Calls work() on rank 0, while the others leave the files alone.
  template <typename Work>
  void between_runs(Work&& work) {
    wait_for_all(team);
    if (team.rank() == 0) work();
    wait_for_all(team);
  }

  /// A run that went on after `stop`, on another number of ranks.
  void expect_went_on(const Ran& ran, const System& system, const Case& c, Index stop,
                      const std::string& where) {
    EXPECT_EQ(ran.checkpoints.resumed_step,
              boundary(c, stop, system.matrix.rows / rows_of_dense_row(c.choice)))
        << where;
    ASSERT_TRUE(ran.x) << where;
    EXPECT_LE(test::backward_error(system.matrix, system.b, *ran.x), bound(system, c)) << where;
  }

  /// That a run began anew, and why: in one note.
  void expect_began_anew(const Ran& ran, std::string_view words) {
    EXPECT_FALSE(ran.checkpoints.resumed_step);
    ASSERT_EQ(ran.checkpoints.notes.size(), 1u);
    EXPECT_NE(ran.checkpoints.notes[0].find(words), std::string::npos) << ran.checkpoints.notes[0];
  }

  MpiTeam team;
  SharedFolder folder{team};
};

TEST_F(HostCheckpoints, SameRanksGiveTheSameBits) {
  for (const Case& c : host_cases()) {
    const Index n = 61;
    const System system = system_for(c, n);
    const Ran undisturbed = run(system, c);
    for (const Index stop : {Index{1}, Index{25}, n - 1, n}) {
      const std::string where = fmt::format("{}, stopped at {}", print(c), stop);
      EXPECT_FALSE(run(system, c, stop).x) << where;
      const Ran ran = run(system, c);
      EXPECT_EQ(ran.checkpoints.resumed_step, boundary(c, stop, n)) << where;
      expect_same(ran, undisturbed, where);
      EXPECT_TRUE(folder.files().empty()) << where;
      wait_for_all(team);
    }
  }
}

// Every rank eliminates the part after column 40 for itself.
TEST_F(HostCheckpoints, StopsBeforeARestAndBehindIt) {
  const Case c{{Method::lu, Pivoting::tournament, Precision::float64, 8}};
  const Index n = 60;
  const System system = system_for(c, n);
  test::PiecewiseMemory piecewise(team);
  const auto run_by_pieces = [&](Index stop) {
    return test::checkpoints::run(team, piecewise, system, c.choice, c.equilibrate, folder.path(),
                                  stop);
  };
  const Ran undisturbed = run_by_pieces(never);
  const bool shares = team.size() > 1;
  for (const auto& [stop, resumed] :
       {std::pair{8, 8}, std::pair{39, 40}, std::pair{41, shares ? 60 : 48}, std::pair{60, 60}}) {
    EXPECT_FALSE(run_by_pieces(stop).x) << stop;
    const Ran ran = run_by_pieces(never);
    EXPECT_EQ(ran.checkpoints.resumed_step, resumed) << stop;
    expect_same(ran, undisturbed, fmt::format("stopped at {}", stop));
  }
  // Another way goes on after the column where the rest would have begun.
  EXPECT_FALSE(run(system, c, 41).x);
  const Ran ran = run_by_pieces(never);
  expect_went_on(ran, system, c, 41, "by pieces");
}

// A checkpoint has none: those of the run that goes on are carried from its first step on.
TEST_F(HostCheckpoints, OtherRightHandSidesGoAlongAfterIt) {
  for (const Case& c : host_cases()) {
    if (c.choice.method != Method::gauss_jordan) continue;
    const Index n = 40;
    System system = system_for(c, n);
    EXPECT_FALSE(run(system, c, 23).x);
    system.b = random_multivector(system.matrix.rows, 5, 77);
    const Ran ran = run(system, c);
    EXPECT_EQ(ran.checkpoints.resumed_step, 23);
    expect_same(ran, run(system, c), print(c));
  }
}

TEST_F(HostCheckpoints, OneStopAfterAnother) {
  for (const Case& c : host_cases()) {
    const Index n = 50;
    const System system = system_for(c, n);
    const Ran undisturbed = run(system, c);
    for (const Index stop : {8, 9, 20, 33}) {
      EXPECT_FALSE(run(system, c, stop).x) << print(c);
      EXPECT_LE(folder.files().size(), 2 * static_cast<std::size_t>(team.size()));
      wait_for_all(team);
    }
    expect_same(run(system, c), undisturbed, print(c));
  }
}

TEST_F(HostCheckpoints, SmallSystems) {
  for (const Case& c : host_cases()) {
    for (const Index n : {1, 2, 3}) {
      Case small = c;
      small.choice.block = std::clamp<Index>(c.choice.block, 1, std::max<Index>(n, 1));
      const System system = system_for(c, n);
      const Ran undisturbed = run(system, small);
      run(system, small, n / 2);
      expect_same(run(system, small), undisturbed, fmt::format("{}, n = {}", print(c), n));
    }
  }
}

TEST_F(HostCheckpoints, FromOneRankToAll) {
  for (const Case& c : host_cases()) {
    const Index n = 61;
    const System system = system_for(c, n);
    for (const Index stop : {Index{9}, Index{40}, n}) {
      const std::string where = fmt::format("{}, stopped at {}", print(c), stop);
      alone([&](Team& solo) { EXPECT_FALSE(run_by(solo, system, c, stop).x) << where; });
      expect_went_on(run(system, c), system, c, stop, where);
    }
  }
}

TEST_F(HostCheckpoints, FromAllRanksToOne) {
  for (const Case& c : host_cases()) {
    const Index n = 61;
    const System system = system_for(c, n);
    for (const Index stop : {Index{9}, Index{40}, n}) {
      const std::string where = fmt::format("{}, stopped at {}", print(c), stop);
      EXPECT_FALSE(run(system, c, stop).x) << where;
      alone([&](Team& solo) {
        expect_went_on(run_by(solo, system, c), system, c, stop, where);
        EXPECT_TRUE(folder.files().empty()) << where;
      });
    }
  }
}

TEST_F(HostCheckpoints, ColumnwiseStatisticsSurviveAnotherNumberOfRanks) {
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 40);
  const Ran undisturbed = run(system, c);
  alone([&](Team& solo) { run_by(solo, system, c, 35); });
  // Element by element the same arithmetic, whoever does it.
  expect_same(run(system, c), undisturbed, "");
}

TEST_F(HostCheckpoints, AnotherWidthOfPanelsGoesOn) {
  for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::none}) {
    const Case first{{Method::lu, pivoting, Precision::float64, 12}};
    const Case then{{Method::lu, pivoting, Precision::float64, 7}};
    const System system = system_for(first, 61);
    EXPECT_FALSE(run(system, first, 24).x);
    expect_went_on(run(system, then), system, first, 24, print(then));
  }
}

/// Saves after one step of its first elimination, stops after one of its second.
class SavesAndStops final : public Checkpoints {
 public:
  SavesAndStops(Team& team, const CheckpointOptions& wanted, const EliminatedProblem& problem,
                const Timer& run, Index save, Index stop)
      : Checkpoints(team, wanted, problem, run), save_(save), stop_(stop) {}
  CheckpointRequest request(Index step) override {
    if (statistics().written == 0 && step >= save_) return CheckpointRequest::save;
    second_ = second_ || step < last_;
    last_ = step;
    return second_ && step >= stop_ ? CheckpointRequest::stop : CheckpointRequest::none;
  }

 private:
  Index save_, stop_, last_ = 0;
  bool second_ = false;
};

TEST_F(HostCheckpoints, TwoEliminationsOneAfterTheOther) {
  // Precisions as in mixed: float first, and double where that was not enough.
  const EliminationChoice in_float{Method::lu, Pivoting::tournament, Precision::float32, 8};
  const EliminationChoice in_double{Method::lu, Pivoting::tournament, Precision::float64, 8};
  const System system = system_for({in_double}, 61);
  HostDevice memory(team);
  const auto eliminate = [&](const EliminationChoice& choice, Checkpoints& checkpoints) {
    test::EliminatedSystem(team, memory, system.matrix, choice).eliminate({}, &checkpoints);
  };
  const Timer timer;
  CheckpointOptions wanted;
  wanted.directory = folder.path();
  SystemMatrix matrix = test::matrix_in_bands(team, system.matrix);
  const EliminatedProblem problem = problem_of(matrix, {}, in_float);
  {
    SavesAndStops checkpoints(team, wanted, problem, timer, 24, 40);
    eliminate(in_float, checkpoints);
    EXPECT_THROW(eliminate(in_double, checkpoints), Error);
  }
  wait_for_all(team);
  EXPECT_EQ(folder.files().size(), 2 * static_cast<std::size_t>(team.size()));
  wait_for_all(team);
  StopsAt checkpoints(team, wanted, problem, timer, never);
  eliminate(in_float, checkpoints);
  EXPECT_EQ(checkpoints.statistics().resumed_step, 24);
  eliminate(in_double, checkpoints);
  EXPECT_EQ(checkpoints.statistics().resumed_step, 40);
  checkpoints.remove();
  EXPECT_TRUE(folder.files().empty());
}

TEST_F(HostCheckpoints, ComplexNumbersDoNotGoOnFromTheirRealForm) {
  const Case complex = complex_cases().back();
  Case real = complex;
  real.choice.complex = false;
  const System system = system_for(complex, 12);
  EXPECT_FALSE(run(system, real, 8).x);
  const Ran ran = run(system, complex);
  ASSERT_TRUE(ran.x);
  expect_began_anew(ran, "the real form of a matrix, not one in complex numbers");
}

// --- files that cannot be used

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

TEST_F(HostCheckpoints, ADamagedOneIsNamedAndTheOneBeforeTaken) {
  const Case c{{Method::lu, Pivoting::tournament, Precision::float64, 8}};
  const System system = system_for(c, 61);
  const Ran undisturbed = run(system, c);
  for (const Damage& damage : damages) {
    run(system, c, 16);
    run(system, c, 32);
    const std::filesystem::path newest = folder.files().back();
    between_runs([&] { damage.happen(newest); });
    const Ran ran = run(system, c);
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

TEST_F(HostCheckpoints, PartsOfTwoRunsAreNotMixed) {
  if (team.size() == 1) GTEST_SKIP() << "this needs two ranks";
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 30);
  // The same generation twice, at different steps.
  run(system, c, 10);
  const std::filesystem::path last = folder.files().back();
  between_runs([&] {
    std::filesystem::rename(last, folder.path() / "kept");
    for (const auto& file : folder.files()) {
      if (file.filename() != "kept") std::filesystem::remove(file);
    }
  });
  run(system, c, 20);
  between_runs([&] { std::filesystem::rename(folder.path() / "kept", last); });
  expect_began_anew(run(system, c), "different checkpoints");
}

TEST_F(HostCheckpoints, ForeignOnesAreNamedAndLeft) {
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 30);
  System other = system;
  other.matrix.values[7] += 1e-9;
  run(other, c, 10);
  const auto theirs = folder.files();
  EXPECT_EQ(theirs.size(), static_cast<std::size_t>(team.size()));
  const Ran ran = run(system, c);
  expect_began_anew(ran, theirs.front().filename().string());
  expect_began_anew(ran, "another matrix");
  EXPECT_EQ(folder.files(), theirs);

  // Under a name of ours it is refused by what it says.
  run(system, c, 20);
  between_runs([&] {
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
  });
  expect_began_anew(run(system, c), "belongs to another matrix");
}

TEST_F(HostCheckpoints, RequireAndNever) {
  const Case c{{Method::gauss, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 30);
  try {
    run(system, c, never, ResumeChoice::require);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_EQ(error.scope(), Scope::every_rank);
  }
  run(system, c, 10);
  const Ran ran = run(system, c, never, ResumeChoice::never);
  EXPECT_FALSE(ran.checkpoints.resumed_step);
  EXPECT_TRUE(folder.files().empty()) << "a solve that ends well leaves none";
}

}  // namespace
}  // namespace spsolve
