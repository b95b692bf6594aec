#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "core/blas/blas.hpp"

namespace spsolve::blas {

TEST(BlasLibrary, ComputesByNoKernelsOf2004WhereTheProcessorCanDoMore) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) {
    GTEST_SKIP() << "OPENBLAS_CORETYPE is in the environment";
  }
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "a processor without AVX2";
#endif
  EXPECT_EQ(library().find("Prescott"), std::string::npos) << library();
}

TEST(BlasLibrary, HasNothingToChooseTwice) {
  const std::string chosen = library();
  EXPECT_FALSE(choose_kernels());
  EXPECT_EQ(library(), chosen);
}

TEST(BlasLibrary, MultipliesWholeNumbersExactly) {
  constexpr Index n = 150;
  const auto value = [](Index i, Index j) { return static_cast<double>((i * 7 + j * 3) % 11 - 5); };
  std::vector<double> a, expected(n * n, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) a.push_back(value(i, j));
  }
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      for (Index j = 0; j < n; ++j) expected[i * n + j] += a[i * n + k] * a[k * n + j];
    }
  }
  std::vector<double> c(a.size());
  product(n, n, n, a.data(), n, a.data(), n, c.data(), n);
  EXPECT_EQ(c, expected);
}

}  // namespace spsolve::blas
