#include "io/matrix_market/matrix_market.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

struct Entry {
  Index row;
  Index column;
  double value;
  bool operator==(const Entry&) const = default;
};

void PrintTo(const Entry& entry, std::ostream* out) {
  *out << '(' << entry.row << ", " << entry.column << ", " << entry.value << ')';
}

std::vector<Entry> entries(const Coo& matrix) {
  EXPECT_EQ(matrix.row.size(), matrix.value.size());
  EXPECT_EQ(matrix.column.size(), matrix.value.size());
  std::vector<Entry> result;
  for (std::size_t k = 0; k < matrix.value.size(); ++k) {
    result.push_back({matrix.row[k], matrix.column[k], matrix.value[k]});
  }
  return result;
}

struct GoodFile {
  const char* name;
  std::string text;
  Index rows;
  Index columns;
  Symmetry symmetry;
  std::vector<Entry> entries;
};

void PrintTo(const GoodFile& file, std::ostream* out) {
  *out << file.name;
}

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

const std::vector<GoodFile> good_files = {
    {"real",
     real_general + "2 3 2\n1 1 1.5\n2 3 -2\n",
     2,
     3,
     Symmetry::general,
     {{0, 0, 1.5}, {1, 2, -2}}},
    {"double",
     "%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 .5\n",
     1,
     1,
     Symmetry::general,
     {{0, 0, 0.5}}},
    {"integer",
     "%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 -7\n",
     2,
     2,
     Symmetry::general,
     {{1, 0, -7}}},
    {"unsigned_integer",
     "%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 1\n2 1 4294967295\n",
     2,
     2,
     Symmetry::general,
     {{1, 0, 4294967295.0}}},
    {"integer_with_fraction",
     "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 2.5\n",
     1,
     1,
     Symmetry::general,
     {{0, 0, 2.5}}},
    {"pattern",
     "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n",
     2,
     2,
     Symmetry::general,
     {{0, 1, 1}, {1, 0, 1}}},
    {"symmetric",
     "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 3\n",
     2,
     2,
     Symmetry::symmetric,
     {{0, 0, 4}, {1, 0, 3}}},
    {"integer_symmetric",
     "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 3\n",
     2,
     2,
     Symmetry::symmetric,
     {{1, 0, 3}}},
    {"pattern_symmetric",
     "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n",
     3,
     3,
     Symmetry::symmetric,
     {{2, 0, 1}, {1, 1, 1}}},
    {"skew",
     "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n",
     2,
     2,
     Symmetry::skew_symmetric,
     {{1, 0, 3}}},
    {"integer_skew",
     "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n1 2 3\n",
     2,
     2,
     Symmetry::skew_symmetric,
     {{0, 1, 3}}},
    {"array",
     "%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n",
     2,
     2,
     Symmetry::general,
     {{0, 0, 1}, {0, 1, 3}, {1, 1, 4}}},
    {"array_integer",
     "%%MatrixMarket matrix array integer general\n1 2\n1\n2\n",
     1,
     2,
     Symmetry::general,
     {{0, 0, 1}, {0, 1, 2}}},
    {"array_symmetric",
     "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
     3,
     3,
     Symmetry::symmetric,
     {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}, {1, 1, 4}, {2, 1, 5}, {2, 2, 6}}},
    {"array_skew",
     "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
     3,
     3,
     Symmetry::skew_symmetric,
     {{1, 0, 1}, {2, 0, 2}, {2, 1, 3}}},
    {"any_case",
     "%%matrixmarket MATRIX Coordinate REAL General\n1 1 1\n1 1 1\n",
     1,
     1,
     Symmetry::general,
     {{0, 0, 1}}},
    {"banner_spaces",
     "%%MatrixMarket\t matrix  coordinate real\tgeneral  \n1 1 1\n1 1 1\n",
     1,
     1,
     Symmetry::general,
     {{0, 0, 1}}},
    {"byte_order_mark",
     "\xEF\xBB\xBF" + real_general + "1 1 1\n1 1 1\n",
     1,
     1,
     Symmetry::general,
     {{0, 0, 1}}},
    {"comments_and_blanks",
     real_general + "% one\n\n  \t\n%two\n2 2 2\n%three\n\n1 1 1\n \t \n  % four\n2 2 2\n\n%end\n",
     2,
     2,
     Symmetry::general,
     {{0, 0, 1}, {1, 1, 2}}},
    {"carriage_returns",
     "%%MatrixMarket matrix coordinate real general\r\n% c\r\n\r\n2 2 2\r\n1 1 1\r\n \r\n2 2 2\r\n",
     2,
     2,
     Symmetry::general,
     {{0, 0, 1}, {1, 1, 2}}},
    {"array_carriage_returns",
     "%%MatrixMarket matrix array real general\r\n2 1\r\n1\r\n\r\n2\r\n",
     2,
     1,
     Symmetry::general,
     {{0, 0, 1}, {1, 0, 2}}},
    {"no_final_newline",
     real_general + "2 2 2\n1 1 1\n2 2 25",
     2,
     2,
     Symmetry::general,
     {{0, 0, 1}, {1, 1, 25}}},
    {"no_final_newline_return",
     real_general + "2 2 1\n2 2 25\r",
     2,
     2,
     Symmetry::general,
     {{1, 1, 25}}},
    {"no_final_newline_comment",
     real_general + "2 2 1\n2 2 25\n% c",
     2,
     2,
     Symmetry::general,
     {{1, 1, 25}}},
    {"no_final_newline_pattern",
     "%%MatrixMarket matrix coordinate pattern general\n2 12 1\n2 12",
     2,
     12,
     Symmetry::general,
     {{1, 11, 1}}},
    {"spaces_and_tabs",
     real_general + "  2\t2  1 \n \t1   2\t 3 \t\n",
     2,
     2,
     Symmetry::general,
     {{0, 1, 3}}},
    {"duplicates_stay",
     real_general + "1 1 3\n1 1 1\n1 1 2\n1 1 1\n",
     1,
     1,
     Symmetry::general,
     {{0, 0, 1}, {0, 0, 2}, {0, 0, 1}}},
    {"zeros_of_lists_stay", real_general + "1 1 1\n1 1 0\n", 1, 1, Symmetry::general, {{0, 0, 0}}},
    {"signs_and_exponents",
     real_general + "2 2 4\n+1 +1 +1.5\n1 2 1.5D+03\n2 1 -2.5d-1\n2 2 1E2\n",
     2,
     2,
     Symmetry::general,
     {{0, 0, 1.5}, {0, 1, 1500}, {1, 0, -0.25}, {1, 1, 100}}},
    {"leading_zeros",
     real_general + "12 12 1\n00000000012 007 0001.50\n",
     12,
     12,
     Symmetry::general,
     {{11, 6, 1.5}}},
    {"empty", real_general + "0 0 0\n", 0, 0, Symmetry::general, {}},
    {"empty_without_newline", real_general + "0 0 0", 0, 0, Symmetry::general, {}},
    {"empty_array",
     "%%MatrixMarket matrix array real general\n0 1000000000000000000\n",
     0,
     1000000000000000000,
     Symmetry::general,
     {}},
    {"empty_skew_array",
     "%%MatrixMarket matrix array real skew-symmetric\n1 1\n",
     1,
     1,
     Symmetry::skew_symmetric,
     {}},
    {"no_entries", real_general + "5 4 0\n", 5, 4, Symmetry::general, {}},
    {"large_dimensions",
     real_general + "9223372036854775807 9223372036854775807 2\n"
                    "9223372036854775807 1 1\n123456789012 12345678 1\n",
     9223372036854775807,
     9223372036854775807,
     Symmetry::general,
     {{9223372036854775806, 0, 1}, {123456789011, 12345677, 1}}},
};

class MatrixMarketGood : public testing::TestWithParam<GoodFile> {};

TEST_P(MatrixMarketGood, IsReadWhateverTheThreadsAndPieces) {
  const GoodFile& expected = GetParam();
  const test::TemporaryFolder folder;
  const auto path = folder.write("matrix.mtx", expected.text);
  for (const int threads : {1, 2, 3, 4, 5}) {
    for (const std::int64_t piece : {1, 7, 13, 1 << 20}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, pieces of " << piece);
      const Coo matrix = read_matrix_market(path, {.threads = threads, .chunk_bytes = piece});
      EXPECT_EQ(matrix.rows, expected.rows);
      EXPECT_EQ(matrix.columns, expected.columns);
      EXPECT_EQ(matrix.symmetry, expected.symmetry);
      EXPECT_EQ(entries(matrix), expected.entries);
    }
  }
  const MatrixMarketHeader header = read_header(path);
  EXPECT_EQ(header.rows, expected.rows);
  EXPECT_EQ(header.columns, expected.columns);
  EXPECT_EQ(header.symmetry, expected.symmetry);
  EXPECT_EQ(header.file_bytes, static_cast<std::int64_t>(expected.text.size()));
}

INSTANTIATE_TEST_SUITE_P(Files, MatrixMarketGood, testing::ValuesIn(good_files),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(MatrixMarketHeader, SaysFormatFieldAndEntries) {
  const test::TemporaryFolder folder;
  const auto list = read_header(
      folder.write("a", "%%MatrixMarket matrix coordinate integer general\n% c\n4 5 6\n"));
  EXPECT_EQ(list.format, MatrixMarketFormat::coordinate);
  EXPECT_EQ(list.field, MatrixMarketField::integer);
  EXPECT_EQ(list.entries, 6);
  const auto array =
      read_header(folder.write("b", "%%MatrixMarket matrix array real skew-symmetric\n5 5\n"));
  EXPECT_EQ(array.format, MatrixMarketFormat::array);
  EXPECT_EQ(array.field, MatrixMarketField::real);
  EXPECT_EQ(array.entries, 10);
  const auto symmetric =
      read_header(folder.write("c", "%%MatrixMarket matrix array real symmetric\n4 4\n"));
  EXPECT_EQ(symmetric.entries, 10);
}

TEST(MatrixMarketReader, GivesTheSameForEveryThreadCountAndPiece) {
  std::mt19937_64 generator(7);
  std::string text;
  Index count = 0;
  for (int line = 0; line < 3000; ++line) {
    if (generator() % 10 == 0) text += generator() % 2 == 0 ? "\n" : "% 9 9 9\n";
    text += std::to_string(generator() % 100000 + 1) + " " + std::to_string(generator() % 50 + 1) +
            " " + std::to_string(static_cast<int>(generator() % 2000) - 1000) + "e-1" +
            (generator() % 5 == 0 ? " \r\n" : "\n");
    ++count;
  }
  const test::TemporaryFolder folder;
  const auto path =
      folder.write("m.mtx", real_general + "100000 50 " + std::to_string(count) + "\n" + text);
  const auto expected = entries(read_matrix_market(path, {.threads = 1}));
  ASSERT_EQ(static_cast<Index>(expected.size()), count);
  for (const int threads : {1, 2, 3, 4, 5}) {
    for (const std::int64_t piece : {1, 10, 100, 1000, 10000}) {
      ReadTiming timing;
      const Coo matrix =
          read_matrix_market(path, {.threads = threads, .chunk_bytes = piece}, &timing);
      EXPECT_EQ(entries(matrix), expected) << threads << " threads, pieces of " << piece;
      EXPECT_EQ(timing.bytes, static_cast<std::int64_t>(std::filesystem::file_size(path)));
    }
  }
}

TEST(ReadDense, MirrorsAndSums) {
  const test::TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    const Dense<double> matrix = read_dense(folder.write("m.mtx", text));
    EXPECT_EQ(static_cast<Index>(matrix.values.size()), matrix.rows * matrix.columns);
    return matrix.values;
  };
  using Values = std::vector<double>;
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"),
            (Values{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(read("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
            (Values{1, 2, 2, 3}));
  EXPECT_EQ(read("%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n"),
            (Values{0, -5, 5, 0}));
  EXPECT_EQ(read(real_general + "2 2 3\n1 2 1\n1 2 2\n2 1 4\n"), (Values{0, 3, 4, 0}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 1 3\n"),
            (Values{1, 5, 5, 0}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 2\n"),
            (Values{0, -2, 2, 0}));
  EXPECT_TRUE(std::signbit(read("%%MatrixMarket matrix array real general\n1 1\n-0.0\n")[0]));
}

}  // namespace
}  // namespace spsolve
