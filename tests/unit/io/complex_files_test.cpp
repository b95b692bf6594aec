#include <complex>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/test_matrices.hpp"
#include "io/dense_source.hpp"
#include "io/files/gzip.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"

namespace spsolve::test {
namespace {

using Complex = std::complex<double>;

std::string banner(const std::string& words) {
  return "%%MatrixMarket matrix " + words + "\n";
}

/// Expects the real form of a matrix of elements row by row.
void expect_form_of(const Csr<double>& form, const std::vector<std::vector<Complex>>& rows) {
  ASSERT_EQ(form.rows, 2 * std::ssize(rows));
  Dense<double> all(form.rows, form.columns);
  for (Index i = 0; i < form.rows; ++i) {
    for (Index k = form.row_offsets[i]; k < form.row_offsets[i + 1]; ++k) {
      all(i, form.column_indices[k]) = form.values[k];
    }
  }
  for (Index i = 0; i < std::ssize(rows); ++i) {
    ASSERT_EQ(form.columns, 2 * std::ssize(rows[i]));
    for (Index j = 0; j < std::ssize(rows[i]); ++j) {
      const Complex z = rows[i][j];
      EXPECT_EQ(all(2 * i, 2 * j), z.real()) << i << ", " << j;
      EXPECT_EQ(all(2 * i, 2 * j + 1), -z.imag()) << i << ", " << j;
      EXPECT_EQ(all(2 * i + 1, 2 * j), z.imag()) << i << ", " << j;
      EXPECT_EQ(all(2 * i + 1, 2 * j + 1), z.real()) << i << ", " << j;
    }
  }
}

const Complex a{1, 2}, b{3, -4}, c{0, 5}, o{0, 0};

TEST(ComplexFiles, OfEverySymmetryAreMirrored) {
  const TemporaryFolder folder;
  struct Case {
    std::string words, body;
    std::vector<std::vector<Complex>> rows;
  };
  const std::string list = "2 2 3\n1 1 1 0\n2 1 3 -4\n2 2 0 0\n", skew = "2 2 1\n2 1 3 -4\n";
  for (const Case& each :
       {Case{"coordinate complex general",
             "2 2 3\n1 1 1 2\n1 2 0 2.5\n1 2 0 2.5\n",
             {{a, c}, {o, o}}},
        Case{"coordinate complex symmetric", list, {{1, b}, {b, o}}},
        Case{"coordinate complex hermitian", list, {{1, std::conj(b)}, {b, o}}},
        Case{"coordinate complex skew-symmetric", skew, {{o, -b}, {b, o}}},
        Case{"array complex general", "2 2\n1 2\n3 -4\n0 5\n0 0\n", {{a, c}, {b, o}}},
        Case{"array complex symmetric", "2 2\n1 2\n3 -4\n0 5\n", {{a, b}, {b, c}}},
        Case{"array complex hermitian", "2 2\n1 0\n3 -4\n7 0\n", {{1, std::conj(b)}, {b, 7}}},
        Case{"array complex skew-symmetric", "2 2\n3 -4\n", {{o, -b}, {b, o}}}}) {
    SCOPED_TRACE(each.words);
    const std::string text = banner(each.words) + each.body;
    for (const bool gzip : {false, true}) {
      const auto file = folder / (gzip ? "a.mtx.gz" : "a.mtx");
      std::ofstream(file, std::ios::binary) << (gzip ? io::deflate_gzip(text) : text);
      const LoadedMatrix loaded = load_real_form(file);
      EXPECT_EQ(loaded.parts, 2);
      expect_form_of(loaded.rows, each.rows);
      const MatrixShape shape = describe_matrix(file);
      EXPECT_EQ(shape.rows, 4);
      EXPECT_EQ(shape.order(), 2);
      EXPECT_GE(shape.nonzeros, loaded.rows.nonzeros());
      EXPECT_THROW(load_matrix(file), Error);
    }
    // The same as an array of numbers.
    const Dense<double> parts = read_dense(MatrixMarketBytes{text, "a.mtx"});
    ASSERT_EQ(parts.rows, 4);
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < 2; ++j) {
        EXPECT_EQ(Complex(parts(2 * i, j), parts(2 * i + 1, j)), each.rows[i][j]) << i << j;
      }
    }
  }
}

TEST(ComplexFiles, AreWrittenAsTheyAreRead) {
  const TemporaryFolder folder;
  for (const char* const spec : {"zhelm2d:5", "magnetic2d:4"}) {
    const LoadedMatrix whole = load_real_form(spec);
    ASSERT_EQ(whole.parts, 2);
    for (const char* const name : {"a.mtx", "a.mtx.gz", "a.npz", "a.petsc"}) {
      const auto file = folder / name;
      write_matrix(file, whole.rows, "c", true);
      const LoadedMatrix again = load_real_form(file);
      EXPECT_EQ(again.parts, 2);
      EXPECT_EQ(again.rows.row_offsets, whole.rows.row_offsets);
      EXPECT_EQ(again.rows.column_indices, whole.rows.column_indices);
      EXPECT_EQ(again.rows.values, whole.rows.values);
    }
  }
  Dense<double> x(6, 2);
  for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] = static_cast<double>(k) / 8 - 1;
  for (const char* const name : {"x.mtx", "x.npy"}) {
    write_dense(folder / name, x, "", true);
    EXPECT_TRUE(describe_dense(folder / name).is_complex);
    EXPECT_EQ(describe_dense(folder / name).rows, 3);
    EXPECT_EQ(load_dense_parts(folder / name).values, x.values) << name;
    EXPECT_THROW(load_dense(folder / name), Error);
  }
}

TEST(ComplexFiles, ShapesThatCannotBeCountedAreRefused) {
  constexpr Index huge = Index{1} << 62;
  EXPECT_EQ(of_real_form({.rows = 3, .columns = 2, .entries = 4, .nonzeros = 5}).nonzeros, 20);
  for (const MatrixShape& shape :
       {MatrixShape{.rows = huge}, MatrixShape{.columns = huge}, MatrixShape{.columns = 1 << 30},
        MatrixShape{.entries = huge}, MatrixShape{.nonzeros = huge}}) {
    EXPECT_THROW(of_real_form(shape), Error);
  }
}

TEST(ComplexFiles, HermitianArraysHaveARealDiagonal) {
  const std::string text = banner("array complex hermitian") + "2 2\n1 0\n3 -4\n7 1\n";
  const MatrixMarketBytes file{text, "a.mtx"};
  const auto says = testing::HasSubstr("row 2, column 2 of a hermitian matrix");
  for (const auto& read : {std::function([&] { read_matrix_market(file); }),
                           std::function([&] { read_dense(file); })}) {
    try {
      read();
      ADD_FAILURE() << "read";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), says);
    }
  }
}

TEST(RealForm, HasItsPartsAndItsKinds) {
  const LoadedMatrix symmetric = load_real_form("zhelm2d:6"),
                     hermitian = load_real_form("magnetic2d:6");
  const ComplexParts parts = parts_of(symmetric.rows);
  const Csr<double> again = real_form(parts.s, parts.t);
  EXPECT_EQ(again.column_indices, symmetric.rows.column_indices);
  EXPECT_EQ(again.values, symmetric.rows.values);
  EXPECT_TRUE(symmetry_of(hermitian.rows).symmetric);
  EXPECT_FALSE(symmetry_of(symmetric.rows).symmetric);
  EXPECT_EQ(analyse_complex(symmetric.rows).complex_kind, "complex, symmetric");
  EXPECT_EQ(analyse_complex(hermitian.rows).complex_kind, "complex, Hermitian");
  EXPECT_EQ(analyse_complex(hermitian.rows).largest, 4);
  Dense<double> x(4, 3);
  for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] = static_cast<double>(k);
  EXPECT_EQ(stacked(in_pairs(x)).values, x.values);
  EXPECT_EQ(in_pairs(x)(1, 2 * 2 + 1), x(3, 2));
}

}  // namespace
}  // namespace spsolve::test
