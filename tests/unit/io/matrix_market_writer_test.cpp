#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "helpers/file_size_limit.hpp"
#include "helpers/test_matrices.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/gzip.hpp"
#include "io/files/special_file.hpp"
#include "io/matrix_market/matrix_market.hpp"

namespace spsolve {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

Coo small_matrix(Symmetry symmetry) {
  return {.rows = 3,
          .columns = 3,
          .symmetry = symmetry,
          .row = {1, 2, 2},
          .column = {0, 0, 1},
          .value = {0.1, -2.0, 1e300}};
}

TEST(MatrixMarketWriter, WritesListsAsTheirSymmetrySays) {
  const test::TemporaryFolder folder;
  for (const Symmetry symmetry :
       {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric}) {
    write_matrix_market(folder / "m.mtx", small_matrix(symmetry), "first\r\n\nthird");
    EXPECT_EQ(content(folder / "m.mtx"), "%%MatrixMarket matrix coordinate real " +
                                             std::string(name(symmetry)) +
                                             "\n% first\n%\n% third\n3 3 3\n2 1 0.1\n3 1 -2\n"
                                             "3 2 1e+300\n");
    EXPECT_EQ(read_matrix_market(folder / "m.mtx").symmetry, symmetry);
  }
}

TEST(MatrixMarketWriter, WritesRowsAndArrays) {
  const test::TemporaryFolder folder;
  const Csr<double> rows{.rows = 4,
                         .columns = 3,
                         .row_offsets = {0, 0, 2, 2, 3},
                         .column_indices = {0, 2, 1},
                         .values = {1, 2, 3}};
  write_matrix_market(folder / "rows.mtx", rows);
  EXPECT_EQ(content(folder / "rows.mtx"),
            "%%MatrixMarket matrix coordinate real general\n4 3 3\n2 1 1\n2 3 2\n4 2 3\n");
  Dense<double> array(2, 3);
  array.values = {1, 2, 3, 4, 5, 6};
  write_matrix_market(folder / "array.mtx", array, "x");
  EXPECT_EQ(content(folder / "array.mtx"),
            "%%MatrixMarket matrix array real general\n% x\n2 3\n1\n4\n2\n5\n3\n6\n");
}

TEST(MatrixMarketWriter, WritesEmptyMatrices) {
  const test::TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", Coo{});
  EXPECT_EQ(read_header(folder / "a.mtx").entries, 0);
  write_matrix_market(folder / "b.mtx", Csr<double>{});
  EXPECT_EQ(read_matrix_market(folder / "b.mtx").rows, 0);
  write_matrix_market(folder / "c.mtx.gz", Dense<double>(0, 5));
  EXPECT_EQ(read_dense(folder / "c.mtx.gz").columns, 5);
}

std::vector<double> hard_values() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values = {0.0,
                                -0.0,
                                Limits::max(),
                                Limits::lowest(),
                                Limits::min(),
                                -Limits::denorm_min(),
                                Limits::epsilon(),
                                std::nextafter(Limits::min(), 0.0),
                                0.1 + 0.2,
                                9007199254740993.0,
                                5e-324,
                                1e23,
                                1.0 / 3.0};
  std::mt19937_64 generator(1);
  while (values.size() < 200000) {  // every bit pattern that is finite
    const std::uint64_t bits = generator();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

void expect_same_bits(const std::vector<double>& read, const std::vector<double>& written) {
  ASSERT_EQ(read.size(), written.size());
  EXPECT_EQ(std::memcmp(read.data(), written.data(), read.size() * sizeof(double)), 0);
}

TEST(MatrixMarketWriter, EveryDoubleComesBackBitForBit) {
  Coo list;
  list.rows = 200000;
  list.columns = 3;
  list.value = hard_values();
  Dense<double> array(static_cast<Index>(list.value.size()), 1);
  array.values = list.value;
  for (std::size_t k = 0; k < list.value.size(); ++k) {
    list.row.push_back(static_cast<Index>(k * 7919 % 200000));
    list.column.push_back(static_cast<Index>(k % 3));
  }
  const test::TemporaryFolder folder;
  for (const char* file : {"list.mtx", "list.mtx.gz"}) {
    write_matrix_market(folder / file, list, "a list");
    const Coo read = read_matrix_market(folder / file);
    EXPECT_EQ(read.row, list.row);
    EXPECT_EQ(read.column, list.column);
    expect_same_bits(read.value, list.value);
    write_matrix_market(folder / file, array);
    expect_same_bits(read_dense(folder / file).values, array.values);
  }
  EXPECT_TRUE(io::is_gzip(content(folder / "list.mtx.gz")));
  EXPECT_FALSE(io::is_gzip(content(folder / "list.mtx")));
}

TEST(MatrixMarketWriter, LargeCsrAndWideArraysComeBack) {
  Csr<double> rows;
  rows.rows = 50000;
  rows.columns = 10;
  for (Index i = 0; i < rows.rows; ++i) {
    for (LocalIndex j = 0; j < (i % 17 == 0 ? 10 : i % 3); ++j) {
      rows.column_indices.push_back(j);
      rows.values.push_back(static_cast<double>(i) + 0.125 * j);
    }
    rows.row_offsets.push_back(static_cast<Index>(rows.values.size()));
  }
  ASSERT_GT(rows.nonzeros(), 1 << 16);  // more than one piece
  const test::TemporaryFolder folder;
  write_matrix_market(folder / "m.mtx", rows);
  const Coo read = read_matrix_market(folder / "m.mtx");
  ASSERT_EQ(read.entries(), rows.nonzeros());
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      ASSERT_EQ(read.row[k], i);
      ASSERT_EQ(read.column[k], rows.column_indices[k]);
      ASSERT_EQ(read.value[k], rows.values[k]);
    }
  }
  Dense<double> array(30011, 7);
  for (std::size_t k = 0; k < array.values.size(); ++k) array.values[k] = static_cast<double>(k);
  write_matrix_market(folder / "m.mtx", array);
  EXPECT_EQ(read_dense(folder / "m.mtx").values, array.values);
}

TEST(ArrayWriter, WritesTheSameBytesHoweverTheValuesCome) {
  const Index rows = 40009, columns = 5;  // more than three pieces
  Dense<double> array(rows, columns);
  std::vector<double> values;
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      array(i, j) = std::sin(static_cast<double>(i * columns + j));
      values.push_back(array(i, j));
    }
  }
  const test::TemporaryFolder folder;
  for (const std::string file : {"m.mtx", "m.mtx.gz"}) {
    write_matrix_market(folder / file, array, "two\nlines");
    const std::string whole = content(folder / file);
    for (const std::size_t step : {std::size_t{37}, std::size_t{1} << 16, std::size_t{70001},
                                   std::size_t{1} << 17, values.size()}) {
      ArrayWriter writer(folder / ("pieces_" + file), rows, columns, "two\nlines");
      for (std::size_t first = 0; first < values.size(); first += step) {
        writer.write(std::span(values).subspan(first, std::min(step, values.size() - first)));
      }
      writer.commit();
      EXPECT_TRUE(content(folder / ("pieces_" + file)) == whole) << file << " by " << step;
    }
  }
}

TEST(ArrayWriter, LeavesNoFileBehindThatIsNotWhole) {
  const test::TemporaryFolder folder;
  const std::vector<double> values(5, 1.5);
  {
    ArrayWriter writer(folder / "m.mtx", 3, 2);
    writer.write(values);
    EXPECT_THROW(writer.commit(), Error);
  }
  EXPECT_EQ(files_in(folder / "."), 0U);
  ArrayWriter empty(folder / "m.mtx", 0, 5);
  empty.commit();
  EXPECT_EQ(read_header(folder / "m.mtx").columns, 5);
  EXPECT_THROW(ArrayWriter(folder / "none" / "m.mtx", 1, 1), Error);
}

/// Expects an Error(resources) that names `path`, from writing there.
void expect_not_written(const fs::path& path, const std::string& reason) {
  Coo matrix = small_matrix(Symmetry::general);
  while (matrix.entries() < 100000) {
    matrix.row.push_back(0);
    matrix.column.push_back(0);
    matrix.value.push_back(1.0 / 3.0);
  }
  try {
    write_matrix_market(path, matrix);
    ADD_FAILURE() << path << " was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(MatrixMarketWriter, NamesWhatKeepsItFromWriting) {
  const test::TemporaryFolder folder;
  folder.write("file", "text");
  fs::create_directory(folder / "folder");
  expect_not_written(folder / "none" / "m.mtx", "No such file or directory");
  expect_not_written(folder / "file" / "m.mtx", "Not a directory");
  expect_not_written(folder / "folder", "Is a directory");
  EXPECT_EQ(files_in(folder / "."), 2U);
}

TEST(MatrixMarketWriter, LeavesTheOldFileAndNothingElseWhenTheDiskIsFull) {
  const test::TemporaryFolder folder;
  folder.write("m.mtx", "old");
  {
    const test::FileSizeLimit limit(100000);
    expect_not_written(folder / "m.mtx", "File too large");
  }
  EXPECT_EQ(content(folder / "m.mtx"), "old");
  EXPECT_EQ(files_in(folder / "."), 1U);
}

TEST(AtomicFile, KeepsTheModeOfWhatItReplaces) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const auto file = folder.write("x.mtx", "old");
  for (const unsigned mode : {0600u, 0644u, 0666u, 0640u}) {
    fs::permissions(file, fs::perms(mode));
    io::write_text(file, "new");
    EXPECT_EQ(static_cast<unsigned>(fs::status(file).permissions()), mode);
  }
}

TEST(AtomicFile, AppearsOnlyWhenCommittedAndFollowsLinks) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_symlink(folder / "real" / "target", folder / "link");
  {
    io::AtomicFile file(folder / "link");
    file.write("lost");
    EXPECT_FALSE(fs::exists(folder / "real" / "target"));
  }
  EXPECT_EQ(files_in(folder / "real"), 0U);
  io::AtomicFile file(folder / "link");
  file.write("kept");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content(folder / "real" / "target"), "kept");
  EXPECT_EQ(files_in(folder / "real"), 1U);
}

TEST(AtomicFile, WritesThroughWhatIsNoRegularFile) {
  io::write_text("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  io::write_text("/dev/fd/" + std::to_string(ends[1]), "text");
  ::close(ends[1]);
  char text[8] = {};
  EXPECT_EQ(::read(ends[0], text, sizeof text), 4);
  EXPECT_STREQ(text, "text");
  ::close(ends[0]);
  io::AtomicFile file("/dev/null");
  EXPECT_THROW(file.commit("what was written has left"), Error);
}

TEST(SpecialFile, NamesOfDescriptors) {
  EXPECT_EQ(io::descriptor_named("-", 0), 0);
  EXPECT_EQ(io::descriptor_named("-", 1), 1);
  EXPECT_EQ(io::descriptor_named("/dev/stderr", 1), 2);
  EXPECT_EQ(io::descriptor_named("/dev/fd/17", 1), 17);
  EXPECT_FALSE(io::descriptor_named("/dev/fd/17x", 1));
  EXPECT_FALSE(io::descriptor_named("/dev/null", 1));
  EXPECT_TRUE(io::is_written_through("/dev/null"));
  EXPECT_FALSE(io::is_written_through("/tmp"));
  EXPECT_FALSE(io::is_written_through("absent.mtx"));
}

TEST(SpecialFile, APipeIsReadAsOftenAsAskedFor) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const std::string_view text = "%%MatrixMarket matrix array real general\n1 1\n7\n";
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const fs::path name = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(read_header(name).rows, 1);
  EXPECT_EQ(read_dense(name).values, std::vector<double>{7});
  ::close(ends[0]);
}

}  // namespace
}  // namespace spsolve
