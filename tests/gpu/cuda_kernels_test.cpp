// Every row of the table of GPU kernels against a product summed in long double, on the matrices
// and within the bound of the host's kernels (helpers/product_cases.hpp).

#include "cuda/multiply/cuda_kernels.hpp"

#include <string>
#include <vector>

#include "apps/bench/gpu/cuda_device.hpp"
#include "apps/bench/multiply/multiply_bench.hpp"
#include "core/error.hpp"
#include "cuda/multiply/published/csr_kernels.hpp"
#include "gpu/band_products_cases.hpp"
#include "gpu/device_product.hpp"
#include "gpu/gpu_test.hpp"
#include "helpers/product_cases.hpp"
#include "helpers/test_matrices.hpp"
#include "io/matrix_source.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::cuda {
namespace {

using namespace test;

TEST(PublishedCudaKernels, AreAllInTheTable) {
  for (const char* name :
       {"csr_scalar_1", "csr_scalar_2", "csr_scalar_3", "csr_vector", "csr_vector_subwarp",
        "csr_adaptive", "csr_vector_by_row", "csr_adaptive_subblocks", "ellpack", "ellpack_subwarp",
        "csr_product_tree", "dense_tiled", "symmetric_atomic", "symmetric_colored"}) {
    EXPECT_EQ(find_kernel(cuda_kernels(), name).name, name);
  }
}

/// Y of one product on the GPU.
template <typename T>
std::vector<T> gpu_product(KernelProduct<T>& product, const std::vector<T>& x, Index size,
                           Index columns) {
  return guarded_product<T>(size, [&](std::vector<T>& buffer, Index first) {
    const DeviceArray<T> x_device(x);
    DeviceArray<T> buffer_device(buffer);
    product.multiply(x_device.data(), buffer_device.data() + first, columns);
    CUDA_CHECK(cudaDeviceSynchronize());
    buffer_device.download(buffer);
  });
}

/// One kernel, one matrix: all of `column_counts` with one Product. False where the kernel refuses
/// the matrix.
template <typename T>
bool check(const Kernel& kernel, const ProductReference<T>& reference,
           std::initializer_list<Index> column_counts, int width = 0) {
  if (const std::string reason = kernel.refuse(reference.facts, 1, sizeof(T)); !reason.empty()) {
    EXPECT_GT(reason.size(), 10u);
    return false;
  }
  const auto product = prepare(kernel, reference.matrix, {1, 0, width});
  const auto again = prepare(kernel, reference.matrix, {1, 0, width});
  for (const Index columns : column_counts) {
    if (!kernel.refuse(reference.facts, columns, sizeof(T)).empty()) continue;
    SCOPED_TRACE(testing::Message() << "K = " << columns);
    const std::vector<T> x = leading_columns(reference, columns);
    const Index size = reference.matrix.rows * columns;
    const bool failed_before = testing::Test::HasFailure();
    const std::vector<T> y = gpu_product(*product, x, size, columns);
    SCOPED_TRACE(product->detail());
    if (testing::Test::HasFailure() && !failed_before) ADD_FAILURE() << "by what is named here";
    // `auto` has no bytes before its first product, which converts the matrix.
    if (reference.matrix.nonzeros() > 0) {
      EXPECT_GT(product->bytes(), 0);
    }
    if (!within_bound(reference, y, columns)) return true;
    if (kernel.reproducible) {
      EXPECT_TRUE(same_bits(y, gpu_product(*again, x, size, columns))) << "two runs differ";
    }
  }
  return true;
}

class CudaKernel : public GpuTest, public testing::WithParamInterface<std::size_t> {
 protected:
  const Kernel& kernel() const { return cuda_kernels()[GetParam()]; }

  template <typename T>
  void check_all_cases() {
    for (std::size_t k = 0; k < product_cases().size(); ++k) {
      SCOPED_TRACE(product_cases()[k].name);
      const auto& reference = product_references<T>()[k];
      const bool taken =
          check(kernel(), reference, {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64});
      const bool takes_real = kernel().name != "complex_rows";
      EXPECT_EQ(taken || !reference.facts.symmetric(), takes_real || !reference.facts.symmetric())
          << "real symmetric matrices are taken by all kernels of real ones";
    }
  }
};

TEST_P(CudaKernel, Float) {
  check_all_cases<float>();
}

TEST_P(CudaKernel, Double) {
  check_all_cases<double>();
}

TEST_P(CudaKernel, ComplexMatrices) {
  static const auto even =
      product_reference<double>(complex_rows_of_lengths(std::vector<Index>(3001, 9), 3300, false));
  static const auto uneven = product_reference<double>(
      complex_rows_of_lengths({0, 1, 2, 40, 0, 7, 900, 33, 1, 2}, 1000, true));
  static const auto few =
      product_reference<float>(complex_rows_of_lengths(std::vector<Index>(77, 5), 90, true));
  for (const auto* reference : {&even, &uneven}) {
    check(kernel(), *reference, {1, 2, 3, 4, 5, 8, 16, 17, 31, 33, 64});
  }
  check(kernel(), few, {1, 2, 3, 4, 5, 8, 16, 17, 31, 33, 64});
}

TEST_P(CudaKernel, MatricesOfManyBlocks) {
  static const auto irregular = product_reference<double>(generate_matrix("power_law:30000:8"));
  static const auto regular = product_reference<double>(generate_matrix("grid2d:150"));
  for (const auto* reference : {&irregular, &regular}) {
    // A dense form of these is large, and adds nothing.
    if (kernel().format != "dense") check(kernel(), *reference, {1, 5, 64});
  }
}

// Rows that threads go through several of, some distance or a few rows apart.
TEST_P(CudaKernel, RowsByTypeBeyondCaches) {
  if (kernel().name != "row_types") GTEST_SKIP() << "others share rows in one way";
  const auto grid = product_reference<double>(generate_matrix("grid3d:45"));
  check(kernel(), grid, {64});
  const auto in_float = product_reference<float>(generate_matrix("grid3d:60"));
  check(kernel(), in_float, {64});
  check(kernel(), product_reference<double>(generate_matrix("tridiagonal:400000")), {16, 17});
}

// The launch of one product may begin while that of the one before ends, whose Y is its X.
TEST_P(CudaKernel, ProductsOfProductsWaitForEachOther) {
  if (!kernel().reproducible) GTEST_SKIP() << "its sums have another order each time";
  for (const char* name : {"grid2d:40", "power_law:2000:8"}) {
    SCOPED_TRACE(name);
    const auto reference = product_reference<double>(generate_matrix(name));
    for (const Index columns : {1, 4, 16}) {
      if (!kernel().refuse(reference.facts, columns, sizeof(double)).empty()) continue;
      const auto product = prepare(kernel(), reference.matrix, {1, 0, 0});
      const std::vector<double> x = leading_columns(reference, columns);
      const auto chain = [&](bool with_waits) {
        DeviceArray<double> even(x), odd(static_cast<Index>(x.size()));
        for (int step = 0; step < 12; ++step) {
          product->multiply(even.data(), odd.data(), columns);
          std::swap(even, odd);
          if (with_waits) wait_for_device();
        }
        wait_for_device();
        std::vector<double> y(x.size());
        even.download(y);
        return y;
      };
      const std::vector<double> expected = chain(true);
      for (int round = 0; round < 5; ++round) EXPECT_TRUE(same_bits(chain(false), expected));
    }
  }
}

// Few enough products for a tool that makes each a thousand times slower.
TEST_P(CudaKernel, SmallMatrices) {
  for (const char* name : {"random_sparse:333:333:9", "power_law:400:6", "grid3d27:4:3"}) {
    SCOPED_TRACE(name);
    check(kernel(), product_reference<double>(generate_matrix(name)), {1, 4, 9, 33, 64});
  }
}

TEST_P(CudaKernel, RealMatrices) {
  for_real_matrices({"662_bus.mtx", "bcsstk08.mtx", "msc01050.mtx", "mahindas.mtx",
                     "adder_dcop_05.mtx", "Harvard500.mtx", "lp_kb2.mtx", "Maragal_1.mtx"},
                    [&](const std::string&, const Csr<double>& matrix) {
                      check(kernel(), product_reference<double>(matrix), {1, 3, 8});
                      check(kernel(), product_reference<float>(matrix), {1, 5});
                      return true;
                    });
}

/// Leaves bytes of this value in what is given out next.
void fill_free_memory(int value) {
  std::vector<DeviceArray<unsigned char>> filled;
  for (Index bytes = 256; bytes <= Index{4} << 20; bytes *= 2) {
    for (int copy = 0; copy < 16; ++copy) {
      filled.emplace_back(bytes);
      CUDA_CHECK(cudaMemset(filled.back().data(), value, static_cast<std::size_t>(bytes)));
    }
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

// A workspace that is read before it is written, say.
TEST_P(CudaKernel, DoesNotHangOnWhatMemoryHeldBefore) {
  const auto dense = product_reference<double>(generate_matrix("random_sparse:32:14:7"));
  const auto uneven = product_reference<double>(generate_matrix("power_law:400:6"));
  for (const int value : {0x00, 0x01, 0x3f, 0x7f, 0xff}) {
    SCOPED_TRACE(testing::Message() << "bytes of " << value);
    for (const auto* reference : {&dense, &uneven}) {
      fill_free_memory(value);
      check(kernel(), *reference, {1, 5});
    }
    for_real_matrices({"Maragal_1.mtx"}, [&](const std::string&, const Csr<double>& matrix) {
      const auto reference = product_reference<double>(matrix);
      fill_free_memory(value);
      check(kernel(), reference, {1});
      return true;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Table, CudaKernel, testing::Range<std::size_t>(0, cuda_kernels().size()),
                         [](const auto& test) {
                           return std::string(cuda_kernels()[test.param].name);
                         });

class CudaKernels : public GpuTest {};

TEST_F(CudaKernels, TakeTheirWidths) {
  const auto reference = product_reference<double>(generate_matrix("power_law:400:6"));
  for (const char* name : {"csr_vector_subwarp", "ellpack_subwarp", "dense_tiled"}) {
    const Kernel& kernel = find_kernel(cuda_kernels(), name);
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      if (width == 1 && kernel.format == "dense") continue;
      SCOPED_TRACE(testing::Message() << name << ", width " << width);
      check(kernel, reference, {1, 6, 33}, width);
    }
    try {
      gpu_product(*prepare(kernel, reference.matrix, {1, 0, 3}), leading_columns(reference, 1),
                  reference.matrix.rows, 1);
      ADD_FAILURE() << name << " takes width 3";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
    }
  }
}

TEST_F(CudaKernels, RunOnTheCurrentStream) {
  const auto reference = product_reference<double>(generate_matrix("random_sparse:333:333:9"));
  const Stream stream;
  const StreamScope scope(stream);
  for (const Kernel& kernel : cuda_kernels()) {
    SCOPED_TRACE(kernel.name);
    check(kernel, reference, {1, 5});
  }
}

TEST_F(CudaKernels, MultiplyFromHostMemory) {
  const auto reference = product_reference<double>(generate_matrix("grid2d:17"));
  const auto product =
      prepare(find_kernel(cuda_kernels(), "csr_vector"), reference.matrix, KernelOptions{});
  const std::vector<double> x = leading_columns(reference, 3);
  std::vector<double> y(reference.matrix.rows * 3);
  multiply_on_device<double>(*product, x, y, 3);
  EXPECT_TRUE(within_bound(reference, y, 3));
}

TEST_F(CudaKernels, AreSampledColdAndWarm) {
  CudaDevice device(true);
  EXPECT_GT(device.bandwidth(0), 1e9);
  const Csr<double> matrix = generate_matrix("grid2d:100");
  bench::MultiplyPlan plan;
  plan.columns = {3};
  plan.sampling = {3, 1e-4};
  for (const Kernel& kernel : cuda_kernels()) {
    if (kernel.format != "dense") plan.kernels.push_back(&kernel);
  }
  bench::Device* const devices[] = {&device};
  SoloTeam alone;
  const auto rows =
      bench::sample_products(alone, bench::whole_case("grid2d:100", matrix, plan, devices), plan);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    SCOPED_TRACE(rows[k].name);
    EXPECT_EQ(rows[k].refused, plan.kernels[k]->refuse(facts_of(matrix), 3, sizeof(double)));
    if (!rows[k].measured()) continue;
    EXPECT_LE(rows[k].number("scaled_error"), rows[k].number("error_bound"));
    EXPECT_GT(rows[k].number("median_s"), 0);
    EXPECT_EQ(rows[k].statistics("cold_median_s").count, 3);
  }
}

// Tests that need no GPU.

TEST(CudaTable, NamesAreUniqueAndOfTheGpu) {
  const auto table = cuda_kernels();
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].device, KernelDevice::cuda) << table[i].name;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(table[i].name, table[j].name);
  }
}

TEST(CudaTable, RefusesWithAReason) {
  const auto reason = [](std::string_view name, const MatrixFacts& facts, Index columns) {
    return find_kernel(cuda_kernels(), name).refuse(facts, columns, sizeof(double));
  };
  const MatrixFacts arrow{.rows = 46500,
                          .columns = 46500,
                          .nonzeros = 139498,
                          .longest_row = 46500,
                          .mirrors = Mirrors::equal,
                          .furthest = {}},
      general{.rows = 10, .columns = 10, .nonzeros = 30, .longest_row = 5, .furthest = {}};
  EXPECT_NE(reason("ellpack", arrow, 1), "");
  EXPECT_NE(reason("dense_tiled", arrow, 1), "");
  EXPECT_NE(reason("symmetric_colored", general, 1), "");
  EXPECT_NE(reason("cusparse_csr_spmv_1", general, 2), "");
  EXPECT_EQ(reason("cusparse_csr_spmv_1", general, 1), "");
}

TEST(RowBlocks, HoldWhatFitsIntoSharedMemory) {
  EXPECT_EQ(row_blocks_of(std::vector<Index>{0}), std::vector<Index>{0});
  constexpr Index most = row_block_entries;
  EXPECT_EQ(row_blocks_of(std::vector<Index>{0, most - 1, most, most + 1}),
            (std::vector<Index>{0, 2, 3}));
  EXPECT_EQ(row_blocks_of(std::vector<Index>{0, 1, most + 2, most + 3}),
            (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(row_blocks_of(std::vector<Index>(most + 2, 0)),  // empty rows
            (std::vector<Index>{0, most, most + 1}));
  const Csr<double> matrix = generate_matrix("power_law:5000:9");
  const auto blocks = row_blocks_of(matrix.row_offsets);
  EXPECT_EQ(blocks.back(), matrix.rows);
  for (std::size_t b = 0; b + 1 < blocks.size(); ++b) {
    const Index nonzeros = matrix.row_offsets[blocks[b + 1]] - matrix.row_offsets[blocks[b]];
    EXPECT_TRUE(nonzeros <= most || blocks[b + 1] == blocks[b] + 1);
    EXPECT_LT(blocks[b], blocks[b + 1]);
  }
}

}  // namespace
}  // namespace spsolve::cuda
