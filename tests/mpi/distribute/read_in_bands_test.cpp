#include "distribute/reading/read_in_bands.hpp"

#include <fstream>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/shared_file.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve::test {
namespace {

/// The rows with their global columns.
Csr<double> expanded(CompressedRows&& rows) {
  Csr<double> result = std::move(rows.rows);
  for (LocalIndex& j : result.column_indices) {
    j = static_cast<LocalIndex>(rows.global_columns[j]);
  }
  result.columns = rows.columns;
  return result;
}

void expect_same_as_serial(Team& team, const BandedReading& reading) {
  LoadedMatrix loaded = load_real_form(reading.name);
  Csr<double> whole = std::move(loaded.rows);
  if (reading.rotate_by != 0) whole = rotate_rows(whole, loaded.parts * reading.rotate_by);
  BandedMatrix read = read_in_bands(team, reading);
  EXPECT_EQ(read.bands.rows, whole.rows);
  EXPECT_EQ(read.columns, whole.columns);
  EXPECT_EQ(read.nonzeros, whole.nonzeros());
  if (reading.bands != BandsChoice::automatic && reading.node == 1) {
    EXPECT_EQ(kind_of(read.bands),
              whole.nonzeros() == 0 ? "rows"
                                    : (reading.bands == BandsChoice::rows ? "rows" : "nonzeros"));
  }
  const Range own = read.bands.band(team.rank());
  expect_equal(expanded(std::move(read.rows)), slice_rows(whole, own.first, own.last));
}

const char* const files[] = {
    // entries in any order, a comment within, an empty row, a duplicate that is summed
    "%%MatrixMarket matrix coordinate real general\n% comment\n5 7 8\n5 7 1.5\n1 1 2\n% here\n"
    "3 2 -4e-3\n\n1 7 0.25\n1 1 0.1\n2 3 1\n3 1 8\n5 1 9",
    "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 6\n1 1\n3 1\n6 2\n5 5\n6 6\n4 3\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n4 4 3\n2 1 5\n4 1 0.5\n4 3 -7\n",
    "%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 2 7\n",
    "%%MatrixMarket matrix coordinate real general\n3 3 0\n",
};

TEST(ReadInBands, FilesInPiecesOfAnySize) {
  MpiTeam team;
  for (const char* text : files) {
    SCOPED_TRACE(text);
    const SharedFile file(team, text);
    for (const Index piece : {1, 5, 13, 1 << 20}) {
      for (const BandsChoice bands : {BandsChoice::rows, BandsChoice::nonzeros}) {
        expect_same_as_serial(team, {file.path(), 0, bands, piece});
      }
      expect_same_as_serial(team, {file.path(), 2, BandsChoice::automatic, piece});
      expect_same_as_serial(team, {file.path(), -1, BandsChoice::automatic, piece});
    }
  }
}

TEST(ReadInBands, AWrittenMatrix) {
  MpiTeam team;
  const SharedFile file(team, "");
  if (team.rank() == 0) write_matrix_market(file.path(), generate_matrix("power_law:900:9"));
  wait_for_all(team);
  expect_same_as_serial(team, {file.path(), 0, BandsChoice::nonzeros, 1000});
}

TEST(ReadInBands, FilesOfScipyAndPetsc) {
  MpiTeam team;
  for (const char* ending : {"a.npz", "a.petsc"}) {
    for (const char* spec : {"power_law:900:9", "grid2d:13", "tridiagonal:2"}) {
      SCOPED_TRACE(testing::Message() << ending << " " << spec);
      const SharedFile file(team, "", ending);
      if (team.rank() == 0) write_matrix(file.path(), generate_matrix(spec), "");
      wait_for_all(team);
      for (const BandsChoice bands : {BandsChoice::rows, BandsChoice::nonzeros}) {
        expect_same_as_serial(team, {file.path(), 0, bands});
      }
      for (const Index by : {1, -3, 1000}) expect_same_as_serial(team, {file.path(), by});
    }
  }
}

TEST(ReadInBands, DamagedFilesOfScipyAndPetsc) {
  MpiTeam team;
  const Csr<double> matrix = generate_matrix("grid2d:13");
  struct Case {
    const char *ending, *words;
    std::function<void(std::string&)> damage;
  };
  const auto cut = [](std::string& bytes) { bytes.resize(bytes.size() - 9); };
  // The last byte of the values, in the middle of the archive and at the end of the file.
  const auto of_npz = [](std::string& bytes) { bytes[bytes.find("PK\1\2") - 1] ^= 1; };
  const auto last_infinite = [](std::string& bytes) {
    bytes.replace(bytes.size() - 8, 2, "\x7f\xf0");
  };
  for (const Case& each :
       {Case{"a.npz", "'data.npy' is damaged, as its check sum differs", of_npz},
        Case{"a.npz", "is cut off or damaged", cut}, Case{"a.petsc", "is cut off", cut},
        Case{"a.petsc", "entry 792, counted from 0, is not finite", last_infinite}}) {
    SCOPED_TRACE(each.words);
    const SharedFile file(team, "", each.ending);
    if (team.rank() == 0) {
      write_matrix(file.path(), matrix, "");
      std::ifstream stream(file.path(), std::ios::binary);
      std::string bytes(std::istreambuf_iterator<char>(stream), {});
      stream.close();
      each.damage(bytes);
      std::ofstream(file.path(), std::ios::binary) << bytes;
    }
    wait_for_all(team);
    try {
      read_in_bands(team, {file.path()});
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.scope(), Scope::every_rank);
      EXPECT_NE(std::string(error.what()).find(each.words), std::string::npos) << error.what();
    }
  }
}

TEST(ReadInBands, GeneratedMatrices) {
  MpiTeam team;
  for (const char* spec :
       {"grid2d:13", "grid3d27:4:2", "power_law:300:5:seed=4", "tridiagonal:9",
        "random_sparse:40:25:3", "random_dense:11", "hilbert:6", "gfpp:12", "tridiagonal:1"}) {
    SCOPED_TRACE(spec);
    for (const Index by : {0, 1, -3, 100}) {
      expect_same_as_serial(team, {spec, by, BandsChoice::automatic});
      expect_same_as_serial(team, {spec, by, BandsChoice::nonzeros});
    }
  }
}

TEST(ReadInBands, RealFormsOfComplexMatrices) {
  MpiTeam team;
  const auto expect_rows = [&](const std::string& name) {
    for (const Index by : {0, 1, -2}) {
      for (const Index piece : {1, 13, 1 << 20}) {
        expect_same_as_serial(team, {name, by, BandsChoice::rows, piece, 2});
      }
    }
  };
  for (const char* const words : {"general", "symmetric", "hermitian", "skew-symmetric"}) {
    SCOPED_TRACE(words);
    const SharedFile file(team, fmt::format("%%MatrixMarket matrix coordinate complex {}\n5 5 4\n"
                                            "3 1 1 -2\n5 2 0 1\n3 1 .5 4\n5 4 -1 0\n",
                                            words));
    expect_rows(file.path());
  }
  const SharedFile npz(team, "", "a.npz");
  if (team.rank() == 0) write_matrix(npz.path(), load_real_form("zhelm2d:4").rows, "", true);
  wait_for_all(team);
  expect_rows(npz.path());
  expect_rows("magnetic2d:3");
}

/// The words of the serial reader.
std::string serial_error(const std::string& path) {
  try {
    load_real_form(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ReadInBands, ErrorsInTheWordsOfTheSerialReader) {
  MpiTeam team;
  for (const char* text : {
           "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 x\n3 3 1\n",
           "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n",
           "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 1\n3 3 1\n1 3 x\n",
           "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n4 2 1\n3 3 1\n1 3 x\n",
           "%%MatrixMarket matrix coordinate real general\n3 3 99999999\n1 1 1\n",
           "%%MatrixMarket matrix coordinate complex general\n3 3 2\n1 1 1 1\n2 2 1\n",
           "%%MatrixMarket matrix coordinate complex general\n3 3 2\n3 1 1 1e308\n3 1 1 1e308\n",
           "%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n3 1 1 1\n2 2 1 3\n",
           "%%MatrixMarket matrix coordinate real general\n5 5 3\n1 1 1\n5 3 1e308\n5 3 1e308\n",
       }) {
    SCOPED_TRACE(text);
    const SharedFile file(team, text);
    const std::string expected = serial_error(file.path());
    for (const Index piece : {1, 7, 1 << 20}) {
      try {
        read_in_bands(team, {file.path(), 2, BandsChoice::automatic, piece});
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input);
        EXPECT_EQ(error.scope(), Scope::every_rank);
        const std::string said = error.what();
        EXPECT_EQ(said.substr(0, said.find(" (rank ")), expected);
      }
    }
  }
}

TEST(ReadInBands, WhatOnlyTheSerialReaderTakes) {
  MpiTeam team;
  for (const auto& [text, words] : {
           std::pair{"%%MatrixMarket matrix array real general\n1 1\n5\n", "this is an array"},
           std::pair{"\x1f\x8b\x08 and so on", "not compressed"},
           std::pair{"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 2 1\n3 1 1\n",
                     "one triangle"},
       }) {
    const SharedFile file(team, text);
    try {
      read_in_bands(team, {file.path()});
      ADD_FAILURE() << "no error: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      EXPECT_EQ(error.scope(), Scope::every_rank);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("matrix.reader=serial"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace spsolve::test
