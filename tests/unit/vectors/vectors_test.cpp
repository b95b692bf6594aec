// Multivectors of a rank alone, in host memory.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "helpers/systems_in_bands.hpp"
#include "helpers/threads.hpp"
#include "matrix/multivector.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls work(rows, columns): no row, few, several blocks of rows that are summed up by themselves.
template <typename Work>
void for_sizes(const Work& work) {
  for (const Index rows : {0, 1, 2, 31, 4096, 4097, 20000}) {
    for (const Index columns : {1, 2, 5, 17}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << columns);
      work(rows, columns);
    }
  }
}

class HostVectorsTest : public testing::Test {
 protected:
  std::unique_ptr<Vectors> vectors(const Dense<double>& values) {
    return test::vectors_of(team, values);
  }
  std::unique_ptr<Vectors> random(Index rows, Index columns, Index seed) {
    return vectors(random_multivector(rows, columns, seed));
  }

  SoloTeam team;
};

TEST_F(HostVectorsTest, BeginAsZeros) {
  for_sizes([&](Index rows, Index columns) {
    const HostVectors x(team, RowLayout{rows, 1}, columns);
    EXPECT_EQ(x.rows(), rows);
    EXPECT_EQ(x.height(), rows);
    EXPECT_EQ(x.columns(), columns);
    EXPECT_EQ(own_rows(x).values, Dense<double>(rows, columns).values);
    const auto similar = x.similar(3);
    EXPECT_EQ(similar->layout(), x.layout());
    EXPECT_EQ(own_rows(*similar).values, Dense<double>(rows, 3).values);
  });
}

TEST_F(HostVectorsTest, RowsAreWrittenAndRead) {
  for_sizes([&](Index rows, Index columns) {
    Dense<double> all = random_multivector(rows, columns, 1);
    const auto x = vectors(all);
    EXPECT_EQ(own_rows(*x).values, all.values);
    const Range middle{rows / 3, rows - rows / 4};
    const Dense<double> values = random_multivector(middle.size(), columns, 2);
    x->write_rows(middle, values.values);
    std::copy(values.values.begin(), values.values.end(), all.row(middle.first));
    EXPECT_EQ(own_rows(*x).values, all.values);
    Dense<double> read(middle.size(), columns);
    x->read_rows(middle, read.values);
    EXPECT_EQ(read.values, values.values);
  });
}

TEST_F(HostVectorsTest, AreMultipliedWithEachOther) {
  for_sizes([&](Index rows, Index columns) {
    for (const Index others : {1, 3, 11}) {
      const auto x = random(rows, columns, 1), y = random(rows, others, 2);
      const Dense<double> a = own_rows(*x), b = own_rows(*y);
      const Dense<double> sums = products(*x, *y);
      ASSERT_EQ(sums.rows, columns);
      ASSERT_EQ(sums.columns, others);
      for (Index j = 0; j < columns; ++j) {
        for (Index c = 0; c < others; ++c) {
          double sum = 0;
          for (Index i = 0; i < rows; ++i) sum += a(i, j) * b(i, c);
          EXPECT_NEAR(sums(j, c), sum, 1e-12 * (1 + static_cast<double>(rows)));
        }
      }
      const Dense<double> f = random_multivector(others, columns, 3);
      for (const double own : {0.0, 1.0, -0.5}) {
        const auto z = copy_of(*x);
        if (own == 0) z->fill(nan);
        z->add_product(own, *y, f.values);
        const Dense<double> now = own_rows(*z);
        for (Index i = 0; i < rows; ++i) {
          for (Index c = 0; c < columns; ++c) {
            double expected = own * a(i, c);
            for (Index j = 0; j < others; ++j) expected += b(i, j) * f(j, c);
            ASSERT_NEAR(now(i, c), expected, 1e-14 * static_cast<double>(2 + others));
          }
        }
      }
    }
  });
}

TEST_F(HostVectorsTest, AreFilledAndCopied) {
  for_sizes([&](Index rows, Index columns) {
    const auto x = random(rows, columns, 1), y = random(rows, columns, 2);
    const auto before = copy_of(*x);
    x->fill(0.7);
    EXPECT_EQ(own_rows(*x).values, Dense<double>(rows, columns, 0.7).values);
    EXPECT_EQ(own_rows(*before).values, random_multivector(rows, columns, 1).values);
    copy(*y, *x);
    EXPECT_EQ(own_rows(*x).values, own_rows(*y).values);
  });
}

TEST_F(HostVectorsTest, CopyColumns) {
  for (const Index rows : {0, 1, 31, 20000}) {
    for (const Index count : {0, 1, 3}) {
      const Dense<double> from = random_multivector(rows, 5, 1);
      Dense<double> expected = random_multivector(rows, 7, 2);
      const auto x = vectors(expected);
      x->copy_columns(*vectors(from), 2, 4, count);
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < count; ++j) expected(i, 4 + j) = from(i, 2 + j);
      }
      EXPECT_EQ(own_rows(*x).values, expected.values) << rows << " rows, " << count << " columns";
    }
  }
}

TEST_F(HostVectorsTest, AddMultiplesAndScale) {
  for_sizes([&](Index rows, Index columns) {
    const Dense<double> a = random_multivector(rows, columns, 1);
    const Dense<double> b = random_multivector(rows, columns, 2);
    const Dense<double> d = random_multivector(rows, 1, 3);
    std::vector<double> factors = random_multivector(columns, 1, 9).values;
    if (columns > 2) factors[2] = 0;
    const auto sum = vectors(a), once = vectors(a), scaled = vectors(a), by_rows = vectors(a);
    sum->add_multiples(factors, *vectors(b));
    add_multiple(-0.5, *vectors(b), *once);
    scaled->scale_columns(factors);
    by_rows->scale_rows(*vectors(d));
    Dense<double> expected = a;
    const auto expect = [&](const Vectors& x, const auto& element) {
      for (Index i = 0; i < rows; ++i) {
        for (Index c = 0; c < columns; ++c) expected(i, c) = element(i, c);
      }
      const Dense<double> found = own_rows(x);
      double worst = 0;
      for (std::size_t k = 0; k < found.values.size(); ++k) {
        worst = std::max(worst, std::abs(found.values[k] - expected.values[k]));
      }
      EXPECT_LE(worst, 0x1p-52);  // a fused multiply-add rounds once
    };
    expect(*sum, [&](Index i, Index c) { return a(i, c) + factors[c] * b(i, c); });
    expect(*once, [&](Index i, Index c) { return a(i, c) - 0.5 * b(i, c); });
    expect(*scaled, [&](Index i, Index c) { return factors[c] * a(i, c); });
    expect(*by_rows, [&](Index i, Index c) { return d(i, 0) * a(i, c); });
  });
}

TEST_F(HostVectorsTest, EachOfAListAsOneAfterAnother) {
  for_sizes([&](Index rows, Index columns) {
    const auto k = static_cast<std::size_t>(columns);
    std::vector<std::unique_ptr<Vectors>> list;
    for (const std::uint64_t count : {0, 1, 3, 4, 7}) {
      while (list.size() < count) list.push_back(random(rows, columns, 5 + list.size()));
      const std::vector<double> factors =
          random_multivector(columns, std::max<Index>(1, std::ssize(list)), 9).values;
      const auto all = random(rows, columns, 1), in_turn = random(rows, columns, 1);
      const std::vector<double> sums = dots(*all, list);
      ASSERT_EQ(sums.size(), list.size() * k);
      for (std::size_t j = 0; j < list.size(); ++j) {
        const std::vector<double> alone(sums.begin() + j * k, sums.begin() + (j + 1) * k);
        EXPECT_EQ(dots(*all, *list[j]), alone);
        in_turn->add_multiples(std::span(factors).subspan(j * k, k), *list[j]);
      }
      all->add_multiples_of_each(std::span(factors).first(list.size() * k), list);
      const Dense<double> expected = own_rows(*in_turn), found = own_rows(*all);
      for (std::size_t i = 0; i < found.values.size(); ++i) {
        // A fused multiply-add rounds once.
        EXPECT_NEAR(found.values[i], expected.values[i], 0x1p-49) << count << " " << i;
      }
    }
  });
}

TEST_F(HostVectorsTest, AFactorOfZeroGivesZeros) {
  for (const double value : {nan, infinity}) {
    const auto x = vectors(Dense<double>(100, 3, value));
    x->scale_columns(std::vector<double>{0, 1, -0.0});
    const Dense<double> rows = own_rows(*x);
    for (Index i = 0; i < 100; ++i) {
      EXPECT_EQ(rows(i, 0), 0);
      EXPECT_FALSE(std::isfinite(rows(i, 1)));
      EXPECT_EQ(rows(i, 2), 0);
    }
  }
}

TEST_F(HostVectorsTest, DotsOfWholeNumbersAreExact) {
  for_sizes([&](Index rows, Index columns) {
    Dense<double> a(rows, columns), b(rows, columns);
    std::vector<double> expected(static_cast<std::size_t>(columns)), squares = expected;
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < columns; ++c) {
        a(i, c) = static_cast<double>((7 * i + c) % 1000 - 500);
        b(i, c) = static_cast<double>((3 * i + 5 * c) % 100);
        expected[c] += a(i, c) * b(i, c);
        squares[c] += a(i, c) * a(i, c);
      }
    }
    EXPECT_EQ(dots(*vectors(a), *vectors(b)), expected);
    const std::vector<double> lengths = norms(*vectors(a));
    for (Index c = 0; c < columns; ++c) EXPECT_EQ(lengths[c], std::sqrt(squares[c]));
  });
}

TEST_F(HostVectorsTest, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  test::Threads lent(1);
  for_sizes([&](Index rows, Index columns) {
    const auto x = random(rows, columns, 1), y = random(rows, columns, 2);
    lent.set(1);
    const std::vector<double> alone = dots(*x, *y), largest = maxima(*x);
    for (const int threads : {2, 4}) {
      lent.set(threads);
      EXPECT_EQ(dots(*x, *y), alone) << threads;
      EXPECT_EQ(maxima(*x), largest) << threads;
    }
  });
}

TEST_F(HostVectorsTest, MaximaOfMagnitudes) {
  for_sizes([&](Index rows, Index columns) {
    const Dense<double> values = random_multivector(rows, columns, 1);
    std::vector<double> expected(static_cast<std::size_t>(columns));
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < columns; ++c) {
        expected[c] = std::max(expected[c], std::abs(values(i, c)));
      }
    }
    EXPECT_EQ(maxima(*vectors(values)), expected);
  });
}

TEST_F(HostVectorsTest, ANanStaysTheMaximum) {
  for (const Index rows : {1, 300, 20000}) {
    for (const Index at : {Index{0}, rows / 2, rows - 1}) {
      Dense<double> values = random_multivector(rows, 3, 1);
      values(at, 1) = nan;
      values(rows / 3, 0) = -infinity;
      const std::vector<double> largest = maxima(*vectors(values));
      EXPECT_EQ(largest[0], infinity);
      EXPECT_TRUE(std::isnan(largest[1]));
      EXPECT_LE(largest[2], 1);
    }
  }
}

TEST_F(HostVectorsTest, ANanStaysTheMaximumOfOneColumn) {
  for (const Index rows : {1, 33, 300, 20000}) {
    for (const Index at : {Index{0}, rows / 2, rows - 1}) {
      Dense<double> values = random_multivector(rows, 1, 1);
      values(at, 0) = -infinity;
      EXPECT_EQ(maxima(*vectors(values)).front(), infinity);
      for (const double some : {nan, -nan}) {
        values(rows / 3, 0) = infinity;
        values(at, 0) = some;
        EXPECT_TRUE(std::isnan(maxima(*vectors(values)).front())) << rows << " " << at;
      }
    }
  }
}

TEST_F(HostVectorsTest, SubtractAndTellTheLargestThatIsLeft) {
  for_sizes([&](Index rows, Index columns) {
    const Dense<double> p = random_multivector(rows, columns, 1),
                        q = random_multivector(rows, columns, 2);
    Dense<double> x = random_multivector(rows, columns, 3),
                  r = random_multivector(rows, columns, 4);
    const auto of_x = vectors(x), of_r = vectors(r), of_p = vectors(p);
    const std::unique_ptr<Coefficients> numbers = of_x->coefficients(3);
    std::vector<double> over, under, wanted, largest(static_cast<std::size_t>(columns));
    for (Index c = 0; c < columns; ++c) {
      over.push_back(static_cast<double>(c + 1));
      under.push_back(2);
      wanted.push_back(c == 1 ? 0 : 1);
    }
    numbers->write(0, over);
    numbers->write(1, under);
    subtract(wanted, {0, 1}, *of_r, *vectors(q), {*numbers, 2});
    of_p->step_and_turn(wanted, *numbers, {0, 1}, *of_x, {1, 0}, *vectors(q));
    Dense<double> turned = p;
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < columns; ++c) {
        const double t = wanted[c] * over[c] / 2;
        turned(i, c) = q(i, c) + (wanted[c] * 2 / over[c]) * p(i, c);
        x(i, c) = std::fma(t, p(i, c), x(i, c));
        r(i, c) = std::fma(-t, q(i, c), r(i, c));
      }
    }
    const Dense<double> found_x = own_rows(*of_x), found_r = own_rows(*of_r);
    const Dense<double> found_p = own_rows(*of_p);
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < columns; ++c) {
        EXPECT_NEAR(found_x(i, c), x(i, c), 1e-14);
        EXPECT_NEAR(found_r(i, c), r(i, c), 1e-14);
        EXPECT_NEAR(found_p(i, c), turned(i, c), 1e-14);
        largest[c] = std::max(largest[c], std::abs(found_r(i, c)));
      }
    }
    std::vector<double> told(static_cast<std::size_t>(columns));
    numbers->read(2, told);
    EXPECT_EQ(told, largest);
    const ToRow squares{*numbers, 0};  // in the place of what t was made of
    const std::vector<double> none(wanted.size(), 0.0);
    subtract(none, {0, 1}, *of_r, *vectors(q), {*numbers, 2}, &squares);
    numbers->read(0, told);
    EXPECT_EQ(told, dots(*of_r, *of_r));
  });
  const auto p = random(300, 1, 2);
  Dense<double> residual = random_multivector(300, 1, 3);
  residual(77, 0) = nan;
  const auto r = vectors(residual);
  const std::unique_ptr<Coefficients> numbers = r->coefficients(3);
  const std::vector<double> one{1};
  numbers->write(0, one);
  numbers->write(1, one);
  subtract(one, {0, 1}, *r, *p, {*numbers, 2});
  std::vector<double> told(1);
  numbers->read(2, told);
  EXPECT_TRUE(std::isnan(told[0]));
}

TEST_F(HostVectorsTest, TakeSigns) {
  for_sizes([&](Index rows, Index columns) {
    const Dense<double> x = random_multivector(rows, columns, 1);
    Dense<double> y = random_multivector(rows, columns, 2);
    for (std::size_t k = 0; k < y.values.size(); k += 3) y.values[k] = k % 2 == 0 ? 0.0 : -0.0;
    std::vector<double> sums(static_cast<std::size_t>(columns)), changes = sums, sizes = sums,
                                                                 expected = sums;
    const auto of_x = vectors(x);
    of_x->own_take_signs(*vectors(y), sums, changes);
    const Dense<double> found = own_rows(*of_x);
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < columns; ++c) {
        EXPECT_EQ(found(i, c), y(i, c) < 0 ? -std::abs(x(i, c)) : std::abs(x(i, c)));
        sizes[c] += std::abs(x(i, c) * y(i, c));
        expected[c] += (x(i, c) < 0) != (y(i, c) < 0) ? 1 : 0;
      }
    }
    EXPECT_EQ(changes, expected);
    for (Index c = 0; c < columns; ++c) EXPECT_NEAR(sums[c], sizes[c], 1e-14 * (1 + sizes[c]));
  });
  // A value of 0 has a sign, too, and a nan has none.
  const auto x = vectors(Dense<double>(3, 1)), y = vectors(Dense<double>(3, 1));
  y->write_rows({0, 3}, std::vector<double>{-1, nan, 1});
  std::vector<double> sums(1), changes(1);
  x->own_take_signs(*y, sums, changes);
  EXPECT_EQ(changes[0], 1);
  EXPECT_TRUE(std::isnan(sums[0]));
  x->own_take_signs(*y, sums, changes);
  EXPECT_EQ(changes[0], 0);
}

TEST_F(HostVectorsTest, RowsFromTheFirstOfAMagnitudeOn) {
  for_sizes([&](Index rows, Index columns) {
    Dense<double> values = random_multivector(rows, columns, 1);
    std::vector<double> expected(static_cast<std::size_t>(columns)), found(expected.size(), nan);
    for (Index c = 0; rows > 0 && c < columns; ++c) {
      if (c == 1) continue;
      const Index first = (c + 1) * rows / (columns + 1);
      expected[c] = static_cast<double>(rows - first);
      values(first, c) = values(rows - 1, c) = c % 2 == 0 ? 2 : -2;
    }
    const std::vector<double> two(expected.size(), 2.0), nans(expected.size(), nan);
    vectors(values)->own_rows_from_first(two, found);
    EXPECT_EQ(found, expected);
    vectors(values)->own_rows_from_first(nans, found);
    EXPECT_EQ(found, std::vector<double>(expected.size(), 0.0));
  });
}

TEST_F(HostVectorsTest, TakeTheLargestOfRows) {
  for_sizes([&](Index rows, Index columns) {
    const Dense<double> y = random_multivector(rows, columns, 1);
    Dense<double> z = random_multivector(rows, columns, 2);
    if (rows > 4) z(3, columns / 2) = nan;
    const auto x = random(rows, 1, 3);
    x->take_largest(*vectors(y), *vectors(z));
    const Dense<double> found = own_rows(*x);
    for (Index i = 0; i < rows; ++i) {
      double largest = 0;
      for (Index c = 0; c < columns; ++c) {
        largest = std::max(largest, std::abs(y(i, c)) + std::abs(z(i, c)));
      }
      if (rows > 4 && i == 3) {
        EXPECT_TRUE(std::isnan(found(i, 0)));
      } else {
        EXPECT_EQ(found(i, 0), largest);
      }
    }
  });
}

}  // namespace
}  // namespace spsolve
