#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cuda/dense/split_precision/split_product.hpp"
#include "cuda/dense/streams/dense_streams.hpp"
#include "cuda/device/gpu_device.hpp"
#include "gpu_test.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "solve/gmres.hpp"

namespace spsolve::cuda {
namespace {

class GpuSplitProduct : public GpuTest {};
class GpuMixed : public GpuTest {};
class GpuFloat : public GpuTest {};

/// A rows x columns matrix of floats in [-size, size), in GPU memory with the given stride.
struct Matrix {
  Matrix(Index row_count, Index column_count, Index padding, double size, Index seed)
      : rows(row_count),
        columns(column_count),
        stride(column_count + padding),
        host(static_cast<std::size_t>(row_count * (column_count + padding))) {
    const Dense<double> random = random_multivector(row_count, column_count + padding, seed);
    for (std::size_t i = 0; i < host.size(); ++i) {
      host[i] = static_cast<float>(size * random.values[i]);
    }
    there = DeviceArray<float>(host);
  }
  double at(Index i, Index j) const { return host[i * stride + j]; }

  Index rows, columns, stride;
  std::vector<float> host;
  DeviceArray<float> there;
};

TEST_F(GpuSplitProduct, IsAsAccurateAsFloat) {
  struct Case {
    Index m, n, k, padding;
    double left, right;
  };
  for (const Case& now : {Case{1, 1, 1, 0, 1, 1}, Case{5, 3, 7, 1, 1, 1e-20},
                          Case{33, 65, 16, 3, 1, 1}, Case{300, 200, 128, 0, 8, 1e25},
                          Case{257, 511, 96, 5, 0.01, 1}, Case{600, 700, 512, 0, 1, 1}}) {
    const Matrix a(now.m, now.k, now.padding, now.left, 1);
    const Matrix b(now.k, now.n, now.padding, now.right, 2);
    Matrix c(now.m, now.n, now.padding, now.left * now.right, 3);
    DenseStreams streams;
    SplitProduct split(now.m, now.k, now.n);
    split.set_largest(now.right);
    split.take_left(a.there.data(), a.stride, now.m, now.k, streams.updates.get());
    split.subtract(streams.update_blas, b.there.data(), b.stride, now.n, c.there.data(), c.stride,
                   streams.updates.get());
    streams.updates.wait();
    std::vector<float> result(c.host.size());
    c.there.download(result);
    double worst = 0;
    for (Index i = 0; i < now.m; ++i) {
      for (Index j = 0; j < c.stride; ++j) {
        const double got = result[i * c.stride + j];
        if (j >= now.n) {
          EXPECT_EQ(got, c.at(i, j)) << "beyond the columns";
          continue;
        }
        double exact = c.at(i, j);
        double scale = std::abs(exact);
        for (Index k = 0; k < now.k; ++k) {
          exact -= a.at(i, k) * b.at(k, j);
          scale += std::abs(a.at(i, k) * b.at(k, j));
        }
        worst = std::max(worst, std::abs(got - exact) / scale);
      }
    }
    // A product of halves alone is off by 2^-11, one of TF32 as well.
    EXPECT_LE(worst, 0x1p-19) << now.m << " " << now.n << " " << now.k;
  }
}

TEST_F(GpuSplitProduct, WhatDoesNotFitBecomesInfinite) {
  const Matrix a(8, 8, 0, 1, 1);
  const Matrix b(8, 8, 0, 1e6, 2);
  Matrix c(8, 8, 0, 1, 3);
  DenseStreams streams;
  SplitProduct split(8, 8, 8);
  split.set_largest(1);
  split.take_left(a.there.data(), 8, 8, 8, streams.updates.get());
  split.subtract(streams.update_blas, b.there.data(), 8, 8, c.there.data(), 8,
                 streams.updates.get());
  streams.updates.wait();
  std::vector<float> result(64);
  c.there.download(result);
  EXPECT_TRUE(std::ranges::none_of(result, [](float value) { return std::isfinite(value); }));
}

/// A system that is eliminated in mixed precision, or in float for solutions that will be refined,
/// `b` being known.
std::unique_ptr<test::EliminatedSystem> eliminate_mixed(Team& team, ComputeDevice& memory,
                                                        const Csr<double>& matrix,
                                                        const Dense<double>& b, Index block,
                                                        Precision precision = Precision::mixed) {
  const EliminationChoice choice{Method::lu, Pivoting::tournament, precision, block, true};
  auto system = std::make_unique<test::EliminatedSystem>(team, memory, matrix, choice);
  system->eliminate(b);
  return system;
}

TEST_F(GpuMixed, ReachesDoubleWithFloatFactors) {
  SoloTeam team;
  const auto memory = gpu_device(team, Transport::automatic);
  for (const Index n : {1, 2, 40, 333, 1100}) {
    const Csr<double> matrix = test::sparse(random_multivector(n, n, n));
    const Dense<double> b = random_multivector(n, 2, 9);
    for (const Index wanted : {32, 100, 512}) {
      const auto system = eliminate_mixed(team, *memory, matrix, b, std::min(wanted, n));
      EXPECT_FALSE(system->facts().mixed->fell_back) << n << " by " << wanted;
      EXPECT_LE(system->facts().mixed->steps, 12) << n << " by " << wanted;
      EXPECT_LE(test::backward_error(matrix, b, system->solve(b)), attainable_error(n)) << n;
      EXPECT_TRUE(system->facts().seconds.has_value());
    }
  }
}

TEST_F(GpuMixed, SolvesWithTheTranspose) {
  const Index n = 300;
  Dense<double> dense = random_multivector(n, n, 4);
  Dense<double> transposed(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) transposed(j, i) = dense(i, j);
  }
  SoloTeam team;
  const auto memory = gpu_device(team, Transport::automatic);
  const Csr<double> matrix = test::sparse(dense);
  const Dense<double> b = random_multivector(n, 1, 9);
  const auto system = eliminate_mixed(team, *memory, matrix, b, 64);
  EXPECT_LE(test::backward_error(test::sparse(transposed), b, system->solve_transposed(b)),
            attainable_error(n));
}

TEST_F(GpuMixed, FallsBackToDouble) {
  SoloTeam team;
  const auto memory = gpu_device(team, Transport::automatic);
  const Csr<double> matrix = test::with_condition(150, 1e14, 4);
  const Dense<double> b = test::multiply(matrix, random_multivector(150, 1, 9));
  const auto system = eliminate_mixed(team, *memory, matrix, b, 64);
  EXPECT_TRUE(system->facts().mixed->fell_back);
  EXPECT_EQ(system->facts().notes.size(), 1u);
  EXPECT_LE(test::backward_error(matrix, b, system->solve(b)), attainable_error(150));
}

TEST_F(GpuMixed, SameBitsFromRunToRun) {
  SoloTeam team;
  const auto memory = gpu_device(team, Transport::automatic);
  const Csr<double> matrix = test::sparse(random_multivector(700, 700, 31));
  const Dense<double> b = random_multivector(700, 1, 32);
  const auto solve_once = [&] {
    return eliminate_mixed(team, *memory, matrix, b, 128)->solve(b).values;
  };
  EXPECT_EQ(solve_once(), solve_once());
}

TEST_F(GpuFloat, NearFactorsSolveToDouble) {
  SoloTeam team;
  const auto memory = gpu_device(team, Transport::automatic);
  for (const Index n : {1, 40, 1100}) {
    Csr<double> matrix = test::sparse(random_multivector(n, n, n));
    for (Index i = 0; i < n; ++i) matrix.values[matrix.row_offsets[i] + i] += 30;
    const Dense<double> b = random_multivector(n, 2, 9);
    const auto system =
        eliminate_mixed(team, *memory, matrix, b, std::min<Index>(100, n), Precision::float32);
    EXPECT_TRUE(system->facts().probe.has_value()) << n;
    EXPECT_TRUE(system->facts().notes.empty()) << n;
    EXPECT_LE(test::backward_error(matrix, b, system->solve(b)), attainable_error(n)) << n;
  }
}

TEST_F(GpuFloat, EliminatesOnceMoreWhatHalvesCannotHold) {
  // Entries grow to 2^23, which float holds exactly.
  const Index n = 24;
  const Csr<double> matrix = generate_matrix(fmt::format("gfpp:{}", n));
  const Dense<double> b = random_multivector(n, 1, 9);
  SoloTeam team;
  const auto memory = gpu_device(team, Transport::automatic);
  const auto system = eliminate_mixed(team, *memory, matrix, b, 4, Precision::float32);
  ASSERT_EQ(system->facts().notes.size(), 1u);
  EXPECT_NE(system->facts().notes[0].find("in the range of float"), std::string::npos);
  EXPECT_DOUBLE_EQ(system->facts().pivots.growth, std::ldexp(1.0, n - 1));
  EXPECT_LE(test::backward_error(matrix, b, system->solve(b)), 1e-2);
}

}  // namespace
}  // namespace spsolve::cuda
