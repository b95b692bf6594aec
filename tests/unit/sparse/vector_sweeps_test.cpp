#include "sparse/kernels/vector_sweeps.hpp"

#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include "matrix/random.hpp"

namespace spsolve {
namespace {

using namespace vector_sweeps;

/// A front of h rows and n columns with a diagonal that is far from small, and, where ends are
/// padded, values after it that no result may depend on.
template <typename T>
struct Block {
  Block(Index h, Index n, Ends ends) : ld(h), a(static_cast<std::size_t>(h * n), T(0)) {
    for (Index k = 0; k < h * n; ++k) a[k] = number(k);
    for (Index j = 0; j < std::min(h, n); ++j) a[j + j * ld] = T(3) + number(j + 7);
    if (ends == Ends::padded) a.resize(a.size() + padding<T>, T(1e10));
  }
  static T number(Index k) {
    const auto part = [&](Index seed) {
      return static_cast<Real<T>>(unit_interval(random_bits(seed, static_cast<std::uint64_t>(k))) -
                                  0.5);
    };
    if constexpr (is_complex<T>) {
      return T(part(5), part(6));
    } else {
      return part(5);
    }
  }
  Wide<T> at(Index i, Index j) const { return Wide<T>(a[i + j * ld]); }

  Index ld;
  std::vector<T> a;
};

/// m numbers, and zeros after them as far as padding goes.
template <typename T>
std::vector<T> numbers(Index m, Index from) {
  std::vector<T> result(static_cast<std::size_t>(m + padding<T>), T(0));
  for (Index i = 0; i < m; ++i) result[i] = Block<T>::number(from + i);
  return result;
}

template <typename T>
class VectorSweeps : public testing::Test {
 protected:
  static constexpr double tolerance = std::is_same_v<Real<T>, float> ? 1e-4 : 1e-12;

  /// Numbers from `first` on and before `last` are those expected; the others, `rest_too`, as they
  /// were.
  static void expect_results(const std::vector<T>& found, const std::vector<Wide<T>>& expected,
                             const std::vector<T>& before, Index first, Index last, bool rest_too) {
    for (Index i = 0; i < static_cast<Index>(expected.size()); ++i) {
      if (i >= first && i < last) {
        EXPECT_LE(magnitude(Wide<T>(found[i]) - expected[i]), tolerance) << i;
      } else if (rest_too) {
        EXPECT_EQ(found[i], before[i]) << i;
      }
    }
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(VectorSweeps, Types);

const Index widths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 24, 31, 40};
const Index borders[] = {0, 1, 3, 7, 8, 9, 15, 16, 21};

/// Calls test(n, m, ends) for all sizes.
template <typename Test>
void for_sizes(const Test& test) {
  for (const Index n : widths) {
    for (const Index m : borders) {
      for (const Ends ends : {Ends::exact, Ends::padded}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", m = " << m
                                        << (ends == Ends::padded ? ", padded" : ", exact"));
        test(n, m, ends);
      }
    }
  }
}

TYPED_TEST(VectorSweeps, ForwardAndBackwardThroughALowerTriangle) {
  using T = TypeParam;
  for_sizes([&](Index n, Index m, Ends ends) {
    const Index h = n + m;
    const Block<T> l(h, n, ends);
    for (const bool unit : {false, true}) {
      const auto diagonal = [&](Index j) { return unit ? Wide<T>(1) : l.at(j, j); };
      std::vector<T> z = numbers<T>(h, 50);
      const std::vector<T> before = z;
      std::vector<Wide<T>> expected(before.begin(), before.end());
      for (Index j = 0; j < n; ++j) {
        expected[j] /= diagonal(j);
        for (Index i = j + 1; i < h; ++i) expected[i] -= l.at(i, j) * expected[j];
      }
      ends == Ends::padded ? forward_lower<Ends::padded>(unit, h, n, l.a.data(), l.ld, z.data())
                           : forward_lower<Ends::exact>(unit, h, n, l.a.data(), l.ld, z.data());
      this->expect_results(z, expected, before, 0, h, ends == Ends::exact);

      z = before;
      expected.assign(before.begin(), before.end());
      for (Index j = n; j-- > 0;) {
        for (Index i = j + 1; i < h; ++i) expected[j] -= l.at(i, j) * expected[i];
        expected[j] /= diagonal(j);
      }
      ends == Ends::padded ? backward_lower<Ends::padded>(unit, h, n, l.a.data(), l.ld, z.data())
                           : backward_lower<Ends::exact>(unit, h, n, l.a.data(), l.ld, z.data());
      this->expect_results(z, expected, before, 0, n, true);
    }
  });
}

TYPED_TEST(VectorSweeps, ForwardAndBackwardThroughAnUpperTriangle) {
  using T = TypeParam;
  for_sizes([&](Index n, Index m, Ends ends) {
    const Block<T> u(n + m, n, ends);
    std::vector<T> z = numbers<T>(n, 90);
    const std::vector<T> before = z;
    std::vector<Wide<T>> expected(before.begin(), before.end());
    for (Index j = n; j-- > 0;) {
      expected[j] /= u.at(j, j);
      for (Index i = 0; i < j; ++i) expected[i] -= u.at(i, j) * expected[j];
    }
    ends == Ends::padded ? backward_upper<Ends::padded>(n, u.a.data(), u.ld, z.data())
                         : backward_upper<Ends::exact>(n, u.a.data(), u.ld, z.data());
    this->expect_results(z, expected, before, 0, n, true);

    z = before;
    expected.assign(before.begin(), before.end());
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < j; ++i) expected[j] -= u.at(i, j) * expected[i];
      expected[j] /= u.at(j, j);
    }
    ends == Ends::padded ? forward_upper<Ends::padded>(n, u.a.data(), u.ld, z.data())
                         : forward_upper<Ends::exact>(n, u.a.data(), u.ld, z.data());
    this->expect_results(z, expected, before, 0, n, true);
  });
}

TYPED_TEST(VectorSweeps, SubtractProductsWithABlockAndItsTranspose) {
  using T = TypeParam;
  for_sizes([&](Index n, Index m, Ends ends) {
    const Block<T> a(m, n, ends);
    std::vector<T> x = numbers<T>(n, 11), y = numbers<T>(m, 200);
    const std::vector<T> x_before = x, y_before = y;
    std::vector<Wide<T>> expected(y.begin(), y.end());
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) expected[i] -= a.at(i, j) * Wide<T>(x[j]);
    }
    ends == Ends::padded ? subtract<Ends::padded>(m, n, a.a.data(), a.ld, x.data(), y.data())
                         : subtract<Ends::exact>(m, n, a.a.data(), a.ld, x.data(), y.data());
    this->expect_results(y, expected, y_before, 0, m, ends == Ends::exact);

    y = y_before;
    expected.assign(x.begin(), x.end());
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) expected[j] -= a.at(i, j) * Wide<T>(y[i]);
    }
    ends == Ends::padded
        ? subtract_transposed<Ends::padded>(m, n, a.a.data(), a.ld, y.data(), x.data())
        : subtract_transposed<Ends::exact>(m, n, a.a.data(), a.ld, y.data(), x.data());
    this->expect_results(x, expected, x_before, 0, n, true);
  });
}

}  // namespace
}  // namespace spsolve
