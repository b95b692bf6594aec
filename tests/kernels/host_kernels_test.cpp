// Every row of the table of host kernels against a product summed in long double, for both types,
// many K, many shapes and several numbers of threads.
//
// The bound. A sum of L products in any order, with or without fused multiply-adds, is off by at
// most L u sum |a_ik| |x_kc|, u the unit round-off of the type (Jeannerod, Rump 2013; products with
// padding are exact zeros and add nothing). Two more u cover the rounding of the reference, whose
// own sum is exact to 2^-64. The inputs are those that the kernel gets: rounded to its type before
// the reference is computed. Underflow adds at most the smallest number for each product. For a
// symmetric kernel L is the length of the full row, as every stored element adds to two rows.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/test_matrices.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate.hpp"
#include "matrix/multivector.hpp"
#include "multiply/kernel.hpp"

namespace spsolve {
namespace {

constexpr Index most_columns = 64;
constexpr Index guard = 61;  // odd: Y is not aligned to more than an element

struct Case {
  std::string name;
  Csr<double> matrix;
};

/// A matrix with a column list per row, values random.
Csr<double> with_rows(Index columns, const std::vector<std::vector<Index>>& rows) {
  Csr<double> matrix;
  matrix.rows = static_cast<Index>(rows.size());
  matrix.columns = columns;
  for (const auto& row : rows) {
    for (const Index j : row) matrix.column_indices.push_back(static_cast<LocalIndex>(j));
    matrix.row_offsets.push_back(static_cast<Index>(matrix.column_indices.size()));
  }
  matrix.values = random_multivector(matrix.nonzeros(), 1, 11).values;
  return matrix;
}

std::vector<Index> all_columns(Index columns) {
  std::vector<Index> row(columns);
  for (Index j = 0; j < columns; ++j) row[j] = j;
  return row;
}

Csr<double> empty_rows() {
  std::vector<std::vector<Index>> rows(70);
  for (Index i = 3; i < 70; i += 5) rows[i] = {i % 7, 10 + i};
  return with_rows(90, rows);
}

Csr<double> huge_row() {
  std::vector<std::vector<Index>> rows(50);
  for (Index i = 0; i < 50; ++i)
    rows[i] = i == 31 ? all_columns(3000) : std::vector<Index>{i, 2999};
  return with_rows(3000, rows);
}

Csr<double> huge_column() {
  std::vector<std::vector<Index>> rows(1500);
  for (Index i = 0; i < 1500; ++i) {
    rows[i] = i % 3 == 0 ? std::vector<Index>{2} : std::vector<Index>{2, 5 + i % 20};
  }
  return with_rows(25, rows);
}

/// Duplicates of a list, summed on the way to Csr.
Csr<double> duplicates() {
  Coo coo{40, 30, Symmetry::general, {}, {}, {}};
  for (Index k = 0; k < 400; ++k) {
    coo.row.push_back(k * 7 % 40);
    coo.column.push_back(k * k % 30);
    coo.value.push_back(0.1 + static_cast<double>(k % 13));
  }
  return csr_from_coo(coo);
}

/// A random symmetric matrix; some rows are empty, some have no diagonal.
Csr<double> symmetric_random(Index n) {
  const Csr<double> lower = generate_matrix(fmt::format("random_sparse:{}:{}:5", n, n));
  Coo coo{n, n, Symmetry::symmetric, {}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index k = lower.row_offsets[i]; k < lower.row_offsets[i + 1]; ++k) {
      const Index j = lower.column_indices[k];
      if (j > i || i % 11 == 5 || j % 11 == 5) continue;
      coo.row.push_back(i);
      coo.column.push_back(j);
      coo.value.push_back(lower.values[k]);
    }
  }
  return csr_from_coo(coo);
}

/// Full last row and column: the worst for colours and for padding.
Csr<double> symmetric_arrow(Index n) {
  Coo coo{n, n, Symmetry::symmetric, {}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    coo.row.insert(coo.row.end(), {i, n - 1});
    coo.column.insert(coo.column.end(), {i, i});
    coo.value.insert(coo.value.end(), {2.0, 0.01 * static_cast<double>(i)});
  }
  return csr_from_coo(coo);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"0 x 0", with_rows(0, {})},
      {"0 x 9", with_rows(9, {})},
      {"9 x 0", with_rows(0, std::vector<std::vector<Index>>(9))},
      {"9 x 9 without non-zeros", with_rows(9, std::vector<std::vector<Index>>(9))},
      {"1 x 1", with_rows(1, {{0}})},
      {"1 x 700", with_rows(700, {all_columns(700)})},
      {"700 x 1", with_rows(1, std::vector<std::vector<Index>>(700, {0}))},
      {"empty rows", empty_rows()},
      {"one huge row", huge_row()},
      {"one huge column", huge_column()},
      {"wide", generate_matrix("random_sparse:60:500:12")},
      {"tall", generate_matrix("random_sparse:500:60:5")},
      {"duplicates", duplicates()},
      {"random", generate_matrix("random_sparse:333:333:9")},
      {"dense", generate_matrix("random_dense:65")},
      {"power law", generate_matrix("power_law:400:6")},
      {"grid", generate_matrix("grid2d:17")},
      {"cube", generate_matrix("grid3d27:4:2")},
      {"symmetric random", symmetric_random(300)},
      {"symmetric arrow", symmetric_arrow(40)},
      {"tridiagonal", generate_matrix("tridiagonal:257")},
  };
  return all;
}

/// One matrix in the kernel's type, X, and the exact Y with its scale.
template <typename T>
struct Reference {
  Csr<T> matrix;
  MatrixFacts facts;
  std::vector<T> x;                ///< columns x most_columns
  std::vector<long double> y;      ///< rows x most_columns
  std::vector<long double> bound;  ///< the largest error allowed, likewise
};

template <typename T>
Reference<T> reference_of(const Csr<double>& matrix) {
  Reference<T> reference;
  if constexpr (std::is_same_v<T, double>) {
    reference.matrix = matrix;
  } else {
    reference.matrix = csr_cast<T>(matrix);
  }
  reference.facts = facts_of(matrix);
  const Dense<double> x = random_multivector(matrix.columns, most_columns, 3);
  reference.x.assign(x.values.begin(), x.values.end());
  reference.y.resize(matrix.rows * most_columns);
  reference.bound.resize(matrix.rows * most_columns);
  constexpr long double u = std::numeric_limits<T>::epsilon() / 2;
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = reference.matrix.row_columns(i);
    const auto values = reference.matrix.row_values(i);
    const auto length = static_cast<long double>(columns.size());
    for (Index c = 0; c < most_columns; ++c) {
      long double sum = 0, scale = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const long double product =
            static_cast<long double>(values[k]) * reference.x[columns[k] * most_columns + c];
        sum += product;
        scale += std::abs(product);
      }
      reference.y[i * most_columns + c] = sum;
      reference.bound[i * most_columns + c] =
          (length + 2) * u * scale + length * std::numeric_limits<T>::denorm_min();
    }
  }
  return reference;
}

template <typename T>
const std::vector<Reference<T>>& references() {
  static const std::vector<Reference<T>> all = [] {
    std::vector<Reference<T>> made;
    for (const Case& one : cases()) made.push_back(reference_of<T>(one.matrix));
    return made;
  }();
  return all;
}

/// The first K columns of X.
template <typename T>
std::vector<T> leading_columns(const Reference<T>& reference, Index columns) {
  std::vector<T> x(reference.matrix.columns * columns);
  for (Index j = 0; j < reference.matrix.columns; ++j) {
    std::copy_n(reference.x.data() + j * most_columns, columns, x.data() + j * columns);
  }
  return x;
}

/// Y of one product, filled with nan before, between guards that must stay.
template <typename T>
std::vector<T> guarded_product(Product<T>& product, const std::vector<T>& x, Index size,
                               Index columns) {
  const T poison = static_cast<T>(-123456.0);
  std::vector<T> buffer(size + 2 * guard, poison);
  std::fill_n(buffer.begin() + guard, size, std::numeric_limits<T>::quiet_NaN());
  product.multiply(x.data(), buffer.data() + guard, columns);
  const auto untouched = [&](auto first) {
    return std::all_of(first, first + guard, [&](T value) { return value == poison; });
  };
  EXPECT_TRUE(untouched(buffer.begin())) << "written before Y";
  EXPECT_TRUE(untouched(buffer.end() - guard)) << "written behind Y";
  return {buffer.begin() + guard, buffer.begin() + guard + size};
}

/// Y against the reference; hands back whether all is within the bound.
template <typename T>
bool within_bound(const Reference<T>& reference, const std::vector<T>& y, Index columns) {
  for (Index i = 0; i < reference.matrix.rows; ++i) {
    for (Index c = 0; c < columns; ++c) {
      const long double error = std::abs(static_cast<long double>(y[i * columns + c]) -
                                         reference.y[i * most_columns + c]);
      if (error <= reference.bound[i * most_columns + c]) continue;  // not for a nan
      ADD_FAILURE() << "row " << i << ", column " << c << ": " << y[i * columns + c]
                    << " instead of " << reference.y[i * most_columns + c] << ", bound "
                    << reference.bound[i * most_columns + c];
      return false;
    }
  }
  return true;
}

/// Compares two runs bit by bit.
template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// One kernel, one matrix: all of `widths` with one Product for each number of threads. False
/// where the kernel refuses the matrix.
template <typename T>
bool check(const Kernel& kernel, const Reference<T>& reference, std::initializer_list<Index> widths,
           std::initializer_list<int> team_sizes) {
  if (const std::string reason = kernel.refuse(reference.facts, 1, sizeof(T)); !reason.empty()) {
    EXPECT_GT(reason.size(), 10u);
    return false;
  }
  for (const int threads : team_sizes) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    const auto product = prepare(kernel, reference.matrix, {1, threads, 0});
    const auto again = prepare(kernel, reference.matrix, {1, threads, 0});
    EXPECT_GE(product->bytes(), 0);
    for (const Index columns : widths) {
      if (!kernel.refuse(reference.facts, columns, sizeof(T)).empty()) continue;
      SCOPED_TRACE(testing::Message() << "K = " << columns);
      const std::vector<T> x = leading_columns(reference, columns);
      const Index size = reference.matrix.rows * columns;
      const std::vector<T> y = guarded_product(*product, x, size, columns);
      if (!within_bound(reference, y, columns)) return true;
      if (kernel.reproducible) {
        EXPECT_TRUE(same_bits(y, guarded_product(*again, x, size, columns))) << "two runs differ";
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
    for (std::size_t k = 0; k < cases().size(); ++k) {
      SCOPED_TRACE(cases()[k].name);
      const bool taken = check(kernel(), references<T>()[k],
                               {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64}, {1, 2, 3});
      symmetric_taken = symmetric_taken && (taken || !references<T>()[k].facts.symmetric);
    }
    EXPECT_TRUE(symmetric_taken) << "no kernel refuses these symmetric matrices";
  }
};

TEST_P(HostKernel, Float) {
  check_all_cases<float>();
}

TEST_P(HostKernel, Double) {
  check_all_cases<double>();
}

TEST_P(HostKernel, RealMatrices) {
  const auto folder = test::real_matrices();
  if (!folder) GTEST_SKIP() << "no folder of real matrices";
  constexpr Index most_nonzeros = 30000, largest_dense = 2000000;
  // Regular, irregular, unsymmetric with empty diagonals, rectangular, symmetric, one dense row.
  for (const char* name :
       {"662_bus.mtx", "1138_bus_shuffled.mtx", "bcsstk08.mtx", "msc01050.mtx", "mahindas.mtx",
        "bp_800.mtx", "adder_dcop_05.mtx", "Harvard500.mtx", "GD00_a.mtx", "lp_kb2.mtx",
        "Maragal_1.mtx", "IG5-6.mtx", "poisson1033.mtx", "bcsstm13.mtx", "dwt_592.mtx",
        "n4c5-b11.mtx", "Trefethen_500.mtx", "west0497.mtx"}) {
    if (!std::filesystem::exists(*folder / name)) continue;
    const Csr<double> matrix = load_matrix((*folder / name).string());
    if (matrix.nonzeros() > most_nonzeros || matrix.rows * matrix.columns > largest_dense) continue;
    SCOPED_TRACE(name);
    check(kernel(), reference_of<double>(matrix), {1, 3, 8}, {2});
    check(kernel(), reference_of<float>(matrix), {1, 5}, {2});
  }
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
  const MatrixFacts arrow{46500, 46500, 139498, 46500, true};
  for (const char* name : {"ellpack_serial", "ellpack_openmp"}) {
    expect_refusal(name, arrow, "ellpack_unpadded");
  }
  for (const char* name : {"dense_reference", "dense_blas"}) expect_refusal(name, arrow, "dense");
  const MatrixFacts general{10, 10, 30, 5, false};
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
  const Reference<double> reference = reference_of<double>(generate_matrix("power_law:400:6"));
  for (const int width : {1, 3, 4, 8, 16, 32, 64, 256}) {
    SCOPED_TRACE(testing::Message() << "chunk " << width);
    const auto product =
        prepare(find_kernel(host_kernels(), "sliced_ellpack"), reference.matrix, {1, 2, width});
    for (const Index columns : {Index{1}, Index{6}}) {
      const auto x = leading_columns(reference, columns);
      within_bound(reference,
                   guarded_product(*product, x, reference.matrix.rows * columns, columns), columns);
    }
  }
}

}  // namespace
}  // namespace spsolve
