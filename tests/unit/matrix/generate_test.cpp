#include "matrix/generate/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/reference.hpp"
#include "helpers/threads.hpp"
#include "matrix/random.hpp"

namespace spsolve {

namespace {

/// Every generator with small sizes.
constexpr std::string_view small_specs[] = {
    "grid2d:1",
    "grid2d:7",
    "grid3d27:1:2",
    "grid3d27:2:1",
    "grid3d27:5:3",
    "grid3d27:4:2:seed=9",
    "power_law:1:1",
    "power_law:2:1",
    "power_law:5:5",
    "power_law:3000:3",
    "power_law:500:40:seed=0",
    "zhelm2d:1",
    "zhelm2d:6",
    "zhelm3d:1",
    "zhelm3d:3",
    "zconvdiff2d:4",
    "zcircuit2d:1",
    "zcircuit2d:5:seed=3",
    "magnetic2d:1",
    "magnetic2d:5",
    "magnetic3d:1",
    "magnetic3d:4",
    "tridiagonal:1",
    "tridiagonal:10",
    "random_dense:1",
    "random_dense:33:seed=9223372036854775807",
    "random_sparse:1:1:1",
    "random_sparse:1000:40:3",
    "random_sparse:40:1000:30:seed=5",
    "random_sparse:6:4:4",
    "hilbert:6",
    "gfpp:1",
    "gfpp:8",
    "ipm_tree:1:1",
    "ipm_tree:500:50",
    "ipm_flow:1:100",
    "ipm_flow:50:7:seed=3",
    "ipm_pde2d:1:1",
    "ipm_pde2d:6:20",
    "ipm_pde3d:4:20",
    "ipm_control:1:1",
    "ipm_control:9:60",
    "ipm_band:1:1",
    "ipm_band:300:100:seed=8",
    "grid3d:1",
    "grid3d:4",
    "elastic3d:1",
    "elastic3d:3:seed=2",
    "convdiff3d:1",
    "convdiff3d:4",
    "aniso2d:1",
    "aniso2d:19",
    "aniso3d:9:seed=3",
    "helmholtz2d:1",
    "helmholtz2d:7",
    "circuit:1",
    "circuit:3",
    "circuit:63",
    "circuit:64",
    "circuit:700:seed=4",
    "network:1:1",
    "network:3:2",
    "network:64:64",
    "network:700:90:seed=4",
    "kkt:1",
    "kkt:2",
    "kkt:3",
    "kkt:50",
    "kkt:52:seed=8",
    "cage:1",
    "cage:2",
    "cage:90",
};

using test::dense;

Dense<double> rows(std::initializer_list<std::initializer_list<double>> values) {
  Dense<double> result(static_cast<Index>(values.size()),
                       static_cast<Index>(values.begin()->size()));
  double* out = result.values.data();
  for (const auto& row : values) out = std::copy(row.begin(), row.end(), out);
  return result;
}

std::string error_of(std::string_view spec, ExitCode expected = ExitCode::input) {
  try {
    generate_matrix(spec);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << spec;
    return error.what();
  }
  return "";
}

}  // namespace

TEST(RandomBits, AreThePublishedSplitmix64) {
  // The first numbers of splitmix64 started from 0, as the reference implementation prints them.
  EXPECT_EQ(mix_bits(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix_bits(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(~std::uint64_t{0}), 1.0);
  EXPECT_EQ(symmetric_interval(0), -1.0);
}

TEST(Generate, EveryMatrixIsValidCsr) {
  for (const std::string_view spec : small_specs) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    ASSERT_EQ(matrix.row_offsets.size(), static_cast<std::size_t>(matrix.rows) + 1);
    ASSERT_EQ(matrix.row_offsets.front(), 0);
    ASSERT_EQ(matrix.nonzeros(), static_cast<Index>(matrix.values.size()));
    ASSERT_EQ(matrix.values.size(), matrix.column_indices.size());
    for (Index i = 0; i < matrix.rows; ++i) {
      ASSERT_LE(matrix.row_offsets[i], matrix.row_offsets[i + 1]);
      LocalIndex last = -1;
      for (const LocalIndex column : matrix.row_columns(i)) {
        ASSERT_GT(column, last);
        last = column;
      }
      ASSERT_LT(last, matrix.columns);
    }
    for (const double value : matrix.values) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(Generate, EveryGeneratorIsTriedAbove) {
  for (const Generator& generator : generators()) {
    EXPECT_TRUE(std::ranges::any_of(small_specs, [&](std::string_view spec) {
      return spec.starts_with(std::string(generator.name) + ":");
    })) << generator.name;
  }
}

TEST(Generate, IsTheSameForEveryThreadCount) {
  test::Threads lent(1);
  for (const std::string_view spec : small_specs) {
    lent.set(1);
    const Csr<double> serial = generate_matrix(spec);
    for (int threads = 2; threads <= 4; ++threads) {
      lent.set(threads);
      const Csr<double> parallel = generate_matrix(spec);
      EXPECT_EQ(serial.row_offsets, parallel.row_offsets) << spec;
      EXPECT_EQ(serial.column_indices, parallel.column_indices) << spec;
      EXPECT_EQ(serial.values, parallel.values) << spec;
    }
  }
}

TEST(Generate, SeedsMakeDifferentMatrices) {
  for (const std::string form :
       {"grid3d27:3:1", "power_law:100:4", "random_dense:9", "random_sparse:30:20:4", "elastic3d:2",
        "aniso2d:40", "aniso3d:17", "circuit:100", "network:100:30", "kkt:30", "cage:20",
        "ipm_tree:20:50", "ipm_flow:9:50", "ipm_pde2d:3:9", "ipm_band:12:50"}) {
    const auto values = [&](const std::string& seed) {
      return generate_matrix(form + seed).values;
    };
    EXPECT_EQ(values(""), values(":seed=1")) << form;
    EXPECT_NE(values(":seed=1"), values(":seed=2")) << form;
    EXPECT_NE(values(":seed=0"), values(":seed=1")) << form;
  }
}

TEST(Generate, TinyMatrices) {
  EXPECT_EQ(dense(generate_matrix("grid2d:2")).values,
            rows({{4, -1, -1, 0}, {-1, 4, 0, -1}, {-1, 0, 4, -1}, {0, -1, -1, 4}}).values);
  EXPECT_EQ(dense(generate_matrix("tridiagonal:3")).values,
            rows({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}).values);
  EXPECT_EQ(dense(generate_matrix("hilbert:2")).values,
            rows({{1, 1.0 / 2}, {1.0 / 2, 1.0 / 3}}).values);
  EXPECT_EQ(dense(generate_matrix("gfpp:4")).values,
            rows({{1, 0, 0, 1}, {-1, 1, 0, 1}, {-1, -1, 1, 1}, {-1, -1, -1, 1}}).values);
  const Csr<double> single = generate_matrix("grid3d27:1:1");
  EXPECT_EQ(single.values, std::vector<double>{1.0});
}

TEST(Generate, Grid2dHasFiveBandsAndNoWrapping) {
  const Csr<double> matrix = generate_matrix("grid2d:5");
  const Dense<double> a = dense(matrix);
  EXPECT_EQ(matrix.nonzeros(), 5 * 25 - 4 * 5);
  for (Index i = 0; i < 25; ++i) {
    for (Index j = 0; j < 25; ++j) {
      const Index distance = std::abs(i / 5 - j / 5) + std::abs(i % 5 - j % 5);
      EXPECT_EQ(a(i, j), distance == 0 ? 4.0 : distance == 1 ? -1.0 : 0.0) << i << ", " << j;
    }
  }
}

TEST(Generate, Grid3d27CouplesNeighboursSymmetrically) {
  constexpr Index n = 4, unknowns = 2, size = n * n * n * unknowns;
  const Dense<double> a = dense(generate_matrix("grid3d27:4:2"));
  ASSERT_EQ(a.rows, size);
  for (Index i = 0; i < size; ++i) {
    double sum = 1.0;
    for (Index j = 0; j < size; ++j) {
      const Index p = i / unknowns, q = j / unknowns;
      const bool neighbours = std::abs(p % n - q % n) <= 1 &&
                              std::abs(p / n % n - q / n % n) <= 1 &&
                              std::abs(p / n / n - q / n / n) <= 1;
      ASSERT_EQ(a(i, j), a(j, i));
      if (i == j) continue;
      sum += std::abs(a(i, j));
      if (neighbours) {
        ASSERT_GE(a(i, j), -1.0);
        ASSERT_LT(a(i, j), 0.0);
      } else {
        ASSERT_EQ(a(i, j), 0.0);
      }
    }
    EXPECT_NEAR(a(i, i), sum, 1e-12);
  }
  // Interior rows are 27 * unknowns long, and values vary.
  const Csr<double> matrix = generate_matrix("grid3d27:5:3");
  EXPECT_EQ(matrix.row_columns((2 * 25 + 2 * 5 + 2) * 3).size(), 81u);
  EXPECT_GT(std::set<double>(matrix.values.begin(), matrix.values.end()).size(),
            matrix.values.size() / 2);
}

TEST(Generate, PowerLawHasItsAverageItsLongestRowAndItsDiagonal) {
  const Csr<double> matrix = generate_matrix("power_law:100000:3");
  EXPECT_NEAR(static_cast<double>(matrix.nonzeros()), 300000.0, 3000.0);
  std::vector<Index> lengths;
  double least = 1.0, most = -1.0;
  std::vector<Index> below(10, 0);
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    ASSERT_TRUE(std::ranges::binary_search(columns, static_cast<LocalIndex>(i))) << i;
    lengths.push_back(static_cast<Index>(columns.size()));
    for (const LocalIndex column : columns) ++below[column / 10000];
  }
  for (const double value : matrix.values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_LT(least, -0.99);
  EXPECT_GE(least, -1.0);
  EXPECT_GT(most, 0.99);
  EXPECT_LT(most, 1.0);
  // Columns reach every part of the row alike.
  for (const Index count : below) EXPECT_NEAR(static_cast<double>(count), 30000.0, 2000.0);
  // The long rows are in random order, not first.
  EXPECT_FALSE(std::ranges::is_sorted(lengths, std::greater<>()));
  std::ranges::sort(lengths, std::greater<>());
  EXPECT_EQ(lengths[0], 5000);
  // Rank-size law: log length against log rank is a line.
  const double slope_1 = std::log(double(lengths[9]) / double(lengths[99])) / std::log(10.0);
  const double slope_2 = std::log(double(lengths[99]) / double(lengths[999])) / std::log(10.0);
  EXPECT_NEAR(slope_1, slope_2, 0.05);
  EXPECT_GT(slope_1, 0.3);
}

TEST(Generate, RandomSparseHasItsAverage) {
  const Csr<double> matrix = generate_matrix("random_sparse:20000:300:6");
  EXPECT_EQ(matrix.rows, 20000);
  EXPECT_EQ(matrix.columns, 300);
  EXPECT_NEAR(static_cast<double>(matrix.nonzeros()), 120000.0, 2000.0);
  std::vector<Index> in_column(300, 0);
  for (const LocalIndex column : matrix.column_indices) ++in_column[column];
  const auto [fewest, most] = std::ranges::minmax(in_column);
  EXPECT_GT(fewest, 280);
  EXPECT_LT(most, 520);
  EXPECT_EQ(generate_matrix("random_sparse:6:4:4").nonzeros(), 24);  // full
  const Csr<double> thin = generate_matrix("random_sparse:1000:40:1");
  bool has_empty_row = false;
  for (Index i = 0; i < thin.rows; ++i) has_empty_row |= thin.row_columns(i).empty();
  EXPECT_TRUE(has_empty_row);
}

TEST(Generate, RandomDenseIsUniform) {
  const Csr<double> matrix = generate_matrix("random_dense:200");
  ASSERT_EQ(matrix.nonzeros(), 40000);
  double sum = 0.0, squares = 0.0;
  for (const double value : matrix.values) {
    ASSERT_GE(value, -1.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 40000, 0.0, 0.02);          // standard error 0.003
  EXPECT_NEAR(squares / 40000, 1.0 / 3, 0.01);  // standard error 0.0015
}

TEST(GeneratorSpec, IsKnownByTheWordBeforeTheColon) {
  EXPECT_TRUE(is_generator_spec("grid2d:4"));
  EXPECT_TRUE(is_generator_spec("grid2d"));
  EXPECT_TRUE(is_generator_spec("gfpp:nonsense"));
  EXPECT_FALSE(is_generator_spec("grid2"));
  EXPECT_FALSE(is_generator_spec("662_bus.mtx"));
  EXPECT_FALSE(is_generator_spec(""));
}

TEST(GeneratorSpec, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("gird2d:3"), "there is no generator 'gird2d'; did you mean 'grid2d'?");
  EXPECT_NE(error_of("xyzzy:3").find("only grid2d, grid3d, grid3d27"), std::string::npos);
  EXPECT_EQ(error_of("grid2d"), "'grid2d' has too few arguments; the form is grid2d:N");
  EXPECT_EQ(error_of("grid2d:3:4"), "'grid2d:3:4' has too many arguments; the form is grid2d:N");
  EXPECT_EQ(error_of("grid3d27:3:x"),
            "UNKNOWNS of 'grid3d27:3:x' must be an integer of at least 1, not 'x'; the form is "
            "grid3d27:N:UNKNOWNS[:seed=INT]");
  EXPECT_EQ(error_of("hilbert:-2"),
            "N of 'hilbert:-2' must be an integer of at least 1, not '-2'; the form is hilbert:N");
  for (const std::string_view size :
       {"0", "", " 3", "3 ", "3.0", "1e3", "+3", "0x10", "99999999999999999999"}) {
    const std::string message = error_of("tridiagonal:" + std::string(size));
    EXPECT_NE(message.find("must be an integer of at least 1"), std::string::npos) << size;
  }
  EXPECT_NE(error_of("random_dense:4:seed=-1").find("needs a seed that is an integer from 0"),
            std::string::npos);
  EXPECT_NE(error_of("random_dense:4:seed=1:seed=2").find("must be"), 0u);
  EXPECT_NE(error_of("random_dense:seed=1").find("N of"), std::string::npos);
  // A seed where nothing is random is a misunderstanding.
  EXPECT_EQ(error_of("grid2d:4:seed=1"),
            "'grid2d:4:seed=1' has too many arguments; the form is grid2d:N");
  EXPECT_EQ(error_of("power_law:3:4"),
            "'power_law:3:4' cannot be generated: AVERAGE is larger than N");
  EXPECT_EQ(error_of("random_sparse:9:3:4"),
            "'random_sparse:9:3:4' cannot be generated: AVERAGE is larger than COLUMNS");
  EXPECT_EQ(error_of("grid2d:46341"),
            "'grid2d:46341' cannot be generated: the matrix would have 2.15e+09 columns, and "
            "spsolve handles at most 2147483647");
  EXPECT_NE(error_of("grid3d27:9000000000000000000:3").find("cannot be generated"),
            std::string::npos);
  EXPECT_EQ(generator_problem("grid2d:46340"), "");
  EXPECT_EQ(generator_problem("random_dense:4:seed=0"), "");
}

TEST(GeneratorSpec, RefusesMoreThanTheMachineHolds) {
  EXPECT_NE(error_of("random_dense:2000000000", ExitCode::resources).find("this machine has"),
            std::string::npos);
}

TEST(GeneratorTable, IsCompleteAndPrinted) {
  for (const Generator& generator : generators()) {
    EXPECT_TRUE(generator.form.starts_with(std::string(generator.name) + ":"));
    EXPECT_TRUE(generator.description.ends_with("."));
    EXPECT_NE(generator_help().find(generator.description), std::string::npos);
    EXPECT_NE(generator_markdown().find("| `" + std::string(generator.form)), std::string::npos);
  }
}

}  // namespace spsolve
