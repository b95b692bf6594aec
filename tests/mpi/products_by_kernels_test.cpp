// Y = A X over ranks by kernels of the table of host kernels.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "distribute/reading/read_in_bands.hpp"
#include "helpers/product_cases.hpp"
#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "mpi/mpi_team.hpp"
#include "vectors/basic_band_matrix.hpp"

namespace spsolve::test {
namespace {

constexpr int threads = 2;

/// This rank's rows of a matrix that every rank has.
CompressedRows band_of(const Csr<double>& matrix, const RowLayout& bands, int rank) {
  const Range rows = bands.band(rank);
  return compress_columns(slice_rows(matrix, rows.first, rows.last));
}

RowLayout bands_with(Index rows, std::vector<Index> borders) {
  const int ranks = static_cast<int>(borders.size()) - 1;
  return {rows, ranks, std::move(borders)};
}

/// The ways in which rows may be dealt out: evenly, by non-zeros, all to the first or to the last
/// rank, none to the first and the last.
std::vector<RowLayout> ways_to_deal(const Csr<double>& matrix, int ranks) {
  const Index n = matrix.rows;
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<RowLayout> ways{{n, ranks}, bands_by_nonzeros(profile_of(matrix.row_offsets), ranks)};
  std::vector<Index> first(size + 1, n), last(size + 1, 0);
  first.front() = 0;
  last.back() = n;
  ways.push_back(bands_with(n, first));
  ways.push_back(bands_with(n, last));
  if (ranks >= 3) {
    std::vector<Index> middle(size + 1, n / 2);
    middle[0] = middle[1] = 0;
    middle[size - 1] = middle[size] = n;
    ways.push_back(bands_with(n, middle));
  }
  return ways;
}

template <typename T>
struct InBands {
  MpiTeam team;
  RowLayout bands, x_bands;
  BasicBandMatrix<T> product;

  InBands(const Csr<double>& matrix, const RowLayout& rows, const std::string& kernel, Index k = 1)
      : bands(rows),
        x_bands(matrix.rows == matrix.columns ? rows : RowLayout{matrix.columns, team.size()}),
        product(team, bands, x_bands, band_of(matrix, rows, team.rank()), host_vector_memory(),
                find_kernel(host_kernels(), kernel), KernelOptions{k, threads, 0}) {}

  /// All of Y, on every rank, from all of X.
  std::vector<T> multiply(const std::vector<T>& x, Index k) {
    const Range rows = bands.band(team.rank()), x_rows = x_bands.band(team.rank());
    const std::vector<T> own(x.begin() + x_rows.first * k, x.begin() + x_rows.last * k);
    std::vector<T> y(static_cast<std::size_t>(bands.rows * k), static_cast<T>(NAN));
    product.multiply(own.data(), y.data() + rows.first * k, k);
    product.finish();
    for (int rank = 0; rank < team.size(); ++rank) {
      const Range band = bands.band(rank);
      broadcast(team,
                std::span<T>(y.data() + band.first * k, static_cast<std::size_t>(band.size() * k)),
                rank);
    }
    return y;
  }
};

template <typename T>
void try_every_case(const std::vector<Index>& columns) {
  MpiTeam team;
  for (std::size_t c = 0; c < product_cases().size(); ++c) {
    const ProductCase& one = product_cases()[c];
    const ProductReference<T>& reference = product_references<T>()[c];
    int way = 0;
    for (const RowLayout& bands : ways_to_deal(one.matrix, team.size())) {
      SCOPED_TRACE(fmt::format("{}, dealt out in way {}", one.name, way++));
      InBands<T> in_bands(one.matrix, bands, "csr_balanced");
      for (const Index k : columns) {  // one plan for all
        within_bound(reference, in_bands.multiply(leading_columns(reference, k), k), k);
      }
    }
  }
}

TEST(ProductsByKernels, EveryMatrixInEveryDealWhileKChanges) {
  try_every_case<double>({1, 16, 3, 1, 64});
}

TEST(ProductsByKernels, InFloat) {
  try_every_case<float>({3, 1});
}

TEST(ProductsByKernels, EveryKernelOfTheTable) {
  MpiTeam team;
  for (std::size_t c = 0; c < product_cases().size(); ++c) {
    const ProductCase& one = product_cases()[c];
    if (one.name != "grid" && one.name != "cube" && one.name != "symmetric random" &&
        one.name != "symmetric but for rounding" && one.name != "random" && one.name != "wide" &&
        one.name != "empty rows")
      continue;
    const ProductReference<double>& reference = product_references<double>()[c];
    for (const Kernel& kernel : host_kernels()) {
      SCOPED_TRACE(fmt::format("{} by {}", one.name, kernel.name));
      const RowLayout bands{one.matrix.rows, team.size()};
      try {
        InBands<double> in_bands(one.matrix, bands, std::string(kernel.name), 5);
        within_bound(reference, in_bands.multiply(leading_columns(reference, 5), 5), 5);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input);
        EXPECT_EQ(error.scope(), Scope::every_rank);
        EXPECT_NE(kernel.refuse(reference.facts, 5, sizeof(double)), "")
            << "a rank refuses what one rank alone takes: " << error.what();
      }
    }
  }
}

TEST(ProductsByKernels, RandomPermutations) {
  MpiTeam team;
  const Csr<double> grid = generate_matrix("grid2d:23");
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::vector<Index> order(static_cast<std::size_t>(grid.rows));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    Coo shuffled{grid.rows, grid.columns, Symmetry::general, {}, {}, {}};
    for (Index i = 0; i < grid.rows; ++i) {
      for (Index k = grid.row_offsets[i]; k < grid.row_offsets[i + 1]; ++k) {
        shuffled.row.push_back(order[i]);
        shuffled.column.push_back(order[grid.column_indices[k]]);
        shuffled.value.push_back(grid.values[k]);
      }
    }
    const Csr<double> matrix = csr_from_coo(shuffled);
    const auto reference = product_reference<double>(matrix);
    for (const char* kernel : {"csr_balanced", "symmetric_halves", "auto"}) {
      SCOPED_TRACE(kernel);
      InBands<double> in_bands(matrix, {matrix.rows, team.size()}, kernel);
      const auto x = leading_columns(reference, 4);
      within_bound(reference, in_bands.multiply(x, 4), 4);
    }
  }
}

TEST(ProductsByKernels, WithoutHaloNobodyWaits) {
  MpiTeam team;
  // One dense block of 8 rows a rank: bands keep pairs together.
  const Index n = 8 * team.size();
  Coo blocks{n, n, Symmetry::general, {}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = i / 8 * 8; j < i / 8 * 8 + 8; ++j) {
      blocks.row.push_back(i);
      blocks.column.push_back(j);
      blocks.value.push_back(1.0 / static_cast<double>(1 + i + 2 * j));
    }
  }
  const Csr<double> matrix = csr_from_coo(blocks);
  InBands<double> in_bands(matrix, {n, team.size()}, "csr_balanced");
  EXPECT_EQ(in_bands.product.share().halo_rows, 0);
  EXPECT_EQ(in_bands.product.share().neighbours, 0);
  EXPECT_EQ(in_bands.product.share().boundary_rows, 0);
  const auto reference = product_reference<double>(matrix);
  within_bound(reference, in_bands.multiply(leading_columns(reference, 3), 3), 3);
}

TEST(ProductsByKernels, EverybodyNeedsEverything) {
  MpiTeam team;
  const Csr<double> matrix = generate_matrix("random_dense:31");
  InBands<double> in_bands(matrix, {matrix.rows, team.size()}, "csr_balanced");
  const RankShare& share = in_bands.product.share();
  EXPECT_EQ(share.halo_rows, matrix.rows - share.rows);
  EXPECT_EQ(share.sent_rows, share.rows * (team.size() - 1));
  EXPECT_EQ(share.neighbours, team.size() - 1);
  EXPECT_EQ(share.nonzeros(), share.rows * matrix.columns);
}

// On one rank the offsets of its own rows go beyond 2^31, on more of them the count of all. About
// 80 GB, and minutes: where SPSOLVE_LARGE_TESTS is set.
TEST(ProductsByKernels, MoreThanTwoToThe31Nonzeros) {
  if (std::getenv("SPSOLVE_LARGE_TESTS") == nullptr) {
    GTEST_SKIP() << "SPSOLVE_LARGE_TESTS is not set";
  }
  MpiTeam team;
  BandedMatrix matrix = generate_in_bands(team, {"grid3d27:210:3"});
  EXPECT_GT(matrix.nonzeros, Index{1} << 31);
  const Csr<double>& rows = matrix.rows.rows;
  std::vector<double> sums, scales;  // of each row, by the columns that it has
  for (Index i = 0; i < rows.rows; ++i) {
    const auto values = rows.row_values(i);
    const auto columns = rows.row_columns(i);
    double sum = 0, scale = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double term =
          values[k] * static_cast<double>(matrix.rows.global_columns[columns[k]] % 1000);
      sum += term;
      scale += std::abs(term);
    }
    sums.push_back(sum);
    scales.push_back(scale);
  }
  const RowLayout bands = matrix.bands;
  BasicBandMatrix<double> product(team, bands, bands, std::move(matrix.rows), host_vector_memory(),
                                  find_kernel(host_kernels(), "csr_balanced"),
                                  KernelOptions{1, threads, 0});
  EXPECT_EQ(all_sum(team, product.share().nonzeros()), matrix.nonzeros);
  const Range own = bands.band(team.rank());
  std::vector<double> x, y(sums.size(), NAN);
  for (Index j = own.first; j < own.last; ++j) x.push_back(static_cast<double>(j % 1000));
  product.multiply(x.data(), y.data(), 1);
  product.finish();
  constexpr double bound = 200 * std::numeric_limits<double>::epsilon();
  Index wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(std::abs(y[i] - sums[i]) <= bound * scales[i])) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ProductsByKernels, TheSameBitsEveryTime) {
  MpiTeam team;
  const Csr<double> matrix = generate_matrix("power_law:300:7");
  const auto reference = product_reference<double>(matrix);
  const auto x = leading_columns(reference, 8);
  InBands<double> in_bands(matrix, {matrix.rows, team.size()}, "csr_balanced");
  const auto first = in_bands.multiply(x, 8);
  EXPECT_TRUE(same_bits(first, in_bands.multiply(x, 8)));
  InBands<double> again(matrix, {matrix.rows, team.size()}, "csr_balanced");
  EXPECT_TRUE(same_bits(first, again.multiply(x, 8)));
}

TEST(ProductsByKernels, TimesOfTheParts) {
  MpiTeam team;
  const Csr<double> matrix = generate_matrix("grid2d:60");
  InBands<double> in_bands(matrix, {matrix.rows, team.size()}, "csr_balanced");
  in_bands.multiply(std::vector<double>(matrix.columns * 4, 1.0), 4);
  const ProductTimes times = in_bands.product.finish();
  EXPECT_GT(times.interior, 0);
  EXPECT_EQ(times.boundary > 0, team.size() > 1);
  EXPECT_GE(times.total(), times.interior + times.boundary);
}

TEST(ProductsByKernels, ARefusalOfOneRankIsThrownByAll) {
  MpiTeam team;
  // Symmetric but for one element in the last rank's diagonal block.
  Csr<double> matrix = generate_matrix("tridiagonal:60");
  matrix.values.back() = 5;
  matrix.values[matrix.values.size() - 2] = 7;
  try {
    InBands<double> in_bands(matrix, {60, team.size()}, "symmetric_halves");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_EQ(error.scope(), Scope::every_rank);
    const std::string text = error.what();
    EXPECT_NE(text.find("symmetric_halves does not take this matrix"), std::string::npos) << text;
    if (team.size() > 1) {
      EXPECT_NE(text.find(fmt::format("that rank {} holds", team.size() - 1)), std::string::npos)
          << text;
    }
  }
}

}  // namespace
}  // namespace spsolve::test
