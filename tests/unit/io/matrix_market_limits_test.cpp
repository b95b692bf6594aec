// The text that a file may have beyond what its header announces, and how gzip data are read piece
// by piece.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/test_matrices.hpp"
#include "io/files/gzip.hpp"
#include "io/matrix_market/matrix_market.hpp"

namespace spsolve {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::StartsWith;

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarketLimits, PiecesDecideNothing) {
  // More than the first pieces, with lines of all lengths at their borders.
  std::string text = real_general + "9 9 200000\n";
  for (int k = 0; k < 200000; ++k) {
    if (k % 1000 == 7) text += "% " + std::string(static_cast<std::size_t>(k % 50021), '-') + "\n";
    text += std::to_string(k % 9 + 1) + " " + std::to_string(k % 7 + 1) + "  " + std::to_string(k) +
            ".5\n";
  }
  const test::TemporaryFolder folder;
  for (const char* end : {"", "\n\n", "1 1 1", "1 1 1\n2 2 2\n", "x\n", "\r"}) {
    const auto plain = folder.write("m.mtx", text + end);
    const std::string packed = io::deflate_gzip(text + end);
    const std::string name = (folder / "m.mtx").string();
    const auto read = [&](const std::string& bytes) -> std::pair<std::string, Coo> {
      try {
        return {"", read_matrix_market(MatrixMarketBytes{bytes, name})};
      } catch (const Error& error) {
        return {error.what(), {}};
      }
    };
    const auto [said, matrix] = read(text + end);
    const auto [said_of_packed, unpacked] = read(packed);
    EXPECT_EQ(said, said_of_packed);
    EXPECT_EQ(matrix.row, unpacked.row);
    EXPECT_EQ(matrix.value, unpacked.value);
  }
  // Damaged data say more than the line that they make wrong.
  std::string broken = io::deflate_gzip(text + "x\n");
  broken[broken.size() - 6] ^= 1;
  const auto path = folder.write("m.gz", broken);
  EXPECT_THAT(error_of([&] { read_matrix_market(path); }), HasSubstr("corrupt gzip data"));
}

TEST(MatrixMarketLimits, BlankTextHasALimit) {
  const std::string text = real_general + "1 1 1\n1 1 1\n" + std::string(100'000, '\n');
  const test::TemporaryFolder folder;
  for (const std::string& file : {text, io::deflate_gzip(text)}) {
    const auto path = folder.write("m.mtx", file);
    const std::string expected = path.string() + ":2: expected no more than 0 MiB of comments";
    const std::size_t size = text.size() - real_general.size() - 6 - 1024;
    EXPECT_EQ(read_matrix_market(path, {.blank_text = size}).entries(), 1);
    for (const std::size_t limit :
         {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, size - 1}) {
      EXPECT_THAT(error_of([&] { read_matrix_market(path, {.blank_text = limit}); }),
                  StartsWith(expected));
      EXPECT_THAT(error_of([&] { read_dense(path, {.blank_text = limit}); }), StartsWith(expected));
    }
  }
  // A wrong line that begins within the limit is told.
  const std::string wrong = text + "1 1 1\n";
  for (const std::string& file : {wrong, io::deflate_gzip(wrong)}) {
    const auto path = folder.write("m.mtx", file);
    EXPECT_THAT(error_of([&] { read_matrix_market(path); }), HasSubstr("m.mtx:100004: expected"));
  }
}

TEST(MatrixMarketLimits, ALineHasALimit) {
  const test::TemporaryFolder folder;
  const std::size_t longest = std::size_t{1} << 20;
  const auto line_of = [](std::size_t size, const std::string& front, char fill) {
    return front + std::string(size - front.size() - 1, fill) + "\n";
  };
  const std::string header = real_general + "1 1 1\n";
  for (const auto& [front, fill] : {std::pair{"1 1 1", ' '}, {"1 1 1.", '0'}, {"%", '-'}}) {
    const std::string rest = front[0] == '%' ? "1 1 1\n" : "";
    for (const bool is_long : {false, true}) {
      const std::string text = header + line_of(longest + (is_long ? 1 : 0), front, fill) + rest;
      for (const std::string& file : {text, io::deflate_gzip(text)}) {
        const auto path = folder.write("m.mtx", file);
        for (const std::int64_t piece : {1000, 1 << 19, 1 << 20, 1 << 24}) {
          const ReadOptions options{.threads = 2, .chunk_bytes = piece};
          const auto read = [&] { return read_matrix_market(path, options); };
          if (!is_long) {
            EXPECT_EQ(read().entries(), 1);
            EXPECT_EQ(read_dense(path, options).values, std::vector<double>{1});
            continue;
          }
          const std::string expected =
              path.string() + ":3: expected a line of at most 1048576 characters";
          EXPECT_THAT(error_of(read), StartsWith(expected));
          EXPECT_THAT(error_of([&] { read_dense(path, options); }), StartsWith(expected));
        }
      }
    }
  }
  const std::string banner_line = "%%MatrixMarket matrix coordinate real general";
  const auto path = folder.write("m.mtx", banner_line + std::string(2 * longest, ' '));
  EXPECT_THAT(error_of([&] { read_header(path); }), HasSubstr("m.mtx:1: expected a line of at"));
}

}  // namespace
}  // namespace spsolve
