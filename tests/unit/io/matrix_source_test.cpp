// Files whose size line claims what nobody can hold: refused before memory is taken.

#include "io/matrix_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/convert.hpp"

namespace spsolve {
namespace {

using testing::HasSubstr;

std::string size_refusal(const std::string& size) {
  const test::TemporaryFolder folder;
  const auto path =
      folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n" + size + "\n1 1 1\n");
  try {
    describe_matrix(path.string());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    return error.what();
  }
  return "";
}

TEST(MatrixSource, SizesThatNoPlanCanCountAreRefused) {
  EXPECT_THAT(size_refusal("9223372036854775807 1 1"), HasSubstr("a.mtx: its header declares"));
  EXPECT_THAT(size_refusal("1 9223372036854775807 1"), HasSubstr("columns"));
  EXPECT_THAT(size_refusal("5 5 9223372036854775807"), HasSubstr("entries"));
  EXPECT_EQ(size_refusal("1099511627776 2147483647 1"), "");
}

TEST(MatrixSource, RowsAloneMustFitIntoMemory) {
  Coo lists;
  lists.rows = Index{1} << 46;  // 512 TiB of offsets
  lists.columns = 3;
  lists.row = {5};
  lists.column = {1};
  lists.value = {1.0};
  try {
    csr_from_coo(lists);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    EXPECT_THAT(error.what(), HasSubstr("offsets alone do not fit"));
  }
}

}  // namespace
}  // namespace spsolve
