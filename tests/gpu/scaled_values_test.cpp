#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include <gtest/gtest.h>

#include "cuda/device/device_vector_memory.hpp"
#include "cuda/sparse/values/device_scaled_values.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "gpu_test.hpp"
#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/values/scaling.hpp"
#include "team/team.hpp"

namespace spsolve::cuda {
namespace {

class GpuScaledValues : public GpuTest {};

/// Rows and columns of a matrix times powers of ten up to 10^+-decades, its symmetry kept.
Csr<double> badly_scaled(Csr<double> matrix, double decades) {
  const std::vector<double> factors = [&] {
    std::vector<double> result;
    for (Index i = 0; i < matrix.rows; ++i) {
      result.push_back(std::pow(10.0, decades * std::sin(static_cast<double>(i))));
    }
    return result;
  }();
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      matrix.values[k] *= factors[i] * factors[matrix.column_indices[k]];
    }
  }
  return matrix;
}

void expect_what_hosts_find(const Csr<double>& matrix, Factorization kind) {
  const auto analysis = test::analysis_of(matrix, kind);
  SoloTeam team;
  SystemMatrix of_gpu(team, RowLayout{matrix.rows, 1}, Csr<double>(matrix), device_vector_memory());
  const auto host = host_scaled_values(matrix);
  DeviceScaledValues device(of_gpu.local_rows(), of_gpu);
  for (const AutoSwitch wanted : {AutoSwitch::automatic, AutoSwitch::on}) {
    Equilibration expected, found;
    find_scale_factors(*host, *analysis, wanted, Precision::float64, expected);
    // Factors of the analysis are on the GPU from the first time on.
    for (int time = 0; time < 2; ++time) {
      find_scale_factors(device, *analysis, wanted, Precision::float64, found);
    }
    ASSERT_EQ(found.scales, expected.scales);
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    host->finish(expected.scales);
    device.finish(found.scales);
    EXPECT_EQ(device.on_host(), host->on_host());
    EXPECT_EQ(device.largest(), host->largest());
  }
}

TEST_F(GpuScaledValues, AreThoseOfAHost) {
  for (const char* spec :
       {"grid2d:70", "circuit:3000", "circuit:40000", "kkt:1500", "elastic3d:6", "convdiff3d:12",
        "power_law:3000:8", "random_sparse:500:500:40", "tridiagonal:1"}) {
    const Csr<double> good = generate_matrix(spec);
    const SymmetryFacts facts = symmetry_of(good);
    for (const double decades : {0.0, 3.0, 70.0}) {
      SCOPED_TRACE(testing::Message() << spec << ", factors to 10^" << decades);
      const Csr<double> matrix = badly_scaled(good, decades);
      expect_what_hosts_find(matrix, Factorization::lu);
      if (facts.symmetric) expect_what_hosts_find(matrix, Factorization::ldlt);
      if (facts.symmetric && facts.positive_diagonal) {
        expect_what_hosts_find(matrix, Factorization::cholesky);
      }
    }
  }
}

TEST_F(GpuScaledValues, AreThoseOfSomeEntriesWhereAskedFor) {
  const Csr<double> matrix = generate_matrix("circuit:3000");
  SoloTeam team;
  SystemMatrix of_gpu(team, RowLayout{matrix.rows, 1}, Csr<double>(matrix), device_vector_memory());
  const auto host = host_scaled_values(matrix);
  DeviceScaledValues device(of_gpu.local_rows(), of_gpu);
  std::vector<Index> some;
  for (Index k = 0; k < matrix.nonzeros(); k += 3) some.push_back(k);
  for (ScaledValues* values : {host.get(), static_cast<ScaledValues*>(&device)}) {
    values->take_only(some);
    values->begin({}, {});
    values->find_maxima(false);
    values->scale_rows(false);
  }
  for (const bool scales : {true, false}) {
    host->finish(scales);
    device.finish(scales);
    EXPECT_EQ(device.on_host().size(), some.size());
    EXPECT_EQ(device.on_host(), host->on_host());
    EXPECT_EQ(device.largest(), host->largest());
  }
}

TEST_F(GpuScaledValues, AreUploadedWhereRowsAreNotThoseOfTheMatrix) {
  Csr<double> rows = badly_scaled(generate_matrix("circuit:40000"), 3);
  SoloTeam team;
  SystemMatrix of_gpu(team, RowLayout{rows.rows, 1}, Csr<double>(rows), device_vector_memory());
  const auto host = host_scaled_values(rows);
  DeviceScaledValues device(rows, of_gpu);
  for (int round = 0; round < 3; ++round) {
    for (ScaledValues* values : {host.get(), static_cast<ScaledValues*>(&device)}) {
      values->begin({}, {});
      values->find_maxima(false);
      values->scale_rows(false);
      values->finish(true);
    }
    EXPECT_EQ(device.on_host(), host->on_host());
    for (std::size_t k = 0; k < rows.values.size(); k += 3) rows.values[k] *= -5;
  }
}

TEST_F(GpuScaledValues, GiveTheNormsOfAHost) {
  SoloTeam team;
  for (const double decades : {0.0, 3.0, 70.0}) {
    const Csr<double> matrix = badly_scaled(generate_matrix("circuit:3000"), decades);
    const RowLayout layout{matrix.rows, 1};
    SystemMatrix host(team, layout, Csr<double>(matrix));
    SystemMatrix device(team, layout, Csr<double>(matrix), device_vector_memory());
    Equilibration scaling;
    find_scale_factors(*host_scaled_values(matrix), *test::analysis_of(matrix, Factorization::lu),
                       AutoSwitch::on, Precision::float64, scaling);
    const Equilibration on_device{true, scaling.rows.on_host(), scaling.columns.on_host()};
    const double bound = 1e-13;
    EXPECT_NEAR(device.infinity_norm(on_device) / host.infinity_norm(scaling), 1, bound);
    EXPECT_NEAR(device.infinity_norm({}) / host.infinity_norm({}), 1, bound);
    EXPECT_NEAR(device.one_norm(on_device) / host.one_norm(scaling), 1, bound);
    EXPECT_NEAR(device.one_norm({}) / host.one_norm({}), 1, bound);
  }
  // Values that overflow before both factors are there.
  Csr<double> matrix = generate_matrix("tridiagonal:5");
  for (double& value : matrix.values) value = 0x1p1000;
  const Equilibration scaling{true, std::vector<double>(5, 0x1p-1020),
                              std::vector<double>(5, 0x1p100)};
  SystemMatrix device(team, RowLayout{5, 1}, Csr<double>(matrix), device_vector_memory());
  EXPECT_EQ(device.infinity_norm(scaling), 3 * 0x1p80);
  EXPECT_EQ(device.one_norm(scaling), 3 * 0x1p80);
}

TEST_F(GpuScaledValues, TellValuesThatAreNoNumbers) {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    Csr<double> matrix = generate_matrix("grid2d:30");
    matrix.values[1234] = value;
    SoloTeam team;
    SystemMatrix of_gpu(team, RowLayout{matrix.rows, 1}, Csr<double>(matrix),
                        device_vector_memory());
    DeviceScaledValues values(of_gpu.local_rows(), of_gpu);
    values.begin({}, {});
    values.finish(false);
    EXPECT_EQ(values.largest(), std::numeric_limits<double>::infinity());
    values.finish(true);
    EXPECT_EQ(values.largest(), std::numeric_limits<double>::infinity());
  }
}

TEST_F(GpuScaledValues, TellWhetherTheyAreSymmetric) {
  // Also rows that are taken in pieces.
  for (const Csr<double>& symmetric : {generate_matrix("grid2d:20"), test::hubs()}) {
    const Index last = symmetric.nonzeros() - 1;
    for (const auto& [entry, value, expected] :
         {std::tuple<Index, double, Mirrors>{0, symmetric.values[0] + 1, Mirrors::equal},
          {1, symmetric.values[1] * (1 + 4e-16), Mirrors::round},
          {1, symmetric.values[1] * 2, Mirrors::differ},
          {last - 1, 3.5, Mirrors::differ},
          {last, NAN, Mirrors::differ}}) {
      SCOPED_TRACE(testing::Message() << "entry " << entry << " of " << symmetric.rows << " rows");
      Csr<double> matrix = symmetric;
      matrix.values[entry] = value;
      ASSERT_EQ(symmetry_of(matrix).mirrors(), expected);
      SoloTeam team;
      SystemMatrix of_gpu(team, RowLayout{matrix.rows, 1}, Csr<double>(matrix),
                          device_vector_memory());
      for (const bool on_host : {true, false}) {
        std::unique_ptr<ScaledValues> values = host_scaled_values(matrix);
        if (!on_host) values = std::make_unique<DeviceScaledValues>(of_gpu.local_rows(), of_gpu);
        values->begin({}, {});
        EXPECT_EQ(values->mirrors(), expected);
      }
    }
  }
}

}  // namespace
}  // namespace spsolve::cuda
