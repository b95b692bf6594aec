// Matrices of which every rank hands over its own rows.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spsolve/mpi.hpp>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"
#include "matrix/csr.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::test {
namespace {

using Complex = std::complex<double>;
using testing::HasSubstr;

/// Some rows of a real or complex matrix in arrays of their own.
template <typename T, typename I = Index>
struct Rows {
  Range range;
  Index columns = 0;
  std::vector<I> offsets{0}, indices = {};
  std::vector<T> values = {};

  OwnRows view(Symmetry symmetry = Symmetry::general) const {
    return {range, columns, offsets, indices, values, symmetry};
  }
};

std::vector<double> values_of(const Matrix& a, double) {
  return {a.values().begin(), a.values().end()};
}
std::vector<Complex> values_of(const Matrix& a, Complex) {
  return a.complex_values();
}

/// The triangles of a matrix.
enum class Part { all, lower, upper };

template <typename T, typename I = Index>
Rows<T, I> cut(const Matrix& whole, Range range, Part part = Part::all) {
  Rows<T, I> rows{range, whole.columns()};
  const Csr<double> pattern = whole.is_complex() ? parts_of(whole.csr()).s : whole.csr();
  const std::vector<T> values = values_of(whole, T{});
  for (Index i = range.first; i < range.last; ++i) {
    for (Index k = pattern.row_offsets[i]; k < pattern.row_offsets[i + 1]; ++k) {
      const Index j = pattern.column_indices[k];
      if ((part == Part::lower && j > i) || (part == Part::upper && j < i)) continue;
      rows.indices.push_back(static_cast<I>(j));
      rows.values.push_back(values[k]);
    }
    rows.offsets.push_back(static_cast<I>(rows.indices.size()));
  }
  return rows;
}

class OwnRowsOfRanks : public testing::Test {
 protected:
  /// Bands whose heights differ, one of several without a row.
  Range uneven(Index rows, Index node = 1) const {
    const int size = ranks.size();
    const int empty = size > 2 ? size - 2 : size;  // begins where the next one does
    const auto border = [&](int rank) -> Index {
      if (rank == size) return rows;
      const Index place = rank == empty ? rank + 1 : rank;
      return place * place * rows / (size * size) / node * node;
    };
    return {border(ranks.rank()), border(ranks.rank() + 1)};
  }

  /// Own elements of the product of the matrix and x_i = 1 + i mod 7.
  template <typename T>
  Dense<T> right_side(const Matrix& whole, Range range, bool transposed = false) const {
    const Csr<double> pattern = whole.is_complex() ? parts_of(whole.csr()).s : whole.csr();
    const std::vector<T> values = values_of(whole, T{});
    Dense<T> all(whole.rows(), 1);
    for (Index i = 0; i < whole.rows(); ++i) {
      for (Index k = pattern.row_offsets[i]; k < pattern.row_offsets[i + 1]; ++k) {
        const Index j = pattern.column_indices[k];
        all.values[transposed ? j : i] += values[k] * x_at<T>(transposed ? i : j);
      }
    }
    Dense<T> own(range.size(), 1);
    std::copy_n(all.values.begin() + range.first, range.size(), own.values.begin());
    return own;
  }

  template <typename T>
  static T x_at(Index i) {
    if constexpr (std::is_same_v<T, Complex>) return {1.0 + static_cast<double>(i % 7), -2};
    return 1.0 + static_cast<double>(i % 7);
  }

  template <typename T>
  void expect_solves(const Matrix& whole, Matrix a, Range range, const Options& options) const {
    Solver solver(a, options, ranks);
    a = Matrix();  // which a Solver does not need any more
    EXPECT_EQ(solver.own(), range);
    EXPECT_EQ(solver.order(), whole.rows());
    const auto require_near = [&](const auto& x) {
      double worst = 0;
      for (Index i = 0; i < range.size(); ++i) {
        worst = std::max(worst, std::abs(x.values[i] - x_at<T>(range.first + i)));
      }
      EXPECT_LT(worst, 1e-6);
    };
    if constexpr (std::is_same_v<T, double>) {
      require_near(solver.solve(right_side<T>(whole, range)).x);
      require_near(solver.solve_transposed(right_side<T>(whole, range, true)).x);
    } else {
      require_near(solver.solve(right_side<T>(whole, range)).complex_x);
      require_near(
          solver.solve(right_side<T>(whole, range, true), Transposition::transposed).complex_x);
    }
  }

  const Ranks ranks = ranks_of(MPI_COMM_WORLD);
};

class OwnRowsByMethod : public OwnRowsOfRanks, public testing::WithParamInterface<Method> {};

INSTANTIATE_TEST_SUITE_P(
    Methods, OwnRowsByMethod,
    testing::Values(Method::automatic, Method::gauss, Method::lu, Method::sparse_cholesky,
                    Method::sparse_ldlt, Method::sparse_lu, Method::cg, Method::minres,
                    Method::gmres, Method::bicgstab, Method::idr, Method::block_cg),
    [](const auto& tested) { return std::to_string(static_cast<int>(tested.param)); });

TEST_P(OwnRowsByMethod, AreSolvedInBandsOfAnyHeight) {
  const Matrix whole = Matrix::load("grid2d:17");
  const Range range = uneven(whole.rows());
  const auto own = cut<double>(whole, range);
  const Matrix a = Matrix::from_own_rows(ranks, own.view());
  EXPECT_EQ(a.rows(), whole.rows());
  EXPECT_EQ(a.columns(), whole.columns());
  EXPECT_EQ(a.nonzeros(), whole.nonzeros());
  EXPECT_EQ(std::vector(a.values().begin(), a.values().end()), own.values);
  Options options;
  options.method = GetParam();
  expect_solves<double>(whole, a, range, options);
}

TEST_P(OwnRowsByMethod, HaveTheBitsOfAMatrixThatWasDealtOut) {
  const Matrix whole = Matrix::load("convdiff3d:6");
  Options options;
  options.method = GetParam();
  const bool symmetric = options.method == Method::sparse_cholesky ||
                         options.method == Method::sparse_ldlt || options.method == Method::cg ||
                         options.method == Method::minres || options.method == Method::block_cg;
  const Matrix of = symmetric ? Matrix::load("grid3d:6") : whole;
  Solver dealt_out(ranks.rank() == 0 ? of : Matrix(), options, ranks);
  const auto own = cut<double>(of, dealt_out.own());
  Solver by_own(Matrix::from_own_rows(ranks, own.view()), options, ranks);
  ASSERT_EQ(by_own.own(), dealt_out.own());
  const Dense<double> b = right_side<double>(of, by_own.own());
  EXPECT_EQ(by_own.solve(b).x.values, dealt_out.solve(b).x.values);
  EXPECT_EQ(by_own.report().method, dealt_out.report().method);
}

TEST_F(OwnRowsOfRanks, MayHaveNarrowIndicesInAnyOrderAndTwice) {
  const Matrix whole = Matrix::load("convdiff3d:5");
  const Range range = uneven(whole.rows());
  auto own = cut<double, std::int32_t>(whole, range);
  for (std::size_t i = 0; i + 1 < own.offsets.size(); ++i) {
    std::reverse(own.indices.begin() + own.offsets[i], own.indices.begin() + own.offsets[i + 1]);
    std::reverse(own.values.begin() + own.offsets[i], own.values.begin() + own.offsets[i + 1]);
  }
  for (double& value : own.values) value /= 2;
  Rows<double, std::int32_t> twice{range, own.columns};
  for (std::size_t i = 0; i + 1 < own.offsets.size(); ++i) {
    for (int copy = 0; copy < 2; ++copy) {
      twice.indices.insert(twice.indices.end(), own.indices.begin() + own.offsets[i],
                           own.indices.begin() + own.offsets[i + 1]);
      twice.values.insert(twice.values.end(), own.values.begin() + own.offsets[i],
                          own.values.begin() + own.offsets[i + 1]);
    }
    twice.offsets.push_back(static_cast<std::int32_t>(twice.indices.size()));
  }
  const Matrix a = Matrix::from_own_rows(ranks, twice.view());
  EXPECT_EQ(a.nonzeros(), whole.nonzeros());
  expect_solves<double>(whole, a, range, {});
}

TEST_F(OwnRowsOfRanks, MayBeComplexAndOneTriangle) {
  struct Case {
    const char* generator;
    Symmetry symmetry;
  };
  for (const auto& [generator, symmetry] :
       {Case{"zconvdiff2d:6", Symmetry::general}, Case{"zhelm2d:6", Symmetry::general},
        Case{"zhelm2d:6", Symmetry::symmetric}, Case{"magnetic2d:6", Symmetry::hermitian}}) {
    const Matrix whole = Matrix::load(generator);
    const Range range = uneven(whole.rows());
    for (const Part part : {Part::all, Part::lower, Part::upper}) {
      if ((symmetry == Symmetry::general) != (part == Part::all)) continue;
      SCOPED_TRACE(std::string(generator) + std::to_string(static_cast<int>(part)));
      const Matrix a =
          Matrix::from_own_rows(ranks, cut<Complex>(whole, range, part).view(symmetry));
      EXPECT_EQ(a.nonzeros(), whole.nonzeros());
      EXPECT_EQ(a.conjugates(), whole.conjugates());
      EXPECT_EQ(a.complex_values(), cut<Complex>(whole, range).values);
      expect_solves<Complex>(whole, a, range, {});
    }
  }
}

TEST_F(OwnRowsOfRanks, AreMadeWholeOfOneTriangle) {
  const Matrix whole = Matrix::load("kkt:90");
  const Range range = uneven(whole.rows());
  for (const Part part : {Part::lower, Part::upper}) {
    const auto triangle = cut<double, std::int32_t>(whole, range, part);
    const Matrix a = Matrix::from_own_rows(ranks, triangle.view(Symmetry::symmetric));
    EXPECT_EQ(values_of(a, 0.0), cut<double>(whole, range).values);
    Options options;
    options.method = Method::sparse_ldlt;
    expect_solves<double>(whole, a, range, options);
  }
  const auto skew = cut<double>(Matrix::load("grid2d:4"), uneven(16), Part::lower);
  EXPECT_THAT(error_of([&] { Matrix::from_own_rows(ranks, skew.view(Symmetry::skew_symmetric)); }),
              HasSubstr("the diagonal element of row"));
}

TEST_F(OwnRowsOfRanks, TakeNewValuesAndShiftsOfOwnRows) {
  const Matrix whole = Matrix::load("kkt:60");
  const Range range = uneven(whole.rows());
  auto own = cut<double>(whole, range);
  Options options;
  options.method = Method::sparse_ldlt;
  Solver solver = Solver::analysed(Matrix::from_own_rows(ranks, own.view()), options, ranks);
  for (double& value : own.values) value *= 2;
  solver.set_values(own.values);
  Dense<double> b = right_side<double>(whole, range);
  const Dense<double> x = solver.solve(b).x;
  for (Index i = 0; i < range.size(); ++i) {
    EXPECT_NEAR(x.values[i], x_at<double>(range.first + i) / 2, 1e-10);
  }
  const std::optional<Inertia> inertia = solver.inertia();
  ASSERT_TRUE(inertia);
  EXPECT_EQ(inertia->negative, 20);
}

TEST_F(OwnRowsOfRanks, HaveWholeNodesWhereCoordinatesAreKnown) {
  const Matrix whole = Matrix::load("elastic3d:4");
  Options options;
  options.method = Method::cg;
  options.preconditioner = Preconditioner::multigrid;
  options.node_coordinates = generate_coordinates("elastic3d:4", 0, whole.rows() / 3);
  const Range range = uneven(whole.rows(), 3);
  expect_solves<double>(whole, Matrix::from_own_rows(ranks, cut<double>(whole, range).view()),
                        range, options);
  if (ranks.size() == 1) return;
  const bool first = ranks.rank() == 0, second = ranks.rank() == 1;
  const Range broken = first    ? Range{0, 4}
                       : second ? Range{4, whole.rows()}
                                : Range{whole.rows(), whole.rows()};
  const Matrix a = Matrix::from_own_rows(ranks, cut<double>(whole, broken).view());
  EXPECT_THAT(error_of([&] { Solver(a, options, ranks); }), HasSubstr("in the middle of a node"));
}

TEST_F(OwnRowsOfRanks, AreMultipliedByProducts) {
  const Matrix whole = Matrix::load("random_sparse:90:40:5");
  const Range range = uneven(whole.rows());
  const Matrix a = Matrix::from_own_rows(ranks, cut<double>(whole, range).view());
  Product product(a, {}, ranks);
  ASSERT_EQ(product.own(), range);
  Dense<double> x(product.own_x().size(), 2);
  for (Index i = 0; i < x.rows; ++i) {
    x(i, 0) = x_at<double>(product.own_x().first + i);
    x(i, 1) = -x(i, 0);
  }
  const Dense<double> y = product.apply(x), expected = right_side<double>(whole, range);
  for (Index i = 0; i < y.rows; ++i) {
    EXPECT_NEAR(y(i, 0), expected(i, 0), 1e-12);
    EXPECT_NEAR(y(i, 1), -expected(i, 0), 1e-12);
  }
  if (ranks.size() == 1) return;
  Dense<double> z(y.rows, 2);
  const Index columns = ranks.rank() == ranks.size() - 1 ? 1 : 2;
  EXPECT_THAT(error_of([&] { product.apply(x.values.data(), z.values.data(), columns); }),
              HasSubstr("X has 1 columns on this rank, and 2 on rank 0"));
}

TEST_F(OwnRowsOfRanks, AreRefusedOnAllRanksIfThoseOfOneAreWrong) {
  const Matrix whole = Matrix::load("grid2d:5");
  const bool last = ranks.rank() == ranks.size() - 1;
  const Range range = uneven(whole.rows());
  const auto own = cut<double>(whole, range);
  const auto refused = [&](const OwnRows& mine, ExitCode code = ExitCode::input) {
    return error_of([&] { Matrix::from_own_rows(ranks, mine); }, code,
                    ranks.size() > 1 ? std::optional(Scope::every_rank) : std::nullopt);
  };
  const auto changed = [&](const auto& change) {
    OwnRows mine = own.view();
    if (last) change(mine);
    return mine;
  };
  EXPECT_THAT(refused(changed([](OwnRows& mine) {
                mine.rows = {-1, 3};
              })),
              HasSubstr("rows -1 to 3 cannot be"));
  EXPECT_THAT(refused(changed([](OwnRows& mine) {
                mine.rows = {0, std::numeric_limits<Index>::max()};
              })),
              HasSubstr("offsets"));
  EXPECT_THAT(refused(changed([](OwnRows& mine) { mine.row_offsets = {}; })), HasSubstr("offsets"));
  EXPECT_THAT(
      refused(changed([](OwnRows& mine) { mine.columns = Index{1} << 40; }), ExitCode::resources),
      HasSubstr("columns"));
  EXPECT_THAT(refused(changed([](OwnRows& mine) { mine.columns = -1; })), HasSubstr("cannot be"));
  // One more row than there is: overlaps with nothing, but is none.
  const std::vector<Index> offsets{0, 1}, far{25};
  const std::vector<double> one{1}, nothing{std::numeric_limits<double>::quiet_NaN()};
  const Range row{range.first, range.first + 1};
  EXPECT_THAT(refused(changed([&](OwnRows& mine) {
                mine = {row, 25, offsets, far, one};
              })),
              HasSubstr("column index 25"));
  const std::vector<Index> zero{0};
  EXPECT_THAT(refused(changed([&](OwnRows& mine) {
                mine = {row, 25, offsets, zero, nothing};
              })),
              HasSubstr("not finite"));
  if (ranks.size() == 1) return;
  EXPECT_THAT(refused(changed([](OwnRows& mine) { ++mine.columns; })),
              HasSubstr("names 26 columns, and rank 0 25"));
  EXPECT_THAT(refused(changed([](OwnRows& mine) { mine.symmetry = Symmetry::symmetric; })),
              HasSubstr("another symmetry"));
  OwnRows moved = own.view();
  if (last) moved.rows = {moved.rows.first + 1, moved.rows.last + 1};
  EXPECT_THAT(refused(moved), HasSubstr("leave a gap"));
  if (last) moved.rows = {own.range.first - 1, own.range.last - 1};
  EXPECT_THAT(refused(moved), HasSubstr("overlap"));
  const std::vector<Complex> complex(own.values.begin(), own.values.end());
  EXPECT_THAT(refused(changed([&](OwnRows& mine) { mine.values = complex; })),
              HasSubstr("doubles to a value"));
  EXPECT_THAT(refused(own.view(Symmetry::symmetric)), HasSubstr("both triangles"));
}

TEST_F(OwnRowsOfRanks, AreOfTheRanksThatHandThemOver) {
  if (ranks.size() == 1) GTEST_SKIP() << "for several ranks";
  const Matrix whole = Matrix::load("grid2d:5");
  const Matrix a = Matrix::from_own_rows(ranks, cut<double>(whole, uneven(25)).view());
  EXPECT_THAT(error_of([&] { Solver{a}; }), HasSubstr("name the ranks of from_own_rows()"));
  EXPECT_THAT(error_of([&] { Product{a}; }), HasSubstr("name the ranks of from_own_rows()"));
  EXPECT_THAT(error_of([&] { Solver(ranks.rank() == 1 ? a : Matrix(), {}, ranks); }),
              HasSubstr("all do, or rank 0 alone gives a whole one"));
}

}  // namespace
}  // namespace spsolve::test
