#include "matrix/convert.hpp"

#include <map>
#include <random>
#include <utility>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/error.hpp"
#include "helpers/coo.hpp"
#include "helpers/reference.hpp"

namespace spsolve {

namespace {

using test::add;

/// Sets the number of OpenMP threads for a scope.
class Threads {
 public:
  explicit Threads(int count) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
};

Coo empty_coo(Index rows, Index columns, Symmetry symmetry = Symmetry::general) {
  Coo coo;
  coo.rows = rows;
  coo.columns = columns;
  coo.symmetry = symmetry;
  return coo;
}

/// The result of csr_from_coo, by a map and no cleverness.
Csr<double> reference(const Coo& coo) {
  std::vector<std::map<Index, double>> rows(coo.rows);
  const auto put = [&](Index row, Index column, double value) {
    const auto [place, is_new] = rows[row].emplace(column, value);
    if (!is_new) place->second += value;
  };
  for (Index k = 0; k < coo.entries(); ++k) {
    put(coo.row[k], coo.column[k], coo.value[k]);
    if (coo.symmetry != Symmetry::general && coo.row[k] != coo.column[k]) {
      put(coo.column[k], coo.row[k],
          coo.symmetry == Symmetry::symmetric ? coo.value[k] : -coo.value[k]);
    }
  }
  Csr<double> csr;
  csr.rows = coo.rows;
  csr.columns = coo.columns;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      csr.column_indices.push_back(static_cast<LocalIndex>(column));
      csr.values.push_back(value);
    }
    csr.row_offsets.push_back(static_cast<Index>(csr.values.size()));
  }
  return csr;
}

Coo random_coo(Index rows, Index columns, Index entries, Symmetry symmetry, unsigned seed) {
  std::mt19937_64 random(seed);
  Coo coo = empty_coo(rows, columns, symmetry);
  for (Index k = 0; k < entries; ++k) {
    Index row = static_cast<Index>(random() % rows),
          column = static_cast<Index>(random() % columns);
    if (symmetry != Symmetry::general && row < column) std::swap(row, column);
    // Sums of these values depend on their order.
    add(coo, row, column, static_cast<double>(random()) * 0x1p-64 + 1e-3);
  }
  return coo;
}

ExitCode code_of(const Coo& coo) {
  try {
    csr_from_coo(coo);
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::solved;
}

}  // namespace

TEST(CsrFromCoo, SortsSumsDuplicatesAndKeepsZeros) {
  Coo coo = empty_coo(4, 3);
  add(coo, 3, 2, 1.0);
  add(coo, 0, 1, 5.0);
  add(coo, 0, 0, 0.0);
  add(coo, 3, 0, 2.0);
  add(coo, 0, 1, -5.0);
  add(coo, 3, 2, 1e16);
  add(coo, 3, 2, -1e16);
  const Csr<double> csr = csr_from_coo(coo);
  EXPECT_EQ(csr.row_offsets, (std::vector<Index>{0, 2, 2, 2, 4}));
  EXPECT_EQ(csr.column_indices, (std::vector<LocalIndex>{0, 1, 0, 2}));
  // (1 + 1e16) - 1e16 = 0 in the order of the list, 1 in any other.
  EXPECT_EQ(csr.values, (std::vector<double>{0.0, 0.0, 2.0, 0.0}));
}

TEST(CsrFromCoo, MirrorsSymmetricAndSkewSymmetric) {
  for (const Symmetry symmetry : {Symmetry::symmetric, Symmetry::skew_symmetric}) {
    Coo coo = empty_coo(3, 3, symmetry);
    add(coo, 0, 0, 4.0);
    add(coo, 2, 0, 7.0);
    const double mirrored = symmetry == Symmetry::symmetric ? 7.0 : -7.0;
    const Csr<double> csr = csr_from_coo(coo);
    EXPECT_EQ(csr.row_offsets, (std::vector<Index>{0, 2, 2, 3}));
    EXPECT_EQ(csr.column_indices, (std::vector<LocalIndex>{0, 2, 0}));
    EXPECT_EQ(csr.values, (std::vector<double>{4.0, mirrored, 7.0}));
  }
}

TEST(CsrFromCoo, EmptyMatrices) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{0, 0}, {0, 5}, {5, 0}, {3, 3}}) {
    const Csr<double> csr = csr_from_coo(empty_coo(rows, columns));
    EXPECT_EQ(csr.rows, rows);
    EXPECT_EQ(csr.columns, columns);
    EXPECT_EQ(csr.row_offsets, std::vector<Index>(rows + 1, 0));
    EXPECT_EQ(csr.nonzeros(), 0);
  }
}

TEST(CsrFromCoo, AgreesWithReferenceForEveryThreadCount) {
  struct Case {
    Index rows, columns, entries;
    Symmetry symmetry;
  };
  const Case cases[] = {
      {1, 1, 5, Symmetry::general},           {7, 3, 40, Symmetry::general},
      {1000, 1000, 300, Symmetry::general},   {300, 200, 200000, Symmetry::general},
      {100000, 50, 90000, Symmetry::general}, {1, 40000, 100000, Symmetry::general},
      {513, 513, 70000, Symmetry::symmetric}, {4097, 4097, 150000, Symmetry::skew_symmetric},
  };
  for (const Case& c : cases) {
    const Coo coo = random_coo(c.rows, c.columns, c.entries, c.symmetry, 7);
    const Csr<double> expected = reference(coo);
    for (int threads = 1; threads <= 4; ++threads) {
      SCOPED_TRACE(testing::Message() << c.rows << " x " << c.columns << ", " << c.entries
                                      << " entries, " << threads << " threads");
      const Threads scope(threads);
      test::expect_equal(csr_from_coo(coo), expected);
      Coo consumed = coo;
      test::expect_equal(csr_from_coo(std::move(consumed)), expected);
      EXPECT_EQ(consumed.entries(), 0);
      EXPECT_EQ(consumed.row.capacity(), 0u);
    }
  }
}

TEST(CsrFromCoo, OneHugeRowDescendingAmongShortOnes) {
  constexpr Index n = 60000, huge = 50000;
  Coo coo = empty_coo(n, n);
  for (Index k = 0; k < huge; ++k) {
    add(coo, 12345, n - 1 - k, static_cast<double>(k));
    add(coo, k, k, 1.0);
  }
  const Threads scope(3);
  test::expect_equal(csr_from_coo(coo), reference(coo));
}

TEST(CsrFromCoo, RefusesWhatDoesNotFit) {
  EXPECT_EQ(code_of(empty_coo(1, Index{1} << 31)), ExitCode::resources);
  EXPECT_EQ(code_of(empty_coo(1, (Index{1} << 31) - 1)), ExitCode::solved);
  EXPECT_EQ(code_of(empty_coo(2, 3, Symmetry::symmetric)), ExitCode::internal);
  for (const auto& [row, column] : {std::pair<Index, Index>{-1, 0}, {2, 0}, {0, -1}, {0, 3}}) {
    Coo coo = empty_coo(2, 3);
    add(coo, 0, 0, 1.0);
    add(coo, row, column, 1.0);
    EXPECT_EQ(code_of(coo), ExitCode::internal) << row << ", " << column;
  }
  Coo ragged = empty_coo(2, 3);
  ragged.value.push_back(1.0);
  EXPECT_EQ(code_of(ragged), ExitCode::internal);
}

TEST(CsrCast, RoundsValues) {
  Coo coo = empty_coo(2, 2);
  add(coo, 0, 1, 0.1);
  add(coo, 1, 0, 3.0);
  const Csr<double> matrix = csr_from_coo(coo);
  const Csr<float> single = csr_cast<float>(matrix);
  EXPECT_EQ(single.row_offsets, matrix.row_offsets);
  EXPECT_EQ(single.column_indices, matrix.column_indices);
  EXPECT_EQ(single.values, (std::vector<float>{0.1f, 3.0f}));
  EXPECT_EQ(csr_cast<double>(single).values, (std::vector<double>{0.1f, 3.0}));
}

TEST(SliceRows, EverySliceHoldsItsRows) {
  const Csr<double> matrix = csr_from_coo(random_coo(9, 6, 20, Symmetry::general, 3));
  for (Index first = 0; first <= 9; ++first) {
    for (Index last = first; last <= 9; ++last) {
      const Csr<double> slice = slice_rows(matrix, first, last);
      ASSERT_EQ(slice.rows, last - first);
      ASSERT_EQ(slice.columns, 6);
      ASSERT_EQ(slice.row_offsets.front(), 0);
      ASSERT_EQ(slice.nonzeros(), static_cast<Index>(slice.values.size()));
      for (Index i = first; i < last; ++i) {
        EXPECT_TRUE(std::ranges::equal(slice.row_columns(i - first), matrix.row_columns(i)));
        EXPECT_TRUE(std::ranges::equal(slice.row_values(i - first), matrix.row_values(i)));
      }
    }
  }
  EXPECT_THROW(slice_rows(matrix, -1, 2), Error);
  EXPECT_THROW(slice_rows(matrix, 3, 2), Error);
  EXPECT_THROW(slice_rows(matrix, 0, 10), Error);
}

TEST(RotateRows, MovesRowsDown) {
  constexpr Index n = 7;
  const Csr<double> matrix = csr_from_coo(random_coo(n, 5, 17, Symmetry::general, 11));
  for (const Index by : {0, 1, 2, 6, 7, 8, -1, -20, 700}) {
    SCOPED_TRACE(by);
    const Csr<double> rotated = rotate_rows(matrix, by);
    ASSERT_EQ(rotated.row_offsets.front(), 0);
    ASSERT_EQ(rotated.nonzeros(), matrix.nonzeros());
    for (Index i = 0; i < n; ++i) {
      const Index from = ((i - by) % n + n) % n;
      EXPECT_TRUE(std::ranges::equal(rotated.row_columns(i), matrix.row_columns(from)));
      EXPECT_TRUE(std::ranges::equal(rotated.row_values(i), matrix.row_values(from)));
    }
  }
  EXPECT_EQ(rotate_rows(Csr<double>{}, 3).rows, 0);
}

}  // namespace spsolve
