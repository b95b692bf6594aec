#include "checkpoint/checkpoints.hpp"

#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

/// The sections that a solver would keep that works in parts: an analysis, and each part when it is
/// done.
class CheckpointInParts : public testing::Test {
 protected:
  std::unique_ptr<Checkpoints> checkpoints(int time_limit = 0) {
    CheckpointOptions wanted;
    wanted.time_limit = time_limit;
    wanted.directory = folder / "";
    return std::make_unique<Checkpoints>(team, wanted, problem, timer);
  }

  static void write_part(SectionWriter& file, Index k) {
    file.begin({fmt::format("subtree {}", k)});
    const std::vector<Index> values(static_cast<std::size_t>(k + 1), k);
    file.write_values(std::span<const Index>(values));
  }

  static void write_first(SectionWriter& file) {
    file.begin({"analysis"});
    write_part(file, 0);
  }

  /// How many parts the newest good generation holds; nothing where there is none.
  std::optional<Index> resume(Checkpoints& kept) {
    const bool found = kept.resume(Precision::float64, 1000, [](const CheckpointFiles& files) {
      const CheckpointReader file = files.open(0);
      file.section({"analysis"});
      Index parts = 0;
      while (file.find(fmt::format("subtree {}", parts)) != nullptr) ++parts;
      return parts;
    });
    if (!found) return std::nullopt;
    return kept.statistics().resumed_step;
  }

  std::filesystem::path only_file() const {
    const std::vector<std::string> names = names_in(folder / "");
    EXPECT_EQ(names.size(), 1u);
    return folder / names.front();
  }

  test::TemporaryFolder folder;
  SoloTeam team;
  Timer timer;
  EliminatedProblem problem{50, Method::lu, Pivoting::partial, Precision::float64, 7};
};

TEST_F(CheckpointInParts, PartsAreAddedToOneGenerationAndComeBack) {
  {
    const auto kept = checkpoints();
    EXPECT_FALSE(resume(*kept));
    EXPECT_FALSE(kept->can_add());
    kept->fulfil(CheckpointRequest::save, 1, write_first);
    EXPECT_TRUE(kept->can_add());
    const std::int64_t first = kept->statistics().bytes;
    for (Index k = 1; k < 4; ++k) {
      kept->add(CheckpointRequest::save, k + 1, [&](SectionWriter& file) { write_part(file, k); });
    }
    EXPECT_EQ(kept->statistics().written, 4);
    EXPECT_EQ(kept->statistics().bytes,
              static_cast<std::int64_t>(std::filesystem::file_size(only_file())));
    EXPECT_GT(kept->statistics().bytes, first);
  }
  const auto kept = checkpoints();
  EXPECT_EQ(resume(*kept), 4);
  EXPECT_TRUE(kept->can_add());
  std::vector<Index> values(3);
  kept->load([&](const CheckpointFiles& files) {
    const CheckpointReader file = files.open(0);
    file.read(file.section({"subtree 2"}), 0, std::as_writable_bytes(std::span(values)));
  });
  EXPECT_EQ(values, std::vector<Index>(3, 2));
  // And on from there.
  EXPECT_THROW(
      kept->add(CheckpointRequest::stop, 5, [&](SectionWriter& file) { write_part(file, 4); }),
      Error);
  EXPECT_EQ(resume(*checkpoints()), 5);
  kept->remove();
  EXPECT_TRUE(names_in(folder / "").empty());
}

TEST_F(CheckpointInParts, TheTimeThatAFileTookIsKnownToTheNextRun) {
  const auto first = checkpoints(1000);
  EXPECT_FALSE(resume(*first));
  first->fulfil(CheckpointRequest::save, 1, write_first);
  const CheckpointReader file(only_file());
  const FileSection* const speed = file.find("speed");
  ASSERT_NE(speed, nullptr);
  file.verify();
  EXPECT_EQ(resume(*checkpoints(1000)), 1);
  EXPECT_EQ(resume(*checkpoints()), 1);
}

TEST_F(CheckpointInParts, ALimitThatIsTooShortForItsCheckpointIsRefused) {
  checkpoints(1000)->fulfil(CheckpointRequest::save, 1, write_first);
  // Times of a disk that took 400 s: 400 to read, 800 to be safe, and a second.
  SectionWriter slow = SectionWriter::adding_to(only_file());
  slow.begin({"speed"});
  const double speed[] = {400, 1000};
  slow.write(std::as_bytes(std::span(speed)));
  slow.commit();
  EXPECT_EQ(resume(*checkpoints(1300)), 1);
  EXPECT_EQ(resume(*checkpoints()), 1);
  // With so little left, the first look after a step ends the run.
  const auto near = checkpoints(1210);
  EXPECT_EQ(resume(*near), 1);
  EXPECT_EQ(near->request(1), CheckpointRequest::none);
  const std::string text = test::error_of([&] { resume(*checkpoints(1200)); }, ExitCode::resources);
  EXPECT_NE(text.find("checkpoint.time_limit=1200 leaves no time to eliminate in"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("step 1 of 50 takes about 400.0 s"), std::string::npos) << text;
  EXPECT_EQ(names_in(folder / "").size(), 1u);
}

TEST_F(CheckpointInParts, TheFirstRunTriesTheDiskWhereTimeIsShort) {
  const auto begin = [](Checkpoints& kept, double bytes) {
    return kept.resume(Precision::float64, bytes, [](const CheckpointFiles&) { return Index{0}; });
  };
  // So much that no disk writes it in an hour: the first look after a step ends the run.
  const auto hopeless = checkpoints(3600);
  EXPECT_FALSE(begin(*hopeless, 1e18));
  EXPECT_EQ(hopeless->request(1), CheckpointRequest::out_of_time);
  // So little that any disk does in a minute.
  const auto easy = checkpoints(3600);
  EXPECT_FALSE(begin(*easy, 1e6));
  EXPECT_EQ(easy->request(1), CheckpointRequest::none);
  EXPECT_TRUE(names_in(folder / "").empty()) << "the samples are gone";
}

TEST_F(CheckpointInParts, AnAdditionThatFailsLeavesWhatIsThere) {
  const auto kept = checkpoints();
  resume(*kept);
  kept->fulfil(CheckpointRequest::save, 1, write_first);
  kept->add(CheckpointRequest::save, 2, [&](SectionWriter& file) {
    write_part(file, 1);
    fail(ExitCode::resources, "no space");
  });
  EXPECT_EQ(kept->statistics().failed, 1);
  ASSERT_EQ(kept->statistics().notes.size(), 1u);
  EXPECT_NE(kept->statistics().notes[0].find("the one of step 1 stays"), std::string::npos)
      << kept->statistics().notes[0];
  EXPECT_EQ(resume(*checkpoints()), 1);
}

TEST_F(CheckpointInParts, GoesBackToTheNewestAdditionOfAllFiles) {
  using Stamps = std::vector<std::uint64_t>;
  /// A checkpoint of a run by two ranks, with these additions.
  const auto write = [&](int rank, const Stamps& stamps) {
    const Generation generation{problem.fingerprint(), 1, 2};
    const std::filesystem::path path = folder / generation.file_name(rank);
    SectionWriter file(path);
    write_identity(file, problem, {1, 5, 2, rank});
    file.commit();
    for (const std::uint64_t stamp : stamps) {
      SectionWriter more = SectionWriter::adding_to(path);
      write_addition(more, stamp);
      more.commit();
    }
  };
  const std::pair<Stamps, Stamps> written[] = {{{}, {}},  {{7, 8}, {7, 8}},    {{7, 8}, {7}},
                                               {{7}, {}}, {{7, 8, 9}, {7, 9}}, {{8}, {9}}};
  const std::pair<Stamps, Stamps> common[] = {{{}, {}}, {{7, 8}, {7, 8}},    {{7}, {7}},
                                              {{}, {}}, {{7, 8, 9}, {7, 9}}, {{}, {}}};
  for (std::size_t i = 0; i < std::size(written); ++i) {
    write(0, written[i].first);
    write(1, written[i].second);
    std::pair<Stamps, Stamps> found;
    EXPECT_TRUE(checkpoints()->resume(Precision::float64, 1000, [&](const CheckpointFiles& files) {
      found = {files.open(0).additions(), files.open(1).additions()};
      return Index{1};
    }));
    EXPECT_EQ(found, common[i]) << i;
  }
}

TEST_F(CheckpointInParts, WhatTheSolverRefusesIsNamedInANote) {
  checkpoints()->fulfil(CheckpointRequest::save, 1, [](SectionWriter& file) {
    file.begin({"analysis", 2});
  });
  const auto kept = checkpoints();
  EXPECT_FALSE(resume(*kept));
  ASSERT_EQ(kept->statistics().notes.size(), 1u);
  EXPECT_NE(kept->statistics().notes[0].find("has version 2 of the section 'analysis'"),
            std::string::npos)
      << kept->statistics().notes[0];
}

TEST_F(CheckpointInParts, AnOlderFormIsRefusedInOneSentence) {
  const auto first = checkpoints();
  first->fulfil(CheckpointRequest::save, 1, write_first);
  const std::filesystem::path file = only_file();
  std::filesystem::resize_file(file, 16);
  folder.write(file.filename().string(), std::string("spsolve\n\4\3\2\1\1\0\0\0", 16));
  const auto kept = checkpoints();
  EXPECT_FALSE(resume(*kept));
  ASSERT_EQ(kept->statistics().notes.size(), 1u);
  EXPECT_NE(
      kept->statistics().notes[0].find("has version 1 of the form; this program reads version 2"),
      std::string::npos)
      << kept->statistics().notes[0];
}

}  // namespace
}  // namespace spsolve
