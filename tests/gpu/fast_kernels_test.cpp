// Cases that the table's tests do not reach in the fast kernels and auto: long rows around the
// limit and around a chunk, windows and slices that are cut short, every K from 1 to 70, aligned
// and unaligned X.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuda/multiply/auto_product.hpp"
#include "cuda/multiply/cuda_kernels.hpp"
#include "cuda/multiply/fast/fast_rows.hpp"
#include "cuda/multiply/fast/groups/row_groups.hpp"
#include "cuda/multiply/fast/row_split.hpp"
#include "cuda/multiply/fast/row_tiles.hpp"
#include "cuda/multiply/published/column_major.hpp"
#include "gpu/device_product.hpp"
#include "gpu/gpu_test.hpp"
#include "helpers/product_cases.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::cuda {
namespace {

using namespace test;

/// Rows of the given lengths, at scattered columns.
Csr<double> rows_of(const std::vector<Index>& lengths, Index columns) {
  Csr<double> matrix;
  matrix.rows = static_cast<Index>(lengths.size());
  matrix.columns = columns;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    for (Index j = 0; j < lengths[row]; ++j) {
      matrix.column_indices.push_back(static_cast<LocalIndex>(columns * j / lengths[row]));
      matrix.values.push_back(std::sin(static_cast<double>(row * 7 + 3 * j + 1)));
    }
    matrix.row_offsets.push_back(static_cast<Index>(matrix.values.size()));
  }
  return matrix;
}

/// Y with X and Y `shift` elements after an aligned place.
template <typename T>
std::vector<T> shifted_product(KernelProduct<T>& product, const std::vector<T>& x, Index size,
                               Index columns, Index shift) {
  std::vector<T> x_host(static_cast<std::size_t>(shift), T{});
  x_host.insert(x_host.end(), x.begin(), x.end());
  const DeviceArray<T> x_device(x_host);
  std::vector<T> y(static_cast<std::size_t>(size + shift), static_cast<T>(NAN));
  DeviceArray<T> y_device(y);
  product.multiply(x_device.data() + shift, y_device.data() + shift, columns);
  CUDA_CHECK(cudaDeviceSynchronize());
  y_device.download(y);
  return {y.begin() + shift, y.end()};
}

/// The kernels that take any matrix.
constexpr const char* fast_kernels[] = {"sliced_rows",    "csr_row_split", "csr_tiles",
                                        "grouped_slices", "grouped_lanes", "auto"};

class FastKernels : public GpuTest {
 protected:
  template <typename T>
  void check(const Csr<double>& matrix, Index first, Index last) {
    const auto reference = product_reference<T>(matrix);
    for (const char* name : fast_kernels) {
      const Kernel& kernel = find_kernel(cuda_kernels(), name);
      const auto product = prepare(kernel, reference.matrix, KernelOptions{});
      for (Index columns = first; columns <= last; ++columns) {
        SCOPED_TRACE(testing::Message() << name << ", K = " << columns);
        const auto x = leading_columns(reference, columns);
        const Index size = matrix.rows * columns;
        const auto y = shifted_product(*product, x, size, columns, 0);
        if (!within_bound(reference, y, columns)) return;
        if (kernel.reproducible) {
          EXPECT_TRUE(same_bits(y, shifted_product(*product, x, size, columns, 1)));
        }
      }
    }
  }

  /// Columns beyond those of the references: X is one column repeated, and so is Y.
  template <typename T>
  void check_repeated(const Csr<double>& matrix, Index columns) {
    const auto reference = product_reference<T>(matrix);
    const auto one = leading_columns(reference, 1);
    std::vector<T> x;
    for (const T value : one) x.insert(x.end(), static_cast<std::size_t>(columns), value);
    for (const char* name : fast_kernels) {
      SCOPED_TRACE(testing::Message() << name << ", K = " << columns);
      const auto product =
          prepare(find_kernel(cuda_kernels(), name), reference.matrix, KernelOptions{});
      const auto y = shifted_product(*product, x, matrix.rows * columns, columns, 0);
      for (Index c = 0; c < columns; ++c) {
        std::vector<T> column;
        for (Index row = 0; row < matrix.rows; ++row) column.push_back(y[row * columns + c]);
        if (!within_bound(reference, column, 1)) return;
      }
    }
  }
};

std::vector<Index> lengths_with_long_rows() {
  std::vector<Index> lengths;
  for (Index row = 0; row < 1500; ++row) lengths.push_back(row % 7);
  const Index around[] = {255, 256, 257, 2047, 2048, 2049, 4096, 4097};
  for (Index k = 0; k < 8; ++k) lengths[static_cast<std::size_t>(k * 180 + 3)] = around[k];
  lengths.back() = 5000;
  return lengths;
}

TEST_F(FastKernels, LongRowsDouble) {
  check<double>(rows_of(lengths_with_long_rows(), 5003), 1, 20);
}

TEST_F(FastKernels, LongRowsFloat) {
  check<float>(rows_of(lengths_with_long_rows(), 5003), 1, 20);
}

TEST_F(FastKernels, EveryNumberOfColumns) {
  const Csr<double> matrix = generate_matrix("power_law:400:6");
  check<double>(matrix, 1, most_columns);
  check<float>(matrix, 1, most_columns);
  const Csr<double> with_long_rows = rows_of({3, 0, 2500, 1, 300, 7}, 2501);
  for (Index columns = most_columns + 1; columns <= 70; ++columns) {
    for (const Csr<double>* a : {&matrix, &with_long_rows}) {
      check_repeated<double>(*a, columns);
      check_repeated<float>(*a, columns);
    }
  }
  check_repeated<double>(with_long_rows, 131);
  check_repeated<float>(with_long_rows, 131);
}

TEST_F(FastKernels, WindowsAndSlicesCutShort) {
  for (const Index rows : std::vector<Index>{1, 31, 32, 33, 1023, 1024, 1025, 2049}) {
    SCOPED_TRACE(testing::Message() << rows << " rows");
    std::vector<Index> lengths;
    for (Index row = 0; row < rows; ++row) lengths.push_back(row * row % 37);
    check<double>(rows_of(lengths, 61), 1, 9);
  }
}

TEST_F(FastKernels, GroupsOfEverySize) {
  for (const char* spec : {"grid3d27:4:1", "grid3d27:4:2", "grid3d27:4:3", "grid3d27:4:4",
                           "grid3d27:3:5", "grid3d27:3:7"}) {
    SCOPED_TRACE(spec);
    check<double>(generate_matrix(spec), 1, 20);
    check<float>(generate_matrix(spec), 1, 20);
  }
  // Groups of all sizes side by side, one of them of long rows.
  Csr<double> mixed = rows_of({0, 1, 1, 4, 4, 4, 9, 9, 9, 9, 0, 0, 30, 30, 30, 3, 300, 300}, 301);
  check<double>(mixed, 1, 40);
  check<float>(mixed, 1, 40);
}

TEST_F(FastKernels, SymmetricGroupsOfEverySize) {
  const Kernel& kernel = find_kernel(cuda_kernels(), "symmetric_groups");
  for (const char* spec : {"grid3d27:5:1", "grid3d27:4:2", "grid3d27:4:3", "grid3d27:4:4",
                           "grid3d27:3:7", "grid2d:40"}) {
    SCOPED_TRACE(spec);
    const auto reference = product_reference<double>(generate_matrix(spec));
    const auto product = prepare(kernel, reference.matrix, KernelOptions{});
    for (const Index columns : {Index{1}, Index{2}, Index{5}}) {
      const auto x = leading_columns(reference, columns);
      const auto y = shifted_product(*product, x, reference.matrix.rows * columns, columns, 1);
      EXPECT_TRUE(within_bound(reference, y, columns)) << "K = " << columns;
    }
  }
}

TEST_F(FastKernels, AutoSaysWhatItChose) {
  const Csr<double> matrix = generate_matrix("random_sparse:20000:20000:9");
  const Kernel& automatic = find_kernel(cuda_kernels(), "auto");
  const auto product = prepare(automatic, matrix, KernelOptions{});
  EXPECT_EQ(product->detail(), "");
  const DeviceArray<double> x(std::vector<double>(static_cast<std::size_t>(16 * matrix.rows), 1.0));
  DeviceArray<double> y(16 * matrix.rows);
  for (const Index columns : {Index{1}, Index{16}}) {
    product->multiply(x.data(), y.data(), columns);
  }
  const std::string first = product->detail();
  for (const char* part : {" at K = 1 (", " at K = 16 (", "csr_row_split", "cusparse", " ms"}) {
    EXPECT_NE(first.find(part), std::string::npos) << first;
  }
  EXPECT_GT(product->bytes(), matrix.nonzeros() * 8);
  // The second of a pattern takes the first one's choice without a trial.
  const auto again = prepare(automatic, matrix, KernelOptions{});
  again->multiply(x.data(), y.data(), 16);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_NE(again->detail().find(" at K = 16 (as before with this pattern)"), std::string::npos)
      << again->detail();
  const std::string name = again->detail().substr(0, again->detail().find(" at K"));
  EXPECT_NE(first.find(name + " at K = 16 ("), std::string::npos) << first;
}

TEST_F(FastKernels, AutoTriesWhatMayPayByTheProductsThatAreExpected) {
  const Csr<double> matrix = generate_matrix("random_sparse:30000:30000:9");
  const DeviceArray<double> x(std::vector<double>(static_cast<std::size_t>(4 * matrix.rows), 1.0));
  DeviceArray<double> y(4 * matrix.rows);
  const auto said = [&](Index products) {
    KernelOptions options;
    options.products = products;
    const auto product = prepare(find_kernel(cuda_kernels(), "auto"), matrix, options);
    product->multiply(x.data(), y.data(), 4);
    CUDA_CHECK(cudaDeviceSynchronize());
    return product->detail();
  };
  EXPECT_EQ(said(1), "csr_row_split at K = 4 (too few products for a trial)");
  const std::string some = said(100), many = said(100'000'000);
  EXPECT_EQ(some.find("grouped_lanes"), std::string::npos) << some;
  EXPECT_NE(many.find("grouped_lanes"), std::string::npos) << many;
}

TEST_F(FastKernels, ColumnMajorGivesTheBitsOfRowMajor) {
  const Csr<double> matrix = generate_matrix("random_sparse:300:200:9");
  const Kernel& kernel = find_kernel(cuda_kernels(), "grouped_lanes");
  const auto row_major = prepare(kernel, matrix, KernelOptions{});
  ColumnMajorProduct<double> column_major(prepare(kernel, matrix, KernelOptions{}), matrix.rows,
                                          matrix.columns);
  for (const Index k : {Index{33}, Index{1}, Index{4}}) {  // its copies shrink and grow
    std::vector<double> x(static_cast<std::size_t>(matrix.columns * k)), x_columns(x.size());
    for (Index j = 0; j < matrix.columns; ++j) {
      for (Index c = 0; c < k; ++c) {
        x[j * k + c] = x_columns[c * matrix.columns + j] = std::sin(static_cast<double>(j + 7 * c));
      }
    }
    std::vector<double> y(static_cast<std::size_t>(matrix.rows * k), NAN), y_columns(y);
    multiply_on_device<double>(*row_major, x, y, k);
    multiply_on_device<double>(column_major, x_columns, y_columns, k);
    for (Index i = 0; i < matrix.rows; ++i) {
      for (Index c = 0; c < k; ++c) {
        ASSERT_EQ(y_columns[c * matrix.rows + i], y[i * k + c]) << i << ", " << c << ", K = " << k;
      }
    }
  }
}

// Tests that need no GPU.

TEST(Tiles, HoldWholeRowsAndPiecesOfLongerOnes) {
  const std::vector<Index> lengths{3, 0, 1021, 1, 40, 33, 32, 1025, 5000, 0, 7};
  std::vector<Index> offsets{0};
  for (const Index length : lengths) offsets.push_back(offsets.back() + length);
  const TileList list = tiles_of(offsets);
  EXPECT_EQ(list.cut.rows, (std::vector<Index>{7, 8}));
  EXPECT_EQ(list.cut.pieces, (std::vector<LocalIndex>{0, 2, 7}));
  Index next = 0;
  LocalIndex pieces = 0;
  for (const RowTile& tile : list.tiles) {
    EXPECT_EQ(tile.first, next);
    EXPECT_LE(tile.nonzeros, tile_nonzeros);
    next += tile.nonzeros;
    if (tile.rows == 0) {
      EXPECT_EQ(tile.place, pieces++);
      EXPECT_EQ(list.cut.rows[static_cast<std::size_t>(tile.first_wide)], tile.first_row);
      continue;
    }
    for (LocalIndex row = 0; row < tile.rows; ++row) {
      EXPECT_EQ(tile.first + list.row_ends[static_cast<std::size_t>(tile.first_row + row)],
                offsets[static_cast<std::size_t>(tile.first_row + row) + 1]);
    }
  }
  EXPECT_EQ(next, offsets.back());
  EXPECT_EQ(pieces, 7);
  // Row 2 fills the first tile; of the second, rows 4 and 5 are wide.
  EXPECT_EQ(list.tiles[0].rows, 3);
  EXPECT_EQ(list.wide_rows, (std::vector<std::uint16_t>{2, 1, 2}));
  EXPECT_TRUE(tiles_of(std::vector<Index>{0}).tiles.empty());
  EXPECT_EQ(tiles_of(std::vector<Index>(3000, 0)).tiles.size(), 3u);  // empty rows
}

TEST(RowClasses, HoldRowsOfAboutEqualLengthAndPiecesOfLongerOnes) {
  const std::vector<Index> lengths{3, 600, 0, 100, 16, 17, 512, 513, 1, 2000};
  std::vector<Index> offsets{0};
  for (const Index length : lengths) offsets.push_back(offsets.back() + length);
  for (int more = 0; more < 1000; ++more) offsets.push_back(offsets.back());  // the mean is small
  const RowClasses found = row_classes_of(offsets);
  // The longest rows first; in a class, rows in their order.
  std::vector<LocalIndex> rows;
  for (std::size_t k = 0; k < 7; ++k) rows.push_back(found.slots[k].row);
  EXPECT_EQ(rows, (std::vector<LocalIndex>{6, 3, 5, 0, 2, 4, 8}));
  EXPECT_EQ(found.slots[1].first, offsets[3]);
  EXPECT_EQ(found.slots[1].nonzeros, 100);
  std::vector<Index> sizes, firsts;
  for (const RowClass& each : found.classes) {
    sizes.push_back(each.rows);
    firsts.push_back(each.first);
  }
  EXPECT_EQ(sizes, (std::vector<Index>{1, 1, 1, 1004}));
  EXPECT_EQ(firsts, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(found.cut.rows, (std::vector<Index>{1, 7, 9}));
  EXPECT_EQ(found.cut.pieces, (std::vector<LocalIndex>{0, 2, 4, 8}));
  Index of_row = 0;
  for (const RowPiece& piece : found.pieces) {
    EXPECT_LE(piece.nonzeros, row_piece);
    if (piece.row == 9) of_row += piece.nonzeros;
  }
  EXPECT_EQ(of_row, 2000);
  EXPECT_TRUE(row_classes_of(std::vector<Index>{0}).classes.empty());
  // Rows of a dense matrix: one class, and none below.
  EXPECT_EQ(row_classes_of(std::vector<Index>{0, 400, 800, 1200}).classes.size(), 1u);
}

TEST(RowGroups, AreOfEqualRowsWhereThatPays) {
  const RowGroups cube = row_groups_of(generate_matrix("grid3d27:3:3"), 1000);
  EXPECT_TRUE(cube[0].empty() && cube[1].empty() && cube[3].empty());
  EXPECT_EQ(cube[2].size(), 27u);
  EXPECT_EQ(cube[2][1], 3);
  // Longer rows stay by themselves, and so do all where few are equal.
  EXPECT_EQ(row_groups_of(generate_matrix("grid3d27:3:3"), 30)[0].size(), 3u * (27 - 8));
  EXPECT_EQ(row_groups_of(generate_matrix("grid2d:9"), 1000)[0].size(), 81u);
  EXPECT_EQ(row_groups_of(rows_of({5, 5, 2, 3, 4, 6}, 9), 1000)[0].size(), 6u);
}

TEST(Auto, LooksAtLikelyKernelsOnly) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(
      likely_kernels(64, {.symmetric = true}),
      (Names{"csr_row_split", "cusparse_csr_spmm_3", "cusparse_csr_spmm_2", "grouped_lanes"}));
  EXPECT_EQ(likely_kernels(4, {.symmetric = true, .real_form = true}),
            (Names{"csr_row_split", "complex_rows"}));
  for (Index columns = 1; columns <= 64; ++columns) {
    const Names names = likely_kernels(columns, {.row_types = true, .symmetric = true});
    EXPECT_EQ(names.front(), plain_kernel);
    EXPECT_EQ(names[1], "row_types");
    EXPECT_EQ(std::count(names.begin(), names.end(), "symmetric_groups"), columns == 1);
    for (const std::string_view name : names) {
      EXPECT_EQ(find_kernel(cuda_kernels(), name).name, name);
    }
  }
}

TEST(LongRows, AreBeyondTheMeanAndTheLeast) {
  EXPECT_EQ(long_row_limit(0, 0), 256);
  EXPECT_EQ(long_row_limit(10, 20), 256);
  EXPECT_EQ(long_row_limit(10, 1000), 808);
  const CutRowList list = cut_long_rows(std::vector<Index>{0, 5, 5, 11, 16}, 5, 4);
  EXPECT_EQ(list.rows, std::vector<Index>{2});
  EXPECT_EQ(list.pieces, (std::vector<LocalIndex>{0, 2}));
}

}  // namespace
}  // namespace spsolve::cuda
