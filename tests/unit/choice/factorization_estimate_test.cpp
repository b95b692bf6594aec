#include "choice/factorization_estimate.hpp"

#include <gtest/gtest.h>

#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

FactorizationEstimate estimate_of(const Csr<double>& matrix, Method method,
                                  AutoSwitch equilibrate = AutoSwitch::automatic) {
  SoloTeam team;
  SolverOptions options;
  options.method = method;
  options.equilibrate = equilibrate;
  return analyse_pattern(team, matrix, options).estimate;
}

TEST(FactorizationEstimate, KnowsWhetherValuesAreScaled) {
  const Csr<double> even = generate_matrix("grid2d:40"), far = generate_matrix("aniso2d:40");
  for (const Method method : {Method::sparse_cholesky, Method::sparse_lu}) {
    SCOPED_TRACE(name(method));
    EXPECT_FALSE(estimate_of(even, method).scales);
    EXPECT_EQ(estimate_of(even, method).value_bytes, 0);
    EXPECT_TRUE(estimate_of(even, method, AutoSwitch::on).scales);
    EXPECT_EQ(estimate_of(even, method, AutoSwitch::on).value_bytes, 8 * even.nonzeros());
    EXPECT_TRUE(estimate_of(far, method).scales);
    EXPECT_EQ(estimate_of(far, method).value_bytes, 8 * far.nonzeros());
    EXPECT_EQ(estimate_of(far, method, AutoSwitch::off).value_bytes, 0);
  }
}

TEST(FactorizationEstimate, CountsValuesThatAreNoStoredZerosAndTheirPlaces) {
  Csr<double> matrix = generate_matrix("grid2d:40");
  // The first couplings of a row and of its mirror.
  ASSERT_EQ(matrix.column_indices[1], 1);
  ASSERT_EQ(matrix.column_indices[3], 0);
  matrix.values[1] = matrix.values[3] = 0;
  const Index all = matrix.nonzeros();
  EXPECT_EQ(estimate_of(matrix, Method::sparse_cholesky).value_bytes, 8 * (all - 2) + 8 * all);
}

}  // namespace
}  // namespace spsolve
