#include "sparse/sparse_inverse.hpp"

#include <string_view>

#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/generate/generate.hpp"
#include "team/team.hpp"

namespace spsolve {
namespace {

using namespace std::string_view_literals;

/// An inverse on the way through its states, with vectors to solve for.
struct Stages {
  explicit Stages(const Csr<double>& whole)
      : matrix(test::matrix_in_bands(team, whole)),
        inverse(team, host_sparse_memory(), choice(), nullptr),
        x(matrix.vectors(1)),
        y(matrix.vectors(1)) {
    x->fill(1);
  }
  static SparseChoice choice() {
    SparseChoice choice;
    choice.kind = Factorization::ldlt;
    choice.ordering = Ordering::natural;
    return choice;
  }
  void prepare() {
    inverse.find_scaling(matrix, AutoSwitch::off, Precision::float64, scaling);
    inverse.prepare(matrix, scaling);
  }
  void eliminate(const Vectors* first = nullptr) { inverse.eliminate({silent, nullptr, first}); }
  /// max |A y - x| for y <- A^-1 x.
  double residual() {
    inverse.apply(*x, *y);
    return residual_maxima(matrix, scaling, *x, *y).front();
  }

  SoloTeam team;
  SystemMatrix matrix;
  Equilibration scaling;
  SparseInverse<double> inverse;
  std::unique_ptr<Vectors> x, y;
  Progress silent{"eliminating", 1, Progress::Show::off};
};

TEST(SparseInverse, RefusesToSolveWithoutFactors) {
  Stages stages(generate_matrix("grid3d:8"));
  EXPECT_NE(test::error_of([&] { stages.eliminate(); }, ExitCode::input, Scope::every_rank)
                .find("there is no matrix to eliminate"),
            std::string::npos);
  const auto expect_refused = [&] {
    for (const bool transposed : {false, true}) {
      const auto solve = [&] {
        transposed ? stages.inverse.apply_transposed(*stages.x, *stages.y)
                   : stages.inverse.apply(*stages.x, *stages.y);
      };
      EXPECT_NE(test::error_of(solve, ExitCode::input, Scope::every_rank)
                    .find("there are no factors of these values"),
                std::string::npos);
    }
    EXPECT_FALSE(stages.inverse.iterates());
  };
  expect_refused();
  stages.prepare();
  expect_refused();
  stages.eliminate();
  EXPECT_LT(stages.residual(), 1e-10);
  stages.prepare();
  expect_refused();
  stages.matrix.set_values(std::vector<double>(stages.matrix.nonzeros(), 0.0));
  stages.prepare();
  test::error_of([&] { stages.eliminate(); }, ExitCode::not_trustworthy);
  expect_refused();
}

/// By factors alone, or by those of threshold pivoting where pivots of the first were too small.
TEST(SparseInverse, SolvesWhicheverWayTheFirstSolveGoes) {
  for (const char* spec : {"grid3d:8", "kkt:300"}) {
    for (const bool knows_first : {false, true}) {
      for (const bool transposed_first : {false, true}) {
        SCOPED_TRACE(testing::Message() << spec << ' ' << knows_first << ' ' << transposed_first);
        Stages stages(generate_matrix(spec));
        stages.prepare();
        stages.eliminate(knows_first ? stages.x.get() : nullptr);
        if (transposed_first) stages.inverse.apply_transposed(*stages.x, *stages.y);
        EXPECT_LT(stages.residual(), 1e-8);
        EXPECT_EQ(stages.inverse.facts().sparse->delayed_pivots > 0, spec == "kkt:300"sv);
      }
    }
  }
}

}  // namespace
}  // namespace spsolve
