#include <limits>
#include <vector>

#include "cuda/core/stream.hpp"
#include "cuda/sparse/sweeps/device_sweeps.hpp"
#include "gpu/front_panels.hpp"
#include "gpu_test.hpp"

namespace spsolve::cuda {
namespace {

class GpuFrontPanels : public GpuTest {};

/// The solution for some columns by factors on the GPU.
template <typename T>
Dense<double> solved(DeviceSweeps<T>& sweeps, bool transposed, const Dense<double>& b) {
  const DeviceArray<double> right(b.values);
  DeviceArray<double> on_device(right.size());
  sweeps.solve(transposed, b.columns, right.data(), on_device.data());
  wait_for(current_stream());
  Dense<double> x(b.rows, b.columns);
  on_device.download(x.values);
  return x;
}

template <typename T>
void expect_solves(const Csr<double>& matrix, Factorization kind, int panel_columns,
                   std::int64_t most_bytes, double most_error) {
  const auto analysis = test::analysis_of(matrix, kind);
  DeviceFactors<T> factors(*analysis, kind, most_bytes, panel_columns);
  EXPECT_EQ(factors.layout().streams(), most_bytes == 0);
  DeviceSweeps<T> sweeps(*analysis, factors);
  std::vector<double> first;
  for (int round = 0; round < 2; ++round) {
    factors.upload(matrix.values);
    const PivotCounts counts = factors.factor(1e-12);
    ASSERT_EQ(counts.failed, -1);
    EXPECT_EQ(counts.perturbed, 0);
    for (const Index columns : {1, 3, 8, 16, 20}) {
      const Dense<double> b = test::right_hand_sides(matrix.rows, columns);
      for (const bool transposed : {false, true}) {
        const Dense<double> x = solved(sweeps, transposed, b);
        EXPECT_LT(test::backward_error(transposed ? transpose(matrix) : matrix, b, x), most_error)
            << columns << " columns, transposed " << transposed;
        if (columns > 1 || transposed) continue;
        if (round == 0) first = x.values;
        EXPECT_EQ(x.values, first);
      }
    }
  }
}

TEST_F(GpuFrontPanels, SolveWithPanelsOfAnyWidth) {
  for_panels([](const Csr<double>& matrix, Factorization kind, int panel_columns) {
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t most_bytes : {all, std::int64_t{0}}) {
      SCOPED_TRACE(testing::Message() << "at most " << most_bytes << " bytes");
      expect_solves<double>(matrix, kind, panel_columns, most_bytes, 1e-11);
      expect_solves<float>(matrix, kind, panel_columns, most_bytes, 1e-4);
    }
  });
}

/// Products of panels are the library's here.
TEST_F(GpuFrontPanels, SolveWithLargePanels) {
  const Csr<double> matrix = generate_matrix("grid3d:64");
  for (const Factorization kind : kinds_of(matrix)) {
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind));
    expect_solves<double>(matrix, kind, widest_panel, std::numeric_limits<std::int64_t>::max(),
                          1e-11);
  }
}

}  // namespace
}  // namespace spsolve::cuda
