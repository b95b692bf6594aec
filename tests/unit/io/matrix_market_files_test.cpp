// The Matrix Market reader against files that other people wrote.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/test_matrices.hpp"
#include "io/matrix_market/matrix_market.hpp"

namespace spsolve {
namespace {

namespace fs = std::filesystem;

/// The rows of a table of tab-separated fields, without its first line.
std::vector<std::vector<std::string>> read_table(const fs::path& path) {
  std::vector<std::vector<std::string>> table;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string>& fields = table.emplace_back();
    std::istringstream words(line);
    for (std::string word; std::getline(words, word, '\t');) fields.push_back(word);
  }
  return table;
}

/// The integer in `text` at `begin`, and 0 where there is none.
Index integer_at(const std::string& text, std::size_t begin) {
  return begin < text.size() ? std::strtoll(text.c_str() + begin, nullptr, 10) : 0;
}

/// Expects the file to be refused with its name and a text in which `pattern` is found.
void expect_refusal(const fs::path& path, const std::string& pattern) {
  for (const int threads : {1, 2}) {
    try {
      read_matrix_market(path, {.threads = threads, .chunk_bytes = 100});
      ADD_FAILURE() << path << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input) << error.what();
      const std::string said = error.what();
      EXPECT_EQ(said.rfind(path.string() + ":", 0), 0U) << said;
      EXPECT_THAT(said, testing::ContainsRegex(pattern));
    }
  }
}

TEST(RealFiles, AreReadAsTheirManifestSaysOrRefusedByName) {
  const auto folder = test::real_matrices();
  if (!folder) GTEST_SKIP() << "no folder of real matrices: set SPSOLVE_MATRICES";
  int read = 0;
  int refused = 0;
  for (const auto& fields : read_table(*folder / "MANIFEST.tsv")) {
    ASSERT_GE(fields.size(), 7U);
    const fs::path path = *folder / fields[0];
    const std::string& kind = fields[6];
    SCOPED_TRACE(path);
    // Two say so, and have a complex diagonal.
    const bool is_hermitian = fields[0] != "cha.mtx" && fields[0] != "fullcha.mtx";
    const bool supported = kind.starts_with("matrix ") && is_hermitian;
    if (!supported) {
      const std::string reason = kind.starts_with("vector")       ? "vectors are not"
                                 : !is_hermitian                  ? "diagonal"
                                 : fields[0].ends_with(".tar.gz") ? "tar archive"
                                                                  : "Harwell-Boeing";
      expect_refusal(path, reason);
      ++refused;
      continue;
    }
    const MatrixMarketHeader header = read_header(path);
    const bool array = header.format == MatrixMarketFormat::array;
    const Coo matrix = read_matrix_market(path, {.threads = 1});
    EXPECT_EQ(matrix.rows, std::stoll(fields[1]));
    EXPECT_EQ(matrix.columns, std::stoll(fields[2]));
    EXPECT_EQ(header.entries, std::stoll(fields[3]));
    EXPECT_EQ(kind.find(array ? "array" : "coordinate") != std::string::npos, true);
    EXPECT_TRUE(kind.ends_with(fmt::format(" {}", name(matrix.symmetry)))) << kind;
    const std::string notes = fields.size() > 13 ? fields[13] : "";  // "..., 81 stored zeros; ..."
    const std::size_t zeros = notes.find(" stored zeros");
    const Index zero_count =
        zeros == notes.npos
            ? 0
            : integer_at(notes, notes.find_last_not_of("0123456789", zeros - 1) + 1);
    Index zeros_read = 0;
    for (std::size_t k = 0; k < matrix.value.size(); ++k) {
      zeros_read += matrix.value[k] == 0 && (!matrix.is_complex || matrix.imaginary[k] == 0);
    }
    EXPECT_EQ(zeros_read, array ? 0 : zero_count);
    EXPECT_EQ(matrix.entries(), header.entries - (array ? zero_count : 0));
    if (!fields[4].empty() && !array) {
      Index expanded = matrix.entries();
      for (std::size_t k = 0; k < matrix.value.size(); ++k) {
        expanded += matrix.symmetry != Symmetry::general && matrix.row[k] != matrix.column[k];
      }
      EXPECT_EQ(expanded, std::stoll(fields[4]));
    }
    const Coo again = read_matrix_market(path, {.threads = 3, .chunk_bytes = 4096});
    EXPECT_EQ(again.row, matrix.row);
    EXPECT_EQ(again.column, matrix.column);
    EXPECT_EQ(again.value, matrix.value);
    ++read;
  }
  EXPECT_GT(read, 150);
  EXPECT_GT(refused, 5);
}

TEST(RealFiles, MalformedOnesAreRefusedWithTheirLine) {
  const auto folder = test::real_matrices();
  if (!folder) GTEST_SKIP() << "no folder of real matrices: set SPSOLVE_MATRICES";
  int files = 0;
  for (const auto& fields : read_table(*folder / "malformed" / "NOTES.tsv")) {
    const fs::path path = *folder / "malformed" / fields.at(0);
    SCOPED_TRACE(fields.at(1));
    // Where the notes know the line of the first fault, it must be that line.
    const std::size_t line = fields[1].find("line ");
    const bool known = line != std::string::npos && integer_at(fields[1], line + 5) > 0 &&
                       fields[1].find("more entries") == std::string::npos &&
                       fields[1].find("bad value") == std::string::npos;
    // (unless the kind of matrix, which line 1 names, is reason enough to refuse it).
    expect_refusal(path, known ? fmt::format(":({}: expected |1: .* not supported)",
                                             integer_at(fields[1], line + 5))
                               : std::string(":[0-9]+: expected "));
    ++files;
  }
  EXPECT_GT(files, 40);
}

}  // namespace
}  // namespace spsolve
