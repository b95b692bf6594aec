#include "helpers/matched_systems.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helpers/systems_in_bands.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::test {

namespace {

SparseChoice choice(AutoSwitch matching, AutoSwitch equilibrate) {
  SparseChoice choice;
  choice.kind = Factorization::ldlt;
  choice.matching = matching;
  choice.equilibrate = equilibrate;
  return choice;
}

}  // namespace

EliminatedSequence::EliminatedSequence(SparseMemory& memory, const VectorMemory& vectors,
                                       std::string_view spec, AutoSwitch matching,
                                       AutoSwitch equilibrate)
    : matrix_(matrix_in_bands(team_, generate_matrix(spec), vectors)),
      equilibrate_(equilibrate),
      inverse_(team_, memory, choice(matching, equilibrate), nullptr),
      x_(matrix_.vectors(1)),
      y_(matrix_.vectors(1)) {
  x_->fill(1);
}

SparseOutcome EliminatedSequence::eliminate(std::string_view spec) {
  return eliminate(generate_matrix(spec).values);
}

SparseOutcome EliminatedSequence::eliminate(const std::vector<double>& values) {
  matrix_.set_values(values);
  inverse_.find_scaling(matrix_, equilibrate_, Precision::float64, scaling_);
  inverse_.prepare(matrix_, scaling_);
  inverse_.eliminate({silent_, nullptr, nullptr});
  return *inverse_.facts().sparse;
}

double EliminatedSequence::error() {
  double worst = 0;
  for (const bool transposed : {false, true}) {
    transposed ? inverse_.apply_transposed(*x_, *y_) : inverse_.apply(*x_, *y_);
    const double residual = residual_maxima(matrix_, scaling_, *x_, *y_).front();
    const double norm = matrix_.infinity_norm(scaling_);
    worst = std::max(worst, residual / (1 + norm * maxima(*y_).front()));
  }
  return worst;
}

void expect_pairs_leave_no_small_pivots(SparseMemory& memory, const VectorMemory& vectors) {
  for (const AutoSwitch equilibrate : {AutoSwitch::automatic, AutoSwitch::off}) {
    for (const char* spec : {"ipm_control:40:60", "ipm_pde2d:20:100", "ipm_band:900:100"}) {
      SCOPED_TRACE(spec);
      EliminatedSequence sequence(memory, vectors, spec, AutoSwitch::on, equilibrate);
      const SparseOutcome outcome = sequence.eliminate(spec);
      EXPECT_GT(outcome.pairs, 0);
      if (equilibrate != AutoSwitch::off) {
        EXPECT_EQ(outcome.perturbed_pivots, 0);
        EXPECT_EQ(outcome.delayed_pivots, 0);
      }
      EXPECT_LT(sequence.error(), 1e-12);
    }
  }
}

void expect_pairs_for_later_values(SparseMemory& memory, const VectorMemory& vectors, int points,
                                   int step) {
  const auto spec = [&](int later) {
    return fmt::format("ipm_control:{}:{}", points, step + later);
  };
  const auto small = [](const SparseOutcome& outcome) {
    return outcome.perturbed_pivots + outcome.corrected_pivots + outcome.delayed_pivots;
  };
  for (const AutoSwitch matching : {AutoSwitch::automatic, AutoSwitch::off}) {
    const bool matches = matching == AutoSwitch::automatic;
    const double enough = matches ? 1e-12 : 1e-10;  // of solutions that are not refined
    EliminatedSequence sequence(memory, vectors, spec(0), matching, AutoSwitch::automatic);
    const SparseOutcome first = sequence.eliminate(spec(0));
    EXPECT_GT(first.pairs + small(first), 0);
    EXPECT_LT(sequence.error(), enough);
    for (const int later : {1, 2, 0}) {
      const SparseOutcome next = sequence.eliminate(spec(later));
      EXPECT_EQ(next.pairs > 0, matches);
      EXPECT_EQ(small(next) > 0, !matches);
      if (first.negative_pivots && next.negative_pivots) {
        EXPECT_EQ(next.negative_pivots, first.negative_pivots);
      }
      EXPECT_LT(sequence.error(), enough);
    }
  }
}

}  // namespace spsolve::test
