#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spsolve/spsolve.h>

namespace {

/// That a call was refused with a sentence, which is not that of the call before.
#define EXPECT_REFUSED(call)                                 \
  do {                                                       \
    EXPECT_EQ(call, SPSOLVE_INPUT) << #call;                 \
    const std::string said = spsolve_last_error();           \
    EXPECT_GT(said.size(), 10u) << #call;                    \
    EXPECT_NE(spsolve_matrix_load(":", &other), SPSOLVE_OK); \
    EXPECT_NE(said, spsolve_last_error()) << #call;          \
  } while (false)

/// A matrix, a solver and a product with it, and arrays of its size.
class CInterface : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(spsolve_matrix_load("tridiagonal:5", &matrix), SPSOLVE_OK);
    ASSERT_EQ(spsolve_solver_create(matrix, nullptr, &solver), SPSOLVE_OK);
    ASSERT_EQ(spsolve_product_create(matrix, nullptr, 1, SPSOLVE_DEVICE_HOST, &product),
              SPSOLVE_OK);
  }
  void TearDown() override {
    spsolve_product_free(product);
    spsolve_solver_free(solver);
    spsolve_matrix_free(matrix);
  }

  spsolve_matrix *matrix = nullptr, *other = nullptr;
  spsolve_solver* solver = nullptr;
  spsolve_product* product = nullptr;
  std::vector<double> x = std::vector<double>(5, 1.0), b = std::vector<double>(5);
};

TEST_F(CInterface, WhereThereIsNothingItSaysSo) {
  const std::int64_t offsets[] = {0, 1}, columns[] = {0};
  const double values[] = {1};
  EXPECT_REFUSED(spsolve_matrix_load(nullptr, &other));
  EXPECT_REFUSED(spsolve_matrix_load("tridiagonal:5", nullptr));
  EXPECT_REFUSED(spsolve_matrix_from_rows(1, 1, nullptr, columns, values, &other));
  EXPECT_REFUSED(spsolve_matrix_from_rows(1, 1, offsets, nullptr, values, &other));
  EXPECT_REFUSED(spsolve_matrix_from_rows(1, 1, offsets, columns, nullptr, &other));
  EXPECT_REFUSED(spsolve_matrix_from_rows(1, 1, offsets, columns, values, nullptr));
  EXPECT_REFUSED(spsolve_matrix_from_rows(-1, 1, offsets, columns, values, &other));
  spsolve_solver* none = nullptr;
  EXPECT_REFUSED(spsolve_solver_create(nullptr, nullptr, &none));
  EXPECT_REFUSED(spsolve_solver_create(matrix, nullptr, nullptr));
  EXPECT_REFUSED(spsolve_solver_solve(nullptr, 0, 1, b.data(), x.data(), nullptr));
  EXPECT_REFUSED(spsolve_solver_solve(solver, 0, 1, nullptr, x.data(), nullptr));
  EXPECT_REFUSED(spsolve_solver_solve(solver, 0, 1, b.data(), nullptr, nullptr));
  EXPECT_REFUSED(spsolve_solver_solve(solver, 0, -1, b.data(), x.data(), nullptr));
  EXPECT_REFUSED(spsolve_solver_create_over(nullptr, nullptr, nullptr, &none));
  std::int64_t first = 7, end = 7;
  EXPECT_REFUSED(spsolve_solver_own_rows(nullptr, &first, &end));
  EXPECT_REFUSED(spsolve_solver_own_rows(solver, nullptr, &end));
  EXPECT_REFUSED(spsolve_solver_own_rows(solver, &first, nullptr));
  EXPECT_REFUSED(spsolve_solver_set_values(nullptr, 1, values));
  EXPECT_REFUSED(spsolve_solver_set_values(solver, 13, nullptr));
  EXPECT_REFUSED(spsolve_solver_set_values(solver, 1, values));
  EXPECT_REFUSED(spsolve_solver_set_shifts(nullptr, 0, nullptr, 1, values));
  EXPECT_REFUSED(spsolve_solver_set_shifts(solver, 0, nullptr, 5, nullptr));
  EXPECT_REFUSED(spsolve_solver_set_shifts(solver, 0, nullptr, 1, values));
  EXPECT_REFUSED(spsolve_solver_set_shifts(solver, 13, nullptr, 5, x.data()));
  spsolve_inertia inertia;
  EXPECT_REFUSED(spsolve_solver_inertia(nullptr, &inertia, 0, nullptr));
  EXPECT_REFUSED(spsolve_solver_inertia(solver, nullptr, 0, nullptr));
  EXPECT_REFUSED(spsolve_solver_inertia(solver, &inertia, -1, nullptr));
  spsolve_product* without = nullptr;
  EXPECT_REFUSED(spsolve_product_create(nullptr, nullptr, 1, SPSOLVE_DEVICE_HOST, &without));
  EXPECT_REFUSED(spsolve_product_create(matrix, nullptr, 1, SPSOLVE_DEVICE_HOST, nullptr));
  EXPECT_REFUSED(spsolve_product_create(matrix, "no_such", 1, SPSOLVE_DEVICE_HOST, &without));
  EXPECT_REFUSED(spsolve_product_apply(nullptr, 1, x.data(), b.data()));
  EXPECT_REFUSED(spsolve_product_apply(product, 1, nullptr, b.data()));
  EXPECT_REFUSED(spsolve_product_apply(product, 1, x.data(), nullptr));
}

TEST_F(CInterface, NumbersOfNoMatrixAndNotesOfNoSolver) {
  EXPECT_EQ(spsolve_matrix_rows(nullptr), -1);
  EXPECT_EQ(spsolve_last_error(), std::string("there is no matrix"));
  EXPECT_EQ(spsolve_matrix_columns(nullptr), -1);
  EXPECT_EQ(spsolve_matrix_nonzeros(nullptr), -1);
  EXPECT_EQ(spsolve_solver_notes(nullptr), std::string());
  spsolve_options_init(nullptr);
  spsolve_matrix_free(nullptr);
  spsolve_solver_free(nullptr);
  spsolve_product_free(nullptr);
}

TEST_F(CInterface, NoRanksAreThisProcessAlone) {
  EXPECT_EQ(spsolve_ranks_rank(nullptr), 0);
  EXPECT_EQ(spsolve_ranks_size(nullptr), 1);
  spsolve_ranks_free(nullptr);
  spsolve_solver* alone = nullptr;
  ASSERT_EQ(spsolve_solver_create_over(nullptr, matrix, nullptr, &alone), SPSOLVE_OK);
  std::int64_t first = -1, end = -1;
  ASSERT_EQ(spsolve_solver_own_rows(alone, &first, &end), SPSOLVE_OK);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(end, 5);
  std::vector<double> again(5);
  EXPECT_EQ(spsolve_solver_solve(alone, 0, 1, x.data(), again.data(), nullptr), SPSOLVE_OK);
  EXPECT_EQ(spsolve_solver_solve(solver, 0, 1, x.data(), b.data(), nullptr), SPSOLVE_OK);
  EXPECT_EQ(again, b);
  spsolve_solver_free(alone);
}

TEST_F(CInterface, ShiftsAndInertia) {
  const std::vector<double> shifts{-9, -9, 9, 9, -9};
  ASSERT_EQ(spsolve_solver_set_shifts(solver, 0, nullptr, 5, shifts.data()), SPSOLVE_OK);
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_SPARSE_LDLT;
  spsolve_solver* indefinite = nullptr;
  ASSERT_EQ(spsolve_solver_create(matrix, &options, &indefinite), SPSOLVE_OK);
  ASSERT_EQ(spsolve_solver_set_shifts(indefinite, 0, nullptr, 5, shifts.data()), SPSOLVE_OK);
  spsolve_inertia inertia{};
  ASSERT_EQ(spsolve_solver_inertia(indefinite, &inertia, 0, nullptr), SPSOLVE_OK);
  EXPECT_EQ(inertia.certainty, SPSOLVE_CERTAIN);
  EXPECT_EQ(inertia.positive, 2);
  EXPECT_EQ(inertia.negative, 3);
  EXPECT_EQ(inertia.zero, 0);
  // (1 1; 1 1) twice, and (1).
  const std::vector<double> singular{1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1};
  EXPECT_EQ(spsolve_solver_set_values(indefinite, 13, singular.data()), SPSOLVE_NOT_TRUSTWORTHY);
  std::int64_t rows[] = {-1, -1, -1};
  ASSERT_EQ(spsolve_solver_inertia(indefinite, &inertia, 3, rows), SPSOLVE_OK);
  EXPECT_NE(inertia.certainty, SPSOLVE_CERTAIN);
  EXPECT_EQ(inertia.zero, 2);
  EXPECT_LT(rows[0], 2);
  EXPECT_GE(rows[1], 2);
  EXPECT_EQ(rows[2], -1);
  const std::vector<double> little(5, 1.0);
  ASSERT_EQ(spsolve_solver_set_shifts(indefinite, 13, singular.data(), 5, little.data()),
            SPSOLVE_OK);
  ASSERT_EQ(spsolve_solver_inertia(indefinite, &inertia, 0, nullptr), SPSOLVE_OK);
  EXPECT_EQ(inertia.positive, 5);
  spsolve_solver_free(indefinite);
}

TEST_F(CInterface, WhatFailsLeavesNoObject) {
  auto* const somewhere = reinterpret_cast<spsolve_matrix*>(x.data());
  spsolve_matrix* made = somewhere;
  EXPECT_EQ(spsolve_matrix_load(nullptr, &made), SPSOLVE_INPUT);
  EXPECT_EQ(made, nullptr);
  made = somewhere;
  EXPECT_EQ(spsolve_matrix_load("no/such/file.mtx", &made), SPSOLVE_INPUT);
  EXPECT_EQ(made, nullptr);
  made = somewhere;
  EXPECT_EQ(spsolve_matrix_from_rows(-1, 0, nullptr, nullptr, nullptr, &made), SPSOLVE_INPUT);
  EXPECT_EQ(made, nullptr);
  spsolve_options options;
  spsolve_options_init(&options);
  options.refinement = -1;
  auto* solved = reinterpret_cast<spsolve_solver*>(x.data());
  EXPECT_EQ(spsolve_solver_create(matrix, &options, &solved), SPSOLVE_INPUT);
  EXPECT_EQ(solved, nullptr);
  spsolve_options_init(&options);
  options.systems = 0;
  EXPECT_REFUSED(spsolve_solver_create(matrix, &options, &solved));
  auto* multiplied = reinterpret_cast<spsolve_product*>(x.data());
  EXPECT_EQ(spsolve_product_create(matrix, nullptr, -1, SPSOLVE_DEVICE_HOST, &multiplied),
            SPSOLVE_INPUT);
  EXPECT_EQ(multiplied, nullptr);
  EXPECT_REFUSED(
      spsolve_product_create(matrix, nullptr, 1, static_cast<spsolve_device>(3), &multiplied));
}

TEST_F(CInterface, OptionsOfOtherSizesAndRangesAreRefused) {
  const auto refused = [&](const auto& change, const char* word) {
    spsolve_options options;
    spsolve_options_init(&options);
    change(options);
    spsolve_solver* none = nullptr;
    EXPECT_EQ(spsolve_solver_create(matrix, &options, &none), SPSOLVE_INPUT);
    EXPECT_THAT(spsolve_last_error(), testing::HasSubstr(word));
    EXPECT_EQ(none, nullptr);
  };
  refused([](auto& o) { o.size = 0; }, "spsolve_options_init() sets the size");
  refused([](auto& o) { ++o.size; }, "newer than the library");
  refused([](auto& o) { o.method = static_cast<spsolve_method>(14); }, "method is 14");
  refused([](auto& o) { o.ordering = static_cast<spsolve_ordering>(7); }, "ordering is 7");
  refused([](auto& o) { o.equilibrate = static_cast<spsolve_switch>(3); }, "equilibrate is 3");
  refused([](auto& o) { o.restart = 0; }, "solve.restart");
  refused([](auto& o) { o.time_limit = -1; }, "solve.time_limit");
  refused([](auto& o) { o.tolerance = std::nan(""); }, "solve.tolerance");
  refused([](auto& o) { o.block = -2; }, "solve.block");
  refused([](auto& o) { o.systems = 0; }, "Options::systems");
  refused(
      [&](auto& o) {
        o.first_guess = x.data();
        o.guessed_columns = -1;
      },
      "first_guess cannot be an array of 5 x -1");
}

TEST_F(CInterface, OptionsOfANewerProgramAreRefused) {
  struct Newer {
    spsolve_options known;
    double later;
  } newer;
  newer.later = 1;
  spsolve_options_init_sized(&newer.known, sizeof newer);
  EXPECT_EQ(newer.known.size, sizeof newer);
  EXPECT_EQ(newer.later, 0);
  EXPECT_EQ(newer.known.restart, 30);
  spsolve_solver* none = nullptr;
  EXPECT_EQ(spsolve_solver_create(matrix, &newer.known, &none), SPSOLVE_INPUT);
  EXPECT_THAT(spsolve_last_error(), testing::HasSubstr("newer than the library"));
}

TEST_F(CInterface, OptionsReachTheSolver) {
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_CG;
  options.first_guess = x.data();
  options.guessed_columns = 1;
  std::vector<double> solution(5);
  ASSERT_EQ(spsolve_solver_solve(solver, 0, 1, b.data(), solution.data(), nullptr), SPSOLVE_OK);
  options.first_guess = solution.data();
  options.iterations = 1;
  options.condition = 0;
  options.accept = SPSOLVE_ACCEPT_RESIDUAL;
  spsolve_solver* guided = nullptr;
  ASSERT_EQ(spsolve_solver_create(matrix, &options, &guided), SPSOLVE_OK) << spsolve_last_error();
  std::vector<double> again(5);
  EXPECT_EQ(spsolve_solver_solve(guided, 0, 1, b.data(), again.data(), nullptr), SPSOLVE_OK)
      << spsolve_last_error();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(again[i], solution[i], 1e-14);
  spsolve_solver_free(guided);
}

TEST_F(CInterface, APreconditionerByItself) {
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_CG;
  options.preconditioner = SPSOLVE_PRECONDITIONER_JACOBI;
  spsolve_solver* iterating = nullptr;
  ASSERT_EQ(spsolve_solver_create(matrix, &options, &iterating), SPSOLVE_OK);
  const std::vector<double> right{2, 4, 6, 8, 10};
  ASSERT_EQ(spsolve_solver_precondition(iterating, 0, 1, right.data(), x.data()), SPSOLVE_OK);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(x[i], x[0] * static_cast<double>(i + 1));
  EXPECT_NE(x[0], 0);
  EXPECT_REFUSED(spsolve_solver_precondition(iterating, 0, 1, nullptr, x.data()));
  EXPECT_REFUSED(spsolve_solver_precondition(iterating, 0, -1, right.data(), x.data()));
  EXPECT_REFUSED(spsolve_solver_precondition(solver, 0, 1, right.data(), x.data()));
  EXPECT_REFUSED(spsolve_solver_precondition(nullptr, 0, 1, right.data(), x.data()));
  const std::vector<double> complex_right{2, -1, 4, -2, 6, -3, 8, -4, 10, -5};
  std::vector<double> z(complex_right.size());
  for (const int of : {0, 1, 2}) {
    ASSERT_EQ(spsolve_solver_precondition_z(iterating, of, 1, complex_right.data(), z.data()),
              SPSOLVE_OK);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(z[2 * i], x[i]);
      EXPECT_EQ(z[2 * i + 1], -x[i] / 2);
    }
  }
  EXPECT_REFUSED(spsolve_solver_precondition_z(iterating, 3, 1, complex_right.data(), z.data()));
  EXPECT_REFUSED(spsolve_solver_precondition_z(iterating, 0, 1, nullptr, z.data()));
  spsolve_solver_free(iterating);
}

TEST_F(CInterface, SubstitutionsByThemselves) {
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_SPARSE_CHOLESKY;
  spsolve_solver* factors = nullptr;
  ASSERT_EQ(spsolve_solver_create(matrix, &options, &factors), SPSOLVE_OK) << spsolve_last_error();
  const std::vector<double> right{2, 4, 6, 8, 10};
  std::vector<double> solution(5), y(5), z(5);
  ASSERT_EQ(spsolve_solver_solve(factors, 0, 1, right.data(), solution.data(), nullptr),
            SPSOLVE_OK);
  ASSERT_EQ(spsolve_solver_substitute(factors, SPSOLVE_FORWARD, 0, 1, right.data(), y.data()),
            SPSOLVE_OK);
  ASSERT_EQ(spsolve_solver_substitute(factors, SPSOLVE_DIAGONAL, 0, 1, y.data(), z.data()),
            SPSOLVE_OK);
  EXPECT_EQ(y, z);
  ASSERT_EQ(spsolve_solver_substitute(factors, SPSOLVE_BACKWARD, 0, 1, z.data(), z.data()),
            SPSOLVE_OK);
  double energy = 0, halves = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(z[i], solution[i], 1e-13 * std::abs(solution[i]));
    energy += right[i] * solution[i];
    halves += y[i] * y[i];
  }
  EXPECT_NEAR(halves, energy, 1e-13 * energy);
  std::vector<double> complex_right(10), complex_y(10);
  for (std::size_t i = 0; i < 5; ++i) complex_right[2 * i + 1] = right[i];
  ASSERT_EQ(spsolve_solver_substitute_z(factors, SPSOLVE_FORWARD, 2, 1, complex_right.data(),
                                        complex_y.data()),
            SPSOLVE_OK);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(complex_y[2 * i + 1], y[i], 1e-14);
  const auto no_step = static_cast<spsolve_substitution>(3);
  EXPECT_REFUSED(spsolve_solver_substitute(factors, no_step, 0, 1, y.data(), z.data()));
  EXPECT_REFUSED(spsolve_solver_substitute_z(factors, SPSOLVE_FORWARD, 3, 1, complex_right.data(),
                                             complex_y.data()));
  EXPECT_REFUSED(spsolve_solver_substitute(factors, SPSOLVE_FORWARD, 0, 1, nullptr, z.data()));
  EXPECT_REFUSED(spsolve_solver_substitute(nullptr, SPSOLVE_FORWARD, 0, 1, y.data(), z.data()));
  spsolve_solver_free(factors);
}

// Programs of an earlier version have its members where they were: those of later ones come behind.
TEST(COptions, MembersStayWhereTheyWere) {
  static_assert(sizeof(void*) == 8);
  EXPECT_EQ(offsetof(spsolve_options, size), 0);
  EXPECT_EQ(offsetof(spsolve_options, method), 8);
  EXPECT_EQ(offsetof(spsolve_options, preconditioner), 32);
  EXPECT_EQ(offsetof(spsolve_options, tolerance), 40);
  EXPECT_EQ(offsetof(spsolve_options, systems), 88);
  EXPECT_EQ(offsetof(spsolve_options, ordering_file), 120);
  EXPECT_EQ(offsetof(spsolve_options, time_limit), 152);
  EXPECT_EQ(offsetof(spsolve_options, null_dimension), 224);
  EXPECT_EQ(offsetof(spsolve_options, accept), 236);
  EXPECT_EQ(offsetof(spsolve_options, matching), 240);
  EXPECT_EQ(offsetof(spsolve_options, on_step), 248);
  EXPECT_EQ(offsetof(spsolve_options, order), 264);
  EXPECT_EQ(sizeof(spsolve_options), 272);
  EXPECT_EQ(offsetof(spsolve_step, backward_error), 40);
  EXPECT_EQ(sizeof(spsolve_trust), 56);
  EXPECT_EQ(sizeof(spsolve_inertia), 32);
}

TEST_F(CInterface, MoreColumnsThanCanBeCounted) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  // 5 times as many wrap around to a small number.
  for (const std::int64_t columns : {most, most / 5 + 2}) {
    EXPECT_REFUSED(spsolve_solver_solve(solver, 0, columns, b.data(), x.data(), nullptr));
    EXPECT_REFUSED(spsolve_product_apply(product, columns, x.data(), b.data()));
  }
  spsolve_options options;
  spsolve_options_init(&options);
  options.coordinates = x.data();
  options.nodes = most / 2;
  options.dimensions = 3;
  spsolve_solver* none = nullptr;
  EXPECT_REFUSED(spsolve_solver_create(matrix, &options, &none));
}

}  // namespace
