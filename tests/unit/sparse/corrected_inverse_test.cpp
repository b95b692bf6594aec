#include "sparse/corrected_inverse.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"
#include "sparse/sparse_inverse.hpp"
#include "team/team.hpp"

namespace spsolve {
namespace {

/// A symmetric matrix, small where pivots may have been raised.
Dense<double> symmetric(Index n) {
  Dense<double> a = random_multivector(n, n, 3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) a(i, j) = a(j, i);
  }
  return a;
}

/// A^-1 by factors of A with these numbers added to its diagonal.
class Corrected {
 public:
  Corrected(const Dense<double>& a, const std::vector<RaisedPivot>& raised)
      : whole_(test::sparse(a)),
        matrix_(test::matrix_in_bands(team_, whole_)),
        other_(test::matrix_in_bands(team_, test::sparse(with(a, raised)))),
        factors_(team_, host_sparse_memory(), {}, nullptr) {
    Progress silent("eliminating", 1, Progress::Show::off);
    factors_.find_scaling(other_, AutoSwitch::off, Precision::float64, unscaled_);
    factors_.prepare(other_, unscaled_);
    factors_.eliminate({silent, nullptr, nullptr});
    inverse_ = std::make_unique<CorrectedInverse>(matrix_, factors_, raised);
  }

  bool is_regular() const { return inverse_->is_regular(); }

  double error(bool transposed, Index columns) {
    const Dense<double> b = random_multivector(whole_.rows, columns, 7);
    const std::unique_ptr<Vectors> right = test::vectors_of(matrix_, b),
                                   x = right->similar(columns);
    transposed ? inverse_->apply_transposed(*right, *x) : inverse_->apply(*right, *x);
    return test::backward_error(whole_, b, test::whole(*x));
  }

 private:
  static Dense<double> with(Dense<double> a, const std::vector<RaisedPivot>& raised) {
    for (const RaisedPivot& pivot : raised) a(pivot.row, pivot.row) += pivot.by;
    return a;
  }

  SoloTeam team_;
  Csr<double> whole_;
  SystemMatrix matrix_, other_;
  Equilibration unscaled_;
  SparseInverse<double> factors_;
  std::unique_ptr<CorrectedInverse> inverse_;
};

TEST(CorrectedInverse, SolvesWithoutWhatWasAddedToPivots) {
  Corrected corrected(symmetric(40), {{3, 1.0}, {4, -1.0}, {17, 2.5}, {39, 1e-3}});
  ASSERT_TRUE(corrected.is_regular());
  for (const bool transposed : {false, true}) {
    for (const Index columns : {1, 3}) EXPECT_LT(corrected.error(transposed, columns), 1e-13);
  }
}

TEST(CorrectedInverse, TellsASingularMatrix) {
  Dense<double> a = symmetric(20);
  for (Index i = 0; i < a.rows; ++i) a(i, 5) = a(5, i) = 0;
  EXPECT_FALSE(Corrected(a, {{5, 1.0}}).is_regular());
  EXPECT_FALSE(Corrected(a, {{2, 1.0}, {5, -3.0}}).is_regular());
}

}  // namespace
}  // namespace spsolve
