#include "vectors/vector_files.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/file_size_limit.hpp"
#include "helpers/shared_file.hpp"
#include "io/files/gzip.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "mpi/mpi_team.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::test {
namespace {

namespace fs = std::filesystem;

std::string banner(const std::string& words) {
  return "%%MatrixMarket matrix " + words + "\n";
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Bands of equal height, and some of which the first is empty and the last, if any, has most.
std::vector<RowLayout> layouts(Index rows, int ranks) {
  RowLayout uneven{rows, ranks};
  uneven.borders.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (int r = 1; r <= ranks; ++r) uneven.borders[r] = r == ranks ? rows : rows * (r - 1) / 7;
  return {{rows, ranks}, uneven};
}

/// Expects the bands of `x` to hold the bits of `whole`.
void expect_bands_of(const Dense<double>& whole, const Vectors& x) {
  ASSERT_EQ(x.rows(), whole.rows);
  ASSERT_EQ(x.columns(), whole.columns);
  const Dense<double> own = own_rows(x);
  const auto bytes = own.values.size() * sizeof(double);
  EXPECT_TRUE(bytes == 0 || std::memcmp(own.values.data(), whole.row(x.own().first), bytes) == 0);
}

/// The rows of a file, and the file.
struct Example {
  Index rows;
  std::string text;
};

std::string number(std::mt19937& generator) {
  return std::to_string(static_cast<int>(generator() % 20001) - 10000) + "e-2\n";
}

std::string elements(int count) {
  std::mt19937 generator(11);
  std::string text;
  for (int k = 0; k < count; ++k) {
    text += k % 9 == 4 ? "% a comment\n" : k % 9 == 7 ? "\n" : "";
    text += k % 13 == 2 ? "-0.0\n" : number(generator);
  }
  return text;
}

/// Entries of a matrix of order 23, in the lower triangle and off the diagonal; some of them twice.
std::string entries(int count) {
  std::mt19937 generator(12);
  std::string text;
  for (int k = 0; k < count; ++k) {
    const auto row = generator() % 22 + 2, column = generator() % (row - 1) + 1;
    text += std::to_string(row) + " " + std::to_string(column) + " " + number(generator);
  }
  return text;
}

std::vector<Example> examples() {
  return {
      {23, banner("array real general") + "% c\n23 5\n" + elements(115)},
      {23, banner("array real general") + "23 1\n" + elements(23)},
      {3, banner("array real general") + "3 40\n" + elements(120)},
      {23, banner("array real symmetric") + "23 23\n" + elements(276)},
      {23, banner("array real skew-symmetric") + "23 23\n" + elements(253)},
      {23, banner("coordinate real general") + "23 23 300\n" + entries(300)},
      {23, banner("coordinate real symmetric") + "23 23 200\n" + entries(200)},
      {23, banner("coordinate real skew-symmetric") + "23 23 200\n" + entries(200)},
      {23, banner("coordinate pattern general") + "23 4 3\n1 4\n23 1\n1 4\n"},
      {4, banner("coordinate real symmetric") + "4 4 3\n2 1 5\n1 3 6\n4 4 7\n"},
      {23, banner("coordinate real general") + "23 4 0\n"},
      {0, banner("array real general") + "0 4\n"},
  };
}

TEST(VectorFiles, AreReadInBandsInPiecesOfAnySize) {
  MpiTeam team;
  for (const Example& example : examples()) {
    SCOPED_TRACE(example.text.substr(0, 60));
    const Dense<double> whole = read_dense(MatrixMarketBytes{example.text, "a.mtx"});
    for (const bool gzip : {false, true}) {
      const SharedFile file(team, gzip ? io::deflate_gzip(example.text) : example.text);
      for (const RowLayout& layout : layouts(example.rows, team.size())) {
        for (const std::int64_t piece : {1, 40, 900, 1 << 22}) {
          expect_bands_of(whole, *read_vectors(team, layout, host_vector_memory(), file.path(),
                                               {.text_bytes = piece}));
        }
      }
    }
  }
}

TEST(VectorFiles, OfComplexNumbersAreRowsOfTheirParts) {
  MpiTeam team;
  const std::string list =
      banner("coordinate complex general") + "7 2 3\n7 2 1 -2\n1 1 3 4\n7 2 5 6\n";
  std::string array = banner("array complex general") + "7 2\n";
  for (int k = 0; k < 14; ++k) array += fmt::format("{} {}\n", k + 1, -k);
  const std::string real = banner("array real general") + "7 2\n" + elements(14);
  for (const std::string& text : {list, array, real}) {
    SCOPED_TRACE(text);
    const SharedFile file(team, text);
    Dense<double> whole = read_dense(MatrixMarketBytes{text, "a.mtx"});
    if (whole.rows == 7) {
      const Dense<double> parts = whole;
      whole = Dense<double>(14, 2);
      for (Index i = 0; i < 7; ++i) std::copy_n(parts.row(i), 2, whole.row(2 * i));
    }
    for (const RowLayout& layout : layouts(7, team.size())) {
      for (const std::int64_t piece : {1, 40, 1 << 22}) {
        expect_bands_of(whole, *read_vectors(team, layout_of_rows(layout, 2), host_vector_memory(),
                                             file.path(), {.text_bytes = piece, .parts = 2}));
      }
    }
  }
}

TEST(VectorFiles, OfComplexNumbersAreWrittenAsTheyAreRead) {
  MpiTeam team;
  std::string array = banner("array complex general") + "7 2\n";
  for (int k = 0; k < 14; ++k) array += fmt::format("{} {}\n", k + 1, -k);
  const SharedFile file(team, array), written(team, "");
  const RowLayout layout = layout_of_rows({7, team.size()}, 2);
  const auto x = read_vectors(team, layout, host_vector_memory(), file.path(), {.parts = 2});
  for (const char* const name : {"x.mtx", "x.npy"}) {
    const fs::path path = written.beside(name);
    write_vectors(path, *x, {}, {.values = 3, .parts = 2});
    const auto again = read_vectors(team, layout, host_vector_memory(), path, {.parts = 2});
    expect_bands_of(read_dense(MatrixMarketBytes{array, "a.mtx"}), *again);
    EXPECT_THROW(read_vectors(team, {7, team.size()}, host_vector_memory(), path), Error);
  }
}

/// Expects reading `text` to fail on every rank as it does for one that reads it whole.
void expect_the_same_error(Team& team, Index rows, const std::string& text) {
  SCOPED_TRACE(text);
  const SharedFile file(team, text);
  std::string said;
  ExitCode code{};
  try {
    read_dense(file.path());
    ADD_FAILURE() << "read";
  } catch (const Error& error) {
    said = error.what();
    code = error.code();
  }
  for (const RowLayout& layout : layouts(rows, team.size())) {
    for (const std::int64_t piece : {1, 25, 1 << 22}) {
      try {
        read_vectors(team, layout, host_vector_memory(), file.path(), {.text_bytes = piece});
        ADD_FAILURE() << "read in bands";
      } catch (const Error& error) {
        EXPECT_EQ(error.what(), said);
        EXPECT_EQ(error.code(), code);
        EXPECT_EQ(error.scope(), Scope::every_rank);
      }
    }
  }
}

TEST(VectorFiles, AreRefusedOnEveryRankAsByAWholeReader) {
  MpiTeam team;
  const std::string list = banner("coordinate real general"), array = banner("array real general");
  const std::string large = "3 2 1.2e308\n", larger = "1 2 1.7e308\n";
  for (const std::string& text :
       {std::string("no banner\n"), array + "9 2\n" + elements(17), array + "9 2\n" + elements(19),
        array + "9 2\n" + elements(10) + "x\n" + elements(20), array + "9 2\n1\n2\ninf\n",
        list + "9 9 3\n1 1 1\n% c\n10 1 1\n", list + "9 9 3\n1 1 1\n", list + "9 9 0\n1 1 1\n",
        banner("coordinate real symmetric") + "9 9 3\n2 1 5\n9 9 1\n1 2 5\n",
        // Sums: the first in the file counts, whoever has its row, and wrong lines before them.
        list + "9 2 5\n" + large + larger + "9 1 1\n" + large + larger,
        list + "9 2 5\n" + larger + large + larger + large + "9 1 1\n",
        list + "9 2 4\n" + larger + larger + "9 1 1\n9 7 1\n",
        banner("coordinate real symmetric") + "9 9 3\n9 1 1.7e308\n9 1 1.7e308\n1 1 3\n",
        list + "9 9000000000000000000 0\n", array + "9 1000000000000000\n1\n2\n"}) {
    expect_the_same_error(team, 9, text);
  }
}

TEST(VectorFiles, MissOrHaveOtherRows) {
  MpiTeam team;
  const SharedFile file(team, banner("array real general") + "4 1\n1\n2\n3\n4\n");
  const auto said = [&](const fs::path& path, Index rows) -> std::string {
    try {
      read_vectors(team, {rows, team.size()}, host_vector_memory(), path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      EXPECT_EQ(error.scope(), Scope::every_rank);
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said(file.path(), 4), "nothing");
  EXPECT_EQ(said(file.path(), 5),
            file.path() +
                ": the right-hand side has 4 rows, but the matrix has 5; it needs one for each");
  EXPECT_THAT(said(file.beside("none.mtx"), 4), testing::HasSubstr("No such file"));
}

/// `whole` in bands.
std::unique_ptr<Vectors> bands_of(Team& team, const RowLayout& layout, const Dense<double>& whole) {
  auto x = host_vector_memory().vectors(team, layout, whole.columns);
  x->write_rows({0, x->height()},
                {whole.row(x->own().first), static_cast<std::size_t>(x->height() * whole.columns)});
  return x;
}

Dense<double> waves(Index rows, Index columns) {
  Dense<double> x(rows, columns);
  for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] = std::sin(static_cast<double>(k));
  return x;
}

TEST(VectorFiles, AreWrittenToTheByte) {
  MpiTeam team;
  struct Case {
    Index rows, columns;
    std::vector<Index> pieces;
  };
  for (const Case& example : {Case{23, 5, {1, 4, 23, 50, 1 << 20}}, Case{23, 1, {1, 7, 1 << 20}},
                              Case{3, 40, {1, 8, 200}}, Case{0, 3, {5}}, Case{4, 0, {5}},
                              Case{70000, 2, {30000, 1 << 20}}}) {
    const Dense<double> whole = waves(example.rows, example.columns);
    for (const char* name : {"x.mtx", "x.mtx.gz"}) {
      const SharedFile file(team, "old", name);
      const fs::path expected = file.beside(std::string("whole_") + name);
      if (team.rank() == 0) write_matrix_market(expected, whole, "two\nlines");
      for (const RowLayout& layout : layouts(example.rows, team.size())) {
        const auto x = bands_of(team, layout, whole);
        for (const Index piece : example.pieces) {
          write_vectors(file.path(), *x, "two\nlines", {.values = piece});
          if (team.rank() == 0) {
            EXPECT_TRUE(content(file.path()) == content(expected))
                << example.rows << " x " << example.columns << " by " << piece;
          }
        }
      }
    }
  }
}

TEST(VectorFiles, ThatCannotBeWrittenFailOnEveryRank) {
  MpiTeam team;
  const SharedFile file(team, "old");
  const auto x = bands_of(team, {50, team.size()}, waves(50, 3));
  for (const fs::path& path :
       {file.beside("none") / "x.mtx", file.beside(""), fs::path("/dev/full")}) {
    try {
      write_vectors(path, *x, {}, {.values = 20});
      ADD_FAILURE() << path << " was written";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::resources);
      EXPECT_EQ(error.scope(), Scope::every_rank);
      EXPECT_THAT(error.what(), testing::StartsWith(path.string() + ": cannot be written ("));
    }
  }
  EXPECT_EQ(content(file.path()), "old");
}

TEST(VectorFiles, EndEveryRankWhereTheDiskIsFullHalfWay) {
  MpiTeam team;
  const SharedFile file(team, "old");
  const auto x = bands_of(team, {70000, team.size()}, waves(70000, 4));
  std::string said = "nothing";
  try {
    const FileSizeLimit limit(2000000);
    write_vectors(file.path(), *x, {}, {.values = 1 << 16});
  } catch (const Error& error) {
    EXPECT_EQ(error.scope(), Scope::every_rank);
    said = error.what();
  }
  EXPECT_THAT(said, testing::HasSubstr("cannot be written (File too large)"));
  together(team, [] {});  // rank 0 has left, and taken its unfinished file along
  EXPECT_EQ(content(file.path()), "old");
  const fs::directory_iterator folder(file.beside(""));
  EXPECT_EQ(std::distance(fs::begin(folder), fs::end(folder)), 1);
}

}  // namespace
}  // namespace spsolve::test
