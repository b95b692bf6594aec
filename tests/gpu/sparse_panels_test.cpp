#include <limits>
#include <type_traits>
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

/// Bytes of a GPU for which fronts that are side by side are a little too many.
template <typename T>
std::int64_t little_less(const SparseAnalysis& analysis, Factorization kind, int panel_columns) {
  const DeviceLayout all =
      lay_out_fronts(analysis.fronts, kind, std::numeric_limits<Index>::max(), panel_columns);
  const GpuFactorMemory beside = gpu_lists_memory(analysis.fronts, all.elements, analysis.nonzeros,
                                                  std::ssize(analysis.entries.entries));
  return (all.elements - 1) * static_cast<std::int64_t>(sizeof(T)) + beside.lists +
         most_sweep_columns * beside.column;
}

/// Solves, twice factored, for all numbers of columns that kernels tell apart, with A and its
/// transpose, one solution after another.
template <typename T>
std::vector<double> expect_solves(const Csr<double>& matrix, const SparseAnalysis& analysis,
                                  DeviceFactors<T>& factors) {
  const double most_error = std::is_same_v<T, float> ? 1e-4 : 1e-11;
  DeviceSweeps<T> sweeps(analysis, factors);
  std::vector<double> all[2];
  for (std::vector<double>& round : all) {
    factors.upload(matrix.values);
    const PivotCounts counts = factors.factor({1e-12});
    EXPECT_EQ(counts.failed, -1);
    EXPECT_EQ(counts.perturbed, 0);
    for (const Index columns : {1, 3, 8, 16, 20}) {
      const Dense<double> b = test::right_hand_sides(matrix.rows, columns);
      for (const bool transposed : {false, true}) {
        const Dense<double> x = solved(sweeps, transposed, b);
        EXPECT_LT(test::backward_error(transposed ? transpose(matrix) : matrix, b, x), most_error)
            << columns << " columns, transposed " << transposed;
        round.insert(round.end(), x.values.begin(), x.values.end());
      }
    }
  }
  EXPECT_EQ(all[0], all[1]);
  return all[0];
}

/// With fronts side by side, large ones one after another, and factors in host memory: the same
/// bits.
template <typename T>
void expect_solves_in_any_memory(const Csr<double>& matrix, Factorization kind, int panel_columns) {
  const auto analysis = test::analysis_of(matrix, kind);
  DeviceFactors<T> whole(*analysis, kind, std::numeric_limits<std::int64_t>::max(), panel_columns);
  EXPECT_FALSE(whole.layout().streams());
  const std::vector<double> expected = expect_solves(matrix, *analysis, whole);
  for (const std::int64_t bytes :
       {little_less<T>(*analysis, kind, panel_columns), std::int64_t{0}}) {
    DeviceFactors<T> other(*analysis, kind, bytes, panel_columns);
    EXPECT_TRUE(bytes > 0 || other.layout().streams());
    EXPECT_EQ(expect_solves(matrix, *analysis, other), expected) << bytes << " bytes";
  }
}

TEST_F(GpuFrontPanels, SolveWithPanelsOfAnyWidth) {
  for_panels([](const Csr<double>& matrix, Factorization kind, int panel_columns) {
    expect_solves_in_any_memory<double>(matrix, kind, panel_columns);
    expect_solves_in_any_memory<float>(matrix, kind, panel_columns);
  });
}

/// Products of panels are the library's here.
TEST_F(GpuFrontPanels, SolveWithLargePanels) {
  const Csr<double> matrix = generate_matrix("grid3d:64");
  for (const Factorization kind : kinds_of(matrix)) {
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind));
    const auto analysis = test::analysis_of(matrix, kind);
    DeviceFactors<double> factors(*analysis, kind);
    expect_solves(matrix, *analysis, factors);
  }
}

}  // namespace
}  // namespace spsolve::cuda
