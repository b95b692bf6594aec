#include "gpu/front_panels.hpp"

#include <limits>
#include <memory>
#include <vector>

#include "gpu/looped_gpu.hpp"

namespace spsolve::cuda {
namespace {

/// A system that is eliminated and solved in loops, as one block.
struct Looped {
  Looped(const Csr<double>& of, Factorization kind, int panel_columns,
         Ordering ordering = Ordering::nested_dissection)
      : matrix(of), analysis(test::analysis_of(of, kind, ordering, false)), panels(panel_columns) {}

  DeviceLayout layout(Index most_elements = std::numeric_limits<Index>::max()) const {
    return lay_out_fronts(analysis->fronts, analysis->kind, most_elements, panels);
  }
  double error(const DeviceLayout& all, bool transposed) const;

  const Csr<double>& matrix;
  std::shared_ptr<const SparseAnalysis> analysis;
  int panels;
};

double Looped::error(const DeviceLayout& all, bool transposed) const {
  const Fronts& fronts = analysis->fronts;
  const EliminationProgram program = write_program(all, analysis->kind);
  LoopedGpu gpu(analysis->kind, all, program, fronts.in_parent);
  gpu.clear(0, all.factor_elements);
  gpu.place_entries(analysis->entries, matrix.values);
  for (const EliminationStep& step : program.steps) gpu.run(step);
  const Dense<double> b = test::right_hand_sides(matrix.rows, 1);
  std::vector<double> z(matrix.rows);
  for (LocalIndex k = 0; k < matrix.rows; ++k) {
    z[k] = b.values[transposed ? analysis->order[k] : analysis->row(k)];
  }
  const auto sweep = [&](LocalIndex s, bool forward) {
    std::vector<double*> rows;
    for (LocalIndex k = fronts.first[s]; k < fronts.first[s + 1]; ++k) rows.push_back(&z[k]);
    for (const LocalIndex k : fronts.border_of(s)) rows.push_back(&z[k]);
    gpu.sweep(s, forward, transposed, rows);
  };
  for (LocalIndex s = 0; s < fronts.size(); ++s) sweep(s, true);
  for (LocalIndex s = fronts.size(); s-- > 0;) sweep(s, false);
  Dense<double> x(matrix.rows, 1);
  for (LocalIndex k = 0; k < matrix.rows; ++k) {
    x.values[transposed ? analysis->row(k) : analysis->order[k]] = z[k];
  }
  return test::backward_error(transposed ? transpose(matrix) : matrix, b, x);
}

// Need no GPU.
TEST(FrontPanels, OfAnyWidthAreEliminated) {
  for_panels([](const Csr<double>& matrix, Factorization kind, int panel_columns) {
    const Looped system(matrix, kind, panel_columns);
    for (const bool transposed : {false, true}) {
      EXPECT_LT(system.error(system.layout(), transposed), 1e-12);
    }
  });
}

TEST(FrontPanels, OfFrontsOneAfterAnotherAreEliminated) {
  const Csr<double> matrix = generate_matrix("grid3d:16");
  for (const Factorization kind : kinds_of(matrix)) {
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind));
    const Looped system(matrix, kind, pivot_block);
    const DeviceLayout whole = system.layout(), all = system.layout(whole.elements * 9 / 10);
    ASSERT_FALSE(all.streams());
    ASSERT_GT(all.levels(), whole.levels());
    EXPECT_LT(system.error(all, false), 1e-12);
  }
}

TEST(FrontPanels, EarlyChildrenAreAssembledOnceInAnyMemory) {
  const Csr<double> matrix = generate_matrix("network:2000:500");
  const Looped system(matrix, Factorization::lu, pivot_block, Ordering::amd);
  const DeviceLayout whole = system.layout();
  ASSERT_GT(std::ranges::count_if(whole.fronts, &FrontLayout::early), 2);
  EXPECT_LT(system.error(whole, false), 1e-12);
  const DeviceLayout in_turn = system.layout(whole.elements - 1);
  ASSERT_FALSE(in_turn.streams());
  EXPECT_LT(in_turn.elements, whole.elements);
  EXPECT_LT(system.error(in_turn, true), 1e-12);
}

}  // namespace
}  // namespace spsolve::cuda
