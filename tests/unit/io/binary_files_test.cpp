#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/reference.hpp"
#include "helpers/test_matrices.hpp"
#include "io/binary/dense_file.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/npz.hpp"
#include "io/binary/petsc.hpp"
#include "io/binary/zip.hpp"
#include "io/dense_source.hpp"
#include "io/matrix_source.hpp"
#include "matrix/compressed_arrays.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using testing::HasSubstr;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename T>
Numbers numbers(const std::vector<T>& values, NumberType type) {
  return {reinterpret_cast<const char*>(values.data()), static_cast<Index>(values.size()), type,
          false};
}

TEST(BinaryFiles, MatricesComeBackAsTheyWere) {
  const test::TemporaryFolder folder;
  for (const char* const spec : {"grid2d:20", "random_dense:7"}) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const char* const file : {"m.npz", "m.petsc", "m.mtx"}) {
      write_matrix(folder / file, matrix, "");
      test::expect_equal(load_matrix(folder / file), matrix);
      const MatrixShape shape = describe_matrix(folder / file);
      EXPECT_EQ(shape.rows, matrix.rows);
      EXPECT_EQ(shape.nonzeros, matrix.nonzeros());
    }
  }
}

TEST(BinaryFiles, ArraysComeBackAsTheyWere) {
  const test::TemporaryFolder folder;
  for (const Index columns : {1, 3}) {
    const Dense<double> array = random_multivector(1000, columns, 3);
    write_dense(folder / "a.npy", array, "");
    EXPECT_EQ(load_dense(folder / "a.npy").values, array.values);
    EXPECT_EQ(describe_dense(folder / "a.npy").columns, columns);
    // Any rows alone.
    const io::DenseFile file(folder / "a.npy");
    std::vector<double> some(static_cast<std::size_t>(17 * columns));
    file.read_rows({40, 57}, some.data());
    EXPECT_EQ(some, std::vector<double>(array.row(40), array.row(57)));
  }
  const Dense<double> vector = random_multivector(10, 1, 3);
  write_dense(folder / "a.petsc", vector, "");
  EXPECT_EQ(load_dense(folder / "a.petsc").values, vector.values);
  EXPECT_THAT(error_of([&] { write_dense(folder / "b.petsc", Dense<double>(2, 2), ""); }),
              HasSubstr("has one column, not 2"));
}

TEST(BinaryFiles, NothingIsLeftOfAFileThatWasNotFinished) {
  const test::TemporaryFolder folder;
  { io::NpyWriter(folder / "a.npy", 3, 1).write(std::vector<double>{1, 2}); }
  EXPECT_TRUE(fs::is_empty(folder / "."));
}

TEST(Zip, NumbersOf64Bits) {
  const test::TemporaryFolder folder;
  const std::string long_text(5000, 'z');
  for (const std::uint64_t large :
       {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 32}) {
    io::ZipWriter archive(folder / "a.zip", large);
    archive.add("short", {"a", "b"});
    archive.add("long", {long_text});
    archive.add("last", {"", "c"});
    archive.commit();
    const std::string bytes = content(folder / "a.zip");
    const auto members = io::zip_members(bytes, "a.zip");
    ASSERT_EQ(members.size(), 3u);
    EXPECT_EQ(members[1].name, "long");
    const std::string name = "a.zip";
    EXPECT_EQ(io::ZipStream(members[0], name).checked(9000), "ab");
    EXPECT_EQ(io::ZipStream(members[2], name).checked(9000), "c");
    io::ZipStream stream(members[1], name);
    EXPECT_EQ(stream.checked(3), "zzz");
    EXPECT_EQ(stream.checked(9000), long_text.substr(3));
    EXPECT_EQ(stream.left(), 0u);
  }
}

TEST(Npy, FrontsAreOfWholeLinesOf64Bytes) {
  for (const std::vector<Index>& shape :
       {std::vector<Index>{}, {5}, {3, 4}, {123456789012, 9876}}) {
    const std::string front = io::npy_front("<f8", true, shape);
    EXPECT_EQ(front.size() % 64, 0u);
    const io::NpyArray array = io::parse_npy_header(front, "a");
    EXPECT_EQ(array.shape, shape);
    EXPECT_TRUE(array.fortran);
    EXPECT_EQ(array.descr, "<f8");
  }
}

TEST(Npy, SizesThatNoArrayHasAreRefused) {
  const auto message = [](const std::vector<Index>& shape) {
    return error_of([&] { io::parse_npy_header(io::npy_front("<f8", false, shape), "a"); });
  };
  EXPECT_THAT(message({Index{1} << 40, Index{1} << 40}), HasSubstr("cannot be"));
  const std::string front = io::npy_front("<f8", false, {Index{1} << 40});
  EXPECT_THAT(error_of([&] { io::parse_npy(front, "a"); }), HasSubstr("a: is cut off"));
}

TEST(Npy, MoreColumnsThanAreCountedAreRefused) {
  // Without a byte of numbers, so that no file of their size is needed.
  const auto refused = [](Index columns, bool fortran) {
    const std::string front = io::npy_front("|i1", fortran, {0, columns});
    return error_of([&] { io::DenseFile(std::string_view(front), "a"); });
  };
  for (const bool fortran : {false, true}) {
    EXPECT_EQ(refused(Index{1} << 31, fortran),
              "a: has 2147483648 columns, and at most 2147483647 are read; transpose or split it");
    EXPECT_THAT(refused((Index{1} << 40) + 5, fortran), HasSubstr("has 1099511627781 columns"));
  }
  const std::string front = io::npy_front("|i1", false, {0, (Index{1} << 31) - 1});
  EXPECT_EQ(io::DenseFile(std::string_view(front), "a").columns(), (Index{1} << 31) - 1);
}

TEST(CompressedArrays, OfEveryType) {
  const std::vector<std::int64_t> offsets{0, 2, 3};
  const std::vector<std::int32_t> indices{2, 0, 1};
  const std::vector<float> values{3, 1, 2};
  CompressedArrays arrays{2,
                          3,
                          numbers(offsets, NumberType::int64),
                          numbers(indices, NumberType::int32),
                          numbers(values, NumberType::float32),
                          false};
  const Csr<double> matrix = csr_from_arrays(arrays, "a");
  EXPECT_EQ(matrix.column_indices, (std::vector<LocalIndex>{0, 2, 1}));
  EXPECT_EQ(matrix.values, (std::vector<double>{1, 3, 2}));
  std::swap(arrays.rows, arrays.columns);
  arrays.by_columns = true;
  const Csr<double> transposed = csr_from_arrays(arrays, "a");
  EXPECT_EQ(transposed.row_offsets, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(transposed.column_indices, (std::vector<LocalIndex>{0, 1, 0}));
  EXPECT_EQ(transposed.values, (std::vector<double>{1, 2, 3}));
}

TEST(CompressedArrays, DuplicatesAreAddedAsFarAsADoubleGoes) {
  const std::vector<std::int64_t> row{0, 1, 0}, column{1, 0, 1};
  std::vector<double> values{3, 1, 2};
  const EntryArrays arrays{2, 2, numbers(row, NumberType::int64),
                           numbers(column, NumberType::int64),
                           numbers(values, NumberType::float64)};
  EXPECT_EQ(csr_from_entries(arrays, "a").values, (std::vector<double>{5, 1}));
  values = {1e308, 1, 1e308};
  EXPECT_THAT(error_of([&] { csr_from_entries(arrays, "a"); }),
              HasSubstr("a: entries that are named more than once add up"));
}

}  // namespace
}  // namespace spsolve
