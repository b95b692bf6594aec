// Complex factors and sums of vectors in GPU memory against those of the host, and what Krylov
// methods make of them.

#include <complex>

#include "cuda/device/gpu_device.hpp"
#include "gpu/gpu_test.hpp"
#include "gpu/vector_pairs.hpp"
#include "helpers/product_cases.hpp"
#include "helpers/systems_in_bands.hpp"

namespace spsolve::cuda {
namespace {

using Complex = std::complex<double>;

class GpuComplexVectors : public GpuTest {
 protected:
  template <typename Work>
  void for_sizes(const Work& work) {
    for (const Index rows : {0, 2, 62, 2050, 70002}) {
      for (const Index columns : {1, 2, 3, 4, 17, 64, 65, 130}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        VectorPair x(team, rows, columns, 1), y(team, rows, columns, 2);
        std::vector<Complex> factors;
        for (Index c = 0; c < columns; ++c) {
          const auto at = static_cast<double>(c);
          factors.emplace_back(c % 5 == 3 ? 0 : std::cos(at), c % 5 == 3 ? 0 : std::sin(at));
        }
        work(x, y, factors);
      }
    }
  }

  static void expect_near(const VectorPair& x) {
    const Dense<double> a = own_rows(x.device), b = own_rows(x.host);
    ASSERT_EQ(a.values.size(), b.values.size());
    for (std::size_t k = 0; k < a.values.size(); ++k) {
      ASSERT_NEAR(a.values[k], b.values[k], 0x1p-49) << k;
    }
  }

  SoloTeam team;
};

TEST_F(GpuComplexVectors, MultiplesAreAddedAndCombined) {
  for_sizes([](VectorPair& x, VectorPair& y, const std::vector<Complex>& factors) {
    std::vector<Complex> own = factors;
    for (Complex& value : own) value = std::conj(value) / 4.0;
    const auto both = [&](const auto& work) {
      work(static_cast<Vectors&>(x.host), y.host);
      work(static_cast<Vectors&>(x.device), y.device);
      expect_near(x);
    };
    both([&](Vectors& a, const Vectors& b) { a.add_multiples(factors, b); });
    both([&](Vectors& a, const Vectors& b) { a.combine(own, factors, b); });
    both([&](Vectors& a, const Vectors&) { a.scale_columns(own); });
    both([&](Vectors& a, const Vectors& b) {
      std::vector<std::unique_ptr<Vectors>> list;
      list.push_back(copy_of(b));
      list.push_back(copy_of(a));
      std::vector<Complex> twice = factors;
      twice.insert(twice.end(), own.begin(), own.end());
      a.add_multiples_of_each(std::span<const Complex>(twice), list);
    });
    // An own factor of zero takes nothing of what is there.
    both([&](Vectors& a, const Vectors& b) {
      a.fill(std::numeric_limits<double>::quiet_NaN());
      a.combine(std::vector<Complex>(own.size()), factors, b);
    });
  });
}

TEST_F(GpuComplexVectors, SumsAreThoseOfTheHost) {
  for_sizes([](VectorPair& x, VectorPair& y, const std::vector<Complex>&) {
    const auto sums = [](const Vectors& a, const Vectors& b) {
      std::vector<std::unique_ptr<Vectors>> list;
      list.push_back(copy_of(b));
      list.push_back(copy_of(a));
      const auto of_each = dots<Complex>(a, list), one = dots<Complex>(a, b);
      // Sums of each are the same bits as one by one.
      EXPECT_TRUE(std::equal(one.begin(), one.end(), of_each.begin()));
      const auto plain = bilinear<Complex>(a, b);
      std::vector<Complex> all = of_each;
      all.insert(all.end(), plain.begin(), plain.end());
      for (const double value : dots<double>(a, list)) all.emplace_back(value);
      return all;
    };
    const auto host = sums(x.host, y.host), device = sums(x.device, y.device);
    ASSERT_EQ(host.size(), device.size());
    const double most = 1e-15 * static_cast<double>(x.host.height()) + 1e-14;
    for (std::size_t k = 0; k < host.size(); ++k) {
      ASSERT_LE(std::abs(host[k] - device[k]), 8 * most) << k;
    }
    EXPECT_EQ(sums(x.device, y.device), device);  // the same bits again
  });
}

}  // namespace
}  // namespace spsolve::cuda
