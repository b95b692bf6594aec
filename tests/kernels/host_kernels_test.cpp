// Every row of the table of host kernels against a product summed in long double, for both types,
// many K, many shapes and several numbers of threads; see helpers/product_cases.hpp for the bound.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/product_cases.hpp"
#include "helpers/test_matrices.hpp"
#include "io/matrix_source.hpp"
#include "matrix/generate/generate.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve {
namespace {

using namespace test;

/// Y of one product on the host.
template <typename T>
std::vector<T> host_product(KernelProduct<T>& product, const std::vector<T>& x, Index size,
                            Index columns) {
  return guarded_product<T>(size, [&](std::vector<T>& buffer, Index first) {
    product.multiply(x.data(), buffer.data() + first, columns);
  });
}

/// One kernel, one matrix: all of `widths` with one Product for each number of threads. False
/// where the kernel refuses the matrix.
template <typename T>
bool check(const Kernel& kernel, const ProductReference<T>& reference,
           std::initializer_list<Index> widths, std::initializer_list<int> team_sizes) {
  if (const std::string reason = kernel.refuse(reference.facts, 1, sizeof(T)); !reason.empty()) {
    EXPECT_GT(reason.size(), 10u);
    return false;
  }
  for (const int threads : team_sizes) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    const auto product = prepare(kernel, reference.matrix, {1, threads, 0});
    const auto again = prepare(kernel, reference.matrix, {1, threads, 0});
    if (reference.matrix.nonzeros() > 0) {
      EXPECT_GT(product->bytes(), 0);
    }
    for (const Index columns : widths) {
      if (!kernel.refuse(reference.facts, columns, sizeof(T)).empty()) continue;
      SCOPED_TRACE(testing::Message() << "K = " << columns);
      const std::vector<T> x = leading_columns(reference, columns);
      const Index size = reference.matrix.rows * columns;
      const std::vector<T> y = host_product(*product, x, size, columns);
      if (!within_bound(reference, y, columns)) return true;
      if (kernel.reproducible) {
        EXPECT_TRUE(same_bits(y, host_product(*again, x, size, columns))) << "two runs differ";
      }
    }
  }
  return true;
}

class HostKernel : public testing::TestWithParam<std::size_t> {
 protected:
  const Kernel& kernel() const { return host_kernels()[GetParam()]; }

  template <typename T>
  void check_all_cases() {
    bool symmetric_taken = true;
    for (std::size_t k = 0; k < product_cases().size(); ++k) {
      SCOPED_TRACE(product_cases()[k].name);
      const bool taken = check(kernel(), product_references<T>()[k],
                               {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64}, {1, 2, 3});
      symmetric_taken = symmetric_taken && (taken || !product_references<T>()[k].facts.symmetric());
    }
    // None of them is a real form.
    EXPECT_EQ(symmetric_taken, kernel().name != "complex_rows")
        << "no kernel refuses these symmetric matrices";
  }
};

TEST_P(HostKernel, Float) {
  check_all_cases<float>();
}

TEST_P(HostKernel, Double) {
  check_all_cases<double>();
}

TEST_P(HostKernel, RealMatrices) {
  constexpr Index most_nonzeros = 30000, largest_dense = 2000000;
  // Regular, irregular, unsymmetric with empty diagonals, rectangular, symmetric, one dense row.
  test::for_real_matrices(
      {"662_bus.mtx", "1138_bus_shuffled.mtx", "bcsstk08.mtx", "msc01050.mtx", "mahindas.mtx",
       "bp_800.mtx", "adder_dcop_05.mtx", "Harvard500.mtx", "GD00_a.mtx", "lp_kb2.mtx",
       "Maragal_1.mtx", "IG5-6.mtx", "poisson1033.mtx", "bcsstm13.mtx", "dwt_592.mtx",
       "n4c5-b11.mtx", "Trefethen_500.mtx", "west0497.mtx"},
      [&](const std::string&, const Csr<double>& matrix) {
        if (matrix.nonzeros() > most_nonzeros || matrix.rows * matrix.columns > largest_dense) {
          return false;
        }
        check(kernel(), product_reference<double>(matrix), {1, 3, 8}, {2});
        check(kernel(), product_reference<float>(matrix), {1, 5}, {2});
        return true;
      });
}

INSTANTIATE_TEST_SUITE_P(Table, HostKernel, testing::Range<std::size_t>(0, host_kernels().size()),
                         [](const auto& test) {
                           return std::string(host_kernels()[test.param].name);
                         });

/// `name` must refuse the facts with a sentence that holds `word`.
void expect_refusal(std::string_view name, const MatrixFacts& facts, std::string_view word) {
  const std::string reason = find_kernel(host_kernels(), name).refuse(facts, 1, sizeof(double));
  EXPECT_NE(reason.find(word), std::string::npos) << name << ": '" << reason << "'";
}

TEST(HostKernels, RefuseWithAReason) {
  // arrow.mtx: one full row among 46500 short ones.
  const MatrixFacts arrow{.rows = 46500,
                          .columns = 46500,
                          .nonzeros = 139498,
                          .longest_row = 46500,
                          .mirrors = Mirrors::equal,
                          .furthest = {}};
  for (const char* name : {"ellpack_serial", "ellpack_openmp"}) {
    expect_refusal(name, arrow, "ellpack_unpadded");
  }
  for (const char* name : {"dense_reference", "dense_blas"}) expect_refusal(name, arrow, "dense");
  const MatrixFacts general{
      .rows = 10, .columns = 10, .nonzeros = 30, .longest_row = 5, .furthest = {}};
  for (const char* name : {"symmetric_atomic", "symmetric_colored"}) {
    expect_refusal(name, general, "not symmetric");
  }
}

TEST(HostKernels, PreparingWhatIsRefusedThrows) {
  // Full first row of the lower triangle's last row: padded, 100000 x 100000.
  constexpr Index n = 100000;
  const Csr<double> arrow = symmetric_arrow(n);
  for (const char* name : {"ellpack_serial", "ellpack_openmp", "symmetric_atomic",
                           "symmetric_colored", "dense_blas"}) {
    try {
      prepare(find_kernel(host_kernels(), name), arrow, {});
      ADD_FAILURE() << name << " does not throw";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::resources) << name;
    }
  }
}

TEST(HostKernels, SlicedEllpackTakesItsChunkFromTheWidth) {
  const ProductReference<double> reference =
      product_reference<double>(generate_matrix("power_law:400:6"));
  for (const int width : {1, 3, 4, 8, 16, 32, 64, 256}) {
    SCOPED_TRACE(testing::Message() << "chunk " << width);
    const auto product =
        prepare(find_kernel(host_kernels(), "sliced_ellpack"), reference.matrix, {1, 2, width});
    for (const Index columns : {Index{1}, Index{6}}) {
      const auto x = leading_columns(reference, columns);
      within_bound(reference, host_product(*product, x, reference.matrix.rows * columns, columns),
                   columns);
    }
  }
}

}  // namespace
}  // namespace spsolve
