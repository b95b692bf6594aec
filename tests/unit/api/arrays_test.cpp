// Matrices from arrays of the caller's, in C++ and in C.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spsolve/spsolve.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"

namespace spsolve::test {
namespace {

using Complex = std::complex<double>;
using testing::ElementsAre;
using testing::HasSubstr;

//     [ 4  1  0 ]
// A = [ 1  5  2 ]
//     [ 0  2  6 ]
const std::vector<int> full_offsets{0, 2, 5, 7}, lower_offsets{0, 1, 3, 5};
const std::vector<int> full_columns{0, 1, 0, 1, 2, 1, 2}, lower_columns{0, 0, 1, 1, 2};
const std::vector<int> upper_offsets{0, 2, 4, 5}, upper_columns{0, 1, 1, 2, 2};
const std::vector<double> full_values{4, 1, 1, 5, 2, 2, 6}, triangle{4, 1, 5, 2, 6};

std::vector<double> values_of(const Matrix& a) {
  return {a.values().begin(), a.values().end()};
}

TEST(MatrixOfArrays, TakesRowsColumnsAndEntriesOfAnyWidth) {
  const std::vector<std::int64_t> wide(full_offsets.begin(), full_offsets.end());
  const std::vector<float> narrow(full_values.begin(), full_values.end());
  EXPECT_EQ(values_of(Matrix::from_rows(3, 3, full_offsets, full_columns, full_values)),
            full_values);
  EXPECT_EQ(values_of(Matrix::from_rows(3, 3, wide, full_columns, narrow)), full_values);
  EXPECT_EQ(values_of(Matrix::from_columns(3, 3, full_offsets, full_columns, full_values)),
            full_values);
  const std::vector<int> two{0, 2, 3}, rows{1, 0, 1};
  const std::vector<double> few{3, 1, 2};
  // [ 1 0 ]
  // [ 3 2 ]
  const Matrix a = Matrix::from_columns(2, 2, two, rows, few);
  EXPECT_THAT(values_of(a), ElementsAre(1, 3, 2));
  const std::vector<std::int32_t> i{1, 0, 1, 1}, j{0, 0, 1, 0};
  const std::vector<std::complex<float>> entries{{3, 1}, {1, 0}, {2, 0}, {0, 1}};
  EXPECT_THAT(Matrix::from_entries(2, 2, i, j, entries).complex_values(),
              ElementsAre(Complex(1), Complex(3, 2), Complex(2)));
}

TEST(MatrixOfArrays, IsMadeWholeOfOneTriangle) {
  EXPECT_EQ(values_of(Matrix::from_rows(3, 3, lower_offsets, lower_columns, triangle,
                                        Symmetry::symmetric)),
            full_values);
  EXPECT_EQ(values_of(Matrix::from_rows(3, 3, upper_offsets, upper_columns, triangle,
                                        Symmetry::symmetric)),
            full_values);
  EXPECT_EQ(values_of(Matrix::from_columns(3, 3, lower_offsets, lower_columns, triangle,
                                           Symmetry::symmetric)),
            full_values);
  const std::vector<int> i{1, 0}, j{0, 0};
  const std::vector<double> skew{3, 0};
  EXPECT_THAT(values_of(Matrix::from_entries(2, 2, i, j, skew, Symmetry::skew_symmetric)),
              ElementsAre(0, -3, 3));
  const std::vector<Complex> complex{{1, 2}, {3, 0}};
  const auto mirrored = [&](Symmetry symmetry) {
    return Matrix::from_entries(2, 2, i, j, complex, symmetry).complex_values();
  };
  EXPECT_THAT(mirrored(Symmetry::symmetric), ElementsAre(Complex(3), Complex(1, 2), Complex(1, 2)));
  EXPECT_THAT(mirrored(Symmetry::hermitian),
              ElementsAre(Complex(3), Complex(1, -2), Complex(1, 2)));
  const std::vector<Complex> skew_complex{{1, 2}, {0, 0}};
  EXPECT_THAT(
      Matrix::from_entries(2, 2, i, j, skew_complex, Symmetry::skew_symmetric).complex_values(),
      ElementsAre(Complex(0), Complex(-1, -2), Complex(1, 2)));
}

TEST(MatrixOfArrays, IsRefusedWhereTheyContradictEachOther) {
  const auto refused = [](const auto& make) { return error_of(make); };
  EXPECT_THAT(refused([] { Matrix::from_rows(2, 3, full_offsets, full_columns, full_values); }),
              HasSubstr("there are 4 offsets"));
  EXPECT_THAT(refused([] {
                Matrix::from_rows(std::numeric_limits<Index>::max(), 3, full_offsets, full_columns,
                                  full_values);
              }),
              HasSubstr("offsets"));
  EXPECT_THAT(refused([] { Matrix::from_rows(3, 3, full_offsets, full_columns, triangle); }),
              HasSubstr("5 values for 7"));
  EXPECT_THAT(refused([] { Matrix::from_rows(3, 2, full_offsets, full_columns, full_values); }),
              HasSubstr("column index 2"));
  EXPECT_THAT(refused([] { Matrix::from_columns(2, 3, full_offsets, full_columns, full_values); }),
              HasSubstr("row index 2"));
  EXPECT_THAT(refused([] { Matrix::from_rows(-1, 2, full_offsets, full_columns, full_values); }),
              HasSubstr("cannot be"));
  EXPECT_THAT(refused([] {
                Matrix::from_rows(3, 3, full_offsets, full_columns, full_values,
                                  Symmetry::symmetric);
              }),
              HasSubstr("row 1, column 0 and row 0, column 1"));
  EXPECT_THAT(refused([] {
                Matrix::from_rows(3, 4, lower_offsets, lower_columns, triangle,
                                  Symmetry::symmetric);
              }),
              HasSubstr("of a square matrix"));
  const std::vector<int> i{0}, j{0};
  EXPECT_THAT(refused([&] {
                Matrix::from_entries(1, 1, i, j, std::vector<double>{2}, Symmetry::skew_symmetric);
              }),
              HasSubstr("not zero"));
  EXPECT_THAT(refused([&] {
                Matrix::from_entries(1, 1, i, j, std::vector<Complex>{{2, 1}}, Symmetry::hermitian);
              }),
              HasSubstr("not real"));
}

/// The lower triangle in arrays of C.
spsolve_arrays lower_triangle() {
  spsolve_arrays arrays;
  spsolve_arrays_init(&arrays);
  arrays.symmetry = SPSOLVE_SYMMETRIC;
  arrays.offsets_are = arrays.indices_are = SPSOLVE_INT32;
  arrays.rows = arrays.columns = 3;
  arrays.offsets = lower_offsets.data();
  arrays.column_indices = lower_columns.data();
  arrays.values = triangle.data();
  return arrays;
}

/// The first column of the inverse.
std::vector<double> solved(const spsolve_arrays& arrays) {
  spsolve_matrix* a = nullptr;
  spsolve_solver* solver = nullptr;
  EXPECT_EQ(spsolve_matrix_from_arrays(&arrays, &a), SPSOLVE_OK) << spsolve_last_error();
  EXPECT_EQ(spsolve_matrix_nonzeros(a), 7);
  EXPECT_EQ(spsolve_solver_create(a, nullptr, &solver), SPSOLVE_OK) << spsolve_last_error();
  std::vector<double> x{1, 0, 0};
  EXPECT_EQ(spsolve_solver_solve(solver, 0, 1, x.data(), x.data(), nullptr), SPSOLVE_OK);
  spsolve_solver_free(solver);
  spsolve_matrix_free(a);
  return x;
}

TEST(ArraysOfC, AreTakenInAnyStorage) {
  const std::vector<double> x = solved(lower_triangle());
  EXPECT_NEAR(4 * x[0] + x[1], 1, 1e-14);
  EXPECT_NEAR(2 * x[1] + 6 * x[2], 0, 1e-14);
  spsolve_arrays arrays = lower_triangle();  // by columns it is the upper triangle
  arrays.storage = SPSOLVE_BY_COLUMNS;
  arrays.row_indices = arrays.column_indices;
  arrays.column_indices = nullptr;
  EXPECT_EQ(solved(arrays), x);
  const std::vector<std::int64_t> i{0, 1, 1, 2, 2}, j{0, 0, 1, 1, 2};
  const std::vector<float> narrow(triangle.begin(), triangle.end());
  arrays.storage = SPSOLVE_BY_ENTRIES;
  arrays.indices_are = SPSOLVE_INT64;
  arrays.values_are = SPSOLVE_REAL32;
  arrays.offsets = nullptr;
  arrays.entries = 5;
  arrays.row_indices = i.data();
  arrays.column_indices = j.data();
  arrays.values = narrow.data();
  EXPECT_EQ(solved(arrays), x);
}

TEST(ArraysOfC, AreRefusedInASentence) {
  const auto refused = [](const auto& change) -> std::string {
    spsolve_arrays arrays = lower_triangle();
    change(arrays);
    auto* a = reinterpret_cast<spsolve_matrix*>(&arrays);
    EXPECT_EQ(spsolve_matrix_from_arrays(&arrays, &a), SPSOLVE_INPUT);
    EXPECT_EQ(a, nullptr);
    return spsolve_last_error();
  };
  const char* const needs = "a matrix needs sizes";
  EXPECT_THAT(refused([](auto& arrays) { arrays.size = 8; }), HasSubstr("arrays of 8 bytes"));
  EXPECT_THAT(refused([](auto& arrays) { arrays.rows = -1; }), HasSubstr(needs));
  EXPECT_THAT(refused([](auto& arrays) { arrays.offsets = nullptr; }), HasSubstr(needs));
  EXPECT_THAT(refused([](auto& arrays) { arrays.column_indices = nullptr; }), HasSubstr(needs));
  EXPECT_THAT(refused([](auto& arrays) { arrays.values = nullptr; }), HasSubstr(needs));
  EXPECT_THAT(refused([](auto& arrays) { arrays.rows = std::numeric_limits<Index>::max(); }),
              HasSubstr(needs));
  EXPECT_THAT(refused([](auto& arrays) {
                arrays.storage = SPSOLVE_BY_ENTRIES;
                arrays.entries = -5;
              }),
              HasSubstr(needs));
  EXPECT_THAT(refused([](auto& arrays) { arrays.storage = static_cast<spsolve_storage>(3); }),
              HasSubstr("the option storage is 3"));
  EXPECT_THAT(refused([](auto& arrays) { arrays.symmetry = static_cast<spsolve_symmetry>(4); }),
              HasSubstr("the option symmetry is 4"));
  EXPECT_THAT(refused([](auto& arrays) { arrays.values_are = static_cast<spsolve_numbers>(9); }),
              HasSubstr("the option values_are is 9"));
  spsolve_matrix* a = nullptr;
  EXPECT_EQ(spsolve_matrix_from_arrays(nullptr, &a), SPSOLVE_INPUT);
  const spsolve_arrays arrays = lower_triangle();
  EXPECT_EQ(spsolve_matrix_from_arrays(&arrays, nullptr), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_matrix_from_own_rows(nullptr, 0, nullptr, &a), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_matrix_from_own_rows(nullptr, 1, &arrays, &a), SPSOLVE_INPUT);
  EXPECT_THAT(spsolve_last_error(), HasSubstr("leave a gap"));
  EXPECT_EQ(spsolve_matrix_from_own_rows(nullptr, -1, &arrays, &a), SPSOLVE_INPUT);
}

TEST(ArraysOfC, LieWhereProgramsKnowThem) {
  EXPECT_EQ(offsetof(spsolve_arrays, storage), 8);
  EXPECT_EQ(offsetof(spsolve_arrays, values_are), 24);
  EXPECT_EQ(offsetof(spsolve_arrays, rows), 32);
  EXPECT_EQ(offsetof(spsolve_arrays, offsets), 56);
  EXPECT_EQ(offsetof(spsolve_arrays, values), 80);
  EXPECT_EQ(sizeof(spsolve_arrays), 88);
}

}  // namespace
}  // namespace spsolve::test
