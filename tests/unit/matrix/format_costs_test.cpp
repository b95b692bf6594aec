#include "matrix/formats/format_costs.hpp"

#include <gtest/gtest.h>

#include "matrix/formats/ellpack.hpp"
#include "matrix/formats/sliced_ellpack.hpp"
#include "matrix/formats/symmetric_ellpack.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

double cost_of(const Csr<double>& matrix, const std::string& format) {
  for (const FormatCost& cost : format_costs(matrix)) {
    if (cost.format == format) return cost.bytes;
  }
  ADD_FAILURE() << format << " is not listed";
  return 0;
}

TEST(FormatCosts, AreThoseOfTheConvertedMatrices) {
  for (const char* spec : {"grid2d:17", "power_law:500:4", "tridiagonal:1", "random_dense:33"}) {
    const Csr<double> matrix = generate_matrix(spec);
    const auto near = [&](const std::string& format, std::int64_t bytes) {
      EXPECT_NEAR(cost_of(matrix, format), static_cast<double>(bytes),
                  0.05 * static_cast<double>(bytes) + 64)
          << spec << " " << format;
    };
    near("ellpack", Ellpack<double>::from_csr(matrix).bytes());
    near("ellpack, GPU", ColumnMajorEllpack<double>::from_csr(matrix).bytes());
    near("ellpack_unpadded", UnpaddedEllpack<double>::from_csr(matrix).bytes());
    near("sliced_ellpack", SlicedEllpack<double>::from_csr(matrix, {}).bytes());
    near("symmetric_ellpack", SymmetricEllpack<double>::from_csr(matrix).bytes());
  }
}

TEST(FormatCosts, OfPaddedSizesThatNoMemoryHolds) {
  const Csr<double> matrix = generate_matrix("random_sparse:5:3:1");
  EXPECT_EQ(cost_of(matrix, "dense"), 5 * 3 * 8);
  EXPECT_NE(to_text(format_costs(matrix), matrix.nonzeros()).find("dense"), std::string::npos);
}

}  // namespace
}  // namespace spsolve
