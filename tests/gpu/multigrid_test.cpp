// Multigrid that is set up on a GPU compared with one that is set up on the host.

#include <cmath>
#include <tuple>

#include "cuda/device/device_vector_memory.hpp"
#include "cuda/device/gpu_device.hpp"
#include "cuda/multigrid/node_rows.hpp"
#include "cuda/multigrid/row_copies.hpp"
#include "cuda/multigrid/row_products.hpp"
#include "dense/host_device.hpp"
#include "gpu/band_products_cases.hpp"
#include "gpu/gpu_test.hpp"
#include "helpers/cycles.hpp"
#include "io/matrix_source.hpp"
#include "krylov/multigrid/hierarchy.hpp"
#include "krylov/multigrid/rigid_body_modes.hpp"
#include "krylov/multigrid/sparse_product.hpp"
#include "matrix/structure.hpp"

namespace spsolve::cuda {
namespace {

class GpuMultigrid : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) memory = gpu_device(team, Transport::automatic);
  }

  SystemMatrix on_gpu(const Csr<double>& whole) {
    return test::matrix_in_bands(team, whole, device_vector_memory());
  }

  SoloTeam team;
  HostDevice host_memory{team};
  std::unique_ptr<ComputeDevice> memory;
};

void expect_near(const Csr<double>& found, const Csr<double>& expected) {
  EXPECT_EQ(found.row_offsets, expected.row_offsets);
  ASSERT_EQ(found.column_indices, expected.column_indices);
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    ASSERT_NEAR(found.values[k], expected.values[k], 1e-13);
  }
}

TEST_F(GpuMultigrid, PutsMatricesTogetherOfRows) {
  const Csr<double> above = rows_of_lengths({2, 0, 5, 1}, 9),
                    below = rows_of_lengths({3, 0, 40}, 50),
                    beside = rows_of_lengths({0, 0, 4, 30}, 40);
  const auto up = DeviceCsr<double>::from_csr(above, {}),
             down = DeviceCsr<double>::from_csr(below, {}),
             side = DeviceCsr<double>::from_csr(beside, {});
  const auto row = [](const Csr<double>& of, Index i) {
    std::vector<std::pair<LocalIndex, double>> entries;
    for (Index k = of.row_offsets[i]; k < of.row_offsets[i + 1]; ++k) {
      entries.emplace_back(of.column_indices[k], of.values[k]);
    }
    return entries;
  };
  const std::vector<LocalIndex> list{2, 1, 2, 0};
  const Csr<double> listed =
      listed_rows(up.view(), DeviceArray<LocalIndex>(list), nullptr).brought();
  const Csr<double> joined = joined_rows(up.view(), side.view(), 40, nullptr).brought();
  // Columns 6, 7 and 8 get other numbers.
  const std::vector<LocalIndex> numbers{10, 40, 7};
  DeviceCsr<double> stacked =
      stacked_rows(up.view(), 6, DeviceArray<LocalIndex>(numbers), down.view(), 50, nullptr);
  const Csr<double> stack = stacked.brought();
  ASSERT_EQ(listed.rows, 4);
  ASSERT_EQ(joined.rows, 4);
  ASSERT_EQ(stack.rows, 7);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(row(listed, i), row(above, list[static_cast<std::size_t>(i)]));
    auto both = row(above, i);
    for (const auto& entry : row(beside, i)) both.push_back(entry);
    EXPECT_EQ(row(joined, i), both);
    auto renumbered = row(above, i);
    for (auto& [column, value] : renumbered) {
      if (column >= 6) column = numbers[static_cast<std::size_t>(column - 6)];
    }
    EXPECT_EQ(row(stack, i), renumbered);
  }
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(row(stack, 4 + i), row(below, i));
  std::vector<unsigned char> named(3);
  for (const LocalIndex column : above.column_indices) {
    if (column >= 6) named[static_cast<std::size_t>(column - 6)] = 1;
  }
  EXPECT_EQ(named_columns(up.view(), 6, 3, nullptr), named);
}

TEST_F(GpuMultigrid, MultipliesRowsAsTheHostDoes) {
  // Rows of the product from none to 20 000 entries: tables of every size, and in GPU memory.
  const auto a_of = [](const std::vector<Index>& lengths) { return rows_of_lengths(lengths, 600); };
  std::vector<Index> lengths(600, 3);
  for (const Index i : {0, 17, 18, 300, 599}) lengths[static_cast<std::size_t>(i)] = 0;
  std::vector<Index> many(600, 40);
  many[0] = 0;
  many[5] = 20000;
  many[6] = 900;
  for (const auto& [left, right] :
       {std::pair{a_of({}), rows_of_lengths(lengths, 50)},
        std::pair{a_of({0, 0}), rows_of_lengths(lengths, 50)},
        std::pair{a_of({1, 2, 0, 5, 6, 20, 30, 200, 600}), rows_of_lengths(lengths, 700)},
        std::pair{a_of({1, 2, 0, 5, 6, 20, 30, 200, 600}), rows_of_lengths(many, 20000)},
        std::pair{a_of(std::vector<Index>(5000, 9)), rows_of_lengths(lengths, 100)}}) {
    const Csr<double> none;
    Csr<double> with_gaps = left, without = left;
    // Entries of columns below 0 count as none: on the host they are zeros in a row of no entries.
    for (std::size_t k = 0; k < with_gaps.values.size(); ++k) {
      if (with_gaps.column_indices[k] % 7 != 3) continue;
      with_gaps.column_indices[k] = -1;
      without.column_indices[k] = 0;
    }
    const DeviceCsr<double> on_device = DeviceCsr<double>::from_csr(left, {}),
                            other = DeviceCsr<double>::from_csr(right, {}),
                            gaps = DeviceCsr<double>::from_csr(with_gaps, {}),
                            filled = DeviceCsr<double>::from_csr(without, {});
    for (const bool has_gaps : {false, true}) {
      const Csr<double> expected =
          sparse_product(has_gaps ? without : left, {right, none, {0, right.columns}});
      const CsrView<double> a = has_gaps ? gaps.view() : on_device.view();
      const Csr<double> found = row_products(a, other.view(), nullptr).brought();
      expect_near(found, expected);
      EXPECT_EQ(row_products(a, other.view(), nullptr).brought().values, found.values);
    }
  }
}

/// The matrix without its entry (i, i) for every 97th i, and without any connection of every 61st.
Csr<double> holed(const Csr<double>& whole) {
  Csr<double> result;
  result.rows = result.columns = whole.rows;
  for (Index i = 0; i < whole.rows; ++i) {
    for (Index k = whole.row_offsets[i]; k < whole.row_offsets[i + 1]; ++k) {
      const Index j = whole.column_indices[k];
      if (i == j ? i % 97 == 5 : i % 61 == 7 || j % 61 == 7) continue;
      result.column_indices.push_back(static_cast<LocalIndex>(j));
      result.values.push_back(whole.values[k]);
    }
    result.row_offsets.push_back(static_cast<Index>(result.values.size()));
  }
  return result;
}

TEST_F(GpuMultigrid, MultipliesRowsOfNodesAsTheHostDoes) {
  // Blocks in the places of the entries of small matrices, one of them with nodes that have none.
  const auto of_nodes = [](const Csr<double>& nodes, Index size, Index run) {
    Csr<double> result;
    result.rows = nodes.rows * size;
    result.columns = nodes.columns * run;
    for (Index i = 0; i < result.rows; ++i) {
      for (const LocalIndex j : nodes.row_columns(i / size)) {
        for (Index q = 0; q < run; ++q) {
          result.column_indices.push_back(static_cast<LocalIndex>(j * run + q));
        }
      }
      result.row_offsets.push_back(std::ssize(result.column_indices));
    }
    const Dense<double> values = random_multivector(result.nonzeros(), 1, 7);
    result.values.assign(values.values.begin(), values.values.end());
    return result;
  };
  std::vector<Index> lengths(200, 5);
  lengths[3] = lengths[4] = 0;
  lengths[7] = 70;
  const Csr<double> left = rows_of_lengths(lengths, 300),
                    right = rows_of_lengths(std::vector<Index>(300, 4), 90), none;
  for (const auto& [size, inner, run] : {std::tuple<Index, Index, Index>{3, 3, 6},
                                         {6, 3, 6},
                                         {6, 6, 6},
                                         {1, 1, 2},
                                         {2, 2, 3},
                                         {3, 1, 1}}) {
    const Csr<double> a = of_nodes(left, size, inner), b = of_nodes(right, inner, run);
    const Csr<double> expected = sparse_product(a, {b, none, {0, b.columns}});
    const DeviceCsr<double> on_device = DeviceCsr<double>::from_csr(a, {}),
                            other = DeviceCsr<double>::from_csr(b, {});
    const NodeRows of_a{on_device.view(), size, inner}, of_b{other.view(), inner, run};
    const Csr<double> found = node_products(of_a, of_b, nullptr).brought();
    expect_near(found, expected);
    EXPECT_EQ(node_products(of_a, of_b, nullptr).brought().values, found.values);
    // Runs of columns -1 are none.
    Csr<double> gaps = a, without;
    without.rows = a.rows;
    without.columns = a.columns;
    for (Index i = 0; i < a.rows; ++i) {
      for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
        if (a.column_indices[k] / inner % 7 == 3) {
          gaps.column_indices[k] = -1;
          continue;
        }
        without.column_indices.push_back(a.column_indices[k]);
        without.values.push_back(a.values[k]);
      }
      without.row_offsets.push_back(std::ssize(without.values));
    }
    const DeviceCsr<double> with_gaps = DeviceCsr<double>::from_csr(gaps, {});
    expect_near(node_products({with_gaps.view(), size, inner}, of_b, nullptr).brought(),
                sparse_product(without, {b, none, {0, b.columns}}));
  }
}

TEST_F(GpuMultigrid, HasTheLevelsAndCyclesOfTheHost) {
  struct Case {
    std::string name;
    Csr<double> whole;
    bool symmetric;
    Dense<double> modes = {};  // of nodes of three unknowns
  };
  std::vector<Case> cases;
  for (const char* name : {"grid2d:60", "grid3d:16", "grid3d27:10:1", "tridiagonal:5000",
                           "aniso2d:60", "aniso3d:20", "elastic3d:6"}) {
    cases.push_back({name, load_matrix(name), true});
  }
  cases.push_back({"convdiff3d:14", load_matrix("convdiff3d:14"), false});
  cases.push_back({"holes", holed(load_matrix("grid2d:50")), false});
  for (const char* name : {"elastic3d:6", "elastic3d:13"}) {
    const Csr<double> whole = load_matrix(name);
    const Dense<double> modes =
        rigid_body_modes(team, generate_coordinates(name, 0, whole.rows / 3));
    cases.push_back({fmt::format("{} with rigid-body modes", name), whole, true, modes});
    cases.push_back({fmt::format("{} with modes and holes", name), holed(whole), false, modes});
  }
  // A hub, whose row is too long for the GPU's way.
  cases.push_back({"circuit:40000", load_matrix("circuit:40000"), false});
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    SystemMatrix here = test::matrix_in_bands(team, each.whole), there = on_gpu(each.whole);
    Hierarchy::Options options;
    options.coarsest = 50;
    const auto near = [&] {
      return each.modes.columns > 0 ? NearNullSpace{3, each.modes} : NearNullSpace{};
    };
    Hierarchy on_host(here.bands(), host_memory, each.symmetric, options, near());
    Hierarchy on_device(there.bands(), *memory, each.symmetric, options, near());
    test::expect_same_levels(on_device, on_host);
    const Dense<double> b = random_multivector(each.whole.rows, 2, 3);
    const Dense<double> x = test::cycled(on_host, here, b), y = test::cycled(on_device, there, b);
    EXPECT_LE(test::relative_difference(x, y), 1e-8);

    // A second hierarchy has the same bits, and with new values, too: larger ones, where all rows
    // have a diagonal.
    Hierarchy again(there.bands(), *memory, each.symmetric, options, near());
    EXPECT_EQ(test::cycled(again, there, b).values, y.values);
    std::vector<double> values = each.whole.values;
    for (double& value : values) value *= each.name.ends_with("holes") ? 1 : 3;
    there.set_values(values);
    on_device.renew(near());
    Hierarchy anew(there.bands(), *memory, each.symmetric, options, near());
    EXPECT_EQ(test::cycled(on_device, there, b).values, test::cycled(anew, there, b).values);
  }
}

TEST_F(GpuMultigrid, IsSetUpThereWithoutRowsOnTheHost) {
  SystemMatrix matrix = on_gpu(load_matrix("grid2d:60"));
  const std::unique_ptr<Coarsening> coarsening =
      device_vector_memory().coarsening(matrix.bands(), 1, 1);
  ASSERT_NE(coarsening, nullptr);
  const NodeGraph strong = coarsening->find_strong_connections(matrix.bands(), 0.08);
  EXPECT_EQ(strong.nodes, 3600);
  EXPECT_EQ(strong.offsets.back(), 4 * 3600 - 4 * 60);
  std::vector<Index> lengths(3000, 3);
  lengths[5] = 3000;
  SystemMatrix hub = on_gpu(rows_of_lengths(lengths, 3000));
  EXPECT_EQ(device_vector_memory().coarsening(hub.bands(), 1, 1), nullptr);
  SystemMatrix elastic = on_gpu(load_matrix("elastic3d:5"));
  for (const Index kinds : {3, 6}) {
    EXPECT_NE(device_vector_memory().coarsening(elastic.bands(), 3, kinds), nullptr);
  }
  EXPECT_EQ(device_vector_memory().coarsening(elastic.bands(), 3, 7), nullptr);
}

TEST_F(GpuMultigrid, WritesDiagonals) {
  Csr<double> whole = holed(load_matrix("grid2d:30"));
  for (double& value : whole.values) value *= -1.5;
  SystemMatrix here = test::matrix_in_bands(team, whole), there = on_gpu(whole);
  std::vector<std::vector<double>> found;
  for (SystemMatrix* matrix : {&here, &there}) {
    const auto d = matrix->vectors(1), inverse = matrix->vectors(1);
    matrix->bands().products().diagonal(*d, *inverse);
    found.push_back(own_rows(*d).values);
    found.push_back(own_rows(*inverse).values);
  }
  EXPECT_EQ(found[0][5], 1);
  EXPECT_EQ(found[0][6], 6);
  EXPECT_EQ(found[2], found[0]);
  EXPECT_EQ(found[3], found[1]);
}

}  // namespace
}  // namespace spsolve::cuda
