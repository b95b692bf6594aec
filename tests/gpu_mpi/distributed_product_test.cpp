// Products over ranks with GPUs: one each where there are enough, shared where not.

#include "distribute/distributed_product.hpp"

#include <gtest/gtest.h>

#include "cuda/distribute/cuda_backend.hpp"
#include "cuda/distribute/device_halo.hpp"
#include "cuda/multiply/cuda_kernels.hpp"
#include "gpu_mpi/gpu_team_test.hpp"
#include "helpers/product_cases.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate.hpp"

namespace spsolve::cuda {
namespace {

using namespace spsolve::test;

using DistributedGpuTest = GpuTeamTest;

template <typename T>
class OnGpus {
 public:
  OnGpus(Team& team, const Csr<double>& matrix, const RowBands& rows, const std::string& kernel,
         Index k)
      : team_(team),
        backend_(team),
        bands_(rows),
        x_bands_(bands_of_x(rows, matrix.columns)),
        product_(team, backend_, find_kernel(cuda_kernels(), kernel), KernelOptions{k, 0, 0},
                 compress_columns(
                     slice_rows(matrix, rows.band(team.rank()).first, rows.band(team.rank()).last)),
                 x_bands_) {}

  /// All of Y, on every rank, from all of X; the product is computed `times` times.
  std::vector<T> multiply(const std::vector<T>& x, Index k, int times = 1) {
    const Range rows = bands_.band(team_.rank()), x_rows = x_bands_.band(team_.rank());
    const auto x_block = maker<T>(backend_).block(x_rows.size() * k);
    const auto y_block = maker<T>(backend_).block(rows.size() * k);
    x_block->upload(std::span(x).subspan(static_cast<std::size_t>(x_rows.first * k),
                                         static_cast<std::size_t>(x_rows.size() * k)));
    for (int time = 0; time < times; ++time) {
      product_.multiply(x_block->data(), y_block->data(), k);
    }
    product_.finish();
    std::vector<T> y(static_cast<std::size_t>(bands_.rows * k), static_cast<T>(NAN));
    y_block->download(std::span(y).subspan(static_cast<std::size_t>(rows.first * k),
                                           static_cast<std::size_t>(rows.size() * k)));
    for (int rank = 0; rank < team_.size(); ++rank) {
      const Range band = bands_.band(rank);
      broadcast(team_,
                std::span<T>(y.data() + band.first * k, static_cast<std::size_t>(band.size() * k)),
                rank);
    }
    return y;
  }

  DistributedProduct<T>& product() { return product_; }
  const CudaBackend& backend() const { return backend_; }

 private:
  Team& team_;
  CudaBackend backend_;
  RowBands bands_, x_bands_;
  DistributedProduct<T> product_;
};

TEST_F(DistributedGpuTest, EveryMatrixWhileKChanges) {
  for (std::size_t c = 0; c < product_cases().size(); ++c) {
    const ProductCase& one = product_cases()[c];
    const auto& reference = product_references<double>()[c];
    SCOPED_TRACE(one.name);
    for (const RowBands& bands :
         {RowBands{one.matrix.rows, team.size()},
          bands_by_nonzeros(profile_of(one.matrix.row_offsets), team.size())}) {
      OnGpus<double> gpus(team, one.matrix, bands, "csr_lanes", 4);
      for (const Index k : {4, 16, 1, 3}) {
        within_bound(reference, gpus.multiply(leading_columns(reference, k), k), k);
      }
    }
  }
}

TEST_F(DistributedGpuTest, InFloatAndManyTimesInARow) {
  const Csr<double> matrix = generate_matrix("grid3d27:8:3");
  const auto reference = product_reference<float>(matrix);
  OnGpus<float> gpus(team, matrix, {matrix.rows, team.size()}, "csr_lanes", 16);
  within_bound(reference, gpus.multiply(leading_columns(reference, 16), 16, 20), 16);
}

TEST_F(DistributedGpuTest, EveryKernelOfTheTable) {
  for (std::size_t c = 0; c < product_cases().size(); ++c) {
    const ProductCase& one = product_cases()[c];
    if (one.name != "grid" && one.name != "symmetric random" && one.name != "random" &&
        one.name != "wide")
      continue;
    const auto& reference = product_references<double>()[c];
    for (const Kernel& kernel : cuda_kernels()) {
      for (const Index k : {1, 5}) {
        SCOPED_TRACE(fmt::format("{} by {}, K = {}", one.name, kernel.name, k));
        try {
          OnGpus<double> gpus(team, one.matrix, {one.matrix.rows, team.size()},
                              std::string(kernel.name), k);
          within_bound(reference, gpus.multiply(leading_columns(reference, k), k), k);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::input);
          EXPECT_EQ(error.scope(), Scope::every_rank);
          EXPECT_NE(kernel.refuse(reference.facts, k, sizeof(double)), "") << error.what();
        }
      }
    }
  }
}

TEST_F(DistributedGpuTest, TimesAndTransport) {
  const Csr<double> matrix = generate_matrix("grid2d:200");
  OnGpus<double> gpus(team, matrix, {matrix.rows, team.size()}, "csr_lanes", 8);
  gpus.multiply(std::vector<double>(matrix.columns * 8, 1.0), 8, 3);
  const ProductTimes times = gpus.product().finish();
  EXPECT_GT(times.interior, 0);
  EXPECT_GE(times.pack, 0);
  EXPECT_GE(times.exchange, 0);
  EXPECT_GE(times.boundary, 0);
  EXPECT_NE(gpus.backend().transport(), "");
  // Ranks have agreed on it.
  EXPECT_EQ(broadcast_text(team, gpus.backend().transport(), 0), gpus.backend().transport());
  EXPECT_FALSE(gpus.backend().device().empty());
}

}  // namespace
}  // namespace spsolve::cuda
