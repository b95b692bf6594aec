// Sparse eliminations that all ranks share, which stop at any of their sync points and go on from
// there.
#include <cstring>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <omp.h>

#include "helpers/checkpoint_bytes.hpp"
#include "helpers/checkpoint_runs.hpp"
#include "helpers/file_size_limit.hpp"
#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/symmetry.hpp"
#include "mpi/mpi_team.hpp"
#include "solve_in_team.hpp"
#include "sparse/checkpoint/checkpointed_elimination.hpp"
#include "sparse/team_elimination.hpp"

namespace spsolve {
namespace {

using test::checkpoints::SharedFolder;

/// Wishes for what a test says.
class RequestsOfRanks final : public Checkpoints {
 public:
  using CheckpointRequestOf = std::function<CheckpointRequest(Index step)>;

  RequestsOfRanks(Team& team, const std::filesystem::path& folder, const EliminatedProblem& problem,
                  const Timer& run, CheckpointRequestOf request)
      : Checkpoints(team, options(folder), problem, run), request_(std::move(request)) {}
  CheckpointRequest request(Index step) override { return request_(step); }

 private:
  static CheckpointOptions options(const std::filesystem::path& folder) {
    CheckpointOptions wanted;
    wanted.directory = folder;
    return wanted;
  }

  CheckpointRequestOf request_;
};

CheckpointRequest no_request(Index) {
  return CheckpointRequest::none;
}

RequestsOfRanks::CheckpointRequestOf stop_behind(Index stop) {
  return [stop](Index step) {
    return step >= stop ? CheckpointRequest::stop : CheckpointRequest::none;
  };
}

/// One rank of all ends before it takes back what was kept, for want of memory.
class WithoutMemory final : public CheckpointedElimination {
 public:
  template <typename... Arguments>
  explicit WithoutMemory(bool fails, Arguments&&... arguments)
      : CheckpointedElimination(std::forward<Arguments>(arguments)...), fails_(fails) {}
  void begin(CheckpointableFronts& own) override {
    if (fails_) throw std::bad_alloc();
    CheckpointedElimination::begin(own);
  }

 private:
  bool fails_;
};

template <typename T>
class CheckpointInTeam : public testing::Test {
 protected:
  /// With one thread a rank, as several take own fronts in the order that they come to.
  CheckpointInTeam() { omp_set_num_threads(1); }
  ~CheckpointInTeam() override { omp_set_num_threads(threads_); }

  /// A matrix whose large fronts are shared column by column, by many panels, with sync points at
  /// every one of them.
  void take(const std::string& spec, Factorization kind) {
    matrix_ = generate_matrix(spec);
    kind_ = kind;
    analysis_ = test::analysis_of(matrix_, kind, Ordering::nested_dissection, false);
    problem_.order = matrix_.rows;
    problem_.method = Method::sparse_lu;
    rule_ = SharingRule::of(kind, MemoryKind::host);
    rule_.worth_sharing = 1e4;
    rule_.narrowest = rule_.step = 8;
    rule_.widest = 16;
  }

  struct Ran {
    std::vector<double> x;
    PivotCounts counts;
    int panels = 0;  // that ranks may meet before
  };

  std::unique_ptr<TeamElimination<T>> deal(Factorization kind) {
    return std::make_unique<TeamElimination<T>>(*by_, host_sparse_memory(),
                                                by_->rank() == 0 ? analysis_ : nullptr, kind,
                                                RowLayout{matrix_.rows, by_->size()}, rule_);
  }

  /// One way to the solution; `advance` may throw, and where it `fails` the checkpointer does.
  Ran eliminate(Checkpoints* checkpoints, const std::function<void(double)>& advance = {},
                bool fails = false) {
    constexpr auto precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
    const SyncRule sync_points{0, 4, 12};
    const bool first = by_->rank() == 0;
    const auto dealt = deal(kind_);
    TeamElimination<T>& elimination = *dealt;
    std::unique_ptr<TeamElimination<T>> other;
    std::optional<WithoutMemory> checkpointed;
    if (checkpoints != nullptr) {
      const auto of_stage = [&](const EliminationStage& found) -> const TreePartition& {
        if (found.kind == kind_) return elimination.tree();
        other = deal(found.kind);
        return other->tree();
      };
      checkpointed.emplace(fails, *checkpoints, precision, 1e6, of_stage, sync_points);
      EliminationStage stage;
      stage.kind = kind_;
      checkpointed->begin_stage(stage, elimination.tree());
      elimination.made().checkpoint_by(&*checkpointed);
    }
    Ran ran;
    ran.counts = elimination.factor(first ? matrix_.values : std::vector<double>{},
                                    perturbing_rule<T>(largest_magnitude(matrix_.values)), advance);
    if (ran.counts.failed >= 0) return ran;
    const auto right = test::vectors_of(*by_, test::right_hand_sides(matrix_.rows, 2));
    const auto x = right->similar(2);
    elimination.solve(false, *right, *x);
    ran.x = test::whole(*x).values;
    const SyncPoints all(*by_, elimination.tree(), sync_points);
    for (LocalIndex s = 0; s < elimination.tree().shared.size(); ++s) {
      for (Index panel = 0; panel < elimination.tree().blocks(s).pivot_blocks(); ++panel) {
        ran.panels += all.within(s, panel) ? 1 : 0;
      }
    }
    return ran;
  }

  std::unique_ptr<RequestsOfRanks> checkpoints(RequestsOfRanks::CheckpointRequestOf request) {
    return std::make_unique<RequestsOfRanks>(*by_, folder_.path(), problem_, timer_,
                                             std::move(request));
  }

  /// The steps of the sync points, ascending; of a rank alone, of all fronts but the first.
  std::vector<Index> steps() {
    std::set<Index> steps;
    const auto looks = checkpoints([&](Index step) {
      if (step > 0) steps.insert(step);
      return CheckpointRequest::none;
    });
    eliminate(&*looks);
    EXPECT_EQ(looks->statistics().written, 0);
    return {steps.begin(), steps.end()};
  }

  /// A run from one step to another.
  void stop_at(Index step, Index from = 0) {
    const auto stops = checkpoints(stop_behind(step));
    const std::string words =
        test::error_on_every_rank([&] { eliminate(&*stops); }, ExitCode::interrupted);
    EXPECT_NE(words.find("the same command goes on"), std::string::npos) << words;
    EXPECT_EQ(stops->statistics().written, 1);
    EXPECT_EQ(stops->statistics().resumed_step.value_or(0), from);
  }

  /// A run to the end, which goes on from that step; 0: from the beginning, as the note says.
  Ran finish_from(Index step, const std::string& note = "") {
    const auto goes_on = checkpoints(no_request);
    Ran ran = eliminate(&*goes_on);
    const CheckpointStatistics& told = goes_on->statistics();
    EXPECT_EQ(told.resumed_step.value_or(0), step);
    EXPECT_EQ(told.notes.size(), note.empty() ? 0u : 1u) << testing::PrintToString(told.notes);
    for (const std::string& text : told.notes)
      EXPECT_NE(text.find(note), std::string::npos) << text;
    goes_on->remove();
    return ran;
  }

  static void expect_same(const Ran& ran, const Ran& undisturbed, const std::string& where) {
    EXPECT_EQ(ran.x, undisturbed.x) << where;
    EXPECT_EQ(std::memcmp(&ran.counts, &undisturbed.counts, sizeof ran.counts), 0) << where;
  }

  /// Calls work(file) with the last rank's file, while no rank reads or writes.
  template <typename Work>
  void between_runs(Work&& work) {
    wait_for_all(team_);
    if (team_.rank() == 0) work(folder_.files().back());
    wait_for_all(team_);
  }

  MpiTeam team_;
  Team* by_ = &team_;  // who eliminates
  const int threads_ = omp_get_max_threads();
  SharedFolder folder_{team_};
  Timer timer_;
  EliminatedProblem problem_;
  Csr<double> matrix_;
  Factorization kind_ = Factorization::lu;
  SharingRule rule_;
  std::shared_ptr<const SparseAnalysis> analysis_;
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckpointInTeam, Precisions);

TYPED_TEST(CheckpointInTeam, StopsAtEverySyncPointAndGoesOnToTheSameBits) {
  const std::pair<const char*, Factorization> cases[] = {{"grid3d:12", Factorization::cholesky},
                                                         {"grid3d:12", Factorization::ldlt},
                                                         {"grid3d:12", Factorization::lu},
                                                         {"convdiff3d:11", Factorization::lu}};
  for (const auto& [spec, kind] : cases) {
    const std::string where = fmt::format("{}, kind {}", spec, static_cast<int>(kind));
    this->take(spec, kind);
    const auto undisturbed = this->eliminate(nullptr);
    EXPECT_EQ(undisturbed.panels > 3, this->team_.size() > 1) << where;
    const std::vector<Index> steps = this->steps();
    EXPECT_GT(std::ssize(steps), undisturbed.panels);
    EXPECT_EQ(steps.back(), this->matrix_.rows);
    // All of them one after another, and so each from the one before.
    for (Index from = 0; const Index step : steps) this->stop_at(step, std::exchange(from, step));
    this->expect_same(this->finish_from(steps.back()), undisturbed, where);
    // And from some to the end.
    for (std::size_t i = 0; i < steps.size(); i += 5) {
      this->stop_at(steps[i]);
      this->expect_same(this->finish_from(steps[i]), undisturbed,
                        fmt::format("{}, step {}", where, steps[i]));
    }
  }
}

TYPED_TEST(CheckpointInTeam, IsWrittenAtEverySyncPointToTheSameBits) {
  this->take("convdiff3d:11", Factorization::lu);
  const auto undisturbed = this->eliminate(nullptr);
  const auto saves = this->checkpoints([](Index) { return CheckpointRequest::save; });
  this->expect_same(this->eliminate(&*saves), undisturbed, "saved always");
  EXPECT_GT(saves->statistics().written, undisturbed.panels);
  wait_for_all(this->team_);
  EXPECT_EQ(std::ssize(this->folder_.files()), this->team_.size());
  wait_for_all(this->team_);
  // As if it had been killed at the end.
  const auto goes_on = this->checkpoints(no_request);
  this->expect_same(this->eliminate(&*goes_on), undisturbed, "killed at the end");
  EXPECT_GT(goes_on->statistics().resumed_step.value_or(0), 0);
  goes_on->remove();
}

TYPED_TEST(CheckpointInTeam, WhatSomeRanksLackIsLeftOut) {
  if (this->team_.size() == 1) GTEST_SKIP() << "this needs two ranks";
  this->take("grid3d:12", Factorization::ldlt);
  const auto undisturbed = this->eliminate(nullptr);
  const std::vector<Index> steps = this->steps();
  for (const std::size_t at : {std::size_t{0}, steps.size() / 2}) {
    this->stop_at(steps[at]);
    const std::filesystem::path copy = this->folder_.path() / "copy";
    this->between_runs([&](const auto& file) { std::filesystem::copy_file(file, copy); });
    this->stop_at(steps[at + 1], steps[at]);
    // A kill came before the last rank had added its part.
    this->between_runs([&](const auto& file) { std::filesystem::rename(copy, file); });
    // Parts that came from the other ranks are written anew, and end likewise.
    this->between_runs([&](const auto& file) { std::filesystem::copy_file(file, copy); });
    this->stop_at(steps[at + 2], steps[at]);
    this->between_runs([&](const auto& file) { std::filesystem::rename(copy, file); });
    this->expect_same(this->finish_from(steps[at]), undisturbed, fmt::format("meeting {}", at));
  }
}

TYPED_TEST(CheckpointInTeam, AFullDiskOfOneRankIsNoEnd) {
  this->take("grid3d:12", Factorization::cholesky);
  const auto undisturbed = this->eliminate(nullptr);
  const std::vector<Index> steps = this->steps();
  const Index end = steps[steps.size() - 2];
  const bool last = this->team_.rank() + 1 == this->team_.size();
  for (const Index fails_at : {steps[0], steps[3]}) {
    bool failed = false;
    std::optional<test::FileSizeLimit> limit;
    const auto saves = this->checkpoints([&](Index step) {
      limit.reset();
      if (last && step == fails_at && !std::exchange(failed, true)) limit.emplace(100);
      return step >= end ? CheckpointRequest::stop : CheckpointRequest::save;
    });
    test::error_on_every_rank([&] { this->eliminate(&*saves); }, ExitCode::interrupted);
    EXPECT_EQ(saves->statistics().failed, 1);
    ASSERT_EQ(saves->statistics().notes.size(), 1u);
    EXPECT_NE(saves->statistics().notes[0].find("File too large"), std::string::npos);
    this->expect_same(this->finish_from(end), undisturbed, fmt::format("failed at {}", fails_at));
  }
}

TYPED_TEST(CheckpointInTeam, APivotThatFailsKeepsNobodyWaiting) {
  this->take("grid3d:12", Factorization::cholesky);
  const Csr<double> matrix = this->matrix_;
  const Index n = matrix.rows;
  // Each unknown's diagonal in turn: of some rank's own front, or of a shared one.
  for (const Index k : {Index{0}, n / 3, n / 2, n - 1}) {
    this->matrix_ = matrix;
    const Index row = this->analysis_->order[k];
    for (Index i = matrix.row_offsets[row]; i < matrix.row_offsets[row + 1]; ++i) {
      if (matrix.column_indices[i] == row) this->matrix_.values[i] = -1;
    }
    const auto saves = this->checkpoints([](Index) { return CheckpointRequest::save; });
    EXPECT_GE(this->eliminate(&*saves).counts.failed, 0);
    EXPECT_EQ(saves->statistics().failed, 0);
    // The part that was kept before is gone on with, and comes to the same.
    const auto again = this->checkpoints(no_request);
    EXPECT_GE(this->eliminate(&*again).counts.failed, 0);
    again->remove();
  }
}

TYPED_TEST(CheckpointInTeam, ARankWithoutMemoryKeepsNobodyWaiting) {
  this->take("grid3d:12", Factorization::lu);
  const auto undisturbed = this->eliminate(nullptr);
  const Index early = this->steps().front();
  int fronts = 0;  // of this rank
  this->eliminate(nullptr, [&](double) { ++fronts; });
  const auto expect_end = [&](const std::function<void(double)>& advance, bool fails) {
    const auto looks = this->checkpoints(no_request);
    const std::string text = test::error_on_every_rank(
        [&] { this->eliminate(&*looks, advance, fails); }, ExitCode::resources);
    EXPECT_NE(text.find("refused to give more memory"), std::string::npos) << text;
  };
  for (int rank = 0; rank < this->team_.size(); ++rank) {
    const bool fails = this->team_.rank() == rank;
    for (const int step : {1, (fronts + 1) / 2, fronts}) {
      int done = 0;
      expect_end(
          [&](double) {
            if (++done == step && fails) throw std::bad_alloc();
          },
          false);
    }
    this->stop_at(early);
    expect_end({}, fails);
    this->expect_same(this->finish_from(early), undisturbed, fmt::format("rank {}", rank));
  }
}

TYPED_TEST(CheckpointInTeam, AnotherStageBeginsAnew) {
  this->take("grid3d:12", Factorization::ldlt);
  const auto undisturbed = this->eliminate(nullptr);
  const Index some = this->steps()[3];
  this->kind_ = Factorization::cholesky;
  this->stop_at(some);
  this->kind_ = Factorization::ldlt;
  // The checkpoint that was found is of the stage before.
  this->expect_same(this->finish_from(some), undisturbed, "L D L^T");
}

TYPED_TEST(CheckpointInTeam, OthersAreRefused) {
  this->take("grid3d:12", Factorization::lu);
  const auto undisturbed = this->eliminate(nullptr);
  const std::vector<Index> steps = this->steps();
  const Index some = steps[steps.size() / 2];
  this->stop_at(some);
  this->between_runs([](const auto& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(5000);
    const char byte = static_cast<char>(stream.peek() ^ 16);
    stream.seekp(5000);
    stream.put(byte);
  });
  this->expect_same(this->finish_from(0, "is damaged"), undisturbed, "damaged");
  if (this->team_.size() == 1) return;
  // Sums that are good, and numbers that are not: another sync point than that of the other ranks.
  this->stop_at(some);
  this->between_runs([](const auto& file) {
    std::string bytes = test::contents(file);
    bytes[static_cast<std::size_t>(test::sections_of(bytes)[1].first) + 8] ^= 1;
    std::ofstream(file, std::ios::binary) << test::with_good_sums(bytes);
  });
  this->expect_same(this->finish_from(0, "contradicts itself"), undisturbed, "another meeting");
  // Blocks of another width.
  this->stop_at(some);
  this->rule_.narrowest = this->rule_.widest;
  this->finish_from(0, "belongs to an elimination in another order");
}

TYPED_TEST(CheckpointInTeam, OnOtherRanksItBeginsAnew) {
  if (this->team_.size() == 1) GTEST_SKIP() << "this needs two ranks";
  this->take("grid3d:12", Factorization::lu);
  this->stop_at(this->steps()[4]);
  const bool takes_part = this->team_.rank() > 0;
  const std::unique_ptr<Team> fewer = this->team_.split(takes_part ? 0 : -1, 0);
  if (takes_part) {
    this->by_ = fewer.get();
    this->finish_from(0, fmt::format("is of a run by {} ranks", this->team_.size()));
  }
}

}  // namespace
}  // namespace spsolve
