#include "gpu/front_panels.hpp"

#include <limits>
#include <vector>

#include "gpu/looped_gpu.hpp"

namespace spsolve::cuda {
namespace {

/// The system is eliminated and solved in loops, without its block triangular form.
double looped_error(const Csr<double>& matrix, Factorization kind, int panel_columns,
                    bool transposed) {
  const auto analysis = test::analysis_of(matrix, kind, Ordering::nested_dissection, false);
  const Fronts& fronts = analysis->fronts;
  const DeviceLayout layout =
      lay_out_fronts(fronts, kind, std::numeric_limits<Index>::max(), panel_columns);
  LoopedGpu gpu(kind, layout, write_program(layout, kind), fronts.in_parent);
  const EliminationProgram program = write_program(layout, kind);
  gpu.clear(0, layout.factor_elements);
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

// Needs no GPU.
TEST(FrontPanels, OfAnyWidthAreEliminated) {
  for_panels([](const Csr<double>& matrix, Factorization kind, int panel_columns) {
    for (const bool transposed : {false, true}) {
      EXPECT_LT(looped_error(matrix, kind, panel_columns, transposed), 1e-12);
    }
  });
}

}  // namespace
}  // namespace spsolve::cuda
