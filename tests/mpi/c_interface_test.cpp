#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve_mpi.h>

namespace {

/// A solver in C over all ranks, of a matrix that rank 0 has.
class CInterfaceOverRanks : public testing::Test {
 protected:
  static constexpr std::int64_t n = 200;

  void SetUp() override {
    ASSERT_EQ(spsolve_ranks_of(MPI_COMM_WORLD, &ranks), SPSOLVE_OK);
    last = spsolve_ranks_rank(ranks) == spsolve_ranks_size(ranks) - 1;
    if (spsolve_ranks_rank(ranks) == 0) {
      ASSERT_EQ(spsolve_matrix_load("tridiagonal:200", &matrix), SPSOLVE_OK);
    }
    ASSERT_EQ(spsolve_solver_create_over(ranks, matrix, nullptr, &solver), SPSOLVE_OK);
    ASSERT_EQ(spsolve_solver_own_rows(solver, &first, &end), SPSOLVE_OK);
    x.assign(static_cast<std::size_t>(end - first), 0.0);
  }
  void TearDown() override {
    spsolve_solver_free(solver);
    spsolve_matrix_free(matrix);
    spsolve_ranks_free(ranks);
  }

  spsolve_ranks* ranks = nullptr;
  spsolve_matrix* matrix = nullptr;
  spsolve_solver* solver = nullptr;
  std::int64_t first = 0, end = 0;
  bool last = false;  // of the ranks
  std::vector<double> x;
};

TEST_F(CInterfaceOverRanks, SolvesWithTheRowsOfEach) {
  // (-1, 2, -1) times ones: 1 in the first and the last row, 0 between them.
  std::vector<double> b(x.size());
  for (std::int64_t i = first; i < end; ++i) b[i - first] = i == 0 || i == n - 1 ? 1 : 0;
  spsolve_trust trust;
  EXPECT_EQ(spsolve_solver_solve(solver, 0, 1, b.data(), x.data(), &trust), SPSOLVE_OK);
  for (const double value : x) EXPECT_NEAR(value, 1, 1e-10);
  EXPECT_LT(trust.backward_error, 1e-15);
}

TEST_F(CInterfaceOverRanks, SolvesComplexSystems) {
  spsolve_matrix* complex_matrix = nullptr;
  if (matrix != nullptr) {
    ASSERT_EQ(spsolve_matrix_load("magnetic2d:5", &complex_matrix), SPSOLVE_OK);
  }
  spsolve_solver* by = nullptr;
  ASSERT_EQ(spsolve_solver_create_over(ranks, complex_matrix, nullptr, &by), SPSOLVE_OK);
  std::int64_t from = 0, to = 0;
  ASSERT_EQ(spsolve_solver_own_rows(by, &from, &to), SPSOLVE_OK);
  // Of the inverse of a Hermitian positive definite A, with 4 on its diagonal.
  const auto size = static_cast<std::size_t>(2 * (to - from));
  std::vector<double> b(size), y(size);
  if (from <= 12 && 12 < to) b[2 * (12 - from)] = 1;
  EXPECT_EQ(spsolve_solver_solve_z(by, 0, 1, b.data(), y.data(), nullptr), SPSOLVE_OK);
  EXPECT_EQ(spsolve_solver_solve_z(by, 2, 1, b.data(), b.data(), nullptr), SPSOLVE_OK);
  for (std::size_t k = 0; k < size; ++k) EXPECT_NEAR(b[k], y[k], 1e-14);  // Hermitian
  if (from <= 12 && 12 < to) {
    EXPECT_GT(y[2 * (12 - from)], 0.25);
    EXPECT_NEAR(y[2 * (12 - from) + 1], 0, 1e-15);
  }
  spsolve_solver_free(by);
  spsolve_matrix_free(complex_matrix);
}

/// Own rows of (-1, 2, -1), with integers of 32 bits, of bands that grow with the ranks.
struct OwnRowsOfC {
  std::int64_t first = 0, end = 0;
  std::vector<std::int32_t> offsets{0}, columns;
  std::vector<double> values;
  spsolve_arrays arrays;

  OwnRowsOfC(std::int64_t n, int rank, int size)
      : first(rank * rank * n / (size * size)), end((rank + 1) * (rank + 1) * n / (size * size)) {
    for (std::int64_t i = first; i < end; ++i) {
      for (std::int64_t j = std::max<std::int64_t>(i - 1, 0); j < std::min(i + 2, n); ++j) {
        columns.push_back(static_cast<std::int32_t>(j));
        values.push_back(i == j ? 2 : -1);
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    spsolve_arrays_init(&arrays);
    arrays.offsets_are = arrays.indices_are = SPSOLVE_INT32;
    arrays.rows = end - first;
    arrays.columns = n;
    arrays.offsets = offsets.data();
    arrays.column_indices = columns.data();
    arrays.values = values.data();
  }
};

TEST_F(CInterfaceOverRanks, SolvesAndMultipliesOwnRows) {
  OwnRowsOfC own(n, spsolve_ranks_rank(ranks), spsolve_ranks_size(ranks));
  spsolve_matrix* a = nullptr;
  spsolve_solver* by = nullptr;
  spsolve_product* product = nullptr;
  ASSERT_EQ(spsolve_matrix_from_own_rows(ranks, own.first, &own.arrays, &a), SPSOLVE_OK);
  EXPECT_EQ(spsolve_matrix_rows(a), n);
  EXPECT_EQ(spsolve_matrix_nonzeros(a), 3 * n - 2);
  ASSERT_EQ(spsolve_solver_create_over(ranks, a, nullptr, &by), SPSOLVE_OK);
  ASSERT_EQ(spsolve_product_create_over(ranks, a, nullptr, 1, SPSOLVE_DEVICE_HOST, &product),
            SPSOLVE_OK);
  std::int64_t from = 0, to = 0;
  ASSERT_EQ(spsolve_solver_own_rows(by, &from, &to), SPSOLVE_OK);
  EXPECT_EQ(from, own.first);
  EXPECT_EQ(to, own.end);
  ASSERT_EQ(spsolve_product_own_rows(product, &from, &to), SPSOLVE_OK);
  EXPECT_EQ(to, own.end);
  ASSERT_EQ(spsolve_product_own_rows_of_x(product, &from, &to), SPSOLVE_OK);
  EXPECT_EQ(from, own.first);
  std::vector<double> ones(own.offsets.size() - 1, 1.0), b(ones.size());
  ASSERT_EQ(spsolve_product_apply(product, 1, ones.data(), b.data()), SPSOLVE_OK);
  ASSERT_EQ(spsolve_solver_solve(by, 0, 1, b.data(), b.data(), nullptr), SPSOLVE_OK);
  for (const double value : b) EXPECT_NEAR(value, 1, 1e-10);
  EXPECT_EQ(spsolve_product_apply(product, 1, last ? nullptr : ones.data(), b.data()),
            SPSOLVE_INPUT);
  spsolve_product_free(product);
  spsolve_solver_free(by);
  spsolve_matrix_free(a);
  // What is wrong on one rank is told on all.
  if (last) own.arrays.offsets = nullptr;
  EXPECT_EQ(spsolve_matrix_from_own_rows(ranks, own.first, &own.arrays, &a), SPSOLVE_INPUT);
  EXPECT_NE(std::string(spsolve_last_error()).find("a matrix needs"), std::string::npos);
  own.arrays.offsets = own.offsets.data();
  EXPECT_EQ(spsolve_matrix_from_own_rows(ranks, own.first + (last ? 1 : 0), &own.arrays, &a),
            SPSOLVE_INPUT);
  EXPECT_NE(std::string(spsolve_last_error()).find("leave a gap"), std::string::npos);
  EXPECT_EQ(a, nullptr);
}

TEST_F(CInterfaceOverRanks, WhatIsWrongOnOneRankIsToldOnAll) {
  const double* const b = last ? nullptr : x.data();
  EXPECT_EQ(spsolve_solver_solve(solver, 0, 1, b, x.data(), nullptr), SPSOLVE_INPUT);
  EXPECT_NE(std::string(spsolve_last_error()).find("right-hand sides"), std::string::npos);
  spsolve_solver* none = nullptr;
  EXPECT_EQ(spsolve_solver_create_over(ranks, nullptr, nullptr, &none), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_last_error(), std::string("there is no matrix"));
  EXPECT_EQ(none, nullptr);
  spsolve_options options;
  spsolve_options_init(&options);
  if (last) options.refinement = -1;
  EXPECT_EQ(spsolve_solver_create_over(ranks, matrix, &options, &none), SPSOLVE_INPUT);
  EXPECT_EQ(none, nullptr);
}

}  // namespace
