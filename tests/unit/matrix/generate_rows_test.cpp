#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::test {
namespace {

TEST(GenerateRows, AreThoseOfTheWholeMatrix) {
  for (const char* spec : {"grid2d:9", "grid3d27:4:2", "power_law:81:5", "tridiagonal:30",
                           "random_dense:12:seed=3", "random_sparse:50:20:4", "hilbert:7", "gfpp:9",
                           "grid3d:3", "elastic3d:2", "convdiff3d:3", "aniso2d:9", "aniso3d:3",
                           "helmholtz2d:4", "circuit:300", "network:300:70", "kkt:31", "cage:40"}) {
    SCOPED_TRACE(spec);
    const Csr<double> whole = generate_matrix(spec);
    for (const auto& [first, last] :
         {std::pair<Index, Index>{0, 3}, {2, 7}, {5, 5}, {0, whole.rows}}) {
      expect_equal(generate_rows(spec, first, last), slice_rows(whole, first, last));
    }
  }
}

TEST(GenerateCoordinates, AreThereForElasticBodiesAlone) {
  EXPECT_EQ(generated_dimensions("elastic3d:2"), 3);
  for (const char* spec : {"grid2d:9", "grid3d27:4:3", "circuit:300"}) {
    EXPECT_EQ(generated_dimensions(spec), 0) << spec;
  }
  const Dense<double> whole = generate_coordinates("elastic3d:3", 0, 1000);
  ASSERT_EQ(whole.rows * whole.columns, generate_matrix("elastic3d:3").rows);
  const Dense<double> part = generate_coordinates("elastic3d:3", 5, 9);
  ASSERT_EQ(part.rows, 4);
  for (Index i = 0; i < part.rows; ++i) {
    for (Index axis = 0; axis < 3; ++axis) EXPECT_EQ(part(i, axis), whole(5 + i, axis));
  }
}

}  // namespace
}  // namespace spsolve::test
