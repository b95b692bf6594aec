// The table of conversions: the published direct versions against the one-pass ones.

#include "matrix/formats/conversions.hpp"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/reference.hpp"
#include "helpers/threads.hpp"
#include "matrix/convert.hpp"

namespace spsolve {
namespace {

Coo random_coo(Index rows, Index columns, Index entries, Symmetry symmetry) {
  std::mt19937_64 random(3);
  Coo coo;
  coo.rows = rows;
  coo.columns = columns;
  coo.symmetry = symmetry;
  for (Index k = 0; k < entries; ++k) {
    Index row = static_cast<Index>(random() % rows);
    Index column = static_cast<Index>(random() % columns);
    if (symmetry != Symmetry::general && row < column) std::swap(row, column);
    if (symmetry == Symmetry::skew_symmetric && row == column) continue;
    coo.row.push_back(row);
    coo.column.push_back(column);
    // Sums of these values depend on their order: duplicates must be summed alike.
    coo.value.push_back(static_cast<double>(random()) * 0x1p-64 + 1e-3);
  }
  return coo;
}

std::vector<Coo> lists() {
  return {random_coo(1, 1, 0, Symmetry::general),
          random_coo(1, 1, 5, Symmetry::general),
          random_coo(40, 7, 30, Symmetry::general),
          random_coo(7, 90, 300, Symmetry::general),
          random_coo(60, 60, 900, Symmetry::symmetric),
          random_coo(60, 60, 900, Symmetry::skew_symmetric),
          Coo{},
          Coo{0, 4, Symmetry::general, {}, {}, {}},
          Coo{4, 0, Symmetry::general, {}, {}, {}}};
}

TEST(Conversions, AllVersionsGiveTheSameBits) {
  test::Threads lent(1);
  for (const Coo& coo : lists()) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(testing::Message() << coo.rows << " x " << coo.columns << ", "
                                      << name(coo.symmetry) << ", " << threads << " threads");
      lent.set(threads);
      const Csr<double> csr = csr_from_coo(coo);
      test::expect_equal(csr_by_scanning(coo), csr);
      const auto ellpack = Ellpack<double>::from_csr(csr);
      const auto scanned = ellpack_by_scanning(coo);
      EXPECT_EQ(scanned.width, ellpack.width);
      EXPECT_EQ(scanned.column_indices, ellpack.column_indices);
      EXPECT_EQ(scanned.values, ellpack.values);
      test::expect_equal(scanned.to_csr(), csr);
      for (const auto& unpadded :
           {unpadded_ellpack_by_scanning(coo), unpadded_ellpack_from_coo(coo)}) {
        test::expect_equal(unpadded.to_csr(), csr);
        ASSERT_EQ(static_cast<Index>(unpadded.row_lengths.size()), csr.rows);
        for (Index i = 0; i < csr.rows; ++i) {
          EXPECT_EQ(unpadded.row_lengths[i], csr.row_offsets[i + 1] - csr.row_offsets[i]);
        }
      }
    }
  }
}

TEST(Conversions, TheTableSaysWhatItMakes) {
  const Coo coo = random_coo(30, 20, 100, Symmetry::general);
  const Csr<double> csr = csr_from_coo(coo);
  std::set<std::string_view> names;
  for (const Conversion& conversion : conversions()) {
    SCOPED_TRACE(conversion.name);
    EXPECT_TRUE(names.insert(conversion.name).second);
    EXPECT_EQ(conversion.from, "coo");
    const ConversionResult result = conversion.run(coo);
    EXPECT_GE(result.seconds, 0.0);
    if (conversion.to == "csr") {
      EXPECT_EQ(result.bytes, 31 * 8 + csr.nonzeros() * 12);
    } else if (conversion.to == "ellpack") {
      EXPECT_EQ(result.bytes, 30 * longest_row(csr) * 12);
    } else {
      EXPECT_EQ(conversion.to, "ellpack_unpadded");
      EXPECT_EQ(result.bytes, 30 * 12 + csr.nonzeros() * 12);
    }
  }
  EXPECT_EQ(names.size(), 5u);
}

TEST(Conversions, RefuseWhatDoesNotFit) {
  Coo wide;
  wide.rows = 1;
  wide.columns = Index{1} << 31;
  for (const Conversion& conversion : conversions()) {
    EXPECT_THROW(conversion.run(wide), Error) << conversion.name;
  }
}

}  // namespace
}  // namespace spsolve
