#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/test_matrices.hpp"
#include "io/files/gzip.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_source.hpp"

namespace spsolve {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::StartsWith;

struct BadFile {
  const char* name;
  std::string text;
  int line;                          ///< 0: the error names no line
  std::vector<std::string> phrases;  ///< what the error must say
};

void PrintTo(const BadFile& file, std::ostream* out) {
  *out << file.name;
}

std::string banner(const std::string& words) {
  return "%%MatrixMarket matrix " + words + "\n";
}

const std::string real_general = banner("coordinate real general");

std::string tar_archive() {
  std::string text(1024, '\0');
  text.replace(0, 5, "a.mtx");
  text.replace(257, 5, "ustar");
  return text;
}

const std::vector<BadFile> bad_files = {
    // the file as such
    {"empty_file", "", 0, {"is empty"}},
    {"no_banner", "3 3 1\n1 1 1\n", 1, {"expected '%%MatrixMarket", "found '3 3 1'", "banner"}},
    {"blank_first", "\n" + real_general + "1 1 0\n", 1, {"found an empty line"}},
    {"one_percent", "%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, {"found '%Matrix"}},
    {"binary", std::string("\0\1\2\xff", 4) + std::string(100, 'z'), 1, {"found '????zzz", "...'"}},
    {"harwell_boeing",
     "title                    key\n 914 26 120 768 0\nRUA  400 400 1920 0\n(16I5) (16I5)\n",
     1,
     {"Harwell-Boeing"}},
    {"tar", tar_archive(), 1, {"tar archive"}},
    {"tar_gz", io::deflate_gzip(tar_archive()), 1, {"tar archive"}},
    {"bzip2", "BZh91AY&SY", 1, {"bzip2"}},
    {"bare_returns",
     "%%MatrixMarket matrix coordinate real general\r%c\r1 1 1\r1 1 1\r",
     1,
     {"CR alone"}},
    // banner
    {"few_words", "%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, {"five words"}},
    {"many_words", banner("coordinate real general twice") + "1 1 0\n", 1, {"five words"}},
    {"vector", "%%MatrixMarket vector coordinate real general\n1 1\n", 1, {"vectors are not"}},
    {"object", "%%MatrixMarket graph coordinate real general\n1 1 0\n", 1, {"found 'graph'"}},
    {"format", banner("sparse real general") + "1 1 0\n", 1, {"found 'sparse'"}},
    {"complex_in_one_part",
     banner("coordinate Complex general") + "1 1 1\n1 1 2\n",
     3,
     {"4 fields"}},
    {"complex_nan",
     banner("coordinate complex general") + "2 2 2\n1 1 1 0\n2 2 3 nan\n",
     4,
     {"found 'nan', which is not a finite number"}},
    {"complex_three_parts",
     banner("coordinate complex general") + "1 1 1\n1 1 2 3 4\n",
     3,
     {"end of the line", "'4'", "4 fields (row, column, real and imaginary part)"}},
    {"complex_cut", banner("array complex general") + "2 1\n1 2\n3", 4, {"2 fields", "copy it"}},
    {"hermitian_diagonal",
     banner("coordinate complex hermitian") + "2 2 2\n2 1 1 1\n2 2 3 1e-9\n",
     4,
     {"a real number on the diagonal of a hermitian matrix", "imaginary part"}},
    {"field", banner("coordinate quaternion general") + "1 1 0\n", 1, {"found 'quaternion'"}},
    {"hermitian", banner("coordinate real hermitian") + "1 1 0\n", 1, {"hermitian matrices are"}},
    {"symmetry", banner("coordinate real spd") + "1 1 0\n", 1, {"found 'spd'"}},
    {"array_pattern", banner("array pattern general") + "1 1\n", 1, {"pattern"}},
    {"skew_pattern", banner("coordinate pattern skew-symmetric") + "1 1 0\n", 1, {"signs"}},
    // a copy that was broken off within a line
    {"cut_in_an_index",
     real_general + "3 3 2\n1 1 1\n2",
     4,
     {"3 fields", "copy it again, or comp"}},
    {"cut_in_a_value", real_general + "3 3 2\n1 1 1\n2 2 1e", 4, {"found '1e'", "copy it again"}},
    // size line
    {"no_size_line", real_general + "% c\n\n", 3, {"size line", "end of the file"}},
    {"banner_only", "%%MatrixMarket matrix coordinate real general", 1, {"size line"}},
    {"two_sizes", real_general + "% c\n3 3\n", 3, {"3 numbers", "found '3 3'"}},
    {"four_sizes", real_general + "3 3 3 3\n", 2, {"3 numbers"}},
    {"three_array_sizes", banner("array real general") + "3 3 9\n", 2, {"2 numbers"}},
    {"negative_size", real_general + "3 -3 3\n", 2, {"none negative", "'-3'"}},
    {"size_no_number", real_general + "3 3x 3\n", 2, {"'3x'"}},
    {"fractional_size", real_general + "3 3.0 3\n", 2, {"'3.0'"}},
    {"huge_size", real_general + "3 9223372036854775808 3\n", 2, {"below 2^63"}},
    {"huge_array", banner("array real general") + "4294967296 4294967296\n", 2, {"2^63"}},
    {"huge_symmetric_array",
     banner("array real symmetric") + "9223372036854775807 9223372036854775807\n",
     2,
     {"2^63"}},
    {"not_square", banner("coordinate real symmetric") + "2 3 0\n", 2, {"square"}},
    {"skew_not_square", banner("array real skew-symmetric") + "2 3\n", 2, {"square"}},
    // entries
    {"few_fields", real_general + "2 2 2\n1 1 1\n2 2\n", 4, {"3 fields", "found '2 2'"}},
    {"one_field", real_general + "2 2 1\n1\n", 3, {"3 fields", "found '1'"}},
    {"few_pattern_fields", banner("coordinate pattern general") + "2 2 1\n1\n", 3, {"2 fields"}},
    {"extra_field", real_general + "2 2 2\n1 1 1 7\n2 2 2\n", 3, {"end of the line", "'7'"}},
    {"extra_pattern_field",
     banner("coordinate pattern general") + "2 2 1\n1 1 5.0\n",
     3,
     {"end of the line", "'5.0'", "2 fields"}},
    {"extra_array_field", banner("array real general") + "2 1\n1\n2 3\n", 4, {"'3'", "1 field"}},
    {"trailing_comment", real_general + "1 1 1\n1 1 1 % c\n", 3, {"end of the line", "'%'"}},
    {"row_zero", real_general + "2 2 1\n0 1 1\n", 3, {"row index from 1 to 2", "'0'", "from 1"}},
    {"column_zero", real_general + "2 3 1\n1 0 1\n", 3, {"column index from 1 to 3", "'0'"}},
    {"row_large", real_general + "2 3 1\n3 1 1\n", 3, {"row index from 1 to 2", "'3'"}},
    {"column_large", real_general + "2 3 1\n1 4 1\n", 3, {"column index from 1 to 3", "'4'"}},
    {"negative_index", real_general + "2 2 1\n-1 1 1\n", 3, {"row index", "'-1'"}},
    {"huge_index", real_general + "2 2 1\n1 99999999999999999999999 1\n", 3, {"column index"}},
    {"wrapped_index", real_general + "2 2 1\n18446744073709551617 1 1\n", 3, {"row index"}},
    {"fractional_index", real_general + "2 2 1\n1.0 1 1\n", 3, {"row index", "'1.0'"}},
    {"joined_fields", real_general + "2 2 1\n1 1-1 1\n", 3, {"column index", "'1-1'"}},
    {"letters", real_general + "2 2 2\n1 1 1\n2 x 1\n", 4, {"'x'"}},
    {"value", real_general + "2 2 2\n1 1 1\n2 2 foo\n", 4, {"decimal number", "'foo'"}},
    {"value_tail", real_general + "1 1 1\n1 1 1.5x\n", 3, {"decimal number", "'1.5x'"}},
    {"value_comma", real_general + "1 1 1\n1 1 1,5\n", 3, {"'1,5'"}},
    {"value_point", real_general + "1 1 1\n1 1 .\n", 3, {"'.'"}},
    {"value_sign", real_general + "1 1 1\n1 1 -\n", 3, {"'-'"}},
    {"value_signs", real_general + "1 1 1\n1 1 +-1\n", 3, {"'+-1'"}},
    {"value_exponent", real_general + "1 1 1\n1 1 1e\n", 3, {"'1e'"}},
    {"value_hexadecimal", real_general + "1 1 1\n1 1 0x10\n", 3, {"'0x10'"}},
    {"nan", real_general + "1 1 1\n1 1 NaN\n", 3, {"not a finite number", "'NaN'"}},
    {"inf", real_general + "1 1 1\n1 1 -inf\n", 3, {"not a finite number", "'-inf'"}},
    {"overflow", real_general + "1 1 1\n1 1 1e+400\n", 3, {"not a finite number", "'1e+400'"}},
    {"overflow_digits",
     real_general + "1 1 1\n1 1 -1" + std::string(400, '0') + "\n",
     3,
     {"not a finite number", "...'"}},
    {"array_value", banner("array real general") + "2 1\n1\nx\n", 4, {"decimal number", "'x'"}},
    {"array_nan", banner("array real general") + "2 1\n1\nnan\n", 4, {"not a finite number"}},
    {"skew_diagonal",
     banner("coordinate real skew-symmetric") + "3 3 2\n2 1 1\n3 3 0\n",
     4,
     {"no entry on the diagonal", "'3 3 0'"}},
    {"bare_return_inside", real_general + "2 2 2\n1 1 1\r2 2 2\n", 3, {"CR alone"}},
    {"nul", real_general + std::string("1 1 1\n1 1 1\0\n", 13), 3, {"'1?'"}},
    {"nul_line", real_general + std::string("1 1 1\n1 1 1\n\0\n", 14), 4, {"2 entries in all"}},
    {"empty_matrix_entry", real_general + "0 0 1\n1 1 1\n", 3, {"row index from 1 to 0"}},
    // counts
    {"few_entries",
     real_general + "% c\n3 3 3\n1 1 1\n2 2 2\n",
     5,
     {"3 entries, as line 3 declares", "after 2"}},
    {"few_entries_blank", real_general + "3 3 3\n1 1 1\n\n2 2 2\n", 5, {"3 entries", "after 2"}},
    {"few_array",
     banner("array real general") + "2 2\n1\n2\n3\n",
     5,
     {"4 entries, as line 2 implies", "after 3"}},
    {"no_entries", real_general + "3 3 3\n", 2, {"3 entries", "after 0"}},
    {"surplus",
     real_general + "2 2 1\n1 1 1\n% c\n2 2 2\n1 2 1\n",
     5,
     {"after the 1 entries", "'2 2 2'", "3 entries in all"}},
    {"surplus_zero", real_general + "2 2 0\n1 1 1\n", 3, {"after the 0 entries", "1 entries in"}},
    {"surplus_array", banner("array real general") + "1 1\n1\n2\n", 4, {"2 entries in all"}},
    {"first_of_many", real_general + "2 2 5\n1 1 1\n1 1 x\n0 1 1\n1 9 1\n", 4, {"'x'"}},
    {"error_before_surplus", real_general + "2 2 2\n1 1 1\n1 1 x\n1 1 1\n1 1 1\n", 4, {"'x'"}},
    {"surplus_before_error", real_general + "2 2 1\n1 1 1\n1 1 1\n1 1 x\n", 4, {"in all"}},
    // headers that lie: no memory is taken by their word
    {"lying_count", real_general + "9 9 9000000000000000000\n1 1 1\n", 3, {"after 1"}},
    {"lying_array", banner("array real general") + "3000000000 3000000000\n1\n2\n", 4, {"after 2"}},
    {"lying_count_then_error",
     real_general + "9 9 9000000000000000000\n1 1 1\n1 1 z\n",
     4,
     {"'z'"}},
};

class MatrixMarketBad : public testing::TestWithParam<BadFile> {};

TEST_P(MatrixMarketBad, IsRefusedWithNameAndLine) {
  const BadFile& bad = GetParam();
  const test::TemporaryFolder folder;
  const auto path = folder.write("bad.mtx", bad.text);
  const std::string expected_start =
      path.string() + ":" + (bad.line > 0 ? std::to_string(bad.line) + ": " : " ");
  for (const int threads : {1, 2, 5}) {
    for (const std::int64_t piece : {1, 9, 1 << 20}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, pieces of " << piece);
      const ReadOptions options{.threads = threads, .chunk_bytes = piece};
      const std::string said = error_of([&] { read_matrix_market(path, options); });
      EXPECT_THAT(said, StartsWith(expected_start));
      for (const std::string& phrase : bad.phrases) EXPECT_THAT(said, HasSubstr(phrase));
      EXPECT_EQ(error_of([&] { read_dense(path, options); }), said);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, MatrixMarketBad, testing::ValuesIn(bad_files),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(MatrixMarketErrors, NameMissingFilesAndFolders) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { read_matrix_market(folder / "none.mtx"); }),
              testing::AllOf(HasSubstr("none.mtx"), HasSubstr("No such file")));
  EXPECT_THAT(error_of([&] { read_matrix_market(folder / "."); }), HasSubstr("is a folder"));
  EXPECT_THAT(error_of([&] { read_header(folder / "none.mtx"); }), HasSubstr("No such file"));
  EXPECT_THAT(error_of([&] { read_matrix_market("/dev/null"); }), HasSubstr("not a regular file"));
}

TEST(MatrixMarketErrors, NamePairsThatASymmetricFileStoresTwice) {
  const test::TemporaryFolder folder;
  const std::string entries = "3 3 3\n2 1 1\n3 3 1\n";
  const std::string banner = "%%MatrixMarket matrix coordinate real ";
  for (const char* symmetry : {"symmetric", "skew-symmetric"}) {
    const std::string diagonal_free = "3 3 3\n2 1 1\n3 1 1\n1 2 1\n";
    const auto file = folder.write("both.mtx", banner + symmetry + "\n" + diagonal_free);
    try {
      read_matrix_market(file);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      EXPECT_THAT(error.what(), testing::HasSubstr("(2, 1) and (1, 2)"));
    }
  }
  // Entries in both triangles are no harm as long as no pair is stored twice.
  const auto mixed = folder.write("mixed.mtx", banner + "symmetric\n" + entries + "1 3 5\n");
  EXPECT_EQ(read_matrix_market(mixed).entries(), 3);
}

TEST(MatrixMarketErrors, NameDuplicatesWhoseSumOverflows) {
  const test::TemporaryFolder folder;
  for (const char* header : {"general\n3 3 3\n1 1 1\n", "symmetric\n3 3 3\n1 1 1\n"}) {
    const auto file = folder.write(
        "a.mtx", banner("coordinate real " + std::string(header)) + "3 3 1.6e308\n3 3 1.6e308\n");
    const std::string said = file.string() + ": the values of row 3, column 3 add up to more than";
    EXPECT_THAT(error_of([&] { load_matrix(file.string()); }), StartsWith(said));
    EXPECT_THAT(error_of([&] { read_dense(file); }), StartsWith(said));
  }
  // Sums that a double holds are fine, whatever their parts are.
  const auto fine =
      folder.write("b.mtx", real_general + "1 1 3\n1 1 1.6e308\n1 1 -1.6e308\n1 1 7\n");
  EXPECT_EQ(load_matrix(fine.string()).values[0], 7);
}

TEST(MatrixMarketErrors, NameTheLineOfALargeFile) {
  std::string text = real_general + "9 9 300000\n";
  for (int k = 0; k < 300000; ++k) text += k == 123456 ? "1 1 bad\n" : "1 2 3\n";
  const test::TemporaryFolder folder;
  const auto path = folder.write("large.mtx", text);
  for (const int threads : {1, 4}) {
    EXPECT_THAT(error_of([&] { read_matrix_market(path, {.threads = threads}); }),
                HasSubstr("large.mtx:123459: "));
  }
}

TEST(MatrixMarketErrors, DenseOfAbsurdSizeIsRefusedBeforeItIsAllocated) {
  const test::TemporaryFolder folder;
  for (const char* size : {"100000000 100000000 0\n", "9000000000000000000 9 0\n"}) {
    const auto path = folder.write("m.mtx", real_general + size);
    EXPECT_THAT(error_of([&] { read_dense(path); }, ExitCode::resources), HasSubstr("too many"));
    EXPECT_EQ(read_matrix_market(path).entries(), 0);
  }
}

// gzip

std::string many_lines(int count) {
  std::string text = real_general + "9 9 " + std::to_string(count) + "\n";
  for (int k = 0; k < count; ++k) {
    text += std::to_string(k % 9 + 1) + " " + std::to_string(k % 7 + 1) + " " + std::to_string(k) +
            ".25\n";
  }
  return text;
}

TEST(MatrixMarketGzip, IsSeenFromTheContentWithOneOrManyMembers) {
  const std::string text = many_lines(40000);
  const test::TemporaryFolder folder;
  const Coo expected = read_matrix_market(folder.write("plain.gz", text));  // the name is no proof
  ASSERT_EQ(expected.entries(), 40000);
  std::string members;
  for (std::size_t begin = 0; begin < text.size(); begin += 100001) {
    members += io::deflate_gzip(text.substr(begin, 100001));
  }
  const std::string empty_member = io::deflate_gzip("");
  for (const std::string& file :
       {io::deflate_gzip(text), members, empty_member + members + empty_member,
        members + std::string(512, '\0')}) {
    const auto path = folder.write("m.mtx", file);
    ReadTiming timing;
    const Coo matrix = read_matrix_market(path, {}, &timing);
    EXPECT_EQ(matrix.row, expected.row);
    EXPECT_EQ(matrix.column, expected.column);
    EXPECT_EQ(matrix.value, expected.value);
    EXPECT_EQ(timing.bytes, static_cast<std::int64_t>(text.size()));
    EXPECT_GT(timing.inflate_seconds, 0.0);
    EXPECT_EQ(read_header(path).entries, 40000);
    EXPECT_EQ(read_header(path).file_bytes, static_cast<std::int64_t>(file.size()));
  }
}

TEST(MatrixMarketGzip, HeaderBehindLongCommentsIsFound) {
  std::string text = real_general;
  for (int k = 0; k < 20000; ++k) text += "% a comment of some length, again and again\n";
  text += "3 3 1\n1 1 1\n";
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_header(folder.write("m.gz", io::deflate_gzip(text))).rows, 3);
}

TEST(MatrixMarketGzip, TruncatedAndCorruptFilesAreRefused) {
  const std::string good = io::deflate_gzip(many_lines(3000));
  const test::TemporaryFolder folder;
  for (std::size_t size = 2; size < good.size(); size += size < 40 ? 1 : 397) {
    const auto path = folder.write("cut.mtx.gz", good.substr(0, size));
    EXPECT_THAT(error_of([&] { read_matrix_market(path); }),
                testing::AllOf(HasSubstr("cut.mtx.gz: "), HasSubstr("truncated")))
        << size;
  }
  const auto corrupt = [&](std::size_t place) {
    std::string bytes = good;
    bytes[place] = static_cast<char>(bytes[place] ^ 0x55);
    const auto path = folder.write("corrupt.mtx.gz", bytes);
    return error_of([&] { read_matrix_market(path); });
  };
  EXPECT_THAT(corrupt(good.size() - 6), HasSubstr("corrupt gzip data"));  // check sum
  EXPECT_THAT(corrupt(good.size() - 2), HasSubstr("corrupt gzip data"));  // length
  EXPECT_THAT(corrupt(good.size() / 2), HasSubstr("corrupt.mtx.gz: "));
  const auto path = folder.write("tail.mtx.gz", good + "tail");
  EXPECT_THAT(error_of([&] { read_matrix_market(path); }), HasSubstr("no gzip data"));
}

}  // namespace
}  // namespace spsolve
