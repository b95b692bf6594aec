#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::test {
namespace {

TEST(GenerateRows, AreThoseOfTheWholeMatrix) {
  for (const char* spec :
       {"grid2d:9", "grid3d27:4:2", "power_law:81:5", "tridiagonal:30", "random_dense:12:seed=3",
        "random_sparse:50:20:4", "hilbert:7", "gfpp:9", "grid3d:3", "elastic3d:2", "convdiff3d:3",
        "aniso2d:9", "aniso3d:3", "helmholtz2d:4", "circuit:300", "kkt:31", "cage:40"}) {
    SCOPED_TRACE(spec);
    const Csr<double> whole = generate_matrix(spec);
    for (const auto& [first, last] :
         {std::pair<Index, Index>{0, 3}, {2, 7}, {5, 5}, {0, whole.rows}}) {
      expect_equal(generate_rows(spec, first, last), slice_rows(whole, first, last));
    }
  }
}

}  // namespace
}  // namespace spsolve::test
