#include "checkpoint/checkpoint_file.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "checkpoint/section_bytes.hpp"
#include "dense/state/elimination_state.hpp"
#include "helpers/checkpoint_bytes.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

/// A part of an elimination of order 5, as rank 1 of 2 holds it: rows 1, 4 and 0.
struct Example {
  EliminatedProblem problem{5, Method::lu, Pivoting::partial, Precision::float64, 77};
  CheckpointPart part{3, 99, 2, 1};
  EliminationState state;
  std::vector<double> values;

  Example() {
    state.step = 4;
    state.block = 2;
    state.pivot_rows = {3, 1, 2, 4};
    state.panel_ends = {2, 4};
    state.rows = {1, 4, 0};
    state.largest_entry = 8.5;
    state.redone_panels = 1;
    for (int i = 0; i < 15; ++i) values.push_back(i + 0.25);
  }

  std::int64_t write(const std::filesystem::path& path) const {
    SectionWriter file(path);
    write_identity(file, problem, part);
    write_elimination(file, problem, state,
                      [&](Index first, Index count, std::span<std::byte> rows) {
                        std::memcpy(rows.data(), values.data() + first * 5, rows.size());
                        EXPECT_EQ(rows.size(), static_cast<std::size_t>(count * 40));
                      });
    return file.commit();
  }
};

/// The words of the refusal, by opening, by verify() or of the state; "" where there is none.
std::string refusal(const std::filesystem::path& path) {
  try {
    const CheckpointReader reader(path);
    reader.verify();
    read_elimination(reader);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(CheckpointFile, ComesBackAsItWas) {
  const test::TemporaryFolder folder;
  const Example example;
  const auto path = folder / "a";
  const std::int64_t bytes = example.write(path);
  EXPECT_EQ(bytes, static_cast<std::int64_t>(std::filesystem::file_size(path)));
  const CheckpointReader reader(path);
  reader.verify();
  EXPECT_EQ(reader.problem(), example.problem);
  EXPECT_EQ(reader.part(), example.part);
  const EliminationState state = read_elimination(reader);
  EXPECT_EQ(state.step, 4);
  EXPECT_EQ(state.block, 2);
  EXPECT_EQ(state.pivot_rows, example.state.pivot_rows);
  EXPECT_EQ(state.panel_ends, example.state.panel_ends);
  EXPECT_EQ(state.rows, example.state.rows);
  EXPECT_EQ(state.largest_entry, 8.5);
  EXPECT_EQ(state.redone_panels, 1);
  std::vector<double> rows(10);
  read_rows(reader, 1, std::as_writable_bytes(std::span(rows)));
  EXPECT_EQ(rows, std::vector<double>(example.values.begin() + 5, example.values.end()));
}

TEST(CheckpointFile, TellsItsAdditionsAndIsCutBehindThem) {
  const test::TemporaryFolder folder;
  const Example example;
  example.write(folder / "a");
  const std::int64_t whole = CheckpointReader(folder / "a").size();
  EXPECT_TRUE(CheckpointReader(folder / "a").additions().empty());
  for (const std::uint64_t stamp : {11, 12, 13}) {
    SectionWriter file = SectionWriter::adding_to(folder / "a");
    write_addition(file, stamp);
    file.begin({fmt::format("part {}", stamp)});
    file.commit();
  }
  const auto cut = [&](std::size_t count) {
    CheckpointReader(folder / "a").cut_behind_addition(count);
    return CheckpointReader(folder / "a").additions();
  };
  EXPECT_EQ(cut(3), (std::vector<std::uint64_t>{11, 12, 13}));
  EXPECT_EQ(cut(2), (std::vector<std::uint64_t>{11, 12}));
  EXPECT_NE(CheckpointReader(folder / "a").find("part 12"), nullptr);
  EXPECT_EQ(CheckpointReader(folder / "a").find("part 13"), nullptr);
  EXPECT_TRUE(cut(0).empty());
  EXPECT_EQ(CheckpointReader(folder / "a").size(), whole);
  EXPECT_EQ(refusal(folder / "a"), "");
}

TEST(CheckpointFile, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  Example().write(folder / "a");
  const std::string good = test::contents(folder / "a");
  ASSERT_EQ(refusal(folder / "a"), "");
  ASSERT_EQ(test::with_good_sums(good), good);
  /// The refusal where byte `at` of a section, and those after it, are others, sums made good.
  const auto changed = [&](std::string_view section, std::int64_t at, auto value) {
    const FileSection found = *SectionReader(folder / "a").find(section);
    std::string file = good;
    std::memcpy(file.data() + found.offset + at, &value, sizeof value);
    return refusal(folder.write("b", test::with_good_sums(file)));
  };
  const auto expect = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect(changed("checkpoint", 0, Index{6}), "dense rows, not 144");  // order: rows are longer
  expect(changed("checkpoint", 0, Index{1} << 40), "names no elimination");
  expect(changed("checkpoint", 8, std::int32_t{17}), "names no elimination");  // method
  expect(changed("checkpoint", 48, std::int32_t{0}), "contradicts itself");    // ranks
  expect(changed("elimination", 0, Index{3}), "contradicts itself");           // step
  expect(changed("elimination", 88, Index{5}), "contradicts itself");          // a row of A
  expect(changed("elimination", 88, Index{1}), "contradicts itself");          // twice
  expect(changed("elimination", 56, Index{1} << 60), "contradicts itself");    // a list's length
}

TEST(CheckpointFile, IsRefusedWithoutTheSectionsOfItsSolver) {
  const test::TemporaryFolder folder;
  const Example example;
  SectionWriter(folder / "a").commit();
  EXPECT_NE(refusal(folder / "a").find("has no section 'checkpoint'"), std::string::npos);
  SectionWriter file(folder / "b");
  write_identity(file, example.problem, example.part);
  file.commit();
  EXPECT_NE(refusal(folder / "b").find("has no section 'elimination'"), std::string::npos);
}

TEST(CheckpointFile, ToldApartInWords) {
  const EliminatedProblem ours{5, Method::lu, Pivoting::partial, Precision::float64, 77};
  const auto told = [&](auto change) {
    EliminatedProblem theirs = ours;
    change(theirs);
    EXPECT_NE(theirs.fingerprint(), ours.fingerprint());
    return difference(theirs, ours);
  };
  EXPECT_EQ(difference(ours, ours), "");
  EXPECT_EQ(told([](auto& p) { p.order = 6; }), "a matrix of order 6, not 5");
  EXPECT_EQ(told([](auto& p) { p.method = Method::gauss; }), "solve.method=gauss, not lu");
  EXPECT_EQ(told([](auto& p) { p.pivoting = Pivoting::none; }), "solve.pivoting=none, not partial");
  EXPECT_EQ(told([](auto& p) { p.precision = Precision::float32; }),
            "solve.precision=float, not double");
  EXPECT_NE(told([](auto& p) { p.matrix = 78; }).find("another matrix"), std::string::npos);
}

TEST(CheckpointFile, RowsTravelInPieces) {
  const EliminatedProblem small{5, Method::lu, Pivoting::partial, Precision::float64, 0};
  EliminatedProblem large = small;
  large.order = 10'000'000;
  EXPECT_GT(rows_in_piece(row_bytes(small)), 1000);
  EXPECT_EQ(rows_in_piece(row_bytes(large)), 1);
  EXPECT_EQ(row_bytes(large), 80'000'000u);
  large.precision = Precision::float32;
  EXPECT_EQ(row_bytes(large), 40'000'000u);
}

}  // namespace
}  // namespace spsolve
