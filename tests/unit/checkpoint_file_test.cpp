#include "checkpoint/checkpoint_file.hpp"

#include <cstring>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Checksum, IsThatOfTheSpecification) {
  EXPECT_EQ(checksum({}), 0xEF46DB3751D8E999u);
  EXPECT_EQ(checksum(bytes_of("a")), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(checksum(bytes_of("abc")), 0x44BC2CF5AD770999u);
  EXPECT_EQ(checksum(bytes_of("Nobody inspects the spammish repetition")), 0xFBCEA83C8A378BF1u);
}

TEST(Checksum, IsTheSameInAnyPieces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * i);
  for (std::size_t length = 0; length <= text.size(); length += 7) {
    const auto whole = bytes_of(text).first(length);
    for (const std::size_t piece : {1, 3, 8, 31, 32, 33, 100}) {
      Checksum sum;
      for (std::size_t done = 0; done < length; done += piece) {
        sum.add(whole.subspan(done, std::min(piece, length - done)));
      }
      EXPECT_EQ(sum.value(), checksum(whole)) << length << " by " << piece;
    }
  }
}

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
    return write_checkpoint(path, problem, part, state,
                            [&](Index first, Index count, std::span<std::byte> rows) {
                              std::memcpy(rows.data(), values.data() + first * 5, rows.size());
                              EXPECT_EQ(rows.size(), static_cast<std::size_t>(count * 40));
                            });
  }
};

/// The words of the refusal, by opening or by verify(); "" where there is none.
std::string refusal(const std::filesystem::path& path) {
  try {
    CheckpointReader(path).verify();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
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
  EXPECT_EQ(reader.part().generation, 3);
  EXPECT_EQ(reader.part().stamp, 99u);
  EXPECT_EQ(reader.part().ranks, 2);
  EXPECT_EQ(reader.part().rank, 1);
  EXPECT_EQ(reader.state().step, 4);
  EXPECT_EQ(reader.state().block, 2);
  EXPECT_EQ(reader.state().pivot_rows, example.state.pivot_rows);
  EXPECT_EQ(reader.state().panel_ends, example.state.panel_ends);
  EXPECT_EQ(reader.state().rows, example.state.rows);
  EXPECT_EQ(reader.state().largest_entry, 8.5);
  EXPECT_EQ(reader.state().redone_panels, 1);
  std::vector<double> rows(10);
  reader.read_rows(1, 2, std::as_writable_bytes(std::span(rows)));
  EXPECT_EQ(rows, std::vector<double>(example.values.begin() + 5, example.values.end()));
}

TEST(CheckpointFile, EveryFlippedBitIsFound) {
  const test::TemporaryFolder folder;
  Example().write(folder / "a");
  const std::string good = contents(folder / "a");
  ASSERT_EQ(refusal(folder / "a"), "");
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << byte % 8));
    EXPECT_NE(refusal(folder.write("b", bad)), "") << "byte " << byte;
  }
}

TEST(CheckpointFile, EveryTruncationIsFound) {
  const test::TemporaryFolder folder;
  Example().write(folder / "a");
  const std::string good = contents(folder / "a");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(refusal(folder.write("b", good.substr(0, size))), "") << size << " bytes";
  }
  EXPECT_NE(refusal(folder.write("b", good + "x")).find("bytes, not"), std::string::npos);
}

/// The example's file with its header's checksum made anew.
std::string with_good_header(std::string file) {
  constexpr std::size_t sum_at = 16, lists_at = 168;
  const std::size_t lists = 8 * (4 + 2 + 3);
  std::memset(file.data() + sum_at, 0, 8);
  const std::uint64_t sum = checksum(bytes_of(file).first(lists_at + lists));
  std::memcpy(file.data() + sum_at, &sum, 8);
  return file;
}

TEST(CheckpointFile, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  Example().write(folder / "a");
  const std::string good = contents(folder / "a");
  ASSERT_EQ(with_good_header(good), good);
  const auto changed = [&](std::size_t at, auto value) {
    std::string file = good;
    std::memcpy(file.data() + at, &value, sizeof value);
    return refusal(folder.write("b", with_good_header(file)));
  };
  const auto expect = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect(changed(0, 'x'), "is no checkpoint");
  expect(changed(8, std::uint32_t{0x04030201}), "the other order of bytes");
  expect(changed(12, std::uint32_t{2}), "has version 2 of the form; this program reads version 1");
  expect(changed(24, Index{6}), "bytes, not 392");  // order: rows are longer
  expect(changed(24, Index{1} << 40), "names no elimination");
  expect(changed(32, std::int32_t{17}), "names no elimination");  // method
  expect(changed(72, std::int32_t{0}), "contradicts itself");     // ranks
  expect(changed(80, Index{3}), "contradicts itself");            // step
  expect(changed(168, Index{5}), "contradicts itself");           // a row of A
  expect(changed(168, Index{1}), "contradicts itself");           // twice
  expect(changed(136, Index{1} << 60), "truncated");              // length of a list
  expect(refusal(folder / "none"), "cannot be opened");
  expect(refusal(folder / "."), "is no file");
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
  EXPECT_GT(rows_in_piece(small), 1000);
  EXPECT_EQ(rows_in_piece(large), 1);
  EXPECT_EQ(row_bytes(large), 80'000'000u);
  large.precision = Precision::float32;
  EXPECT_EQ(row_bytes(large), 40'000'000u);
}

}  // namespace
}  // namespace spsolve
