// Vectors in GPU memory against those of the host.

#include <limits>

#include "cuda/core/device_memory.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/device/device_vector_memory.hpp"
#include "gpu/gpu_test.hpp"
#include "gpu/vector_pairs.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::cuda {
namespace {

class GpuVectors : public GpuTest {
 protected:
  /// Calls work(rows, columns) for all sizes.
  template <typename Work>
  static void for_sizes(const Work& work) {
    for (const Index rows : {0, 1, 2, 31, 256, 2049, 70001}) {
      for (const Index columns : {1, 2, 3, 4, 8, 17, 64, 65, 130}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        work(rows, columns);
      }
    }
  }

  /// A factor for each column, a few of them 0.
  static std::vector<double> factors(Index columns) {
    std::vector<double> values = random_multivector(columns, 1, 9).values;
    for (std::size_t c = 2; c < values.size(); c += 5) values[c] = 0;
    return values;
  }

  static void expect_near(const DeviceVectors& device, const HostVectors& host) {
    const Dense<double> a = own_rows(device), b = own_rows(host);
    ASSERT_EQ(a.values.size(), b.values.size());
    double worst = 0;
    for (std::size_t k = 0; k < a.values.size(); ++k) {
      worst = std::max(worst, std::abs(a.values[k] - b.values[k]));
    }
    // A rounding of numbers below 4: compilers fuse products and sums, or don't.
    EXPECT_LE(worst, 0x1p-51);
  }

  SoloTeam team;
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_F(GpuVectors, AreMultipliedWithEachOther) {
  for_sizes([&](Index rows, Index columns) {
    for (const Index others : {1, 7, 64}) {
      const Dense<double> a = random_multivector(rows, columns, 1);
      const Dense<double> b = random_multivector(rows, others, 2);
      const Dense<double> f = random_multivector(others, columns, 3);
      const auto both = [&](const VectorMemory& memory) {
        const auto x = memory.vectors(team, RowLayout{rows, 1}, columns);
        const auto y = memory.vectors(team, RowLayout{rows, 1}, others);
        set_own_rows(*x, a);
        set_own_rows(*y, b);
        std::vector<Dense<double>> results{products(*x, *y)};
        for (const double own : {1.0, -0.5, 0.0}) {
          if (own == 0) x->fill(nan);
          x->add_product(own, *y, f.values);
          results.push_back(own_rows(*x));
        }
        return results;
      };
      const auto device = both(device_vector_memory()), host = both(host_vector_memory());
      for (std::size_t k = 0; k < host.size(); ++k) {
        const double most = 1e-15 * static_cast<double>(10 + (k == 0 ? rows : others));
        for (std::size_t i = 0; i < host[k].values.size(); ++i) {
          ASSERT_NEAR(device[k].values[i], host[k].values[i], most) << k;
        }
      }
    }
  });
}

TEST_F(GpuVectors, BeginAsZeros) {
  for_sizes([&](Index rows, Index columns) {
    const DeviceBytes before = device_bytes();
    const auto x = device_vector_memory().vectors(team, RowLayout{rows, 1}, columns);
    EXPECT_EQ(device_bytes().now - before.now, vectors_bytes(rows, columns));
    EXPECT_EQ(own_rows(*x).values, Dense<double>(rows, columns).values);
    const auto similar = x->similar(3);
    EXPECT_EQ(similar->columns(), 3);
    EXPECT_EQ(own_rows(*similar).values, Dense<double>(rows, 3).values);
  });
}

TEST_F(GpuVectors, AreFilledAtRandomAsOnTheHost) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    x.host.fill_random(11);
    x.device.fill_random(11);
    EXPECT_EQ(bits(x.device), bits(x.host));
  });
}

TEST_F(GpuVectors, RowsAreWrittenAndRead) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    EXPECT_EQ(bits(x.device), bits(x.host));
    const Range middle{rows / 3, rows - rows / 4};
    const Dense<double> values = random_multivector(middle.size(), columns, 2);
    x.host.write_rows(middle, values.values);
    x.device.write_rows(middle, values.values);
    EXPECT_EQ(bits(x.device), bits(x.host));
    Dense<double> read(middle.size(), columns);
    x.device.read_rows(middle, read.values);
    EXPECT_EQ(read.values, values.values);
  });
}

TEST_F(GpuVectors, AreFilledAndCopied) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    x.device.fill(0.7);
    EXPECT_EQ(own_rows(x.device).values, Dense<double>(rows, columns, 0.7).values);
    copy(VectorPair(team, rows, columns, 2).device, x.device);
    EXPECT_EQ(bits(x.device), bits(VectorPair(team, rows, columns, 2).host));
    EXPECT_EQ(bits(*copy_of(x.device)), bits(x.device));
  });
}

TEST_F(GpuVectors, CopyColumns) {
  struct Case {
    Index from_columns, to_columns, from, to, count;
  };
  for (const Index rows : {0, 1, 300, 5000}) {
    for (const Case& now : {Case{1, 1, 0, 0, 1}, Case{8, 8, 2, 4, 2}, Case{8, 8, 1, 4, 3},
                            Case{17, 8, 9, 0, 8}, Case{8, 17, 0, 9, 8}, Case{64, 4, 60, 0, 4},
                            Case{130, 134, 0, 2, 130}, Case{4, 4, 2, 1, 0}}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << now.count << " columns");
      const VectorPair y(team, rows, now.from_columns, 1);
      VectorPair x(team, rows, now.to_columns, 2);
      x.host.copy_columns(y.host, now.from, now.to, now.count);
      x.device.copy_columns(y.device, now.from, now.to, now.count);
      EXPECT_EQ(bits(x.device), bits(x.host));
    }
  }
}

TEST_F(GpuVectors, AddMultiples) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    const VectorPair y(team, rows, columns, 2);
    x.host.add_multiples(factors(columns), y.host);
    x.device.add_multiples(factors(columns), y.device);
    expect_near(x.device, x.host);
  });
}

TEST_F(GpuVectors, ColumnsAreScaled) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    x.host.scale_columns(factors(columns));
    x.device.scale_columns(factors(columns));
    EXPECT_EQ(bits(x.device), bits(x.host));
  });
}

TEST_F(GpuVectors, AFactorOfZeroGivesZeros) {
  for (const double value : {nan, infinity}) {
    VectorPair x(team, Dense<double>(100, 3, value));
    x.device.scale_columns(std::vector<double>{0, 1, -0.0});
    for (Index i = 0; i < 100; ++i) {
      EXPECT_EQ(own_rows(x.device)(i, 0), 0);
      EXPECT_FALSE(std::isfinite(own_rows(x.device)(i, 1)));
      EXPECT_EQ(own_rows(x.device)(i, 2), 0);
    }
  }
}

TEST_F(GpuVectors, RowsAreScaled) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    const VectorPair d(team, rows, 1, 2);
    x.host.scale_rows(d.host);
    x.device.scale_rows(d.device);
    EXPECT_EQ(bits(x.device), bits(x.host));
  });
}

TEST_F(GpuVectors, DotsAreThoseOfTheHostWithinRounding) {
  for_sizes([&](Index rows, Index columns) {
    const VectorPair x(team, rows, columns, 1), y(team, rows, columns, 2);
    const std::vector<double> host = dots(x.host, y.host), device = dots(x.device, y.device);
    ASSERT_EQ(device.size(), host.size());
    for (std::size_t c = 0; c < host.size(); ++c) {
      EXPECT_NEAR(device[c], host[c], 1e-15 * static_cast<double>(rows)) << c;
    }
    const std::vector<double> lengths = norms(x.device);
    for (std::size_t c = 0; c < host.size(); ++c) {
      EXPECT_NEAR(lengths[c], norms(x.host)[c], 1e-13 * lengths[c]);
    }
  });
}

TEST_F(GpuVectors, DotsOfWholeNumbersAreExact) {
  for_sizes([&](Index rows, Index columns) {
    Dense<double> a(rows, columns), b(rows, columns);
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < columns; ++c) {
        a(i, c) = static_cast<double>((7 * i + c) % 1000 - 500);
        b(i, c) = static_cast<double>((3 * i + 5 * c) % 100);
      }
    }
    const VectorPair x(team, a), y(team, b);
    EXPECT_EQ(dots(x.device, y.device), dots(x.host, y.host));
  });
}

TEST_F(GpuVectors, DotsHaveTheSameBitsAgain) {
  const Stream stream;
  for_sizes([&](Index rows, Index columns) {
    const VectorPair x(team, rows, columns, 1), y(team, rows, columns, 2);
    const std::vector<double> first = dots(x.device, y.device);
    EXPECT_EQ(bits(dots(x.device, y.device)), bits(first));
    const StreamScope scope(stream);
    const VectorPair again(team, rows, columns, 1);
    EXPECT_EQ(bits(dots(again.device, *copy_of(y.device))), bits(first));
  });
}

TEST_F(GpuVectors, MaximaAreThoseOfTheHost) {
  for_sizes([&](Index rows, Index columns) {
    const VectorPair x(team, rows, columns, 1);
    EXPECT_EQ(maxima(x.device), maxima(x.host));
  });
}

TEST_F(GpuVectors, ANanStaysTheMaximum) {
  for (const Index rows : {1, 300, 70001}) {
    for (const Index columns : {1, 4, 17}) {
      for (const Index at : {Index{0}, rows / 2, rows - 1}) {
        Dense<double> values = random_multivector(rows, columns, 1);
        values(at, columns / 2) = nan;
        values(rows / 3, 0) = -infinity;
        const VectorPair x(team, values);
        const std::vector<double> device = maxima(x.device), host = maxima(x.host);
        for (std::size_t c = 0; c < host.size(); ++c) {
          EXPECT_EQ(std::isnan(device[c]), std::isnan(host[c]));
          if (!std::isnan(host[c])) {
            EXPECT_EQ(device[c], host[c]);
          }
        }
      }
    }
  }
}

TEST_F(GpuVectors, SignsAndRowsAreThoseOfTheHost) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    Dense<double> values = random_multivector(rows, columns, 2);
    for (std::size_t k = 0; k < values.values.size(); k += 3) values.values[k] = 0;
    VectorPair y(team, values), one(team, rows, 1, 3);
    std::vector<double> sums(static_cast<std::size_t>(columns)), changes = sums, of_host = sums,
                                                                 changes_of_host = sums;
    for (int time = 0; time < 2; ++time) {
      x.device.own_take_signs(y.device, sums, changes);
      x.host.own_take_signs(y.host, of_host, changes_of_host);
      EXPECT_EQ(bits(x.device), bits(x.host));
      EXPECT_EQ(changes, changes_of_host);
      for (std::size_t c = 0; c < sums.size(); ++c) {
        EXPECT_NEAR(sums[c], of_host[c], 1e-14 * (1 + of_host[c]));
      }
    }
    std::vector<double> largest = maxima(x.host);
    if (columns > 2) largest[1] = 3;
    x.device.own_rows_from_first(largest, sums);
    x.host.own_rows_from_first(largest, of_host);
    EXPECT_EQ(sums, of_host);
    one.device.take_largest(x.device, y.device);
    one.host.take_largest(x.host, y.host);
    EXPECT_EQ(bits(one.device), bits(one.host));
  });
}

TEST_F(GpuVectors, TheFirstOfEqualRowsAndANanInOne) {
  const Index rows = 70001;
  Dense<double> values(rows, 3);
  for (const Index i : {12, 40000, 70000}) values(i, 0) = values(i, 2) = -1;
  values(5, 1) = nan;
  VectorPair x(team, values), one(team, rows, 1, 1);
  std::vector<double> left(3);
  x.device.own_rows_from_first(std::vector<double>{1, nan, 1}, left);
  EXPECT_EQ(left, (std::vector<double>{rows - 12, 0, rows - 12}));
  one.device.take_largest(x.device, x.device);
  const Dense<double> found = own_rows(one.device);
  EXPECT_TRUE(std::isnan(found(5, 0)));
  EXPECT_EQ(found(12, 0), 2);
  EXPECT_EQ(found(13, 0), 0);
}

TEST_F(GpuVectors, Combine) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1);
    const VectorPair y(team, rows, columns, 2), d(team, rows, 1, 3);
    const std::vector<double> own = random_multivector(columns, 1, 7).values;
    x.host.combine(own, factors(columns), y.host);
    x.device.combine(own, factors(columns), y.device);
    expect_near(x.device, x.host);
    for (const double kept : {0.0, 0.75}) {
      x.host.add_scaled_rows(kept, -1.5, d.host, y.host);
      x.device.add_scaled_rows(kept, -1.5, d.device, y.device);
      expect_near(x.device, x.host);
    }
  });
  VectorPair x(team, Dense<double>(100, 3, nan));
  const VectorPair y(team, 100, 3, 1), ones(team, Dense<double>(100, 1, 1.0));
  x.device.combine(std::vector<double>{0, 0, 0}, std::vector<double>{1, 1, 1}, y.device);
  EXPECT_EQ(bits(x.device), bits(y.host));
  x.device.fill(nan);
  x.device.add_scaled_rows(0, 1, ones.device, y.device);
  EXPECT_EQ(bits(x.device), bits(y.host));
}

/// Rows of coefficients of both memories, from sums that are exact in both.
struct CoefficientPair {
  enum Row : int { over, under, largest, squares, rows };

  explicit CoefficientPair(const VectorPair& x)
      : host(x.host.coefficients(rows)), device(x.device.coefficients(rows)) {
    std::vector<double> values(static_cast<std::size_t>(host->columns()));
    for (const int row : {over, under}) {
      for (std::size_t c = 0; c < values.size(); ++c) {
        values[c] = row == under && c % 3 == 2 ? 0.0 : 0.25 * static_cast<double>(c + 1 + row);
      }
      host->write(row, values);
      device->write(row, values);
    }
  }
  std::vector<double> of_host(int row) const { return read(*host, row); }
  std::vector<double> of_device(int row) const { return read(*device, row); }
  static std::vector<double> read(const Coefficients& all, int row) {
    std::vector<double> values(static_cast<std::size_t>(all.columns()));
    all.read(row, values);
    return values;
  }

  std::unique_ptr<Coefficients> host, device;
};

TEST_F(GpuVectors, SubtractStepAndTurnWithQuotientsOfCoefficients) {
  for_sizes([&](Index rows, Index columns) {
    VectorPair x(team, rows, columns, 1), r(team, rows, columns, 2), p(team, rows, columns, 3);
    const VectorPair q(team, rows, columns, 4);
    const CoefficientPair all(x);
    std::vector<double> wanted(static_cast<std::size_t>(columns), 1.0);
    for (std::size_t c = 1; c < wanted.size(); c += 4) wanted[c] = 0;
    const Quotient t{CoefficientPair::over, CoefficientPair::under};
    subtract(wanted, t, r.host, q.host, {*all.host, CoefficientPair::largest});
    subtract(wanted, t, r.device, q.device, {*all.device, CoefficientPair::largest});
    const std::vector<double> of_device = all.of_device(CoefficientPair::largest);
    EXPECT_EQ(of_device, maxima(r.device));
    VectorPair r2(team, rows, columns, 2);
    const ToRow squares{*all.device, CoefficientPair::squares};
    subtract(wanted, t, r2.device, q.device, {*all.device, CoefficientPair::largest}, &squares);
    EXPECT_EQ(all.of_device(CoefficientPair::largest), of_device);
    EXPECT_EQ(own_rows(r2.device).values, own_rows(r.device).values);
    EXPECT_EQ(all.of_device(CoefficientPair::squares), dots(r.device, r.device));
    const Quotient back{CoefficientPair::under, CoefficientPair::over};
    p.host.step_and_turn(wanted, *all.host, t, x.host, back, q.host);
    p.device.step_and_turn(wanted, *all.device, t, x.device, back, q.device);
    for (const VectorPair* pair : {&r, &x, &p}) {
      const Dense<double> found = own_rows(pair->device), expected = own_rows(pair->host);
      for (std::size_t k = 0; k < found.values.size(); ++k) {
        ASSERT_NEAR(found.values[k], expected.values[k],
                    1e-13 * (1 + std::abs(expected.values[k])));
      }
    }
  });
}

TEST_F(GpuVectors, CoefficientsAreSentAndTakenInTheirOrder) {
  const VectorPair x(team, Dense<double>(3000, 5, 2.0)), y(team, Dense<double>(3000, 5, 1.0));
  const auto all = x.device.coefficients(2);
  for (int step = 0; step < 6; ++step) {
    dots(x.device, step % 2 == 0 ? x.device : y.device, {*all, 1});
    all->send();
    if (step < all->lead()) continue;
    const bool of_x = (step - all->lead()) % 2 == 0;
    const Dense<double> taken = all->take();
    for (Index c = 0; c < 5; ++c) {
      EXPECT_EQ(taken(0, c), 0);
      EXPECT_EQ(taken(1, c), of_x ? 12000 : 6000);
    }
  }
}

}  // namespace
}  // namespace spsolve::cuda
