#include "io/matrix_market/entry_reader.hpp"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "io/files/gzip.hpp"
#include "io/matrix_market/matrix_market.hpp"

namespace spsolve {
namespace {

using io::EntryReader;
using io::EntryRun;
using test::error_of;

EntryReader reader_of(const std::string& text, int threads = 2, std::int64_t batch_bytes = 64) {
  ReadOptions options;
  options.threads = threads;
  return {io::MappedFile::copy(text), "a.mtx", options, batch_bytes};
}

std::string banner(const std::string& words) {
  return "%%MatrixMarket matrix " + words + "\n";
}

/// All runs one after the other.
Coo read_all(EntryReader& reader) {
  Coo all;
  all.symmetry = reader.matrix().symmetry;
  for (auto runs = reader.next(); !runs.empty(); runs = reader.next()) {
    for (const EntryRun& run : runs) {
      EXPECT_EQ(run.first, all.entries());
      all.row.insert(all.row.end(), run.row.begin(), run.row.end());
      all.column.insert(all.column.end(), run.column.begin(), run.column.end());
      all.value.insert(all.value.end(), run.values.begin(), run.values.end());
    }
  }
  EXPECT_EQ(all.entries(), reader.matrix().entries);
  return all;
}

std::string number(std::mt19937& generator) {
  return std::to_string(static_cast<int>(generator() % 20001) - 10000) + "e-2";
}

/// A comment, a blank line or nothing.
std::string between(std::mt19937& generator) {
  const auto kind = generator() % 12;
  return kind == 0 ? "% 1 2 3\n" : kind == 1 ? " \n" : "";
}

TEST(EntryReader, GivesTheEntriesOfAListInItsOrder) {
  std::mt19937 generator(3);
  for (const char* symmetry : {"general", "symmetric", "skew-symmetric"}) {
    std::string text = banner("coordinate real " + std::string(symmetry)) + "40 40 500\n";
    for (int k = 0; k < 500; ++k) {
      const auto row = generator() % 39 + 2, column = generator() % (row - 1) + 1;
      text += between(generator) + std::to_string(row) + " " + std::to_string(column) + " " +
              number(generator) + "\n";
    }
    const Coo whole = read_matrix_market(MatrixMarketBytes{text, "a.mtx"});
    for (const std::string& file : {text, io::deflate_gzip(text)}) {
      for (const int threads : {1, 3}) {
        for (const std::int64_t batch : {1, 30, 700, 1 << 20}) {
          EntryReader reader = reader_of(file, threads, batch);
          const Coo pieces = read_all(reader);
          EXPECT_EQ(pieces.row, whole.row);
          EXPECT_EQ(pieces.column, whole.column);
          EXPECT_EQ(pieces.value, whole.value);
          EXPECT_EQ(pieces.symmetry, whole.symmetry);
        }
      }
    }
  }
}

TEST(EntryReader, SaysWhereTheElementsOfAnArrayAre) {
  std::mt19937 generator(4);
  for (const char* symmetry : {"general", "symmetric", "skew-symmetric"}) {
    for (const Index n : {1, 2, 7, 30}) {
      const Index columns = symmetry[0] == 'g' ? 5 : n;
      std::string text = banner("array real " + std::string(symmetry)) + std::to_string(n) + " " +
                         std::to_string(columns) + "\n";
      const Index count = symmetry[0] == 'g'   ? n * columns
                          : symmetry[1] == 'y' ? n * (n + 1) / 2
                                               : n * (n - 1) / 2;
      for (Index k = 0; k < count; ++k) text += between(generator) + number(generator) + "\n";
      const Dense<double> whole = read_dense(MatrixMarketBytes{text, "a.mtx"});
      for (const std::int64_t batch : {1, 30, 1 << 20}) {
        EntryReader reader = reader_of(text, 2, batch);
        Index seen = 0;
        for (auto runs = reader.next(); !runs.empty(); runs = reader.next()) {
          for (const EntryRun& run : runs) {
            EXPECT_TRUE(run.row.empty() && run.column.empty());
            io::for_each_element(reader.matrix(), run.first, run.values.size(),
                                 [&](Index i, Index j, std::size_t k) {
                                   EXPECT_EQ(run.values[k], whole(i, j));
                                   const ElementPlace place =
                                       io::place_of_element(reader.matrix(), seen++);
                                   EXPECT_EQ(place.row, i);
                                   EXPECT_EQ(place.column, j);
                                 });
          }
        }
        EXPECT_EQ(seen, count);
      }
    }
  }
}

TEST(EntryReader, SaysWhereElementsOfHugeTrianglesAre) {
  MatrixMarketHeader matrix;
  matrix.format = MatrixMarketFormat::array;
  matrix.symmetry = Symmetry::symmetric;
  matrix.rows = matrix.columns = 4'000'000'000;
  const Index entries = matrix.rows / 2 * (matrix.rows + 1);
  const ElementPlace last = io::place_of_element(matrix, entries - 1);
  EXPECT_EQ(last.row, matrix.rows - 1);
  EXPECT_EQ(last.column, matrix.columns - 1);
  const ElementPlace before = io::place_of_element(matrix, entries - 2);
  EXPECT_EQ(before.row, matrix.rows - 1);
  EXPECT_EQ(before.column, matrix.columns - 2);
  matrix.symmetry = Symmetry::skew_symmetric;
  const ElementPlace skew = io::place_of_element(matrix, entries - matrix.rows - 1);
  EXPECT_EQ(skew.row, matrix.rows - 1);
  EXPECT_EQ(skew.column, matrix.columns - 2);
}

TEST(EntryReader, RefusesInTheWordsOfTheWholeReader) {
  const std::string list = banner("coordinate real general");
  const std::string array = banner("array real general");
  const std::string one = "1 1 1\n", comment = "% here\n";
  for (const std::string& text :
       {list + "2 2 3\n" + one + comment + one, list + "2 2 1\n" + one + "\n" + one + one,
        list + "2 2 2\n" + one + "1 3 1\n" + one, list + "2 2 1\n" + one + "1 x\n",
        list + "2 2 4\n" + one + one + "2 2 nan\n" + one, array + "2 2\n1\n2\n3\n",
        array + "1 2\n1\n% c\n2\n3\nx\n", array + "2 1\n1\n1e999\n",
        array + "3000000 3000000\n1\n2\n",
        banner("coordinate real symmetric") + "3 3 3\n2 1 1\n" + comment + "3 3 1\n1 2 4\n"}) {
    SCOPED_TRACE(text);
    const std::string said = error_of([&] {
      read_matrix_market(MatrixMarketBytes{text, "a.mtx"});
    });
    for (const int threads : {1, 2, 5}) {
      for (const std::int64_t batch : {1, 9, 1 << 20}) {
        EXPECT_EQ(error_of([&] { reader_of(text, threads, batch).read_to_end(); }), said);
      }
    }
    EXPECT_EQ(error_of([&] { read_dense(MatrixMarketBytes{text, "a.mtx"}); }), said);
  }
}

TEST(EntryReader, AWrongLineIsToldBeforeASumThatOverflows) {
  const std::string large = "2 2 1.7e308\n";
  const std::string front = banner("coordinate real general") + "2 2 3\n" + large + large;
  EXPECT_THAT(error_of([&] {
                read_dense(MatrixMarketBytes{front + "0 1 1\n", "a.mtx"});
              }),
              testing::StartsWith("a.mtx:5: expected a row index"));
  EXPECT_THAT(error_of([&] {
                read_dense(MatrixMarketBytes{front + "1 1 1\n", "a.mtx"});
              }),
              testing::StartsWith("a.mtx: the values of row 2, column 2 add up"));
}

}  // namespace
}  // namespace spsolve
